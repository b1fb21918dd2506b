/* SPDX-License-Identifier: Apache-2.0 */
/* nextchars.c - part of the build: which characters can follow the first ones of a pattern.
 *
 * The pattern becomes a graph in which every step is one byte of a set; it is walked along all its
 * ways at once, first with the bytes of the word, then with any.  Borders of words cost no step:
 * what is told here is never too little.
 */
#include "redact/nextchars.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "redact/flatforms.h"

enum {
	NODES = 16384,
	COPIES = NEXTCHARS_REACH + 4, /* more of one part than anybody asks about */
	MATCH = 0,                    /* the first node: all of it was there */
	FAILED = -1,
};
_Static_assert((int)COPIES > (int)NEXTCHARS_REACH, "a row of copies must not end within reach");

struct node {
	struct nextchars_set set;
	bool fork; /* costs no step and leads to both */
	int next, other;
};

struct graph {
	struct node nodes[NODES];
	int n;
};

static int add_node(struct graph *g, struct node node)
{
	if (g->n == NODES || node.next == FAILED || node.other == FAILED)
		return FAILED;
	g->nodes[g->n] = node;
	return g->n++;
}

static void put(struct nextchars_set *set, unsigned char c)
{
	set->in[c / 64] |= (uint64_t)1 << c % 64;
}

/* "[a-z_]", without "^". */
static bool read_class(const char *p, struct nextchars_set *ret)
{
	if (p[1] == '^')
		return false;
	for (p++; *p != ']'; p++) {
		unsigned first, last;

		if (*p == '\\' && !strchr("\\]-[", *++p))
			return false;
		first = last = (unsigned char)*p;
		if (p[1] == '-' && p[2] != ']') {
			last = (unsigned char)p[2];
			p += 2;
		}
		for (; first <= last; first++)
			put(ret, (unsigned char)first);
	}
	return true;
}

static int build(struct graph *g, const char *p, const char *end, int next);

/* One character, class or group; returns where it begins. */
static int build_atom(struct graph *g, const char *p, const char *end, int next)
{
	struct node node = {.next = next};

	if (*p == '(') {
		if (p[1] == '?' && p[2] != ':')
			return FAILED;
		return build(g, p + (p[1] == '?' ? 3 : 1), end - 1, next);
	}
	if (*p == '[')
		return read_class(p, &node.set) ? add_node(g, node) : FAILED;
	if (*p == '\\' && p[1] == 'b')
		return next;
	if (*p == '\\' ? !p[1] || !strchr("\\.$/-[](){}|?*+^", p[1]) : strchr(".^$*+?", *p) != NULL)
		return FAILED;
	put(&node.set, (unsigned char)(*p == '\\' ? p[1] : *p));
	return add_node(g, node);
}

/* "?", "{n}", "{n,}", "{n,m}" or nothing; *p goes behind it. */
static bool read_count(const char **p, unsigned *least, unsigned *most)
{
	*least = *most = 1;
	if (**p == '?') {
		++*p;
		*least = 0;
	} else if (**p == '{') {
		++*p;
		*least = *most = flatforms_number(p);
		if (**p == ',') {
			++*p;
			*most = **p == '}' ? *least + COPIES : flatforms_number(p);
		}
		if (*(*p)++ != '}')
			return false;
	}
	*most = *most > *least + COPIES ? *least + COPIES : *most;
	*least = *least > COPIES ? COPIES : *least;
	*most = *most > 2 * COPIES ? 2 * COPIES : *most;
	return !strchr("*+?", **p ? **p : '!');
}

static int build_row(struct graph *g, const char *p, const char *end, int next)
{
	const char *behind, *count;
	unsigned least, most;
	int rest, at;

	if (p >= end)
		return next;
	behind = count = flatforms_skip(p);
	if (!read_count(&count, &least, &most))
		return FAILED;
	rest = at = build_row(g, count, end, next);
	for (unsigned i = least; i < most; i++) {
		int copy = build_atom(g, p, behind, at);

		at = add_node(g, (struct node){.fork = true, .next = copy, .other = rest});
	}
	for (unsigned i = 0; i < least; i++)
		at = build_atom(g, p, behind, at);
	return at;
}

/* Alternatives; returns where they begin. */
static int build(struct graph *g, const char *p, const char *end, int next)
{
	const char *from = p;
	int all = FAILED;

	for (const char *at = p;; at = flatforms_skip(at)) {
		int one;

		if (at < end && *at != '|')
			continue;
		one = build_row(g, from, at < end ? at : end, next);
		if (one == FAILED)
			return FAILED;
		all = all == FAILED
			      ? one
			      : add_node(g, (struct node){.fork = true, .next = all, .other = one});
		if (at >= end)
			return all;
		from = at + 1;
	}
}

/* Where the walk is. */
struct places {
	bool at[NODES];
};

static void enter(const struct graph *g, struct places *p, int node)
{
	if (p->at[node])
		return;
	p->at[node] = true;
	if (g->nodes[node].fork) {
		enter(g, p, g->nodes[node].next);
		enter(g, p, g->nodes[node].other);
	}
}

/* From all places that a byte of the set leads on from; returns what these bytes are. */
static struct nextchars_set step(const struct graph *g, struct places *now, struct places *room,
				 const struct nextchars_set *with)
{
	struct nextchars_set all = {0};

	memset(room, 0, sizeof(*room));
	for (int i = 1; i < g->n; i++) {
		const struct node *node = &g->nodes[i];
		uint64_t any = 0;

		if (!now->at[i] || node->fork)
			continue;
		for (size_t j = 0; j < ARRAY_LEN(all.in); j++) {
			any |= node->set.in[j] & with->in[j];
			all.in[j] |= node->set.in[j] & with->in[j];
		}
		if (any)
			enter(g, room, node->next);
	}
	*now = *room;
	return all;
}

static int walk(const struct graph *g, int start, const char *word, size_t len,
		struct nextchars_set *ret, size_t room)
{
	static const struct nextchars_set anything = {{~0ull, ~0ull, ~0ull, ~0ull}};
	own_mem struct places *now = calloc(2, sizeof(*now));
	size_t n = 0;

	if (!now)
		return FAILED;
	enter(g, now, start);
	for (size_t i = 0; i < len; i++) {
		struct nextchars_set one = {0}, found;

		put(&one, (unsigned char)word[i]);
		found = step(g, now, now + 1, &one);
		if (now[0].at[MATCH] || !nextchars_in(&found, (unsigned char)word[i]))
			return FAILED;
	}
	while (n < room && len + n < NEXTCHARS_REACH && !now[0].at[MATCH])
		ret[n++] = step(g, now, now + 1, &anything);
	return (int)n;
}

int nextchars_read(const char *pattern, const char *word, size_t len, struct nextchars_set *ret,
		   size_t room)
{
	own_mem struct graph *g = calloc(1, sizeof(*g));
	int start;

	if (!g)
		return FAILED;
	g->n = 1;
	start = build(g, pattern, pattern + strlen(pattern), MATCH);
	return start == FAILED ? FAILED : walk(g, start, word, len, ret, room);
}
