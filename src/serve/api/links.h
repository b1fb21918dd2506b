/* SPDX-License-Identifier: Apache-2.0 */
/* links.h - lists whose links lie in their members. */
#ifndef SERVE_API_LINKS_H
#define SERVE_API_LINKS_H

#include <stdbool.h>
#include <stddef.h>

/* A list, or one place in it.  All zeros: in no list. */
struct links {
	struct links *next, *prev;
};

#define LINKED(link, type, member) ((type *)(void *)((char *)(link)-offsetof(type, member)))
/* The current member may be taken out in between.  (A name cannot stand in parentheses.) */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define EACH_LINK(at, list)                                                        \
	for (struct links *at = (list)->next, *at##_next = at->next; at != (list); \
	     at = at##_next, at##_next = at->next)
/* NOLINTEND(bugprone-macro-parentheses) */

static inline void links_init(struct links *list)
{
	list->next = list->prev = list;
}

static inline bool links_empty(const struct links *list)
{
	return list->next == list;
}

static inline bool links_in(const struct links *at)
{
	return at->next != NULL;
}

static inline void links_add_before(struct links *where, struct links *at)
{
	at->next = where;
	at->prev = where->prev;
	where->prev->next = at;
	where->prev = at;
}

/* At the end. */
static inline void links_add(struct links *list, struct links *at)
{
	links_add_before(list, at);
}

static inline void links_remove(struct links *at)
{
	if (!at->next)
		return;
	at->next->prev = at->prev;
	at->prev->next = at->next;
	at->next = at->prev = NULL;
}

#endif
