/* SPDX-License-Identifier: Apache-2.0 */
/* valuerun.c - the characters of a value in a row, and what was seen in them.
 *
 * In "key=key=key=..." a value begins behind each sign, and each goes on to the end of the run:
 * checks that read every one of them from its begin read the same bytes again and again.  So what
 * was seen is kept: counts of bytes move along with the begin, what says that none of them is a
 * secret ("://", "environ") is searched from the end of the run, once.
 */
#include "redact/valuerun.h"

#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "redact/fillers.h"
#include "redact/lanes.h"
#include "redact/redact_rule.h"

enum {
	LEAST = 10,
	LETTERS = 20, /* at least, without a digit */
	CHANGES = 5,  /* then, from small letters to capitals */
	GLANCE = VALUERUN_GLANCE,
	CALM = CHECK_ENOUGH / 12, /* changes of CHECK_ENOUGH bytes with digits, at least */
	SKIP = 2 * LANES,         /* bytes of a run that are read at once */
	MOVE = 2 * LANES,         /* bytes, at most, that letters are counted on, and not anew */
};

enum letter { OTHER = 0, LOWER, UPPER, DIGIT, NO_VALUE };

static const unsigned char letters[256] = {
	['a' ... 'z'] = LOWER, ['A' ... 'Z'] = UPPER, ['0' ... '9'] = DIGIT, ['\n'] = NO_VALUE,
	[' '] = NO_VALUE,      ['\t'] = NO_VALUE,     ['"'] = NO_VALUE,      ['\''] = NO_VALUE,
	['`'] = NO_VALUE,      ['<'] = NO_VALUE,      ['>'] = NO_VALUE,      [','] = NO_VALUE,
	[';'] = NO_VALUE,      ['('] = NO_VALUE,      [')'] = NO_VALUE,      ['{'] = NO_VALUE,
	['}'] = NO_VALUE,      ['['] = NO_VALUE,      [']'] = NO_VALUE,      ['&'] = NO_VALUE,
	['|'] = NO_VALUE,
};

static unsigned letter_at(const struct valuerun *r, size_t i)
{
	return letters[(unsigned char)r->text[i]];
}

/* As in checks.c: a capital that begins a word is no surprise. */
static unsigned is_change(unsigned last, unsigned now)
{
	/* One bit for each pair of them; those of which one is OTHER have none. */
	static const unsigned changes = 1u << (LOWER * 4 + UPPER) | 1u << (LOWER * 4 + DIGIT) |
					1u << (UPPER * 4 + DIGIT) | 1u << (DIGIT * 4 + LOWER) |
					1u << (DIGIT * 4 + UPPER);

	return changes >> (last * 4 + now) & 1;
}

/* One bit for each of sixteen bytes. */
struct sixteen {
	uint32_t ends;
	struct letterbits letters;
};

static struct sixteen look_at(const char *text)
{
	lanes v = lanes_load(text), or = v | 0x20;

	return (struct sixteen){
		.ends = lanes_bits((lanes)(v == ' ') | (lanes)(v == '\n') | (lanes)(v == '\t') |
				   (lanes)(v == '"') | is_between(v, '&', ')') | (lanes)(v == ',') |
				   is_between(v, ';', '<') | (lanes)(v == '>') | (lanes)(v == '`') |
				   (lanes)(v == '|') | (lanes)(or == '{') | (lanes)(or == '}')),
		.letters = letterbits_of(v),
	};
}

/* Where a value may end, and perhaps elsewhere. */
static inline lanes may_end(lanes v)
{
	lanes bracket = (v | 0x20) - '{';

	return (lanes)(v <= ',') | (lanes)(v == ';') | (lanes)((v | 2) == '>') | (lanes)(v == '`') |
	       (lanes)(bracket <= '}' - '{');
}

/* On to where the value may end, or fewer bytes are left: if it has enough changes, only its last
 * digit counts. */
static size_t skip_sixteens(struct valuerun *r, size_t at)
{
	size_t i = at;

	for (; r->high - i >= SKIP; i += SKIP) {
		lanes one = lanes_load(r->text + i), two = lanes_load(r->text + i + LANES);
		uint32_t digits = lanes_bits(is_between(one, '0', '9')) |
				  lanes_bits(is_between(two, '0', '9')) << LANES;

		if (lanes_bits(may_end(one) | may_end(two)))
			break;
		if (digits)
			r->digit = i + 32 - (size_t)__builtin_clz(digits);
	}
	return i;
}

