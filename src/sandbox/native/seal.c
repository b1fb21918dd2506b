/* SPDX-License-Identifier: Apache-2.0 */
/* seal.c - what a process gives up for good: limits, keys, capabilities, new privileges.
 *
 * Runs in a vfork child that shares its parent's memory: system calls by
 * number where libc would bring other threads along, and no allocation.
 */
#include "sandbox/native/seal.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/securebits.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"

enum { NPROC_SLACK = 8 };

static int set_rlimit(int which, rlim_t soft, rlim_t hard, struct error *err)
{
	struct rlimit now, wanted = {.rlim_cur = soft, .rlim_max = hard};

	if (syscall(SYS_prlimit64, 0, which, &wanted, NULL) == 0)
		return 0;
	/* A limit that is lower already stays: raising it would need a privilege. */
	if (errno != EPERM || syscall(SYS_prlimit64, 0, which, NULL, &now) < 0)
		return fail_sys(err, "read or set rlimit %d", which);
	if (wanted.rlim_max > now.rlim_max)
		wanted.rlim_max = now.rlim_max;
	if (wanted.rlim_cur > wanted.rlim_max)
		wanted.rlim_cur = wanted.rlim_max;
	if (syscall(SYS_prlimit64, 0, which, &wanted, NULL) < 0)
		return fail_sys(err, "set rlimit %d", which);
	return 0;
}

int seal_core_dumps(struct error *err)
{
	struct rlimit now;

	/* By birth, where the filter is too: it lets nobody set this. */
	if (syscall(SYS_prlimit64, 0, RLIMIT_CORE, NULL, &now) == 0 && now.rlim_max <= 1 &&
	    now.rlim_cur == now.rlim_max)
		return 0;
	/* 1, not 0: with a pipe as core_pattern only 1 means "no dump". */
	return set_rlimit(RLIMIT_CORE, 1, 1, err);
}

int seal_rlimits(const struct seal_limits *s, struct error *err)
{
	const struct limits *l = s->limits;
	rlim_t cpu = (l->cpu_ms + 999) / 1000;
	/* A little more than the group allows: it must be the first to refuse, for only it counts
	 * what it refused. */
	rlim_t slack = s->processes_by_rlimit ? 0 : NPROC_SLACK;
	rlim_t processes = l->processes + s->own_processes + slack;
	struct {
		int which;
		rlim_t soft, hard;
	} rows[] = {
		{RLIMIT_NOFILE, l->files, l->files},
		{RLIMIT_FSIZE, l->disk_bytes, l->disk_bytes},
		{RLIMIT_MEMLOCK, 65536, 65536},
		{RLIMIT_MSGQUEUE, 65536, 65536},
		{RLIMIT_SIGPENDING, 256, 256},
		{RLIMIT_NICE, 0, 0},
		{RLIMIT_RTPRIO, 0, 0},
		{RLIMIT_STACK, 8 << 20, 8 << 20},
		{RLIMIT_NPROC, processes, processes},
		/* The second net: our own timer comes first. */
		{RLIMIT_CPU, cpu + 1, cpu + 2},
		{RLIMIT_DATA, s->memory_by_rlimit ? l->memory_bytes : RLIM_INFINITY,
		 s->memory_by_rlimit ? l->memory_bytes : RLIM_INFINITY},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (set_rlimit(rows[i].which, rows[i].soft, rows[i].hard, err) < 0)
			return -1;
	return 0;
}

int seal_keyring(struct error *err)
{
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0)
		return fail_sys(err, "new session keyring");
	return 0;
}

int seal_bounding_set(struct error *err)
{
	/* Until the kernel knows no further capability. */
	for (unsigned long cap = 0; cap < 64; cap++)
		/* One that is gone already needs no right to drop it. */
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0 &&
		    prctl(PR_CAPBSET_READ, cap, 0, 0, 0) != 0)
			return errno == EINVAL && cap > CAP_BPF
				       ? 0
				       : fail_sys(err, "drop capability %lu", cap);
	return 0;
}

