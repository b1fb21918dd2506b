/* SPDX-License-Identifier: Apache-2.0 */
/* What a hostile program can leave in its /work, and what the host makes of it. */
#include "sandbox/native/copyout.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "call/limits.h"
#include "scratch.h"
#include "tap.h"

static const struct copyout_caps roomy = {
	.file_bytes = 1 << 20, .total_bytes = 4 << 20, .files = 1000, .names_bytes = 100000};

/* A box's /work and a directory of the host to copy to. */
struct stage {
	struct scratch box, host;
	struct account account;
	struct error err;
};

static struct stage stage_make(void)
{
	struct stage s = {.box = scratch_make(), .host = scratch_make()};
	struct limits limits;

	limits_default(&limits);
	account_init(&s.account, &limits);
	return s;
}

static void stage_end(struct stage *s)
{
	account_done(&s->account);
	scratch_end(&s->box);
	scratch_end(&s->host);
}

static int collect(struct stage *s, const char *glob, const struct copyout_caps *caps)
{
	return copyout_collect(s->box.fd, glob, s->host.path, caps, &s->account, &s->err);
}

static void write_file(int dir, const char *name, const char *text, mode_t mode)
{
	own_fd fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct error err;

	CHECK(fd >= 0 && fd_write_all(fd, text, strlen(text), &err) == 0);
	CHECK(fchmod(fd, mode) == 0);
}

static bool holds(int dir, const char *name, const char *text)
{
	char got[256] = "";
	struct error err;

	return fd_get_file(dir, name, got, sizeof(got), &err) == 0 && strcmp(got, text) == 0;
}

