/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_count.c - what the kernel counted for a box. */
#include "sandbox/native/cgroup.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/cgroup_parse.h"

enum { COUNTER_TEXT_MAX = 4096, FILE_PATH_MAX = sizeof(((struct cgroup *)0)->name) + 40 };

static const struct cgroup_tree *tree_of(const struct cgroup *group, enum controller c)
{
	for (size_t i = 0; group->slot && i < group->slot->n_trees; i++)
		if (group->slot->trees[i].controllers & 1U << c)
			return &group->slot->trees[i];
	return NULL;
}

static void path_of(const struct cgroup *group, const char *file, char *ret, size_t room)
{
	(void)snprintf(ret, room, "%s/%s", group->name, file);
}

/* Of a counter that is open already. */
static int read_kept(const struct cgroup *group, int tree, const char *file, char *ret)
{
	for (size_t i = 0; i < CGROUP_KEPT_MAX && group->kept[i].file; i++) {
		ssize_t n;

		if (group->kept[i].tree != tree || strcmp(group->kept[i].file, file) != 0)
			continue;
		n = pread(group->kept[i].fd, ret, COUNTER_TEXT_MAX - 1, 0);
		if (n < 0 || n == COUNTER_TEXT_MAX - 1)
			return -1;
		ret[n] = '\0';
		return 0;
	}
	return -1;
}

static int read_file(const struct cgroup *group, const struct cgroup_tree *tree, const char *file,
		     char *ret)
{
	char path[FILE_PATH_MAX];
	struct error absent;

	if (read_kept(group, (int)(tree - group->slot->trees), file, ret) == 0)
		return 0;
	path_of(group, file, path, sizeof(path));
	return fd_get_file(tree->dir, path, ret, COUNTER_TEXT_MAX, &absent);
}

/* One counter: where it is, and what a unit of it is in ours. */
struct counter {
	enum controller controller;
	struct {
		const char *file;
		const char *key;
		uint64_t divide;
	} in[2]; /* version 1, version 2 */
};

static const struct counter cpu_time = {
	CONTROLLER_CPUACCT, {{"cpuacct.usage", "", 1000}, {"cpu.stat", "usage_usec", 1}}};
static const struct counter throttled = {
	CONTROLLER_CPU, {{"cpu.stat", "throttled_time", 1000}, {"cpu.stat", "throttled_usec", 1}}};
static const struct counter forks_refused = {
	CONTROLLER_PIDS, {{"pids.events", "max", 1}, {"pids.events", "max", 1}}};
static const struct counter pids_peak = {CONTROLLER_PIDS,
					 {{"pids.peak", "", 1}, {"pids.peak", "", 1}}};
static const struct counter pids_now = {CONTROLLER_PIDS,
					{{"pids.current", "", 1}, {"pids.current", "", 1}}};
static const struct counter pids_limit = {CONTROLLER_PIDS,
					  {{"pids.max", "", 1}, {"pids.max", "", 1}}};
static const struct counter memory_peak = {
	CONTROLLER_MEMORY, {{"memory.max_usage_in_bytes", "", 1}, {"memory.peak", "", 1}}};
static const struct counter memory_now = {
	CONTROLLER_MEMORY, {{"memory.usage_in_bytes", "", 1}, {"memory.current", "", 1}}};
static const struct counter memory_private = {
	CONTROLLER_MEMORY, {{"memory.stat", "rss", 1}, {"memory.stat", "anon", 1}}};
static const struct counter memory_shared = {
	CONTROLLER_MEMORY, {{"memory.stat", "shmem", 1}, {"memory.stat", "shmem", 1}}};
static const struct counter limit_hits = {CONTROLLER_MEMORY,
					  {{"memory.failcnt", "", 1}, {"memory.events", "max", 1}}};
static const struct counter oom_kills = {
	CONTROLLER_MEMORY,
	{{"memory.oom_control", "oom_kill", 1}, {"memory.events", "oom_kill", 1}}};

/* What is read when the program has ended, by version. */
static const struct {
	enum controller controller;
	const char *files[2];
	bool writable; /* version 1: to set it back to zero */
} final[] = {
	{CONTROLLER_MEMORY, {"memory.max_usage_in_bytes", "memory.peak"}, true},
	{CONTROLLER_MEMORY, {"memory.usage_in_bytes", NULL}, false},
	{CONTROLLER_MEMORY, {"memory.failcnt", "memory.events"}, false},
	{CONTROLLER_MEMORY, {"memory.memsw.failcnt", NULL}, false},
	{CONTROLLER_MEMORY, {"memory.oom_control", NULL}, false},
	{CONTROLLER_PIDS, {"pids.current", "pids.current"}, false},
	{CONTROLLER_PIDS, {"pids.events", "pids.events"}, false},
	{CONTROLLER_PIDS, {"pids.peak", "pids.peak"}, false},
	{CONTROLLER_CPUACCT, {"cpuacct.usage", "cpu.stat"}, true},
	{CONTROLLER_CPUACCT, {"cpuacct.usage_user", NULL}, false},
	{CONTROLLER_CPUACCT, {"cpuacct.usage_sys", NULL}, false},
	{CONTROLLER_CPU, {"cpu.stat", NULL}, false},
};
static_assert(ARRAY_LEN(final) <= CGROUP_KEPT_MAX, "there is room for each");

