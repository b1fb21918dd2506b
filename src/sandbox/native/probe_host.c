/* SPDX-License-Identifier: Apache-2.0 */
/* probe_host.c - the host's settings, ids and programs, as far as they matter to a box. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"
#include "sandbox/native/probe_parts.h"

static const struct {
	int bit;
	const char *name;
	bool needed; /* else: only a convenience */
} powers[] = {
	{CAP_SYS_ADMIN, "CAP_SYS_ADMIN", true},
	{CAP_SETUID, "CAP_SETUID", true},
	{CAP_SETGID, "CAP_SETGID", true},
	{CAP_SETPCAP, "CAP_SETPCAP", true},
	{CAP_KILL, "CAP_KILL", true},
	{CAP_CHOWN, "CAP_CHOWN", true},
	{CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE", true},
	{CAP_NET_ADMIN, "CAP_NET_ADMIN", false},
	{CAP_SYS_RESOURCE, "CAP_SYS_RESOURCE", false},
};

static uint64_t effective_powers(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {0};

	if (syscall(SYS_capget, &head, data) < 0)
		return 0;
	return (uint64_t)data[1].effective << 32 | data[0].effective;
}

static void add_word(char *list, size_t room, const char *word)
{
	size_t used = strlen(list);

	(void)snprintf(list + used, room - used, "%s%s", used ? " " : "", word);
}

void look_mode(const struct check *self, struct finding *ret)
{
	uint64_t have = effective_powers();
	char needed[200] = "", wanted[100] = "";

	(void)self;
	if (geteuid() != 0) {
		found(ret, CHECK_OK, "user mode: uid %u, boxes come from user namespaces",
		      geteuid());
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(powers); i++) {
		if (have >> powers[i].bit & 1)
			continue;
		if (powers[i].needed)
			add_word(needed, sizeof(needed), powers[i].name);
		else
			add_word(wanted, sizeof(wanted), powers[i].name);
	}
	if (needed[0]) {
		found(ret, CHECK_MISSING, "root, but without %s", needed);
		fix(ret, "give it these capabilities (docker run --cap-add, or systemd's "
			 "CapabilityBoundingSet=), or run belljar as an ordinary user");
	} else if (wanted[0]) {
		found(ret, CHECK_DEGRADED,
		      "root mode, without %s: limits cannot be set above those belljar was "
		      "started with",
		      wanted);
		fix(ret, "docker run --cap-add SYS_RESOURCE, or systemd's CapabilityBoundingSet=");
	} else {
		found(ret, CHECK_OK, "root mode: a host uid of its own for every box");
	}
}

enum { UID_FIRST = 2000000000, UID_COUNT = 65536 };

static bool overlaps(uint64_t start, uint64_t count)
{
	return start < (uint64_t)UID_FIRST + UID_COUNT && start + count > UID_FIRST;
}

/* "name:start:count" (subuid) or "name:x:uid:..." (passwd): which field is which. */
static bool line_overlaps(char *line, bool passwd)
{
	char *fields[4] = {NULL};
	uint64_t start, count = 1;
	struct error err;

	line[strcspn(line, "\n")] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(fields) && line; i++)
		fields[i] = strsep(&line, ":");
	if (!fields[1] || !fields[2])
		return false;
	if (text_parse_uint(fields[passwd ? 2 : 1], &start, &err) < 0)
		return false;
	if (!passwd && text_parse_uint(fields[2], &count, &err) < 0)
		return false;
	return overlaps(start, count);
}

static bool file_overlaps(const char *path, char *ret_name, size_t room)
{
	own_file file = fopen(path, "re");
	bool passwd = strstr(path, "passwd") || strstr(path, "group");
	own_str line = NULL;
	size_t line_room = 0;

	while (file && getline(&line, &line_room, file) > 0) {
		(void)snprintf(ret_name, room, "%.*s", (int)strcspn(line, ":\n"), line);
		if (line_overlaps(line, passwd))
			return true;
	}
	return false;
}

void look_uid_range(const struct check *self, struct finding *ret)
{
	static const char *const files[] = {"/etc/passwd", "/etc/group", "/etc/subuid",
					    "/etc/subgid"};
	char name[64];

	(void)self;
	if (geteuid() != 0) {
		found(ret, CHECK_INFO, "not used in user mode");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		if (!file_overlaps(files[i], name, sizeof(name)))
			continue;
		found(ret, CHECK_DEGRADED, "%s gives '%s' ids within %d-%d, the boxes' own range",
		      files[i], name, UID_FIRST, UID_FIRST + UID_COUNT - 1);
		fix(ret, "move that entry elsewhere (usermod -u, usermod --del-subuids), so that "
			 "nobody on the host has a box's uid");
		return;
	}
	found(ret, CHECK_OK, "%d-%d is nobody else's", UID_FIRST, UID_FIRST + UID_COUNT - 1);
}

enum { FEW_PIDS = 4096, BOX_PIDS = 66 };

