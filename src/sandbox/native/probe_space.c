/* SPDX-License-Identifier: Apache-2.0 */
/* probe_space.c - namespaces and the file systems a box is built from, all really tried. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/probe_parts.h"

static const uid_t first_uid = 2000000000; /* where the boxes' own uids begin */

/* Ubuntu lets the namespace be made and then denies every power in it: use one. */
static void try_user_namespace(long arg, struct tried *ret)
{
	(void)arg;
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		probe_failed(ret, "mount inside a new user namespace");
}

static bool apparmor_restricts(void)
{
	return probe_sysctl("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1;
}

static void fix_apparmor(struct finding *ret)
{
	char exe[256];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	exe[n > 0 ? n : 0] = '\0';
	fix(ret,
	    "AppArmor forbids it (kernel.apparmor_restrict_unprivileged_userns=1). As root:\n"
	    "printf 'abi <abi/4.0>,\\ninclude <tunables/global>\\n"
	    "profile belljar \"%s\" flags=(unconfined) {\\n  userns,\\n}\\n' "
	    "> /etc/apparmor.d/belljar && apparmor_parser -r /etc/apparmor.d/belljar",
	    n > 0 ? exe : "/usr/bin/belljar");
}

static void fix_user_namespace(const struct tried *t, struct finding *ret)
{
	if (probe_sysctl("/proc/sys/kernel/unprivileged_userns_clone") == 0 && geteuid() != 0)
		fix(ret, "sysctl -w kernel.unprivileged_userns_clone=1");
	else if (probe_sysctl("/proc/sys/user/max_user_namespaces") == 0 || t->sys == ENOSPC)
		fix(ret, "sysctl -w user.max_user_namespaces=15000");
	else if (apparmor_restricts())
		fix_apparmor(ret);
	else if (t->sys == EINVAL || t->sys == ENOSYS)
		fix(ret, "a kernel with CONFIG_USER_NS=y");
	else
		fix(ret,
		    "in a container: start it with --security-opt seccomp=unconfined "
		    "--security-opt apparmor=unconfined --security-opt systempaths=unconfined");
}

void look_user_namespace(const struct check *self, struct finding *ret)
{
	struct tried t;

	(void)self;
	probe_try(CLONE_NEWUSER, try_user_namespace, 0, &t);
	if (t.done) {
		found(ret, CHECK_OK, "made one and mounted in it; user.max_user_namespaces=%lld",
		      probe_sysctl("/proc/sys/user/max_user_namespaces"));
		return;
	}
	found(ret, CHECK_MISSING, "%s: %s", t.text, strerror(t.sys));
	fix_user_namespace(&t, ret);
}

static int keep_only_sys_admin(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {0};

	data[0].effective = data[0].permitted = 1U << CAP_SYS_ADMIN;
	return (int)syscall(SYS_capset, &head, data);
}

/* As a box does it in root mode: become the uid first, then make the namespace it will own. */
static void try_own_uid(long arg, struct tried *ret)
{
	struct error err;
	char map[48];

	(void)arg;
	if (setgroups(0, NULL) < 0 || setresgid(first_uid, first_uid, first_uid) < 0 ||
	    prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 ||
	    setresuid(first_uid, first_uid, first_uid) < 0 || keep_only_sys_admin() < 0) {
		probe_failed(ret, "take on a uid of the range");
		return;
	}
	if (unshare(CLONE_NEWUSER) < 0) {
		probe_failed(ret, "make a user namespace as that uid");
		return;
	}
	/* exec does it for a box: without it /proc/self belongs to root. */
	(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	(void)snprintf(map, sizeof(map), "1000 %u 1", first_uid);
	if (fd_put_file(AT_FDCWD, "/proc/self/uid_map", map, &err) < 0) {
		errno = err.sys;
		probe_failed(ret, "map 1000 to that uid");
	}
}

void look_own_uid(const struct check *self, struct finding *ret)
{
	struct tried t;

	(void)self;
	if (geteuid() != 0) {
		found(ret, CHECK_INFO,
		      "all boxes of an ordinary user share the user's uid, hence its quotas, and "
		      "the "
		      "host's device nodes, hence locks and watches on these");
		fix(ret, "run belljar as root to give every box a uid and devices of its own");
		return;
	}
	probe_try(0, try_own_uid, 0, &t);
	if (t.done) {
		found(ret, CHECK_OK, "a user namespace owned by uid %u, mapped to 1000", first_uid);
		return;
	}
	found(ret, CHECK_MISSING, "%s: %s", t.text, strerror(t.sys));
	fix(ret,
	    t.sys == EINVAL ? "this user namespace does not map uid %u: run belljar outside the "
			      "container, or as an ordinary user"
			    : "give belljar CAP_SETUID, CAP_SETGID and CAP_SYS_ADMIN (uid %u could "
			      "not be used)",
	    first_uid);
}

static const struct {
	int flag;
	const char *word; /* as the sysctls spell it */
} kinds[] = {
	{CLONE_NEWPID, "pid"},   {CLONE_NEWNS, "mnt"},        {CLONE_NEWIPC, "ipc"},
	{CLONE_NEWUTS, "uts"},   {CLONE_NEWCGROUP, "cgroup"}, {CLONE_NEWNET, "net"},
	{CLONE_NEWUSER, "user"},
};

static const char *kind_word(long flag)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (kinds[i].flag == flag)
			return kinds[i].word;
	return "user";
}

static void try_nothing(long arg, struct tried *ret)
{
	(void)arg;
	(void)ret;
}

void look_namespace(const struct check *self, struct finding *ret)
{
	struct tried t;

	probe_try(probe_flags((int)self->arg), try_nothing, 0, &t);
	if (t.done) {
		found(ret, CHECK_OK, "made one");
		return;
	}
	found(ret, CHECK_MISSING, "%s: %s", t.text, strerror(t.sys));
	if (t.sys == ENOSPC)
		fix(ret, "sysctl -w user.max_%s_namespaces=15000", kind_word(self->arg));
	else if (t.sys == EINVAL)
		fix(ret, "a kernel with CONFIG_NAMESPACES=y and all kinds of them");
	else
		fix(ret, "see user_namespace");
}

enum { FEW_NAMESPACES = 64 };

void look_namespace_limits(const struct check *self, struct finding *ret)
{
	const char *lowest = "user";
	long long low = -1;
	char path[64];

	(void)self;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		long long n;

		(void)snprintf(path, sizeof(path), "/proc/sys/user/max_%s_namespaces",
			       kinds[i].word);
		n = probe_sysctl(path);
		if (n < 0 || (low >= 0 && n >= low))
			continue;
		low = n;
		lowest = kinds[i].word;
	}
	if (low < 0) {
		found(ret, CHECK_INFO, "/proc/sys/user cannot be read");
		return;
	}
	found(ret, low >= FEW_NAMESPACES ? CHECK_OK : CHECK_DEGRADED,
	      "the lowest is user.max_%s_namespaces=%lld; a box takes one of each kind", lowest,
	      low);
	if (low < FEW_NAMESPACES)
		fix(ret, "sysctl -w user.max_%s_namespaces=15000", lowest);
}

