/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - small questions about strings: sizes, durations, UTF-8, near matches. */
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"

/* Eight bytes at once. */
#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit byte_units[] = {
	{"", 1},
	{"b", 1},
	{"k", 1ULL << 10},
	{"kb", 1ULL << 10},
	{"kib", 1ULL << 10},
	{"m", 1ULL << 20},
	{"mb", 1ULL << 20},
	{"mib", 1ULL << 20},
	{"g", 1ULL << 30},
	{"gb", 1ULL << 30},
	{"gib", 1ULL << 30},
};

static const struct unit time_units[] = {
	{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"min", 60000}, {"h", 3600000},
};

static int parse_digits(const char **text, uint64_t *ret, struct error *err)
{
	const char *p = *text;
	uint64_t value = 0;

	if (*p < '0' || *p > '9')
		return fail(err, ERR_CALLER, "'%.40s' does not begin with a digit", p);
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return fail(err, ERR_CALLER, "'%.40s' is too large", *text);
	*text = p;
	*ret = value;
	return 0;
}

static const struct unit *find_unit(const char *name, const struct unit *units, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(name, units[i].name) == 0)
			return &units[i];
	return NULL;
}

int text_parse_uint(const char *text, uint64_t *ret_value, struct error *err)
{
	const char *p = text;
	uint64_t value;

	if (parse_digits(&p, &value, err) < 0)
		return -1;
	if (*p)
		return fail(err, ERR_CALLER, "'%.40s' is not a whole number", text);
	*ret_value = value;
	return 0;
}

/* Thousandths after a point: "1.5s" is 1500 ms, "0.25g" a quarter of one. */
static int parse_fraction(const char **text, uint64_t *ret_thousandths, struct error *err)
{
	const char *p = *text;
	uint64_t scale = 100;

	*ret_thousandths = 0;
	if (*p != '.')
		return 0;
	p++;
	if (*p < '0' || *p > '9')
		return fail(err, ERR_CALLER, "digits are missing after the point");
	for (; *p >= '0' && *p <= '9'; p++, scale /= 10)
		*ret_thousandths += (uint64_t)(*p - '0') * scale;
	*text = p;
	return 0;
}

static int parse_with_unit(const char *text, const struct unit *units, size_t n, uint64_t *ret,
			   struct error *err)
{
	const struct unit *unit;
	const char *p = text;
	uint64_t whole, thousandths, value;

	if (parse_digits(&p, &whole, err) < 0 || parse_fraction(&p, &thousandths, err) < 0)
		return -1;
	unit = find_unit(p, units, n);
	if (!unit)
		return fail(err, ERR_CALLER, "'%.40s' is not a unit here", p);
	if (__builtin_mul_overflow(whole, unit->factor, &value) ||
	    __builtin_add_overflow(value,
				   unit->factor / 1000 * thousandths +
					   unit->factor % 1000 * thousandths / 1000,
				   &value))
		return fail(err, ERR_CALLER, "'%.40s' is too large", text);
	*ret = value;
	return 0;
}

int text_parse_bytes(const char *text, uint64_t *ret_bytes, struct error *err)
{
	return parse_with_unit(text, byte_units, ARRAY_LEN(byte_units), ret_bytes, err);
}

int text_parse_ms(const char *text, uint64_t *ret_ms, struct error *err)
{
	return parse_with_unit(text, time_units, ARRAY_LEN(time_units), ret_ms, err);
}

