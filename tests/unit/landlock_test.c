/* SPDX-License-Identifier: Apache-2.0 */
/* landlock_test.c - each action works before the restriction and not after it, where not granted.
 */
#include "sandbox/native/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>

#include "base/own.h"
#include "tap.h"

static char top[64];
static int readable, writable, hidden; /* directories beneath top, O_PATH */

static int make_dir(const char *name)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", top, name);
	CHECK(mkdir(path, 0700) == 0);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int make_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_CREAT | O_RDWR | O_CLOEXEC, 0700);

	if (fd < 0)
		return errno;
	CHECK(write(fd, "text", 4) == 4);
	(void)close(fd);
	return 0;
}

static void set_up(void)
{
	unsigned tag;

	CHECK(getrandom(&tag, sizeof(tag), 0) == sizeof(tag));
	(void)snprintf(top, sizeof(top), "/tmp/landlock-test-%08x", tag);
	CHECK(mkdir(top, 0700) == 0);
	readable = make_dir("readable");
	writable = make_dir("writable");
	hidden = make_dir("hidden");
	CHECK(make_file(readable, "file") == 0);
	CHECK(make_file(writable, "file") == 0);
	CHECK(make_file(hidden, "file") == 0);
}

/* The restricted process cannot remove what it may not touch: its parent does. */
static void tear_down(void)
{
	static const char *const dirs[] = {"readable", "writable", "hidden"};
	static const char *const files[] = {"file", "new",    "moved", "socket",
					    "fifo", "symbol", "char",  "came"};
	char path[128];

	for (size_t d = 0; d < ARRAY_LEN(dirs); d++) {
		for (size_t f = 0; f < ARRAY_LEN(files); f++) {
			(void)snprintf(path, sizeof(path), "%s/%s/%s", top, dirs[d], files[f]);
			(void)unlink(path);
		}
		(void)snprintf(path, sizeof(path), "%s/%s/dir", top, dirs[d]);
		(void)rmdir(path);
		(void)snprintf(path, sizeof(path), "%s/%s", top, dirs[d]);
		(void)rmdir(path);
	}
	CHECK(rmdir(top) == 0);
}

static int landlock_restrict(const struct landlock_rule *rules, size_t n, bool loopback,
			     int *ret_abi, struct error *err)
{
	own_fd ruleset = landlock_open(loopback, ret_abi, err);

	for (size_t i = 0; ruleset >= 0 && i < n; i++)
		if (landlock_allow(ruleset, *ret_abi, &rules[i], err) < 0)
			return -1;
	return ruleset < 0 ? -1 : landlock_enter(ruleset, err);
}

static void restrict_to(const struct landlock_rule *rules, size_t n, bool loopback)
{
	struct error err = {0};
	int abi = 0;

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	if (landlock_restrict(rules, n, loopback, &abi, &err) < 0) {
		printf("# %s\n", err.text);
		tap_failures++;
	}
	CHECK(abi >= 1 && abi <= LANDLOCK_ABI_NEWEST);
}

/* readable: read; writable: read and write; hidden: nothing. */
static void restrict_usually(void)
{
	struct landlock_rule rules[] = {
		{readable, LANDLOCK_READ},
		{writable, LANDLOCK_READ | LANDLOCK_WRITE},
		{hidden, 0},
	};

	restrict_to(rules, ARRAY_LEN(rules), false);
}

static void need_abi(int abi)
{
	if (landlock_abi() < abi)
		SKIP("this kernel's Landlock is too old, or there is none");
}

