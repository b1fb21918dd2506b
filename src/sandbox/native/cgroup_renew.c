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
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/cgroup.h"
#include "sandbox/native/cgroup_parse.h"

enum {
	LEFT_MAX = 1 << 20, /* bytes: what the kernel keeps on each processor, and its own */
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
	{"memory.usage_in_bytes", "", LEFT_MAX, false},
};

static int kept_counter(const struct cgroup *group, const char *file)
{
	for (size_t i = 0; i < CGROUP_KEPT_MAX && group->kept[i].file; i++)
		if (strcmp(group->kept[i].file, file) == 0)
			return group->kept[i].fd;
	return -1;
}

static bool is_quiet(const struct cgroup *group)
{
	for (size_t i = 0; i < ARRAY_LEN(quiet); i++) {
		char text[TEXT_MAX];
		uint64_t value;
		int fd = kept_counter(group, quiet[i].file);
		ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

		if (fd < 0 && quiet[i].may_be_absent)
			continue;
		if (n < 0)
			return false;
		text[n] = '\0';
		if (!cgroup_parse_value(text, quiet[i].key, &value) || value > quiet[i].most)
			return false;
	}
	return true;
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
	if (group->renewed >= RENEWED_MAX || !has_doors(group) || !is_quiet(group))
		return fail(err, ERR_CONFIG, "the groups are not as new ones are");
	if (!set_back(group, "cpuacct.usage") || !set_back(group, "memory.max_usage_in_bytes"))
		return fail_sys(err, "set the counters back");
	/* A share that was begun is whole again. */
	if (cgroup_limit_cpu(group, limits, err) < 0)
		return -1;
	group->renewed++;
	return 0;
}
