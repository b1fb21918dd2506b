/* SPDX-License-Identifier: Apache-2.0 */
/* probe_kernel.c - which parts of the kernel's interface are there. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/probe_parts.h"

/* The newest thing we cannot do without is Landlock (5.13). */
enum { KERNEL_MAJOR = 5, KERNEL_MINOR = 13, KERNEL_GOOD_MINOR = 14 };

void look_kernel(const struct check *self, struct finding *ret)
{
	struct utsname u;
	int major = 0, minor = 0;

	(void)self;
	if (uname(&u) < 0 || sscanf(u.release, "%d.%d", &major, &minor) != 2) {
		found(ret, CHECK_MISSING, "the version cannot be read");
		fix(ret, "use Linux %d.%d or newer", KERNEL_MAJOR, KERNEL_GOOD_MINOR);
		return;
	}
	if (major > KERNEL_MAJOR || (major == KERNEL_MAJOR && minor >= KERNEL_GOOD_MINOR)) {
		found(ret, CHECK_OK, "Linux %s on %s", u.release, u.machine);
		return;
	}
	found(ret, major == KERNEL_MAJOR && minor == KERNEL_MINOR ? CHECK_DEGRADED : CHECK_MISSING,
	      "Linux %s on %s; %d.%d or newer is wanted", u.release, u.machine, KERNEL_MAJOR,
	      KERNEL_GOOD_MINOR);
	fix(ret, "install a newer kernel (Debian 12 brings 6.1: apt install linux-image-amd64)");
}

static long call_clone3(void)
{
	struct clone_args args = {.exit_signal = SIGCHLD};
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid == 0)
		_exit(0);
	if (pid > 0)
		(void)waitpid((pid_t)pid, NULL, 0);
	return pid;
}

static long call_openat2(void)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_BENEATH};

	return syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof(how));
}

static long call_open_tree(void)
{
	/* Recursive: in a user namespace what is mounted beneath may not be uncovered. */
	return syscall(SYS_open_tree, AT_FDCWD, "/",
		       OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
}

static long call_mount_setattr(void)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID};
	long tree = call_open_tree();

	if (tree < 0)
		return -1;
	return syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attr, sizeof(attr));
}

static long call_fsopen(void)
{
	long fs = syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);

	if (fs < 0 || syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -1;
	return syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NODEV);
}

static long call_pidfd_open(void)
{
	return syscall(SYS_pidfd_open, getpid(), 0);
}

static long call_close_range(void)
{
	return close_range(1000, 1000, 0);
}

/* The rows of the table say which one by its place here. */
static const struct {
	const char *name;
	long (*call)(void);
	int flags;
	const char *since;
} calls[] = {
	{"clone3", call_clone3, 0, "5.3"},
	{"pidfd_open", call_pidfd_open, 0, "5.3"},
	{"close_range", call_close_range, 0, "5.9"},
	{"openat2", call_openat2, 0, "5.6"},
	{"fsopen, fsconfig, fsmount", call_fsopen, CLONE_NEWNS, "5.2"},
	{"open_tree", call_open_tree, CLONE_NEWNS, "5.2"},
	{"mount_setattr", call_mount_setattr, CLONE_NEWNS, "5.12"},
};

static void try_call(long which, struct tried *ret)
{
	if (calls[which].call() < 0)
		probe_failed(ret, calls[which].name);
}

void look_call(const struct check *self, struct finding *ret)
{
	int flags = calls[self->arg].flags;
	struct tried t;

	probe_try(flags ? probe_flags(flags) : 0, try_call, self->arg, &t);
	if (t.done) {
		found(ret, CHECK_OK, "%s works", calls[self->arg].name);
		return;
	}
	found(ret, CHECK_MISSING, "%s: %s", t.text, strerror(t.sys));
	if (t.sys == ENOSYS)
		fix(ret,
		    "needs Linux %s or newer; in a container, a newer runtime (its system call "
		    "filter does not know %s)",
		    calls[self->arg].since, calls[self->arg].name);
	else
		fix(ret, "see user_namespace: without privileges over mounts this cannot be tried");
}

static void try_pidfd_setns(long arg, struct tried *ret)
{
	long pidfd = call_pidfd_open();

	(void)arg;
	/* Our own namespaces again: refused only by kernels that cannot do it. */
	if (pidfd < 0 || setns((int)pidfd, CLONE_NEWUTS) < 0)
		probe_failed(ret, "setns on a pidfd");
}

void look_pidfd_setns(const struct check *self, struct finding *ret)
{
	struct tried t;

	(void)self;
	probe_try(probe_flags(CLONE_NEWUTS), try_pidfd_setns, 0, &t);
	if (t.done) {
		found(ret, CHECK_OK, "setns takes a pidfd");
		return;
	}
	found(ret, CHECK_MISSING, "%s: %s", t.text, strerror(t.sys));
	fix(ret, "needs Linux 5.8 or newer");
}

