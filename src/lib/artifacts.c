/* SPDX-License-Identifier: Apache-2.0 */
/* artifacts.c - files of a box that travel as bytes, in descriptors that cannot change. */
#include "lib/artifacts.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/copyout.h"

enum { SEALS = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL };

int artifacts_path(char ret[KEPT_PATH_MAX], const char *path, struct error *err)
{
	size_t len = strnlen(path, KEPT_PATH_MAX);

	if (len == 0 || len == KEPT_PATH_MAX)
		return fail(err, ERR_CALLER, "a name in the box has from 1 to %d bytes",
			    KEPT_PATH_MAX - 1);
	memcpy(ret, path, len + 1);
	return 0;
}

static int new_memfd(struct error *err)
{
	int fd = memfd_create("belljar-files", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	return fd < 0 ? fail_sys(err, "memory for files") : fd;
}

static int seal(int *fd, struct error *err)
{
	if (fcntl(*fd, F_ADD_SEALS, SEALS) < 0 || lseek(*fd, 0, SEEK_SET) < 0)
		return fail_sys(err, "seal memory for files");
	return take_fd(fd);
}

int artifacts_pack(const void *data, size_t len, struct error *err)
{
	own_fd fd = new_memfd(err);

	if (fd < 0 || fd_write_all(fd, data, len, err) < 0)
		return -1;
	return seal(&fd, err);
}

int artifacts_bytes(const struct put *put, int source, struct error *err)
{
	own_fd fd = -1;
	char chunk[16384];
	uint64_t all = 0;

	if (source < 0)
		return artifacts_pack(put->data, put->len, err);
	fd = new_memfd(err);
	if (fd < 0)
		return -1;
	for (;;) {
		ssize_t n = fd_read_all(source, chunk, sizeof(chunk), err);

		if (n < 0 || fd_write_all(fd, chunk, (size_t)n, err) < 0)
			return -1;
		if (n == 0)
			return seal(&fd, err);
		all += (uint64_t)n;
		if (all > KEPT_PUT_MAX)
			return fail(err, ERR_CALLER, "'%.200s' is larger than %d MiB", put->inside,
				    KEPT_PUT_MAX >> 20);
	}
}

int artifacts_list(const struct account *account, struct error *err)
{
	own_fd fd = new_memfd(err);

	if (fd < 0)
		return -1;
	for (size_t i = 0; i < account->n_artifacts; i++) {
		const struct artifact *a = &account->artifacts[i];
		struct talk_artifact row = {.size = a->size, .at = a->at};

		row.name_len = (uint32_t)strlen(a->name);
		memcpy(row.sha256, a->sha256, sizeof(row.sha256));
		memcpy(row.refused, a->refused, sizeof(row.refused));
		if (fd_write_all(fd, &row, sizeof(row), err) < 0 ||
		    fd_write_all(fd, a->name, row.name_len, err) < 0)
			return -1;
	}
	return seal(&fd, err);
}

/* One row of the list, checked. */
static int take_row(int list, struct artifact *a, struct error *err)
{
	struct talk_artifact row;
	ssize_t n = fd_read_all(list, &row, sizeof(row), err);

	if (n != (ssize_t)sizeof(row) || row.name_len == 0 || row.name_len >= PATH_MAX)
		return fail(err, ERR_INTERNAL, "the list of files is broken");
	*a = (struct artifact){.size = row.size, .at = row.at};
	memcpy(a->sha256, row.sha256, sizeof(a->sha256));
	memcpy(a->refused, row.refused, sizeof(a->refused));
	a->sha256[sizeof(a->sha256) - 1] = a->refused[sizeof(a->refused) - 1] = '\0';
	a->name = calloc(1, row.name_len + 1);
	if (!a->name)
		return fail_sys(err, "keep a file name");
	n = fd_read_all(list, a->name, row.name_len, err);
	if (n != (ssize_t)row.name_len || strlen(a->name) != row.name_len) {
		free(a->name);
		return fail(err, ERR_INTERNAL, "the list of files is broken");
	}
	return 0;
}

static void drop(struct artifact *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].name);
		free(list[i].content);
	}
	free(list);
}

static int take_all(const int fds[SAY_FDS], uint32_t count, uint64_t most, struct artifact *ret,
		    size_t *ret_n)
{
	struct error err;
	uint64_t sum = 0;
	struct stat st;

	if (fds[SAY_LIST] < 0 || fds[SAY_BYTES] < 0 || fstat(fds[SAY_BYTES], &st) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		struct artifact *a = &ret[i];

		if (take_row(fds[SAY_LIST], a, &err) < 0)
			return -1;
		*ret_n = i + 1;
		if (a->refused[0])
			continue;
		if (a->size > most - sum)
			return -1;
		sum += a->size;
		if (copyout_load(fds[SAY_BYTES], (uint64_t)st.st_size, a, &err) < 0)
			return -1;
	}
	return 0;
}

int artifacts_take(const int fds[SAY_FDS], uint32_t count, const struct get_caps *caps,
		   struct account *account, struct error *err)
{
	size_t had = account->n_artifacts, n = 0;
	struct artifact *list, *more;

	/* One more than asked for: it says that the rest was left. */
	if (count > caps->files + 1)
		return fail(err, ERR_INTERNAL, "%u files came", count);
	list = calloc(count + 1, sizeof(*list));
	if (!list)
		return fail_sys(err, "keep an account of %u files", count);
	if (take_all(fds, count, caps->bytes, list, &n) < 0) {
		drop(list, n);
		return fail(err, ERR_INTERNAL, "the files that came do not add up");
	}
	/* Room for the next power of two: that is how the account grows elsewhere. */
	more = reallocarray(account->artifacts, 2 * (had + n) + 1, sizeof(*more));
	if (!more) {
		drop(list, n);
		return fail_sys(err, "keep an account of %zu files", had + n);
	}
	memcpy(more + had, list, n * sizeof(*list));
	account->artifacts = more;
	account->n_artifacts = had + n;
	free(list);
	return 0;
}
