/* SPDX-License-Identifier: Apache-2.0 */
/* copy_files.c - what the process has open, so that the other side can open the same. */
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/stat.h>

#include "warm/copy_calls.h"
#include "warm/copy_work.h"

enum { PATH_ROOM = 4096 };

/* As the kernel fills it in. */
struct entry {
	uint64_t inode;
	int64_t next;
	uint16_t len;
	uint8_t type;
	char name[];
};

static long number_of(const char *name)
{
	long n = 0;

	if (*name < '0' || *name > '9')
		return -1;
	while (*name >= '0' && *name <= '9')
		n = n * 10 + (*name++ - '0');
	return n;
}

static bool is_plain_device(const char *path)
{
	static const char names[][16] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
					 "/dev/urandom"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (copy_same(path, names[i]))
			return true;
	return false;
}

/* Can it be opened again by this name? */
static bool check_file(struct copy_work *w, long fd, const char *path)
{
	struct statx st;
	unsigned type;

	if (CALL5(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) != 0)
		return copy_refuse_number(w, "a descriptor that says nothing of itself", fd);
	type = st.stx_mode & S_IFMT;
	if (path[0] == '/' && !copy_ends(path, " (deleted)") &&
	    (type == S_IFREG || type == S_IFDIR || is_plain_device(path)))
		return true;
	if (path[0] == '/' && type == S_IFREG)
		return copy_refuse(w, "an open file that has no name any more", path);
	return copy_refuse(w, "an open socket, pipe or device", path);
}

static bool take_file(struct copy_work *w, long dir, const char *name)
{
	struct copy_file *f = &w->files[w->head.n_files];
	long fd = number_of(name), n;
	char path[PATH_ROOM];

	if (fd <= 2 || fd == dir || fd == w->stream || fd == w->also)
		return true;
	n = CALL4(SYS_readlinkat, dir, name, path, sizeof(path));
	if (copy_failed(n) || n >= (long)sizeof(path))
		return copy_refuse_number(w, "a descriptor that says nothing of itself", fd);
	path[n] = '\0';
	if (!check_file(w, fd, path))
		return false;
	if (w->head.n_files == COPY_FILES_MAX)
		return copy_refuse(w, "too many open files", NULL);
	n = CALL3(SYS_lseek, fd, 0, SEEK_CUR);
	*f = (struct copy_file){
		.fd = (uint32_t)fd,
		.flags = (uint32_t)CALL3(SYS_fcntl, fd, F_GETFL, 0),
		.offset = copy_failed(n) ? 0 : (uint64_t)n,
		.closes = (uint32_t)CALL3(SYS_fcntl, fd, F_GETFD, 0) & FD_CLOEXEC,
		.path = copy_text(w, path),
	};
	w->head.n_files++;
	return f->path != 0;
}

static bool take_open(struct copy_work *w)
{
	long dir =
		CALL4(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	long n = 0;
	bool fine = true;

	if (copy_failed(dir))
		return copy_refuse(w, "/proc/self/fd cannot be opened", NULL);
	while (fine && (n = CALL3(SYS_getdents64, dir, w->list, COPY_LIST_MAX)) > 0)
		for (long at = 0; fine && at < n;) {
			const struct entry *e = (const struct entry *)(const void *)(w->list + at);

			fine = take_file(w, dir, e->name);
			at += e->len;
		}
	(void)CALL1(SYS_close, dir);
	if (fine && copy_failed(n))
		return copy_refuse(w, "/proc/self/fd cannot be read", NULL);
	return fine;
}

bool copy_take_files(struct copy_work *w)
{
	char path[PATH_ROOM];
	long n = CALL2(SYS_getcwd, path, sizeof(path));

	if (copy_failed(n) || path[0] != '/')
		return copy_refuse(w, "its working directory has no name", NULL);
	w->head.cwd = copy_text(w, path);
	w->head.umask = (uint32_t)CALL1(SYS_umask, 0);
	(void)CALL1(SYS_umask, w->head.umask);
	return w->head.cwd != 0 && take_open(w);
}

void copy_reopen(int there)
{
	long null;

	(void)CALL3(SYS_dup3, 0, there, O_CLOEXEC);
	null = CALL4(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC, 0);
	if (copy_failed(null))
		return;
	(void)CALL3(SYS_dup3, null, 0, 0);
	(void)CALL1(SYS_close, null);
}
