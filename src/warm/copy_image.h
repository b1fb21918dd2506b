/* SPDX-License-Identifier: Apache-2.0 */
/* copy_image.h - a process as bytes: what one writes of itself so that another can become it.
 *
 *   struct copy_head | struct copy_map[n_maps] | struct copy_file[n_files] |
 *   struct iovec[n_runs] | struct iovec[n_guards] | texts[texts_len] |
 *   the contents of the runs, in order
 *
 * It goes from one sealed box into another, through a pipe that nobody outside
 * reads.  Whoever reads it trusts none of it, and need not: it can only harm
 * the process that becomes what it says.
 *
 * A template is the same in a file that many processes become, so that its
 * contents are mapped instead of read: behind the library that does it, at
 * COPY_FILE_TABLES, the tables, without runs; behind them, page by page, what
 * image_at of each mapping points at.  A stream of a process that became one
 * has only what differs from it.
 */
#ifndef WARM_COPY_IMAGE_H
#define WARM_COPY_IMAGE_H

#include <stddef.h>
#include <stdint.h>

enum {
	COPY_VERSION = 3,
	COPY_MAPS_MAX = 8192,
	COPY_FILES_MAX = 1024,
	COPY_RUNS_MAX = 512 * 1024,
	COPY_GUARDS_MAX = 4096,
	COPY_TEXTS_MAX = 1024 * 1024,
	COPY_SIGNALS = 64,
	COPY_SPECIALS = 4, /* the kernel's own pages: vdso, vvar, ... */
	COPY_PAGE = 4096,
	COPY_REASON = 256,
	COPY_FILE_KEY = 60 << 10, /* whose file it is keeps a page here for itself */
	COPY_FILE_TABLES = 64 << 10,
	COPY_TEMPLATE_FD = 4, /* where it lies in a process that is to become it */
};

#define COPY_MAGIC   0x79706f632d6c6c62ull /* "bll-copy" */
#define COPY_ADDRESS 0x7ffffffff000ull     /* beyond what a process has */
#define COPY_GUARD   102                   /* MADV_GUARD_INSTALL (from 6.13 on) */

enum copy_kind {
	COPY_MEMORY = 0, /* contents only; a file that cannot be opened again is one of these */
	COPY_PRIVATE,    /* a file, with changes of its own */
	COPY_SHARED,     /* a file, read only */
};

struct copy_map {
	uint64_t start, len;
	uint64_t offset;          /* in the file */
	uint64_t image_at;        /* its contents are there in the template; 0: not */
	uint64_t size, sec, nsec; /* of the file: it must be the same there */
	uint32_t path;            /* in the texts */
	uint32_t prot;
	uint32_t kind;     /* enum copy_kind */
	uint32_t has_runs; /* something is written into it */
	uint32_t wiped;    /* MADV_WIPEONFORK: starts empty */
	uint32_t pad;
};

/* The kernel's struct sigaction, which is not libc's. */
struct copy_action {
	uint64_t handler, flags, restorer, mask;
};

struct copy_stack {
	uint64_t base;
	uint32_t flags, pad;
	uint64_t size;
};

struct copy_special {
	uint64_t start, len;
	char name[16];
};

struct copy_file {
	uint32_t fd, flags;
	uint64_t offset;
	uint32_t path, closes; /* at exec */
};

struct copy_head {
	uint64_t magic;
	uint32_t version, head_len;
	uint32_t n_maps, n_files, n_runs, texts_len;
	uint64_t content_len;
	uint64_t image_len; /* of the template's file */
	uint64_t template;  /* a stream: which one its mappings are of, by its inode; 0: none */
	/* Where it goes on. */
	uint64_t sp, pc, fs, gs;
	uint32_t mxcsr, fcw;
	uint64_t tid_at, robust_at; /* of the C library's: where it keeps them */
	uint64_t rseq_at;           /* 0: none */
	uint64_t mask;              /* blocked signals */
	struct copy_stack stack;    /* for handlers */
	struct copy_action actions[COPY_SIGNALS];
	uint32_t cwd, umask; /* cwd: in the texts */
	uint32_t n_specials, n_guards;
	struct copy_special specials[COPY_SPECIALS];
};

#endif
