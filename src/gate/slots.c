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

void slots_init(struct slots *s, int warden, const char *helper)
{
	*s = (struct slots){.warden = warden, .helper = helper};
	remote_init(&s->remote);
	buf_init(&s->key, KEY_MAX);
}

void slots_done(struct slots *s)
{
	remote_close(&s->remote);
	buf_done(&s->key);
}

/* Words end in NUL, which none of them holds: two profiles that differ have keys that differ. */
static int add_word(struct buf *key, const char *word, struct error *err)
{
	return buf_add(key, word ? word : "\1", (word ? strlen(word) : 1) + 1, err);
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
	return ret->cut ? fail(err, ERR_INTERNAL, "a profile is too long") : 0;
}

static bool is_same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && memcmp(buf_str(a), buf_str(b), a->len) == 0;
}

static int make(struct slots *s, const struct profile *profile, const struct limits *limits,
		bool session, struct error *err)
{
	int sock, pidfd;

	if (s->helper)
		return remote_open(&s->remote, s->helper, profile, limits, err);
	if (s->warden < 0)
		return fail(err, ERR_INTERNAL, "there is nobody who makes slots");
	if (warden_slot(s->warden, profile, limits, session, &sock, &pidfd, err) == 0)
		return remote_adopt(&s->remote, sock, pidfd, err);
	/* To the caller it is no rule that refuses, but a host that cannot. */
	if (err->kind == ERR_REFUSED)
		err->kind = err->sys == EAGAIN ? ERR_SYSTEM : ERR_CONFIG;
	return fail_in(err, "the warden");
}

struct remote *slots_get(struct slots *s, const struct profile *profile,
			 const struct limits *limits, bool fresh, struct error *err)
{
	own(buf) key;

	buf_init(&key, KEY_MAX);
	if (write_key(profile, &key, err) < 0)
		return NULL;
	if (!(fresh && s->used) && is_same(&key, &s->key) && remote_is_ready(&s->remote)) {
		s->used = true;
		return &s->remote;
	}
	remote_close(&s->remote);
	if (make(s, profile, limits, false, err) < 0)
		return NULL;
	buf_done(&s->key);
	s->key = key;
	buf_init(&key, 0);
	s->used = true;
	return &s->remote;
}

struct remote *slots_keep(struct slots *s, const struct profile *profile,
			  const struct limits *limits, struct error *err)
{
	remote_close(&s->remote);
	s->key.len = 0; /* no other call is to find it */
	return make(s, profile, limits, true, err) < 0 ? NULL : &s->remote;
}

int slots_prepare(struct slots *s, const struct profile *profile, const struct limits *limits,
		  struct error *err)
{
	bool made = slots_get(s, profile, limits, false, err) != NULL;

	s->used = false;
	return made ? 0 : -1;
}
