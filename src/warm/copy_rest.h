/* SPDX-License-Identifier: Apache-2.0 */
/* copy_rest.h - between what gives memory back and what sleeps meanwhile. */
#ifndef WARM_COPY_REST_H
#define WARM_COPY_REST_H

#include "warm/copy_list.h"

/* What differs from the template: pagediff.h. */
struct rest_notes {
	uint32_t *at, *end;
	uint64_t hole, hole_len; /* where they lie: no part of what rests */
	uint32_t n_maps;         /* in w->maps: all that moves, has_runs where a page stays */
};

struct rest {
	struct copy_work *w;
	uint64_t view, view_len;  /* all of the template */
	uint64_t here, near;      /* how far down the stack is used, and some more */
	struct rest_notes *notes; /* NULL: what differs stays */
	uint64_t run, run_len;
	uint64_t stays; /* pages of this mapping */
	long n;
};

/* Is there one thread only? */
bool rest_is_alone(void);
/* Needs here, near and notes.  false: nothing was given back. */
bool rest_all(struct rest *r, uint64_t view, uint64_t view_len);

#endif
