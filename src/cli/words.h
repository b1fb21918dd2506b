/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - options of the smaller commands: one row each, for the parser and for --help. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { WORD_LIST_MAX = 256 };

struct word_list {
	const char *word[WORD_LIST_MAX];
	size_t n;
};

enum word_type {
	WORD_FLAG, /* bool */
	WORD_TEXT, /* const char *; given twice is a mistake */
	WORD_EACH, /* struct word_list: may be given again and again */
};

struct word_row {
	const char *name;
	const char *metavar; /* NULL for a flag */
	enum word_type type;
	size_t offset; /* in the options' struct */
	const char *help;
};

/* argv[0] is the command's word and is skipped.  Rows end with one without a name.  What is no
 * option goes to rest, also what stands behind "--". */
int words_parse(const struct word_row *rows, char **argv, void *options, struct word_list *rest,
		struct error *err);
void words_print_help(const struct word_row *rows);

#endif
