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
#include "redact/lanes.h"
#include "redact/redact_rule.h"

enum {
	LEAST = 10,
	LETTERS = 20, /* at least, without a digit */
	CHANGES = 5,  /* then, from small letters to capitals */
	GLANCE = VALUERUN_GLANCE,
	SCALE = 1024, /* of order[] */
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

static inline lanes is_between(lanes v, unsigned char low, unsigned char high)
{
	return (lanes)(v - low <= (unsigned char)(high - low));
}

/* One bit for each of sixteen bytes. */
struct sixteen {
	uint32_t ends, digits, lower, upper;
};

static struct sixteen look_at(const char *text)
{
	lanes v = lanes_load(text), or = v | 0x20;

	return (struct sixteen){
		.ends = lanes_bits((lanes)(v == ' ') | (lanes)(v == '\n') | (lanes)(v == '\t') |
				   (lanes)(v == '"') | is_between(v, '&', ')') | (lanes)(v == ',') |
				   is_between(v, ';', '<') | (lanes)(v == '>') | (lanes)(v == '`') |
				   (lanes)(v == '|') | (lanes)(or == '{') | (lanes)(or == '}')),
		.digits = lanes_bits(is_between(v, '0', '9')),
		.lower = lanes_bits(is_between(v, 'a', 'z')),
		.upper = lanes_bits(is_between(v, 'A', 'Z')),
	};
}

/* The same of fewer; there is nothing behind them. */
static struct sixteen look_at_few(const char *text, size_t len)
{
	char few[LANES] = {0};

