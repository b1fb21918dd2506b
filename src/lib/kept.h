/* SPDX-License-Identifier: Apache-2.0 */
/* kept.h - a box that is kept: several programs in it, one after another or side by side, and its
 * files while it lives.
 *
 * For whoever holds the socket of a belljar slot (remote.h).  Everything that
 * touches the box is done by the slot, which has the rights for it: this side
 * needs none.  The limits of the box hold for all its programs together; a
 * program has a wall time, and may have a cpu time, of its own.
 *
 * Each question waits for its answer, which is a matter of milliseconds; ends
 * of programs come on a socket of their own, kept_fd().
 */
#ifndef LIB_KEPT_H
#define LIB_KEPT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"
#include "call/call.h"
#include "call/inside.h"
#include "lib/remote.h"

struct kept {
	struct remote *remote;
	int events;     /* where ends of programs are told */
	int cpu;        /* the kernel's counter of the box's processor time; -1: there is none */
	uint64_t execs; /* how many were started */
	bool lost;      /* the slot is gone, and the box with it; or it has not answered */
};

/* What a program that runs in the box is asked to be. */
struct kept_job {
	char **argv;
	char **env;
	const char *cwd;  /* absolute; NULL: /work */
	uint64_t wall_ms; /* of this program; 0: as long as the box */
	int more;         /* a descriptor that it finds as INSIDE_MORE_FD; 0: none */
	uint64_t cpu_ms;  /* of what it started and still lives, too, looked at every 100 ms; and
			   * by the kernel, in whole seconds, for each process.  0: the box's */
};

struct kept_end {
	uint64_t exec;          /* 0: the box itself, and outcome says why; this comes last */
	struct outcome outcome; /* usage: of this program and the children it waited for */
	bool box_over;          /* the whole box is dead: memory, its own wall time, its cpu time */
};

/* The box of this slot becomes one that is kept, with these limits for its whole life. */
int kept_open(struct kept *k, struct remote *r, const struct limits *limits, struct error *err);
/* Kills everything in it and waits for that; the slot is of no more use.  Safe on a closed one. */
void kept_close(struct kept *k);
/* io: descriptors for 0, 1 and 2; stay the caller's.  ret_exec: its number, from 1.  -1 and nothing
 * ran: ERR_NOT_FOUND and ERR_REFUSED are about the program, ERR_CALLER about cwd or too many at
 * once.  No end is told then. */
int kept_start(struct kept *k, const struct kept_job *job, const int io[3], uint64_t *ret_exec,
	       struct error *err);
/* Readable when kept_step() has something to say. */
int kept_fd(const struct kept *k);
/* 1: a program has ended, or the box (ret->exec 0).  0: nothing now.  -1: the box is lost. */
int kept_step(struct kept *k, struct kept_end *ret, struct error *err);
/* To the program's process; with KEPT_GROUP, to the process group that it began with. */
enum { KEPT_GROUP = 0x100 };
int kept_signal(struct kept *k, uint64_t exec, int signal, struct error *err);
/* The program and everything it started, however far that has gone from it, also if the program
 * itself has ended; the box goes on.  Where that cannot be told apart (no /proc or no cgroup
 * namespace in the box) or cannot be caught, the whole box ends. */
int kept_kill(struct kept *k, uint64_t exec, enum kill_reason reason, struct error *err);
/* The box may live for so long from now on. */
int kept_extend(struct kept *k, uint64_t wall_ms, struct error *err);
/* What the box as a whole has used. */
int kept_usage(struct kept *k, struct usage *ret, struct error *err);
/* How many bytes of memory its programs may take from now on before they are killed for it. */
int kept_room(struct kept *k, uint64_t *ret, struct error *err);
/* Of what it has used, the processor time: where the kernel counts it for the box, without a
 * question to the slot.  -1: ask the slot. */
int kept_cpu_us(const struct kept *k, uint64_t *ret);
/* The walls that are up around its programs; complete once one was started. */
int kept_layers(struct kept *k, struct layer_report ret[static LAYER_COUNT], struct error *err);

/* Files beneath /work (path relative to it: no "..", no links are followed, regular files and
 * directories only).  err->kind: ERR_NOT_FOUND, ERR_REFUSED (a link, a device, a directory, not
 * permitted, no room on the box's disk), ERR_CALLER (no name beneath /work, too large). */
/* Directories on the way are made; a regular file that is there is replaced. */
int kept_put(struct kept *k, const char *path, const void *data, size_t len, bool executable,
	     struct error *err);
/* At most most bytes, and KEPT_PIECE_MAX; ret: begun by the caller, its limit holds as well.
 * ret_total: the size of the file. */
int kept_get(struct kept *k, const char *path, uint64_t from, uint64_t most, struct buf *ret,
	     uint64_t *ret_total, struct error *err);
/* Of a link itself, too.  "." is /work. */
int kept_stat(struct kept *k, const char *path, struct kept_entry *ret, struct error *err);
/* "." is /work.  ret: room for KEPT_LIST_MAX; ret_cut: there are more. */
int kept_list(struct kept *k, const char *path, struct kept_entry *ret, size_t *ret_n,
	      bool *ret_cut, struct error *err);
/* With parents.  One that is there is fine. */
int kept_mkdir(struct kept *k, const char *path, struct error *err);
int kept_remove(struct kept *k, const char *path, bool recursive, struct error *err);
/* ret: room for KEPT_PROCESSES_MAX. */
int kept_processes(struct kept *k, struct kept_process *ret, size_t *ret_n, struct error *err);

#endif
