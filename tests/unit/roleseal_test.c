/* SPDX-License-Identifier: Apache-2.0 */
/* roleseal_test.c - a sealed role cannot; its twin without the seal can. */
#include "sandbox/native/roleseal.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "tap.h"

enum { NOBODY = 61236 };

static char scratch[64];

/* Things a captured role might try; 0: it worked. */

static int try_open_outside(void)
{
	return open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 ? -1 : 0;
}

static int try_open_inside(void)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/file", scratch);
	return open(path, O_RDONLY | O_CLOEXEC) < 0 ? -1 : 0;
}

static int try_write_inside(void)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/file", scratch);
	return open(path, O_WRONLY | O_CLOEXEC) < 0 ? -1 : 0;
}

static int try_exec(void)
{
	char *argv[] = {(char *)(uintptr_t) "/bin/true", NULL};

	(void)execve(argv[0], argv, argv + 1);
	return -1; /* where it works, true says 0 */
}

static int try_fork(void)
{
	long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (child == 0)
		_exit(0);
	return child < 0 ? -1 : 0;
}

static int try_socket(void)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) < 0 ? -1 : 0;
}

static int try_unix_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) < 0 ? -1 : 0;
}

static int try_kill(void)
{
	return kill(getppid(), 0);
}

static int try_code(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return page == MAP_FAILED ? -1 : 0;
}

static int try_make_code(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return page == MAP_FAILED ? -1 : mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

static int try_memory(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return page == MAP_FAILED ? -1 : 0;
}

static int try_namespace(void)
{
	return unshare(CLONE_FILES);
}

static int try_dumpable(void)
{
	return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static int try_many_files(void)
{
	for (int i = 0; i < 64; i++)
		if (fcntl(0, F_DUPFD, 0) < 0)
			return -1;
	return 0;
}

static const struct role_call own_calls[] = {
	{.nr = SYS_socket, .why = "test", .checked = true, .arg = 0, .value = AF_UNIX},
};
static const struct role_calls own = {own_calls, ARRAY_LEN(own_calls)};

static void make_scratch(void)
{
	char path[128];
	int fd;

	(void)snprintf(scratch, sizeof(scratch), "/tmp/roleseal-XXXXXX");
	if (!mkdtemp(scratch) || chmod(scratch, 0755) < 0)
		_exit(1);
	(void)snprintf(path, sizeof(path), "%s/file", scratch);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 || fchmod(fd, 0666) < 0)
		_exit(1);
	(void)close(fd);
}

static void remove_scratch(void)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/file", scratch);
	(void)unlink(path);
	(void)rmdir(scratch);
}

static void seal_here(struct role_seal seal, const char *path)
{
	const struct role_rule rule = {.fd = -1, .path = path, .rights = LANDLOCK_READ};
	struct error err = {0};

	seal.name = "the test";
	seal.rules = &rule;
	seal.n_rules = 1;
	if (!seal.calls[0]) {
		seal.calls[0] = &role_messages;
		seal.calls[1] = &role_reading;
		seal.calls[2] = &own;
	}
	if (role_seal(&seal, NULL, &err) < 0) {
		printf("# %s\n", err.text);
		(void)fflush(stdout);
		_exit(3);
	}
}

/* Exit code of a child that may be sealed and then tries; -9: killed. */
static int outcome(const struct role_seal *seal, int (*try)(void))
{
	int status = -1;
	pid_t child;

	(void)fflush(stdout);
	child = fork();
	if (child == 0) {
		if (seal)
			seal_here(*seal, scratch);
		_exit(try() == 0 ? 0 : 1);
	}
	(void)waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static const struct role_seal plain = {.data_bytes = 256 << 20, .files_most = 32, .files_least = 8};

TEST(a_sealed_role_cannot_and_its_twin_can)
{
	static const struct {
		const char *what;
		int (*try)(void);
	} rows[] = {
		{"open", try_open_outside}, {"write", try_write_inside},
		{"exec", try_exec},         {"fork", try_fork},
		{"socket", try_socket},     {"kill", try_kill},
		{"code", try_code},         {"make code", try_make_code},
		{"unshare", try_namespace}, {"dumpable", try_dumpable},
		{"files", try_many_files},
	};

	make_scratch();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int sealed = outcome(&plain, rows[i].try), twin = outcome(NULL, rows[i].try);

		if (sealed != 1 || twin != 0)
			printf("# %s: sealed %d, twin %d\n", rows[i].what, sealed, twin);
		CHECK(sealed == 1 && twin == 0);
	}
	remove_scratch();
}

TEST(what_is_allowed_works)
{
	make_scratch();
	CHECK(outcome(&plain, try_open_inside) == 0);
	CHECK(outcome(&plain, try_unix_socket) == 0);
	CHECK(outcome(&plain, try_memory) == 0);
	remove_scratch();
}

static int try_unix_messages(void)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) < 0 ? -1 : 0;
}

static int try_other_messages(void)
{
	return syscall(SYS_socket, AF_INET, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) < 0 && errno == ENOSYS
		       ? -1
		       : 0;
}

/* As the keeper has it: who may name only one kind of socket cannot reach what listens on another.
 */
