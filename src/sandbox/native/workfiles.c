/* SPDX-License-Identifier: Apache-2.0 */
/* workfiles.c - files beneath /work of a box that lives, and whose programs may be after us.
 *
 * Every step is beneath a descriptor, through no link and onto no other mount;
 * nothing is opened so that it could block; what was opened is looked at again;
 * bytes are counted while they are read.  Who changes the tree meanwhile gets a
 * refusal, or another of its own files.
 */
#include "sandbox/native/workfiles.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"
#include "sandbox/native/beneath.h"

enum { SHOWN = 200, NAME_ROOM = 256 };

static const struct {
	int number;
	enum error_kind kind;
	const char *text;
} reasons[] = {
	{ENOENT, ERR_NOT_FOUND, "there is no such file"},
	{ENOTDIR, ERR_NOT_FOUND, "a part of it is no directory"},
	{ELOOP, ERR_REFUSED, "a symbolic link, and none is followed"},
	{EXDEV, ERR_REFUSED, "it lies on another mount"},
	{EBUSY, ERR_REFUSED, "it lies on another mount"},
	{EACCES, ERR_REFUSED, "the box's user may not"},
	{EPERM, ERR_REFUSED, "the box's user may not"},
	{EISDIR, ERR_REFUSED, "it is a directory"},
	{EEXIST, ERR_REFUSED, "it is there, and is no directory"},
	{ENOTEMPTY, ERR_REFUSED, "the directory is not empty"},
	{ENOSPC, ERR_REFUSED, "no room on the box's disk (limits: disk, inodes)"},
	{EFBIG, ERR_REFUSED, "too large"},
	{EAGAIN, ERR_REFUSED, "it changes while it is looked at"},
	{ENXIO, ERR_REFUSED, "not a regular file"},
	{ENODEV, ERR_REFUSED, "not a regular file"},
	{ENAMETOOLONG, ERR_CALLER, "a part of it is too long"},
};

/* Reads errno. */
static int fail_file(struct error *err, const char *doing, const char *path)
{
	char shown[SHOWN];
	int number = errno;

	text_escape(path, strnlen(path, KEPT_PATH_MAX), shown, sizeof(shown));
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (reasons[i].number == number)
			return fail(err, reasons[i].kind, "%s '%s': %s", doing, shown,
				    reasons[i].text);
	errno = number;
	return fail_sys(err, "%s '%s'", doing, shown);
}

static int refuse(struct error *err, const char *doing, const char *path, int number)
{
	errno = number;
	return fail_file(err, doing, path);
}

static bool is_root(const char *path)
{
	return strcmp(path, ".") == 0;
}

static int check(const char *path, bool root_too, struct error *err)
{
	return root_too && is_root(path) ? 0 : copyin_check_path(path, err);
}

/* Opens the directory name in dir; makes it if it is not there and that is wanted. */
static int enter(int dir, const char *name, bool make)
{
	/* No O_NOFOLLOW: a link is refused anyway, and this way it says so. */
	int fd = beneath_open(dir, name, O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0);

	if (fd >= 0 || errno != ENOENT || !make)
		return fd;
	if (mkdirat(dir, name, 0755) < 0 && errno != EEXIST)
		return -1;
	return beneath_open(dir, name, O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0);
}

/* The directory that holds path; ret_name: the last part of it.  -1 with errno. */
static int enter_parents(int work, const char *path, bool make, char ret_name[NAME_ROOM])
{
	own_fd dir = beneath_open(work, ".", O_RDONLY | O_DIRECTORY, 0);
	const char *part = path;

	while (dir >= 0) {
		const char *end = strchrnul(part, '/');
		size_t len = (size_t)(end - part);
		int next;

		if (len >= NAME_ROOM)
			return errno = ENAMETOOLONG, -1;
		memcpy(ret_name, part, len);
		ret_name[len] = '\0';
		if (!*end)
			return take_fd(&dir);
		next = enter(dir, ret_name, make);
		(void)close(dir);
		dir = next;
		part = end + 1;
	}
	return -1;
}

static int name_temporary(char *ret, size_t room, struct error *err)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return fail_sys(err, "getrandom");
	(void)snprintf(ret, room, ".put-%016" PRIx64, random);
	return 0;
}

/* What is there may be replaced if it is a regular file; a link is not followed, but not lost
 * either. */
