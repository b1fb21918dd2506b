/* SPDX-License-Identifier: Apache-2.0 */
/* slots.c - a slot that stays between calls, for as long as its profile is asked for.
 *
 * The key is the whole profile, written out: a slot is used again only for one
 * that is the same in every word.  Between two calls everything of the first is
 * dead and its box is gone; what could remember it (a network that carried
 * packets) makes the slot say that it serves no other call.
 */
#include "gate/slots.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/own.h"
#include "lib/wardentalk.h"

enum { KEY_MAX = 1 << 20 };

/* What is never used is not touched either: most keepers have a session, and sleep. */
void slots_init(struct slots *s, int warden, const char *helper, size_t most)
{
	s->warden = warden;
	s->helper = helper;
	s->warm_node = false;
	s->turns = s->interpreters = s->forked = 0;
	s->n = most < SLOTS_KEPT ? most : SLOTS_KEPT;
	for (size_t i = 0; i < s->n; i++) {
		s->list[i] = (struct one_slot){0};
		remote_init(&s->list[i].remote);
		buf_init(&s->list[i].key, KEY_MAX);
	}
}

static void let_go(struct one_slot *one)
{
	remote_close(&one->remote);
	one->key.len = 0;
	one->used = one->session = false;
	one->interpreters = one->forked = 0;
}

void slots_done(struct slots *s)
{
	for (size_t i = 0; i < s->n; i++) {
		remote_close(&s->list[i].remote);
		buf_done(&s->list[i].key);
	}
}

/* Words end in NUL, which none of them holds: two profiles that differ have keys that differ. */
static int add_word(struct buf *key, const char *word, struct error *err)
{
	return buf_add(key, word ? word : "\1", (word ? strlen(word) : 1) + 1, err);
}

static int add_warm(const struct warm *w, struct buf *key, struct error *err)
{
	if (buf_printf(key, err, "%d %zu %zu %" PRIu64 " %" PRIu64, (int)w->kind, w->n_modules,
		       w->n_env, w->calls, w->age_ms) < 0 ||
	    add_word(key, "", err) < 0 || add_word(key, w->program, err) < 0)
		return -1;
	for (size_t i = 0; i < w->n_modules; i++)
		if (add_word(key, w->modules[i], err) < 0)
			return -1;
	for (size_t i = 0; i < w->n_env; i++)
		if (add_word(key, w->env[i], err) < 0)
			return -1;
	return 0;
}

static int write_key(const struct profile *p, struct buf *ret, struct error *err)
{
	if (add_word(ret, p->root, err) < 0 || add_word(ret, p->cgroup, err) < 0 ||
	    buf_printf(ret, err, "%d %d %" PRIx32 " %zu %zu", p->loopback, p->proc_full,
		       p->allow_degraded, p->n_programs, p->n_grants) < 0)
		return -1;
	for (size_t i = 0; i < p->n_programs; i++)
		if (add_word(ret, p->programs[i], err) < 0)
			return -1;
	for (size_t i = 0; i < p->n_grants; i++) {
		const struct grant *g = &p->grants[i];

		if (add_word(ret, g->source, err) < 0 || add_word(ret, g->inside, err) < 0 ||
		    buf_printf(ret, err, "%d %" PRIu64 " %" PRIu64, g->write, g->dev, g->ino) < 0 ||
		    add_word(ret, "", err) < 0)
			return -1;
	}
	if (add_warm(&p->warm, ret, err) < 0)
		return -1;
	return ret->cut ? fail(err, ERR_INTERNAL, "a profile is too long") : 0;
}

static bool is_same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && memcmp(buf_str(a), buf_str(b), a->len) == 0;
}

static int make(struct slots *s, struct one_slot *one, const struct profile *profile,
		const struct limits *limits, bool session, struct error *err)
{
	int sock, pidfd;

	one->session = session;
	if (s->helper)
		return remote_open(&one->remote, s->helper, profile, limits, err);
	if (s->warden < 0)
		return fail(err, ERR_INTERNAL, "there is nobody who makes slots");
	if (warden_slot(s->warden, profile, limits, session, &sock, &pidfd, err) == 0)
		return remote_adopt(&one->remote, sock, pidfd, err);
	/* To the caller it is no rule that refuses, but a host that cannot. */
	if (err->kind == ERR_REFUSED && err->sys != EAGAIN) {
		err->kind = ERR_CONFIG;
		err->sys = SLOTS_ABOVE;
	} else if (err->kind == ERR_REFUSED) {
		err->kind = ERR_SYSTEM;
	}
	return fail_in(err, "the warden");
}