/* Runs body in a child and counts its failures as ours, so that we can clean up after it. */
static void in_child(void (*body)(void))
{
	int status = 0;
	pid_t child;

	set_up();
	fflush(stdout);
	child = fork();
	if (child == 0) {
		body();
		fflush(stdout);
		_exit(tap_failures ? 1 : 0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	tear_down();
}

static int open_errno(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, flags | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	(void)close(fd);
	return 0;
}

static int errno_of(int result)
{
	return result < 0 ? errno : 0;
}

static void read_and_write(void)
{
	for (int restricted = 0; restricted < 2; restricted++) {
		int refusal = restricted ? EACCES : 0;

		if (restricted)
			restrict_usually();
		CHECK(open_errno(readable, "file", O_RDONLY) == 0);
		CHECK(open_errno(readable, ".", O_RDONLY | O_DIRECTORY) == 0);
		CHECK(open_errno(readable, "file", O_WRONLY) == refusal);
		CHECK(open_errno(writable, "file", O_RDWR) == 0);
		CHECK(open_errno(hidden, "file", O_RDONLY) == refusal);
		CHECK(open_errno(hidden, "file", O_WRONLY) == refusal);
		CHECK(open_errno(hidden, ".", O_RDONLY | O_DIRECTORY) == refusal);
		CHECK(open_errno(AT_FDCWD, "/etc/passwd", O_RDONLY) == refusal);
	}
}

TEST(files_are_read_and_written_where_granted)
{
	need_abi(1);
	in_child(read_and_write);
}

static int make_all(int dir)
{
	int first = errno_of(mkdirat(dir, "dir", 0700));

	CHECK(open_errno(dir, "new", O_CREAT | O_EXCL | O_WRONLY) == first);
	CHECK(errno_of(symlinkat("file", dir, "symbol")) == first);
	CHECK(errno_of(mkfifoat(dir, "fifo", 0600)) == first);
	CHECK(errno_of(mknodat(dir, "socket", S_IFSOCK | 0600, 0)) == first);
	return first;
}

static int remove_all(int dir)
{
	static const char *const names[] = {"new", "symbol", "fifo", "socket"};
	int first = errno_of(unlinkat(dir, "dir", AT_REMOVEDIR));

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		CHECK(errno_of(unlinkat(dir, names[i], 0)) == first);
	return first;
}

static void make_and_remove(void)
{
	CHECK(make_all(readable) == 0 && remove_all(readable) == 0);
	CHECK(make_all(writable) == 0 && remove_all(writable) == 0);
	CHECK(make_all(hidden) == 0);
	restrict_usually();
	CHECK(make_all(readable) == EACCES);
	CHECK(make_all(writable) == 0);
	CHECK(remove_all(writable) == 0);
	CHECK(remove_all(hidden) == EACCES);
}

TEST(things_are_made_and_removed_where_granted)
{
	need_abi(1);
	in_child(make_and_remove);
}

static void make_device(void)
{
	int without = errno_of(mknodat(writable, "char", S_IFCHR | 0600, 0));

	CHECK(without == 0 && unlinkat(writable, "char", 0) == 0);
	restrict_usually();
	CHECK(errno_of(mknodat(writable, "char", S_IFCHR | 0600, 0)) == EACCES);
}

TEST(devices_are_made_nowhere)
{
	need_abi(1);
	in_child(make_device);
}

static void move_between(void)
{
	CHECK(errno_of(renameat(readable, "file", writable, "came")) == 0);
	CHECK(errno_of(renameat(writable, "came", readable, "file")) == 0);
	restrict_usually();
	CHECK(errno_of(renameat(readable, "file", writable, "came")) != 0);
	CHECK(mkdirat(writable, "dir", 0700) == 0);
	CHECK(errno_of(renameat(writable, "file", writable, "dir/moved")) == 0);
	CHECK(errno_of(renameat(writable, "dir/moved", writable, "file")) == 0);
}

TEST(files_move_between_directories_where_granted)
{
	need_abi(2);
	in_child(move_between);
}

static void truncate_files(void)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/readable/file", top);
	CHECK(errno_of(truncate(path, 3)) == 0);
	restrict_usually();
	CHECK(errno_of(truncate(path, 2)) == EACCES);
	(void)snprintf(path, sizeof(path), "%s/writable/file", top);
	CHECK(errno_of(truncate(path, 2)) == 0);
}

TEST(files_are_truncated_where_granted)
{
	need_abi(3);
	in_child(truncate_files);
}

/* A rule on one file: directory rights in it must not make the kernel refuse the rule. */
static void one_file(void)
{
	struct landlock_rule rules[] = {
		{openat(hidden, "file", O_PATH | O_CLOEXEC), LANDLOCK_READ | LANDLOCK_WRITE},
		{openat(readable, "file", O_RDONLY | O_CLOEXEC), LANDLOCK_READ},
	};

	restrict_to(rules, ARRAY_LEN(rules), false);
	CHECK(open_errno(hidden, "file", O_RDWR) == 0);
	CHECK(open_errno(hidden, "new", O_CREAT | O_WRONLY) == EACCES);
	CHECK(open_errno(readable, "file", O_RDONLY) == 0);
	CHECK(open_errno(readable, "file", O_WRONLY) == EACCES);
	CHECK(open_errno(writable, "file", O_RDONLY) == EACCES);
}

TEST(a_rule_may_be_about_one_file)
{
	need_abi(1);
	in_child(one_file);
}

/* 0 if path ran and succeeded; else why it did not start.  Its output goes to null. */
static int run_errno(const char *path, int null)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		(void)dup2(null, 1);
		execl(path, path, (char *)NULL);
		_exit(errno);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void execute(void)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct landlock_rule rules[] = {
		{root, LANDLOCK_READ},
		{open("/lib64", O_PATH | O_CLOEXEC), LANDLOCK_READ | LANDLOCK_EXECUTE},
		{open("/lib", O_PATH | O_CLOEXEC), LANDLOCK_READ | LANDLOCK_EXECUTE},
		{open("/bin/true", O_PATH | O_CLOEXEC), LANDLOCK_READ | LANDLOCK_EXECUTE},
	};
	own_fd null = open("/dev/null", O_RDWR | O_CLOEXEC);
	size_t first = rules[1].fd < 0 ? 2 : 1; /* aarch64 has no /lib64 */

	rules[first - 1] = rules[0];
	CHECK(run_errno("/bin/true", null) == 0 && run_errno("/bin/ls", null) == 0);
	restrict_to(rules + first - 1, ARRAY_LEN(rules) - first + 1, false);
	CHECK(run_errno("/bin/true", null) == 0);
	CHECK(run_errno("/bin/ls", null) == EACCES);
}

