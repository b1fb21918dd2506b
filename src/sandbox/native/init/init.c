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

enum { LEASH = 3 };

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

/* One who waits for hours needs no stack, and the kernel no tables for it: all but the code goes,
 * and from there on there are only registers.  What cannot go stays, and harms nobody. */
#define PAGE     4096l
#define TASK_END 0x7ffffffff000l
__attribute__((noreturn)) static void hold_on(const void *filter, const char *code)
{
	long end = ((long)code & -PAGE) + PAGE;

	__asm__ volatile("syscall\n\t" /* munmap */
			 "mov %[prctl], %%eax\n\t"
			 "mov %[mode], %%edi\n\t"
			 "mov %[by], %%esi\n\t"
			 "mov %[filter], %%rdx\n\t"
			 "xor %%r10d, %%r10d\n\t"
			 "xor %%r8d, %%r8d\n\t"
			 "syscall\n\t"
			 "mov $3, %%edi\n\t"
			 "test %%eax, %%eax\n\t"
			 "jnz 1f\n\t"
			 "xor %%eax, %%eax\n\t" /* read: where it would write there is nothing */
			 "mov %[leash], %%edi\n\t"
			 "mov %[code], %%rsi\n\t"
			 "mov $1, %%edx\n\t"
			 "syscall\n\t"
			 "xor %%edi, %%edi\n\t"
			 "test %%rax, %%rax\n\t"
			 "jz 1f\n\t"
			 "mov $4, %%edi\n"
			 "1:\n\t"
			 "mov %[exit], %%eax\n\t"
			 "syscall\n\t"
			 "jmp 1b"
			 :
			 : "a"((long)__NR_munmap), "D"(end),
			   "S"(TASK_END - end), [prctl] "i"(__NR_prctl), [mode] "i"(PR_SET_SECCOMP),
			   [by] "i"(SECCOMP_MODE_FILTER), [filter] "r"(filter), [leash] "i"(LEASH),
			   [code] "r"(code), [exit] "i"(__NR_exit_group)
			 : "rcx", "r11", "rdx", "r10", "r8", "memory");
	__builtin_unreachable();
}
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

__attribute__((noreturn)) static void hold_on(const void *filter, const char *code)
{
	long status = 3;

	(void)code;
	if (call(__NR_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)filter, 0, 0) == 0) {
		char byte;

		status = call(__NR_read, LEASH, (long)&byte, 1, 0, 0) == 0 ? 0 : 4;
	}
	for (;;)
		(void)call(__NR_exit_group, status, 0, 0, 0, 0);
}
#else
#error "init: this architecture has no entry code yet"
#endif

#define ALLOW(nr)                                        \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* The argument first: the kernel then sees at once that nothing is allowed by its number alone, and
 * does not try every number there is, for a list of those that are. */
static const struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
	BPF_STMT(BPF_MISC | BPF_TAX, 0),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	ALLOW(__NR_exit_group),
	ALLOW(__NR_restart_syscall),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_read, 0, 3),
	BPF_STMT(BPF_MISC | BPF_TXA, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, LEASH, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

static const struct sock_fprog program = {
	.len = sizeof(filter) / sizeof(filter[0]),
	.filter = (struct sock_filter *)filter,
};

__attribute__((noreturn, used)) void stay(void);
void stay(void)
{
	/* exec made us dumpable again. */
	if (call(__NR_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		for (;;)
			(void)call(__NR_exit_group, 2, 0, 0, 0, 0);
	/* Nobody writes to the leash: a read returns when its last holder is gone. */
	hold_on(&program, (const char *)filter);
}
