/* SPDX-License-Identifier: Apache-2.0 */
/* sectionlist.c - every section that can be reached from the policy file's rows, once. */
#include "policy/sectionlist.h"

#include <assert.h>

static void add(struct sectionlist *s, const struct section *one)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i] == one)
			return;
	assert(s->n < SECTIONS_MAX);
	s->list[s->n++] = one;
}

void sectionlist_fill(struct sectionlist *ret)
{
	ret->n = 0;
	add(ret, &policy_section);
	/* The list grows while it is walked; sections may name each other. */
	for (size_t i = 0; i < ret->n; i++)
		for (size_t k = 0; k < ret->list[i]->n_rows; k++)
			if (ret->list[i]->rows[k].section)
				add(ret, ret->list[i]->rows[k].section);
}
