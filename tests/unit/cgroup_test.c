/* SPDX-License-Identifier: Apache-2.0 */
/* Real groups, of whichever version this host has.  BELLJAR_TEST_CGROUP names a directory for
 * them; without, they are made beneath the group that the test runs in. */
#include "sandbox/native/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "cgroup_boxes.h"
#include "tap.h"

TEST(memory_is_limited_without_swap)
{
	struct cgroup group;

	need(CONTROLLER_MEMORY);
	open_box(&group, &standard);
	if (host.places[CONTROLLER_MEMORY].version == 1) {
		CHECK(file_says(CONTROLLER_MEMORY, &group, "memory.limit_in_bytes", "37748736"));
		CHECK(file_says(CONTROLLER_MEMORY, &group, "memory.memsw.limit_in_bytes",
				"37748736") ||
		      file_says(CONTROLLER_MEMORY, &group, "memory.swappiness", "0"));
	} else {
		CHECK(file_says(CONTROLLER_MEMORY, &group, "memory.max", "37748736"));
		CHECK(file_says(CONTROLLER_MEMORY, &group, "memory.swap.max", "0"));
		CHECK(file_says(CONTROLLER_MEMORY, &group, "memory.oom.group", "1"));
	}
	CHECK(close_all(&group));
}

TEST(processes_are_limited)
{
	struct cgroup group;

	need(CONTROLLER_PIDS);
	open_box(&group, &standard);
	CHECK(file_says(CONTROLLER_PIDS, &group, "pids.max", "8"));
	CHECK(close_all(&group));
}

TEST(the_processor_share_is_limited)
{
	struct limits limits = standard;
	struct cgroup group;

	need(CONTROLLER_CPU);
	limits.cpu_percent = 1;
	open_box(&group, &limits);
	if (host.places[CONTROLLER_CPU].version == 1) {
		CHECK(file_says(CONTROLLER_CPU, &group, "cpu.cfs_quota_us", "1000"));
		CHECK(file_says(CONTROLLER_CPU, &group, "cpu.cfs_period_us", "100000"));
	} else {
		CHECK(file_says(CONTROLLER_CPU, &group, "cpu.max", "1000 100000"));
	}
	CHECK(close_all(&group));
}

/* Linux 5.19 and later. */
static bool has_peak(const struct cgroup *group)
{
	return faccessat(group->v2, "memory.peak", F_OK, 0) == 0;
}

TEST(too_much_memory_ends_in_a_counted_kill)
{
	struct usage usage = {0};
	struct cgroup group;
	uint64_t kills = 0, now = 0, peak = 0;
	int status;

	need(CONTROLLER_MEMORY);
	open_box(&group, &standard);
	status = end_of(enter(&group, touch_64_mib));
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	CHECK(cgroup_oom_kills(&group, &now) == 0 && now >= 1);
	CHECK(cgroup_account(&group, &usage, &kills) == 0);
	CHECK(kills >= 1 && usage.memory_limit_hits >= 1);
	if (host.places[CONTROLLER_MEMORY].version == 1 || has_peak(&group)) {
		CHECK(cgroup_memory_peak(&group, &peak) == 0);
		CHECK(peak > 32 * MIB && peak <= 36 * MIB);
	}
	CHECK(close_all(&group));
}

TEST(one_process_too_many_is_refused_and_counted)
{
	struct limits limits = standard;
	struct usage usage = {0};
	struct cgroup group;
	uint64_t refused = 0, kills;
	int status;

	need(CONTROLLER_PIDS);
	limits.processes = 2;
	open_box(&group, &limits);
	status = end_of(enter(&group, fork_three));
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 2);
	CHECK(cgroup_forks_refused(&group, &refused) == 0 && refused == 2);
	CHECK(cgroup_account(&group, &usage, &kills) == 0);
	CHECK(usage.forks_refused == 2);
	CHECK(usage.processes_peak == 2);
	CHECK(cgroup_processes(&group, &kills) == 0 && kills == 0);
	CHECK(close_all(&group));
}

TEST(processor_time_is_counted_and_throttled)
{
	struct limits limits = standard;
	struct usage usage = {0};
	struct cgroup group;
	uint64_t us = 0, kills;

	need(CONTROLLER_CPUACCT);
	limits.cpu_percent = 10;
	open_box(&group, &limits);
	CHECK(end_of(enter(&group, spin_300_ms)) == 0);
	CHECK(cgroup_cpu_us(&group, &us) == 0 && us > 1000);
	CHECK(cgroup_account(&group, &usage, &kills) == 0);
	CHECK(usage.cpu_user_us + usage.cpu_system_us >= us / 2);
	if (host.places[CONTROLLER_CPU].version) {
		CHECK(usage.cpu_throttled_us > 0);
		CHECK(us < 250000);
	}
	CHECK(close_all(&group));
}

/* Leaves its groups behind, at first with a process inside; 0: all went as it should. */
static int be_a_bad_maker(void)
{
	struct cgroup group;
	struct error err;
	pid_t child;
	char byte;

	need(CONTROLLER_PIDS);
	open_box(&group, &standard);
	if (pipe2(inside, O_CLOEXEC) < 0)
		return 4;
	child = enter(&group, wait_for_death);
	if (child < 0 || read(inside[0], &byte, 1) != 1 || cgroup_close(&group, &err) == 0)
		return 1;
	if (err.sys != EBUSY || !strstr(err.text, "belljar-"))
		return 2;
	(void)kill(child, SIGKILL);
	(void)end_of(child);
	return cgroup_sweep(&host) < 0 || groups_of(getpid()) == 0 ? 3 : 0;
}

