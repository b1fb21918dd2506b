/* SPDX-License-Identifier: Apache-2.0 */
/* nextchars.h - part of the build: which characters can follow the first ones of a pattern. */
#ifndef REDACT_NEXTCHARS_H
#define REDACT_NEXTCHARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NEXTCHARS_REACH = 124 }; /* bytes of a match that can be asked about */

struct nextchars_set {
	uint64_t in[4]; /* one bit for each byte */
};

static inline bool nextchars_in(const struct nextchars_set *set, unsigned char c)
{
	return set->in[c / 64] >> c % 64 & 1;
}

/* Of texts that match the pattern and begin with the word: what the bytes behind it can be, ret[0]
 * the first.  Returns how many it can tell, at most room: a match may end behind them; -1: no text
 * that matches begins with the word, or the pattern has something that nobody reads here. */
int nextchars_read(const char *pattern, const char *word, size_t len, struct nextchars_set *ret,
		   size_t room);

#endif
