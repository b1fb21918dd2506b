/* SPDX-License-Identifier: Apache-2.0 */
/* probe_test.c - the checks say what is there, notice what is missing, and leave nothing behind. */
#include "sandbox/native/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/probe_parts.h"
#include "tap.h"

static const struct check *by_id(const char *id)
{
	for (size_t i = 0; i < check_count; i++)
		if (strcmp(checks[i].id, id) == 0)
			return &checks[i];
	printf("# there is no check %s\n", id);
	_exit(1);
}

static struct finding look(const char *id)
{
	struct finding f;

	check_run(by_id(id), &f);
	return f;
}

TEST(every_check_has_an_answer_and_what_is_missing_a_fix)
{
	for (size_t i = 0; i < check_count; i++) {
		struct finding f;

		check_run(&checks[i], &f);
		CHECK(f.detail[0] != '\0');
		CHECK(f.state != CHECK_MISSING || f.fix[0] != '\0');
		CHECK(checks[i].need != NEED_LAYER || checks[i].layers != NULL);
		CHECK(by_id(checks[i].id) == &checks[i]);
	}
}

static size_t file_size(const char *path)
{
	static char text[1 << 20];
	struct error err;

	CHECK(fd_get_file(AT_FDCWD, path, text, sizeof(text), &err) == 0);
	return strlen(text);
}

TEST(nothing_is_left_behind)
{
	size_t mounts = file_size("/proc/self/mountinfo");
	int before = open("/dev/null", O_RDONLY | O_CLOEXEC), after;

	CHECK(close(before) == 0);
	for (size_t i = 0; i < check_count; i++) {
		struct finding f;

		check_run(&checks[i], &f);
	}
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	CHECK(file_size("/proc/self/mountinfo") == mounts);
	after = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK(after == before); /* the lowest free descriptor is the same */
}

static void hang(long arg, struct tried *ret)
{
	(void)arg, (void)ret;
	for (;;)
		(void)pause();
}