static void take_key(struct one_slot *one, struct buf *key)
{
	buf_done(&one->key);
	one->key = *key;
	buf_init(key, 0);
}

/* The one with that key, or the one that was not asked for for the longest time. */
static struct one_slot *choose(struct slots *s, const struct buf *key)
{
	struct one_slot *oldest = &s->list[0];

	for (size_t i = 0; i < s->n; i++) {
		if (is_same(key, &s->list[i].key))
			return &s->list[i];
		if (s->list[i].turn < oldest->turn)
			oldest = &s->list[i];
	}
	return oldest;
}

struct remote *slots_get(struct slots *s, const struct profile *profile,
			 const struct limits *limits, bool fresh, struct error *err)
{
	struct one_slot *one;
	own(buf) key;

	buf_init(&key, KEY_MAX);
	if (write_key(profile, &key, err) < 0)
		return NULL;
	one = choose(s, &key);
	one->turn = ++s->turns;
	if ((fresh && one->used) || one->session || !is_same(&key, &one->key) ||
	    !remote_is_ready(&one->remote)) {
		let_go(one);
		if (make(s, one, profile, limits, false, err) < 0)
			return NULL;
		take_key(one, &key);
	}
	one->used = true;
	return &one->remote;
}

/* One that waits for a session like this and that nobody had; NULL: none. */
static struct one_slot *find_prepared(struct slots *s, const struct buf *key)
{
	for (size_t i = 0; i < s->n; i++) {
		struct one_slot *one = &s->list[i];

		if (one->session && !one->used && is_same(key, &one->key) &&
		    remote_is_ready(&one->remote))
			return one;
	}
	return NULL;
}

/* The keeper is a session's from now on: what was kept for others goes. */
struct remote *slots_keep(struct slots *s, const struct profile *profile,
			  const struct limits *limits, struct error *err)
{
	struct one_slot *one;
	own(buf) key;

	buf_init(&key, KEY_MAX);
	if (write_key(profile, &key, err) < 0)
		return NULL;
	one = find_prepared(s, &key);
	for (size_t i = 0; i < s->n; i++)
		if (&s->list[i] != one)
			let_go(&s->list[i]);
	if (!one) {
		one = &s->list[0];
		if (make(s, one, profile, limits, true, err) < 0)
			return NULL;
		take_key(one, &key);
	}
	one->used = true;
	return &one->remote;
}

struct remote *slots_prepared(struct slots *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct one_slot *one = &s->list[i];

		if (!one->session || one->used || !remote_is_ready(&one->remote))
			continue;
		one->used = true;
		return &one->remote;
	}
	return NULL;
}

int slots_prepare(struct slots *s, const struct profile *profile, const struct limits *limits,
		  bool session, struct error *err)
{
	struct remote *made = session ? slots_keep(s, profile, limits, err)
				      : slots_get(s, profile, limits, false, err);

	for (size_t i = 0; made && i < s->n; i++)
		if (&s->list[i].remote == made)
			s->list[i].used = false;
	return made ? 0 : -1;
}

/* What a slot tells goes up only, but for the processes, which are those of its last interpreter.
 */
static void take_news(struct slots *s, struct one_slot *one, const struct start *start)
{
	bool renewed = start->interpreters > one->interpreters;

	if (renewed)
		s->interpreters += start->interpreters - one->interpreters;
	if (renewed)
		s->forked += start->interpreter_calls;
	else if (start->interpreter_calls > one->forked)
		s->forked += start->interpreter_calls - one->forked;
	one->interpreters = start->interpreters;
	one->forked = start->interpreter_calls;
}

void slots_saw(struct slots *s, const struct remote *remote, const struct start *start)
{
	if (start->interpreters == 0)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (&s->list[i].remote == remote)
			take_news(s, &s->list[i], start);
}