const int seal_kept[SEAL_KEPT_COUNT] = {
	CAP_SYS_ADMIN,  /* setns, a cgroup namespace */
	CAP_SYS_CHROOT, /* setns of mounts, the box's root */
	CAP_SYS_PTRACE, /* pid 1 of the box may not be looked at, nor its namespaces, without */
	CAP_SETUID,     /* to become nobody */
	CAP_SETGID,     CAP_SETPCAP, /* to lock securebits */
};

int seal_keep_inheritable(struct error *err)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[2] = {0};

	if (syscall(SYS_capget, &head, sets) < 0)
		return fail_sys(err, "read capabilities");
	for (size_t i = 0; i < SEAL_KEPT_COUNT; i++)
		sets[0].inheritable |= 1u << seal_kept[i];
	return syscall(SYS_capset, &head, sets) < 0 ? fail_sys(err, "keep capabilities") : 0;
}

enum {
	LOCKED_BITS = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
		      SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
		      SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED
};

int seal_securebits(struct error *err)
{
	/* By birth, as above. */
	if (prctl(PR_GET_SECUREBITS, 0, 0, 0, 0) == LOCKED_BITS)
		return 0;
	return prctl(PR_SET_SECUREBITS, (unsigned long)LOCKED_BITS, 0, 0, 0) < 0
		       ? fail_sys(err, "lock securebits")
		       : 0;
}

bool seal_is_filtered(void)
{
	/* The kernel itself would have nothing against it. */
	return prctl(PR_SET_SECUREBITS, (unsigned long)LOCKED_BITS, 0, 0, 0) < 0 && errno == EPERM;
}

int seal_capabilities(struct error *err)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[2] = {0}, now[2] = {0};

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return fail_sys(err, "clear ambient capabilities");
	if (syscall(SYS_capset, &head, sets) < 0)
		return fail_sys(err, "drop capabilities");
	if (syscall(SYS_capget, &head, now) < 0)
		return fail_sys(err, "read capabilities back");
	if (memcmp(now, sets, sizeof(sets)) != 0)
		return fail(err, ERR_INTERNAL, "capabilities are left after dropping all");
	return 0;
}

static int become(uid_t uid, gid_t gid, struct error *err)
{
	if (syscall(SYS_getuid) != uid) {
		/* Groups first: they need the privilege that the uid takes away. */
		if (syscall(SYS_setgroups, 0, NULL) < 0)
			return fail_sys(err, "drop groups");
		if (syscall(SYS_setresgid, gid, gid, gid) < 0)
			return fail_sys(err, "become gid %u", gid);
	}
	if (syscall(SYS_setresuid, uid, uid, uid) < 0)
		return fail_sys(err, "become uid %u", uid);
	return seal_capabilities(err);
}

int seal_identity(uid_t uid, gid_t gid, struct error *err)
{
	if (seal_bounding_set(err) < 0 || seal_securebits(err) < 0)
		return -1;
	return become(uid, gid, err);
}

int seal_born_identity(uid_t uid, gid_t gid, struct error *err)
{
	if (prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) != 0)
		return fail(err, ERR_INTERNAL, "the bounding set is not empty");
	if (prctl(PR_GET_SECUREBITS, 0, 0, 0, 0) != LOCKED_BITS)
		return fail(err, ERR_INTERNAL, "the securebits are not locked");
	return become(uid, gid, err);
}

int seal_no_new_privs(struct error *err)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? fail_sys(err, "no_new_privs") : 0;
}

/* The kernel's own shape of struct sigaction; libc's hides two signals that a caller might ignore.
 */
struct kernel_sigaction {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

int seal_signals(struct error *err)
{
	const struct kernel_sigaction standard = {0};
	const uint64_t none = 0;

	for (int i = 1; i <= 64; i++)
		if (i != SIGKILL && i != SIGSTOP &&
		    syscall(SYS_rt_sigaction, i, &standard, NULL, sizeof(standard.mask)) < 0)
			return fail_sys(err, "reset signal %d", i);
	if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof(none)) < 0)
		return fail_sys(err, "unblock signals");
	return 0;
}
