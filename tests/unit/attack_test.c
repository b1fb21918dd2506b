/* SPDX-License-Identifier: Apache-2.0 */
/* attack_test.c - every built-in attack has a twin: without a box it must get through.
 *
 * An attack that reports "held" everywhere would make doctor --attack a comfort
 * and nothing else.  Each runs here as root, outside any box, in whatever
 * namespaces keep it from disturbing this machine.
 */
#include "sandbox/native/attack.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/if.h>
#include <arpa/inet.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/own.h"
#include "tap.h"

enum twin_kind {
	TWIN_PLAIN = 0,
	TWIN_MOUNT,  /* in a mount namespace of its own */
	TWIN_NET,    /* in a network namespace with a route to 192.0.2.1 */
	TWIN_PID,    /* beneath a pid 1 of ours */
	TWIN_INIT,   /* the same, and that pid 1 can be killed */
	TWIN_QUIET,  /* standard error goes nowhere */
	TWIN_DEPENDS /* this kernel or host may not have it: then said, not failed */
};

/* All others are plain. */
static const struct {
	const char *name;
	enum twin_kind kind;
	const char *why; /* of TWIN_DEPENDS: what it takes */
} twins[] = {
	{"mount-tmpfs", TWIN_MOUNT, NULL},
	{"mount-proc", TWIN_MOUNT, NULL},
	{"mount-cgroup", TWIN_MOUNT, NULL},
	{"remount", TWIN_MOUNT, NULL},
	{"unmount", TWIN_MOUNT, NULL},
	{"clear-readonly", TWIN_MOUNT, NULL},
	{"init-root", TWIN_PID, NULL},
	{"init-environ", TWIN_PID, NULL},
	{"init-memory", TWIN_PID, NULL},
	{"trace-init", TWIN_PID, NULL},
	{"kill-init", TWIN_INIT, NULL},
	{"reach-out", TWIN_NET, NULL},
	{"lo-up", TWIN_NET, NULL},
	{"flood", TWIN_QUIET, NULL},
	{"write-sysrq", TWIN_DEPENDS, "a kernel with sysrq"},
	{"x32", TWIN_DEPENDS, "a kernel with x32"},
	{"i386", TWIN_DEPENDS, "a kernel with 32-bit calls"},
	{"oom-shield", TWIN_DEPENDS, "CAP_SYS_RESOURCE"},
	{"raise-limits", TWIN_DEPENDS, "CAP_SYS_RESOURCE or no limit on cores"},
	{"kexec", TWIN_DEPENDS, "a kernel with kexec"},
	{"init-module", TWIN_DEPENDS, "a kernel with modules"},
	{"finit-module", TWIN_DEPENDS, "a kernel with modules"},
	{"delete-module", TWIN_DEPENDS, "a kernel with modules"},
	{"memfd-secret", TWIN_DEPENDS, "Linux 5.14 with secretmem on"},
	{"listmount", TWIN_DEPENDS, "Linux 6.8"},
	{"quotactl", TWIN_DEPENDS, "a kernel with quotas"},
	{"swapon", TWIN_DEPENDS, "a kernel with swap"},
	{"swapoff", TWIN_DEPENDS, "a kernel with swap"},
	{"acct", TWIN_DEPENDS, "a kernel with process accounting"},
	{"fanotify", TWIN_DEPENDS, "a kernel with fanotify"},
	{"aio", TWIN_DEPENDS, "a kernel with AIO"},
	{"perf", TWIN_DEPENDS, "a kernel with perf events"},
	{"bpf", TWIN_DEPENDS, "a kernel with bpf"},
	{"io-uring", TWIN_DEPENDS, "io_uring not turned off"},
	{"userfaultfd", TWIN_DEPENDS, "a kernel with userfaultfd"},
	{"kcmp", TWIN_DEPENDS, "a kernel with kcmp"},
	{"iopl", TWIN_DEPENDS, "no lockdown"},
	{"modify-ldt", TWIN_DEPENDS, "a kernel with modify_ldt"},
	{"open-by-handle", TWIN_DEPENDS, "a file system that has handles"},
	{"cgroup-path", TWIN_DEPENDS, "a cgroup that is not the root"},
	{"set-uid-mounts", TWIN_DEPENDS, "a /tmp that honours set-uid"},
	{"no-filter", TWIN_DEPENDS, "no filter on this test"},
	{"gain-by-exec", TWIN_DEPENDS, "no_new_privs not set"},
	{"signal-outside", TWIN_DEPENDS, "a pid above 1023"},
	{"host-name", TWIN_DEPENDS, "a host that is not called box"},
	{"set-mm", TWIN_DEPENDS, "CAP_SYS_RESOURCE"},
};