TEST(what_a_dead_maker_left_behind_is_swept_and_not_before)
{
	pid_t maker;
	int status;

	need_host();
	if (host.places[CONTROLLER_PIDS].version == 0)
		SKIP(host.places[CONTROLLER_PIDS].why_not);
	fflush(stdout);
	maker = fork();
	if (maker == 0)
		_exit(be_a_bad_maker());
	status = end_of(maker);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(groups_of(maker) > 0);
	CHECK(cgroup_sweep(&host) > 0);
	CHECK(groups_of(maker) == 0);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

TEST(many_boxes_one_after_the_other_leave_nothing)
{
	enum { ROUNDS = 100 };
	static uint64_t opened[ROUNDS], read[ROUNDS], closed[ROUNDS];
	struct usage usage = {0};
	struct cgroup group;
	struct error err;
	uint64_t kills;

	need(CONTROLLER_PIDS);
	for (size_t i = 0; i < ROUNDS; i++) {
		uint64_t start = clock_us();

		open_box(&group, &standard);
		opened[i] = clock_us() - start;
		CHECK(end_of(enter(&group, do_nothing)) == 0);
		start = clock_us();
		CHECK(cgroup_account(&group, &usage, &kills) == 0);
		read[i] = clock_us() - start;
		start = clock_us();
		CHECK(cgroup_close(&group, &err) == 0);
		closed[i] = clock_us() - start;
	}
	CHECK(cgroup_slot_close(&slot, &err) == 0);
	CHECK(groups_of(getpid()) == 0);
	qsort(opened, ROUNDS, sizeof(opened[0]), compare);
	qsort(read, ROUNDS, sizeof(read[0]), compare);
	qsort(closed, ROUNDS, sizeof(closed[0]), compare);
	printf("# median us: open %" PRIu64 ", account %" PRIu64 ", close %" PRIu64 "\n",
	       opened[ROUNDS / 2], read[ROUNDS / 2], closed[ROUNDS / 2]);
}

/* As the slot's own uid, without any right but those of the slot. */
static int be_a_launcher(const struct cgroup *group)
{
	if (setresgid(54321, 54321, 54321) < 0 || setresuid(54321, 54321, 54321) < 0)
		return 1;
	return end_of(enter(group, do_nothing)) == 0 ? 0 : 2;
}

TEST(a_launcher_without_privileges_can_fill_the_box)
{
	struct cgroup group;
	struct error err;
	pid_t launcher;
	int status;

	if (geteuid() != 0)
		SKIP("needs root to become somebody else");
	need_host();
	CHECK(cgroup_slot_open(&host, "test", 54321, &slot, &err) == 0);
	open_box(&group, &standard);
	launcher = fork_into(cgroup_slot_launcher_fd(&slot));
	if (launcher == 0)
		_exit(be_a_launcher(&group));
	status = end_of(launcher);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(close_all(&group));
}

static int be_alone_in(const char *dir)
{
	char path[CGROUP_PATH_MAX + 32], own[512];
	struct error err;

	(void)snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	if (fd_put_file(AT_FDCWD, path, "0", &err) < 0)
		return 1;
	if (cgroup_find(&host, NULL, "/proc/self/mountinfo", "/proc/self/cgroup", &err) < 0)
		return 2;
	if (!host.v2_needs_move || strcmp(host.places[CONTROLLER_PIDS].dir, dir) != 0)
		return 3;
	if (cgroup_prepare(&host, &err) < 0 || host.places[CONTROLLER_PIDS].version != 2)
		return 4;
	if (fd_get_file(AT_FDCWD, "/proc/self/cgroup", own, sizeof(own), &err) < 0 ||
	    !strstr(own, "/supervisor\n"))
		return 5;
	/* Again, as a child of ours would see it. */
	if (cgroup_find(&host, NULL, "/proc/self/mountinfo", "/proc/self/cgroup", &err) < 0 ||
	    host.v2_needs_move || strcmp(host.places[CONTROLLER_PIDS].dir, dir) != 0)
		return 6;
	return cgroup_slot_open(&host, "test", geteuid(), &slot, &err) < 0 ||
	       cgroup_slot_close(&slot, &err) < 0;
}

TEST(alone_in_a_group_of_version_2_we_step_aside)
{
	char dir[CGROUP_PATH_MAX + 16], leaf[CGROUP_PATH_MAX + 32];
	pid_t child;
	int status;

	need_host();
	if (host.places[CONTROLLER_PIDS].version != 2)
		SKIP("no version 2 with pids here");
	(void)snprintf(dir, sizeof(dir), "%s/alone", host.places[CONTROLLER_PIDS].dir);
	CHECK(mkdir(dir, 0755) == 0);
	fflush(stdout);
	child = fork();
	if (child == 0)
		_exit(be_alone_in(dir));
	status = end_of(child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	if (status)
		printf("# step %d\n", WEXITSTATUS(status));
	(void)snprintf(leaf, sizeof(leaf), "%s/supervisor", dir);
	CHECK(rmdir(leaf) == 0 && rmdir(dir) == 0);
}

TEST(the_quick_way_finds_what_the_long_way_finds)
{
	struct cgroup_host quick, found;
	struct error err = {0};

	if (!cgroup_find_quick(&quick))
		SKIP("this is not the usual version 1 host");
	CHECK(cgroup_find(&found, NULL, "/proc/self/mountinfo", "/proc/self/cgroup", &err) == 0);
	for (int c = 0; c < CONTROLLER_COUNT; c++) {
		CHECK(quick.places[c].version == found.places[c].version);
		CHECK_STR(quick.places[c].dir, found.places[c].dir);
	}
}
