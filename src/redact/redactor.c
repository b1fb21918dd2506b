/* SPDX-License-Identifier: Apache-2.0 */
/* redactor.c - one stream: holds lines, finds what is in them, lets the rest out.
 *
 * Bytes go through neutral.c into a buffer and through the automaton of the known values.  When a
 * line is complete, and no known value that began in it is still going on, it is searched and let
 * out; lines that are complete at the same time are searched together.  A line that is longer than
 * the buffer is searched in windows that overlap: its first part is let out, the rest is looked at
 * again with what follows.  Where windows begin depends on the line only.
 *
 * Places in the stream are counted from 1; what is in the buffer is counted from its begin.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/own.h"
#include "redact/finder.h"
#include "redact/keyblock.h"
#include "redact/neutral.h"

enum {
	WINDOW = 128 << 10,
	OVERLAP = 32 << 10,          /* longer than any known form or bounded match */
	OVERLAP_BUILT_IN = 16 << 10, /* and than what a built-in rule needs to see of its match */
	REACH = 1 << 10,  /* what tells a match is found at most so far behind its begin */
	LEAST = 16 << 10, /* a window lets out at least so much */
	ROW = 8 << 10,    /* bytes of secrets that begin in each other: more are cut in two */
	CONTEXT = 64,     /* bytes before the window, to look back at */
	SLACK = 64,       /* a window is never a byte longer, whatever neutral.c gives at once */
	ROOM = CONTEXT + WINDOW + SLACK,
	HITS = ROOM / KNOWN_LEAST + 2,
};
_Static_assert((int)OVERLAP > (int)KNOWN_FORM, "a known form must fit into the overlap");

/* A known value, by places in the stream. */
struct hit {
	uint64_t begin, end;
	size_t rule;
};

struct redactor {
	struct redact_set *set;
	redact_sink *sink;
	void *context;
	struct neutral neutral;
	char *text;        /* ROOM bytes */
	size_t floor;      /* context begins here */
	size_t start, len; /* held: text[start .. len) */
	size_t most;       /* bytes of text that ever held something */
	size_t lines;      /* text[start .. lines) is whole lines */
	uint64_t base;     /* the place of text[0]; may wrap below 0 */
	uint64_t open_end; /* what was replaced last ends at this place; 0: nothing was */
	bool swallow;      /* ... and it was not at its end yet */
	struct keyblock block;
	uint64_t block_end; /* the place where the last one ended */
	struct finder finder;
	uint32_t state;   /* of the automaton */
	struct hit *hits; /* sorted, apart from each other; NULL: nothing is known */
	size_t n_hits;
	uint64_t *counts;
	const char *canary;
};

static void start_stream(struct redactor *r)
{
	r->neutral = (struct neutral){0};
	r->block = (struct keyblock){0};
	r->floor = r->start = r->len = r->lines = CONTEXT;
	r->base = 1 - (uint64_t)CONTEXT;
	r->open_end = r->block_end = 0;
	r->swallow = false;
	r->state = 0;
	r->n_hits = 0;
}

struct redactor *redactor_new(struct redact_set *set, redact_sink *sink, void *context,
			      struct error *err)
{
	struct redactor *r = calloc(1, sizeof(*r));

	if (!r) {
		(void)fail_sys(err, "allocate for redaction");
		return NULL;
	}
	r->set = set;
	r->sink = sink;
	r->context = context;
	r->text = malloc(ROOM);
	r->counts = calloc(set->n, sizeof(*r->counts));
	r->hits = set->known ? malloc(HITS * sizeof(*r->hits)) : NULL;
	if (!r->text || !r->counts || (set->known && !r->hits)) {
		(void)fail_sys(err, "allocate for redaction");
	} else if (finder_init(&r->finder, set, err) == 0) {
		start_stream(r);
		return r;
	}
	redactor_free(r);
	return NULL;
}

void redactor_free(struct redactor *r)
{
	if (!r)
		return;
	if (r->text)
		explicit_bzero(r->text, r->most + 8 < ROOM ? r->most + 8 : ROOM);
	free(r->text);
	free(r->counts);
	free(r->hits);
	finder_done(&r->finder);
	free(r);
}

void redactor_reset(struct redactor *r)
{
	start_stream(r);
}

/* Known values */

