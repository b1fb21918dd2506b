/* SPDX-License-Identifier: Apache-2.0 */
/* keyblock.h - a private key from its BEGIN line on, also if its END never comes. */
#ifndef REDACT_KEYBLOCK_H
#define REDACT_KEYBLOCK_H

#include <stdbool.h>
#include <stddef.h>

enum { KEYBLOCK_MARKS = 3 };

/* All zeros: in no block. */
struct keyblock {
	bool open;
	bool in_line; /* the rest of this line belongs to it */
	unsigned lines;
	/* What was read of the text already: in a line that is full of keys nobody should read all
	 * of it for each. */
	size_t line_end;
	size_t marks[KEYBLOCK_MARKS]; /* the next END of each kind; 0: not known */
};

/* From now on another text is looked at, or the same one at another place. */
void keyblock_move(struct keyblock *k);
void keyblock_begin(struct keyblock *k);
/* Where the block ends in text[from .. limit), or limit, and then it is still open.  end >= limit:
 * so much may be looked at.  ret_cut: it ended before a line that is no part of a key, and the
 * newline before that line was taken. */
size_t keyblock_run(struct keyblock *k, const char *text, size_t from, size_t limit, size_t end,
		    bool *ret_cut);

#endif
