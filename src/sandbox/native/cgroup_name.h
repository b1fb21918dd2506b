/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_name.h - how our groups are named, for those who make and those who sweep. */
#ifndef NATIVE_CGROUP_NAME_H
#define NATIVE_CGROUP_NAME_H

#include <stdint.h>
#include <sys/stat.h>

#define CGROUP_PREFIX "belljar-"

enum { CGROUP_PART_MAX = 31 };

/* A pid means something only in its namespace, and containers can share one cgroup tree.
 * 0: unknown. */
static inline uint64_t cgroup_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) < 0 ? 0 : (uint64_t)st.st_ino;
}

#endif
