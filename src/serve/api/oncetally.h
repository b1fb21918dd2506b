/* SPDX-License-Identifier: Apache-2.0 */
/* oncetally.h - how many keys, and how many bytes of answers, each client has in the store. */
#ifndef SERVE_API_ONCETALLY_H
#define SERVE_API_ONCETALLY_H

#include <stdint.h>

#include "base/error.h"

struct tally_row;

struct once_tally {
	struct tally_row *rows; /* a list */
	int64_t bytes;          /* of all */
};

void tally_init(struct once_tally *t);
void tally_done(struct once_tally *t);
void tally_clear(struct once_tally *t);
int tally_add(struct once_tally *t, const char *client, int64_t rows, int64_t bytes,
	      struct error *err);
int64_t tally_rows(const struct once_tally *t, const char *client);
int64_t tally_bytes(const struct once_tally *t, const char *client);

#endif
