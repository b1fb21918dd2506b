/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h - each limit is one row: its option, unit, bounds, default and words. */
#ifndef CALL_LIMITS_H
#define CALL_LIMITS_H

#include "call/call.h"

enum limit_unit { UNIT_MS, UNIT_BYTES, UNIT_COUNT };

struct limit_row {
	const char *name; /* the option without its dashes */
	const char *key;  /* in JSON */
	enum limit_unit unit;
	size_t offset; /* in struct limits */
	uint64_t min, standard, max;
	const char *metavar;
	const char *help;
};

extern const struct limit_row limit_rows[];
extern const size_t limit_row_count;

void limits_default(struct limits *ret);
const struct limit_row *limits_find(const char *name);
/* The n-th row in the order of their keys, which a record has. */
const struct limit_row *limits_by_key(size_t n);
uint64_t limits_get(const struct limits *l, const struct limit_row *row);
/* Parses text by the row's unit and checks its bounds. */
int limits_set(struct limits *l, const struct limit_row *row, const char *text, struct error *err);
/* Every value within its row's bounds? */
int limits_check(const struct limits *l, struct error *err);
/* The first row of which l has more than most; NULL: none. */
const struct limit_row *limits_above(const struct limits *l, const struct limits *most);

/* Are they the same for a process that was sealed ahead?  Wall time and output are not its own. */
bool limits_same_seal(const struct limits *a, const struct limits *b);

#endif
