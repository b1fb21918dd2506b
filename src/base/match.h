/* SPDX-License-Identifier: Apache-2.0 */
/* match.h - patterns written by the owner, matched against text written by a stranger.
 *
 * PCRE2 in UTF mode with limits on time and memory: a pattern that needs more
 * than that has not matched.  \d, \w, \s and [[:alpha:]] mean ASCII only; letters
 * of every script are \p{L}.  "$" is the very end, never before a last newline.
 */
#ifndef BASE_MATCH_H
#define BASE_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct match;

enum match_result {
	MATCH_NO = 0,
	MATCH_YES,
	MATCH_GAVE_UP, /* a limit was reached: the caller must refuse */
};

/* err names the offset of what is wrong.  NULL: not a pattern. */
struct match *match_new(const char *pattern, struct error *err);
void match_free(struct match *m);
/* Does the whole of text match? */
enum match_result match_full(const struct match *m, const char *text, size_t len);
/* Does a part of it?  JSON Schema's meaning. */
enum match_result match_part(const struct match *m, const char *text, size_t len);

#endif
