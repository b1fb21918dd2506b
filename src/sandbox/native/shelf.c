/* SPDX-License-Identifier: Apache-2.0 */
/* shelf.c - what a launcher of listed programs is told when it is at work already.
 *
 * Which files programs need takes a while to find out, and none of it is needed
 * before the root is built.  So the launcher is cloned first, with this memory
 * that it shares with the warden, at the same address in both: then pointers in
 * it mean the same.  The warden only writes here, and once: what it knows itself
 * stays in memory of its own.
 */
#include "sandbox/native/shelf.h"

#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "sandbox/native/rawcall.h"

enum { TEXTS_MAX = 2 * NEEDED_MAX * PATH_MAX };

struct shelf {
	uint32_t ready; /* 1: all is there; a futex */
	bool has_interpreter;
	struct limits first;
	size_t n, used;
	struct needed items[NEEDED_MAX];
	char texts[TEXTS_MAX];
};

struct shelf *shelf_new(struct error *err)
{
	/* Few of its pages are ever touched. */
	void *room = mmap(NULL, sizeof(struct shelf), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED) {
		(void)fail_sys(err, "memory for a list of files");
		return NULL;
	}
	return room;
}

void shelf_free(struct shelf *shelf)
{
	if (shelf)
		(void)munmap(shelf, sizeof(*shelf));
}

static char *put_text(struct shelf *shelf, const char *text)
{
	size_t size = strlen(text) + 1;
	char *at = shelf->texts + shelf->used;

	if (size > sizeof(shelf->texts) - shelf->used)
		return NULL;
	memcpy(at, text, size);
	shelf->used += size;
	return at;
}

int shelf_fill(struct shelf *shelf, const struct needed_list *needed, const struct limits *first,
	       struct error *err)
{
	if (shelf->ready || needed->n > NEEDED_MAX)
		return fail(err, ERR_INTERNAL, "a list of %zu files comes twice", needed->n);
	for (size_t i = 0; i < needed->n; i++) {
		struct needed item = needed->items[i];

		item.source = put_text(shelf, item.source);
		item.inside = put_text(shelf, item.inside);
		if (!item.source || !item.inside)
			return fail(err, ERR_CONFIG, "the paths of needed files are too long");
		shelf->items[i] = item;
	}
	shelf->n = needed->n;
	shelf->has_interpreter = needed->has_interpreter;
	shelf->first = *first;
	raw_post(&shelf->ready, 1);
	return 0;
}

void shelf_take(struct plan *plan)
{
	static const struct timespec moment = {.tv_nsec = 10000000}; /* should the call be lost */
	struct shelf *shelf = plan->shelf;

	while (!__atomic_load_n(&shelf->ready, __ATOMIC_ACQUIRE))
		(void)raw_call(SYS_futex, (long)&shelf->ready, FUTEX_WAIT, 0, (long)&moment, 0);
	plan->first = shelf->first;
	plan->needed = (struct needed_list){
		.items = shelf->items, .n = shelf->n, .has_interpreter = shelf->has_interpreter};
}
