/* SPDX-License-Identifier: Apache-2.0 */
/* pairing.c - which calls began and have not ended. */
#include "audit/pairing.h"

#include <stdlib.h>
#include <string.h>

void pairing_init(struct pairing *p)
{
	*p = (struct pairing){0};
}

void pairing_done(struct pairing *p)
{
	free(p->places);
	pairing_init(p);
}

static size_t home_of(const struct pairing *p, const char *id)
{
	uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a */

	for (; *id; id++)
		h = (h ^ (unsigned char)*id) * UINT64_C(1099511628211);
	return (size_t)(h ^ h >> 32) & (p->room - 1);
}

/* Where id is, or the free place where it would go. */
static struct open_call *find(const struct pairing *p, const char *id)
{
	size_t i = home_of(p, id);

	while (p->places[i].id[0] && strcmp(p->places[i].id, id) != 0)
		i = (i + 1) & (p->room - 1);
	return &p->places[i];
}

static int grow(struct pairing *p)
{
	struct pairing larger = {
		.n = p->n, .aborted = p->aborted, .room = p->room ? 2 * p->room : 64};

	larger.places = calloc(larger.room, sizeof(*larger.places));
	if (!larger.places)
		return -1;
	for (size_t i = 0; i < p->room; i++)
		if (p->places[i].id[0])
			*find(&larger, p->places[i].id) = p->places[i];
	free(p->places);
	*p = larger;
	return 0;
}

/* Whoever stands behind the gap and could not get a place before it moves up. */
static void drop(struct pairing *p, struct open_call *gone)
{
	size_t gap = (size_t)(gone - p->places), mask = p->room - 1;

	for (size_t i = (gap + 1) & mask; p->places[i].id[0]; i = (i + 1) & mask) {
		size_t home = home_of(p, p->places[i].id);

		if (((i - home) & mask) < ((i - gap) & mask))
			continue;
		p->places[gap] = p->places[i];
		gap = i;
	}
	p->places[gap] = (struct open_call){0};
	p->n--;
}

static enum pairing_result begin(struct pairing *p, const char *id, uint64_t index)
{
	struct open_call *place;

	if (4 * (p->n + 1) > 3 * p->room && grow(p) < 0)
		return PAIRING_NO_MEMORY;
	place = find(p, id);
	if (place->id[0] && !place->aborted)
		return PAIRING_TWICE;
	if (place->aborted)
		p->aborted--;
	else
		p->n++;
	memcpy(place->id, id, PAIRING_ID);
	place->index = index;
	place->aborted = false;
	return PAIRING_FINE;
}

static enum pairing_result end(struct pairing *p, const char *id)
{
	struct open_call *place = p->room ? find(p, id) : NULL;

	if (!place || !place->id[0])
		return PAIRING_NO_START;
	p->aborted -= place->aborted;
	drop(p, place);
	return PAIRING_FINE;
}

static enum pairing_result give_up(struct pairing *p, const char *id)
{
	struct open_call *place = p->room ? find(p, id) : NULL;

	if (!place || !place->id[0] || place->aborted)
		return PAIRING_NO_START;
	place->aborted = true;
	p->aborted++;
	return PAIRING_FINE;
}

enum pairing_result pairing_add(struct pairing *p, const struct record_view *view, uint64_t index)
{
	char id[PAIRING_ID] = "";
	bool starts = view->kind == RECORD_STARTED;
	bool ends = view->kind == RECORD_FINISHED || view->kind == RECORD_ABORTED;

	if (!starts && !ends)
		return PAIRING_FINE;
	if (!view->id.data || view->id.len == 0 || view->id.len >= sizeof(id))
		return PAIRING_NO_ID;
	memcpy(id, view->id.data, view->id.len);
	if (view->kind == RECORD_ABORTED)
		return give_up(p, id);
	return starts ? begin(p, id, index) : end(p, id);
}

int pairing_scan(struct pairing *p, struct log_reader *r, uint64_t from, struct error *err)
{
	struct record_view view;
	struct log_line line;
	uint64_t index;
	int got = log_seek(r, from, err) < 0 ? -1 : 1;

	while (got > 0) {
		got = log_next(r, &line, &index, err);
		if (got > 0 && record_read(line.data, line.len, &view, err) == 0 &&
		    pairing_add(p, &view, index) == PAIRING_NO_MEMORY)
			return fail(err, ERR_SYSTEM, "no memory for the open calls");
	}
	return got;
}

const struct open_call *pairing_next(const struct pairing *p, size_t *at)
{
	while (*at < p->room) {
		const struct open_call *c = &p->places[(*at)++];

		if (c->id[0] && !c->aborted)
			return c;
	}
	return NULL;
}
