/* SPDX-License-Identifier: Apache-2.0 */
/* jsonnum.c - JSON numbers by what they are worth. */
#include "base/jsonnum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* 2^63: the first double that no json_int_t reaches. */
static const double past_integers = 9223372036854775808.0;

static int order(double a, double b)
{
	return (a > b) - (a < b);
}

/* The double is cut to its whole part, which an integer can hold; the fraction decides a draw. */
static int compare_mixed(json_int_t a, double b)
{
	json_int_t whole;

	if (b >= past_integers)
		return -1;
	if (b < -past_integers)
		return 1;
	whole = (json_int_t)b;
	if (a != whole)
		return a < whole ? -1 : 1;
	return order(0, b - (double)whole);
}

int jsonnum_compare(const json_t *a, const json_t *b)
{
	json_int_t left = json_integer_value(a), right = json_integer_value(b);

	if (json_is_integer(a) && json_is_integer(b))
		return (left > right) - (left < right);
	if (json_is_integer(a))
		return compare_mixed(left, json_real_value(b));
	if (json_is_integer(b))
		return -compare_mixed(right, json_real_value(a));
	return order(json_real_value(a), json_real_value(b));
}

bool jsonnum_is_whole(const json_t *n)
{
	double real = json_real_value(n);

	return json_is_integer(n) || !(trunc(real) < real || trunc(real) > real);
}

bool jsonnum_count(const json_t *n, uint64_t *ret_count)
{
	if (json_is_integer(n)) {
		*ret_count = (uint64_t)json_integer_value(n);
		return json_integer_value(n) >= 0;
	}
	if (!jsonnum_is_whole(n) || json_real_value(n) < 0)
		return false;
	*ret_count =
		json_real_value(n) < 2 * past_integers ? (uint64_t)json_real_value(n) : UINT64_MAX;
	return true;
}

/* digits * 10^power, without the sign. */
struct decimal {
	uint64_t digits;
	int power;
};

/* The shortest digits that are read back as the same double: those that were written, unless
 * somebody wrote more than a double holds. */
static struct decimal decimal_of(const json_t *n)
{
	double real = fabs(json_real_value(n));
	struct decimal d = {0, 0};
	char text[40];
	const char *c = text;
	json_int_t whole = json_integer_value(n);

	if (json_is_integer(n)) {
		d.digits = whole < 0 ? -(uint64_t)whole : (uint64_t)whole;
		return d;
	}
	for (int more = 0; more <= 16; more++) {
		double back;

		(void)snprintf(text, sizeof(text), "%.*e", more, real);
		back = strtod(text, NULL);
		if (!(back < real || back > real))
			break;
	}
	for (bool point = false; *c && *c != 'e'; c++) {
		if (*c < '0' || *c > '9') {
			point = true;
			continue;
		}
		d.digits = d.digits * 10 + (uint64_t)(*c - '0');
		d.power -= point;
	}
	if (*c == 'e')
		d.power += (int)strtol(c + 1, NULL, 10);
	return d;
}

bool jsonnum_is_multiple(const json_t *n, const json_t *step)
{
	struct decimal a = decimal_of(n), b = decimal_of(step);
	unsigned __int128 left = a.digits, right = b.digits;
	int shift = a.power - b.power;

	if (a.digits == 0 || b.digits == 0)
		return b.digits != 0;
	/* a.digits * 10^shift modulo b.digits, one digit at a time: no number grows too large. */
	if (shift >= 0) {
		for (left %= right; shift > 0; shift--)
			left = left * 10 % right;
		return left == 0;
	}
	/* The other way round the step grows, at most until it is more than what it should divide.
	 */
	for (; shift < 0 && right <= left; shift++)
		right *= 10;
	return shift == 0 && left % right == 0;
}
