/* SPDX-License-Identifier: Apache-2.0 */
/* neutral.h - text without what a terminal would obey or an eye would not see.
 *
 * Gone: ANSI sequences (CSI, OSC and the other strings, plain escapes), control characters but
 * newline and tab, C1 controls, zero-width and bidirectional characters.  "\r\n" becomes "\n",
 * and so does a "\r" alone; what is not UTF-8 becomes U+FFFD.  So what comes out is UTF-8 that
 * shows all it is.
 */
#ifndef REDACT_NEUTRAL_H
#define REDACT_NEUTRAL_H

#include <stdbool.h>
#include <stddef.h>

enum neutral_state {
	NEUTRAL_TEXT = 0,
	NEUTRAL_ESCAPE, /* after ESC */
	NEUTRAL_CSI,    /* parameters, up to a final byte */
	NEUTRAL_STRING, /* OSC, DCS, ...: up to BEL, ST or the end of the line */
	NEUTRAL_STRING_ESCAPE,
};

/* All zeros: the beginning of a text. */
struct neutral {
	enum neutral_state state;
	bool cr;               /* a "\r" waits for what follows */
	unsigned char wait[4]; /* the beginning of a UTF-8 character */
	size_t n_wait;
};

/* Reads from *data, of which *len bytes are left, and writes at most room >= 8 bytes to ret.
 * Returns how many it wrote; stops when all is read or less than 8 bytes of room are left. */
size_t neutral_feed(struct neutral *n, const char **data, size_t *len, char *ret, size_t room);
/* The end of the text: what waited comes out, at most 8 bytes. */
size_t neutral_finish(struct neutral *n, char *ret);

#endif
