/* SPDX-License-Identifier: Apache-2.0 */
/* digits.c - numbers and bytes as digits, as printf would write them. */
#include "base/digits.h"

#include <string.h>

enum { PLACES = 4, MOST_BITS = 40 };

/* Of a double. */
enum { MANTISSA_BITS = 52, EXPONENT_BIAS = 1023 };

size_t digits_padded(uint64_t value, size_t least, char ret[static DIGITS_ROOM])
{
	char text[DIGITS_ROOM];
	size_t at = sizeof(text), n;

	do {
		text[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (sizeof(text) - at < least && least <= 20)
		text[--at] = '0';
	n = sizeof(text) - at;
	memcpy(ret, text + at, n);
	ret[n] = '\0';
	return n;
}

size_t digits_uint(uint64_t value, char ret[static DIGITS_ROOM])
{
	return digits_padded(value, 1, ret);
}

size_t digits_int(int64_t value, char ret[static DIGITS_ROOM])
{
	char text[DIGITS_ROOM];
	size_t n;

	if (value >= 0)
		return digits_uint((uint64_t)value, ret);
	n = digits_uint(-(uint64_t)value, text);
	ret[0] = '-';
	memcpy(ret + 1, text, n + 1);
	return n + 1;
}

/* The number is mantissa / unit, exactly: so is what is left of it behind the fourth place. */
size_t digits_ratio(double value, char ret[static DIGITS_ROOM])
{
	uint64_t bits, mantissa, below;
	unsigned __int128 scaled = 0, unit, rest;
	char places[DIGITS_ROOM];
	size_t n;

	memcpy(&bits, &value, sizeof(bits));
	if (!(value >= 0) || bits >> 63 || value >= (double)(UINT64_C(1) << MOST_BITS))
		return 0;
	mantissa = (bits & ((UINT64_C(1) << MANTISSA_BITS) - 1)) | UINT64_C(1) << MANTISSA_BITS;
	below = EXPONENT_BIAS + MANTISSA_BITS - (bits >> MANTISSA_BITS);
	if (below < 100) { /* else nothing of it is seen */
		unit = (unsigned __int128)1 << below;
		rest = (unsigned __int128)mantissa * 10000 % unit;
		scaled = (unsigned __int128)mantissa * 10000 / unit;
		if (rest > unit / 2 || (rest == unit / 2 && scaled & 1))
			scaled++;
	}
	n = digits_uint((uint64_t)(scaled / 10000), ret);
	ret[n++] = '.';
	(void)digits_padded((uint64_t)(scaled % 10000), PLACES, places);
	memcpy(ret + n, places, PLACES + 1);
	return n + PLACES;
}

size_t digits_hex(const void *bytes, size_t n, char *ret)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *in = bytes;

	for (size_t i = 0; i < n; i++) {
		ret[2 * i] = digits[in[i] >> 4];
		ret[2 * i + 1] = digits[in[i] & 15];
	}
	ret[2 * n] = '\0';
	return 2 * n;
}
