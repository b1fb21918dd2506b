/* SPDX-License-Identifier: Apache-2.0 */
/* labels.h - counters by a name, in fixed memory: what finds no place is "other". */
#ifndef SERVE_API_LABELS_H
#define SERVE_API_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { LABELS_MAX = 64, LABEL_ROOM = 96 };

struct label {
	char name[LABEL_ROOM];
	uint64_t n;
};

struct labels {
	struct label list[LABELS_MAX];
	size_t n;
	uint64_t other;
};

/* A name that is not plain (letters, digits, . _ : -) counts as other. */
void labels_add(struct labels *l, const char *name, uint64_t n);
/* One line for each: metric{before,key="name"} n.  before: other labels and a comma, or empty. */
int labels_write(const struct labels *l, const char *metric, const char *before, const char *key,
		 struct buf *out, struct error *err);

#endif
