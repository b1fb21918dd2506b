/* SPDX-License-Identifier: Apache-2.0 */
/* copyin.c - puts files into a box's /work before the program starts.
 *
 * /work is empty then, but for what was put there already and what the caller granted with mounts,
 * which may hold anything: every step is beneath a descriptor and through no link.
 */
#include "sandbox/native/copyin.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"
#include "sandbox/native/beneath.h"

enum { SHOWN = 200 }; /* a name as an error message shows it */

struct target {
	int work;
	const char *inside;
	uid_t uid;
	gid_t gid;
	char shown[SHOWN];
};

static void target_init(struct target *t, int work, const char *inside, uid_t uid, gid_t gid)
{
	*t = (struct target){.work = work, .inside = inside, .uid = uid, .gid = gid};
	text_escape(inside, strnlen(inside, COPYIN_PATH_MAX), t->shown, sizeof(t->shown));
}

static const char *judge_part(const char *part, size_t len)
{
	if (len == 0)
		return "it is absolute or has an empty part";
	if (len > NAME_MAX)
		return "a part of it is longer than 255 bytes";
	if ((len == 1 && part[0] == '.') || (len == 2 && memcmp(part, "..", 2) == 0))
		return "it has a part '.' or '..'";
	return NULL;
}

static const char *judge_path(const char *inside)
{
	const char *part = inside, *wrong;
	int depth = 0;

	if (strnlen(inside, COPYIN_PATH_MAX) == COPYIN_PATH_MAX)
		return "it is longer than 1023 bytes";
	for (;;) {
		const char *end = strchrnul(part, '/');

		wrong = judge_part(part, (size_t)(end - part));
		if (wrong || !*end)
			return wrong;
		if (++depth > COPYIN_DEPTH_MAX)
			return "it is more than 32 directories deep";
		part = end + 1;
	}
}
static_assert(COPYIN_PATH_MAX == 1024 && COPYIN_DEPTH_MAX == 32, "judge_path() says so in words");

int copyin_check_path(const char *inside, struct error *err)
{
	const char *wrong = judge_path(inside);
	char shown[SHOWN];

	if (!wrong)
		return 0;
	text_escape(inside, strnlen(inside, COPYIN_PATH_MAX), shown, sizeof(shown));
	return fail(err, ERR_CALLER, "'%s' is not a name beneath /work: %s", shown, wrong);
}

/* Reads errno: the box's tmpfs is full of bytes or full of files, and the caller can raise either.
 */
static int fail_full(const struct target *t, const char *doing, struct error *err)
{
	struct statfs fs;

	if (errno == EEXIST)
		return fail(err, ERR_CALLER, "%s '%s' in the box: it is there already", doing,
			    t->shown);
	if (errno != ENOSPC)
		return fail_sys(err, "%s '%s' in the box", doing, t->shown);
	if (fstatfs(t->work, &fs) == 0 && fs.f_files > 0 && fs.f_ffree == 0)
		return fail(err, ERR_CALLER,
			    "%s '%s' in the box: no more files fit, raise --inodes", doing,
			    t->shown);
	return fail(err, ERR_CALLER, "%s '%s' in the box: it is full, raise --disk", doing,
		    t->shown);
}

/* Files made by the box's user (or with its file system ids) are its own already. */
static int give_away(const struct target *t, int fd, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_uid == t->uid && st.st_gid == t->gid)
		return 0;
	if (fchown(fd, t->uid, t->gid) < 0)
		return fail_sys(err, "give '%s' to the box's user", t->shown);
	return 0;
}

/* Opens the directory name in dir; a new one belongs to the box's user. */
static int enter_directory(const struct target *t, int dir, const char *name, struct error *err)
{
	bool made = mkdirat(dir, name, 0755) == 0;
	own_fd fd = -1;

	if (!made && errno != EEXIST)
		return fail_full(t, "make the directories of", err);
	fd = beneath_open(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0 && errno == EXDEV)
		return fail(err, ERR_CALLER, "put '%s' in the box: a granted path is in the way",
			    t->shown);
	if (fd < 0)
		return fail_sys(err, "open the directories of '%s' in the box", t->shown);
	if (made && fchmod(fd, 0755) < 0)
		return fail_sys(err, "set the mode of the directories of '%s'", t->shown);
	if (made && give_away(t, fd, err) < 0)
		return -1;
	return take_fd(&fd);
}

