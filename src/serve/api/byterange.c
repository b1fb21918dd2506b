/* SPDX-License-Identifier: Apache-2.0 */
/* byterange.c - reads the Range header (RFC 9110, 14.1.2): one range, or it is ignored. */
#include "serve/api/byterange.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

enum { DIGITS_MAX = 18 }; /* fits in 63 bits */

/* Digits at text; returns how many, 0: none, or too many. */
static size_t digits(const char *text, uint64_t *ret)
{
	size_t n = strspn(text, "0123456789");
	uint64_t value = 0;

	if (n > DIGITS_MAX)
		return 0;
	for (size_t i = 0; i < n; i++)
		value = value * 10 + (uint64_t)(text[i] - '0');
	*ret = value;
	return n;
}

void range_read(const char *header, struct byte_range *ret)
{
	uint64_t first = 0, last = 0;
	size_t n_first, n_last;
	const char *at;

	*ret = (struct byte_range){.kind = RANGE_WHOLE};
	if (!header || strncasecmp(header, "bytes=", 6) != 0)
		return;
	at = header + 6;
	n_first = digits(at, &first);
	at += n_first;
	if (*at != '-')
		return;
	n_last = digits(at + 1, &last);
	if (at[1 + n_last] != '\0' || (n_first == 0 && (n_last == 0 || last == 0)) ||
	    (n_first > 0 && n_last > 0 && last < first))
		return;
	if (n_first == 0)
		*ret = (struct byte_range){.kind = RANGE_LAST, .len = last};
	else
		*ret = (struct byte_range){RANGE_FROM, first, n_last > 0 ? last - first + 1 : 0};
}