/* RFC 3629. */
static size_t utf8_char(const unsigned char *p, size_t left)
{
	unsigned char lo = 0x80, hi = 0xbf;
	size_t len;

	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		len = 2;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		len = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		len = 4;
	else
		return 0;
	if (p[0] == 0xe0)
		lo = 0xa0;
	else if (p[0] == 0xed)
		hi = 0x9f;
	else if (p[0] == 0xf0)
		lo = 0x90;
	else if (p[0] == 0xf4)
		hi = 0x8f;
	if (left < len || p[1] < lo || p[1] > hi)
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

size_t text_utf8_char(const char *data, size_t left)
{
	return left ? utf8_char((const unsigned char *)data, left) : 0;
}

bool text_is_utf8(const char *data, size_t len)
{
	const unsigned char *p = (const unsigned char *)data;
	uint64_t eight;
	size_t step;

	for (size_t i = 0; i < len; i += step) {
		step = sizeof(eight);
		if (len - i >= step) { /* most are ASCII */
			memcpy(&eight, p + i, step);
			if (!(eight & EACH(0x80)))
				continue;
		}
		step = utf8_char(p + i, len - i);
		if (!step)
			return false;
	}
	return true;
}

bool text_has_control(const char *data, size_t len)
{
	uint64_t eight, below, del;
	size_t i = 0;

	for (; len - i >= sizeof(eight); i += sizeof(eight)) {
		memcpy(&eight, data + i, sizeof(eight));
		del = eight ^ EACH(0x7f);
		below = (eight - EACH(0x20)) & ~eight;
		if ((below | ((del - EACH(1)) & ~del)) & EACH(0x80))
			return true;
	}
	for (; i < len; i++)
		if ((unsigned char)data[i] < 0x20 || data[i] == 0x7f)
			return true;
	return false;
}

size_t text_utf8_floor(const char *data, size_t len)
{
	const unsigned char *p = (const unsigned char *)data;
	size_t back = 0;

	/* At most three continuation bytes stand between the cut and their lead byte. */
	while (back < 3 && back < len && (p[len - 1 - back] & 0xc0) == 0x80)
		back++;
	if (back >= len)
		return len;
	if (p[len - 1 - back] < 0xc2 || utf8_char(p + len - 1 - back, back + 1))
		return len; /* whole, or not UTF-8 at all: nothing to mend */
	return len - 1 - back;
}

void text_copy(const char *text, char *ret_out, size_t room)
{
	size_t len = strnlen(text, room - 1);

	memcpy(ret_out, text, len);
	ret_out[len] = '\0';
}

void text_escape(const char *data, size_t len, char *ret_out, size_t room)
{
	size_t used = 0;

	for (size_t i = 0; i < len && used + 5 < room; i++) {
		unsigned char c = (unsigned char)data[i];

		if (c >= 0x20 && c < 0x7f && c != '\\')
			ret_out[used++] = (char)c;
		else
			used += (size_t)snprintf(ret_out + used, room - used, "\\x%02x", c);
	}
	ret_out[used] = '\0';
}

/* U+0080 to U+009F move the cursor as the controls below U+0020 do. */
static bool is_control(const unsigned char *p, size_t len)
{
	return (len == 1 && (p[0] < 0x20 || p[0] == 0x7f)) ||
	       (len == 2 && p[0] == 0xc2 && p[1] < 0xa0);
}

void text_one_line(const char *text, char *ret_out, size_t room)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t left = strlen(text), used = 0, len;

	for (; left && used + 5 < room; p += len, left -= len) {
		len = utf8_char(p, left);
		if (len && !is_control(p, len)) {
			memcpy(ret_out + used, p, len);
			used += len;
		} else {
			used += (size_t)snprintf(ret_out + used, room - used, "\\x%02x", p[0]);
			len = 1;
		}
	}
	ret_out[used] = '\0';
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

enum { WORD_MAX = 31, SHORT_MIN = 3 };

/* How many letters must be added, left out, replaced or swapped with their neighbour to make one
 * word the other.  Words of at most WORD_MAX characters; longer ones are far from everything. */
static size_t distance(const char *a, const char *b)
{
	size_t steps[WORD_MAX + 1][WORD_MAX + 1], la = strlen(a), lb = strlen(b);

	if (la >= ARRAY_LEN(steps) || lb >= ARRAY_LEN(steps))
		return ARRAY_LEN(steps);
	for (size_t j = 0; j <= lb; j++)
		steps[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		steps[i][0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t one = least(steps[i - 1][j], steps[i][j - 1]) + 1;
			size_t best = least(one, steps[i - 1][j - 1] + (a[i - 1] != b[j - 1]));

			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = least(best, steps[i - 2][j - 2] + 1);
			steps[i][j] = best;
		}
	}
	return steps[la][lb];
}

static bool is_longer_form(const char *word, const char *of)
{
	size_t len = strlen(of);

	return len >= SHORT_MIN && strncmp(word, of, len) == 0;
}

const char *text_nearest(const char *word, const char *const *names)
{
	const char *best = NULL;
	/* One letter in three: "foo" is not "root", whatever else it may be. */
	size_t len = strlen(word), most = len < SHORT_MIN ? 1 : len / 3, best_distance = most + 1;

	if (len == 0 || len > WORD_MAX)
		return NULL;
	for (; *names; names++) {
		size_t d = distance(word, *names);

		/* "int" for integer is shortened, not mistyped; "certificate" for cert will do if
		 * nothing is nearer. */
		if (is_longer_form(*names, word))
			d = 1;
		else if (is_longer_form(word, *names))
			d = least(d, most);
		if (d < best_distance) {
			best_distance = d;
			best = *names;
		}
	}
	return best;
}

void text_real(double value, char *ret_out, size_t room)
{
	/* 17 digits are always enough; most numbers that people write need fewer than 15. */
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(ret_out, room, "%.*g", digits, value);
		if (strtod(ret_out, NULL) == value)
			return;
	}
}

void text_human_bytes(uint64_t bytes, char *ret_out, size_t room)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 1024 && unit + 1 < ARRAY_LEN(units)) {
		value /= 1024;
		unit++;
	}
	if (unit == 0)
		(void)snprintf(ret_out, room, "%" PRIu64 " B", bytes);
	else
		(void)snprintf(ret_out, room, value < 10 ? "%.1f %s" : "%.0f %s", value,
			       units[unit]);
}
