/* SPDX-License-Identifier: Apache-2.0 */
/* places.c - names of directories behind which is a person's name or a temporary one.
 *
 * They stand between two slashes, so far from each other as their names are long: 64 bytes at a
 * time tell where that is so.
 */
#include "redact/places.h"

#include <stdint.h>
#include <string.h>

#include "base/own.h"
#include "redact/lanes.h"

enum {
	BLOCK = 64,
	TAIL = 4, /* the bytes before the last slash that every one of them has */
};

/* What rules_places.c has in its patterns; "/export/home/" has "/home/" at its end. */
static const struct {
	char text[16];
	uint8_t len;
	uint8_t place;
} names[] = {
	{"/home/", 6, PLACE_HOME}, {"/Users/", 7, PLACE_HOME},  {"\\Users\\", 7, PLACE_HOME},
	{"/tmp/", 5, PLACE_TEMP},  {"\\Temp\\", 6, PLACE_TEMP}, {"/var/folders/", 13, PLACE_TEMP},
};

struct looking {
	const char *text;
	size_t low, high;
	places_hit *hit;
	void *context;
};

static bool is_name(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || c == '-';
}

/* "." and ".." are nobody's. */
static bool has_name(const struct looking *l, size_t at, enum place place)
{
	size_t dots = 0;

	if (place == PLACE_TEMP)
		return at < l->high &&
		       (is_name(l->text[at]) || l->text[at] == '.' || l->text[at] == '+');
	while (at + dots < l->high && dots < 3 && l->text[at + dots] == '.')
		dots++;
	return dots == 3 || (at + dots < l->high && is_name(l->text[at + dots]));
}

/* Their last letters. */
static inline bool is_last(char c)
{
	return c == 'e' || c == 's' || c == 'p';
}

/* text[at] is a slash: is it the second one? */
__attribute__((noinline)) static bool look_at(const struct looking *l, size_t at)
{
	size_t room = at + 1 - l->low;
	uint32_t here, tail;

	if (room <= TAIL)
		return true;
	memcpy(&here, l->text + at - TAIL, sizeof(here));
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t len = names[i].len;

		memcpy(&tail, names[i].text + len - 1 - TAIL, sizeof(tail));
		if (here != tail || room < len ||
		    memcmp(l->text + at + 1 - len, names[i].text, len) != 0)
			continue;
		return !has_name(l, at + 1, names[i].place) ||
		       l->hit(l->context, at, names[i].place);
	}
	return true;
}

static inline bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

static inline uint64_t slashes_in(const char *text)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < BLOCK; i += LANES) {
		lanes v = lanes_load(text + i);

		bits |= (uint64_t)lanes_bits((lanes)(v == '/') | (lanes)(v == '\\')) << i;
	}
	return bits;
}

/* What is n bytes behind a slash of this block or of the one before. */
static inline uint64_t behind(uint64_t before, uint64_t bits, unsigned n)
{
	return bits << n | before >> (BLOCK - n);
}

bool places_find(const struct stretch *in, places_hit *hit, void *context)
{
	struct looking l = {in->text, in->low, in->high, hit, context};
	uint64_t before = 0;
	size_t i = in->low, stop = stretch_stop(in);

	for (; i < stop && in->high - i >= BLOCK; i += BLOCK) {
		uint64_t bits = slashes_in(in->text + i);
		uint64_t last = bits & ~behind(before, bits, 1) &
				(behind(before, bits, 4) | behind(before, bits, 5) |
				 behind(before, bits, 6) | behind(before, bits, 8));

		before = bits;
		for (; last; last &= last - 1) {
			size_t at = i + (size_t)__builtin_ctzll(last);

			if (is_last(in->text[at - 1]) && !look_at(&l, at))
				return false;
		}
	}
	for (; i < stop; i++)
		if (is_slash(in->text[i]) && !look_at(&l, i))
			return false;
	return true;
}
