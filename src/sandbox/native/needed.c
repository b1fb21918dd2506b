/* SPDX-License-Identifier: Apache-2.0 */
/* needed.c - the list of files that a box must see. */
#include "sandbox/native/needed.h"

#include <stdlib.h>
#include <string.h>

#include "sandbox/native/rootdir.h"

static void item_done(struct needed *item)
{
	free(item->source);
	free(item->inside);
	*item = (struct needed){0};
}

void needed_list_done(struct needed_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		item_done(&list->items[i]);
	free(list->items);
	*list = (struct needed_list){0};
}

void needed_list_end(struct needed_list *list)
{
	needed_list_done(list);
}

static struct needed *find_inside(const struct needed_list *list, const char *inside)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->items[i].inside, inside) == 0)
			return &list->items[i];
	return NULL;
}

static int append(struct needed_list *list, const struct needed *item, struct error *err)
{
	if (list->n == NEEDED_MAX)
		return fail(err, ERR_CONFIG, "the programs need more than %d files", NEEDED_MAX);
	if (!list->items)
		list->items = calloc(NEEDED_MAX, sizeof(*list->items));
	if (!list->items)
		return fail_sys(err, "list needed files");
	list->items[list->n] = *item;
	list->items[list->n].source = strdup(item->source);
	if (!list->items[list->n].source)
		return fail_sys(err, "list needed files");
	list->n++;
	return 0;
}

int needed_add(struct needed_list *list, const struct needed *item, struct error *err)
{
	struct needed copy = *item;
	struct needed *known;

	if (rootdir_inside(item->inside, &copy.inside, err) < 0)
		return -1;
	known = find_inside(list, copy.inside);
	if (!known) {
		if (append(list, &copy, err) == 0)
			return 0;
		free(copy.inside);
		return -1;
	}
	free(copy.inside);
	if (strcmp(known->source, item->source) != 0)
		return fail(err, ERR_CONFIG, "%s and %s both belong at %s in the box",
			    known->source, item->source, known->inside);
	known->execute = known->execute || item->execute;
	return 0;
}

static int by_inside(const void *a, const void *b)
{
	return strcmp(((const struct needed *)a)->inside, ((const struct needed *)b)->inside);
}

/* Does the directory show the item at its place already, with the same rights? */
static bool covers(const struct needed *dir, const struct needed *item)
{
	size_t inside = strlen(dir->inside), source = strlen(dir->source);

	return dir->directory && strncmp(item->inside, dir->inside, inside) == 0 &&
	       item->inside[inside] == '/' && strncmp(item->source, dir->source, source) == 0 &&
	       strcmp(item->inside + inside, item->source + source) == 0 &&
	       (dir->execute || !item->execute);
}

void needed_tidy(struct needed_list *list)
{
	size_t kept = 0;

	if (list->n > 0)
		qsort(list->items, list->n, sizeof(list->items[0]), by_inside);
	for (size_t i = 0; i < list->n; i++) {
		bool covered = false;

		for (size_t j = 0; j < kept && !covered; j++)
			covered = covers(&list->items[j], &list->items[i]);
		if (covered)
			item_done(&list->items[i]);
		else
			list->items[kept++] = list->items[i];
	}
	list->n = kept;
}
