/* SPDX-License-Identifier: Apache-2.0 */
/* accept_fuzz.c - Accept and Content-Type from any bytes. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "serve/api/accept.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	enum form form;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	form = accept_form(text);
	assert(form >= FORM_NONE && form <= FORM_NDJSON);
	/* Events come only to those who name them. */
	if (form == FORM_SSE)
		assert(strcasestr(text, "text/event-stream"));
	if (form == FORM_NDJSON)
		assert(strcasestr(text, "ndjson"));
	if (accept_is_json(text))
		assert(strcasestr(text, "application/json"));
	free(text);
	return 0;
}