static int sealed_memfd(void)
{
	int fd = memfd_create("belljar-probe", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	if (write(fd, "#!", 2) != 2 || fchmod(fd, 0700) < 0)
		return -1;
	return fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

static void try_memfd(long arg, struct tried *ret)
{
	(void)arg;
	if (sealed_memfd() < 0)
		probe_failed(ret, "seal a memfd that may be executed");
}

void look_memfd(const struct check *self, struct finding *ret)
{
	long long noexec = probe_sysctl("/proc/sys/vm/memfd_noexec");
	struct tried t;

	(void)self;
	probe_try(0, try_memfd, 0, &t);
	if (noexec == 2) {
		found(ret, CHECK_MISSING, "vm.memfd_noexec=2: the box's init could not start");
		fix(ret, "sysctl -w vm.memfd_noexec=1");
	} else if (t.done) {
		found(ret, CHECK_OK, "sealing works; vm.memfd_noexec=%lld", noexec);
	} else {
		found(ret, CHECK_MISSING, "%s: %s", t.text, strerror(t.sys));
		fix(ret, "needs Linux 3.17 or newer with CONFIG_MEMFD_CREATE");
	}
}

/* The setting is one of the pid namespace, hence of the box. */
static void try_memfd_noexec(long arg, struct tried *ret)
{
	struct error err;

	(void)arg;
	if (fd_put_file(AT_FDCWD, "/proc/sys/vm/memfd_noexec", "2", &err) < 0) {
		errno = err.sys;
		probe_failed(ret, "write vm.memfd_noexec");
	}
}

void look_memfd_noexec(const struct check *self, struct finding *ret)
{
	struct tried t;

	(void)self;
	/* In root mode the launcher writes it before it gives root up. */
	probe_try(geteuid() == 0 ? CLONE_NEWPID : probe_flags(CLONE_NEWPID), try_memfd_noexec, 0,
		  &t);
	if (t.done)
		found(ret, CHECK_OK, "a box can have vm.memfd_noexec=2 of its own");
	else
		found(ret, CHECK_INFO,
		      "%s: %s; with --programs the system call filter alone keeps memfds from "
		      "being executed",
		      t.text, strerror(t.sys));
}

static const char *const landlock_adds[] = {
	"",
	"files",
	"rename across directories",
	"truncate",
	"TCP bind and connect",
	"device ioctl",
	"signals and abstract sockets",
	"audit",
	"all threads at once",
	"named Unix sockets",
};

/* Signals and abstract sockets: what is below this leaves a layer half up. */
enum { LANDLOCK_WANTED = 6, LANDLOCK_VERSION_FLAG = 1, LANDLOCK_CREATE_NR = 444 };

void look_landlock(const struct check *self, struct finding *ret)
{
	long abi = syscall(LANDLOCK_CREATE_NR, NULL, 0, LANDLOCK_VERSION_FLAG);
	char text[200] = "";

	(void)self;
	if (abi < 0 && errno == EOPNOTSUPP) {
		found(ret, CHECK_MISSING, "built into the kernel, but not started");
		fix(ret, "add landlock to the list in the kernel's boot parameter, e.g. "
			 "lsm=landlock,lockdown,yama,integrity,apparmor (/etc/default/grub, "
			 "GRUB_CMDLINE_LINUX; then update-grub and reboot)");
		return;
	}
	if (abi < 1) {
		found(ret, CHECK_MISSING, "not in this kernel: %s", strerror(errno));
		fix(ret, "a kernel of 5.13 or newer with CONFIG_SECURITY_LANDLOCK=y (Debian's has "
			 "it); in a container, a runtime whose filter lets landlock_* through");
		return;
	}
	for (long i = 1; i <= abi && i < (long)ARRAY_LEN(landlock_adds); i++) {
		size_t used = strlen(text);

		(void)snprintf(text + used, sizeof(text) - used, "%s%s", i > 1 ? ", " : "",
			       landlock_adds[i]);
	}
	found(ret, abi >= LANDLOCK_WANTED ? CHECK_OK : CHECK_DEGRADED, "ABI %ld: %s", abi, text);
	if (abi < LANDLOCK_WANTED)
		fix(ret, "Linux 6.12 or newer brings ABI %d (%s)", LANDLOCK_WANTED,
		    landlock_adds[LANDLOCK_WANTED]);
}

static void try_filter(long arg, struct tried *ret)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTNAM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {ARRAY_LEN(code), code};

	(void)arg;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
		probe_failed(ret, "no_new_privs");
		return;
	}
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0) {
		probe_failed(ret, "install a filter");
		return;
	}
	if (syscall(SYS_getppid) != -1 || errno != ENOTNAM) {
		errno = EIO;
		probe_failed(ret, "a filter was installed but does not bite");
	}
}

void look_seccomp(const struct check *self, struct finding *ret)
{
	char actions[256] = "";
	struct error err;
	struct tried t;

	(void)self;
	(void)fd_get_file(AT_FDCWD, "/proc/sys/kernel/seccomp/actions_avail", actions,
			  sizeof(actions), &err);
	actions[strcspn(actions, "\n")] = '\0';
	probe_try(0, try_filter, 0, &t);
	if (!t.done) {
		found(ret, CHECK_MISSING, "%s: %s", t.text, strerror(t.sys));
		fix(ret, "a kernel with CONFIG_SECCOMP_FILTER=y");
	} else if (actions[0] && !strstr(actions, "kill_process")) {
		found(ret, CHECK_MISSING, "no kill_process among: %s", actions);
		fix(ret, "needs Linux 4.14 or newer");
	} else {
		found(ret, CHECK_OK, "filters work; actions: %s",
		      actions[0] ? actions : "(not listed)");
	}
}

static void try_keyring(long arg, struct tried *ret)
{
	(void)arg;
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0)
		probe_failed(ret, "join a new session keyring");
}

void look_keyring(const struct check *self, struct finding *ret)
{
	struct tried t;

	(void)self;
	probe_try(0, try_keyring, 0, &t);
	if (t.done) {
		found(ret, CHECK_OK, "a box gets a session keyring of its own");
	} else if (t.sys == ENOSYS) {
		found(ret, CHECK_OK, "this kernel has no keyrings, or hides them");
	} else {
		found(ret, CHECK_MISSING, "%s: %s", t.text, strerror(t.sys));
		fix(ret, t.sys == EDQUOT ? "sysctl -w kernel.keys.maxkeys=2000"
					 : "in a container: a runtime whose filter lets keyctl "
					   "through, or --allow-degraded keyring");
	}
}
