/* SPDX-License-Identifier: Apache-2.0 */
/* readrates.c - "10/min burst 3", the same as a map, or a list of either. */
#include <string.h>

#include "policy/meter.h"
#include "policy/reader.h"

static void read_long_form(struct reader *r, const struct node *n, struct rate *ret)
{
	struct error err;

	settings_read(r, &rate_section, n, ret);
	if (ret->burst == 0)
		ret->burst = ret->limit;
	/* A zero is one that was complained about. */
	if (ret->limit && ret->per_ms && rate_check(ret, &err) < 0)
		reader_complain(r, n, "%s", err.text);
}

static void read_rate(struct reader *r, const struct node *n, unsigned key, struct rate *ret,
		      bool *ret_unlimited)
{
	struct error err;

	if (n->kind == NODE_MAP) {
		read_long_form(r, n, ret);
	} else if (n->kind != NODE_SCALAR || node_is_empty(n)) {
		reader_complain(r, n,
				"a rate such as 10/min, 10/min burst 3 or unlimited is expected "
				"here, not %s",
				node_kind_name(n));
	} else if (rate_parse(n->text, ret, ret_unlimited, &err) < 0) {
		reader_complain(r, n, "%s", err.text);
	}
	if (!node_find(n, "key"))
		ret->key = key;
	ret->place = n->place;
}

static void read_list_of_rates(struct reader *r, const struct node *n, unsigned key,
			       struct rates *ret)
{
	size_t at = 0;

	if (n->n < 1 || n->n > RATES_MAX) {
		reader_complain(r, n, "from 1 to %d rates are expected here, not %zu", RATES_MAX,
				n->n);
		return;
	}
	for (const struct node *c = n->first; c; c = c->next, at++) {
		size_t old = reader_enter(r, "[%zu]", at);
		bool unlimited = false;

		read_rate(r, c, key, &ret->rate[at], &unlimited);
		if (unlimited)
			reader_complain(r, c, "'unlimited' stands alone, not in a list");
		reader_leave(r, old);
	}
	ret->n = at;
}

static void read_rates(struct reader *r, const struct node *n, unsigned key, struct rates *ret)
{
	struct rates rates = {0};

	rates.rate = reader_alloc(r, n, RATES_MAX, sizeof(*rates.rate));
	if (!rates.rate)
		return;
	if (n->kind == NODE_LIST) {
		read_list_of_rates(r, n, key, &rates);
	} else {
		read_rate(r, n, key, rates.rate, &rates.unlimited);
		rates.n = !rates.unlimited;
	}
	*ret = rates;
}

void own_rates_global(struct reader *r, const struct node *n, void *target)
{
	read_rates(r, n, 0, target);
}

void own_rates_client(struct reader *r, const struct node *n, void *target)
{
	read_rates(r, n, RATE_PER_CLIENT, target);
}

void own_rates_tool(struct reader *r, const struct node *n, void *target)
{
	read_rates(r, n, RATE_PER_CLIENT | RATE_PER_TOOL, target);
}

void own_rate_key(struct reader *r, const struct node *n, void *target)
{
	static const char *const names[] = {"client", "tool", NULL};
	struct words words;
	unsigned key = 0;
	char near[80];

	if (!read_texts(r, n, &words))
		return;
	for (size_t i = 0; i < words.n; i++) {
		if (strcmp(words.word[i], "client") == 0) {
			key |= RATE_PER_CLIENT;
		} else if (strcmp(words.word[i], "tool") == 0) {
			key |= RATE_PER_TOOL;
		} else {
			reader_suggest(words.word[i], names, near, sizeof(near));
			reader_complain(r, n, "expected: client or tool; not '%.60s'%s",
					words.word[i], near);
		}
	}
	*(unsigned *)target = key;
}
