/* SPDX-License-Identifier: Apache-2.0 */
/* probe_cgroup.c - which controllers a box could have, where, and why not. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/cgroup.h"
#include "sandbox/native/delegate.h"
#include "sandbox/native/probe_parts.h"

static int find(struct cgroup_host *host, struct finding *ret)
{
	struct error err;

	if (cgroup_find(host, NULL, "/proc/self/mountinfo", "/proc/self/cgroup", &err) == 0)
		return 0;
	found(ret, CHECK_MISSING, "%.200s", err.text);
	fix(ret, "mount -t cgroup2 none /sys/fs/cgroup");
	return -1;
}

static void fix_controller(const struct cgroup_host *host, struct finding *ret)
{
	bool root = geteuid() == 0;

	if (host->ask_delegation || delegate_possible())
		fix(ret,
		    "systemd-run %s--scope -p Delegate=yes belljar run (users get only memory and "
		    "pids unless user@.service.d/delegate.conf says Delegate=cpu memory pids)",
		    root ? "" : "--user ");
	else if (root)
		fix(ret, "name a group that belljar may use: --cgroup /sys/fs/cgroup/belljar");
	else
		fix(ret,
		    "control groups of version 1 are root's: run belljar as root, or boot with "
		    "systemd.unified_cgroup_hierarchy=1; without: --allow-degraded "
		    "memory,processes,cpu (rlimits stand in)");
}

void look_controller(const struct check *self, struct finding *ret)
{
	const struct cgroup_place *place;
	struct cgroup_host host = {0};

	if (find(&host, ret) < 0)
		return;
	place = &host.places[self->arg];
	if (place->version != 0) {
		found(ret, CHECK_OK, "version %d, beneath %.180s", place->version, place->dir);
		return;
	}
	found(ret, CHECK_MISSING, "%s", place->why_not);
	fix_controller(&host, ret);
}

static bool host_has_swap(void)
{
	own_file swaps = fopen("/proc/swaps", "re");
	char line[512];
	int lines = 0;

	while (swaps && fgets(line, sizeof(line), swaps))
		lines++;
	return lines > 1; /* the first is the heading */
}

/* Version 2 counts swap unless told not to when booting; its root group has no file to look at. */
static bool counts_swap(const struct cgroup_place *place)
{
	char path[CGROUP_PATH_MAX + 64], line[4200];
	struct error err;

	if (place->version == 2)
		return fd_get_file(AT_FDCWD, "/proc/cmdline", line, sizeof(line), &err) < 0 ||
		       !strstr(line, "swapaccount=0");
	(void)snprintf(path, sizeof(path), "%s/memory.memsw.limit_in_bytes", place->dir);
	return access(path, F_OK) == 0;
}

void look_swap(const struct check *self, struct finding *ret)
{
	struct cgroup_host host = {0};

	(void)self;
	if (!host_has_swap()) {
		found(ret, CHECK_OK, "this host has none");
		return;
	}
	if (find(&host, ret) < 0)
		return;
	if (host.places[CONTROLLER_MEMORY].version == 0) {
		found(ret, CHECK_INFO, "not asked: no memory controller");
		return;
	}
	if (counts_swap(&host.places[CONTROLLER_MEMORY])) {
		found(ret, CHECK_OK, "counted: a box gets none");
		return;
	}
	found(ret, CHECK_DEGRADED, "not counted: a box could push its memory out to swap");
	fix(ret, "boot with swapaccount=1 (/etc/default/grub, GRUB_CMDLINE_LINUX; then "
		 "update-grub and reboot)");
}
