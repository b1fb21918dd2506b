/* SPDX-License-Identifier: Apache-2.0 */
/* procfull.c - a whole /proc for programs that want one, without the host in it.
 *
 * An allowlist: what a newer kernel adds is covered until somebody looked at
 * it.  Covers come from one empty read-only file and directory of our own, not
 * from a device of the box (CVE-2025-31133).
 */
#include "sandbox/native/procfull.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/mounts.h"

/* Links to the process's own directory, and things that say nothing of this host's state. */
static const char *const harmless[] = {"self", "thread-self", "mounts",
				       "net",  "filesystems", "version"};

/* Of /proc/sys what programs ask for, the same for every box or made for it.  The rest counts the
 * host's open files and directories, or is its name (random/boot_id). */
static const char *const settings[] = {
	"kernel/ostype",      "kernel/osrelease",   "kernel/version",       "kernel/hostname",
	"kernel/domainname",  "kernel/pid_max",     "kernel/cap_last_cap",  "kernel/ngroups_max",
	"kernel/threads-max", "kernel/random/uuid", "vm/overcommit_memory", "vm/max_map_count",
	"vm/mmap_min_addr",   "fs/nr_open",         "fs/pipe-max-size",     "fs/file-max",
	"net/core/somaxconn",
};
static const char *const setting_dirs[] = {
	"/work/sys",    "/work/sys/kernel", "/work/sys/kernel/random", "/work/sys/vm",
	"/work/sys/fs", "/work/sys/net",    "/work/sys/net/core"};

struct figure {
	const char *source, *target;
	void (*write)(const struct limits *limits, char *ret, size_t room);
};

static void write_meminfo(const struct limits *limits, char *ret, size_t room)
{
	uint64_t kib = limits->memory_bytes / 1024;

	(void)snprintf(ret, room,
		       "MemTotal: %15" PRIu64 " kB\nMemFree: %16" PRIu64
		       " kB\nMemAvailable: %11" PRIu64 " kB\nBuffers:                0 kB\n"
		       "Cached:                 0 kB\nSwapTotal:              0 kB\n"
		       "SwapFree:               0 kB\n",
		       kib, kib, kib);
}

static void write_stat(const struct limits *limits, char *ret, size_t room)
{
	int cpus = get_nprocs();
	size_t len = 0;

	(void)limits;
	len += (size_t)snprintf(ret, room, "cpu  0 0 0 0 0 0 0 0 0 0\n");
	for (int i = 0; i < cpus && len + 200 < room; i++)
		len += (size_t)snprintf(ret + len, room - len, "cpu%d 0 0 0 0 0 0 0 0 0 0\n", i);
	(void)snprintf(ret + len, room - len,
		       "intr 0\nctxt 0\nbtime 0\nprocesses 0\nprocs_running 1\nprocs_blocked 0\n");
}

static void write_cpuinfo(const struct limits *limits, char *ret, size_t room)
{
	int cpus = get_nprocs();
	size_t len = 0;

	(void)limits;
	ret[0] = '\0';
	for (int i = 0; i < cpus && len + 200 < room; i++)
		len += (size_t)snprintf(ret + len, room - len,
					"processor\t: %d\nmodel name\t: virtual\n\n", i);
}

static void write_uptime(const struct limits *limits, char *ret, size_t room)
{
	(void)limits;
	(void)snprintf(ret, room, "0.00 0.00\n");
}

static void write_loadavg(const struct limits *limits, char *ret, size_t room)
{
	(void)limits;
	(void)snprintf(ret, room, "0.00 0.00 0.00 1/1 1\n");
}

static const struct figure figures[] = {
	{"/work/meminfo", "/proc/meminfo", write_meminfo},
	{"/work/stat", "/proc/stat", write_stat},
	{"/work/cpuinfo", "/proc/cpuinfo", write_cpuinfo},
	{"/work/uptime", "/proc/uptime", write_uptime},
	{"/work/loadavg", "/proc/loadavg", write_loadavg},
};

static bool is_figure(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(figures); i++)
		if (strcmp(name, figures[i].target + strlen("/proc/")) == 0)
			return true;
	return false;
}

static bool is_harmless(const char *name)
{
	if (name[0] == '.' || isdigit((unsigned char)name[0]))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(harmless); i++)
		if (strcmp(name, harmless[i]) == 0)
			return true;
	return false;
}

static int make_sources(const struct limits *limits, struct error *err)
{
	static char text[65536];

	/* A disk of their own: the box's quota is not to pay for them. */
	if (mount("tmpfs", "/work", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		  "size=512k,nr_inodes=64,mode=0755") < 0)
		return fail_sys(err, "mount a place for made-up figures");
	for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
		figures[i].write(limits, text, sizeof(text));
		if (mounts_put_file(figures[i].source, text, strlen(text), err) < 0)
			return -1;
	}
	if (mounts_put_file("/work/empty", "", 0, err) < 0)
		return -1;
	return mounts_mkdir("/work/none", 0555, err);
}

static int cover(const struct dirent *entry, struct error *err)
{
	char target[300];

	(void)snprintf(target, sizeof(target), "/proc/%s", entry->d_name);
	if (mounts_bind(entry->d_type == DT_DIR ? "/work/none" : "/work/empty", target, false,
			err) < 0)
		return -1;
	return mounts_restrict(target, MOUNT_ATTR_RDONLY, false, err);
}

static int cover_the_rest(struct error *err)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int result = 0;

	if (!dir)
		return fail_sys(err, "open /proc");
	while (result == 0 && (entry = readdir(dir)))
		if (!is_harmless(entry->d_name) && !is_figure(entry->d_name) &&
		    strcmp(entry->d_name, "sys") != 0)
			result = cover(entry, err);
	(void)closedir(dir);
	return result;
}

/* The real files, for some of them answer by who asks, in a tree of our own. */
static int cover_settings(struct error *err)
{
	char from[80], to[80];

	for (size_t i = 0; i < ARRAY_LEN(setting_dirs); i++)
		if (mounts_mkdir(setting_dirs[i], 0555, err) < 0)
			return -1;
	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		(void)snprintf(from, sizeof(from), "/proc/sys/%s", settings[i]);
		(void)snprintf(to, sizeof(to), "/work/sys/%s", settings[i]);
		if (access(from, F_OK) < 0)
			continue;
		if (mounts_put_file(to, "", 0, err) < 0 || mounts_bind(from, to, false, err) < 0)
			return -1;
	}
	if (mounts_bind("/work/sys", "/proc/sys", true, err) < 0)
		return -1;
	return mounts_restrict("/proc/sys", MOUNT_ATTR_RDONLY, true, err);
}

int procfull_mask(const struct limits *limits, struct error *err)
{
	if (make_sources(limits, err) < 0 || cover_the_rest(err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
		if (access(figures[i].target, F_OK) < 0)
			continue;
		if (mounts_bind(figures[i].source, figures[i].target, false, err) < 0 ||
		    mounts_restrict(figures[i].target, MOUNT_ATTR_RDONLY, false, err) < 0)
			return -1;
	}
	if (cover_settings(err) < 0)
		return -1;
	if (umount2("/work", MNT_DETACH) < 0)
		return fail_sys(err, "hide the made-up figures");
	return 0;
}
