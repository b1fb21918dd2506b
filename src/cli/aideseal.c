/* SPDX-License-Identifier: Apache-2.0 */
/* aideseal.c - the aide gives up everything that cleaning text does not need. */
#include "cli/aideseal.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/own.h"
#include "sandbox/native/seal.h"
#include "sandbox/native/syscalls.h"

/* Its socket, memory, and the end. */
static const unsigned calls[] = {
	__NR_recvfrom, __NR_recvmsg, __NR_sendto,  __NR_sendmsg,        __NR_brk,
	__NR_munmap,   __NR_mremap,  __NR_madvise, __NR_futex,          __NR_restart_syscall,
	__NR_exit,     __NR_tgkill,  __NR_getpid,  __NR_gettid,         __NR_exit_group,
	__NR_close,    __NR_write,   __NR_fstat,   __NR_rt_sigprocmask, __NR_rt_sigreturn,
};

#define LOAD(field)             BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define SAY(what)               BPF_STMT(BPF_RET | BPF_K, what)
#define SKIP_IF(op, k, yes, no) BPF_JUMP(BPF_JMP | (op) | BPF_K, k, yes, no)

/* Other calls do not exist; memory is never executed (patterns are then interpreted). */
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
	f[n++] = (struct sock_filter)SKIP_IF(BPF_JEQ, __NR_mmap, 1, 0);
	f[n++] = (struct sock_filter)SKIP_IF(BPF_JEQ, __NR_mprotect, 0, 3);
	f[n++] = (struct sock_filter)LOAD(args[2]);
	f[n++] = (struct sock_filter)SKIP_IF(BPF_JSET, PROT_EXEC, 1, 0);
	f[n++] = (struct sock_filter)SAY(SECCOMP_RET_ALLOW);
	f[n++] = (struct sock_filter)SAY(SECCOMP_RET_ERRNO | ENOSYS);
	return n;
}

static int seal_calls(struct error *err)
{
	struct sock_filter filter[16 + 2 * ARRAY_LEN(calls)];
	struct sock_fprog program = {.filter = filter};

	program.len = (unsigned short)write_filter(filter);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0)
		return fail_sys(err, "install the aide's system-call filter");
	return 0;
}

int aide_seal(struct error *err)
{
	/* 1, not 0: with a pipe as core_pattern only 1 means "no dump". */
	const struct rlimit no_core = {1, 1};

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 || setrlimit(RLIMIT_CORE, &no_core) < 0)
		return fail_sys(err, "hide our memory");
	return seal_capabilities(err) < 0 || seal_no_new_privs(err) < 0 ? -1 : seal_calls(err);
}