/* Sixteen bytes at a time.  Returns where it is over, or less than sixteen are left; last: what
 * was there. */
static size_t read_sixteens(struct valuerun *r, size_t at, unsigned *last)
{
	struct letterbits all = {0};
	uint32_t ends = 0;
	size_t i = at;

	for (; !ends && r->high - i >= LANES;) {
		struct sixteen now = look_at(r->text + i);
		uint32_t within = now.ends ? (now.ends & -now.ends) - 1 : 0xffff;
		size_t len = now.ends ? (size_t)__builtin_ctz(now.ends) : LANES;

		ends = now.ends;
		letterbits_move(&all, now.letters, within);
		if (r->changes < CHANGES) /* more are not asked for */
			r->changes += letterbits_count(letterbits_changes(all));
		if (all.digits >> 1)
			r->digit = i + 32 - (size_t)__builtin_clz(all.digits >> 1);
		i += len;
		if (!ends && r->changes >= CHANGES)
			i = skip_sixteens(r, i);
	}
	r->end = i;
	*last = !ends && i > at ? letter_at(r, i - 1) : OTHER;
	return ends ? r->high : i;
}

static void read_run(struct valuerun *r, size_t at)
{
	unsigned last = OTHER;
	size_t i;

	r->begin = at;
	r->digit = r->changes = 0;
	r->trim_known = r->last_known = false;
	for (i = read_sixteens(r, at, &last); i < r->high; r->end = ++i) {
		unsigned now = letter_at(r, i);

		if (now == NO_VALUE)
			break;
		r->changes += is_change(last, now);
		r->digit = now == DIGIT ? i + 1 : r->digit;
		last = now;
	}
}

size_t valuerun_end(struct valuerun *r, size_t at)
{
	if (at < r->begin || at >= r->end)
		read_run(r, at);
	return r->end;
}

/* Fewer bits than a random value has changes: three with digits in it, CHANGES without. */
static inline bool is_few(uint32_t changes, bool digits)
{
	uint32_t third = changes & (changes - 1), fifth;

	third &= third - 1;
	fifth = third & (third - 1);
	fifth &= fifth - 1;
	return (third == 0) | (!digits & (fifth == 0));
}

/* valuerun_dull() by the first bytes, up to a blank, all at the same time; false: not known. */
static bool is_dull_at_once(const char *text)
{
	uint32_t blanks = 0, digits = 0, lower = 0, upper = 0, within, changes, least;

#pragma GCC unroll 2
	for (unsigned i = 0; i < GLANCE; i += LANES) {
		lanes v = lanes_load(text + i);

		blanks |= lanes_bits((lanes)(v == ' ') | (lanes)(v == '\n') | (lanes)(v == '\t'))
			  << i;
		digits |= lanes_bits(is_between(v, '0', '9')) << i;
		lower |= lanes_bits(is_between(v, 'a', 'z')) << i;
		upper |= lanes_bits(is_between(v, 'A', 'Z')) << i;
	}
	within = (blanks & -blanks) - 1; /* what is before the first; all, if there is none */
	changes = letterbits_changes((struct letterbits){digits, lower, upper});
	digits &= within;
	least = digits ? LEAST : LETTERS;
	/* No branch here: what a value looks like cannot be foretold. */
	return (blanks != 0) &
	       ((within < (1u << least) - 1) | is_few(changes & within, digits != 0));
}

static bool is_dull_run(const struct valuerun *r, size_t at)
{
	size_t len = r->end - at;

	if (r->digit > at)
		return len < LEAST || r->changes < 3;
	return len < LETTERS || r->changes < CHANGES;
}

bool valuerun_dull_at_once(const struct valuerun *r, size_t at)
{
	/* What is in a run that was read is known already. */
	return at < r->begin || at >= r->end ? is_dull_at_once(r->text + at) : is_dull_run(r, at);
}

/* The last one tells about all values that begin before it. */
static bool has_known_filler(const struct valuerun *r, size_t at, size_t end)
{
	return r->filler >= at && r->filler_end > r->filler && r->filler_end <= end;
}

static bool has_digit(const struct valuerun *r, size_t at, size_t end)
{
	for (; end - at >= LANES; at += LANES)
		if (lanes_bits(is_between(lanes_load(r->text + at), '0', '9')))
			return true;
	return false;
}

/* Has what check_assigned() would look at few changes, and a digit? */
static bool is_known_calm(const struct valuerun *r, size_t at)
{
	return at >= r->calm.from && r->calm.to >= at + CHECK_ENOUGH && r->trim_known &&
	       r->trimmed >= at + CHECK_ENOUGH && has_digit(r, at, at + CHECK_ENOUGH);
}