static int stage_in_tmp(void)
{
	if (mount("belljar-probe", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=64k,nr_inodes=16") <
	    0)
		return -1;
	return mkdir("/tmp/empty", 0755) < 0 || mkdir("/tmp/joined", 0755) < 0 ? -1 : 0;
}

static void try_overlay(long arg, struct tried *ret)
{
	struct stat plain, joined;

	(void)arg;
	if (stage_in_tmp() < 0) {
		probe_failed(ret, "tmpfs for the overlay");
		return;
	}
	if (mount("overlay", "/tmp/joined", "overlay", MS_RDONLY,
		  "userxattr,lowerdir=/tmp/empty:/usr") < 0) {
		probe_failed(ret, "mount an overlay without an upper directory");
		return;
	}
	if (stat("/usr/bin", &plain) < 0 || stat("/tmp/joined/bin", &joined) < 0) {
		probe_failed(ret, "look through the overlay");
		return;
	}
	if (mkdir("/tmp/joined/new", 0755) == 0 || errno != EROFS)
		probe_failed(ret, "the overlay took a write");
}

void look_overlay(const struct check *self, struct finding *ret)
{
	struct tried t;

	(void)self;
	probe_try(probe_flags(CLONE_NEWNS), try_overlay, 0, &t);
	if (t.done) {
		found(ret, CHECK_OK, "lower-only overlay of /usr mounted in a user namespace");
		return;
	}
	found(ret, CHECK_MISSING, "%s: %s", t.text, strerror(t.sys));
	if (t.sys == ENODEV)
		fix(ret, "modprobe overlay (for good: echo overlay > "
			 "/etc/modules-load.d/overlay.conf)");
	else if (geteuid() != 0 && t.sys == EPERM)
		fix(ret, "ordinary users may mount an overlay since Linux 5.11; see user_namespace "
			 "too");
	else
		fix(ret, "--allow-degraded overlay uses plain read-only binds; file locks and "
			 "watches then cross between boxes");
}

/* A limit that does not bite is no limit: fill both. */
static void try_tmpfs(long arg, struct tried *ret)
{
	static const char page[4096];
	own_fd fd = -1;
	int pages = 0, files = 0;
	char name[32];

	(void)arg;
	if (stage_in_tmp() < 0) {
		probe_failed(ret, "mount a tmpfs with size and nr_inodes");
		return;
	}
	fd = open("/tmp/fill", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	while (fd >= 0 && pages < 64 && write(fd, page, sizeof(page)) == (ssize_t)sizeof(page))
		pages++;
	if (pages != 16 || errno != ENOSPC) {
		probe_failed(ret, "the size limit does not bite");
		return;
	}
	do
		(void)snprintf(name, sizeof(name), "/tmp/f%d", files);
	while (mknod(name, S_IFREG | 0600, 0) == 0 && ++files < 64);
	if (files > 16 || errno != ENOSPC)
		probe_failed(ret, "the inode limit does not bite");
}

void look_tmpfs(const struct check *self, struct finding *ret)
{
	struct tried t;

	(void)self;
	probe_try(probe_flags(CLONE_NEWNS), try_tmpfs, 0, &t);
	if (t.done) {
		found(ret, CHECK_OK, "size and inode limits of a tmpfs bite");
		return;
	}
	found(ret, CHECK_MISSING, "%s: %s", t.text, strerror(t.sys));
	fix(ret, "see user_namespace; the kernel needs CONFIG_TMPFS=y");
}

static void try_proc(long arg, struct tried *ret)
{
	struct stat st;

	(void)arg;
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		  "subset=pid,hidepid=invisible") < 0) {
		probe_failed(ret, "mount proc with subset=pid,hidepid=invisible");
		return;
	}
	if (stat("/proc/self/status", &st) < 0)
		probe_failed(ret, "look into the new /proc");
	else if (stat("/proc/meminfo", &st) == 0) {
		errno = EIO;
		probe_failed(ret, "subset=pid did not hide the rest");
	}
}

