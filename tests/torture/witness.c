/* SPDX-License-Identifier: Apache-2.0 */
/* witness.c - says from inside whether it is sealed: "SEALED", or "UNSEALED" and every reason.
 *
 * Each row is one wall and looks for what the wall hides, not for the wall's
 * own word.  Run without a box, as root, every row must complain: the driver
 * checks that, so that no row can be one that never fails.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/own.h"

/* The value after "Name:" in /proc/self/status, without blanks in front. */
static const char *status_field(const char *name)
{
	static char line[256];
	own_file file = fopen("/proc/self/status", "re");

	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, strlen(name)) != 0 || line[strlen(name)] != ':')
			continue;
		line[strcspn(line, "\n")] = '\0';
		return line + strlen(name) + 1 + strspn(line + strlen(name) + 1, " \t");
	}
	return "missing";
}

static bool seccomp_off(void)
{
	return strcmp(status_field("Seccomp"), "2") != 0;
}

/* The filter's own answer: a call that nobody refuses but a filter. */
static bool filter_lets_through(void)
{
	return syscall(SYS_personality, 0x0040000UL) >= 0;
}

static bool may_gain_privileges(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
}

static bool has_capabilities(void)
{
	static const char *const sets[] = {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"};

	for (size_t i = 0; i < ARRAY_LEN(sets); i++)
		if (strspn(status_field(sets[i]), "0") != 16)
			return true;
	return false;
}

static bool securebits_open(void)
{
	return (prctl(PR_GET_SECUREBITS, 0, 0, 0, 0) & 0x2f) != 0x2f;
}

static bool wrong_user(void)
{
	uid_t r, e, s;
	gid_t gr, ge, gs;

	(void)getresuid(&r, &e, &s);
	(void)getresgid(&gr, &ge, &gs);
	return r != 1000 || e != 1000 || s != 1000 || gr != 1000 || ge != 1000 || gs != 1000;
}

/* In our own pid namespace the numbers are small and there is nobody but pid 1 and us. */
static bool sees_other_processes(void)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	size_t strangers = 0;
	char own[16];

	(void)snprintf(own, sizeof(own), "%d", getpid());
	if (!proc)
		return true;
	while ((entry = readdir(proc)) != NULL)
		strangers += entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
			     strcmp(entry->d_name, own) != 0;
	(void)closedir(proc);
	return strangers != 0 || getpid() > 64;
}

static bool reads_pid_1(void)
{
	own_fd fd = open("/proc/1/environ", O_RDONLY | O_CLOEXEC);

	return fd >= 0;
}

static bool proc_is_whole(void)
{
	return access("/proc/sys/kernel", F_OK) == 0 || access("/proc/keys", F_OK) == 0;
}

static bool root_is_writable(void)
{
	static const char *const places[] = {"/", "/usr", "/etc", "/usr/bin", "/dev", "/var"};

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		own_fd dir = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (dir < 0)
			continue;
		if (mkdirat(dir, "bj-witness", 0700) == 0) {
			(void)unlinkat(dir, "bj-witness", AT_REMOVEDIR);
			return true;
		}
		if (errno != EROFS && errno != EACCES && errno != EPERM)
			return true;
	}
	return false;
}

static bool sees_host_files(void)
{
	static const char *const paths[] = {"/etc/shadow", "/etc/machine-id", "/root",
					    "/boot",       "/sys/kernel",     "/var/lib"};

	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		if (access(paths[i], F_OK) == 0)
			return true;
	return false;
}

static bool sees_devices(void)
{
	static const char *const known[] = {".",       "..", "null",  "zero",   "full",   "random",
					    "urandom", "fd", "stdin", "stdout", "stderr", "shm"};
	DIR *dev = opendir("/dev");
	const struct dirent *entry;
	size_t strangers = 0;

	while (dev && (entry = readdir(dev)) != NULL) {
		size_t i = 0;

		while (i < ARRAY_LEN(known) && strcmp(entry->d_name, known[i]) != 0)
			i++;
		strangers += i == ARRAY_LEN(known);
	}
	if (dev)
		(void)closedir(dev);
	return strangers != 0;
}

