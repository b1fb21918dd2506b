/* SPDX-License-Identifier: Apache-2.0 */
/* Real groups of version 1 whose box is gone: when they are as good as new ones, and when not. */
#include <sched.h>

#include "cgroup_boxes.h"

static int left = -1; /* memory that outlives whoever writes to it */

static void touch_8_mib_and_spin(void)
{
	char *at = mmap(NULL, 8 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t end_us = clock_us() + 30000;

	for (size_t i = 0; at != MAP_FAILED && i < 8 * MIB; i += 4096)
		((volatile char *)at)[i] = 1;
	while (clock_us() < end_us)
		;
}

static void fork_one(void)
{
	(void)end_of(fork());
}

/* More than any kernel keeps in stock for a group that is empty. */
static size_t too_much(void)
{
	cpu_set_t cpus;
	size_t n = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (size_t)CPU_COUNT(&cpus) : 1;
	size_t stock = (n * 64 + 16) * 4096;

	return (stock < MIB ? stock : MIB) + 4096;
}

static void leave_memory(void)
{
	if (posix_fallocate(left, 0, (off_t)too_much()) != 0)
		_exit(98);
}

static void need_version_1(void)
{
	need_host();
	for (size_t c = 0; c < CONTROLLER_COUNT; c++)
		if (host.places[c].version != 1)
			SKIP("not every controller is in version 1 here");
	need(CONTROLLER_MEMORY);
}

/* The kernel may take a moment to see a process off. */
static bool can_renew(struct cgroup *group, const struct limits *limits)
{
	uint64_t end_us = clock_us() + 20000000;
	struct error err = {0};

	while (cgroup_renew(group, limits, &err) < 0) {
		if (clock_us() > end_us) {
			printf("# %s\n", err.text);
			return false;
		}
		(void)usleep(1000);
	}
	return true;
}

TEST(quiet_groups_become_new_ones)
{
	uint64_t before = 0, after = 0, peak = 0, peak_after = 0, kills = 0;
	struct usage usage = {0};
	struct limits limits = standard;
	struct cgroup group;

	need_version_1();
	limits.cpu_percent = 400; /* not throttled, however busy this machine is */
	open_box(&group, &limits);
	cgroup_keep_counters(&group);
	for (size_t round = 0; round < 3; round++) {
		CHECK(end_of(enter(&group, touch_8_mib_and_spin)) == 0);
		CHECK(cgroup_cpu_us(&group, &before) == 0 && before > 1000);
		CHECK(cgroup_memory_peak(&group, &peak) == 0 && peak >= 8 * MIB);
		CHECK(can_renew(&group, &limits));
		cgroup_keep_counters(&group);
		CHECK(cgroup_cpu_us(&group, &after) == 0 && after < 1000);
		CHECK(cgroup_memory_peak(&group, &peak_after) == 0 && peak_after < 2 * MIB);
		CHECK(cgroup_account(&group, &usage, &kills) == 0);
		CHECK(usage.cpu_user_us + usage.cpu_system_us < 1000 && kills == 0);
		CHECK(usage.forks_refused == 0 && usage.memory_limit_hits == 0);
	}
	CHECK(file_says(CONTROLLER_MEMORY, &group, "memory.limit_in_bytes", "37748736"));
	CHECK(file_says(CONTROLLER_PIDS, &group, "pids.max", "8"));
	CHECK(close_all(&group));
	CHECK(groups_of(getpid()) == 0);
}

TEST(a_share_that_is_refused_is_no_share_also_when_it_is_changed)
{
	struct limits ample = standard;
	struct cgroup group;
	struct error err = {0};

	need_version_1();
	ample.cpu_percent = 20000000000; /* more than the kernel can count */
	open_box(&group, &standard);
	CHECK(file_says(CONTROLLER_CPU, &group, "cpu.cfs_quota_us", "100000"));
	CHECK(cgroup_limit_anew(&group, &ample, &err) == 0);
	CHECK(file_says(CONTROLLER_CPU, &group, "cpu.cfs_quota_us", "-1"));
	CHECK(close_all(&group));
	need(CONTROLLER_CPU);
	open_box(&group, &ample);
	CHECK(file_says(CONTROLLER_CPU, &group, "cpu.cfs_quota_us", "-1"));
	CHECK(close_all(&group));
}

static bool stays_used(void (*body)(void), const struct limits *limits)
{
	struct cgroup group;
	struct error err;
	bool refused;

	need_version_1();
	open_box(&group, limits);
	cgroup_keep_counters(&group);
	(void)end_of(enter(&group, body));
	(void)usleep(100000); /* who is gone is gone by then, mostly; else it is refused for that */
	refused = cgroup_renew(&group, limits, &err) < 0;
	return close_all(&group) && refused;
}

TEST(groups_that_tell_of_their_last_box_are_not_used_again)
{
	struct limits few = standard, slow = standard;
	struct usage usage = {0};
	struct cgroup group;
	uint64_t kills;
	bool has_peak_of_processes;

	need_version_1();
	open_box(&group, &standard);
	has_peak_of_processes =
		cgroup_account(&group, &usage, &kills) == 0 && usage.processes_peak == 0 &&
		end_of(enter(&group, do_nothing)) == 0 &&
		cgroup_account(&group, &usage, &kills) == 0 && usage.processes_peak == 1;
	CHECK(close_all(&group));
	few.processes = 2;
	slow.cpu_percent = 10;
	CHECK(stays_used(touch_64_mib, &standard));
	CHECK(stays_used(fork_three, &few));
	CHECK(stays_used(spin_300_ms, &slow));
	if (has_peak_of_processes)
		CHECK(stays_used(fork_one, &standard));
}

TEST(groups_with_somebody_inside_are_not_used_again)
{
	struct cgroup group;
	struct error err;
	pid_t child;
	char byte;

	need_version_1();
	open_box(&group, &standard);
	cgroup_keep_counters(&group);
	CHECK(pipe2(inside, O_CLOEXEC) == 0);
	child = enter(&group, wait_for_death);
	CHECK(child > 0 && read(inside[0], &byte, 1) == 1);
	CHECK(cgroup_renew(&group, &standard, &err) < 0);
	(void)kill(child, SIGKILL);
	(void)end_of(child);
	CHECK(can_renew(&group, &standard)); /* its twin: nobody is there any more */
	CHECK(close_all(&group));
}

TEST(memory_that_the_last_box_left_is_not_the_next_ones)
{
	struct cgroup group;
	struct error err;

	need_version_1();
	open_box(&group, &standard);
	cgroup_keep_counters(&group);
	left = memfd_create("left", MFD_CLOEXEC);
	CHECK(left >= 0 && end_of(enter(&group, leave_memory)) == 0);
	for (int i = 0; i < 20; i++) {
		CHECK(cgroup_renew(&group, &standard, &err) < 0);
		(void)usleep(5000);
	}
	CHECK(ftruncate(left, 0) == 0 && can_renew(&group, &standard));
	(void)close(left);
	CHECK(close_all(&group));
}

TEST(groups_are_not_used_again_for_ever)
{
	struct cgroup group;
	struct error err;
	size_t n = 0;

	need_version_1();
	open_box(&group, &standard);
	cgroup_keep_counters(&group);
	while (n < 1000 && cgroup_renew(&group, &standard, &err) == 0)
		n++;
	CHECK(n > 10 && n < 1000);
	CHECK(close_all(&group));
}
