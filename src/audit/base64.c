/* SPDX-License-Identifier: Apache-2.0 */
/* base64.c - RFC 4648, section 4: with padding, one way to write each thing. */
#include "audit/base64.h"

#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_put(const void *data, size_t len, char *ret)
{
	const uint8_t *in = data;

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t bits = (uint32_t)in[i] << 16;

		bits |= left > 1 ? (uint32_t)in[i + 1] << 8 : 0;
		bits |= left > 2 ? in[i + 2] : 0;
		*ret++ = digits[bits >> 18];
		*ret++ = digits[bits >> 12 & 63];
		*ret++ = left > 1 ? digits[bits >> 6 & 63] : '=';
		*ret++ = left > 2 ? digits[bits & 63] : '=';
	}
	*ret = '\0';
}

static int value(char c)
{
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* One group of four; pad is how many of its characters are padding.  -1: it is none. */
static int group(const char *text, size_t pad, uint8_t ret[static 3])
{
	uint32_t bits = 0;

	for (size_t i = 0; i < 4; i++) {
		int v = i < 4 - pad ? value(text[i]) : 0;

		if (v < 0)
			return -1;
		bits = bits << 6 | (uint32_t)v;
	}
	ret[0] = (uint8_t)(bits >> 16);
	ret[1] = (uint8_t)(bits >> 8);
	ret[2] = (uint8_t)bits;
	/* What the padding stands for must be empty, or two texts would mean the same. */
	return (pad > 0 && ret[2]) || (pad > 1 && ret[1]) ? -1 : 0;
}

ssize_t base64_get(const char *text, size_t len, void *ret, size_t room)
{
	uint8_t *out = ret, three[3];
	size_t n = 0, pad = 0;

	if (len % 4)
		return -1;
	if (len > 0 && text[len - 1] == '=')
		pad = text[len - 2] == '=' ? 2 : 1;
	for (size_t i = 0; i < len; i += 4) {
		size_t missing = i + 4 == len ? pad : 0, count = 3 - missing;

		if (group(text + i, missing, three) < 0 || count > room - n)
			return -1;
		memcpy(out + n, three, count);
		n += count;
	}
	return (ssize_t)n;
}