static void on_hit(void *context, size_t end, size_t len, size_t which)
{
	struct redactor *r = context;
	size_t rule = r->set->first_known + which;
	/* end is counted from r->len, where the new bytes begin. */
	struct hit hit = {.rule = rule};

	hit.end = r->base + r->len + end;
	hit.begin = hit.end - len;
	if (r->set->entries[rule].canary && !r->canary)
		r->canary = r->set->entries[rule].id + strlen("secret:");
	/* What overlaps becomes one; it is named after its longest part. */
	while (r->n_hits > 0 && r->hits[r->n_hits - 1].end > hit.begin) {
		const struct hit *last = &r->hits[--r->n_hits];

		if (last->end - last->begin > len)
			hit.rule = last->rule;
		if (last->begin < hit.begin)
			hit.begin = last->begin;
	}
	r->hits[r->n_hits++] = hit;
}

/* The next one that begins before limit, as a span; those that are over are forgotten. */
static bool next_hit(const struct redactor *r, size_t *i, size_t limit, struct span *ret)
{
	uint64_t held = r->base + r->start;

	for (; *i < r->n_hits && r->hits[*i].begin < r->base + limit; ++*i) {
		const struct hit *h = &r->hits[*i];
		uint64_t begin = h->begin > held ? h->begin : held;

		if (h->end <= held)
			continue;
		ret->from = ret->begin = (size_t)(begin - r->base);
		ret->end = (size_t)(h->end - r->base);
		ret->rule = h->rule;
		return true;
	}
	return false;
}

static void forget_hits(struct redactor *r, size_t n)
{
	r->n_hits -= n;
	if (n)
		memmove(r->hits, r->hits + n, r->n_hits * sizeof(*r->hits));
}

/* Letting out */

static void let_out(struct redactor *r, size_t from, size_t to)
{
	if (to > from)
		r->sink(r->context, r->text + from, to - from);
}

/* Text up to begin as it is, then the label; what touches the last one belongs to it. */
static void replace(struct redactor *r, size_t *at, size_t begin, size_t end, size_t rule)
{
	const struct entry *e = &r->set->entries[rule];
	uint64_t place = r->base + begin;

	if (r->open_end == 0 || place > r->open_end) {
		let_out(r, *at, begin);
		r->sink(r->context, e->label, e->label_len);
		r->counts[rule]++;
	}
	if (r->base + end > r->open_end)
		r->open_end = r->base + end;
	if (end > *at)
		*at = end;
}

/* The next blank or quote in text[at .. limit); limit: there is none. */
static size_t next_stop(const struct redactor *r, size_t at, size_t limit)
{
	static const bool stops[256] = {
		['\0'] = true, [' '] = true,  ['\t'] = true, ['\n'] = true,
		['"'] = true,  ['\''] = true, ['`'] = true,
	};

	while (at < limit && !stops[(unsigned char)r->text[at]])
		at++;
	return at;
}

/* A secret that was longer than the window goes on to the next blank or quote. */
static void go_on_swallowing(struct redactor *r, size_t *at, size_t limit)
{
	size_t end = *at;

	if (!r->swallow)
		return;
	if (r->open_end > r->base + end)
		end = (size_t)(r->open_end - r->base);
	end = next_stop(r, end, limit);
	r->swallow = end >= limit;
	r->open_end = r->base + end;
	*at = end;
}

static void go_on_with_key(struct redactor *r, size_t *at, size_t limit, size_t end)
{
	bool cut = false;
	size_t stop;

	if (!r->block.open)
		return;
	stop = keyblock_run(&r->block, r->text, *at, limit, end, &cut);
	r->open_end = r->block_end = r->base + stop;
	*at = stop;
	if (cut) {
		r->sink(r->context, "\n", 1);
		r->open_end--; /* what follows does not touch it: there is a newline between */
	}
}

/* The next span of a rule that counts. */
static bool next_span(const struct spans *spans, size_t *i, size_t limit, struct span *ret)
{
	for (; *i < spans->n; ++*i) {
		if (spans->span[*i].from >= limit)
			continue;
		*ret = spans->span[*i];
		/* In a window: its begin is beyond what can be let out, what says so is not. */
		if (ret->begin > limit)
			ret->begin = limit;
		return true;
	}
	return false;
}

static void take_span(struct redactor *r, size_t *at, const struct span *s, size_t limit,
		      size_t end)
{
	const struct redact_rule *rule = r->set->entries[s->rule].rule;

	if (!rule || !rule->opens_block) {
		replace(r, at, s->begin, s->end, s->rule);
	} else if (r->base + s->begin >= r->block_end) { /* else: within the last block */
		replace(r, at, s->begin, s->end, s->rule);
		keyblock_begin(&r->block);
		go_on_with_key(r, at, limit, end);
	}
}

