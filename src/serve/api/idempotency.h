/* SPDX-License-Identifier: Apache-2.0 */
/* idempotency.h - answers by the keys that clients gave their requests: nothing runs twice. */
#ifndef SERVE_API_IDEMPOTENCY_H
#define SERVE_API_IDEMPOTENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

enum {
	ONCE_HASH_BYTES = 32,
	ONCE_ANSWER_MAX = 4 << 20,    /* a larger answer is not kept: only that there was one */
	ONCE_CLIENT_BYTES = 16 << 20, /* answers of one client; beyond it the oldest go */
	ONCE_CLIENT_ROWS = 10000,     /* keys of one client; beyond it there is no room */
	ONCE_BYTES_MAX = 256 << 20,   /* answers of all */
};

struct once_store;

/* What is known of a key. */
enum once {
	ONCE_FAILED = 0, /* the store cannot be asked: nothing may run */
	ONCE_NEW,        /* nothing: it is claimed now */
	ONCE_BUSY,       /* a request with it runs */
	ONCE_OTHER,      /* it was another request's */
	ONCE_ANSWERED,   /* ret has the answer */
	ONCE_UNKNOWN,    /* it began, and nobody saw its end */
	ONCE_DROPPED,    /* it was answered; the answer is not kept any more */
	ONCE_FULL,       /* this client has too many */
};

struct once_ask {
	const char *client, *key;
	unsigned char hash[ONCE_HASH_BYTES]; /* of method, path and body */
	uint64_t now_ms, for_ms;             /* time of day; how long it counts */
};

struct once_answer {
	int status;
	struct buf body; /* to be ended by whoever gets ONCE_ANSWERED */
};

/* directory: NULL keeps everything in memory.  What a process before us left unfinished is from
 * now on unknown.  notice: a line about what could not be kept, or empty. */
struct once_store *once_open(const char *directory, char *ret_notice, size_t room,
			     struct error *err);
void once_close(struct once_store *s);
enum once once_claim(struct once_store *s, const struct once_ask *ask, struct once_answer *ret,
		     struct error *err);
/* What was answered; a's body is only read. */
int once_keep(struct once_store *s, const char *client, const char *key,
	      const struct once_answer *a, struct error *err);
/* It did not run, and may be tried again. */
int once_release(struct once_store *s, const char *client, const char *key, struct error *err);
int once_sweep(struct once_store *s, uint64_t now_ms, struct error *err);
uint64_t once_bytes(const struct once_store *s);

#endif
