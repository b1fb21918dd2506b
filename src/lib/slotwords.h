/* SPDX-License-Identifier: Apache-2.0 */
/* slotwords.h - a profile as words for belljar slot, which reads them as belljar run does. */
#ifndef LIB_SLOTWORDS_H
#define LIB_SLOTWORDS_H

#include "call/call.h"

enum {
	SLOTWORDS_MAX =
		2 * GRANTS_MAX + PROGRAMS_MAX + LAYER_COUNT + WARM_MODULES_MAX + WARM_ENV_MAX + 36
};

/* All zeros is the empty list.  NULL-terminated. */
struct slotwords {
	char *words[SLOTWORDS_MAX];
	size_t n;
	bool failed; /* no room or no memory */
};

void slotwords_end(struct slotwords *w);
void slotwords_add(struct slotwords *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* --wall=... and the others. */
void slotwords_limits(struct slotwords *w, const struct limits *l);
/* Refuses what would be read as something else than it is: ERR_CALLER. */
int slotwords_profile(struct slotwords *w, const struct profile *p, struct error *err);
/* --most and a number for each limit, in the order of their rows: for belljar slot, no call may ask
 * for more. */
void slotwords_most(struct slotwords *w, const struct limits *most);
int slotwords_read_most(const char *value, struct limits *ret, struct error *err);
/* After the last word: did it all fit? */
int slotwords_check(const struct slotwords *w, struct error *err);

#endif
