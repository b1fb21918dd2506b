/* SPDX-License-Identifier: Apache-2.0 */
/* throttle.c - counts wrong keys for each address, in a table that does not grow.
 *
 * An IPv6 address counts by its first 64 bits: the rest is the guesser's to
 * choose.  The table forgets whoever was not seen for longest.
 */
#include "serve/api/throttle.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static void normalise(const struct http_peer *peer, char *ret, size_t room)
{
	struct in6_addr address;

	if (peer->is_unix) {
		(void)snprintf(ret, room, "uid:%u", (unsigned)peer->uid);
		return;
	}
	if (inet_pton(AF_INET6, peer->address, &address) == 1) {
		memset(address.s6_addr + 8, 0, 8);
		if (inet_ntop(AF_INET6, &address, ret, (socklen_t)room))
			return;
	}
	(void)snprintf(ret, room, "%s", peer->address[0] ? peer->address : "?");
}

static uint32_t hash_text(const char *text)
{
	uint32_t h = 2166136261U;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619U;
	return h ^ (h >> 15);
}

static struct throttle_slot *find(struct throttle *t, const struct http_peer *peer, bool make,
				  uint64_t now_us)
{
	char address[64];
	struct throttle_slot *set, *oldest;

	normalise(peer, address, sizeof(address));
	set = t->slots[hash_text(address) % THROTTLE_SETS];
	oldest = set;
	for (size_t i = 0; i < THROTTLE_WAYS; i++) {
		if (strcmp(set[i].address, address) == 0) {
			set[i].used_us = now_us;
			return &set[i];
		}
		if (set[i].used_us < oldest->used_us)
			oldest = &set[i];
	}
	if (!make)
		return NULL;
	memset(oldest, 0, sizeof(*oldest));
	memcpy(oldest->address, address, sizeof(address));
	oldest->tries = THROTTLE_TRIES;
	oldest->used_us = oldest->refilled_us = now_us;
	return oldest;
}

static void refill(struct throttle_slot *s, uint64_t now_us)
{
	uint64_t each = THROTTLE_REFILL_S * UINT64_C(1000000);
	uint64_t more = now_us > s->refilled_us ? (now_us - s->refilled_us) / each : 0;

	s->refilled_us += more * each;
	s->tries = s->tries + more > THROTTLE_TRIES ? THROTTLE_TRIES : s->tries + (uint32_t)more;
}

bool throttle_blocks(struct throttle *t, const struct http_peer *peer, uint64_t key,
		     uint64_t now_us)
{
	struct throttle_slot *s = find(t, peer, false, now_us);

	if (!s)
		return false;
	refill(s, now_us);
	if (s->tries > 0)
		return false;
	for (size_t i = 0; i < THROTTLE_GOOD; i++)
		if (s->good[i] == key)
			return false;
	return true;
}

void throttle_bad(struct throttle *t, const struct http_peer *peer, uint64_t now_us)
{
	struct throttle_slot *s = find(t, peer, true, now_us);

	refill(s, now_us);
	if (s->tries > 0)
		s->tries--;
}

void throttle_good(struct throttle *t, const struct http_peer *peer, uint64_t key, uint64_t now_us)
{
	struct throttle_slot *s = find(t, peer, true, now_us);
	size_t at = 0;

	while (at + 1 < THROTTLE_GOOD && s->good[at] != key)
		at++;
	memmove(s->good + 1, s->good, at * sizeof(*s->good));
	s->good[0] = key;
}
