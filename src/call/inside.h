/* SPDX-License-Identifier: Apache-2.0 */
/* inside.h - what can be seen of a box that lives: its files and its processes.
 *
 * Fixed sizes: these travel between processes as they are.
 */
#ifndef CALL_INSIDE_H
#define CALL_INSIDE_H

#include <stdint.h>

enum {
	KEPT_EXECS_MAX = 32,       /* programs at once */
	KEPT_LIST_MAX = 4096,      /* entries of one directory */
	KEPT_PROCESSES_MAX = 256,  /* listed */
	KEPT_PATH_MAX = 1024,      /* with its NUL */
	KEPT_PIECE_MAX = 16 << 20, /* bytes that are read of a file at once */
	KEPT_PUT_MAX = 256 << 20,  /* bytes that are written at once; the disk may have less */
	KEPT_REMOVE_MAX = 1 << 17, /* entries that are removed at once */
	INSIDE_MORE_FD = 4,        /* where a program finds a descriptor beside the usual ones */
};

struct kept_entry {
	char name[256]; /* as the box chose its bytes, but for control characters: '?' */
	char type;      /* 'f' 'd' 'l' or '?' for anything else */
	uint32_t mode;
	uint64_t size;
	int64_t mtime_s;
};

struct kept_process {
	int32_t pid, parent; /* as seen in the box; parent 0: it was started from outside */
	char state;
	char name[64]; /* cleaned of control characters */
	uint64_t cpu_ms, memory_bytes;
	uint64_t exec; /* it belongs to; 0: not known */
};

#endif