/* Returns how many are kept now. */
static size_t keep(struct cgroup *group, size_t n, const struct cgroup_tree *tree, const char *file,
		   bool writable)
{
	char path[FILE_PATH_MAX];
	int fd;

	path_of(group, file, path, sizeof(path));
	fd = openat(tree->dir, path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (fd < 0) /* not on this host; or it is tried again when it is needed */
		return n;
	group->kept[n].file = file;
	group->kept[n].tree = (int)(tree - group->slot->trees);
	group->kept[n].fd = fd;
	return n + 1;
}

void cgroup_keep_counters(struct cgroup *group)
{
	size_t n = 0;

	if (group->kept[0].file) /* they are open */
		return;
	for (size_t i = 0; i < ARRAY_LEN(final); i++) {
		const struct cgroup_tree *tree = tree_of(group, final[i].controller);
		const char *file = tree ? final[i].files[tree->version - 1] : NULL;

		if (file)
			n = keep(group, n, tree, file, final[i].writable && tree->version == 1);
	}
}

void cgroup_keep_cpu(struct cgroup *group)
{
	const struct cgroup_tree *tree = tree_of(group, cpu_time.controller);

	cgroup_drop_counters(group);
	if (tree)
		(void)keep(group, 0, tree, cpu_time.in[tree->version - 1].file, false);
}

void cgroup_drop_counters(struct cgroup *group)
{
	for (size_t i = 0; i < CGROUP_KEPT_MAX && group->kept[i].file; i++) {
		own_fd_end(&group->kept[i].fd);
		group->kept[i].file = NULL;
	}
}

static int find(const struct counter *counter, int version, const char *text, uint64_t *ret)
{
	uint64_t value;

	if (!cgroup_parse_value(text, counter->in[version - 1].key, &value))
		return -1;
	*ret = value / counter->in[version - 1].divide;
	return 0;
}

static int count(const struct cgroup *group, const struct counter *counter, uint64_t *ret)
{
	const struct cgroup_tree *tree = tree_of(group, counter->controller);
	char text[COUNTER_TEXT_MAX];

	if (!tree || read_file(group, tree, counter->in[tree->version - 1].file, text) < 0)
		return -1;
	return find(counter, tree->version, text, ret);
}

int cgroup_cpu_us(const struct cgroup *group, uint64_t *ret_us)
{
	return count(group, &cpu_time, ret_us);
}

int cgroup_cpu_counter(const struct cgroup *group)
{
	const struct cgroup_tree *tree = tree_of(group, cpu_time.controller);

	for (size_t i = 0; tree && i < CGROUP_KEPT_MAX && group->kept[i].file; i++)
		if (group->kept[i].tree == (int)(tree - group->slot->trees) &&
		    strcmp(group->kept[i].file, cpu_time.in[tree->version - 1].file) == 0)
			return group->kept[i].fd;
	return -1;
}

int cgroup_forks_refused(const struct cgroup *group, uint64_t *ret)
{
	return count(group, &forks_refused, ret);
}

int cgroup_oom_kills(const struct cgroup *group, uint64_t *ret)
{
	return count(group, &oom_kills, ret);
}

int cgroup_processes(const struct cgroup *group, uint64_t *ret)
{
	return count(group, &pids_now, ret);
}

/* Both from one reading: what moves from one to the other meanwhile would count twice or not. */
int cgroup_memory_held(const struct cgroup *group, uint64_t *ret_private, uint64_t *ret_shared)
{
	const struct cgroup_tree *tree = tree_of(group, CONTROLLER_MEMORY);
	char text[COUNTER_TEXT_MAX];

	if (!tree || read_file(group, tree, "memory.stat", text) < 0 ||
	    find(&memory_private, tree->version, text, ret_private) < 0)
		return -1;
	return find(&memory_shared, tree->version, text, ret_shared);
}

uint64_t cgroup_memory_in_sockets(const struct cgroup *group)
{
	const struct cgroup_tree *tree = tree_of(group, CONTROLLER_MEMORY);
	char text[COUNTER_TEXT_MAX];
	uint64_t bytes = 0;

	if (!group->slot->sockets || !tree || tree->version != 1 ||
	    read_file(group, tree, "memory.kmem.tcp.usage_in_bytes", text) < 0 ||
	    !cgroup_parse_value(text, "", &bytes))
		return 0;
	return bytes;
}

int cgroup_memory_charged(const struct cgroup *group, uint64_t *ret)
{
	return count(group, &memory_now, ret);
}

int cgroup_memory_peak(const struct cgroup *group, uint64_t *ret)
{
	return count(group, &memory_peak, ret);
}

static int split_cpu_v2(const struct cgroup *group, const struct cgroup_tree *tree,
			struct usage *usage)
{
	char text[COUNTER_TEXT_MAX];

	if (read_file(group, tree, "cpu.stat", text) < 0 ||
	    !cgroup_parse_value(text, "user_usec", &usage->cpu_user_us) ||
	    !cgroup_parse_value(text, "system_usec", &usage->cpu_system_us))
		return -1;
	return 0;
}

/* cpuacct.usage is exact; its parts are counted in ticks and only say how to divide it, as the
 * kernel itself does for version 2. */
static int split_cpu_v1(const struct cgroup *group, const struct cgroup_tree *tree,
			struct usage *usage)
{
	char text[COUNTER_TEXT_MAX];
	uint64_t total, user = 0, system = 0;

	if (count(group, &cpu_time, &total) < 0)
		return -1;
	if (read_file(group, tree, "cpuacct.usage_user", text) == 0)
		(void)cgroup_parse_value(text, "", &user);
	if (read_file(group, tree, "cpuacct.usage_sys", text) == 0)
		(void)cgroup_parse_value(text, "", &system);
	usage->cpu_system_us = 0;
	if (system)
		usage->cpu_system_us = (uint64_t)((double)total * (double)system /
						  ((double)user + (double)system));
	usage->cpu_user_us = total - usage->cpu_system_us;
	return 0;
}

static int account_cpu(const struct cgroup *group, struct usage *usage)
{
	const struct cgroup_tree *tree = tree_of(group, CONTROLLER_CPUACCT);
	int result = 0;

	if (tree)
		result = tree->version == 2 ? split_cpu_v2(group, tree, usage)
					    : split_cpu_v1(group, tree, usage);
	if (tree_of(group, CONTROLLER_CPU) &&
	    count(group, &throttled, &usage->cpu_throttled_us) < 0)
		result = -1;
	return result;
}

/* Version 1 asks the limit on memory and swap first, and the two are the same: the hits are there
 * where it exists. */
static int count_limit_hits(const struct cgroup *group, uint64_t *ret)
{
	const struct cgroup_tree *tree = tree_of(group, CONTROLLER_MEMORY);
	char text[COUNTER_TEXT_MAX];
	uint64_t hits, with_swap = 0;

	if (count(group, &limit_hits, &hits) < 0)
		return -1;
	if (tree->version == 1 && read_file(group, tree, "memory.memsw.failcnt", text) == 0)
		(void)cgroup_parse_value(text, "", &with_swap);
	*ret = hits + with_swap;
	return 0;
}

static void raise_to(uint64_t *peak, uint64_t value)
{
	if (*peak < value)
		*peak = value;
}

static int account_memory(const struct cgroup *group, struct usage *usage, uint64_t *ret_oom_kills)
{
	int result = 0;

	if (!tree_of(group, CONTROLLER_MEMORY))
		return 0;
	if (count_limit_hits(group, &usage->memory_limit_hits) < 0)
		result = -1;
	if (count(group, &oom_kills, ret_oom_kills) < 0)
		result = -1;
	/* Some kernels (6.18, version 1) leave failcnt at 0; a kill was a hit all the same. */
	if (usage->memory_limit_hits < *ret_oom_kills)
		usage->memory_limit_hits = *ret_oom_kills;
	return result;
}

static int account_pids(const struct cgroup *group, struct usage *usage)
{
	uint64_t limit;

	if (!tree_of(group, CONTROLLER_PIDS))
		return 0;
	if (count(group, &forks_refused, &usage->forks_refused) < 0)
		return -1;
	/* Before 6.11 no peak is kept; but who was refused a process had all of them. */
	if (count(group, &pids_peak, &usage->processes_peak) < 0 && usage->forks_refused &&
	    count(group, &pids_limit, &limit) == 0)
		raise_to(&usage->processes_peak, limit);
	return 0;
}

static void account_io(const struct cgroup *group, struct usage *usage)
{
	char text[COUNTER_TEXT_MAX];
	struct error absent;

	if (group->v2 < 0 || fd_get_file(group->v2, "io.stat", text, sizeof(text), &absent) < 0)
		return;
	usage->read_bytes = cgroup_parse_sum(text, "rbytes");
	usage->write_bytes = cgroup_parse_sum(text, "wbytes");
}

int cgroup_account(const struct cgroup *group, struct usage *usage, uint64_t *ret_oom_kills)
{
	uint64_t kills = 0;
	int result = account_memory(group, usage, &kills);

	if (account_pids(group, usage) < 0)
		result = -1;
	if (account_cpu(group, usage) < 0)
		result = -1;
	account_io(group, usage);
	*ret_oom_kills = kills;
	return result;
}
