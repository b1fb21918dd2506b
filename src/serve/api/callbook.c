/* SPDX-License-Identifier: Apache-2.0 */
/* callbook.c - remembers calls: all that run, and of those that ended as many as there is room for.
 *
 * When there are too many, or too much of them, the oldest of the client that
 * has most goes first.  One that somebody follows cannot go, and would make that
 * of others go: so it counts by itself, and if a client follows more than there
 * is room for, what was to be seen of its oldest is lost ("gap").
 */
#include "serve/api/callbook.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"

enum { ENTRY_BYTES = 1024, START_MAX = 8192 };

void book_init(struct callbook *b, struct parties *parties)
{
	memset(b, 0, sizeof(*b));
	b->parties = parties;
	b->for_us = UINT64_MAX;
}

static uint32_t bucket_of(const char *id)
{
	uint32_t h = 2166136261U;

	for (; *id; id++)
		h = (h ^ (unsigned char)*id) * 16777619U;
	return (h ^ (h >> 16)) % BOOK_BUCKETS;
}

static void uncount(struct callbook *b, struct book_call *c)
{
	size_t held = c->counts_as_held ? c->bytes : 0;

	b->bytes -= c->bytes;
	c->party->kept_bytes -= c->bytes;
	b->held_bytes -= held;
	c->party->held_bytes -= held;
	b->n_held -= c->counts_as_held;
	c->party->n_held -= c->counts_as_held;
	c->bytes = 0;
	c->counts_as_held = false;
}

static void forget(struct callbook *b, struct book_call *c)
{
	struct book_call **at = &b->buckets[bucket_of(c->id)];

	while (*at != c)
		at = &(*at)->next_same;
	*at = c->next_same;
	links_remove(&c->place);
	if (c->finished) {
		uncount(b, c);
		b->n_kept--;
		c->party->n_kept--;
	} else {
		b->n_running--;
		c->party->n_running--;
	}
	window_done(&c->streams[0]);
	window_done(&c->streams[1]);
	buf_done(&c->start);
	buf_done(&c->answer);
	free(c);
}

void book_done(struct callbook *b)
{
	for (size_t i = 0; i < BOOK_BUCKETS; i++)
		while (b->buckets[i])
			forget(b, b->buckets[i]);
}

struct book_call *book_find(const struct callbook *b, const char *id)
{
	struct book_call *c = b->buckets[bucket_of(id)];

	while (c && strcmp(c->id, id) != 0)
		c = c->next_same;
	return c;
}

static uint64_t unix_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

struct book_call *book_begin(struct callbook *b, const char *id, struct party *party)
{
	struct book_call *c = *id && !book_find(b, id) ? calloc(1, sizeof(*c)) : NULL;
	uint32_t bucket = bucket_of(id);

	if (!c)
		return NULL;
	text_copy(id, c->id, sizeof(c->id));
	c->party = party;
	c->begun_unix_ms = unix_ms();
	links_init(&c->followers);
	window_init(&c->streams[0], BOOK_WINDOW);
	window_init(&c->streams[1], BOOK_WINDOW);
	buf_init(&c->start, START_MAX);
	buf_init(&c->answer, 0);
	c->next_same = b->buckets[bucket];
	b->buckets[bucket] = c;
	links_add(&party->running, &c->place);
	party->n_running++;
	b->n_running++;
	return c;
}

static bool over_limits(const struct callbook *b)
{
	return b->n_kept - b->n_held > b->most || b->bytes - b->held_bytes > BOOK_BYTES_MAX;
}

/* The oldest that nobody holds. */
static struct book_call *oldest(const struct party *p)
{
	EACH_LINK(at, &p->kept)
	{
		struct book_call *c = LINKED(at, struct book_call, place);

		if (c->held == 0)
			return c;
	}
	return NULL;
}

/* One of the client that has most: bytes if there are too many of them, else calls. */
static struct book_call *victim(const struct callbook *b)
{
	bool by_bytes = b->bytes - b->held_bytes > BOOK_BYTES_MAX;
	struct book_call *found = NULL;
	size_t most = 0;

	EACH_LINK(at, &b->parties->all)
	{
		struct party *p = LINKED(at, struct party, all);
		size_t has = by_bytes ? p->kept_bytes - p->held_bytes : p->n_kept - p->n_held;
		struct book_call *c = has > most ? oldest(p) : NULL;

		if (c) {
			found = c;
			most = has;
		}
	}
	return found;
}