bool valuerun_known_dull(const struct valuerun *r, size_t at)
{
	size_t end = r->end - at < CHECK_ENOUGH ? r->end : at + CHECK_ENOUGH;

	/* A filler was found before the end of its run, and without what ends a sentence. */
	return at >= r->begin && at < r->end &&
	       (is_dull_run(r, at) || (at >= r->few && end <= r->few_end) ||
		has_known_filler(r, at, end) || is_known_calm(r, at));
}

bool valuerun_all_dull(const struct valuerun *r, size_t from, size_t to)
{
	size_t end = r->end - to < CHECK_ENOUGH ? r->end : to + CHECK_ENOUGH;

	return from >= r->begin && to < r->end &&
	       (r->changes < 3 || (from >= r->few && end <= r->few_end));
}

bool valuerun_dull(struct valuerun *r, size_t at)
{
	(void)valuerun_end(r, at);
	return is_dull_run(r, at);
}

static bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Counts text[from .. to). */
static void count_to(const struct valuerun *r, struct valuecount *c, size_t from, size_t to)
{
	const unsigned char *text = (const unsigned char *)r->text, *first, *next;
	size_t drop, add, both;
	uint32_t order;

	if (from < c->from || from >= c->to || to < c->to)
		*c = (struct valuecount){.from = from, .to = from};
	order = c->bits.order;
	first = text + c->from;
	next = text + c->to;
	drop = from - c->from;
	add = to - c->to;
	both = drop < add ? drop : add;
	/* By turns: each waits for the one before it. */
	for (size_t i = 0; i < both; i++) {
		order -= valuebits_drop(&c->bits, first[i]);
		order += valuebits_add(&c->bits, next[i]);
	}
	for (size_t i = both; i < drop; i++)
		order -= valuebits_drop(&c->bits, first[i]);
	for (size_t i = both; i < add; i++)
		order += valuebits_add(&c->bits, next[i]);
	c->bits.order = order;
	c->from = from;
	c->to = to;
}

/* Of n different bytes no text has more than log2(n) bits per byte: of 6 less than 2.8, of 11 less
 * than 3.5. */
enum {
	FEW = 6,
	FEW_LETTERS = 11,
	MANY_SOON = 32, /* bytes: there are many in few */
	MANY_READ = 512,
};

/* Reads from text[at] on while there are so few of them. */
static void read_few(struct valuerun *r, size_t at)
{
	bool seen[256] = {false}, digits = false;
	size_t i = at;

	for (unsigned n = 0; i < r->end; i++) {
		unsigned char c = (unsigned char)r->text[i];

		n += !seen[c];
		seen[c] = true;
		digits = digits || is_digit((char)c);
		if (n > FEW_LETTERS || (n > FEW && digits))
			break;
	}
	r->few = at;
	r->few_end = i;
}

/* Where one try did not help, the next begins behind it: no byte is read twice for nothing.  One
 * that ended soon is not followed by another one for a while. */
static bool are_few(struct valuerun *r, size_t at, size_t end)
{
	/* One that is the same has as few as the last. */
	if (at >= r->few_end && end - at <= r->few_end - r->few &&
	    memcmp(r->text + r->few, r->text + at, end - at) == 0) {
		r->few = at;
		r->few_end = end;
	}
	if ((at < r->few || at >= r->few_end) && at >= r->many_end) {
		read_few(r, at);
		if (r->few_end < end && r->few_end - at < MANY_SOON)
			r->many_end = at + MANY_READ;
	}
	return at >= r->few && end <= r->few_end;
}

/* Letters, digits and changes of text[from .. to), the first byte of which only is what the change
 * to the second is from. */
static struct valueletters letters_behind(const struct valuerun *r, size_t from, size_t to)
{
	struct valueletters seen = valueletters_of(r->text + from, to - from, r->high - from);
	unsigned first = letter_at(r, from);

	seen.letters -= first == LOWER || first == UPPER;
	seen.digits -= first == DIGIT;
	return seen;
}

static struct valueletters letters_before(const struct valuerun *r, size_t from, size_t to)
{
	struct valueletters seen = valueletters_of(r->text + from, to - from, r->high - from);
	unsigned last = letter_at(r, to - 1);

	seen.letters -= last == LOWER || last == UPPER;
	seen.digits -= last == DIGIT;
	return seen;
}