static const struct limits small = {
	.memory_bytes = 8 << 20,
	.disk_bytes = 1 << 20,
	.inodes = 100,
	.processes = 20,
	.files = 40,
};

struct twin {
	const struct attack *attack;
	enum twin_kind kind;
	struct bait bait;
	struct attack_result *shared;
};

static bool has_all_powers(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {0};

	return geteuid() == 0 && syscall(SYS_capget, &head, data) == 0 &&
	       (data[0].effective >> CAP_SYS_ADMIN & 1) && (data[0].effective >> CAP_SYS_BOOT & 1);
}

static enum twin_kind kind_of(const char *name, const char **ret_why)
{
	for (size_t i = 0; i < ARRAY_LEN(twins); i++) {
		if (strcmp(twins[i].name, name) != 0)
			continue;
		*ret_why = twins[i].why;
		return twins[i].kind;
	}
	return TWIN_PLAIN;
}

static bool give_route(void)
{
	struct ifreq request = {.ifr_name = "lo:1"};
	struct sockaddr_in address = {.sin_family = AF_INET};
	own_fd fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)inet_pton(AF_INET, "192.0.2.1", &address.sin_addr);
	memcpy(&request.ifr_addr, &address, sizeof(address));
	return fd >= 0 && ioctl(fd, SIOCSIFADDR, &request) == 0;
}

