/* SPDX-License-Identifier: Apache-2.0 */
/* copy_restore.h - what is left of a process while it becomes another: a few pages in a hole. */
#ifndef WARM_COPY_RESTORE_H
#define WARM_COPY_RESTORE_H

#include <sys/uio.h>

#include "warm/copy_image.h"

enum { COPY_RESTORE_STACK = 64 << 10, COPY_CODE_MAX = 64 << 10 };

/* What the C library tells the kernel of its thread. */
enum { COPY_RSEQ_LEN = 32, COPY_RSEQ_LEN_MAX = 512, COPY_RSEQ_LEAVE = 1 };
#define COPY_RSEQ_SIGN 0x53053053

/* All of its pointers point into the hole. */
struct copy_plan {
	struct copy_head head;
	struct copy_map *maps;
	struct iovec *runs;
	const struct iovec *guards;
	const char *texts;
	struct copy_special mine[COPY_SPECIALS]; /* where the kernel's pages are now */
	uint64_t park;                           /* where they wait meanwhile */
	uint64_t hole, hole_len;
	uint64_t rseq_at; /* this process's; 0: none */
	uint64_t view;    /* where all of the template can be read; 0: nowhere */
	uint64_t view_len;
	const char *env; /* of this process: NUL-terminated texts */
	uint64_t env_len;
	int stream;   /* -1: there is none */
	int template; /* -1: it is not needed */
};

/* How it ends if it cannot go on: nobody is left who could say more. */
enum copy_exit {
	COPY_EXIT_KERNEL = 81, /* the kernel's own pages */
	COPY_EXIT_MEMORY,      /* a mapping */
	COPY_EXIT_FILE,        /* a file that is not what it was */
	COPY_EXIT_STREAM,      /* the image ends before its end */
	COPY_EXIT_THREAD,      /* registers, rseq */
	COPY_EXIT_GUARD,       /* the other's kernel had guards, this one has not */
};

/* The code that is copied into the hole: between these two, and nothing of it refers to anything
 * else.  It never returns. */
extern const char __start_copy_code[], __stop_copy_code[];
void copy_restore(struct copy_plan *p);

#endif
