/* SPDX-License-Identifier: Apache-2.0 */
/* wordanchors.c - letters in the middle of long words that say what they are: "...AZDO...".
 *
 * Only runs of bytes without a blank that are long enough for one of the rules are looked at, and
 * in them only places where an anchor's letters are.
 */
#include "redact/wordanchors.h"

#include <string.h>

#include "base/processor.h"
#include "redact/lanes.h"

enum {
	STEP = 2 * LANES,
	LONG = LANES + 2, /* sixteen bytes, and two behind them */
};

/* Places are counted from the floor. */
struct looking {
	const struct anchors *anchors;
	struct shape_text in;
	size_t floor, low, stop;
	size_t begin, end; /* the run that is looked at: no form has a blank in it */
	bool shuffles;     /* this processor looks sixteen bytes up at once */
	anchors_hit *hit;
	void *context;
};

/* The first and the last of the bytes before an anchor tell most texts that have none. */
static inline bool is_behind(const struct looking *l, const struct anchor *one, size_t at)
{
	const uint64_t *of = l->anchors->sets.of;
	const char *text = l->in.text + at;

	return one->n_prev == 0 ||
	       ((of[(unsigned char)text[-1]] & of[(unsigned char)text[-(ptrdiff_t)one->n_prev]]) >>
			one->prev &
		1);
}

/* The same of those behind it. */
static inline bool is_before(const struct looking *l, const struct anchor *one, size_t at)
{
	const uint64_t *of = l->anchors->sets.of;
	const char *text = l->in.text + at + one->len;

	return one->n_after == 0 ||
	       (l->end - at >= (size_t)one->len + one->n_after &&
		((of[(unsigned char)text[0]] & of[(unsigned char)text[one->n_after - 1]]) >>
			 one->after &
		 1));
}

/* Eight bytes at once, of which only its letters count. */
static inline bool has_letters(const struct looking *l, const struct anchor *one, size_t at)
{
	uint64_t here, letters;

	if (l->in.high - at < sizeof(here))
		return l->in.high - at >= one->len &&
		       memcmp(l->in.text + at, one->letters, one->len) == 0;
	memcpy(&here, l->in.text + at, sizeof(here));
	memcpy(&letters, one->letters, sizeof(letters));
	return ((here ^ letters) & one->mask) == 0;
}

/* May the byte before text[at] be before one of the row? */
static inline bool may_be_behind(const struct looking *l, const struct anchor *first, size_t at)
{
	return first->prevs == UINT64_MAX ||
	       (at > l->begin &&
		(l->anchors->sets.of[(unsigned char)l->in.text[at - 1]] & first->prevs));
}

__attribute__((noinline)) static bool look_at_row(struct looking *l, size_t at)
{
	const struct anchors *a = l->anchors;
	size_t row = a->row[anchors_row(l->in.text + at)];

	if (!may_be_behind(l, &a->anchors[row - 1], at))
		return true;
	for (size_t i = row; i; i = a->anchors[i - 1].next) {
		const struct anchor *one = &a->anchors[i - 1];

		if (at - l->begin < one->before || !has_letters(l, one, at) ||
		    !is_behind(l, one, at) || !is_before(l, one, at) ||
		    !shape_fits(&one->shape, &a->sets, &l->in, at - one->before))
			continue;
		if (!l->hit(l->context, l->floor + at, one->entry))
			return false;
	}
	return true;
}

/* By a table of bits: that of rows is too large to be near. */
static inline bool has_row(const struct looking *l, size_t at)
{
	return anchors_bit(l->anchors->firsts, anchors_row(l->in.text + at));
}

#ifdef __SSE2__
/* At which of sixteen bytes an anchor may begin; two more are behind them. */
__attribute__((target("ssse3"))) static inline uint32_t may_begin(const struct anchors *a,
								  const char *text)
{
	lanes all = nibbles_of(&a->first, lanes_load(text)) &
		    nibbles_of(&a->second, lanes_load(text + 1)) &
		    nibbles_of(&a->third, lanes_load(text + 2));

	return lanes_bits((lanes)(all != 0));
}