static bool is_there(int dir, const char *name)
{
	return faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static const struct artifact *find(const struct stage *s, const char *name)
{
	for (size_t i = 0; i < s->account.n_artifacts; i++)
		if (strcmp(s->account.artifacts[i].name, name) == 0)
			return &s->account.artifacts[i];
	return NULL;
}

static bool was_copied(const struct stage *s, const char *name)
{
	const struct artifact *a = find(s, name);

	return a && a->refused[0] == '\0' && strlen(a->sha256) == 64;
}

static bool was_refused(const struct stage *s, const char *name, const char *word)
{
	const struct artifact *a = find(s, name);

	return a && strstr(a->refused, word);
}

/* Entries of the host's directory: a temporary file that stayed behind is one more. */
static size_t host_entries(const struct stage *s)
{
	DIR *dir = opendir(s->host.path);
	size_t n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		(void)closedir(dir);
	return n >= 2 ? n - 2 : 0;
}

TEST(files_come_out_with_size_hash_and_mode)
{
	own(stage) s = stage_make();
	struct stat st = {0};

	write_file(s.box.fd, "a.txt", "abc", 0600);
	write_file(s.box.fd, "tool", "", 06711);
	CHECK(collect(&s, "*", &roomy) == 0);
	CHECK(s.account.n_artifacts == 2);
	CHECK(was_copied(&s, "a.txt") && find(&s, "a.txt")->size == 3);
	CHECK_STR(find(&s, "a.txt")->sha256,
		  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	CHECK(holds(s.host.fd, "a.txt", "abc"));
	CHECK(fstatat(s.host.fd, "a.txt", &st, 0) == 0 && (st.st_mode & 07777) == 0644);
	CHECK(fstatat(s.host.fd, "tool", &st, 0) == 0 && (st.st_mode & 07777) == 0755);
	CHECK(host_entries(&s) == 2);
}

TEST(only_what_matches_comes_out_and_in_order)
{
	own(stage) s = stage_make();

	CHECK(mkdirat(s.box.fd, "out", 0755) == 0 && mkdirat(s.box.fd, "out/deep", 0755) == 0);
	write_file(s.box.fd, "out/b.csv", "b", 0644);
	write_file(s.box.fd, "out/a.csv", "a", 0644);
	write_file(s.box.fd, "out/deep/c.csv", "c", 0644);
	write_file(s.box.fd, "out/no.txt", "n", 0644);
	write_file(s.box.fd, "top.csv", "t", 0644);
	CHECK(collect(&s, "out/**/*.csv", &roomy) == 0);
	CHECK(s.account.n_artifacts == 3);
	CHECK_STR(s.account.artifacts[0].name, "out/a.csv");
	CHECK_STR(s.account.artifacts[1].name, "out/b.csv");
	CHECK_STR(s.account.artifacts[2].name, "out/deep/c.csv");
	CHECK(holds(s.host.fd, "out/deep/c.csv", "c"));
	CHECK(!is_there(s.host.fd, "top.csv"));
}

TEST(a_target_that_is_not_there_is_made)
{
	own(stage) s = stage_make();
	char dir[128];

	write_file(s.box.fd, "a", "abc", 0644);
	(void)snprintf(dir, sizeof(dir), "%s/new/er", s.host.path);
	CHECK(copyout_collect(s.box.fd, "a", dir, &roomy, &s.account, &s.err) == 0);
	CHECK(holds(s.host.fd, "new/er/a", "abc"));
}

TEST(a_target_is_not_made_for_nothing)
{
	own(stage) s = stage_make();
	char dir[128];

	CHECK(mkdirat(s.box.fd, "b", 0755) == 0 && symlinkat("b", s.box.fd, "l") == 0);
	(void)snprintf(dir, sizeof(dir), "%s/new/er", s.host.path);
	CHECK(copyout_collect(s.box.fd, "*", dir, &roomy, &s.account, &s.err) == 0);
	CHECK(s.account.n_artifacts == 1 && s.account.artifacts[0].refused[0]);
	CHECK(!is_there(s.host.fd, "new"));
}

TEST(a_target_that_cannot_be_made_is_an_error)
{
	own(stage) s = stage_make();

	write_file(s.box.fd, "a", "abc", 0644);
	CHECK(copyout_collect(s.box.fd, "a", "/proc/no/such", &roomy, &s.account, &s.err) < 0);
	CHECK(strstr(s.err.text, "/proc/no/such"));
	CHECK(copyout_collect(s.box.fd, "a", "", &roomy, &s.account, &s.err) < 0);
	CHECK(copyout_collect(s.box.fd, "../a", s.host.path, &roomy, &s.account, &s.err) < 0);
	CHECK(s.err.kind == ERR_CALLER);
}

TEST(what_cannot_work_is_said_before_the_run)
{
	own(stage) s = stage_make();

	CHECK(copyout_prepare("*", s.host.path, &s.err) == 0);
	CHECK(copyout_prepare("/etc/*", s.host.path, &s.err) < 0 && s.err.kind == ERR_CALLER);
	CHECK(copyout_prepare("*", "/dev/null/such", &s.err) < 0 &&
	      strstr(s.err.text, "/dev/null/such"));
	CHECK(copyout_prepare("*", "/dev/null", &s.err) < 0);
}

TEST(a_glob_without_a_match_is_in_the_account)
{
	own(stage) s = stage_make();

	CHECK(mkdirat(s.box.fd, "out", 0755) == 0);
	CHECK(collect(&s, "*.png", &roomy) == 0);
	CHECK(was_refused(&s, "*.png", "nothing matched"));
	CHECK(collect(&s, "out", &roomy) == 0);
	CHECK(was_refused(&s, "out", "add /**"));
	CHECK(s.account.n_artifacts == 2);
}

TEST(links_fifos_sockets_and_hard_links_stay_inside)
{
	own(stage) s = stage_make();
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	own_fd sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(symlinkat("/etc/passwd", s.box.fd, "link") == 0);
	CHECK(symlinkat("/etc", s.box.fd, "dirlink") == 0);
	CHECK(symlinkat("/proc/self/fd/0", s.box.fd, "magic") == 0);
	CHECK(mkfifoat(s.box.fd, "fifo", 0666) == 0);
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/sock", s.box.path);
	CHECK(bind(sock, (struct sockaddr *)&address, sizeof(address)) == 0);
	write_file(s.box.fd, "one", "x", 0644);
	CHECK(linkat(s.box.fd, "one", s.box.fd, "two", 0) == 0);
	(void)alarm(10); /* a FIFO that is waited for */
	CHECK(collect(&s, "**", &roomy) == 0);
	CHECK(was_refused(&s, "link", "symbolic link"));
	CHECK(was_refused(&s, "dirlink", "symbolic link"));
	CHECK(was_refused(&s, "magic", "symbolic link"));
	CHECK(was_refused(&s, "fifo", "FIFO"));
	CHECK(was_refused(&s, "sock", "socket"));
	CHECK(was_refused(&s, "one", "hard link") && was_refused(&s, "two", "2 names"));
	CHECK(s.account.n_artifacts == 7 && host_entries(&s) == 0);
}

TEST(devices_stay_inside)
{
	own(stage) s = stage_make();

	if (mknodat(s.box.fd, "zero", S_IFCHR | 0666, makedev(1, 5)) < 0) {
		stage_end(&s);
		SKIP("no device nodes for us here");
	}
	CHECK(collect(&s, "**", &roomy) == 0);
	CHECK(was_refused(&s, "zero", "device") && host_entries(&s) == 0);
}

TEST(a_sparse_tebibyte_is_refused_by_its_size)
{
	own(stage) s = stage_make();
	own_fd fd = openat(s.box.fd, "huge", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	struct copyout_caps caps;

	CHECK(ftruncate(fd, (off_t)1 << 40) == 0);
	copyout_caps_for(&s.account.limits, &caps);
	(void)alarm(10);
	CHECK(collect(&s, "huge", &caps) == 0);
	CHECK(was_refused(&s, "huge", "larger than 100 MiB"));
	CHECK(find(&s, "huge")->size == (uint64_t)1 << 40);
	CHECK(host_entries(&s) == 0);
}

TEST(the_sum_has_a_ceiling_over_several_globs)
{
	own(stage) s = stage_make();
	struct copyout_caps caps = {
		.file_bytes = 6, .total_bytes = 10, .files = 10, .names_bytes = 100000};

	write_file(s.box.fd, "a", "123456", 0644);
	write_file(s.box.fd, "b", "123456", 0644);
	write_file(s.box.fd, "c", "1234", 0644);
	write_file(s.box.fd, "d", "1234567", 0644);
	CHECK(collect(&s, "a", &caps) == 0 && was_copied(&s, "a"));
	CHECK(collect(&s, "b", &caps) == 0 && was_refused(&s, "b", "together"));
	CHECK(collect(&s, "c", &caps) == 0 && was_copied(&s, "c"));
	CHECK(collect(&s, "d", &caps) == 0 && was_refused(&s, "d", "one file"));
	CHECK(host_entries(&s) == 2);
}

TEST(names_are_bytes_and_come_out_escaped)
{
	own(stage) s = stage_make();

	CHECK(mkdirat(s.box.fd, "di\x1br", 0755) == 0);
	write_file(s.box.fd, "line\nbreak", "1", 0644);
	write_file(s.box.fd, "not-\xff\xfe-utf8", "2", 0644);
	write_file(s.box.fd, "-rf", "3", 0644);
	write_file(s.box.fd, "back\\slash", "4", 0644);
	write_file(s.box.fd, "di\x1br/ \"x\"", "5", 0644);
	CHECK(collect(&s, "**", &roomy) == 0);
	CHECK(was_copied(&s, "line\nbreak") && holds(s.host.fd, "line\\x0abreak", "1"));
	CHECK(was_copied(&s, "not-\xff\xfe-utf8"));
	CHECK(holds(s.host.fd, "not-\\xff\\xfe-utf8", "2"));
	CHECK(holds(s.host.fd, "-rf", "3"));
	CHECK(holds(s.host.fd, "back\\x5cslash", "4"));
	CHECK(holds(s.host.fd, "di\\x1br/ \"x\"", "5"));
	CHECK(s.account.n_artifacts == 5);
}

TEST(a_name_that_grows_too_long_is_refused)
{
	own(stage) s = stage_make();
	char name[101];

	memset(name, 1, sizeof(name));
	name[100] = '\0';
	write_file(s.box.fd, name, "x", 0644);
	CHECK(collect(&s, "*", &roomy) == 0);
	CHECK(was_refused(&s, name, "255") && host_entries(&s) == 0);
}

static void make_deep(int work, int levels, const char *name)
{
	int dir = dup(work);

	for (int i = 0; i < levels; i++) {
		int next;

		CHECK(mkdirat(dir, name, 0755) == 0);
		next = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		(void)close(dir);
		dir = next;
	}
	write_file(dir, "f", "x", 0644);
	(void)close(dir);
}

TEST(deep_trees_are_followed_to_a_depth_and_no_further)
{
	own(stage) s = stage_make();

	make_deep(s.box.fd, COPYOUT_DEPTH_MAX - 1, "d");
	CHECK(collect(&s, "**/f", &roomy) == 0);
	CHECK(s.account.n_artifacts == 1 && !s.account.artifacts[0].refused[0]);
	make_deep(s.box.fd, 500, "e");
	CHECK(collect(&s, "e/**", &roomy) == 0);
	CHECK(s.account.n_artifacts == 3);
	CHECK(was_refused(&s, "e/**", "only directories"));
	CHECK(strstr(s.account.artifacts[2].refused, "too deep"));
}

TEST(names_longer_than_a_path_can_be_are_not_followed)
{
	own(stage) s = stage_make();
	char name[241];

	memset(name, 'n', sizeof(name));
	name[240] = '\0';
	make_deep(s.box.fd, 20, name);
	CHECK(collect(&s, "**", &roomy) == 0);
	CHECK(s.account.n_artifacts >= 1);
	CHECK(strstr(s.account.artifacts[0].refused, "longer") ||
	      strstr(s.account.artifacts[1].refused, "longer"));
	/* nftw() gets no further than we do: take the tree apart from above. */
	for (int i = 0; i < 20; i++) {
		CHECK(renameat(s.box.fd, name, s.box.fd, "top") == 0);
		(void)!renameat(openat(s.box.fd, "top", O_PATH | O_CLOEXEC), name, s.box.fd, name);
		(void)unlinkat(s.box.fd, "top", AT_REMOVEDIR);
	}
}

TEST(a_hundred_thousand_files_are_cut_at_the_ceiling)
{
	own(stage) s = stage_make();
	struct copyout_caps caps = {
		.file_bytes = 100, .total_bytes = 100000, .files = 50, .names_bytes = 100000};
	uint64_t before;

	for (int i = 0; i < 100000; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "%06d", i);
		(void)close(openat(s.box.fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	}
	before = clock_us();
	CHECK(collect(&s, "*", &caps) == 0);
	CHECK(clock_us() - before < 20000000);
	CHECK(s.account.n_artifacts == 51);
	CHECK(was_refused(&s, "*", "too many"));
	CHECK(host_entries(&s) == 50);
	CHECK(collect(&s, "**", &caps) == 0); /* the account stays full */
	CHECK(s.account.n_artifacts == 52 && host_entries(&s) == 50);
}

TEST(refusals_have_a_ceiling_too)
{
	own(stage) s = stage_make();
	struct copyout_caps caps = {
		.file_bytes = 100, .total_bytes = 1000, .files = 5, .names_bytes = 100000};

	for (char name[] = "a"; name[0] <= 'z'; name[0]++)
		CHECK(mkfifoat(s.box.fd, name, 0644) == 0);
	CHECK(collect(&s, "*", &caps) == 0);
	CHECK(s.account.n_artifacts == 6 && was_refused(&s, "*", "too many"));
}

/* Long names make a large account of few files. */
TEST(names_have_a_ceiling_together)
{
	own(stage) s = stage_make();
	struct copyout_caps caps = roomy;
	char name[201];

	caps.names_bytes = 1000;
	for (char c = 'a'; c <= 'z'; c++) {
		memset(name, c, sizeof(name) - 1);
		name[sizeof(name) - 1] = '\0';
		write_file(s.box.fd, name, "x", 0644);
	}
	CHECK(collect(&s, "*", &caps) == 0);
	CHECK(s.account.n_artifacts == 6 && was_refused(&s, "*", "not listed"));
	CHECK(host_entries(&s) == 5);
	CHECK(collect(&s, "**", &caps) == 0); /* the account stays full */
	CHECK(s.account.n_artifacts == 7 && host_entries(&s) == 5);
}

TEST(hostile_links_in_the_target_are_not_followed)
{
	own(stage) s = stage_make();
	own(scratch) victim = scratch_make();
	char file[128];

	CHECK(mkdirat(s.box.fd, "sub", 0755) == 0 && mkdirat(s.box.fd, "file", 0755) == 0);
	write_file(s.box.fd, "a", "new", 0644);
	write_file(s.box.fd, "sub/b", "new", 0644);
	write_file(s.box.fd, "dir", "new", 0644);
	write_file(s.box.fd, "file/c", "new", 0644);
	write_file(s.box.fd, "old", "new", 0644);
	write_file(victim.fd, "precious", "old", 0644);
	(void)snprintf(file, sizeof(file), "%s/precious", victim.path);
	CHECK(symlinkat(file, s.host.fd, "a") == 0);
	CHECK(symlinkat(victim.path, s.host.fd, "sub") == 0);
	CHECK(mkdirat(s.host.fd, "dir", 0755) == 0);
	write_file(s.host.fd, "file", "old", 0644);
	write_file(s.host.fd, "old", "old", 0600);
	CHECK(linkat(s.host.fd, "old", victim.fd, "linked", 0) == 0);
	CHECK(collect(&s, "**", &roomy) == 0);
	CHECK(was_refused(&s, "a", "link") && was_refused(&s, "sub/b", "link"));
	CHECK(was_refused(&s, "dir", "directory") &&
	      was_refused(&s, "file/c", "file in the target"));
	CHECK(was_copied(&s, "old") && holds(s.host.fd, "old", "new"));
	CHECK(holds(victim.fd, "precious", "old") && holds(victim.fd, "linked", "old"));
	CHECK(!is_there(victim.fd, "b"));
	CHECK(host_entries(&s) == 5);
}

TEST(another_mount_is_not_entered)
{
	own(stage) s = stage_make();
	own(scratch) granted = scratch_make();
	char grant[128];

	write_file(granted.fd, "file", "x", 0644);
	CHECK(mkdirat(s.box.fd, "grant", 0755) == 0);
	(void)snprintf(grant, sizeof(grant), "%s/grant", s.box.path);
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount(granted.path, grant, NULL, MS_BIND, NULL) < 0) {
		stage_end(&s);
		scratch_end(&granted);
		SKIP("no mount namespace of our own here");
	}
	/* The descriptor belongs to the namespace it was opened in. */
	(void)close(s.box.fd);
	s.box.fd = open(s.box.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(collect(&s, "**", &roomy) == 0);
	CHECK(was_refused(&s, "grant", "mount") && host_entries(&s) == 0);
	(void)umount2(grant, MNT_DETACH);
}

/* Swaps what a name means as fast as it can, as a process that survived would. */
static pid_t start_swapper(const struct stage *s, const char *bait)
{
	pid_t parent = getpid(), child = fork();

	if (child != 0)
		return child;
	while (getppid() == parent)
		(void)renameat2(s->box.fd, "f", s->box.fd, bait, RENAME_EXCHANGE);
	_exit(0);
}

static void check_swaps(const char *bait, void (*make)(int work, const char *bait))
{
	own(stage) s = stage_make();
	uint64_t until = clock_us() + 1000000;
	pid_t swapper;

	write_file(s.box.fd, "f", "mine", 0644);
	make(s.box.fd, bait);
	swapper = start_swapper(&s, bait);
	(void)alarm(20);
	while (clock_us() < until) {
		CHECK(collect(&s, "f", &roomy) == 0);
		CHECK(!is_there(s.host.fd, "f") || holds(s.host.fd, "f", "mine"));
		account_done(&s.account);
	}
	(void)kill(swapper, SIGKILL);
	(void)waitpid(swapper, NULL, 0);
	CHECK(host_entries(&s) <= 1);
}

static void make_link(int work, const char *bait)
{
	CHECK(symlinkat("/etc/passwd", work, bait) == 0);
}

static void make_fifo(int work, const char *bait)
{
	CHECK(mkfifoat(work, bait, 0644) == 0);
}

static void make_directory(int work, const char *bait)
{
	CHECK(mkdirat(work, bait, 0755) == 0);
}

TEST(a_name_that_turns_into_a_link_is_never_followed)
{
	check_swaps("bait", make_link);
}

TEST(a_name_that_turns_into_a_fifo_is_never_waited_for)
{
	check_swaps("bait", make_fifo);
}

TEST(a_name_that_turns_into_a_directory_does_no_harm)
{
	check_swaps("bait", make_directory);
}

TEST(a_file_that_grows_while_it_is_read_is_cut_off)
{
	own(stage) s = stage_make();
	struct copyout_caps caps = {
		.file_bytes = 200000, .total_bytes = 200000, .files = 10, .names_bytes = 100000};
	own_fd fd = openat(s.box.fd, "f", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	static char chunk[4096];
	pid_t grower = fork();
	struct stat st;

	if (grower == 0) {
		for (int i = 0; i < 20000; i++)
			(void)!write(fd, chunk, sizeof(chunk));
		_exit(0);
	}
	while (waitpid(grower, NULL, WNOHANG) == 0) {
		CHECK(collect(&s, "f", &caps) == 0);
		if (fstatat(s.host.fd, "f", &st, 0) == 0)
			CHECK((uint64_t)st.st_size <= caps.file_bytes);
		account_done(&s.account);
	}
	CHECK(collect(&s, "f", &caps) == 0 && was_refused(&s, "f", "larger"));
	CHECK(host_entries(&s) <= 1);
}

TEST(a_full_target_is_an_error_and_leaves_no_half_file)
{
	own(stage) s = stage_make();
	static char big[200000];
	own_fd fd = openat(s.box.fd, "big", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	memset(big, 'x', sizeof(big));
	CHECK(fd_write_all(fd, big, sizeof(big), &s.err) == 0);
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", s.host.path, "tmpfs", 0, "size=64k") < 0) {
		stage_end(&s);
		SKIP("no mount namespace of our own here");
	}
	CHECK(collect(&s, "big", &roomy) < 0);
	CHECK(s.err.sys == ENOSPC && s.account.n_artifacts == 0);
	CHECK(host_entries(&s) == 0);
	(void)umount2(s.host.path, MNT_DETACH);
}

TEST(unreadable_files_are_refused_not_fatal)
{
	own(stage) s = stage_make();

	if (geteuid() == 0) {
		CHECK(fchown(s.host.fd, 65534, 65534) == 0);
		CHECK(fchown(s.box.fd, 65534, 65534) == 0);
		CHECK(setegid(65534) == 0 && seteuid(65534) == 0);
	}
	write_file(s.box.fd, "secret", "x", 0);
	CHECK(mkdirat(s.box.fd, "closed", 0) == 0);
	CHECK(collect(&s, "**", &roomy) == 0);
	CHECK(was_refused(&s, "secret", "Permission denied"));
	CHECK(was_refused(&s, "closed", "cannot be opened"));
}
