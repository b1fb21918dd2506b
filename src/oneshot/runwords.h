/* SPDX-License-Identifier: Apache-2.0 */
/* runwords.h - what was typed after belljar run, as it is written down. */
#ifndef ONESHOT_RUNWORDS_H
#define ONESHOT_RUNWORDS_H

#include "sandbox/sandbox.h"

struct run_words {
	const struct request *request;
	const char *language; /* NULL: a command */
	const char *code;
	size_t code_len;
	char *const *words;
	char *const *env; /* NAME=VALUE */
};

/* Text as it may be written down; the caller frees it. */
typedef char *run_cleaner(void *context, const char *text, size_t len, size_t *ret_len,
			  struct error *err);

/* One JSON object, keys sorted; the caller frees it.  NULL: err. */
char *run_words_json(const struct run_words *w, run_cleaner *clean, void *context, size_t *ret_len,
		     struct error *err);

#endif