/* look_at_run() of more than LONG bytes. */
__attribute__((target("ssse3"))) static bool look_at_long_run(struct looking *l, size_t begin,
							      size_t end)
{
	for (size_t done = begin; done + 2 < end; done += LANES) {
		/* The last ones are read again: they are there for sure. */
		size_t at = end - done > LONG ? done : end - LONG;
		uint32_t some = may_begin(l->anchors, l->in.text + at) >> (done - at);

		for (; some; some &= some - 1) {
			size_t i = done + (size_t)__builtin_ctz(some);

			if (has_row(l, i) && !look_at_row(l, i))
				return false;
		}
	}
	return !has_row(l, end - 2) || look_at_row(l, end - 2);
}
#endif

/* Every second pair of bytes tells whether an anchor may begin there, or one byte before or behind.
 */
static bool look_at_run(struct looking *l, size_t begin, size_t end)
{
	const uint32_t *pairs = l->anchors->pairs;
	size_t at = begin;

#ifdef __SSE2__
	if (l->shuffles && end - begin > LONG)
		return look_at_long_run(l, begin, end);
#endif
	for (; at + 1 < end; at += 2) {
		if (!anchors_bit(pairs, anchors_row(l->in.text + at)))
			continue;
		if ((at > begin && has_row(l, at - 1) && !look_at_row(l, at - 1)) ||
		    (has_row(l, at) && !look_at_row(l, at)) ||
		    (at + 2 < end && has_row(l, at + 1) && !look_at_row(l, at + 1)))
			return false;
	}
	return true;
}

static bool is_dark(const struct looking *l, size_t i)
{
	return (unsigned char)l->in.text[i] > ' ';
}

static size_t run_end(const struct looking *l, size_t at)
{
	for (; l->in.high - at >= LANES; at += LANES) {
		uint32_t blanks = lanes_bits((lanes)(lanes_load(l->in.text + at) <= ' '));

		if (blanks)
			return at + (size_t)__builtin_ctz(blanks);
	}
	while (at < l->in.high && is_dark(l, at))
		at++;
	return at;
}

/* The run that text[at] is in, or that begins there; returns its end, 0: enough. */
__attribute__((noinline)) static size_t look_around(struct looking *l, size_t at)
{
	size_t begin = at, end = run_end(l, at);

	while (begin > l->low && is_dark(l, begin - 1))
		begin--;
	l->begin = begin;
	l->end = end;
	if (end - begin >= ANCHORS_RUN && !look_at_run(l, begin, end < l->stop ? end : l->stop))
		return 0;
	return end;
}

static inline uint64_t dark_bits(const char *text)
{
	return lanes_bits((lanes)(lanes_load(text) > ' '));
}

/* The first of ANCHORS_RUN bits in a row; 0: there are not so many. */
static inline uint64_t long_runs(uint64_t bits)
{
	bits &= bits >> 1;
	bits &= bits >> 2;
	bits &= bits >> 4;
	bits &= bits >> 8;
	return bits & bits >> (ANCHORS_RUN - 16);
}

bool anchors_find(const struct anchors *a, const struct stretch *in, anchors_hit *hit,
		  void *context)
{
	struct looking l = {.anchors = a,
			    .in = {.text = in->text + in->floor, .high = in->high - in->floor},
			    .floor = in->floor,
			    .low = in->low - in->floor,
			    .stop = stretch_stop(in) - in->floor,
#ifdef __SSE2__
			    .shuffles = processor_has(PROCESSOR_SSSE3),
#endif
			    .hit = hit,
			    .context = context};
	size_t i = l.low;
	uint64_t bits = 0; /* the 64 bytes before text[i]: which of them are no blanks */

	while (i < l.stop && l.in.high - i >= STEP) {
		uint64_t runs;

		bits = bits >> STEP | dark_bits(l.in.text + i) << STEP |
		       dark_bits(l.in.text + i + LANES) << (STEP + LANES);
		i += STEP;
		runs = long_runs(bits);
		if (!runs)
			continue;
		i = look_around(&l, i - 2 * (size_t)STEP + (size_t)__builtin_ctzll(runs));
		if (i == 0)
			return false;
		bits = 0;
	}
	/* What is left is less than a step; a run that goes on may end there. */
	return i >= l.stop || !is_dark(&l, i) || look_around(&l, i) != 0;
}
