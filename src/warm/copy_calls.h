/* SPDX-License-Identifier: Apache-2.0 */
/* copy_calls.h - system calls and the little else that code without a C library needs.
 *
 * This code is loaded into an interpreter whose C library it does not know, and part of it runs
 * when there is no library in memory at all: so everything is inline.
 */
#ifndef WARM_COPY_CALLS_H
#define WARM_COPY_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/* No call to memset() or strlen() may be made of a loop. */
#ifndef __clang__
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

#define COPY_INLINE static inline __attribute__((always_inline))

COPY_INLINE long copy_call(long nr, long a, long b, long c, long d, long e)
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

/* The one that has six arguments. */
COPY_INLINE long copy_mmap(uint64_t at, uint64_t len, long prot, long flags, long fd,
			   uint64_t offset)
{
	register long r10 __asm__("r10") = flags;
	register long r8 __asm__("r8") = fd;
	register uint64_t r9 __asm__("r9") = offset;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(SYS_mmap), "D"(at), "S"(len), "d"(prot), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#define CALL0(nr)             copy_call((nr), 0, 0, 0, 0, 0)
#define CALL1(nr, a)          copy_call((nr), (long)(a), 0, 0, 0, 0)
#define CALL2(nr, a, b)       copy_call((nr), (long)(a), (long)(b), 0, 0, 0)
#define CALL3(nr, a, b, c)    copy_call((nr), (long)(a), (long)(b), (long)(c), 0, 0)
#define CALL4(nr, a, b, c, d) copy_call((nr), (long)(a), (long)(b), (long)(c), (long)(d), 0)
#define CALL5(nr, a, b, c, d, e) \
	copy_call((nr), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e))

COPY_INLINE bool copy_failed(long ret)
{
	return ret < 0 && ret > -4096;
}

/* The compiler must not make a call to memcpy() of these. */
COPY_INLINE void copy_bytes(void *to, const void *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

COPY_INLINE void copy_zero(void *to, size_t n)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(0) : "memory");
}

COPY_INLINE size_t copy_length(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

COPY_INLINE bool copy_begins(const char *text, const char *with)
{
	while (*with)
		if (*text++ != *with++)
			return false;
	return true;
}

COPY_INLINE bool copy_same(const char *a, const char *b)
{
	return copy_begins(a, b) && copy_length(a) == copy_length(b);
}

COPY_INLINE bool copy_ends(const char *text, const char *with)
{
	size_t n = copy_length(text), m = copy_length(with);

	return n >= m && copy_same(text + n - m, with);
}

#endif