static bool has_network(void)
{
	struct ifreq request = {.ifr_name = "lo"};
	own_fd sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(9)};

	if (sock < 0)
		return false;
	if (ioctl(sock, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_UP))
		return true;
	there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return connect(sock, (struct sockaddr *)&there, sizeof(there)) == 0;
}

static bool has_extra_descriptors(void)
{
	for (int fd = 3; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			return true;
	return false;
}

/* Our own comm file is ours to write by every rule but Landlock's. */
static bool landlock_off(void)
{
	own_fd fd = open("/proc/self/comm", O_WRONLY | O_CLOEXEC);

	return fd >= 0;
}

static bool has_host_name(void)
{
	struct utsname name;

	return uname(&name) < 0 || strcmp(name.nodename, "box") != 0;
}

static bool wrong_directory(void)
{
	char path[64];

	return !getcwd(path, sizeof(path)) || strcmp(path, "/work") != 0;
}

static bool has_environment(void)
{
	return secure_getenv("BELLJAR_TEST_CANARY") != NULL;
}

static bool sees_host_sysv(void)
{
	/* The driver makes one with this key; our own ipc namespace does not have it. */
	return syscall(SYS_shmget, 0x626a7477, 0, 0) >= 0;
}

static bool makes_namespaces(void)
{
	return syscall(SYS_unshare, 0x10000000UL) == 0;
}

static bool dumps_core(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_CORE, &limit) < 0 || limit.rlim_max > 1;
}

static bool opens_many_files(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_max > 1024;
}

static bool has_terminal(void)
{
	return getsid(0) != getpid();
}

/* Three files that are small enough for any limit on one file, and together too large. */
static bool disk_is_unlimited(void)
{
	static const char *const names[] = {"bj-fill-1", "bj-fill-2", "bj-fill-3"};
	own_fd dir = open("/work", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t made = 0;

	if (dir < 0)
		dir = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		own_fd fd = openat(dir, names[i], O_RDWR | O_CREAT | O_CLOEXEC, 0600);

		made += fd >= 0 && fallocate(fd, 0, 0, 500 << 10) == 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		(void)unlinkat(dir, names[i], 0);
	return made != 2; /* --disk 1m */
}

static const struct wall {
	const char *name;
	bool (*broken)(void);
} walls[] = {
	{"seccomp", seccomp_off},
	{"filter", filter_lets_through},
	{"no_new_privs", may_gain_privileges},
	{"capabilities", has_capabilities},
	{"securebits", securebits_open},
	{"user", wrong_user},
	{"processes", sees_other_processes},
	{"pid_1", reads_pid_1},
	{"proc", proc_is_whole},
	{"read_only_root", root_is_writable},
	{"host_files", sees_host_files},
	{"devices", sees_devices},
	{"network", has_network},
	{"descriptors", has_extra_descriptors},
	{"landlock", landlock_off},
	{"host_name", has_host_name},
	{"directory", wrong_directory},
	{"environment", has_environment},
	{"ipc", sees_host_sysv},
	{"core", dumps_core},
	{"files", opens_many_files},
	{"session", has_terminal},
	{"disk", disk_is_unlimited},
	{"namespaces", makes_namespaces}, /* keep last: it changes what it finds */
};

int main(int argc, char **argv)
{
	char line[1024];
	size_t used = 0;

	if (argc > 1 && strcmp(argv[1], "--walls") == 0) {
		for (size_t i = 0; i < ARRAY_LEN(walls); i++)
			(void)puts(walls[i].name);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(walls); i++)
		if (walls[i].broken())
			used += (size_t)snprintf(line + used, sizeof(line) - used, " %s",
						 walls[i].name);
	if (used)
		(void)printf("UNSEALED%s\n", line);
	else
		(void)printf("SEALED\n");
	return 0;
}
