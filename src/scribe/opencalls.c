/* SPDX-License-Identifier: Apache-2.0 */
/* opencalls.c - calls that began and have not ended, and whose they are. */
#include "scribe/opencalls.h"

#include <stdio.h>
#include <string.h>

bool open_calls_add(struct open_calls *o, const char *id, uint64_t owner, uint64_t index)
{
	struct open_call *call = &o->list[o->n];

	if (o->n == OPEN_CALLS_MAX)
		return false;
	(void)snprintf(call->id, sizeof(call->id), "%s", id);
	call->owner = owner;
	call->index = index;
	o->n++;
	o->n_orphans += owner == OWNER_NONE;
	return true;
}

bool open_calls_remove(struct open_calls *o, const char *id)
{
	for (size_t i = o->n; i-- > 0;) {
		if (strcmp(o->list[i].id, id) != 0)
			continue;
		o->n_orphans -= o->list[i].owner == OWNER_NONE;
		o->list[i] = o->list[--o->n];
		return true;
	}
	return false;
}

bool open_calls_has(const struct open_calls *o, const char *id)
{
	for (size_t i = 0; i < o->n; i++)
		if (strcmp(o->list[i].id, id) == 0)
			return true;
	return false;
}

void open_calls_orphan(struct open_calls *o, uint64_t owner)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->list[i].owner == owner) {
			o->list[i].owner = OWNER_NONE;
			o->n_orphans += owner != OWNER_NONE;
		}
}

uint64_t open_calls_since(const struct open_calls *o, uint64_t none)
{
	uint64_t since = none;

	for (size_t i = 0; i < o->n; i++)
		if (o->list[i].index < since)
			since = o->list[i].index;
	return since;
}
