/* SPDX-License-Identifier: Apache-2.0 */
/* needskeep.c - what a list of programs needs, kept for whoever lists the same.
 *
 * To find out what Python loads takes as long as Python: every module of its
 * library is looked into.  So what was found is kept beside the slots' locks,
 * with everything that the search has seen (searchwitness.h), and believed for as
 * long as each of these names is what it was.  A file whose name says which
 * belljar made it, and for which programs; it repeats these inside.
 *
 * Only root's, where only root can write: what is in it decides what a box
 * shows.  It is read all the same as if anybody had written it.
 */
#include "sandbox/native/needskeep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/identity.h"
#include "sandbox/native/needed.h"

enum { KEPT_MAX = 4 << 20, FILES_MAX = 64 };

static const char magic[8] = "needs 2";
static const char prefix[] = "needs-";

struct kept_head {
	char magic[8];
	uint32_t n_programs, n_sights, n_items, n_texts; /* n_texts: bytes */
	uint32_t has_interpreter, unused;
};

/* The numbers of texts are places in what follows all rows; each ends with a NUL. */
struct kept_sight {
	struct filemark mark;
	uint32_t path, unused;
};

struct kept_item {
	uint32_t source, inside;
	uint32_t directory, execute;
};

/* Its name. */

static bool choose_name(const char *const *programs, size_t n, char *ret, size_t room)
{
	uint64_t hash = filemark_hash_begin();
	struct filemark self;
	struct stat st;
	uint64_t space;

	/* Another belljar may know of more that a program needs; and the mounts of another
	 * namespace have other numbers. */
	if (stat("/proc/self/exe", &st) < 0)
		return false;
	self = filemark_of(&st);
	if (stat("/proc/self/ns/mnt", &st) < 0)
		return false;
	space = st.st_ino;
	hash = filemark_hash(hash, &self, sizeof(self));
	hash = filemark_hash(hash, &space, sizeof(space));
	for (size_t i = 0; i < n; i++)
		hash = filemark_hash(hash, programs[i], strlen(programs[i]) + 1);
	(void)snprintf(ret, room, "%s%016" PRIx64, prefix, hash);
	return true;
}

