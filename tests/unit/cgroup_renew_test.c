/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_renew_test.c - groups are used again if nothing of the last box is left in them, and not
 * else.
 *
 * Real groups of version 1; in version 2 none is ever used again.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/own.h"
#include "sandbox/native/cgroup.h"
#include "tap.h"

#define MIB (1ULL << 20)

enum { PATIENCE_US = 60000000 };

static const struct limits standard = {
	.memory_bytes = 32 * MIB,
	.disk_bytes = 4 * MIB,
	.processes = 8,
	.cpu_percent = 100,
};

static struct cgroup_slot slot;
static struct cgroup group;
static int memory = -1; /* outlives whoever writes to it */

static void need_groups(void)
{
	struct cgroup_host host;
	struct error err;

	if (cgroup_find(&host, secure_getenv("BELLJAR_TEST_CGROUP"), "/proc/self/mountinfo",
			"/proc/self/cgroup", &err) < 0 ||
	    cgroup_prepare(&host, &err) < 0) {
		printf("# %s\n", err.text);
		abort();
	}
	for (size_t i = 0; i < CONTROLLER_COUNT; i++)
		if (host.places[i].version != 1)
			SKIP("not all groups are of version 1");
	if (cgroup_slot_open(&host, "renew", geteuid(), &slot, &err) < 0 ||
	    cgroup_open(&slot, "box", &standard, &group, &err) < 0) {
		printf("# %s\n", err.text);
		abort();
	}
	cgroup_keep_counters(&group);
}

static bool close_all(void)
{
	struct error err;

	return cgroup_close(&group, &err) == 0 && cgroup_slot_close(&slot, &err) == 0;
}

static pid_t enter(void (*body)(void))
{
	struct cgroup_doors doors;
	pid_t child = fork();

	if (child != 0)
		return child;
	cgroup_doors(&group, &doors);
	for (size_t i = 0; i < doors.n_v1; i++)
		if (write(doors.v1[i], "0", 1) != 1)
			_exit(99);
	body();
	_exit(0);
}

static bool runs_well(void (*body)(void))
{
	pid_t child = enter(body);
	int status = -1;

	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool is_renewed(void)
{
	struct error err;

	return cgroup_renew(&group, &standard, &err) == 0;
}

/* What the dead leave behind in the kernel goes a little later. */
static bool will_be_renewed(void)
{
	uint64_t until = clock_us() + PATIENCE_US;

	while (!is_renewed()) {
		if (clock_us() > until)
			return false;
		(void)usleep(1000);
	}
	return true;
}

/* More than any kernel keeps in stock for a group that is empty. */
static size_t too_much(void)
{
	cpu_set_t cpus;
	size_t n = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (size_t)CPU_COUNT(&cpus) : 1;
	size_t stock = (n * 64 + 16) * 4096;

	return (stock < MIB ? stock : MIB) + 4096;
}

static void use_a_little(void)
{
	struct timespec used = {0};

	while (used.tv_sec == 0 && used.tv_nsec < 20000000)
		(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
}

static void leave_memory(void)
{
	if (posix_fallocate(memory, 0, (off_t)too_much()) != 0)
		_exit(98);
}

static void bear_another(void)
{
	if (waitpid(fork(), NULL, 0) == 0)
		_exit(0);
}

static void stay(void)
{
	(void)pause();
}

TEST(what_counts_upwards_begins_at_zero_again)
{
	struct usage usage = {0};
	uint64_t before = 0, after = 1, peak = 0, kills = 0;

	need_groups();
	CHECK(runs_well(use_a_little));
	CHECK(cgroup_cpu_us(&group, &before) == 0 && before >= 10000);
	CHECK(will_be_renewed() && group.renewed == 1);
	CHECK(cgroup_cpu_us(&group, &after) == 0 && after < before);
	CHECK(cgroup_memory_peak(&group, &peak) == 0 && peak < too_much());
	CHECK(cgroup_account(&group, &usage, &kills) == 0 && kills == 0);
	CHECK(usage.cpu_user_us + usage.cpu_system_us < before && usage.processes_peak <= 1);
	CHECK(close_all());
}

TEST(memory_that_the_last_box_left_is_not_the_next_ones)
{
	need_groups();
	memory = memfd_create("left", MFD_CLOEXEC);
	CHECK(memory >= 0 && runs_well(leave_memory));
	for (int i = 0; i < 20; i++) {
		CHECK(!is_renewed());
		(void)usleep(5000);
	}
	CHECK(ftruncate(memory, 0) == 0 && will_be_renewed());
	own_fd_end(&memory);
	CHECK(close_all());
}

TEST(groups_with_somebody_inside_are_not_used_again)
{
	pid_t child;
	uint64_t alive = 0, until = clock_us() + PATIENCE_US;

	need_groups();
	child = enter(stay);
	while (alive == 0 && clock_us() < until)
		(void)cgroup_processes(&group, &alive);
	CHECK(child > 0 && alive == 1 && !is_renewed());
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	CHECK(will_be_renewed());
	CHECK(close_all());
}

TEST(groups_that_had_two_processes_are_not_used_again)
{
	struct usage usage = {0};
	uint64_t kills;

	need_groups();
	CHECK(runs_well(bear_another));
	CHECK(cgroup_account(&group, &usage, &kills) == 0);
	if (usage.processes_peak < 2) {
		(void)close_all();
		SKIP("this kernel does not count the most processes");
	}
	CHECK(!is_renewed());
	CHECK(close_all());
}
