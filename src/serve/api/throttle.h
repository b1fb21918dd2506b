/* SPDX-License-Identifier: Apache-2.0 */
/* throttle.h - how fast one address may try keys that are wrong. */
#ifndef SERVE_API_THROTTLE_H
#define SERVE_API_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "serve/http/http.h"

enum {
	THROTTLE_SETS = 64,
	THROTTLE_WAYS = 4,
	THROTTLE_GOOD = 4,     /* keys that were right, remembered for each address */
	THROTTLE_TRIES = 20,   /* wrong ones at once */
	THROTTLE_REFILL_S = 3, /* one more each */
};

struct throttle_slot {
	char address[64]; /* empty: free */
	uint64_t used_us, refilled_us;
	uint32_t tries;               /* left */
	uint64_t good[THROTTLE_GOOD]; /* beginnings of their hashes; the newest first */
};

struct throttle {
	struct throttle_slot slots[THROTTLE_SETS][THROTTLE_WAYS];
};

/* Must this peer wait, whatever its key is?  Not with one that was right before: whoever shares an
 * address with a guesser is not locked out by him. */
bool throttle_blocks(struct throttle *t, const struct http_peer *peer, uint64_t key,
		     uint64_t now_us);
void throttle_bad(struct throttle *t, const struct http_peer *peer, uint64_t now_us);
void throttle_good(struct throttle *t, const struct http_peer *peer, uint64_t key, uint64_t now_us);

#endif