static int open_place(void)
{
	own_fd dir = -1;
	struct stat st;

	if (geteuid() != 0)
		return -1;
	dir = open(IDENTITY_PLACE, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 || fstat(dir, &st) < 0 || st.st_uid != 0 ||
	    (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return -1;
	return take_fd(&dir);
}

/* Reading. */

struct reading {
	const char *bytes;
	struct kept_head head;
	const char *texts;
};

static bool take_shape(const char *bytes, size_t len, struct reading *r)
{
	size_t sights, items;

	if (len < sizeof(r->head))
		return false;
	memcpy(&r->head, bytes, sizeof(r->head));
	if (memcmp(r->head.magic, magic, sizeof(magic)) != 0 || r->head.n_sights > WITNESS_MAX ||
	    r->head.n_items > NEEDED_MAX || r->head.has_interpreter > 1)
		return false;
	sights = r->head.n_sights * sizeof(struct kept_sight);
	items = r->head.n_items * sizeof(struct kept_item);
	if (len - sizeof(r->head) < sights + items ||
	    len - sizeof(r->head) - sights - items != r->head.n_texts)
		return false;
	r->bytes = bytes;
	r->texts = bytes + len - r->head.n_texts;
	return r->head.n_texts > 0 && r->texts[r->head.n_texts - 1] == '\0';
}

static const char *text_at(const struct reading *r, uint32_t place)
{
	return place < r->head.n_texts ? r->texts + place : NULL;
}

/* They are the first texts, one behind the other. */
static bool is_for(const struct reading *r, const char *const *programs, size_t n)
{
	uint32_t at = 0;

	if (r->head.n_programs != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *text = text_at(r, at);

		if (!text || strcmp(text, programs[i]) != 0)
			return false;
		at += (uint32_t)strlen(text) + 1;
	}
	return true;
}

static bool take_item(const struct reading *r, const struct kept_item *kept,
		      struct needed_list *list)
{
	const char *source = text_at(r, kept->source), *inside = text_at(r, kept->inside);
	struct needed *item = &list->items[list->n];

	if (!source || !inside || source[0] != '/' || inside[0] != '/' || kept->directory > 1 ||
	    kept->execute > 1)
		return false;
	*item = (struct needed){
		.source = strdup(source),
		.inside = strdup(inside),
		.directory = kept->directory,
		.execute = kept->execute,
	};
	list->n++;
	return item->source && item->inside;
}

static bool take_items(const struct reading *r, struct needed_list *ret)
{
	const struct kept_item *rows = (const void *)(r->bytes + sizeof(r->head) +
						      r->head.n_sights * sizeof(struct kept_sight));
	own(needed_list) list = {.has_interpreter = r->head.has_interpreter};

	list.items = calloc(r->head.n_items + 1, sizeof(*list.items));
	if (!list.items)
		return false;
	for (uint32_t i = 0; i < r->head.n_items; i++)
		if (!take_item(r, &rows[i], &list))
			return false;
	*ret = list;
	list = (struct needed_list){0};
	return true;
}

bool needskeep_read(const char *bytes, size_t len, const char *const *programs, size_t n,
		    struct kept_needs *ret_kept, struct needed_list *ret)
{
	struct reading r;

	if (!take_shape(bytes, len, &r) || !is_for(&r, programs, n))
		return false;
	*ret_kept = (struct kept_needs){
		.texts = r.texts,
		.sights = (const void *)(bytes + sizeof(r.head)),
		.n_sights = r.head.n_sights,
	};
	for (size_t i = 0; i < ret_kept->n_sights; i++) {
		const char *path = text_at(&r, ret_kept->sights[i].path);

		if (!path || path[0] != '/')
			return false;
	}
	return take_items(&r, ret);
}

const char *needskeep_path(const struct kept_needs *kept, size_t i)
{
	return kept->texts + kept->sights[i].path;
}

static bool all_is_as_it_was(const struct kept_needs *kept)
{
	for (size_t i = 0; i < kept->n_sights; i++)
		if (!sight_is_same(needskeep_path(kept, i), &kept->sights[i].mark))
			return false;
	return true;
}

static bool is_ours(int fd, size_t *ret_len)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != 0 ||
	    (st.st_mode & (S_IWGRP | S_IWOTH)) != 0 || st.st_size <= 0 || st.st_size > KEPT_MAX)
		return false;
	*ret_len = (size_t)st.st_size;
	return true;
}

bool needskeep_find(const char *const *programs, size_t n, struct needed_list *ret)
{
	own_fd dir = open_place(), fd = -1;
	struct kept_needs kept;
	char name[NAME_MAX];
	bool found = false;
	const char *bytes;
	size_t len;

	if (dir < 0 || !choose_name(programs, n, name, sizeof(name)))
		return false;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || !is_ours(fd, &len))
		return false;
	/* Nobody writes to one that has its name. */
	bytes = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (bytes == MAP_FAILED)
		return false;
	if (needskeep_read(bytes, len, programs, n, &kept, ret)) {
		found = all_is_as_it_was(&kept);
		if (!found)
			needed_list_done(ret);
	}
	(void)munmap((void *)(uintptr_t)bytes, len);
	return found;
}

/* Writing. */

/* ret: its place among the texts. */
static int put_text(struct buf *texts, const char *text, uint32_t *ret, struct error *err)
{
	*ret = (uint32_t)texts->len;
	return buf_add(texts, text, strlen(text) + 1, err);
}

static int put_sights(const struct witness *seen, struct buf *rows, struct buf *texts,
		      struct error *err)
{
	for (size_t i = 0; i < seen->n; i++) {
		struct kept_sight row = {.mark = seen->sights[i].mark};

		if (put_text(texts, seen->sights[i].path, &row.path, err) < 0 ||
		    buf_add(rows, &row, sizeof(row), err) < 0)
			return -1;
	}
	return 0;
}

