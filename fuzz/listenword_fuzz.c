/* SPDX-License-Identifier: Apache-2.0 */
/* listenword_fuzz.c - a word for an address from any bytes: what is read comes out, and is read
 * again. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "serve/http/listeners.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *word = strndup((const char *)data, size);
	char text[LISTEN_TEXT_MAX];
	struct listen_word w, again;
	struct error err = {0};

	if (!word)
		return 0;
	if (listen_parse(word, &w, &err) < 0) {
		assert(err.kind == ERR_CALLER && err.text[0]);
	} else {
		listen_text(&w, text);
		assert(listen_parse(text, &again, &err) == 0);
		assert(memcmp(&w, &again, sizeof(w)) == 0);
	}
	free(word);
	return 0;
}
