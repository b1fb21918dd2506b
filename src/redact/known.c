/* SPDX-License-Identifier: Apache-2.0 */
/* known.c - values that are secret because we handed them out: the automaton.
 *
 * A full table: one look per byte, whatever the text.  Bytes that occur in no form share one
 * column, which keeps it small.
 */
#include "redact/known.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"

enum {
	BYTES = 256,
	NODES_MAX = 1 << 20,
	CELLS_MAX = 16 << 20, /* 64 MiB */
};

struct node {
	uint32_t fail;
	uint32_t depth;
	uint32_t found; /* bytes of the longest form that ends here; 0: none */
	uint32_t which;
};

struct known {
	unsigned char column[BYTES]; /* 0: in no form */
	unsigned columns;
	struct node *nodes;
	size_t n_nodes, room;
	uint32_t *next; /* n_nodes rows of columns cells */
};

void known_free(struct known *k)
{
	if (!k)
		return;
	free(k->nodes);
	/* The forms of a secret can be read off the table. */
	if (k->next)
		explicit_bzero(k->next, k->room * k->columns * sizeof(*k->next));
	free(k->next);
	free(k);
}

static int grow(struct known *k, struct error *err)
{
	size_t room = k->room ? k->room * 2 : 1024;
	struct node *nodes;
	uint32_t *next;

	if (room > NODES_MAX || room * k->columns > CELLS_MAX)
		return fail(err, ERR_CONFIG, "the known secrets are too many or too long");
	nodes = realloc(k->nodes, room * sizeof(*nodes));
	if (!nodes)
		return fail_sys(err, "keep known secrets");
	k->nodes = nodes;
	next = calloc(room * k->columns, sizeof(*next));
	if (!next)
		return fail_sys(err, "keep known secrets");
	if (k->next) {
		size_t bytes = k->room * k->columns * sizeof(*next);

		memcpy(next, k->next, bytes);
		explicit_bzero(k->next, bytes);
	}
	free(k->next);
	k->next = next;
	memset(nodes + k->room, 0, (room - k->room) * sizeof(*nodes));
	k->room = room;
	return 0;
}

struct adding {
	struct known *k;
	size_t which;
};

static int add_columns(void *context, const char *form, size_t len, struct error *err)
{
	struct known *k = ((struct adding *)context)->k;

	(void)err;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)form[i];

		/* All 256 are never in use: column 0 would be missed by nobody but NUL. */
		if (!k->column[c] && k->columns < BYTES)
			k->column[c] = (unsigned char)k->columns++;
	}
	return 0;
}

static int add_form(void *context, const char *form, size_t len, struct error *err)
{
	const struct adding *a = context;
	struct known *k = a->k;
	uint32_t at = 0;

	if (len < KNOWN_LEAST)
		return 0;
	for (size_t i = 0; i < len; i++) {
		size_t cell = at * k->columns + k->column[(unsigned char)form[i]];

		if (k->next[cell] == 0) {
			if (k->n_nodes == k->room && grow(k, err) < 0)
				return -1;
			k->nodes[k->n_nodes].depth = (uint32_t)i + 1;
			k->next[cell] = (uint32_t)k->n_nodes++;
		}
		at = k->next[cell];
	}
	if (k->nodes[at].found == 0) {
		k->nodes[at].found = (uint32_t)len;
		k->nodes[at].which = (uint32_t)a->which;
	}
	return 0;
}

/* Breadth first: where a form does not go on, the longest one that its end begins does. */
static int join(struct known *k, struct error *err)
{
	own_mem uint32_t *queue = calloc(k->n_nodes, sizeof(*queue));
	size_t head = 0, tail = 0;

	if (!queue)
		return fail_sys(err, "keep known secrets");
	for (unsigned c = 0; c < k->columns; c++)
		if (k->next[c])
			queue[tail++] = k->next[c];
	while (head < tail) {
		uint32_t at = queue[head++];
		struct node *node = &k->nodes[at];
		const struct node *behind = &k->nodes[node->fail];

		if (node->found == 0) {
			node->found = behind->found;
			node->which = behind->which;
		}
		for (unsigned c = 0; c < k->columns; c++) {
			uint32_t *cell = &k->next[at * k->columns + c];
			uint32_t other = k->next[node->fail * k->columns + c];

			if (*cell) {
				k->nodes[*cell].fail = other;
				queue[tail++] = *cell;
			} else {
				*cell = other;
			}
		}
	}
	return 0;
}

static int each(struct known *k, const struct redact_known *values, size_t n, known_form *take,
		struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		struct adding a = {k, i};

		if (known_forms(values[i].value, values[i].len, take, &a, err) < 0)
			return fail_in(err, "secret %s", values[i].name);
	}
	return 0;
}

static int build(struct known *k, const struct redact_known *values, size_t n, struct error *err)
{
	k->columns = 1;
	if (each(k, values, n, add_columns, err) < 0 || grow(k, err) < 0)
		return -1;
	k->n_nodes = 1;
	return each(k, values, n, add_form, err) < 0 ? -1 : join(k, err);
}

static int check_values(const struct redact_known *values, size_t n, struct error *err)
{
	for (size_t i = 0; i < n; i++)
		if (values[i].len < KNOWN_LEAST || values[i].len > KNOWN_MOST)
			return fail(err, ERR_CONFIG,
				    "secret %s: %zu bytes; %d to %d can be found in output",
				    values[i].name, values[i].len, KNOWN_LEAST, KNOWN_MOST);
	return 0;
}

struct known *known_new(const struct redact_known *values, size_t n, struct error *err)
{
	struct known *k;

	if (n == 0 || check_values(values, n, err) < 0)
		return NULL;
	k = calloc(1, sizeof(*k));
	if (!k) {
		(void)fail_sys(err, "keep known secrets");
		return NULL;
	}
	if (build(k, values, n, err) == 0)
		return k;
	known_free(k);
	return NULL;
}

uint32_t known_scan(const struct known *k, uint32_t state, const char *data, size_t len,
		    known_hit *hit, void *context)
{
	const uint32_t *next = k->next;
	size_t columns = k->columns;

	for (size_t i = 0; i < len; i++) {
		if (state == 0) { /* nearly always: nothing has begun */
			while (i < len && next[k->column[(unsigned char)data[i]]] == 0)
				i++;
			if (i == len)
				return 0;
		}
		state = next[state * columns + k->column[(unsigned char)data[i]]];
		if (k->nodes[state].found)
			hit(context, i + 1, k->nodes[state].found, k->nodes[state].which);
	}
	return state;
}

size_t known_depth(const struct known *k, uint32_t state)
{
	return k->nodes[state].depth;
}
