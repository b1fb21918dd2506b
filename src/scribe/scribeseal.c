/* SPDX-License-Identifier: Apache-2.0 */
/* scribeseal.c - the scribe gives up everything that writing one log does not need.
 *
 * It holds the key that the whole log's word rests on.  Whoever gets control of
 * it through a record shall find no program to start, no network, no other
 * file, and nobody shall read its memory.
 */
#include "scribe/scribeseal.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/own.h"
#include "sandbox/native/landlock.h"
#include "sandbox/native/seal.h"
#include "sandbox/native/syscalls.h"
#include "scribe/scribe_state.h"

/* What writing a log takes.  Sockets exist already, and so do the processes. */
static const unsigned calls[] = {
	/* Files: Landlock says which. */
	__NR_openat,
	__NR_close,
	__NR_read,
	__NR_write,
	__NR_pread64,
	__NR_pwrite64,
	__NR_readv,
	__NR_writev,
	__NR_preadv,
	__NR_pwritev,
	__NR_lseek,
	__NR_fstat,
	__NR_newfstatat,
	__NR_statx,
	__NR_fsync,
	__NR_syncfs,
	__NR_fdatasync,
	__NR_sync_file_range,
	__NR_ftruncate,
	__NR_fallocate,
	__NR_renameat,
	__NR_renameat2,
	__NR_unlinkat,
	__NR_mkdirat,
	__NR_linkat,
	__NR_getdents64,
	__NR_fchdir,
	__NR_fchmod,
	__NR_flock,
	__NR_fcntl,
	__NR_utimensat,
	__NR_faccessat,
	__NR_readlinkat,
	__NR_umask,
	/* Callers. */
	__NR_bind,
	__NR_listen,
	__NR_accept4,
	__NR_getsockopt,
	__NR_sendto,
	__NR_sendmsg,
	__NR_recvfrom,
	__NR_recvmsg,
	__NR_ppoll,
	/* Memory, time, chance. */
	__NR_brk,
	__NR_munmap,
	__NR_mremap,
	__NR_madvise,
	__NR_futex,
	__NR_getrandom,
	__NR_clock_gettime,
	__NR_clock_nanosleep,
	__NR_nanosleep,
	__NR_gettimeofday,
	__NR_restart_syscall,
	/* Itself. */
	__NR_getpid,
	__NR_gettid,
	__NR_getuid,
	__NR_geteuid,
	__NR_getgid,
	__NR_getegid,
	__NR_rt_sigaction,
	__NR_rt_sigprocmask,
	__NR_rt_sigreturn,
	__NR_sigaltstack,
	__NR_tgkill,
	__NR_exit,
	__NR_exit_group,
#ifdef __x86_64__
	__NR_open,
	__NR_stat,
	__NR_lstat,
	__NR_access,
	__NR_rename,
	__NR_unlink,
	__NR_mkdir,
	__NR_link,
	__NR_rmdir,
	__NR_readlink,
	__NR_chmod,
	__NR_poll,
	__NR_time,
#endif
};

enum { FILES_MAX = 1024, FILES_MIN = PEERS_MAX + 32 };
enum { FILTER_HEAD = 4, FILTER_MEMORY = 6, FILTER_TAIL = 2 };

#define LOAD(field)             BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define SAY(what)               BPF_STMT(BPF_RET | BPF_K, what)
#define SKIP_IF(op, k, yes, no) BPF_JUMP(BPF_JMP | (op) | BPF_K, k, yes, no)

/* Unknown calls do not exist, as on an older kernel: libc then does without. */
static size_t write_filter(struct sock_filter *f)
{
	size_t n = 0;

	f[n++] = (struct sock_filter)LOAD(arch);
	f[n++] = (struct sock_filter)SKIP_IF(BPF_JEQ, SYSCALLS_ARCH, 1, 0);
	f[n++] = (struct sock_filter)SAY(SECCOMP_RET_KILL_PROCESS);
	f[n++] = (struct sock_filter)LOAD(nr);
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		f[n++] = (struct sock_filter)SKIP_IF(BPF_JEQ, calls[i], 0, 1);
		f[n++] = (struct sock_filter)SAY(SECCOMP_RET_ALLOW);
	}
	/* Memory that is never executed. */
	f[n++] = (struct sock_filter)SKIP_IF(BPF_JEQ, __NR_mmap, 1, 0);
	f[n++] = (struct sock_filter)SKIP_IF(BPF_JEQ, __NR_mprotect, 0, 3);
	f[n++] = (struct sock_filter)LOAD(args[2]);
	f[n++] = (struct sock_filter)SKIP_IF(BPF_JSET, PROT_EXEC, 1, 0);
	f[n++] = (struct sock_filter)SAY(SECCOMP_RET_ALLOW);
	f[n++] = (struct sock_filter)SAY(SECCOMP_RET_ERRNO | ENOSYS);
	return n;
}

