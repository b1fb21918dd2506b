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

enum wire_order {
	ORDER_NONE = 0,
	ORDER_MAPPED, /* the user namespace has its maps; descriptors: init, devices if any */
	ORDER_BOX,    /* limits: throw the waiting box away, make one of this size */
	ORDER_RUN,    /* limits, n_doors; descriptors: in, out, err, words, then the doors */
	ORDER_KILL,   /* end the box now */
};

struct to_launcher {
	enum wire_order order;
	uint32_t n_doors;      /* v1 `tasks` files */
	bool v2_door;          /* one more: a v2 group, before the others */
	bool another;          /* prepare the next box afterwards */
	bool memory_by_rlimit; /* no group limits memory */
	struct limits limits;
};

enum wire_news {
	NEWS_NONE = 0,
	NEWS_NEED_MAP, /* in a new user namespace: write its maps */
	NEWS_BOX,      /* a box waits; descriptor: its /work */
	NEWS_STARTED,  /* the program runs; layers */
	NEWS_ENDING,   /* the program has ended; what is left in the box is being killed; rusage */
	NEWS_ENDED,    /* everything in the box is dead; end, times */
	NEWS_FAILED,   /* nothing ran; error.  The launcher is of no more use. */
	NEWS_NO_START, /* nothing ran; error.  The box is gone, the slot is fine. */
};

struct to_warden {
	enum wire_news news;
	int end_code;   /* waitid: CLD_EXITED, CLD_KILLED, CLD_DUMPED */
	int end_status; /* exit code or signal */
	uint64_t start_us, end_us;
	struct rusage rusage;
	struct layer_report layers[LAYER_COUNT];
	struct error error;
};

/* Positions of the descriptors that come with ORDER_MAPPED, and with ORDER_RUN. */
enum { MAPPED_INIT, MAPPED_DEVICES, MAPPED_FDS };
enum { RUN_IN, RUN_OUT, RUN_ERR, RUN_WORDS, RUN_DOORS, RUN_FDS_MAX = RUN_DOORS + 5 };

#endif