void look_pid_max(const struct check *self, struct finding *ret)
{
	long long n = probe_sysctl("/proc/sys/kernel/pid_max");

	(void)self;
	if (n < 0) {
		found(ret, CHECK_INFO, "kernel.pid_max cannot be read");
		return;
	}
	found(ret, n >= FEW_PIDS ? CHECK_OK : CHECK_DEGRADED,
	      "kernel.pid_max=%lld, room for about %lld boxes of 64 processes", n, n / BOX_PIDS);
	if (n < FEW_PIDS)
		fix(ret, "sysctl -w kernel.pid_max=32768");
}

void look_inotify(const struct check *self, struct finding *ret)
{
	long long instances = probe_sysctl("/proc/sys/fs/inotify/max_user_instances");
	long long watches = probe_sysctl("/proc/sys/fs/inotify/max_user_watches");

	(void)self;
	found(ret, CHECK_INFO, "%lld instances and %lld watches per uid%s", instances, watches,
	      geteuid() ? ", shared by all boxes of this user" : ", hence per box");
}

void look_ptrace_scope(const struct check *self, struct finding *ret)
{
	long long scope = probe_sysctl("/proc/sys/kernel/yama/ptrace_scope");

	(void)self;
	if (scope < 0)
		found(ret, CHECK_INFO, "no Yama; ptrace is refused by our filter anyway");
	else
		found(ret, CHECK_INFO,
		      "kernel.yama.ptrace_scope=%lld; ptrace is refused by our filter anyway",
		      scope);
}

void look_core_pattern(const struct check *self, struct finding *ret)
{
	char pattern[256], shown[128];
	struct error err;

	(void)self;
	if (fd_get_file(AT_FDCWD, "/proc/sys/kernel/core_pattern", pattern, sizeof(pattern), &err) <
	    0) {
		found(ret, CHECK_INFO, "%.200s", err.text);
		return;
	}
	pattern[strcspn(pattern, "\n")] = '\0';
	text_escape(pattern, strlen(pattern), shown, sizeof(shown));
	found(ret, CHECK_INFO, "'%s'%s; boxes have RLIMIT_CORE=1, so no core is dumped either way",
	      shown, pattern[0] == '|' ? " starts a program on the host" : "");
}

static bool leads_into_usr(const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n <= 0)
		return false;
	target[n] = '\0';
	return strncmp(target, "usr/", 4) == 0 || strncmp(target, "/usr/", 5) == 0;
}

void look_usr_merged(const struct check *self, struct finding *ret)
{
	static const char *const links[] = {"/bin", "/sbin", "/lib"};

	(void)self;
	for (size_t i = 0; i < ARRAY_LEN(links); i++) {
		if (leads_into_usr(links[i]))
			continue;
		found(ret, CHECK_DEGRADED, "%s is not a link into /usr: a box sees only /usr",
		      links[i]);
		fix(ret,
		    "apt install usrmerge, or use a private root: belljar root build DIR, then "
		    "belljar run --root DIR");
		return;
	}
	found(ret, CHECK_OK, "/bin, /sbin and /lib lead into /usr");
}

void look_root(const struct check *self, struct finding *ret)
{
	(void)self;
	found(ret, CHECK_INFO,
	      "the host's own /usr, read-only: a kernel bug that writes to the page cache would "
	      "reach the host's programs");
	fix(ret, "where tenants share this host: belljar root build DIR, then belljar run --root "
		 "DIR");
}

static const char *const runtimes[] = {"python3", "node", "bash"};

void look_runtime(const struct check *self, struct finding *ret)
{
	static const char *const places[] = {"/usr/local/bin", "/usr/bin"};
	const char *name = runtimes[self->arg];
	char path[64], real[PATH_MAX];

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", places[i], name);
		if (access(path, X_OK) != 0 || !realpath(path, real))
			continue;
		/* Only /usr is inside: a link to /opt or /root leads nowhere. */
		if (strncmp(real, "/usr/", 5) != 0) {
			found(ret, CHECK_INFO, "%s leads to %.150s, which no box sees", path, real);
			return;
		}
		found(ret, CHECK_OK, "%s", real);
		return;
	}
	found(ret, CHECK_INFO, "not in /usr/local/bin or /usr/bin: --lang %s cannot work",
	      self->arg == 0 ? "python" : name);
	fix(ret, "apt install %s", self->arg == 1 ? "nodejs" : name);
}

void look_bpf(const struct check *self, struct finding *ret)
{
	(void)self;
	found(ret, CHECK_INFO, "kernel.unprivileged_bpf_disabled=%lld; refused by our filter",
	      probe_sysctl("/proc/sys/kernel/unprivileged_bpf_disabled"));
}

void look_io_uring(const struct check *self, struct finding *ret)
{
	(void)self;
	found(ret, CHECK_INFO, "kernel.io_uring_disabled=%lld; refused by our filter",
	      probe_sysctl("/proc/sys/kernel/io_uring_disabled"));
}