	memcpy(few, text, len);
	return look_at(few);
}

/* How many of them are set: processors that have no instruction for it are welcome, too. */
static inline unsigned bits_in(uint32_t x)
{
	x = x - (x >> 1 & 0x55555555);
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101u >> 24;
}

/* is_change() for each bit and the one before it. */
static inline uint32_t changes_in(uint32_t digits, uint32_t lower, uint32_t upper)
{
	return (upper & lower << 1) | (digits & (lower | upper) << 1) |
	       ((lower | upper) & digits << 1);
}

/* Sixteen bytes at a time.  Returns where it is over, or less than sixteen are left; last: what
 * was there. */
static size_t read_sixteens(struct valuerun *r, size_t at, unsigned *last)
{
	uint32_t digits = 0, lower = 0, upper = 0, ends = 0;
	size_t i = at;

	for (; !ends && r->high - i >= LANES;) {
		struct sixteen now = look_at(r->text + i);
		uint32_t within = now.ends ? (now.ends & -now.ends) - 1 : 0xffff;
		size_t len = now.ends ? (size_t)__builtin_ctz(now.ends) : LANES;

		ends = now.ends;
		/* Bit 0 is the last byte of the sixteen before. */
		digits = digits >> LANES | (now.digits & within) << 1;
		lower = lower >> LANES | (now.lower & within) << 1;
		upper = upper >> LANES | (now.upper & within) << 1;
		if (r->changes < CHANGES) /* more are not asked for */
			r->changes += bits_in(changes_in(digits, lower, upper));
		if (digits >> 1)
			r->digit = i + 32 - (size_t)__builtin_clz(digits >> 1);
		i += len;
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
	changes = changes_in(digits, lower, upper);
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

bool valuerun_known_dull(const struct valuerun *r, size_t at)
{
	size_t end = r->end - at < CHECK_ENOUGH ? r->end : at + CHECK_ENOUGH;

	return at >= r->begin && at < r->end &&
	       (is_dull_run(r, at) || (at >= r->few && end <= r->few_end));
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

bool valuerun_monotonous(struct valuerun *r, size_t at)
{
	(void)valuerun_end(r, at);
	return r->changes < 2;
}

/* n log2 n, SCALE times. */
static const uint32_t order[CHECK_ENOUGH + 1] = {
	0,      0,      2048,   4869,   8192,   11888,  15882,  20123,  24576,  29214,  34017,
	38967,  44052,  49260,  54582,  60010,  65536,  71155,  76860,  82648,  88513,  94452,
	100462, 106539, 112680, 118883, 125145, 131463, 137836, 144263, 150740, 157266, 163840,
	170460, 177125, 183834, 190584, 197376, 204207, 211078, 217986, 224931, 231913, 238929,
	245980, 253065, 260182, 267331, 274512, 281724, 288965, 296237, 303537, 310866, 318222,
	325606, 333017, 340454, 347917, 355406, 362919, 370458, 378020, 385606, 393216, 400849,
	408504, 416182, 423882, 431604, 439347, 447111, 454896, 462702, 470528, 478373, 486239,
	494124, 502028, 509951, 517892, 525853, 533831, 541827, 549842, 557873, 565923, 573989,
	582072, 590172, 598289, 606422, 614572, 622737, 630919, 639116, 647328, 655556, 663799,
	672058, 680331, 688619, 696921, 705239, 713570, 721916, 730275, 738649, 747037, 755438,
	763852, 772280, 780722, 789177, 797644, 806125, 814618, 823125, 831644, 840175, 848719,
	857275, 865843, 874424, 883016, 891620, 900237, 908864, 917504,
};

/* order[n + 1] - order[n]: one more of a byte of which there are n, and the same the other way. */
static const uint16_t growth[CHECK_ENOUGH] = {
	0,    2048, 2821, 3323, 3696, 3994, 4241, 4453, 4638, 4803, 4950, 5085, 5208, 5322, 5428,
	5526, 5619, 5705, 5788, 5865, 5939, 6010, 6077, 6141, 6203, 6262, 6318, 6373, 6427, 6477,
	6526, 6574, 6620, 6665, 6709, 6750, 6792, 6831, 6871, 6908, 6945, 6982, 7016, 7051, 7085,
	7117, 7149, 7181, 7212, 7241, 7272, 7300, 7329, 7356, 7384, 7411, 7437, 7463, 7489, 7513,
	7539, 7562, 7586, 7610, 7633, 7655, 7678, 7700, 7722, 7743, 7764, 7785, 7806, 7826, 7845,
	7866, 7885, 7904, 7923, 7941, 7961, 7978, 7996, 8015, 8031, 8050, 8066, 8083, 8100, 8117,
	8133, 8150, 8165, 8182, 8197, 8212, 8228, 8243, 8259, 8273, 8288, 8302, 8318, 8331, 8346,
	8359, 8374, 8388, 8401, 8414, 8428, 8442, 8455, 8467, 8481, 8493, 8507, 8519, 8531, 8544,
	8556, 8568, 8581, 8592, 8604, 8617, 8627, 8640,
};

static bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Counts text[from .. to). */
static void count_to(struct valuerun *r, size_t from, size_t to)
{
	struct valuecount *c = &r->count;
	const char *text = r->text;
	uint32_t sum;

	if (from < c->from || from >= c->to || to < c->to)
		*c = (struct valuecount){.from = from, .to = from};
	/* In text that says the same again and again, what leaves is what comes in. */
	if (from - c->from == to - c->to && memcmp(text + c->from, text + c->to, to - c->to) == 0) {
		c->from = from;
		c->to = to;
		return;
	}
	sum = c->order;
	for (; c->from < from; c->from++)
		sum -= growth[--c->of[(unsigned char)text[c->from]]];
	for (; c->to < to; c->to++)
		sum += growth[c->of[(unsigned char)text[c->to]]++];
	c->order = sum;
}

/* Is there a digit in what was counted? */
static bool has_digits(const struct valuecount *c)
{
	uint64_t eight;
	uint16_t two;

	memcpy(&eight, &c->of['0'], sizeof(eight));
	memcpy(&two, &c->of['8'], sizeof(two));
	return eight || two;
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
	if ((at < r->few || at >= r->few_end) && at >= r->many_end) {
		read_few(r, at);
		if (r->few_end < end && r->few_end - at < MANY_SOON)
			r->many_end = at + MANY_READ;
	}
	return at >= r->few && end <= r->few_end;
}

/* Of bits per byte, SCALE times. */
enum { BITS_LETTERS = 3584, BITS_DIGITS = 2867 };
_Static_assert(10 * (int)BITS_LETTERS <= 35 * (int)SCALE &&
		       10 * (int)BITS_DIGITS <= 28 * (int)SCALE,
	       "never more than the check asks for");

/* Fewer bits per byte than this?  Not if it is close: the check will tell. */
static bool has_less(const struct valuecount *c, size_t len, uint32_t bits)
{
	return order[len] - c->order + len < bits * len;
}

/* Letters in text[at .. end), and changes. */
static void count_letters(const struct valuerun *r, size_t at, size_t end, size_t *ret_letters,
			  size_t *ret_changes)
{
	uint32_t digits = 0, lower = 0, upper = 0;
	size_t n = 0, changes = 0;

	for (size_t i = at; i < end; i += LANES) {
		uint32_t within = end - i < LANES ? (1u << (end - i)) - 1 : 0xffff;
		struct sixteen now = {0};

		if (r->high - i >= LANES)
			now = look_at(r->text + i);
		else
			now = look_at_few(r->text + i, end - i);
		digits = digits >> LANES | (now.digits & within) << 1;
		lower = lower >> LANES | (now.lower & within) << 1;
		upper = upper >> LANES | (now.upper & within) << 1;
		n += bits_in((lower | upper) >> 1);
		changes += bits_in(changes_in(digits, lower, upper));
	}
	*ret_letters = n;
	*ret_changes = changes;
}

/* looks_random() of checks.c, with what it asks of an assigned value; true: perhaps. */
static bool may_be_random(struct valuerun *r, size_t at, size_t end)
{
	const struct valuecount *c = &r->count;
	size_t len = end - at, n, changes;
	bool digits;

	if (are_few(r, at, end))
		return false;
	count_to(r, at, end);
	digits = has_digits(c);
	if (has_less(c, len, digits ? BITS_DIGITS : BITS_LETTERS))
		return false;
	count_letters(r, at, end, &n, &changes);
	if (!digits || n == 0)
		return n >= LETTERS && changes >= CHANGES;
	return changes >= 3 && changes >= len / 12;
}

/* A word of check_fillers[], or "://", begins at text[i]; returns its length. */
static size_t filler_at(const struct valuerun *r, size_t i, size_t end)
{
	static const bool first[256] = {
		['-'] = true, [':'] = true, ['c'] = true, ['C'] = true, ['e'] = true, ['E'] = true,
		['l'] = true, ['L'] = true, ['p'] = true, ['P'] = true, ['r'] = true, ['R'] = true,
		['s'] = true, ['S'] = true, ['u'] = true, ['U'] = true,
	};
	const char *text = r->text + i;

	if (!first[(unsigned char)text[0]])
		return 0;
	if (end - i >= 3 && memcmp(text, "://", 3) == 0)
		return 3;
	for (size_t f = 0; check_fillers[f]; f++) {
		const char *word = check_fillers[f];
		size_t len;

		if ((text[0] | 0x20) != (word[0] | 0x20))
			continue;
		len = strlen(word);
		if (end - i >= len && strncasecmp(text, word, len) == 0)
			return len;
	}
	return 0;
}

/* The last one tells about all values that begin before it. */
static bool has_filler(struct valuerun *r, size_t at, size_t end)
{
	if (r->filler >= at && r->filler_end > r->filler && r->filler_end <= end)
		return true;
	for (size_t i = end; i-- > at;) {
		size_t len = filler_at(r, i, end);

		if (len) {
			r->filler = i;
			r->filler_end = i + len;
			return true;
		}
	}
	return false;
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

bool valuerun_secret(struct valuerun *r, size_t at)
{
	size_t end = enough_of(r, at);

	/* What the first bytes tell is asked first. */
	return end > 0 && !check_placeholder(r->text + at, end - at) &&
	       !check_begins_path(r->text + at, end - at) && may_be_random(r, at, end) &&
	       !has_filler(r, at, end);
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

/* Is "//", or "nv", anywhere in the run?  Most have neither. */
static bool has_pairs(const struct valuerun *r)
{
	uint32_t pairs = 0;
	size_t i = r->begin;

	for (; i < r->end && r->high - i > LANES; i += LANES) {
		lanes v = lanes_load(r->text + i), next = lanes_load(r->text + i + 1);

		pairs |= lanes_bits(((lanes)(v == '/') & (lanes)(next == '/')) |
				    ((lanes)((v | 0x20) == 'n') & (lanes)((next | 0x20) == 'v')));
	}
	return pairs || i < r->end;
}

bool valuerun_password(struct valuerun *r, size_t at)
{
	if (r->end < r->high && check_is_call(r->text[r->end]))
		return false;
	if (!r->last_known) {
		bool any = has_pairs(r);

		r->last_path = any ? last_of(r, "://") : 0;
		r->last_env = any ? last_of(r, "environ") : 0;
		r->last_known = true;
	}
	return r->last_path <= at && r->last_env <= at;
}
