/* SPDX-License-Identifier: Apache-2.0 */
/* callbook.h - every call that runs, and those that ended lately, by their ids. */
#ifndef SERVE_API_CALLBOOK_H
#define SERVE_API_CALLBOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "keeper/keeptalk.h"
#include "serve/api/links.h"
#include "serve/api/party.h"
#include "serve/api/window.h"

enum {
	BOOK_WINDOW = 256 << 10,   /* of each stream */
	BOOK_BYTES_MAX = 64 << 20, /* of all calls that have ended */
	BOOK_HELD_MAX = 128 << 20, /* of those beside them that somebody still follows */
	BOOK_ANSWER_MAX = 8 << 20, /* an answer that is larger is not kept */
	BOOK_BUCKETS = 4096,
};

struct task;

struct book_call {
	struct book_call *next_same; /* hash */
	struct links place;          /* of its client's running or kept ones */
	struct links followers;      /* visits that want its output */
	char id[KEEP_ID_ROOM];
	char session[KEEP_ID_ROOM]; /* empty: of none */
	char tool[KEEP_NAME_ROOM];  /* empty: not known yet */
	struct party *party;
	struct task *task; /* while it runs */
	bool detach, finished, cancelled;
	bool answer_dropped; /* it was too large */
	uint64_t begun_unix_ms, ended_us;
	struct window streams[2];
	struct buf start;  /* what the start event says */
	struct buf answer; /* once finished */
	uint32_t http_status, content;
	size_t held;  /* by followers and others */
	size_t bytes; /* as the book counts it, once finished */
	bool counts_as_held;
};

struct callbook {
	struct book_call *buckets[BOOK_BUCKETS];
	struct parties *parties;
	size_t n_running, n_kept;
	size_t bytes;              /* of those kept */
	size_t held_bytes, n_held; /* of them: those that somebody holds */
	size_t most;               /* kept */
	uint64_t for_us;
};

void book_init(struct callbook *b, struct parties *parties);
void book_done(struct callbook *b);
void book_set_limits(struct callbook *b, size_t most, uint64_t for_ms);

/* NULL: no memory, or there is one of that id. */
struct book_call *book_begin(struct callbook *b, const char *id, struct party *party);
/* It has ended; body is taken.  Old ones may go for it.  One that is followed stays; what it had
 * goes if its client makes too much stay by that. */
void book_finish(struct callbook *b, struct book_call *c, const struct keep_reply *r,
		 struct buf *body);
struct book_call *book_find(const struct callbook *b, const char *id);
/* It stays while somebody holds it, though not all that it had may; after book_let() it may be
 * gone. */
void book_hold(struct callbook *b, struct book_call *c);
void book_let(struct callbook *b, struct book_call *c);
/* Somebody follows it (and holds it), or no longer. */
void book_follow(struct callbook *b, struct book_call *c, struct links *follower);
void book_unfollow(struct callbook *b, struct book_call *c, struct links *follower);
/* Forgets what is too old. */
void book_sweep(struct callbook *b, uint64_t now_us);

#endif
