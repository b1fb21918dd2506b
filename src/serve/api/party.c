/* SPDX-License-Identifier: Apache-2.0 */
/* party.c - the list of clients that have, or lately had, something open.
 *
 * Names come from the policy, so that there are never more than it has, and a
 * few that a reload has taken out of it.
 */
#include "serve/api/party.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void parties_init(struct parties *p)
{
	links_init(&p->all);
	p->n = 0;
}

static void forget(struct parties *p, struct party *one)
{
	links_remove(&one->all);
	free(one);
	p->n--;
}

void parties_done(struct parties *p)
{
	EACH_LINK(at, &p->all)
	forget(p, LINKED(at, struct party, all));
}

struct party *party_get(struct parties *p, const char *name)
{
	struct party *one;

	EACH_LINK(at, &p->all)
	{
		one = LINKED(at, struct party, all);
		if (strcmp(one->name, name) == 0)
			return one;
	}
	one = calloc(1, sizeof(*one));
	if (!one)
		return NULL;
	(void)snprintf(one->name, sizeof(one->name), "%s", name);
	links_init(&one->waiting);
	links_init(&one->running);
	links_init(&one->kept);
	links_init(&one->hungry);
	links_add(&p->all, &one->all);
	p->n++;
	return one;
}

void parties_sweep(struct parties *p)
{
	EACH_LINK(at, &p->all)
	{
		struct party *one = LINKED(at, struct party, all);

		if (one->visits == 0 && one->open == 0 && one->sessions == 0 &&
		    one->n_waiting == 0 && one->n_running == 0 && one->n_kept == 0)
			forget(p, one);
	}
}
