/* SPDX-License-Identifier: Apache-2.0 */
/* rawcall.h - system calls without libc.
 *
 * For a child that runs while we do, in our memory and with our thread-local
 * storage: libc would write to our errno.
 */
#ifndef NATIVE_RAWCALL_H
#define NATIVE_RAWCALL_H

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
static inline long raw_call(long nr, long a, long b, long c, long d, long e)
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

/* libc's clone, but for CLONE_CHILD_CLEARTID, which musl refuses since 1.2.5.  pidfd and tid: as
 * the flags want them.  run never returns. */
static inline long raw_clone(unsigned long flags, char *stack, int *pidfd, uint32_t *tid,
			     int (*run)(void *), void *arg)
{
	void **top = (void **)(void *)stack;
	register long r10 __asm__("r10") = (long)tid;
	register long r8 __asm__("r8") = 0;
	long ret;

	*--top = arg;
	*--top = (void *)run;
	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "pop %%rax\n\t"
			 "pop %%rdi\n\t"
			 "call *%%rax\n\t"
			 "ud2\n"
			 "1:"
			 : "=a"(ret)
			 : "a"(SYS_clone), "D"(flags), "S"(top), "d"(pidfd), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
static inline long raw_call(long nr, long a, long b, long c, long d, long e)
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

static inline long raw_clone(unsigned long flags, char *stack, int *pidfd, uint32_t *tid,
			     int (*run)(void *), void *arg)
{
	void **top = (void **)(void *)stack;
	register long x8 __asm__("x8") = SYS_clone;
	register long x0 __asm__("x0") = (long)flags;
	register long x1 __asm__("x1");
	register long x2 __asm__("x2") = (long)pidfd;
	register long x3 __asm__("x3") = 0;
	register long x4 __asm__("x4") = (long)tid;

	*--top = arg;
	*--top = (void *)run;
	x1 = (long)top;
	__asm__ volatile("svc 0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x29, xzr\n\t"
			 "ldp x1, x0, [sp], #16\n\t"
			 "blr x1\n\t"
			 "brk #0\n"
			 "1:"
			 : "+r"(x0), "+r"(x1)
			 : "r"(x8), "r"(x2), "r"(x3), "r"(x4)
			 : "memory");
	return x0;
}
#else
#error "rawcall: this architecture has no raw system call yet"
#endif

/* For whoever waits on the word. */
static inline void raw_post(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	(void)raw_call(SYS_futex, (long)word, FUTEX_WAKE, 1, 0, 0);
}

#endif