TEST(a_step_that_hangs_is_killed_after_two_seconds)
{
	uint64_t start = clock_us();
	struct tried t;

	probe_try(0, hang, 0, &t);
	CHECK(!t.done && t.sys == ETIMEDOUT);
	CHECK(clock_us() - start < 10000000);
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

static void die(long arg, struct tried *ret)
{
	(void)arg, (void)ret;
	(void)raise(SIGKILL);
}

TEST(a_step_that_dies_has_not_worked)
{
	struct tried t;

	probe_try(0, die, 0, &t);
	CHECK(!t.done && t.sys != 0);
}

/* From here on: a host that lacks something, made from this one. */

static void be_root_somewhere(int flags)
{
	char map[48];
	struct error err;
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (unshare(CLONE_NEWUSER | flags) < 0)
		SKIP("no user namespaces here");
	(void)fd_put_file(AT_FDCWD, "/proc/self/setgroups", "deny", &err);
	(void)snprintf(map, sizeof(map), "0 %u 1", gid);
	CHECK(fd_put_file(AT_FDCWD, "/proc/self/gid_map", map, &err) == 0);
	(void)snprintf(map, sizeof(map), "0 %u 1", uid);
	CHECK(fd_put_file(AT_FDCWD, "/proc/self/uid_map", map, &err) == 0);
}

TEST(a_forbidden_kind_of_namespace_is_missing)
{
	struct error err;
	struct finding f;

	CHECK(look("network").state == CHECK_OK);
	be_root_somewhere(0);
	CHECK(fd_put_file(AT_FDCWD, "/proc/sys/user/max_net_namespaces", "0", &err) == 0);
	f = look("network");
	CHECK(f.state == CHECK_MISSING);
	CHECK_STR(f.fix, "sysctl -w user.max_net_namespaces=15000");
	f = look("namespace_limits");
	CHECK(f.state == CHECK_DEGRADED && strstr(f.detail, "max_net_namespaces=0"));
}

TEST(forbidden_user_namespaces_are_missing)
{
	struct error err;
	struct finding f;

	be_root_somewhere(0);
	CHECK(fd_put_file(AT_FDCWD, "/proc/sys/user/max_user_namespaces", "0", &err) == 0);
	f = look("user_namespace");
	CHECK(f.state == CHECK_MISSING);
	CHECK_STR(f.fix, "sysctl -w user.max_user_namespaces=15000");
}

TEST(a_masked_proc_is_missing)
{
	struct finding f;

	if (look("proc").state != CHECK_OK)
		SKIP("/proc is masked here already");
	be_root_somewhere(CLONE_NEWNS);
	CHECK(mount("none", "/proc/sys", "tmpfs", 0, NULL) == 0);
	f = look("proc");
	CHECK(f.state == CHECK_MISSING);
	CHECK(strstr(f.fix, "systempaths=unconfined") != NULL);
}

static void refuse(long number, int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {ARRAY_LEN(code), code};

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

TEST(calls_that_the_kernel_does_not_know_are_missing)
{
	static const struct {
		const char *id;
		long number;
	} rows[] = {
		{"clone3", SYS_clone3},
		{"pidfd_setns", SYS_setns},
		{"pidfd", SYS_pidfd_open},
		{"close_range", SYS_close_range},
		{"openat2", SYS_openat2},
		{"fsopen", SYS_fsopen},
		{"mount_setattr", SYS_mount_setattr}, /* before what it needs */
		{"open_tree", SYS_open_tree},
		{"memfd", SYS_memfd_create},
		{"seccomp", SYS_seccomp},
		{"landlock", 444},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct finding f;

		/* Otherwise its absence would prove nothing. */
		if (look(rows[i].id).state == CHECK_MISSING)
			continue;
		refuse(rows[i].number, ENOSYS);
		f = look(rows[i].id);
		if (f.state != CHECK_MISSING)
			printf("# %s is still %s: %s\n", rows[i].id, check_state_name(f.state),
			       f.detail);
		CHECK(f.state == CHECK_MISSING && f.fix[0]);
	}
}

TEST(mounts_that_fail_are_missing)
{
	struct finding f;

	refuse(SYS_mount, ENODEV);
	CHECK(look("overlay").state == CHECK_MISSING);
	CHECK(look("tmpfs").state == CHECK_MISSING);
	f = look("proc");
	CHECK(f.state == CHECK_MISSING && f.fix[0]);
}

TEST(landlock_that_was_not_started_wants_a_boot_parameter)
{
	struct finding f;

	refuse(444, EOPNOTSUPP);
	f = look("landlock");
	CHECK(f.state == CHECK_MISSING);
	CHECK(strstr(f.fix, "lsm=landlock") != NULL);
}

static struct finding all[128];

static void all_are(enum check_state state)
{
	CHECK(check_count <= ARRAY_LEN(all));
	for (size_t i = 0; i < check_count; i++)
		all[i] = (struct finding){.state = state};
}

TEST(the_verdict_says_what_is_missing)
{
	struct verdict_line v;

	all_are(CHECK_OK);
	probe_judge(all, true, &v);
	CHECK(v.all_layers);
	CHECK_STR(v.text, "boxes run here in root mode with all layers");
	all_are(CHECK_DEGRADED);
	probe_judge(all, true, &v);
	CHECK(v.all_layers);
	all[by_id("memory") - checks].state = CHECK_MISSING;
	all[by_id("cpu") - checks].state = CHECK_MISSING;
	probe_judge(all, false, &v);
	CHECK(!v.all_layers);
	CHECK_STR(v.text, "boxes run here in user mode only with --allow-degraded memory,cpu");
	all[by_id("seccomp") - checks].state = CHECK_MISSING;
	probe_judge(all, false, &v);
	CHECK(!v.all_layers);
	CHECK_STR(v.text, "boxes cannot run here in user mode; missing: seccomp,memory,cpu");
	all_are(CHECK_MISSING);
	probe_judge(all, true, &v);
	CHECK(!v.all_layers && strlen(v.text) < sizeof(v.text));
}

TEST(a_forgotten_finding_counts_as_missing)
{
	static struct finding nothing[128];
	struct verdict_line v;

	probe_judge(nothing, true, &v);
	CHECK(!v.all_layers);
}
