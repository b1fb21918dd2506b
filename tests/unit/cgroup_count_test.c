/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of kernels that are not at hand, as plain files. */
#include "sandbox/native/cgroup.h"

#include "base/own.h"
#include "scratch.h"
#include "tap.h"

/* A group that is a directory. */
struct fake {
	struct scratch scratch;
	struct cgroup_slot slot;
	struct cgroup group;
};

static void fake_end(struct fake *f)
{
	own_fd_end(&f->group.v2);
	scratch_end(&f->scratch);
}

static void open_fake(struct fake *f, int version)
{
	f->scratch = scratch_make();
	if (mkdirat(f->scratch.fd, "g", 0755) < 0)
		abort();
	f->slot = (struct cgroup_slot){.n_trees = 1, .v2_place = -1, .launcher = -1};
	f->slot.trees[0] = (struct cgroup_tree){.dir = f->scratch.fd,
						.version = version,
						.controllers = (1U << CONTROLLER_COUNT) - 1};
	f->group = (struct cgroup){.slot = &f->slot, .v2 = -1, .name = "g"};
	if (version == 2)
		f->group.v2 = openat(f->scratch.fd, "g", O_PATH | O_CLOEXEC);
}

static void put(const struct fake *f, const char *name, const char *text)
{
	char path[64];
	own_fd fd = -1;

	(void)snprintf(path, sizeof(path), "g/%s", name);
	fd = openat(f->scratch.fd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
}

TEST(version_2_counters_are_read_and_old_kernels_have_fewer)
{
	own(fake) f;
	struct usage usage = {.disk_peak_bytes = 7};
	uint64_t kills;

	open_fake(&f, 2);
	put(&f, "cpu.stat",
	    "usage_usec 30\nuser_usec 20\nsystem_usec 10\nnr_periods 0\n"
	    "nr_throttled 0\nthrottled_usec 5\n");
	put(&f, "memory.events", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 1\noom_group_kill 1\n");
	put(&f, "memory.current", "4096\n");
	put(&f, "pids.events", "max 3\n");
	put(&f, "pids.max", "16\n");
	put(&f, "io.stat", "8:0 rbytes=100 wbytes=5 rios=1\n259:0 rbytes=20 wbytes=1\n");
	CHECK(cgroup_account(&f.group, &usage, &kills) == 0);
	CHECK(usage.cpu_user_us == 20 && usage.cpu_system_us == 10 && usage.cpu_throttled_us == 5);
	CHECK(usage.memory_peak_bytes == 4096 && usage.memory_limit_hits == 9 && kills == 1);
	CHECK(usage.forks_refused == 3 && usage.processes_peak == 16);
	CHECK(usage.read_bytes == 120 && usage.write_bytes == 6 && usage.disk_peak_bytes == 7);
	put(&f, "memory.peak", "8192\n");
	put(&f, "pids.peak", "4\n");
	CHECK(cgroup_account(&f.group, &usage, &kills) == 0);
	CHECK(usage.memory_peak_bytes == 8192 && usage.processes_peak == 4);
}

TEST(version_1_time_is_divided_as_the_ticks_say)
{
	own(fake) f;
	struct usage usage = {0};
	uint64_t kills, us;

	open_fake(&f, 1);
	put(&f, "cpuacct.usage", "10000000\n");
	put(&f, "cpuacct.usage_user", "3000000\n");
	put(&f, "cpuacct.usage_sys", "1000000\n");
	put(&f, "cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_time 2000000\n");
	put(&f, "memory.max_usage_in_bytes", "65536\n");
	put(&f, "memory.failcnt", "12\n");
	put(&f, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
	put(&f, "pids.events", "max 0\n");
	CHECK(cgroup_account(&f.group, &usage, &kills) == 0);
	CHECK(usage.cpu_user_us == 7500 && usage.cpu_system_us == 2500);
	CHECK(usage.cpu_throttled_us == 2000 && usage.memory_peak_bytes == 65536);
	CHECK(usage.memory_limit_hits == 12 && kills == 2 && usage.forks_refused == 0);
	CHECK(cgroup_cpu_us(&f.group, &us) == 0 && us == 10000);
}

TEST(a_counter_that_is_gone_is_reported)
{
	own(fake) f;
	struct usage usage = {0};
	uint64_t value;

	open_fake(&f, 2);
	put(&f, "pids.events", "max lots\n");
	put(&f, "cpu.stat", "usage_usec 99999999999999999999999\n");
	CHECK(cgroup_account(&f.group, &usage, &value) < 0);
	CHECK(cgroup_forks_refused(&f.group, &value) < 0);
	CHECK(cgroup_cpu_us(&f.group, &value) < 0);
	CHECK(cgroup_oom_kills(&f.group, &value) < 0);
}
