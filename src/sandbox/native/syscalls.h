/* SPDX-License-Identifier: Apache-2.0 */
/* syscalls.h - what the system-call table is made of.
 *
 * A row says what becomes of one system call.  Where the answer depends on the
 * arguments, the row names a rule: the call is allowed if one of the rule's
 * ways holds, and a way holds if all its conditions do.  Rules are data, so
 * that the BPF emitter and the plain reference (seccomp_judge) read the same.
 */
#ifndef NATIVE_SYSCALLS_H
#define NATIVE_SYSCALLS_H

#include <linux/audit.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/native/seccomp.h"

#if defined(__x86_64__)
#define SYSCALLS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SYSCALLS_ARCH AUDIT_ARCH_AARCH64
#else
#error "syscalls: this architecture has no table yet"
#endif

enum {
	SYSCALLS_END = 512,       /* every row's number is below */
	SYSCALLS_X32 = 0x40000000 /* x86_64: a second numbering of the same calls */
};

struct range {
	uint32_t low, high; /* both belong to it */
};

struct value_set {
	const struct range *ranges;
	size_t n;
};

/* The low 32 bits of an argument, masked, are in the set (or in none of its ranges).  Not more than
 * the low 32 bits: most arguments we look at are `int` to the kernel, which drops the rest.  Only a
 * pointer counts as a whole: NULL is 64 bits that are zero. */
struct condition {
	unsigned arg;
	uint32_t mask;
	const struct value_set *set; /* NULL after the last condition of a way */
	bool outside;
	bool whole; /* the high 32 bits are zero as well; never with outside */
};

struct way {
	struct condition all[3];
};

struct argument_rule {
	const struct way *ways;
	size_t n;
};

/* By number, and names as text in the row itself: a table of pointers would have to be written anew
 * wherever the program is loaded, in every run. */
enum rule {
	RULE_NONE = 0, /* the verdict stands by itself */
	RULE_SOCKET,
	RULE_SOCKETPAIR,
	RULE_SETSOCKOPT,
	RULE_GETSOCKOPT,
	RULE_CLONE,
	RULE_PERSONALITY,
	RULE_PRLIMIT,
	RULE_SETRLIMIT,
	RULE_IOCTL,
	RULE_FCNTL,
	RULE_PRCTL,
	RULE_SECCOMP,
	RULE_MEMFD,
	RULE_SOCKET_INET,
	RULE_MMAP,
	RULE_SHMGET,
	RULE_MADVISE,
	RULE_MKNOD,
	RULE_MKNODAT,
	RULE_MKNOD_PLAIN,
	RULE_MKNODAT_PLAIN,
	RULE_CHMOD_PLAIN,
	RULE_FCHMODAT_PLAIN,
	RULE_OPEN_PLAIN,
	RULE_OPENAT_PLAIN,
#ifdef __x86_64__
	RULE_ARCH_PRCTL,
#endif
};

/* What becomes of a call.  A rule that does not hold is EPERM. */
struct answer {
	enum verdict verdict;
	enum rule rule;
};

/* When a row has another answer than usual (struct seccomp_options). */
enum occasion {
	OCCASION_NONE,
	OCCASION_NO_MEMFD, /* programs are listed, or memory_by_rlimit */
	OCCASION_MEMORY_BY_RLIMIT,
	OCCASION_HOST_WRITABLE,
	OCCASION_HOST_SOCKETS,
};

struct syscall_row {
	uint32_t nr;
	struct answer usual;
	enum occasion occasion;
	struct answer then;
	char name[28];
	char reason[100];
};

extern const struct syscall_row syscalls[];
extern const size_t n_syscalls;
extern const struct argument_rule *const argument_rules[]; /* by enum rule */

const struct answer *syscall_answer(const struct syscall_row *row,
				    const struct seccomp_options *options);
/* Does a process that seals itself, or a warm interpreter that bears it, need it after the first
 * half of its filter?  Then it is the second half that judges it (enum seccomp_part). */
bool syscall_is_held(uint32_t nr);

#endif
