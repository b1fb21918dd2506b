/* SPDX-License-Identifier: Apache-2.0 */
/* peercount.h - how many connections each peer has: by address, IPv6 by its /64, Unix by uid. */
#ifndef SERVE_HTTP_PEERCOUNT_H
#define SERVE_HTTP_PEERCOUNT_H

#include <stddef.h>
#include <stdint.h>

struct peer_key {
	unsigned char bytes[16];
};

struct peer_count {
	struct peer_key key;
	size_t n;
	struct peer_count *next;
};

struct peer_counts;

struct peer_counts *peer_counts_new(void); /* NULL: no memory */
void peer_counts_free(struct peer_counts *p);
/* One more; NULL: no memory, or it has most already (*ret_full). */
struct peer_count *peer_counts_add(struct peer_counts *p, const struct peer_key *key, size_t most,
				   int *ret_full);
void peer_counts_drop(struct peer_counts *p, struct peer_count *count);

#endif