static int put_items(const struct needed_list *list, struct buf *rows, struct buf *texts,
		     struct error *err)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct needed *item = &list->items[i];
		struct kept_item row = {.directory = item->directory, .execute = item->execute};

		if (put_text(texts, item->source, &row.source, err) < 0 ||
		    put_text(texts, item->inside, &row.inside, err) < 0 ||
		    buf_add(rows, &row, sizeof(row), err) < 0)
			return -1;
	}
	return 0;
}

static int write_down(const char *const *programs, size_t n, const struct witness *seen,
		      const struct needed_list *list, struct buf *ret, struct error *err)
{
	struct kept_head head = {
		.n_programs = (uint32_t)n,
		.n_sights = (uint32_t)seen->n,
		.n_items = (uint32_t)list->n,
		.has_interpreter = list->has_interpreter,
	};
	own(buf) rows = {.limit = KEPT_MAX}, texts = {.limit = KEPT_MAX};
	uint32_t ignored;

	memcpy(head.magic, magic, sizeof(magic));
	for (size_t i = 0; i < n; i++)
		if (put_text(&texts, programs[i], &ignored, err) < 0)
			return -1;
	if (put_sights(seen, &rows, &texts, err) < 0 || put_items(list, &rows, &texts, err) < 0)
		return -1;
	head.n_texts = (uint32_t)texts.len;
	if (buf_add(ret, &head, sizeof(head), err) < 0 ||
	    buf_add(ret, rows.data, rows.len, err) < 0 ||
	    buf_add(ret, texts.data, texts.len, err) < 0)
		return -1;
	return rows.cut || texts.cut || ret->cut
		       ? fail(err, ERR_SYSTEM, "it is more than %d bytes", KEPT_MAX)
		       : 0;
}

/* Whoever makes up lists by the hundred pays for each. */
static void sweep(int place, const char *but)
{
	int copy = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *all = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;
	int n = 0;

	if (!all) {
		own_fd_end(&copy);
		return;
	}
	while ((entry = readdir(all)) != NULL)
		n += strncmp(entry->d_name, prefix, sizeof(prefix) - 1) == 0;
	rewinddir(all);
	while (n > FILES_MAX && (entry = readdir(all)) != NULL)
		if (strncmp(entry->d_name, prefix, sizeof(prefix) - 1) == 0 &&
		    strcmp(entry->d_name, but) != 0)
			(void)unlinkat(place, entry->d_name, 0);
	(void)closedir(all);
}

/* It has no name until it is whole, and goes by itself if we are killed. */
static int put_file(int place, const char *name, const struct buf *content, struct error *err)
{
	own_fd fd = openat(place, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	char link[40];

	if (fd < 0 || fd_write_all(fd, content->data, content->len, err) < 0)
		return -1;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (unlinkat(place, name, 0) < 0 && errno != ENOENT)
		return -1;
	/* Another one was quicker: that is as good. */
	return linkat(AT_FDCWD, link, place, name, AT_SYMLINK_FOLLOW);
}

void needskeep_put(const char *const *programs, size_t n, struct witness *seen,
		   const struct needed_list *list)
{
	own(buf) content = {.limit = KEPT_MAX};
	own_fd place = open_place();
	struct error ignored = {0};
	char name[NAME_MAX];

	if (place < 0 || !choose_name(programs, n, name, sizeof(name)))
		return;
	/* A box opens them by their real names, which a changed link may leave behind. */
	for (size_t i = 0; i < list->n; i++) {
		own_fd fd = open(list->items[i].source, O_PATH | O_CLOEXEC);

		if (fd < 0)
			return;
		witness_note(seen, list->items[i].source, fd);
	}
	if (!witness_will_do(seen) || write_down(programs, n, seen, list, &content, &ignored) < 0 ||
	    put_file(place, name, &content, &ignored) < 0)
		return;
	sweep(place, name);
}
