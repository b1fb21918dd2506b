/* SPDX-License-Identifier: Apache-2.0 */
/* blob.c - bodies by their hash, beside the log. */
#include "audit/blob.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "audit/smallfile.h"
#include "base/fd.h"
#include "base/own.h"

enum { NAME = HASH_HEX + 1, BODY_MAX = 1 << 30 };

static const char *const mode_names[] = {
	[BLOB_NONE] = "none",
	[BLOB_HASHES] = "hashes",
	[BLOB_BODIES] = "bodies",
};
static_assert(ARRAY_LEN(mode_names) == BLOB_MODE_COUNT, "one name per mode");

const char *blob_mode_name(enum blob_mode mode)
{
	return mode < BLOB_MODE_COUNT ? mode_names[mode] : mode_names[BLOB_NONE];
}

int blob_mode_by_name(const char *name)
{
	for (int i = 0; i < BLOB_MODE_COUNT; i++)
		if (strcmp(name, mode_names[i]) == 0)
			return i;
	return -1;
}

int blobs_open(struct blobs *ret, int dir, struct error *err)
{
	if (mkdirat(dir, "blob", 0700) < 0 && errno != EEXIST)
		return fail_sys(err, "make the directory blob");
	ret->dir = openat(dir, "blob", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return ret->dir < 0 ? fail_sys(err, "open the directory blob") : 0;
}

void blobs_close(struct blobs *b)
{
	if (b->dir >= 0)
		(void)close(b->dir);
	b->dir = -1;
}

/* "ab/cdef..." */
static void name_of(const struct hash *h, char ret_name[static NAME])
{
	char hex[HASH_HEX];

	hash_hex(h, hex);
	(void)snprintf(ret_name, NAME, "%.2s/%.62s", hex, hex + 2);
}

int blob_put(struct blobs *b, const void *data, size_t len, struct hash *ret, struct error *err)
{
	char name[NAME], parent[3];
	struct stat st;

	if (len > BODY_MAX)
		return fail(err, ERR_CALLER, "a body of more than %d bytes", BODY_MAX);
	hash_bytes(data, len, ret);
	name_of(ret, name);
	/* One of another size is what a loss of power left: it is written again. */
	if (fstatat(b->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	    (uint64_t)st.st_size == len)
		return utimensat(b->dir, name, NULL, AT_SYMLINK_NOFOLLOW) < 0
			       ? fail_sys(err, "touch a body")
			       : 0;
	(void)snprintf(parent, sizeof(parent), "%.2s", name);
	if (mkdirat(b->dir, parent, 0700) < 0 && errno != EEXIST)
		return fail_sys(err, "make a directory for bodies");
	return smallfile_put(b->dir, name, data, len, SMALLFILE_SHARED | SMALLFILE_DURABLE, err);
}

int blob_get(const struct blobs *b, const struct hash *h, struct buf *ret, struct error *err)
{
	char name[NAME], chunk[16384];
	struct hash found;
	own_fd fd = -1;
	ssize_t n;

	name_of(h, name);
	fd = openat(b->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return fail(err, ERR_NOT_FOUND, "the body is not kept (any more)");
	if (fd < 0)
		return fail_sys(err, "open a body");
	ret->len = 0;
	ret->cut = false;
	while ((n = fd_read_all(fd, chunk, sizeof(chunk), err)) > 0)
		if (buf_add(ret, chunk, (size_t)n, err) < 0)
			return -1;
	if (n < 0)
		return -1;
	if (ret->cut)
		return fail(err, ERR_CALLER, "the body is larger than %zu bytes", ret->limit);
	hash_bytes(buf_str(ret), ret->len, &found);
	return hash_equal(&found, h) ? 0 : fail(err, ERR_CONFIG, "the body was changed");
}

struct sweep {
	int64_t before;
	uint64_t dropped, bytes;
};

static int sweep_one(int dir, const char *name, struct sweep *s, struct error *err)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_mtim.tv_sec >= s->before)
		return 0;
	if (unlinkat(dir, name, 0) < 0 && errno != ENOENT)
		return fail_sys(err, "drop a body");
	s->dropped++;
	s->bytes += (uint64_t)st.st_size;
	return 0;
}

static int sweep_directory(int parent, const char *name, struct sweep *s, struct error *err)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), ret = 0;
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!list && fd >= 0)
		(void)close(fd);
	if (!list)
		return errno == ENOENT ? 0 : fail_sys(err, "list the bodies");
	while (ret == 0 && (entry = readdir(list)))
		if (entry->d_name[0] != '.')
			ret = sweep_one(fd, entry->d_name, s, err);
	(void)closedir(list);
	return ret;
}

int blob_expire(struct blobs *b, int64_t before, uint64_t *ret_dropped, uint64_t *ret_bytes,
		struct error *err)
{
	struct sweep s = {.before = before};
	char name[3];

	for (unsigned i = 0; i < 256; i++) {
		(void)snprintf(name, sizeof(name), "%02x", i);
		if (sweep_directory(b->dir, name, &s, err) < 0)
			return -1;
	}
	*ret_dropped = s.dropped;
	*ret_bytes = s.bytes;
	return 0;
}
