/* SPDX-License-Identifier: Apache-2.0 */
/* outdir.c - the host directory that files of a box are copied to. */
#include "sandbox/native/outdir.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "sandbox/native/beneath.h"

void artifact_refuse(struct artifact *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(a->refused, sizeof(a->refused), fmt, ap);
	va_end(ap);
}

int outdir_open(const char *dir, struct trustdir *ret, struct error *err)
{
	return trustdir_find(dir, ret, err) < 0 ? fail_in(err, "make the directory") : 0;
}

/* One part of a name as the host sees it: no control characters, and never another file's. */
static bool escape_part(const char *part, size_t len, char *ret_name)
{
	char escaped[4 * NAME_MAX + 6];
	size_t n;

	if (len > NAME_MAX)
		return false;
	text_escape(part, len, escaped, sizeof(escaped));
	n = strlen(escaped);
	if (n > NAME_MAX)
		return false;
	memcpy(ret_name, escaped, n + 1);
	return true;
}

static int enter(int dir, const char *name, struct artifact *a, struct error *err)
{
	int fd;

	if (mkdirat(dir, name, 0777) < 0 && errno != EEXIST)
		return fail_sys(err, "make the directory '%s'", name);
	fd = beneath_open_any_mount(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0 && errno != ELOOP && errno != ENOTDIR)
		return fail_sys(err, "open the directory '%s'", name);
	if (fd < 0)
		artifact_refuse(a, "one of its directories is a link or a file in the target");
	return fd;
}

/* Moves file->dir down to the directory that the name lies in.  Stops early on refusal. */
static int descend(struct artifact *a, struct outfile *file, struct error *err)
{
	const char *part = a->name;

	for (;;) {
		const char *end = strchrnul(part, '/');
		int next;

		if (!escape_part(part, (size_t)(end - part), file->name)) {
			artifact_refuse(a, "a part of its escaped name is longer than 255 bytes");
			return 0;
		}
		if (!*end)
			return 0;
		next = enter(file->dir, file->name, a, err);
		if (next < 0)
			return a->refused[0] ? 0 : -1;
		(void)close(file->dir);
		file->dir = next;
		part = end + 1;
	}
}

static int make_temporary(struct outfile *file, struct error *err)
{
	uint64_t noise = 0;

	/* Not secret, only unlikely: O_EXCL settles the rest. */
	(void)!getrandom(&noise, sizeof(noise), GRND_NONBLOCK);
	(void)snprintf(file->temporary, sizeof(file->temporary), ".belljar-%016" PRIx64, noise);
	file->fd = openat(file->dir, file->temporary,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file->fd >= 0)
		return 0;
	file->temporary[0] = '\0';
	return fail_sys(err, "make a file for '%s'", file->name);
}

int outdir_begin(struct trustdir *outdir, struct artifact *a, struct outfile *ret,
		 struct error *err)
{
	own(outfile) file = {.dir = -1, .fd = -1};

	if (trustdir_make(outdir, err) < 0)
		return fail_in(err, "make the directory");
	file.dir = beneath_open_any_mount(outdir->fd, ".", O_RDONLY | O_DIRECTORY, 0);
	if (file.dir < 0)
		return fail_sys(err, "open the target directory");
	if (descend(a, &file, err) < 0)
		return -1;
	if (!a->refused[0] && make_temporary(&file, err) < 0)
		return -1;
	*ret = file;
	file = (struct outfile){.dir = -1, .fd = -1};
	return 0;
}

/* Is there something of that name that must not be replaced? */
static bool name_is_taken(const struct outfile *file)
{
	struct stat st;

	return fstatat(file->dir, file->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       !S_ISREG(st.st_mode);
}

int outdir_commit(struct outfile *file, mode_t mode, struct artifact *a, struct error *err)
{
	if (fchmod(file->fd, mode) < 0)
		return fail_sys(err, "set the mode of '%s'", file->name);
	if (name_is_taken(file)) {
		artifact_refuse(a, "the target has a link, directory or device of that name");
		return 0;
	}
	if (renameat(file->dir, file->temporary, file->dir, file->name) < 0)
		return fail_sys(err, "name the file '%s'", file->name);
	file->temporary[0] = '\0';
	return 0;
}

void outfile_end(struct outfile *file)
{
	if (file->temporary[0])
		(void)unlinkat(file->dir, file->temporary, 0);
	own_fd_end(&file->fd);
	own_fd_end(&file->dir);
}
