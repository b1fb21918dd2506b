/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_parse.h - reads the kernel's tables about control groups, one line at a time. */
#ifndef NATIVE_CGROUP_PARSE_H
#define NATIVE_CGROUP_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/native/cgroup.h"

struct cgroup_mount {
	int version;
	unsigned controllers; /* version 1: one bit per enum controller, never 0; version 2: 0 */
	bool read_only;
	char root[CGROUP_PATH_MAX];  /* the group that is mounted: "/" or a container's */
	char point[CGROUP_PATH_MAX]; /* where; no slash at the end */
};

struct cgroup_self {
	int version;
	unsigned controllers; /* as above */
	char path[CGROUP_PATH_MAX];
};

/* One line of /proc/PID/mountinfo.  False: no mount of interest, or nothing that we understand. */
bool cgroup_parse_mount(const char *line, struct cgroup_mount *ret);
/* One line of /proc/PID/cgroup.  False: as above. */
bool cgroup_parse_self(const char *line, struct cgroup_self *ret);
/* The path of a group as seen beneath a mount: path without the mount's root.  False: it lies
 * elsewhere. */
bool cgroup_parse_beneath(const char *root, const char *path, char *ret, size_t room);

/* Is word one of the words in text, between blanks and newlines? */
bool cgroup_parse_has_word(const char *text, const char *word);
/* The number behind key in lines such as "oom_kill 3"; key "" takes the first number. */
bool cgroup_parse_value(const char *text, const char *key, uint64_t *ret);
/* The sum of every "key=N" in text (io.stat has one per device). */
uint64_t cgroup_parse_sum(const char *text, const char *key);

#endif