static int seal_calls(int directory, struct error *err)
{
	struct sock_filter filter[FILTER_HEAD + 2 * ARRAY_LEN(calls) + FILTER_MEMORY + FILTER_TAIL];
	struct sock_fprog program = {.filter = filter};

	(void)directory;
	program.len = (unsigned short)write_filter(filter);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0)
		return fail_sys(err, "install the scribe's system-call filter");
	return 0;
}

static int seal_files(int directory, struct error *err)
{
	struct landlock_rule rule = {directory, LANDLOCK_READ | LANDLOCK_WRITE};
	int abi = 0;
	own_fd ruleset = landlock_open(false, &abi, err);

	if (ruleset < 0 || landlock_allow(ruleset, abi, &rule, err) < 0)
		return -1;
	return landlock_enter(ruleset, err);
}

static bool may_lock_bits(void)
{
	return prctl(PR_CAPBSET_READ, 0, 0, 0, 0) == 1 && geteuid() == 0 &&
	       prctl(PR_SET_SECUREBITS, prctl(PR_GET_SECUREBITS, 0, 0, 0, 0), 0, 0, 0) == 0;
}

/* A user has none to begin with, and no_new_privs keeps others from coming. */
static int seal_privileges(int directory, struct error *err)
{
	(void)directory;
	return may_lock_bits() ? seal_identity(geteuid(), getegid(), err) : seal_capabilities(err);
}

static int seal_privs(int directory, struct error *err)
{
	(void)directory;
	return seal_no_new_privs(err);
}

/* Whoever happens to start us may have fewer than all callers together need.  One that cannot
 * serve them does not begin: the next caller's scribe may. */
static int limit_files(struct error *err)
{
	struct rlimit now = {FILES_MAX, FILES_MAX};

	if (setrlimit(RLIMIT_NOFILE, &now) == 0)
		return 0;
	if (getrlimit(RLIMIT_NOFILE, &now) < 0)
		return fail_sys(err, "read a limit");
	now.rlim_cur = now.rlim_max;
	if (now.rlim_max < FILES_MIN)
		return fail(err, ERR_CONFIG, "of %d open files only %llu are allowed (ulimit -n)",
			    FILES_MIN, (unsigned long long)now.rlim_max);
	return setrlimit(RLIMIT_NOFILE, &now) < 0 ? fail_sys(err, "set a limit") : 0;
}

static int seal_resources(int directory, struct error *err)
{
	static const struct {
		__rlimit_resource_t which;
		rlim_t most;
	} rows[] = {
		/* 1, not 0: with a pipe as core_pattern only 1 means "no dump". */
		{RLIMIT_CORE, 1},         {RLIMIT_DATA, 512 << 20}, {RLIMIT_MSGQUEUE, 0},
		{RLIMIT_STACK, 8 << 20},  {RLIMIT_NICE, 0},         {RLIMIT_RTPRIO, 0},
		{RLIMIT_SIGPENDING, 256},
	};

	(void)directory;
	if (limit_files(err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct rlimit now;

		if (getrlimit(rows[i].which, &now) < 0)
			return fail_sys(err, "read a limit");
		if (now.rlim_max > rows[i].most)
			now.rlim_max = rows[i].most;
		if (now.rlim_cur > now.rlim_max)
			now.rlim_cur = now.rlim_max;
		if (setrlimit(rows[i].which, &now) < 0)
			return fail_sys(err, "set a limit");
	}
	return 0;
}

/* In this order: each needs what the next one takes away. */
static const struct {
	enum layer layer;
	int (*put_up)(int directory, struct error *err);
} seals[] = {
	{LAYER_RLIMITS, seal_resources},       /* nothing without end   */
	{LAYER_CAPABILITIES, seal_privileges}, /* no privilege          */
	{LAYER_NO_NEW_PRIVS, seal_privs},      /* nor one by exec       */
	{LAYER_LANDLOCK, seal_files},          /* only the log's files  */
	{LAYER_SECCOMP, seal_calls},           /* only what is in calls */
};

int scribe_seal(int directory, uint32_t allow_degraded, struct layer_report *ret_layers,
		struct error *err)
{
	/* The key is in memory: no core dump, no debugger of the same user. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return fail_sys(err, "hide our memory");
	for (size_t i = 0; i < ARRAY_LEN(seals); i++) {
		struct layer_report *report = &ret_layers[seals[i].layer];

		report->state = LAYER_FULL;
		if (seals[i].put_up(directory, err) == 0)
			continue;
		if (!(allow_degraded & 1u << seals[i].layer))
			return fail_in(err, "the scribe is not sealed (%s)",
				       layer_name(seals[i].layer));
		report->state = LAYER_OFF;
		(void)snprintf(report->detail, sizeof(report->detail), "%.59s", err->text);
	}
	return 0;
}