/* Moves to text[from .. to): what is in both is not read again. */
static void kinds_to(const struct valuerun *r, struct valuekinds *k, size_t from, size_t to)
{
	if (from < k->from || from >= k->to || to < k->to || from - k->from > MOVE ||
	    to - k->to > MOVE) {
		k->seen = valueletters_of(r->text + from, to - from, r->high - from);
	} else {
		struct valueletters less = letters_before(r, k->from, from + 1);
		struct valueletters more = letters_behind(r, k->to - 1, to);

		k->seen.letters += more.letters - less.letters;
		k->seen.digits += more.digits - less.digits;
		k->seen.changes += more.changes - less.changes;
	}
	k->from = from;
	k->to = to;
}

/* Reads from text[at] on while there are few changes. */
static void read_calm(struct valuerun *r, size_t at)
{
	struct letterbits all = {0};
	unsigned changes = 0;
	size_t i = at;

	for (; r->end - i >= LANES; i += LANES) {
		letterbits_move(&all, letterbits_of(lanes_load(r->text + i)), 0xffff);
		changes += letterbits_count(letterbits_changes(all));
		if (changes >= CALM)
			break;
	}
	r->calm = (struct valuecalm){at, i};
}

/* Too few changes for what has a digit?  Where one try did not help, the next begins behind it. */
static bool is_calm(struct valuerun *r, size_t at, size_t end)
{
	if (end - at != CHECK_ENOUGH)
		return false;
	if (at < r->calm.from || at >= r->calm.to)
		read_calm(r, at);
	else if (end > r->calm.to && r->calm.to - r->calm.from >= CHECK_ENOUGH)
		read_calm(r, at);
	return end <= r->calm.to && has_digit(r, at, end);
}

/* Values that begin in each other: what was read for one is not read for the next, but for its last
 * bytes, which may be the first of a word. */
static bool has_filler(struct valuerun *r, size_t at, size_t end)
{
	bool known = at >= r->plain && at < r->plain_end;
	size_t from = known && r->plain_end - at > FILLERS_MOST ? r->plain_end - FILLERS_MOST : at;
	struct filler f;

	if (has_known_filler(r, at, end))
		return true;
	if (known && end <= r->plain_end)
		return false;
	f = fillers_last(r->text, from, end);
	if (f.end) {
		r->filler = f.begin;
		r->filler_end = f.end;
		return true;
	}
	r->plain = known ? r->plain : at;
	r->plain_end = end;
	return false;
}

/* looks_random() of checks.c, with what it asks of an assigned value; true: perhaps.  Letters
 * and fillers are looked at first: sixteen bytes of them cost less than one that is counted. */
static bool are_random(struct valuerun *r, size_t at, size_t end)
{
	const struct valueletters *seen = &r->kinds.seen;
	size_t len = end - at;

	if (is_calm(r, at, end))
		return false;
	kinds_to(r, &r->kinds, at, end);
	if (seen->digits == 0 || seen->letters == 0) {
		if (seen->letters < LETTERS || seen->changes < CHANGES)
			return false;
	} else if (seen->changes < 3 || seen->changes < len / 12) {
		return false;
	}
	if (has_filler(r, at, end))
		return false;
	count_to(r, &r->count, at, end);
	r->count_first = valuebits_less(&r->count.bits, len, seen->digits > 0 ? 28 : 35);
	return !r->count_first;
}

/* Text that is full of values which have enough of everything but of different bytes, and are not
 * the same: then these are counted before anything else, and go on to be while that tells. */
static bool is_counted_out(struct valuerun *r, size_t at, size_t end)
{
	if (!r->count_first)
		return false;
	count_to(r, &r->count, at, end);
	/* A digit may be behind what is counted: then it takes more to tell. */
	r->count_first = valuebits_less(&r->count.bits, end - at, r->digit > at ? 28 : 35);
	return r->count_first;
}

/* What was counted of one that was asked for counts for one that is the same. */
static void move_to(struct valuerun *r, struct valueanswer *a, size_t at, size_t end)
{
	if (r->kinds.from == a->from && r->kinds.to == a->to) {
		r->kinds.from = at;
		r->kinds.to = end;
	}
	if (r->count.from == a->from && r->count.to == a->to) {
		r->count.from = at;
		r->count.to = end;
	}
	a->from = at;
	a->to = end;
}