/* What it really takes. */
static size_t weigh(const struct book_call *c)
{
	return ENTRY_BYTES + c->streams[0].room + c->streams[1].room + c->start.room +
	       c->answer.room;
}

static void count(struct callbook *b, struct book_call *c)
{
	uncount(b, c);
	c->bytes = weigh(c);
	c->counts_as_held = c->held > 0;
	b->bytes += c->bytes;
	c->party->kept_bytes += c->bytes;
	if (!c->counts_as_held)
		return;
	b->held_bytes += c->bytes;
	c->party->held_bytes += c->bytes;
	b->n_held++;
	c->party->n_held++;
}

/* Who follows it is told that this is lost. */
static void strip(struct callbook *b, struct book_call *c)
{
	for (size_t i = 0; i < 2; i++) {
		uint64_t end = window_end(&c->streams[i]);

		window_done(&c->streams[i]);
		window_skip(&c->streams[i], end);
	}
	buf_done(&c->answer);
	c->answer_dropped = true;
	count(b, c);
}

static bool has_something(const struct book_call *c)
{
	return c->streams[0].room + c->streams[1].room + c->answer.room > 0;
}

/* The oldest with something to lose, of the client that holds most. */
static struct book_call *burden(const struct callbook *b)
{
	const struct party *most = NULL;

	EACH_LINK(at, &b->parties->all)
	{
		const struct party *p = LINKED(at, struct party, all);

		if (p->held_bytes > (most ? most->held_bytes : 0))
			most = p;
	}
	if (!most)
		return NULL;
	EACH_LINK(at, &most->kept)
	{
		struct book_call *c = LINKED(at, struct book_call, place);

		if (c->counts_as_held && has_something(c))
			return c;
	}
	return NULL;
}

static void make_room(struct callbook *b)
{
	struct book_call *c;

	while (over_limits(b) && (c = victim(b)))
		forget(b, c);
	while (b->held_bytes > BOOK_HELD_MAX && (c = burden(b)))
		strip(b, c);
}

void book_set_limits(struct callbook *b, size_t most, uint64_t for_ms)
{
	b->most = most;
	b->for_us = for_ms * 1000;
	make_room(b);
}

/* Nobody waits for an answer that is too large to be kept. */
static void drop_large(struct book_call *c)
{
	if (c->answer.len <= BOOK_ANSWER_MAX || c->held > 0)
		return;
	buf_done(&c->answer);
	c->answer_dropped = true;
}

void book_finish(struct callbook *b, struct book_call *c, const struct keep_reply *r,
		 struct buf *body)
{
	c->finished = true;
	c->task = NULL;
	c->ended_us = clock_us();
	c->http_status = r->http_status;
	c->content = r->content;
	if (r->facts.tool[0])
		text_copy(r->facts.tool, c->tool, sizeof(c->tool));
	buf_done(&c->answer);
	c->answer = *body;
	buf_init(body, 0);
	drop_large(c);
	links_remove(&c->place);
	links_add(&c->party->kept, &c->place);
	b->n_running--;
	c->party->n_running--;
	b->n_kept++;
	c->party->n_kept++;
	count(b, c);
	make_room(b);
}

void book_hold(struct callbook *b, struct book_call *c)
{
	c->held++;
	if (!c->finished || c->counts_as_held)
		return;
	count(b, c);
	make_room(b);
}

void book_let(struct callbook *b, struct book_call *c)
{
	c->held--;
	if (!c->finished || c->held > 0)
		return;
	drop_large(c);
	count(b, c);
	make_room(b);
}

void book_follow(struct callbook *b, struct book_call *c, struct links *follower)
{
	links_add(&c->followers, follower);
	book_hold(b, c);
}

void book_unfollow(struct callbook *b, struct book_call *c, struct links *follower)
{
	if (!links_in(follower))
		return;
	links_remove(follower);
	book_let(b, c);
}

void book_sweep(struct callbook *b, uint64_t now_us)
{
	EACH_LINK(at, &b->parties->all)
	{
		struct party *p = LINKED(at, struct party, all);
		struct book_call *c;

		while ((c = oldest(p)) && now_us - c->ended_us > b->for_us)
			forget(b, c);
	}
}
