/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of kernels that are not at hand, as plain files. */
#include "sandbox/native/cgroup.h"

#include "fake_group.h"
#include "tap.h"

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
	put(&f, "pids.events", "max 3\n");
	put(&f, "pids.max", "16\n");
	put(&f, "io.stat", "8:0 rbytes=100 wbytes=5 rios=1\n259:0 rbytes=20 wbytes=1\n");
	CHECK(cgroup_account(&f.group, &usage, &kills) == 0);
	CHECK(usage.cpu_user_us == 20 && usage.cpu_system_us == 10 && usage.cpu_throttled_us == 5);
	CHECK(usage.memory_limit_hits == 9 && kills == 1);
	CHECK(usage.forks_refused == 3 && usage.processes_peak == 16);
	CHECK(usage.read_bytes == 120 && usage.write_bytes == 6 && usage.disk_peak_bytes == 7);
	put(&f, "pids.peak", "4\n");
	CHECK(cgroup_account(&f.group, &usage, &kills) == 0);
	CHECK(usage.processes_peak == 4);
}

static bool says(const struct fake *f, const char *name, const char *want)
{
	char path[64], text[32] = "";
	own_fd fd = -1;

	(void)snprintf(path, sizeof(path), "g/%s", name);
	fd = openat(f->scratch.fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return strcmp(text, want) == 0;
}

/* While what an interpreter left behind is ended, nobody may fork; afterwards it may again. */
static void check_bar(int version)
{
	own(fake) f;
	struct error err = {0};
	uint64_t alive = 0;

	open_fake(&f, version);
	f.group.made = 1;
	CHECK(cgroup_limit_processes(&f.group, 0, &err) < 0); /* there is no such file */
	put(&f, "pids.max", "");
	CHECK(cgroup_limit_processes(&f.group, 0, &err) == 0 && says(&f, "pids.max", "0"));
	put(&f, "pids.max", "");
	CHECK(cgroup_limit_processes(&f.group, 64, &err) == 0 && says(&f, "pids.max", "64"));
	CHECK(cgroup_processes(&f.group, &alive) < 0);
	put(&f, "pids.current", "3\n");
	CHECK(cgroup_processes(&f.group, &alive) == 0 && alive == 3);
	/* One that counts something else is left alone. */
	put(&f, "pids.max", "");
	f.slot.trees[0].controllers = 1U << CONTROLLER_MEMORY;
	CHECK(cgroup_limit_processes(&f.group, 0, &err) < 0 && says(&f, "pids.max", ""));
}

TEST(version_2_bars_the_processes_of_an_interpreter)
{
	check_bar(2);
}

TEST(version_1_bars_the_processes_of_an_interpreter)
{
	check_bar(1);
}

TEST(version_2_memory_is_private_and_shared)
{
	own(fake) f;
	uint64_t private, shared, peak;

	open_fake(&f, 2);
	CHECK(cgroup_memory_held(&f.group, &private, &shared) < 0);
	put(&f, "memory.stat",
	    "anon 1000\nfile 9000\nkernel 70\nkernel_stack 7\nshmem 500\nfile_mapped 30\n"
	    "anon_thp 800\nshmem_thp 20\ninactive_anon 5\n");
	CHECK(cgroup_memory_held(&f.group, &private, &shared) == 0);
	CHECK(private == 1000 && shared == 500);
	put(&f, "memory.current", "4096\n");
	CHECK(cgroup_memory_peak(&f.group, &peak) < 0); /* before 5.19 */
	CHECK(cgroup_memory_charged(&f.group, &peak) == 0 && peak == 4096);
	put(&f, "memory.peak", "12288\n");
	CHECK(cgroup_memory_peak(&f.group, &peak) == 0 && peak == 12288);
}

TEST(version_1_memory_is_private_and_shared)
{
	own(fake) f;
	uint64_t private, shared, peak;

	open_fake(&f, 1);
	put(&f, "memory.stat",
	    "cache 9000\nrss 1000\nrss_huge 800\nshmem 500\nmapped_file 30\n"
	    "total_cache 1\ntotal_rss 2\ntotal_shmem 3\n");
	CHECK(cgroup_memory_held(&f.group, &private, &shared) == 0);
	CHECK(private == 1000 && shared == 500);
	put(&f, "memory.max_usage_in_bytes", "65000\n");
	CHECK(cgroup_memory_peak(&f.group, &peak) == 0 && peak == 65000);
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
	put(&f, "memory.failcnt", "12\n");
	put(&f, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
	put(&f, "pids.events", "max 0\n");
	CHECK(cgroup_account(&f.group, &usage, &kills) == 0);
	CHECK(usage.cpu_user_us == 7500 && usage.cpu_system_us == 2500);
	CHECK(usage.cpu_throttled_us == 2000 && usage.memory_peak_bytes == 0);
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
