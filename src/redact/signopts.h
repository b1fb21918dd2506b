/* SPDX-License-Identifier: Apache-2.0 */
/* signopts.h - "curl ... -u me:pw", found at the option. */
#ifndef REDACT_SIGNOPTS_H
#define REDACT_SIGNOPTS_H

#include "redact/redact_rule.h"

/* What was read of a text; zeroed: nothing. */
struct signopts {
	size_t read; /* up to here */
	size_t from; /* behind the last "curl " of the command that this is in; 0: none */
};

/* At a "-" at text[at], behind a blank, of text[0 .. high).  Options are asked for in the order in
 * which they stand in the text.  true: ret is what the rule's pattern would find there. */
bool signopts_curl(struct signopts *o, const char *text, size_t high, size_t at, struct found *ret);

#endif
