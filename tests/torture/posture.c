/* SPDX-License-Identifier: Apache-2.0 */
/* posture.c - what the kernel says of a process that is about to run its first instruction.
 *
 * The witness asks from inside and sees what a program may see.  This looks
 * from outside at the same moment, and also sees what the box hides: the
 * control groups and their limits, the user namespace's maps, the real uid.
 */
#include "posture.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own.h"

static FILE *open_proc(pid_t pid, const char *name)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

static void write_status(FILE *log, pid_t pid)
{
	static const char *const wanted[] = {
		"Umask:",  "Uid:",        "Gid:",     "Groups:",  "SigBlk:",
		"SigIgn:", "CapInh:",     "CapPrm:",  "CapEff:",  "CapBnd:",
		"CapAmb:", "NoNewPrivs:", "Seccomp:", "Threads:", "Seccomp_filters:",
	};
	own_file file = open_proc(pid, "status");
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
			if (strncmp(line, wanted[i], strlen(wanted[i])) == 0)
				(void)fprintf(log, "posture status %s", line);
}

static void write_lines(FILE *log, pid_t pid, const char *name)
{
	own_file file = open_proc(pid, name);
	char line[4096];

	if (!file)
		(void)fprintf(log, "posture %s unreadable\n", name);
	while (file && fgets(line, sizeof(line), file))
		(void)fprintf(log, "posture %s %s%s", name, line, strchr(line, '\n') ? "" : "\n");
}

static void write_namespaces(FILE *log, pid_t pid)
{
	static const char *const kinds[] = {"user", "pid", "mnt", "net", "ipc", "uts", "cgroup"};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct stat theirs = {0}, ours = {0};
		char path[64];

		(void)snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, kinds[i]);
		(void)stat(path, &theirs);
		(void)snprintf(path, sizeof(path), "/proc/self/ns/%s", kinds[i]);
		(void)stat(path, &ours);
		(void)fprintf(log, "posture namespace %s %s\n", kinds[i],
			      theirs.st_ino == ours.st_ino ? "shared" : "own");
	}
}

/* Mount and device numbers differ in every run; which file, where and how must not. */
static void write_mounts(FILE *log, pid_t pid)
{
	own_file file = open_proc(pid, "mountinfo");
	char line[4096];

	while (file && fgets(line, sizeof(line), file)) {
		char where[3072], how[512];
		const char *type = strstr(line, " - ");

		if (type && sscanf(line, "%*s %*s %*s %*s %3071s %511s", where, how) == 2)
			(void)fprintf(log, "posture mount %s %s%s", where, how, type);
	}
}

static void write_environment(FILE *log, pid_t pid)
{
	own_file file = open_proc(pid, "environ");
	char text[8192];
	size_t len = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[len] = '\0';
	for (size_t i = 0; i < len; i += strlen(text + i) + 1)
		(void)fprintf(log, "posture env %s\n", text + i);
}

static void write_descriptors(FILE *log, pid_t pid)
{
	const struct dirent *entry;
	char path[64];
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
			(void)fprintf(log, "posture descriptor %s\n", entry->d_name);
	if (dir)
		(void)closedir(dir);
}

/* The group of a process in the hierarchy that "memory", "pids" or "" (v2) names; from
 * /proc/PID/cgroup, whose lines read "4:cpu,cpuacct:/path". */
static int find_group(pid_t pid, const char *controller, char *ret_path, size_t room)
{
	own_file file = open_proc(pid, "cgroup");
	char line[4096];

	while (file && fgets(line, sizeof(line), file)) {
		char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		names++;
		for (char *name; (name = strsep(&names, ",")) != NULL;)
			if (strcmp(name, controller) == 0)
				return snprintf(ret_path, room, "%s", path) < (int)room ? 0 : -1;
	}
	return -1;
}

struct knobs {
	const char *controller; /* as /proc/PID/cgroup names it */
	const char *mount;
	const char *files[8];
};

static const struct knobs knobs[] = {
	{"memory",
	 "/sys/fs/cgroup/memory",
	 {"memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.swappiness"}}, /* v1 */
	{"pids", "/sys/fs/cgroup/pids", {"pids.max"}},                                   /* v1 */
	{"cpu", "/sys/fs/cgroup/cpu", {"cpu.cfs_quota_us", "cpu.cfs_period_us"}},        /* v1 */
	{"cpuacct", "/sys/fs/cgroup/cpuacct", {NULL}},                                   /* v1 */
	{"",
	 "/sys/fs/cgroup/unified",
	 {"memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cpu.max"}}, /* hybrid */
	{"",
	 "/sys/fs/cgroup",
	 {"memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cpu.max"}}, /* v2 */
};

static void write_knobs(FILE *log, const struct knobs *k, const char *group, unsigned level)
{
	for (size_t i = 0; i < ARRAY_LEN(k->files) && k->files[i]; i++) {
		char path[4608], text[128] = "";
		own_file file = NULL;

		(void)snprintf(path, sizeof(path), "%s%s/%s", k->mount, group, k->files[i]);
		file = fopen(path, "re");
		if (!file || !fgets(text, sizeof(text), file))
			continue;
		(void)fprintf(log, "posture group %s level %u %s %s", k->controller, level,
			      k->files[i], text);
	}
}

/* From the process's group up to the one this injector is in: those were made for the box. */
static void write_groups(FILE *log, pid_t pid)
{
	for (size_t i = 0; i < ARRAY_LEN(knobs); i++) {
		char theirs[4096], ours[4096];
		unsigned level = 0;

		if (find_group(pid, knobs[i].controller, theirs, sizeof(theirs)) < 0 ||
		    find_group(getpid(), knobs[i].controller, ours, sizeof(ours)) < 0)
			continue;
		(void)fprintf(log, "posture group %s %s\n", knobs[i].controller,
			      strcmp(theirs, ours) == 0 ? "shared" : "own");
		while (strcmp(theirs, ours) != 0 && theirs[0] && theirs[1]) {
			char *last = strrchr(theirs, '/');

			write_knobs(log, &knobs[i], theirs, level++);
			if (!last)
				break;
			*last = '\0';
		}
	}
}

void posture_write(FILE *log, pid_t pid)
{
	static const char *const files[] = {
		"limits", "uid_map", "gid_map", "setgroups", "oom_score_adj", "personality",
	};

	write_status(log, pid);
	write_namespaces(log, pid);
	write_mounts(log, pid);
	write_environment(log, pid);
	write_descriptors(log, pid);
	write_groups(log, pid);
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		write_lines(log, pid, files[i]);
}