TEST(programs_run_where_granted)
{
	need_abi(1);
	if (access("/bin/true", X_OK) < 0)
		SKIP("no /bin/true");
	in_child(execute);
}

static int ioctl_errno(const char *path)
{
	struct termios ignored;
	int saved;
	own_fd fd = open(path, O_RDWR | O_CLOEXEC);

	CHECK(fd >= 0);
	saved = errno_of(ioctl(fd, TCGETS, &ignored));
	return saved;
}

static void devices(void)
{
	struct landlock_rule rules[] = {
		{open("/dev/null", O_PATH | O_CLOEXEC), LANDLOCK_DEVICE},
		{open("/dev/zero", O_PATH | O_CLOEXEC), LANDLOCK_READ | LANDLOCK_WRITE},
	};

	CHECK(ioctl_errno("/dev/null") == ENOTTY && ioctl_errno("/dev/zero") == ENOTTY);
	restrict_to(rules, ARRAY_LEN(rules), false);
	CHECK(ioctl_errno("/dev/null") == ENOTTY);
	CHECK(ioctl_errno("/dev/zero") == EACCES);
	CHECK(open_errno(AT_FDCWD, "/dev/full", O_RDONLY) == EACCES);
}

TEST(devices_answer_ioctl_where_granted)
{
	need_abi(5);
	in_child(devices);
}

static int bind_tcp(void)
{
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	own_fd fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0);
	return errno_of(bind(fd, (struct sockaddr *)&any, sizeof(any)));
}

static int connect_tcp(void)
{
	struct sockaddr_in nobody = {.sin_family = AF_INET,
				     .sin_port = htons(1),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	own_fd fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0);
	return errno_of(connect(fd, (struct sockaddr *)&nobody, sizeof(nobody)));
}

static void no_tcp(void)
{
	CHECK(bind_tcp() == 0 && connect_tcp() == ECONNREFUSED);
	restrict_usually();
	CHECK(bind_tcp() == EACCES && connect_tcp() == EACCES);
}

static void with_loopback(void)
{
	struct landlock_rule rule = {writable, LANDLOCK_READ};

	restrict_to(&rule, 1, true);
	CHECK(bind_tcp() == 0 && connect_tcp() == ECONNREFUSED);
	CHECK(open_errno(hidden, "file", O_RDONLY) == EACCES);
}

TEST(tcp_is_refused_unless_loopback_is_asked_for)
{
	need_abi(4);
	if (bind_tcp() != 0 || connect_tcp() != ECONNREFUSED)
		SKIP("no loopback interface here");
	in_child(no_tcp);
	in_child(with_loopback);
}

static int connect_abstract(const struct sockaddr_un *address, socklen_t len)
{
	own_fd fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0);
	return errno_of(connect(fd, (const struct sockaddr *)address, len));
}

static void outsiders(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(top));
	own_fd listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%s", top);
	CHECK(bind(listener, (struct sockaddr *)&address, len) == 0 && listen(listener, 8) == 0);
	CHECK(connect_abstract(&address, len) == 0);
	CHECK(errno_of(kill(getppid(), 0)) == 0);
	restrict_usually();
	CHECK(connect_abstract(&address, len) == EPERM);
	CHECK(errno_of(kill(getppid(), 0)) == EPERM);
	CHECK(errno_of(kill(getpid(), 0)) == 0);
}

TEST(signals_and_abstract_sockets_stay_inside)
{
	need_abi(6);
	in_child(outsiders);
}

TEST(what_is_taken_for_a_directory_and_is_none_is_an_error)
{
	struct landlock_rule rules[] = {
		{open("/", O_PATH | O_CLOEXEC), LANDLOCK_READ | LANDLOCK_KNOWN},
		{open("/dev/null", O_PATH | O_CLOEXEC), LANDLOCK_DEVICE | LANDLOCK_KNOWN},
		{open("/etc/passwd", O_PATH | O_CLOEXEC), LANDLOCK_READ | LANDLOCK_KNOWN},
	};
	struct error err = {0};
	int abi = 0;

	need_abi(1);
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		own_fd ruleset = landlock_open(false, &abi, &err);
		bool allowed = landlock_allow(ruleset, abi, &rules[i], &err) == 0;

		CHECK(allowed == (i < 2) && (allowed || err.sys == EINVAL));
		(void)close(rules[i].fd);
	}
}

TEST(a_bad_descriptor_is_an_error_not_a_smaller_ruleset)
{
	struct landlock_rule rule = {-1, LANDLOCK_READ};
	struct error err = {0};
	int abi = 0;

	need_abi(1);
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(landlock_restrict(&rule, 1, false, &abi, &err) < 0);
	CHECK(err.kind == ERR_SYSTEM && err.sys == EBADF);
	CHECK(open_errno(AT_FDCWD, "/etc/passwd", O_RDONLY) == 0); /* nothing has happened */
}
