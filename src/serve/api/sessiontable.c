/* SPDX-License-Identifier: Apache-2.0 */
/* sessiontable.c - keeps the table of sessions, and for a while the names of those that are gone.
 */
#include "serve/api/sessiontable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "serve/api/requestid.h"

void sessiontable_init(struct sessiontable *t)
{
	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < SESSION_BUCKETS; i++)
		links_init(&t->buckets[i]);
	links_init(&t->live);
	links_init(&t->gone);
}

static void leave_party(struct session *s)
{
	if (s->party)
		s->party->sessions--;
	s->party = NULL;
}

void sessiontable_remove(struct sessiontable *t, struct session *s)
{
	if (s->state == SESSION_GONE)
		t->n_gone--;
	else
		t->n_live--;
	leave_party(s);
	links_remove(&s->bucket);
	links_remove(&s->order);
	free(s);
}

void sessiontable_done(struct sessiontable *t)
{
	while (!links_empty(&t->live))
		sessiontable_remove(t, LINKED(t->live.next, struct session, order));
	while (!links_empty(&t->gone))
		sessiontable_remove(t, LINKED(t->gone.next, struct session, order));
}

bool sessiontable_room(const struct sessiontable *t, const struct party *p, bool others)
{
	size_t share = others ? t->most - t->most / 4 : t->most;

	return t->n_live < t->most && p->sessions < share;
}

static struct links *bucket_of(struct sessiontable *t, const char *id)
{
	uint32_t h = 2166136261U;

	for (; *id; id++)
		h = (h ^ (unsigned char)*id) * 16777619U;
	return &t->buckets[(h ^ (h >> 16)) % SESSION_BUCKETS];
}

struct session *sessiontable_add(struct sessiontable *t, struct party *p)
{
	struct session *s = calloc(1, sizeof(*s));
	struct timespec now;

	if (!s)
		return NULL;
	id_make("bjs-", s->id, sizeof(s->id));
	(void)clock_gettime(CLOCK_REALTIME, &now);
	s->opened_unix_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	s->state = SESSION_OPENING;
	s->party = p;
	(void)snprintf(s->owner, sizeof(s->owner), "%s", p->name);
	p->sessions++;
	links_add(bucket_of(t, s->id), &s->bucket);
	links_add(&t->live, &s->order);
	t->n_live++;
	return s;
}

struct session *sessiontable_find(struct sessiontable *t, const char *id)
{
	EACH_LINK(at, bucket_of(t, id))
	{
		struct session *s = LINKED(at, struct session, bucket);

		if (strcmp(s->id, id) == 0)
			return s;
	}
	return NULL;
}

void sessiontable_end(struct sessiontable *t, struct session *s, const char *why)
{
	if (s->state == SESSION_GONE)
		return;
	(void)snprintf(s->why, sizeof(s->why), "%s", why);
	s->state = SESSION_GONE;
	s->gone_us = clock_us();
	s->keeper = NULL;
	leave_party(s);
	links_remove(&s->order);
	links_add(&t->gone, &s->order);
	t->n_live--;
	t->n_gone++;
	if (t->n_gone > SESSION_GONE_MAX)
		sessiontable_remove(t, LINKED(t->gone.next, struct session, order));
}

void sessiontable_sweep(struct sessiontable *t, uint64_t now_us)
{
	while (!links_empty(&t->gone)) {
		struct session *s = LINKED(t->gone.next, struct session, order);

		if (now_us - s->gone_us < SESSION_GONE_S * UINT64_C(1000000))
			return;
		sessiontable_remove(t, s);
	}
}

const char *session_state_name(enum session_state s)
{
	static const char *const names[] = {
		[SESSION_GONE] = "gone",
		[SESSION_OPENING] = "opening",
		[SESSION_OPEN] = "open",
		[SESSION_CLOSING] = "closing",
	};

	return names[s];
}
