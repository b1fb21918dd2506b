/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp.h - the allowlist of system calls as a BPF program. */
#ifndef NATIVE_SECCOMP_H
#define NATIVE_SECCOMP_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Refusal at zero, as everywhere. */
enum verdict {
	VERDICT_ENOSYS = 0, /* a number we do not know */
	VERDICT_EPERM,      /* known and refused */
	VERDICT_ALLOW,
	VERDICT_KILL,
};

struct seccomp_options {
	bool programs_listed;  /* no memfd: the loader would run what is in it, sealed or not */
	bool memory_by_rlimit; /* no group counts memory: none that is in no process's count */
	bool host_writable;    /* something of the host is: no set-uid or set-gid files */
	bool host_sockets;     /* a directory of the host is granted, and Landlock cannot keep the
				* program from sockets in it (before ABI 9): no Unix sockets */
};

enum { SECCOMP_MAX = 2048 };

struct seccomp_program {
	struct sock_filter *code; /* in the room: it is filled from its end */
	unsigned short len;
	struct sock_filter room[SECCOMP_MAX]; /* last: most often nothing is in it */
};

/* The kernel takes a tenth of a millisecond to compile a filter.  Whoever has that time before its
 * last steps takes the filter in two halves, which together say exactly what the whole does: the
 * kernel asks both, and the stricter answer counts.  A warm interpreter takes the first for all its
 * children. */
enum seccomp_part {
	SECCOMP_WHOLE = 0,
	SECCOMP_FIRST,  /* all, but the few calls that sealing still needs are allowed */
	SECCOMP_SECOND, /* judges these, and lets all others through */
};

struct seccomp_half {
	const struct sock_filter *code;
	unsigned short len;
};

struct seccomp_halves {
	struct seccomp_half first, second; /* the first with a length only: it came with birth */
};

/* Compiles the table for this machine's architecture. */
int seccomp_compile(const struct seccomp_options *options, enum seccomp_part part,
		    struct seccomp_program *ret, struct error *err);
/* For good: this thread and what it becomes.  It needs no_new_privs, or CAP_SYS_ADMIN in its user
 * namespace. */
int seccomp_install(const struct sock_filter *code, unsigned short len, struct error *err);
/* What the table says, without BPF: the reference for the test.  args are whole registers. */
enum verdict seccomp_judge(const struct seccomp_options *options, uint32_t arch, uint32_t nr,
			   const uint64_t args[6]);

#endif