static int judge_target(int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -1;
	if (S_ISREG(st.st_mode))
		return 0;
	errno = S_ISDIR(st.st_mode) ? EISDIR : S_ISLNK(st.st_mode) ? ELOOP : ENXIO;
	return -1;
}

static int write_file(int fd, const struct copyin_text *text, struct error *err)
{
	if (fd_write_all(fd, text->data, text->len, err) < 0)
		return -1;
	return fchmod(fd, text->mode & 0777) < 0 ? fail_sys(err, "set the mode") : 0;
}

int workfiles_put(int work, const char *path, const struct copyin_text *text, struct error *err)
{
	own_fd dir = -1, fd = -1;
	char name[NAME_ROOM], temporary[40];

	if (check(path, false, err) < 0 || name_temporary(temporary, sizeof(temporary), err) < 0)
		return -1;
	dir = enter_parents(work, path, true, name);
	if (dir < 0 || judge_target(dir, name) < 0)
		return fail_file(err, "put", path);
	fd = beneath_open(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK,
			  0600);
	if (fd < 0)
		return fail_file(err, "put", path);
	if (write_file(fd, text, err) < 0)
		errno = err->sys;
	else if (renameat(dir, temporary, dir, name) == 0)
		return 0;
	(void)fail_file(err, "put", path);
	(void)unlinkat(dir, temporary, 0);
	return -1;
}

/* Not even opened unless it is a regular file: a FIFO would notice. */
static int open_file(int work, const char *path, struct stat *ret_st)
{
	own_fd fd = beneath_open(work, path, O_PATH | O_NOFOLLOW, 0);

	if (fd < 0 || fstat(fd, ret_st) < 0)
		return -1;
	if (!S_ISREG(ret_st->st_mode)) {
		errno = S_ISDIR(ret_st->st_mode)   ? EISDIR
			: S_ISLNK(ret_st->st_mode) ? ELOOP
						   : ENXIO;
		return -1;
	}
	(void)close(fd);
	/* Does not wait for whoever has a lease on it. */
	fd = beneath_open(work, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY, 0);
	if (fd < 0 || fstat(fd, ret_st) < 0)
		return -1;
	if (!S_ISREG(ret_st->st_mode))
		return errno = EAGAIN, -1;
	return take_fd(&fd);
}

static int pour(int fd, const char *path, const struct workpiece *piece, struct error *err)
{
	uint64_t from = piece->from, most = piece->most;
	char chunk[16384];

	while (most > 0) {
		size_t some = most < sizeof(chunk) ? (size_t)most : sizeof(chunk);
		ssize_t n = pread(fd, chunk, some, (off_t)from);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_file(err, "get", path);
		if (n == 0)
			return 0;
		if (fd_write_all(piece->to, chunk, (size_t)n, err) < 0)
			return -1;
		from += (uint64_t)n;
		most -= (uint64_t)n;
	}
	return 0;
}

int workfiles_get(int work, const char *path, const struct workpiece *piece, uint64_t *ret_total,
		  struct error *err)
{
	own_fd fd = -1;
	struct stat st;

	if (check(path, false, err) < 0)
		return -1;
	if (piece->from > (uint64_t)INT64_MAX / 2 || piece->most > KEPT_PIECE_MAX)
		return fail(err, ERR_CALLER, "at most %d bytes are read at once", KEPT_PIECE_MAX);
	fd = open_file(work, path, &st);
	if (fd < 0)
		return fail_file(err, "get", path);
	if (pour(fd, path, piece, err) < 0)
		return -1;
	*ret_total = (uint64_t)st.st_size;
	return 0;
}

static void describe(const struct stat *st, const char *name, struct kept_entry *ret)
{
	size_t n = 0;

	*ret = (struct kept_entry){
		.mode = st->st_mode & 07777,
		.size = (uint64_t)st->st_size,
		.mtime_s = st->st_mtim.tv_sec,
		.type = '?',
	};
	if (S_ISREG(st->st_mode))
		ret->type = 'f';
	else if (S_ISDIR(st->st_mode))
		ret->type = 'd';
	else if (S_ISLNK(st->st_mode))
		ret->type = 'l';
	for (; name[n] && n + 1 < sizeof(ret->name); n++)
		ret->name[n] = (unsigned char)name[n] < 0x20 || name[n] == 0x7f ? '?' : name[n];
	ret->name[n] = '\0';
}