TEST(both_arguments_count_where_both_are_named)
{
	static const struct role_call calls[] = {
		{.nr = SYS_socket,
		 .why = "test",
		 .checked = true,
		 .arg = 0,
		 .value = AF_UNIX,
		 .both = true,
		 .other = 1,
		 .also = SOCK_SEQPACKET | SOCK_CLOEXEC},
		{.nr = SYS_getppid, .why = "a row behind it is reached"},
	};
	static const struct role_calls set = {calls, ARRAY_LEN(calls)};
	struct role_seal seal = plain;

	seal.calls[0] = &set;
	seal.calls[1] = &role_reading;
	seal.calls[2] = NULL;
	make_scratch();
	CHECK(outcome(&seal, try_unix_messages) == 0);
	CHECK(outcome(&seal, try_unix_socket) == 1);
	CHECK(outcome(&seal, try_other_messages) == 1);
	CHECK(outcome(NULL, try_other_messages) == 0);
	remove_scratch();
}

TEST(with_kill_what_is_not_listed_ends_the_process)
{
	struct role_seal seal = plain;

	seal.kill = true;
	make_scratch();
	CHECK(outcome(&seal, try_fork) == -SIGSYS);
	CHECK(outcome(&seal, try_socket) == -SIGSYS);
	CHECK(outcome(&seal, try_unix_socket) == 0);
	remove_scratch();
}

static int try_capabilities(void)
{
	char text[4096] = "";
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return -1;
	return strstr(text, "CapEff:\t0000000000000000") &&
			       strstr(text, "CapPrm:\t0000000000000000") &&
			       strstr(text, "CapInh:\t0000000000000000") &&
			       strstr(text, "NoNewPrivs:\t1") &&
			       (geteuid() != 0 || strstr(text, "CapBnd:\t0000000000000000"))
		       ? 0
		       : -1;
}

/* Its own /proc is all it may see here. */
static int sees_itself(const struct role_seal *seal, int (*try)(void))
{
	int status = -1;
	pid_t child;

	(void)fflush(stdout);
	child = fork();
	if (child == 0) {
		if (seal)
			seal_here(*seal, "/proc");
		_exit(try() == 0 ? 0 : 1);
	}
	(void)waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(no_capability_is_left)
{
	CHECK(sees_itself(&plain, try_capabilities) == 0);
	CHECK(sees_itself(NULL, try_capabilities) == 1);
}

static int try_is_nobody(void)
{
	return getuid() == NOBODY && geteuid() == NOBODY && getgid() == NOBODY ? 0 : -1;
}

TEST(root_can_become_somebody_else)
{
	struct role_seal seal = plain;

	seal.become = true;
	seal.uid = seal.gid = NOBODY;
	make_scratch();
	if (geteuid() == 0) {
		CHECK(outcome(&seal, try_is_nobody) == 0);
		CHECK(outcome(&plain, try_is_nobody) == 1);
		CHECK(sees_itself(&seal, try_capabilities) == 0);
		/* Not even if it is said that capabilities may stay. */
	} else {
		seal.allow_degraded = 1u << LAYER_CAPABILITIES;
		CHECK(outcome(&seal, try_is_nobody) == 3);
	}
	remove_scratch();
}

TEST(a_path_that_is_not_there_is_an_error_unless_it_may_lack)
{
	struct role_rule rule = {.fd = -1, .path = "/nowhere/at/all", .rights = LANDLOCK_READ};
	struct role_seal seal = {.name = "the test", .rules = &rule, .n_rules = 1};
	struct error err = {0};

	CHECK(role_seal(&seal, NULL, &err) < 0 && strstr(err.text, "the test"));
	rule.may_lack = true;
	CHECK(role_seal(&seal, NULL, &err) == 0);
	CHECK(open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0);
}

TEST(layers_are_reported)
{
	struct layer_report layers[LAYER_COUNT] = {0};
	struct role_seal seal = {.name = "the test"};
	struct error err = {0};

	CHECK(role_seal(&seal, layers, &err) == 0);
	CHECK(layers[LAYER_RLIMITS].state == LAYER_FULL);
	CHECK(layers[LAYER_CAPABILITIES].state == LAYER_FULL);
	CHECK(layers[LAYER_NO_NEW_PRIVS].state == LAYER_FULL);
	CHECK(layers[LAYER_LANDLOCK].state == LAYER_FULL);
	CHECK(layers[LAYER_SECCOMP].state == LAYER_FULL);
}

/* The second time the first filter forbids what the seal takes: a layer that fails is an error, or
 * off if that is allowed. */
TEST(a_layer_that_fails_is_an_error_unless_it_is_allowed)
{
	struct layer_report layers[LAYER_COUNT] = {0};
	struct role_seal seal = {.name = "the test", .files_most = 1 << 30, .files_least = 1 << 30};
	struct rlimit few = {64, 64};
	struct error err = {0};

	if (geteuid() == 0 && (setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
		_exit(1);
	CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
	CHECK(role_seal(&seal, layers, &err) < 0 && strstr(err.text, "rlimits"));
	seal.allow_degraded = 1u << LAYER_RLIMITS;
	CHECK(role_seal(&seal, layers, &err) == 0);
	CHECK(layers[LAYER_RLIMITS].state == LAYER_OFF && layers[LAYER_RLIMITS].detail[0]);
	CHECK(layers[LAYER_SECCOMP].state == LAYER_FULL);
}