void look_proc(const struct check *self, struct finding *ret)
{
	struct tried t;

	(void)self;
	probe_try(probe_flags(CLONE_NEWPID | CLONE_NEWNS), try_proc, 0, &t);
	if (t.done) {
		found(ret, CHECK_OK, "a /proc of its own with subset=pid,hidepid=invisible");
		return;
	}
	found(ret, CHECK_MISSING, "%s: %s", t.text, strerror(t.sys));
	if (t.sys == EPERM)
		fix(ret,
		    "parts of the outer /proc are masked, as containers do: start the container "
		    "with --security-opt systempaths=unconfined (podman: unmask=ALL)");
	else if (t.sys == EINVAL)
		fix(ret, "needs Linux 5.8 or newer");
	else
		fix(ret, "see pid_namespace and mount_namespace");
}

static pid_t hold_user_namespace(void)
{
	pid_t child = (pid_t)syscall(SYS_clone, (unsigned long)CLONE_NEWUSER | SIGCHLD, NULL, NULL,
				     NULL, 0UL);

	if (child == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		for (;;)
			(void)pause();
	}
	return child;
}

static int idmapped_clone(pid_t holder)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_IDMAP};
	own_fd space = -1, tree = -1;
	struct error err;
	char path[48];

	for (int i = 0; i < 2; i++) {
		(void)snprintf(path, sizeof(path), "/proc/%d/%s", holder,
			       i ? "uid_map" : "gid_map");
		if (fd_put_file(AT_FDCWD, path, "0 1000 1", &err) < 0) {
			errno = err.sys;
			return -1;
		}
	}
	(void)snprintf(path, sizeof(path), "/proc/%d/ns/user", holder);
	space = open(path, O_RDONLY | O_CLOEXEC);
	tree = (int)syscall(SYS_open_tree, AT_FDCWD, "/", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (space < 0 || tree < 0)
		return -1;
	attr.userns_fd = (unsigned)space;
	return (int)syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attr, sizeof(attr));
}

static void try_idmap(long arg, struct tried *ret)
{
	pid_t holder = hold_user_namespace();

	(void)arg;
	if (holder < 0 || idmapped_clone(holder) < 0)
		probe_failed(ret, "map the ids of a mount");
	if (holder > 0) {
		(void)kill(holder, SIGKILL);
		(void)waitpid(holder, NULL, 0);
	}
}

void look_idmap(const struct check *self, struct finding *ret)
{
	struct tried t;

	(void)self;
	if (geteuid() != 0) {
		found(ret, CHECK_INFO, "only root can map the ids of a mount");
		return;
	}
	probe_try(CLONE_NEWNS, try_idmap, 0, &t);
	if (t.done)
		found(ret, CHECK_OK, "idmapped mounts work on the root file system");
	else
		found(ret, CHECK_INFO,
		      "%s: %s (this file system or kernel cannot; files that a box writes to a "
		      "--write directory then belong to the box's uid)",
		      t.text, strerror(t.sys));
}
