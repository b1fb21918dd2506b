/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_renew.c - the groups of a box that is gone become those of the next one.
 *
 * To make and to remove four groups takes the kernel half a millisecond, most of
 * it when nobody looks.  So they are used again, by the same slot, if nothing of
 * the call before is left in them that a new one would not have: nobody is in
 * them, hardly any memory is charged to them, no limit was hit, and all that
 * counts upwards can be set back to zero, or stands where it begins.  Version 1
 * only: in version 2 nothing can be set back, and there is but one group.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/cgroup.h"
#include "sandbox/native/cgroup_parse.h"

/* Bytes that may still be charged.  Of each group that a processor served the kernel keeps up to 64
 * pages in stock there, and some more of its own: a new one gets that as well, sooner or later.
 * Whatever is beyond that the last call left behind, say files that are in memory because of it; it
 * would be counted as the next one's. */
enum {
	STOCK = 64 * 4096,
	OWN = 64 << 10,
	LEFT_MAX = 1 << 20,
};

enum {
	RENEWED_MAX = 100,
	TEXT_MAX = 512,
};

/* Of a new group each is at most this. */
static const struct {
	const char *file, *key;
	uint64_t most;
	bool may_be_absent;
} quiet[] = {
	{"pids.current", "", 0, false},
	{"pids.peak", "", 1, true}, /* one process every call has */
	{"pids.events", "max", 0, false},
	{"memory.oom_control", "oom_kill", 0, false},
	{"memory.failcnt", "", 0, false},
	{"memory.memsw.failcnt", "", 0, true},
	{"cpu.stat", "throttled_time", 0, false},
};

static int kept_counter(const struct cgroup *group, const char *file)
{
	for (size_t i = 0; i < CGROUP_KEPT_MAX && group->kept[i].file; i++)
		if (strcmp(group->kept[i].file, file) == 0)
			return group->kept[i].fd;
	return -1;
}

static bool is_at_most(int fd, const char *key, uint64_t most)
{
	char text[TEXT_MAX];
	uint64_t value;
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return false;
	text[n] = '\0';
	return cgroup_parse_value(text, key, &value) && value <= most;
}

/* Processors that are not ours may have served it, too: then it is not used again, no more. */
static uint64_t left_most(void)
{
	cpu_set_t cpus;
	uint64_t n =
		sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (uint64_t)CPU_COUNT(&cpus) : 1;
	uint64_t most = n * STOCK + OWN;

	return most < LEFT_MAX ? most : LEFT_MAX;
}

static bool is_quiet(const struct cgroup *group)
{
	for (size_t i = 0; i < ARRAY_LEN(quiet); i++) {
		int fd = kept_counter(group, quiet[i].file);

		if (fd < 0 && quiet[i].may_be_absent)
			continue;
		if (!is_at_most(fd, quiet[i].key, quiet[i].most))
			return false;
	}
	return is_at_most(kept_counter(group, "memory.usage_in_bytes"), "", left_most());
}

static bool set_back(const struct cgroup *group, const char *file)
{
	int fd = kept_counter(group, file);

	return fd >= 0 && pwrite(fd, "0", 1, 0) == 1;
}

static bool has_doors(const struct cgroup *group)
{
	for (size_t i = 0; i < group->slot->n_trees; i++)
		if (group->slot->trees[i].version != 1 || group->tasks[i] < 0)
			return false;
	return group->slot->n_trees > 0;
}

int cgroup_renew(struct cgroup *group, const struct limits *limits, struct error *err)
{
	/* What a box left in its sockets goes with its network namespace, a moment later. */
	if (group->renewed >= RENEWED_MAX || group->slot->sockets || !has_doors(group) ||
	    !is_quiet(group))
		return fail(err, ERR_CONFIG, "the groups are not as new ones are");
	if (!set_back(group, "cpuacct.usage") || !set_back(group, "memory.max_usage_in_bytes"))
		return fail_sys(err, "set the counters back");
	/* A share that was begun is whole again. */
	if (cgroup_limit_cpu(group, limits, err) < 0)
		return -1;
	group->renewed++;
	return 0;
}