/* Lets text[r->start .. limit) out; the spans are those of text[r->start .. end). */
static void let_out_cleaned(struct redactor *r, const struct spans *spans, size_t limit, size_t end)
{
	size_t at = r->start, i = 0, j = 0;
	struct span found = {0}, hit = {0};
	bool more, known;

	keyblock_move(&r->block);
	if (r->open_end > r->base + at)
		at = (size_t)(r->open_end - r->base);
	go_on_swallowing(r, &at, limit);
	go_on_with_key(r, &at, limit, end);
	more = next_span(spans, &i, limit, &found);
	known = next_hit(r, &j, limit, &hit);
	while (more || known) {
		if (known && (!more || hit.begin < found.begin ||
			      (hit.begin == found.begin && hit.end >= found.end))) {
			replace(r, &at, hit.begin, hit.end, hit.rule);
			j++;
			known = next_hit(r, &j, limit, &hit);
		} else {
			take_span(r, &at, &found, limit, end);
			i++;
			more = next_span(spans, &i, limit, &found);
		}
	}
	forget_hits(r, j);
	let_out(r, at, limit);
	r->start = limit;
}

/* Searching */

/* In text[r->start .. end); what begins in the last bytes of it, rest of them, is not asked for. */
static bool find(struct redactor *r, size_t end, size_t rest)
{
	struct error err = {0};

	if (!r->set->warm && (r->set->lost || redact_set_warm(r->set, &err) < 0)) {
		r->set->lost = true;
		return false;
	}
	return finder_run(&r->finder, &(struct stretch){r->text, r->floor, r->start, end, rest}) ==
	       0;
}

/* text[r->start .. limit) cannot be searched: it is replaced, but for the end of its line. */
static void replace_all(struct redactor *r, size_t limit)
{
	struct spans *spans = &r->finder.spans;
	size_t end = r->text[limit - 1] == '\n' ? limit - 1 : limit;

	spans->n = 0;
	spans->full = false;
	spans_add(spans, (struct span){r->start, r->start, end, r->set->limit});
	let_out_cleaned(r, spans, limit, limit);
}

/* The end of a line near the middle of text[r->start .. end), and not its very end; 0: none. */
static size_t middle_line(const struct redactor *r, size_t end)
{
	size_t middle = r->start + (end - r->start) / 2;
	const char *cut = memrchr(r->text + r->start, '\n', middle - r->start);

	if (!cut)
		cut = memchr(r->text + middle, '\n', end - 1 - middle);
	return cut ? (size_t)(cut - r->text) + 1 : 0;
}

/* Whole lines, or the last one: all of text[r->start .. end) goes out. */
static void search(struct redactor *r, size_t end)
{
	size_t until = end;

	while (r->start < end) {
		if (find(r, until, 0)) {
			let_out_cleaned(r, &r->finder.spans, until, until);
			until = end;
			continue;
		}
		/* More was found than can be kept: half of it, down to a line. */
		if (middle_line(r, until)) {
			until = middle_line(r, until);
		} else {
			replace_all(r, until);
			until = end;
		}
	}
}

static bool has_own_rules(const struct redactor *r)
{
	return r->set->first_own < r->set->first_known;
}

/* What of a window can go out, because all that begins in it can be seen. */
static size_t window_part(const struct redactor *r)
{
	return WINDOW - (r->set->known || has_own_rules(r) ? OVERLAP : OVERLAP_BUILT_IN);
}

/* Of those that are cut in two wherever a part ends the one that goes farthest; zeroed: none. */
static struct span cut_anyway(const struct spans *spans, size_t least, size_t limit)
{
	struct span ret = {0};

	for (size_t i = 0; i < spans->n; i++) {
		const struct span *s = &spans->span[i];

		if (s->from <= least && s->end > limit && s->end > ret.end)
			ret = *s;
	}
	return ret;
}

/* Is it replaced with the other, whatever it is?  One without an end goes on to the next blank or
 * quote, as do all built-in ones within it; an owner's may go on behind that. */
static bool is_within(const struct redactor *r, const struct span *s, const struct span *other,
		      size_t end)
{
	return s->from >= other->begin && s->end <= other->end &&
	       (s->end < end || r->set->entries[s->rule].rule);
}

/* Nothing that was found should be cut in two: it is found again in the next window.  In a long
 * value of names and values one begins every few bytes: windows would go on by their least.  So
 * they would in a row of short ones that begin in each other.  0: there is such a row, wherever a
 * part ends; an owner's rules have none, for what they match may go on behind a blank. */
static size_t whole_limit(const struct redactor *r, const struct spans *spans, size_t end)
{
	size_t most = r->start + window_part(r), least = r->start + LEAST;
	size_t limit = most, first = most; /* where those begin that go on behind most */
	const struct span whole = cut_anyway(spans, least, most);
	bool own = false;

	for (size_t i = spans->n; i-- > 0;) {
		const struct span *s = &spans->span[i];

		if (s->from >= limit || s->end <= limit || s->from <= least ||
		    is_within(r, s, &whole, end))
			continue;
		limit = s->from;
		first = s->end > most ? limit : first;
		own = own || !r->set->entries[s->rule].rule;
	}
	return own || first - limit <= ROW ? limit : 0;
}