static bool have_private_mounts(void)
{
	return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static bool prepare(enum twin_kind kind)
{
	own_fd null = -1;

	switch (kind) {
	case TWIN_MOUNT:
		return have_private_mounts();
	case TWIN_NET:
		return unshare(CLONE_NEWNET) == 0 && give_route();
	case TWIN_PID:
	case TWIN_INIT:
		return have_private_mounts() && unshare(CLONE_NEWPID) == 0;
	case TWIN_QUIET:
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		return dup2(null, STDERR_FILENO) >= 0;
	case TWIN_PLAIN:
	case TWIN_DEPENDS:
		break;
	}
	return true;
}

static void try_it(const struct twin *t)
{
	struct attack_result result;

	attack_try(t->attack, &t->bait, &result);
	memcpy(t->shared, &result, sizeof(result));
}

static void leave(int number)
{
	(void)number;
	_exit(0);
}

/* pid 1 of a new pid namespace; the attacker is its child. */
static void be_init(const struct twin *t)
{
	struct sigaction fragile = {.sa_handler = leave};
	pid_t worker;

	if (mount("proc", "/proc", "proc", 0, NULL) < 0)
		_exit(1);
	if (t->kind == TWIN_INIT)
		(void)sigaction(SIGTERM, &fragile, NULL);
	worker = fork();
	if (worker == 0) {
		try_it(t);
		_exit(0);
	}
	while (waitpid(worker, NULL, 0) < 0 && errno == EINTR)
		;
	_exit(0);
}

static void run_twin(const struct twin *t)
{
	pid_t first;

	if (!prepare(t->kind)) {
		t->shared->state = ATTACK_SKIPPED;
		(void)snprintf(t->shared->detail, sizeof(t->shared->detail),
			       "could not be prepared: %s", strerror(errno));
		_exit(1);
	}
	if (t->kind != TWIN_PID && t->kind != TWIN_INIT) {
		try_it(t);
		_exit(0);
	}
	first = fork();
	if (first == 0)
		be_init(t);
	(void)waitpid(first, NULL, 0);
	_exit(0);
}

static struct attack_result result_of(struct twin *t)
{
	struct attack_result result = {ATTACK_HELD, "nobody judged it"};
	pid_t child;

	t->shared = mmap(NULL, sizeof(result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	if (t->shared == MAP_FAILED)
		return result;
	*t->shared = result;
	/* With pid 1 the attacker goes, too: silence is how that is seen outside. */
	if (t->kind == TWIN_INIT)
		*t->shared = (struct attack_result){ATTACK_FELL, "did not report"};
	child = fork();
	if (child == 0)
		run_twin(t);
	(void)waitpid(child, NULL, 0);
	result = *t->shared;
	(void)munmap(t->shared, sizeof(result));
	return result;
}

static void check_twin(struct twin *t)
{
	const char *why = NULL;
	struct attack_result result;

	t->kind = kind_of(t->attack->name, &why);
	result = result_of(t);
	if (why && result.state != ATTACK_FELL) {
		printf("# %s: no twin here, it takes %s (%s)\n", t->attack->name, why,
		       result.detail);
		return;
	}
	if (result.state != ATTACK_FELL)
		printf("# %s is %s without a box: %s\n", t->attack->name,
		       attack_state_name(result.state), result.detail);
	CHECK(result.state == ATTACK_FELL);
}

static void in_scratch(void)
{
	static char dir[] = "/tmp/belljar-attack-XXXXXX";

	CHECK(mkdtemp(dir) != NULL && chdir(dir) == 0);
	CHECK(chmod(dir, 0755) == 0);
}

static void leave_scratch(void)
{
	char dir[256];

	/* rmdir fails if an attack left something behind. */
	CHECK(getcwd(dir, sizeof(dir)) != NULL && chdir("/") == 0 && rmdir(dir) == 0);
}

static void check_walls(const char *const *walls)
{
	struct twin t = {0};
	struct error err;

	if (!has_all_powers())
		SKIP("only root with all powers can get through");
	in_scratch();
	CHECK(bait_set(&t.bait, &small, &err) == 0);
	for (size_t i = 0; i < attack_count; i++) {
		for (const char *const *wall = walls; *wall; wall++) {
			if (strcmp(attacks[i].wall, *wall) != 0)
				continue;
			t.attack = &attacks[i];
			check_twin(&t);
		}
	}
	bait_clear(&t.bait);
	leave_scratch();
}

TEST(files_devices_and_mounts_are_reached_without_a_box)
{
	static const char *const walls[] = {"files", "devices", "mounts", NULL};

	check_walls(walls);
}

TEST(namespaces_and_processes_are_reached_without_a_box)
{
	static const char *const walls[] = {"namespaces", "pid 1", "processes", NULL};

	check_walls(walls);
}

TEST(privileges_are_had_without_a_box)
{
	static const char *const walls[] = {"privileges", NULL};

	check_walls(walls);
}

TEST(the_network_is_reached_without_a_box)
{
	static const char *const walls[] = {"network", NULL};

	check_walls(walls);
}

TEST(the_kernel_is_reached_without_a_box)
{
	static const char *const walls[] = {"kernel", NULL};

	check_walls(walls);
}

TEST(things_leak_without_a_box)
{
	static const char *const walls[] = {"leaks", NULL};

	check_walls(walls);
}

TEST(limits_are_passed_without_a_box)
{
	static const char *const walls[] = {"limits", NULL};

	check_walls(walls);
}

TEST(names_are_unique_and_every_twin_has_its_attack)
{
	for (size_t i = 0; i < attack_count; i++) {
		CHECK(attack_find(attacks[i].name) == &attacks[i]);
		CHECK(!strchr(attacks[i].name, ' '));
	}
#ifdef __x86_64__
	for (size_t i = 0; i < ARRAY_LEN(twins); i++)
		CHECK(attack_find(twins[i].name) != NULL);
#endif
	CHECK(attack_count >= 35);
}

TEST(bait_travels_through_the_environment)
{
	struct bait there = {.port = 4711, .pid = 99999, .disk_bytes = 1 << 20}, back;
	struct bait_env env = {0};
	struct error err;

	(void)snprintf(there.file, sizeof(there.file), "/tmp/x");
	CHECK(bait_from_env(&back, &err) < 0);
	bait_to_env(&there, &env);
	for (char **variable = env.list; *variable; variable++)
		CHECK(putenv(*variable) == 0);
	CHECK(bait_from_env(&back, &err) == 0);
	CHECK(back.port == 4711 && back.pid == 99999 && back.disk_bytes == 1 << 20);
	CHECK_STR(back.file, "/tmp/x");
}

static bool parses(const char *text, struct attack_result *results)
{
	struct error err;

	return attack_parse(text, strlen(text), results, &err) == 0;
}

TEST(reports_are_read)
{
	static struct attack_result results[ATTACK_MAX];

	CHECK(parses("", results));
	CHECK(parses("read-shadow held ENOENT\nwrite-usr FELL it worked\ni386 skip no\n", results));
	CHECK(results[attack_find("read-shadow") - attacks].state == ATTACK_HELD);
	CHECK_STR(results[attack_find("read-shadow") - attacks].detail, "ENOENT");
	CHECK(results[attack_find("write-usr") - attacks].state == ATTACK_FELL);
	CHECK(results[attack_find("i386") - attacks].state == ATTACK_SKIPPED);
}

TEST(anything_that_is_no_report_is_refused)
{
	static struct attack_result results[ATTACK_MAX];
	static const char *const bad[] = {
		"read-shadow held ENOENT",                           /* cut */
		"read-shadow held\n",                                /* no detail */
		"read-shadow HELD ENOENT\n",                         /* no such state */
		"no-such-attack held ENOENT\n",                      /* no such attack */
		" held x\n",                                         /* no name */
		"read-shadow held a\nread-shadow held b\n",          /* twice */
		"read-shadow held \033[31m\n",                       /* not plain */
		"read-shadow held ENOENT\nhello\n",                  /* not a report */
		"read-shadow held \xff\n",                           /* not ASCII */
		"read-shadow held ENOENT\n\nread-root-home held x\n" /* empty line */
	};
	char longest[400];

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		CHECK(!parses(bad[i], results));
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "read-shadow held ", 17);
	longest[sizeof(longest) - 2] = '\n';
	longest[sizeof(longest) - 1] = '\0';
	CHECK(!parses(longest, results));
}

TEST(a_box_of_its_own_holds_only_if_killed_for_the_right_reason)
{
	const struct attack *eat = attack_find("eat-memory");
	struct account a = {.outcome = {.killed_for = KILL_MEMORY}};
	struct attack_result r = {0};

	attack_judge_alone(eat, &a, &r);
	CHECK(r.state == ATTACK_HELD);
	a.outcome.killed_for = KILL_WALL;
	r = (struct attack_result){0};
	attack_judge_alone(eat, &a, &r);
	CHECK(r.state == ATTACK_FELL);
	a.outcome.killed_for = KILL_NONE;
	r = (struct attack_result){0};
	attack_judge_alone(eat, &a, &r);
	CHECK(r.state == ATTACK_FELL);
	r = (struct attack_result){ATTACK_HELD, "no memory after 3 MiB"};
	attack_judge_alone(eat, &a, &r);
	CHECK(r.state == ATTACK_HELD);
}
