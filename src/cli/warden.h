/* SPDX-License-Identifier: Apache-2.0 */
/* warden.h - what the files of belljar warden share: keepers, their slots, and the words of both.
 */
#ifndef CLI_WARDEN_H
#define CLI_WARDEN_H

#include <poll.h>
#include <sys/types.h>

#include "call/pack.h"
#include "cli/options.h"
#include "lib/wardentalk.h"
#include "sandbox/ceiling.h"

struct warden_keeper {
	int sock;                                      /* -1: this place is free */
	struct warden_box *boxes[WARDEN_KEEPER_SLOTS]; /* the oldest first, then NULL */
};

/* A slot's process. */
struct warden_box {
	int pidfd;           /* -1: this place is free */
	int leash;           /* its other end is the slot's: closing it tells the slot to go */
	uint64_t kill_at_us; /* 0: it may stay */
	struct warden_keeper *keeper; /* NULL: gone */
};

struct warden {
	int control;
	uint64_t slots_max; /* of the command line */
	struct ceiling ceiling;
	struct warden_keeper keepers[WARDEN_KEEPERS_MAX];
	struct warden_box boxes[CEILING_SLOTS_MAX];
	size_t keepers_top, boxes_top; /* places from there on were never taken */
	struct pollfd fds[1 + WARDEN_KEEPERS_MAX + CEILING_SLOTS_MAX];
};

/* Words that a keeper sent become options: only such as decide a slot, each in one way to be read,
 * and nothing of the host is looked at that the ceiling does not name.  bytes must outlive ret,
 * which is all zeros before and to be ended by options_done() whatever comes back. */
int wardenwords_take(const struct ceiling *c, char *bytes, size_t len, struct run_options *ret,
		     struct words *ret_words, struct error *err);

/* Takes sock over. */
void warden_add_keeper(struct warden *w, int sock);
/* It has something to say; obeyed, put off or thrown out. */
void warden_hear_keeper(struct warden *w, struct warden_keeper *k);
/* Its slot goes, too. */
void warden_drop_keeper(struct warden_keeper *k);
/* May its next word be read now?  Not while a slot is going that has to be gone first. */
bool warden_may_hear(const struct warden *w, const struct warden_keeper *k);
/* Has it ended?  Then the place is free. */
bool warden_reap(struct warden_box *b);
/* Those that were told to go and did not are killed.  Returns how long until the next, -1: none. */
int warden_kill_overdue(struct warden *w);
/* Every slot is told to go. */
void warden_dismiss_all(struct warden *w);
size_t warden_count_boxes(const struct warden *w);

#endif