/* Is all of text[r->start .. end) part of what was replaced last?  Then it need not be searched: of
 * what begins in its first part no built-in rule's match goes on behind the next blank or quote. */
static bool is_swallowed(const struct redactor *r, size_t end)
{
	return r->swallow && !has_own_rules(r) && next_stop(r, r->start, end) == end;
}

/* Does something that begins before text[limit] go on to the end of what was seen?  Signs at the
 * end of a value are no part of it, but they are if more of it follows. */
static bool is_endless(const struct redactor *r, const struct spans *spans, size_t limit,
		       size_t end)
{
	while (end > limit && check_is_trail(r->text[end - 1]))
		end--;
	for (size_t i = 0; i < spans->n; i++)
		if (spans->span[i].from < limit && spans->span[i].end >= end)
			return true;
	return false;
}

/* A line that is longer than a window: a part of it goes out. */
static void search_window(struct redactor *r)
{
	size_t end = r->start + WINDOW, most = r->start + window_part(r), limit;
	struct spans *spans = &r->finder.spans;
	bool endless;

	if (is_swallowed(r, end)) {
		spans->n = 0;
		let_out_cleaned(r, spans, most, end);
		return;
	}
	if (!find(r, end, end - most - REACH)) {
		replace_all(r, most);
		r->swallow = true;
		return;
	}
	limit = whole_limit(r, spans, end);
	/* A row of secrets that has no end is one secret that has none. */
	endless = limit == 0;
	limit = limit ? limit : most;
	endless = endless || is_endless(r, spans, limit, end);
	let_out_cleaned(r, spans, limit, end);
	r->swallow = r->swallow || endless;
}

/* Moves what is held to the front, with some context before it. */
static void compact(struct redactor *r)
{
	size_t keep = r->start - r->floor < CONTEXT ? r->start - r->floor : CONTEXT;
	size_t by = r->start - CONTEXT;

	if (by == 0)
		return;
	memmove(r->text + CONTEXT - keep, r->text + r->start - keep, keep + r->len - r->start);
	r->base += by;
	r->floor = CONTEXT - keep;
	r->start = CONTEXT;
	r->len -= by;
	r->lines = r->lines > by + CONTEXT ? r->lines - by : CONTEXT;
}

/* The end of the lines in which nothing known is still going on. */
static size_t ready_lines(const struct redactor *r)
{
	size_t depth = r->set->known ? known_depth(r->set->known, r->state) : 0;
	size_t hold = r->len - r->start > depth ? r->len - depth : r->start;
	const char *last;

	if (r->lines <= hold)
		return r->lines;
	last = memrchr(r->text + r->start, '\n', hold - r->start);
	return last ? (size_t)(last - r->text) + 1 : r->start;
}

/* Lets out what can be. */
static void settle(struct redactor *r)
{
	size_t ready = ready_lines(r);

	while (r->len - r->start >= WINDOW && !memchr(r->text + r->start, '\n', WINDOW))
		search_window(r);
	if (ready > r->start)
		search(r, ready);
	else if (r->len - r->start >= WINDOW)
		search_window(r);
	compact(r);
}

/* n bytes behind text[r->len] are new. */
static void grown(struct redactor *r, size_t n)
{
	const char *newline = memrchr(r->text + r->len, '\n', n);

	if (r->set->known)
		r->state = known_scan(r->set->known, r->state, r->text + r->len, n, on_hit, r);
	if (newline)
		r->lines = (size_t)(newline - r->text) + 1;
	r->len += n;
	r->most = r->len > r->most ? r->len : r->most;
}

void redactor_feed(struct redactor *r, const char *data, size_t len)
{
	while (len > 0) {
		grown(r, neutral_feed(&r->neutral, &data, &len, r->text + r->len, ROOM - r->len));
		settle(r);
	}
}

void redactor_finish(struct redactor *r)
{
	grown(r, neutral_finish(&r->neutral, r->text + r->len));
	settle(r);
	search(r, r->len);
	compact(r);
}

size_t redactor_counts(const struct redactor *r, struct redact_count *ret, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < r->set->n; i++) {
		if (!r->counts[i])
			continue;
		if (n < room)
			ret[n] = (struct redact_count){r->set->entries[i].id, r->counts[i]};
		n++;
	}
	return n;
}

uint64_t redactor_total(const struct redactor *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->set->n; i++)
		sum += r->counts[i];
	return sum;
}

const char *redactor_canary(const struct redactor *r)
{
	return r->canary;
}
