/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h - what the warden and a launcher say to each other.
 *
 * Fixed structs over a SOCK_SEQPACKET pair; descriptors travel beside them.
 * The launcher trusts the warden; the warden checks what it gets, because a
 * launcher stands next to the program.
 */
#ifndef NATIVE_WIRE_H
#define NATIVE_WIRE_H

#include <stdint.h>
#include <sys/resource.h>

#include "call/call.h"
#include "call/inside.h"

enum wire_order {
	ORDER_NONE = 0,
	ORDER_MAPPED, /* the user namespace has its maps; descriptors: init, and the shared /etc if
		       * there is one, which is called cwd */
	ORDER_BOX,    /* limits: throw the waiting box away, make one of this size */
	ORDER_RUN,    /* limits, n_doors; descriptors: in, out, err, words, then the doors */
	ORDER_KILL,   /* end the box now */
	ORDER_KEEP,   /* the box that waits is one that is kept */
	ORDER_EXEC,   /* in a kept box: as ORDER_RUN, and exec, cwd */
	ORDER_SIGNAL, /* signal; in a kept box: exec, signal, group */
	ORDER_AHEAD,  /* between calls: as ORDER_RUN, but with doors only */
	ORDER_CLEAR,  /* the program has ended, and has left somebody in the box: end that now */
	ORDER_LEAVE,  /* whoever waits for a call goes, his box stays; answered with NEWS_LEFT */
};

struct to_launcher {
	enum wire_order order;
	uint32_t n_doors;      /* v1 `tasks` files */
	bool v2_door;          /* one more: a v2 group, before the others */
	bool another;          /* prepare the next box afterwards */
	bool memory_by_rlimit; /* no group limits memory */
	bool more;             /* one more, after all others: for the program */
	bool beside; /* ORDER_AHEAD: a short call is expected; ORDER_RUN: it was called to our
			processor, and who waits is to come, too (closeby.h) */
	bool group;  /* ORDER_SIGNAL: to its process group */
	int signal;
	uint64_t exec;
	struct limits limits;
	char cwd[KEPT_PATH_MAX];
};

enum wire_news {
	NEWS_NONE = 0,
	NEWS_NEED_MAP, /* in a new user namespace: write its maps */
	NEWS_BOX,      /* a box waits; descriptors: its /work, its /proc if it may be kept */
	NEWS_STARTED,  /* the program runs; layers; with what NEWS_BOX brings, if that did not come
			*/
	NEWS_ENDING,   /* the program has ended; what is left in the box is being killed; rusage.
			* Where NEWS_STARTED did not come, this is it as well */
	NEWS_LAST,     /* the only program has exited, and the launcher exits; end, times, rusage */
	NEWS_ENDED,    /* everything in the box is dead; end, times */
	NEWS_FAILED,   /* nothing ran; error.  The launcher is of no more use. */
	NEWS_NO_START, /* nothing ran; error.  The box is gone, the slot is fine. */
	NEWS_EXEC,     /* in a kept box: it runs; exec, mark, layers */
	NEWS_NO_EXEC,  /* in a kept box: it does not; exec, error */
	NEWS_EXEC_END, /* in a kept box: a program has ended; exec, end, times, rusage */
	NEWS_LEFT,     /* nobody waits in the box */
	NEWS_WARM,     /* an interpreter became ready: ORDER_AHEAD again would be worth it */
};

struct to_warden {
	enum wire_news news;
	int end_code;   /* waitid: CLD_EXITED, CLD_KILLED, CLD_DUMPED */
	int end_status; /* exit code or signal */
	uint64_t start_us, end_us;
	uint64_t exec, mark;
	struct start start; /* NEWS_STARTED, NEWS_EXEC, NEWS_ENDING, NEWS_ENDED */
	struct rusage rusage;
	struct layer_report layers[LAYER_COUNT];
	struct error error;
};

/* Positions of the descriptors that come with NEWS_BOX, ORDER_MAPPED and ORDER_RUN. */
enum { BOX_WORK, BOX_PROC, BOX_FDS };
enum { MAPPED_INIT, MAPPED_ETC, MAPPED_FDS };
enum { RUN_IN, RUN_OUT, RUN_ERR, RUN_WORDS, RUN_DOORS, RUN_FDS_MAX = RUN_DOORS + 6 };

#endif
