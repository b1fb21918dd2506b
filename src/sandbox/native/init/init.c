/* SPDX-License-Identifier: Apache-2.0 */
/* init.c - pid 1 of a box: holds the namespaces, lets orphans go, dies with its leash.
 *
 * Started with SIGCHLD ignored, so that the kernel reaps whatever is reparented
 * to us; the program's own end is seen by the launcher, outside.  What is left
 * to do is to wait until the leash (descriptor 3) is let go of.  When pid 1
 * exits the kernel kills every process in the box.
 *
 * No libc: nothing to relocate, nothing of the launcher's memory or
 * environment, and a system call list short enough to read.  This is the one
 * process in the box that the program might attack, hence also: not dumpable,
 * no privileges (taken away before we were started), and a filter under which
 * anything but reading the leash and exiting is death.
 */
#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stddef.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
static long call(long nr, long a, long b, long c, long d, long e)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return ret;
}
__asm__(".global _start\n_start:\n\txor %ebp, %ebp\n\tand $-16, %rsp\n\tcall stay\n\thlt\n");
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
static long call(long nr, long a, long b, long c, long d, long e)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
			 : "memory");
	return x0;
}
__asm__(".global _start\n_start:\n\tmov x29, #0\n\tbl stay\n\tbrk #0\n");
#else
#error "init: this architecture has no entry code yet"
#endif

enum { LEASH = 3 };

#define ALLOW(nr)                                        \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static const struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	ALLOW(__NR_read),
	ALLOW(__NR_exit_group),
	ALLOW(__NR_restart_syscall),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

static const struct sock_fprog program = {
	.len = sizeof(filter) / sizeof(filter[0]),
	.filter = (struct sock_filter *)filter,
};

__attribute__((noreturn)) static void leave(int code)
{
	for (;;)
		(void)call(__NR_exit_group, code, 0, 0, 0, 0);
}

__attribute__((noreturn, used)) void stay(void);
void stay(void)
{
	char byte;

	/* exec made us dumpable again. */
	if (call(__NR_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		leave(2);
	if (call(__NR_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&program, 0, 0) != 0)
		leave(3);
	/* Nobody writes to the leash: a read returns when its last holder is gone. */
	leave(call(__NR_read, LEASH, (long)&byte, 1, 0, 0) == 0 ? 0 : 4);
}
