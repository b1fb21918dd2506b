/* SPDX-License-Identifier: Apache-2.0 */
/* requestid.c - which names we take from clients, and how ours are made. */
#include "serve/api/requestid.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/digits.h"
#include "base/text.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

bool request_id_fits(const char *id)
{
	size_t len = strspn(id, letters);

	return len > 0 && len < REQUEST_ID_ROOM && id[len] == '\0';
}

bool once_key_fits(const char *key)
{
	size_t len = strlen(key);

	if (len == 0 || len > ONCE_KEY_MAX)
		return false;
	for (size_t i = 0; i < len; i++)
		if (key[i] < 0x20 || key[i] > 0x7e)
			return false;
	return true;
}

bool id_fits(const char *id, size_t len)
{
	if (len == 0 || len > 39)
		return false;
	for (size_t i = 0; i < len; i++)
		if (id[i] == '.' || id[i] == '\0' || !strchr(letters, id[i]))
			return false;
	return true;
}

void id_make(const char *prefix, char *ret, size_t room)
{
	unsigned char bytes[ID_RANDOM_DIGITS / 2] = {0};
	char hex[ID_RANDOM_DIGITS + 1];
	size_t len = strnlen(prefix, room - 1);

	/* Never short for so few bytes, once the kernel has any. */
	while (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		continue;
	(void)digits_hex(bytes, sizeof(bytes), hex);
	memcpy(ret, prefix, len);
	text_copy(hex, ret + len, room - len);
}
