/* SPDX-License-Identifier: Apache-2.0 */
/* pack.c - argv and environment as one run of bytes, to travel between processes.
 *
 * Two 32-bit counts, then that many NUL-terminated words and nothing behind.
 */
#include "call/pack.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/pages.h"

struct head {
	uint32_t argc;
	uint32_t envc;
};

void words_done(struct words *w)
{
	pages_free(w->block, w->block_size);
	*w = (struct words){0};
}

void words_end(struct words *w)
{
	words_done(w);
}

static int count_words(char *const *list, uint32_t *ret, struct error *err)
{
	uint32_t n = 0;

	for (; list[n]; n++)
		if (n >= PACK_WORDS_MAX)
			return fail(err, ERR_CALLER, "more than %d arguments or variables",
				    PACK_WORDS_MAX);
	*ret = n;
	return 0;
}

static int add_words(char *const *list, struct buf *out, struct error *err)
{
	for (size_t i = 0; list[i]; i++)
		if (buf_add(out, list[i], strlen(list[i]) + 1, err) < 0)
			return -1;
	return 0;
}

int pack_words(char *const *argv, char *const *env, struct buf *out, struct error *err)
{
	struct head head;

	if (count_words(argv, &head.argc, err) < 0 || count_words(env, &head.envc, err) < 0)
		return -1;
	if (buf_add(out, &head, sizeof(head), err) < 0 || add_words(argv, out, err) < 0 ||
	    add_words(env, out, err) < 0)
		return -1;
	if (out->cut)
		return fail(err, ERR_CALLER, "arguments and environment exceed %d bytes",
			    PACK_BYTES_MAX);
	return 0;
}

/* Few words are put together on the stack: a heap for them would cost more than they do. */
enum { FEW_BYTES = 2048 };

static bool add_few(char *const *list, char *room, size_t *len)
{
	for (size_t i = 0; list[i]; i++) {
		size_t n = strlen(list[i]) + 1;

		if (n > FEW_BYTES - *len)
			return false;
		memcpy(room + *len, list[i], n);
		*len += n;
	}
	return true;
}

/* Returns their length; 0: they are not few. */
static size_t pack_few(char *const *argv, char *const *env, char room[FEW_BYTES])
{
	struct head head = {0};
	size_t len = sizeof(head);

	if (!add_few(argv, room, &len) || !add_few(env, room, &len))
		return 0;
	while (argv[head.argc])
		head.argc++;
	while (env[head.envc])
		head.envc++;
	memcpy(room, &head, sizeof(head));
	return len;
}

static int write_many(int fd, char *const *argv, char *const *env, struct error *err)
{
	own(buf) packed;

	buf_init(&packed, PACK_BYTES_MAX);
	if (pack_words(argv, env, &packed, err) < 0)
		return -1;
	return fd_write_all(fd, packed.data, packed.len, err);
}

int pack_words_fd(char *const *argv, char *const *env, struct error *err)
{
	own_fd fd = memfd_create("belljar-words", MFD_CLOEXEC);
	char room[FEW_BYTES];
	size_t few = pack_few(argv, env, room);

	if (fd < 0)
		return fail_sys(err, "memfd for arguments");
	if ((few ? fd_write_all(fd, room, few, err) : write_many(fd, argv, env, err)) < 0)
		return -1;
	return take_fd(&fd);
}

/* Points n entries of list at the words from *at on. */
static int point_at_words(char **list, uint32_t n, char **at, const char *end)
{
	for (uint32_t i = 0; i < n; i++) {
		char *nul = memchr(*at, '\0', (size_t)(end - *at));

		if (!nul)
			return -1;
		list[i] = *at;
		*at = nul + 1;
	}
	list[n] = NULL;
	return 0;
}

int unpack_words(char *bytes, size_t len, struct words *ret, struct error *err)
{
	return unpack_words_into(NULL, 0, bytes, len, ret, err);
}

int unpack_words_into(char **lists, size_t room, char *bytes, size_t len, struct words *ret,
		      struct error *err)
{
	char *at = bytes + sizeof(struct head);
	struct words w = {0};
	struct head head;
	size_t n;

	if (len < sizeof(head))
		return fail(err, ERR_CALLER, "packed words: %zu bytes are too few", len);
	memcpy(&head, bytes, sizeof(head));
	if (head.argc == 0 || head.argc > PACK_WORDS_MAX || head.envc > PACK_WORDS_MAX)
		return fail(err, ERR_CALLER, "packed words: counts %u and %u are out of range",
			    head.argc, head.envc);
	n = (size_t)head.argc + head.envc + 2;
	if (n > room) {
		w.block_size = n * sizeof(char *);
		lists = w.block = pages_new(w.block_size);
		if (!lists)
			return fail_sys(err, "allocate %u words", head.argc + head.envc);
	}
	w.argv = lists;
	w.env = lists + head.argc + 1;
	if (point_at_words(w.argv, head.argc, &at, bytes + len) < 0 ||
	    point_at_words(w.env, head.envc, &at, bytes + len) < 0 || at != bytes + len) {
		words_done(&w);
		return fail(err, ERR_CALLER, "packed words: the words do not fill the bytes");
	}
	*ret = w;
	return 0;
}

int words_read(int fd, struct pages *ret_bytes, struct words *ret, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_size <= 0 || st.st_size > PACK_BYTES_MAX)
		return fail(err, ERR_INTERNAL, "packed words cannot be read");
	ret_bytes->size = (size_t)st.st_size;
	ret_bytes->room = pages_new(ret_bytes->size);
	if (!ret_bytes->room)
		return fail_sys(err, "allocate words");
	if (pread(fd, ret_bytes->room, ret_bytes->size, 0) != st.st_size)
		return fail_sys(err, "read words");
	return unpack_words(ret_bytes->room, ret_bytes->size, ret, err);
}

int words_read_few(int fd, struct few_words *room, struct pages *ret_more, struct words *ret,
		   struct error *err)
{
	ssize_t n = pread(fd, room->bytes, sizeof(room->bytes), 0);

	if (n < 0)
		return fail_sys(err, "read words");
	if ((size_t)n == sizeof(room->bytes))
		return words_read(fd, ret_more, ret, err);
	return unpack_words_into(room->lists, ARRAY_LEN(room->lists), room->bytes, (size_t)n, ret,
				 err);
}