/* The directory that will hold the file; *ret_name points at the last part of inside. */
static int enter_parents(const struct target *t, const char **ret_name, struct error *err)
{
	own_fd dir = beneath_open(t->work, ".", O_RDONLY | O_DIRECTORY, 0);
	const char *part = t->inside, *slash;
	char name[NAME_MAX + 1];

	if (dir < 0)
		return fail_sys(err, "open /work of the box");
	for (; (slash = strchr(part, '/')); part = slash + 1) {
		int next;

		memcpy(name, part, (size_t)(slash - part));
		name[slash - part] = '\0';
		next = enter_directory(t, dir, name, err);
		if (next < 0)
			return -1;
		(void)close(dir);
		dir = next;
	}
	*ret_name = part;
	return take_fd(&dir);
}

/* What is to be written: an open file, or bytes. */
struct content {
	int source; /* -1: the bytes of text */
	struct copyin_text text;
};

static int write_piece(const struct target *t, int fd, const char *data, size_t len,
		       struct error *err)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_full(t, "write", err);
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* sendfile() copies without us for most files; what it will not or cannot finish (files of /proc,
 * odd file systems), the loop of reads does. */
static int write_source(const struct target *t, int fd, int source, struct error *err)
{
	char chunk[16384];
	ssize_t n;

	do
		n = sendfile(fd, source, NULL, 1 << 20);
	while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0 && errno != EINVAL && errno != ENOSYS)
		return fail_full(t, "write", err);
	for (;;) {
		n = read(source, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_sys(err, "read the source of '%s'", t->shown);
		if (n == 0)
			return 0;
		if (write_piece(t, fd, chunk, (size_t)n, err) < 0)
			return -1;
	}
}

static int fill(const struct target *t, int fd, const struct content *c, struct error *err)
{
	int result = c->source >= 0 ? write_source(t, fd, c->source, err)
				    : write_piece(t, fd, c->text.data, c->text.len, err);

	if (result < 0)
		return -1;
	/* The umask is the caller's business on the host, not in the box. */
	if (fchmod(fd, c->text.mode & 0777) < 0)
		return fail_sys(err, "set the mode of '%s'", t->shown);
	return give_away(t, fd, err); /* last: afterwards it is not ours to change */
}

static int put(const struct target *t, const struct content *c, struct error *err)
{
	own_fd dir = -1, fd = -1;
	const char *name = t->inside;

	if (copyin_check_path(t->inside, err) < 0)
		return -1;
	dir = enter_parents(t, &name, err);
	if (dir < 0)
		return -1;
	fd = beneath_open(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (fd < 0)
		return fail_full(t, "make", err);
	if (fill(t, fd, c, err) == 0)
		return 0;
	(void)unlinkat(dir, name, 0); /* half a file is worse than none */
	return -1;
}

static const char *kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a FIFO";
	case S_IFSOCK:
		return "a socket";
	case S_IFCHR:
	case S_IFBLK:
		return "a device";
	case S_IFLNK:
		return "a symbolic link";
	}
	return "no file";
}

int copyin_file(int work, const char *inside, int source, uid_t uid, gid_t gid, struct error *err)
{
	struct content content = {.source = source};
	struct target t;
	struct stat st;

	target_init(&t, work, inside, uid, gid);
	if (fstat(source, &st) < 0)
		return fail_sys(err, "look at the source of '%s'", t.shown);
	if (!S_ISREG(st.st_mode))
		return fail(err, ERR_CALLER,
			    "the source of '%s' is %s: only regular files can be put in the box",
			    t.shown, kind_of(st.st_mode));
	content.text.mode = st.st_mode & S_IXUSR ? 0755 : 0644;
	return put(&t, &content, err);
}

int copyin_bytes(int work, const char *inside, const struct copyin_text *text, uid_t uid, gid_t gid,
		 struct error *err)
{
	struct content content = {.source = -1, .text = *text};
	struct target t;

	target_init(&t, work, inside, uid, gid);
	return put(&t, &content, err);
}
