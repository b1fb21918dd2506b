/* SPDX-License-Identifier: Apache-2.0 */
/* party.h - what a client of the policy has open here. */
#ifndef SERVE_API_PARTY_H
#define SERVE_API_PARTY_H

#include <stdint.h>

#include "keeper/keeptalk.h"
#include "serve/api/links.h"

struct party {
	struct links all;
	char name[KEEP_NAME_ROOM];
	size_t visits;        /* exchanges */
	uint64_t open;        /* calls that wait or run */
	uint64_t sessions;    /* opening, too */
	struct links waiting; /* tasks, the oldest first */
	size_t n_waiting;
	struct links turn;    /* in the pool's list of those whose tasks wait */
	struct links running; /* calls */
	struct links kept;    /* calls that have ended, the oldest first */
	size_t n_running, n_kept;
	size_t kept_bytes;
	size_t held_bytes, n_held; /* of those kept: see callbook.h */
	struct links hungry;       /* visits that wait to be fed */
	struct links feeding;      /* in the front's list of those who have such */
	size_t body_bytes;         /* of requests that are being taken */
	size_t sending_bytes;      /* of answers that are being sent */
};

struct parties {
	struct links all;
	size_t n;
};

void parties_init(struct parties *p);
/* Nobody may be left who knows one. */
void parties_done(struct parties *p);
/* The party of that name, made if it is not there; NULL: no memory. */
struct party *party_get(struct parties *p, const char *name);
/* Forgets those that have nothing open. */
void parties_sweep(struct parties *p);

#endif
