/* SPDX-License-Identifier: Apache-2.0 */
/* peercount.c - how many connections each peer has. */
#include "serve/http/peercount.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { BUCKETS = 1024 };

/* The seed is random: else a stranger with many addresses could choose those of one bucket. */
struct peer_counts {
	uint64_t seed;
	struct peer_count *buckets[BUCKETS];
};

struct peer_counts *peer_counts_new(void)
{
	struct peer_counts *p = calloc(1, sizeof(*p));

	if (p && getrandom(&p->seed, sizeof(p->seed), 0) != sizeof(p->seed)) {
		free(p);
		return NULL;
	}
	return p;
}

void peer_counts_free(struct peer_counts *p)
{
	for (size_t i = 0; p && i < BUCKETS; i++) {
		while (p->buckets[i]) {
			struct peer_count *gone = p->buckets[i];

			p->buckets[i] = gone->next;
			free(gone);
		}
	}
	free(p);
}

static struct peer_count **bucket_of(struct peer_counts *p, const struct peer_key *key)
{
	uint64_t hash = p->seed, word;

	for (size_t i = 0; i < sizeof(key->bytes); i += sizeof(word)) {
		memcpy(&word, key->bytes + i, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 32;
	}
	return &p->buckets[hash % BUCKETS];
}

struct peer_count *peer_counts_add(struct peer_counts *p, const struct peer_key *key, size_t most,
				   int *ret_full)
{
	struct peer_count **bucket = bucket_of(p, key), *c = *bucket;

	*ret_full = 0;
	while (c && memcmp(&c->key, key, sizeof(*key)) != 0)
		c = c->next;
	if (c && c->n >= most) {
		*ret_full = 1;
		return NULL;
	}
	if (!c) {
		c = calloc(1, sizeof(*c));
		if (!c)
			return NULL;
		c->key = *key;
		c->next = *bucket;
		*bucket = c;
	}
	c->n++;
	return c;
}

void peer_counts_drop(struct peer_counts *p, struct peer_count *count)
{
	struct peer_count **at;

	if (!count || --count->n > 0)
		return;
	for (at = bucket_of(p, &count->key); *at != count;)
		at = &(*at)->next;
	*at = count->next;
	free(count);
}
