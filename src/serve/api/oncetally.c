/* SPDX-License-Identifier: Apache-2.0 */
/* oncetally.c - counts what the store of idempotent answers holds, so that nobody has to ask it. */
#include "serve/api/oncetally.h"

#include <stdlib.h>
#include <string.h>

struct tally_row {
	struct tally_row *next;
	int64_t rows, bytes;
	char client[];
};

void tally_init(struct once_tally *t)
{
	*t = (struct once_tally){0};
}

void tally_clear(struct once_tally *t)
{
	while (t->rows) {
		struct tally_row *next = t->rows->next;

		free(t->rows);
		t->rows = next;
	}
	t->bytes = 0;
}

void tally_done(struct once_tally *t)
{
	tally_clear(t);
}

static struct tally_row *find(const struct once_tally *t, const char *client)
{
	struct tally_row *at = t->rows;

	while (at && strcmp(at->client, client) != 0)
		at = at->next;
	return at;
}

int tally_add(struct once_tally *t, const char *client, int64_t rows, int64_t bytes,
	      struct error *err)
{
	struct tally_row *at = find(t, client);
	size_t len = strlen(client) + 1;

	if (!at) {
		at = calloc(1, sizeof(*at) + len);
		if (!at)
			return fail_sys(err, "count the keys of a client");
		memcpy(at->client, client, len);
		at->next = t->rows;
		t->rows = at;
	}
	at->rows += rows;
	at->bytes += bytes;
	t->bytes += bytes;
	return 0;
}

int64_t tally_rows(const struct once_tally *t, const char *client)
{
	const struct tally_row *at = find(t, client);

	return at ? at->rows : 0;
}

int64_t tally_bytes(const struct once_tally *t, const char *client)
{
	const struct tally_row *at = find(t, client);

	return at ? at->bytes : 0;
}
