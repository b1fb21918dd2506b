/* SPDX-License-Identifier: Apache-2.0 */
/* plain_fuzz.c - any bytes for a terminal: nothing that acts on it comes through, in any room. */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "auditread/plain.h"
#include "base/text.h"

/* Without a look at the table. */
static void check_harmless(const char *text, size_t len)
{
	assert(strlen(text) == len && text_is_utf8(text, len));
	for (size_t i = 0; i < len; i++) {
		assert((unsigned char)text[i] >= 0x20 && text[i] != 0x7f);
		assert(strncmp(text + i, "\xc2\x9b", 2) != 0);
		assert(strncmp(text + i, "\xe2\x80\xae", 3) != 0);
		assert(strncmp(text + i, "\xe2\x80\x8b", 3) != 0);
		assert(strncmp(text + i, "\xef\xbb\xbf", 3) != 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t rooms[] = {5, 6, 17, 64, 4096};
	char text[4096];

	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
		size_t len = plain_text((const char *)data, size, text, rooms[i]);

		assert(len < rooms[i]);
		check_harmless(text, len);
	}
	return 0;
}