static bool may_be_random(struct valuerun *r, size_t at, size_t end)
{
	size_t len = end - at;
	struct valueanswer *a = &r->answers[(len ^ len / VALUERUN_ANSWERS) % VALUERUN_ANSWERS];
	bool other;

	if (are_few(r, at, end))
		return false;
	/* In text that says the same again and again a few answers are enough: values that end
	 * where a line does differ in their lengths. */
	other = a->to - a->from == len;
	if (other && memcmp(r->text + a->from, r->text + at, len) == 0) {
		move_to(r, a, at, end);
	} else {
		*a = (struct valueanswer){at, end, are_random(r, at, end)};
		r->count_first = r->count_first && other;
	}
	return a->random;
}

static size_t trimmed_end(struct valuerun *r)
{
	if (!r->trim_known) {
		r->trimmed = r->end;
		while (r->trimmed > r->begin && check_is_trail(r->text[r->trimmed - 1]))
			r->trimmed--;
		r->trim_known = true;
	}
	return r->trimmed;
}

/* Behind what check_assigned() looks at; 0: it is too short, or code. */
static size_t enough_of(struct valuerun *r, size_t at)
{
	size_t end = trimmed_end(r);

	if (end < at + LEAST || (end < r->high && check_is_call(r->text[end])))
		return 0;
	return end - at < CHECK_ENOUGH ? end : at + CHECK_ENOUGH;
}

bool valuerun_few(struct valuerun *r, size_t at)
{
	return are_few(r, at, r->end - at < CHECK_ENOUGH ? r->end : at + CHECK_ENOUGH);
}

/* The last "://", which is the filler that is found at once; false: perhaps there is none. */
static bool has_path(struct valuerun *r, size_t at, size_t end)
{
	for (size_t i = end - 2; i > at && i >= LANES;) {
		const char *text = r->text + (i -= LANES);
		uint32_t paths = lanes_bits((lanes)(lanes_load(text) == ':') &
					    (lanes)(lanes_load(text + 1) == '/') &
					    (lanes)(lanes_load(text + 2) == '/'));

		if (!paths)
			continue;
		i += 31 - (size_t)__builtin_clz(paths);
		if (i < at)
			return false;
		r->filler = i;
		r->filler_end = i + 3;
		return true;
	}
	return false;
}

bool valuerun_secret(struct valuerun *r, size_t at)
{
	size_t end = enough_of(r, at);

	/* What the first bytes tell is asked first. */
	return end > 0 && !has_known_filler(r, at, end) && !is_counted_out(r, at, end) &&
	       !check_placeholder(r->text + at, end - at) &&
	       !check_begins_path(r->text + at, end - at) && !has_path(r, at, end) &&
	       may_be_random(r, at, end);
}

/* Behind the begin of the last one in the run; 0: none. */
static size_t last_of(const struct valuerun *r, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = r->end - r->begin < len ? r->begin : r->end - len + 1; i-- > r->begin;)
		if (((r->text[i] | 0x20) == (word[0] | 0x20)) &
			    ((r->text[i + 1] | 0x20) == (word[1] | 0x20)) &&
		    strncasecmp(r->text + i, word, len) == 0)
			return i + 1;
	return 0;
}

/* Which of "//" and "nv" are anywhere in the run?  Most have neither. */
enum { PAIR_PATH = 1, PAIR_ENV = 2 };

static unsigned pairs_in(const struct valuerun *r)
{
	uint32_t paths = 0, envs = 0;
	size_t i = r->begin;

	for (; i < r->end && r->high - i > LANES; i += LANES) {
		lanes v = lanes_load(r->text + i), next = lanes_load(r->text + i + 1);

		paths |= lanes_bits((lanes)(v == '/') & (lanes)(next == '/'));
		envs |= lanes_bits((lanes)((v | 0x20) == 'n') & (lanes)((next | 0x20) == 'v'));
	}
	for (; i + 1 < r->end; i++) {
		paths |= r->text[i] == '/' && r->text[i + 1] == '/';
		envs |= (r->text[i] | 0x20) == 'n' && (r->text[i + 1] | 0x20) == 'v';
	}
	return (paths ? PAIR_PATH : 0) | (envs ? PAIR_ENV : 0);
}

bool valuerun_password(struct valuerun *r, size_t at)
{
	if (r->end < r->high && check_is_call(r->text[r->end]))
		return false;
	if (!r->last_known) {
		unsigned pairs = pairs_in(r);

		r->last_path = pairs & PAIR_PATH ? last_of(r, "://") : 0;
		r->last_env = pairs & PAIR_ENV ? last_of(r, "environ") : 0;
		r->last_known = true;
	}
	return r->last_path <= at && r->last_env <= at;
}