int workfiles_stat(int work, const char *path, struct kept_entry *ret, struct error *err)
{
	const char *slash = strrchr(path, '/');
	own_fd fd = -1;
	struct stat st;

	if (check(path, true, err) < 0)
		return -1;
	fd = beneath_open(work, path, O_PATH | O_NOFOLLOW, 0);
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail_file(err, "look at", path);
	describe(&st, slash ? slash + 1 : path, ret);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct kept_entry *)a)->name, ((const struct kept_entry *)b)->name);
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

int workfiles_list(int work, const char *path, struct worklist *list, struct error *err)
{
	const struct dirent *entry;
	struct stat st;
	DIR *dir;
	int fd;

	if (check(path, true, err) < 0)
		return -1;
	fd = beneath_open(work, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK, 0);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		(void)fail_file(err, "list", path);
		own_fd_end(&fd);
		return -1;
	}
	while ((entry = readdir(dir))) {
		if (is_dots(entry->d_name))
			continue;
		list->cut = list->n == list->room;
		if (list->cut)
			break;
		/* One that is gone again is not listed. */
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			describe(&st, entry->d_name, &list->entries[list->n++]);
	}
	(void)closedir(dir);
	qsort(list->entries, list->n, sizeof(*list->entries), by_name);
	return 0;
}

int workfiles_mkdir(int work, const char *path, struct error *err)
{
	own_fd dir = -1, made = -1;
	char name[NAME_ROOM];

	if (check(path, false, err) < 0)
		return -1;
	dir = enter_parents(work, path, true, name);
	made = dir < 0 ? -1 : enter(dir, name, true);
	if (made < 0)
		return errno == ENOTDIR && dir >= 0 ? refuse(err, "make", path, EEXIST)
						    : fail_file(err, "make", path);
	return 0;
}

/* A tree that is taken down: a stack of directories instead of recursion. */
enum { DEPTH_MAX = 64 };

struct felling {
	struct {
		DIR *dir;
		char name[NAME_ROOM]; /* in the directory above */
	} levels[DEPTH_MAX];
	size_t depth;
	size_t entries;
};

static void felling_end(struct felling *f)
{
	while (f->depth > 0)
		(void)closedir(f->levels[--f->depth].dir);
}

static int push(struct felling *f, int dir, const char *name)
{
	int fd;

	if (f->depth == DEPTH_MAX)
		return errno = ENAMETOOLONG, -1;
	fd = beneath_open(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK, 0);
	f->levels[f->depth].dir = fd < 0 ? NULL : fdopendir(fd);
	if (!f->levels[f->depth].dir) {
		own_fd_end(&fd);
		return -1;
	}
	(void)snprintf(f->levels[f->depth].name, NAME_ROOM, "%s", name);
	f->depth++;
	return 0;
}

/* One entry of the deepest directory, or that directory itself. */
static int fell_one(struct felling *f, int top)
{
	DIR *dir = f->levels[f->depth - 1].dir;
	const struct dirent *entry = readdir(dir);

	if (!entry) {
		(void)closedir(dir);
		f->depth--;
		return unlinkat(f->depth ? dirfd(f->levels[f->depth - 1].dir) : top,
				f->levels[f->depth].name, AT_REMOVEDIR);
	}
	if (is_dots(entry->d_name))
		return 0;
	if (++f->entries > KEPT_REMOVE_MAX)
		return errno = EAGAIN, -1;
	if (unlinkat(dirfd(dir), entry->d_name, 0) == 0 || errno == ENOENT)
		return 0;
	return errno == EISDIR ? push(f, dirfd(dir), entry->d_name) : -1;
}

static int fell(int dir, const char *name)
{
	struct felling *f = calloc(1, sizeof(*f));
	int result;

	if (!f)
		return -1;
	result = push(f, dir, name);
	while (result == 0 && f->depth > 0)
		result = fell_one(f, dir);
	if (result < 0) {
		int number = errno;

		felling_end(f);
		errno = number;
	}
	free(f);
	return result;
}

int workfiles_remove(int work, const char *path, bool recursive, struct error *err)
{
	own_fd dir = -1;
	char name[NAME_ROOM];
	int result;

	if (check(path, false, err) < 0)
		return -1;
	dir = enter_parents(work, path, false, name);
	if (dir < 0)
		return fail_file(err, "remove", path);
	result = unlinkat(dir, name, 0);
	if (result < 0 && errno == EISDIR)
		result = recursive ? fell(dir, name) : unlinkat(dir, name, AT_REMOVEDIR);
	return result < 0 ? fail_file(err, "remove", path) : 0;
}
