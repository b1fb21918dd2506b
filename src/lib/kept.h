/* SPDX-License-Identifier: Apache-2.0 */
/* kept.h - a box that is kept: several programs in it, one after another or side by side, and its
 * files while it lives.
 *
 * For whoever holds the socket of a belljar slot (remote.h).  Everything that
 * touches the box is done by the slot, which has the rights for it: this side
 * needs none.  The limits of the box hold for all its programs together; a
 * program has a wall time, and may have a cpu time, of its own.
 */
#ifndef LIB_KEPT_H
#define LIB_KEPT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"
#include "call/call.h"
#include "lib/remote.h"

enum { KEPT_EXECS_MAX = 32, KEPT_LIST_MAX = 4096, KEPT_PROCESSES_MAX = 256 };

struct kept {
	struct remote *remote;
	uint64_t execs; /* how many were started */
	bool lost;      /* the slot is gone, and the box with it */
};

/* What a program that runs in the box is asked to be. */
struct kept_job {
	char **argv;
	char **env;
	const char *cwd;  /* absolute; NULL: /work */
	uint64_t wall_ms; /* of this program; 0: as long as the box */
	uint64_t cpu_ms;  /* 0: as long as the box has any */
};

struct kept_end {
	uint64_t exec;
	struct outcome outcome; /* usage: of this program and its children, as far as known */
	bool box_over;          /* the whole box is dead: memory, its own wall time, its cpu time */
};

struct kept_entry {
	char name[256];
	char type; /* 'f' 'd' 'l' or '?' for anything else */
	uint32_t mode;
	uint64_t size;
	int64_t mtime_s;
};

struct kept_process {
	int32_t pid, parent; /* as seen in the box */
	char state;
	char name[64]; /* cleaned of control characters */
	uint64_t cpu_ms, memory_bytes;
	uint64_t exec; /* it belongs to; 0: not known */
};

/* The box of this slot becomes one that is kept, with these limits for its whole life. */
int kept_open(struct kept *k, struct remote *r, const struct limits *limits, struct error *err);
/* Kills everything in it; the slot is of no more use. */
void kept_close(struct kept *k);
/* io: descriptors for 0, 1 and 2; stay the caller's.  ret_exec: its number, from 1. */
int kept_start(struct kept *k, const struct kept_job *job, const int io[3], uint64_t *ret_exec,
	       struct error *err);
/* Readable when kept_step() has something to say. */
int kept_fd(const struct kept *k);
/* 1: a program has ended, 0: nothing now, -1: the box is lost. */
int kept_step(struct kept *k, struct kept_end *ret, struct error *err);
int kept_signal(struct kept *k, uint64_t exec, int signal, struct error *err);
/* The program and what it started; the box goes on. */
int kept_kill(struct kept *k, uint64_t exec, enum kill_reason reason, struct error *err);
/* What the box as a whole has used. */
int kept_usage(struct kept *k, struct usage *ret, struct error *err);

/* Files beneath /work (path relative to it: no "..", no links are followed, regular files and
 * directories only).  err->kind: ERR_NOT_FOUND, ERR_REFUSED (a link, a device, too large),
 * ERR_CALLER. */
int kept_put(struct kept *k, const char *path, const void *data, size_t len, bool executable,
	     struct error *err);
int kept_get(struct kept *k, const char *path, uint64_t from, uint64_t most, struct buf *ret,
	     uint64_t *ret_total, struct error *err);
int kept_stat(struct kept *k, const char *path, struct kept_entry *ret, struct error *err);
/* ret: room for KEPT_LIST_MAX; ret_cut: there are more. */
int kept_list(struct kept *k, const char *path, struct kept_entry *ret, size_t *ret_n,
	      bool *ret_cut, struct error *err);
int kept_remove(struct kept *k, const char *path, bool recursive, struct error *err);
int kept_processes(struct kept *k, struct kept_process *ret, size_t *ret_n, struct error *err);

#endif
