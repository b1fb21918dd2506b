/* SPDX-License-Identifier: Apache-2.0 */
/* treecopy.c - copies files and trees of the host into a new root, with plain rights.
 *
 * The new root holds links that mean something only once it is a root ("/usr/lib/x").  So no path
 * is ever resolved through a link there: parents are opened one by one without following any.
 */
#include "sandbox/native/treecopy.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/rootdir.h"

/* Opens a directory in dir, made if need be.  -1 with ENOTDIR or ELOOP: something else is there. */
static int open_or_make(struct treecopy *t, int dir, const char *name)
{
	int fd;

	if (mkdirat(dir, name, 0755) == 0)
		t->directories++;
	else if (errno != EEXIST)
		return -1;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		(void)fchmod(fd, 0755); /* whatever the umask is */
	return fd;
}

/* Opens the directory at inside.  1: opened.  0: a link or a file is in the way, and what is behind
 * it is somebody else's business. */
static int open_directory(struct treecopy *t, const char *inside, int *ret_fd, struct error *err)
{
	own_fd fd = fcntl(t->to, F_DUPFD_CLOEXEC, 3);
	const char *p = inside;

	if (fd < 0)
		return fail_sys(err, "open the new root");
	while (*(p += strspn(p, "/"))) {
		size_t len = strcspn(p, "/");
		char name[NAME_MAX + 1];
		int below;

		if (len > NAME_MAX)
			return fail(err, ERR_CALLER, "%s: a name is too long", inside);
		memcpy(name, p, len);
		name[len] = '\0';
		below = open_or_make(t, fd, name);
		if (below < 0 && (errno == ENOTDIR || errno == ELOOP))
			return 0;
		if (below < 0)
			return fail_sys(err, "make %s in the new root", inside);
		(void)close(fd);
		fd = below;
		p += len;
	}
	*ret_fd = take_fd(&fd);
	return 1;
}

/* The same for the parent of inside; *ret_name is its last component. */
static int open_parent(struct treecopy *t, const char *inside, int *ret_fd, const char **ret_name,
		       struct error *err)
{
	const char *slash = strrchr(inside, '/');
	own_str parent = NULL;

	assert(slash);
	parent = strndup(inside, (size_t)(slash - inside));
	if (!parent)
		return fail_sys(err, "keep a path");
	*ret_name = slash + 1;
	return open_directory(t, parent, ret_fd, err);
}

static int copy_by_hand(int from, int to, struct error *err)
{
	static char chunk[65536];
	ssize_t n;

	while ((n = read(from, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_sys(err, "read");
		if (fd_write_all(to, chunk, (size_t)n, err) < 0)
			return -1;
	}
	return 0;
}

static int copy_bytes(int from, int to, struct error *err)
{
	ssize_t n;

	while ((n = copy_file_range(from, NULL, to, NULL, 1 << 30, 0)) > 0)
		;
	if (n == 0)
		return 0;
	/* Not between these file systems, or not from this one: both stand where it stopped. */
	if (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP ||
	    errno == EPERM)
		return copy_by_hand(from, to, err);
	return fail_sys(err, "copy");
}

/* From one open file to a new one. */
static int copy_open(struct treecopy *t, int from, const struct stat *st, int dir, const char *name,
		     struct error *err)
{
	own_fd to = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct timespec times[2] = {st->st_mtim, st->st_mtim};
	struct stat copied;

	if (to < 0)
		return errno == EEXIST ? 0 : fail_sys(err, "create");
	if (copy_bytes(from, to, err) < 0)
		return -1;
	/* Python judges its compiled modules by the time of their source. */
	if (fchmod(to, st->st_mode & 0111 ? 0755 : 0644) < 0 || futimens(to, times) < 0 ||
	    fstat(to, &copied) < 0)
		return fail_sys(err, "finish");
	t->files++;
	t->bytes += (uint64_t)copied.st_size;
	return 0;
}

/* Copies the regular file at from_dir/from_name; anything else is skipped. */
static int copy_regular(struct treecopy *t, int from_dir, const char *from_name, int dir,
			const char *name, struct error *err)
{
	own_fd from = -1;
	struct stat st;

	if (t->look && t->look(t, t->context, err) < 0)
		return -1;
	if (fstatat(from_dir, from_name, &st, 0) < 0 || !S_ISREG(st.st_mode)) {
		t->skipped++;
		return 0;
	}
	from = openat(from_dir, from_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (from < 0 && (errno == EACCES || errno == ENOENT)) {
		t->skipped++;
		return 0;
	}
	if (from < 0 || fstat(from, &st) < 0)
		return fail_sys(err, "open %s", from_name);
	if (copy_open(t, from, &st, dir, name, err) < 0)
		return fail_in(err, "%s", from_name);
	return 0;
}

static int put_link(struct treecopy *t, const char *target, int dir, const char *name,
		    struct error *err)
{
	if (symlinkat(target, dir, name) < 0)
		return errno == EEXIST ? 0 : fail_sys(err, "link %s to %s", name, target);
	t->links++;
	return 0;
}

/* Does a link in directory inside lead to a place in /usr? */
static int leads_to_usr(const char *inside, const char *target, bool *ret, struct error *err)
{
	own_str joined = NULL;
	own_str plain = NULL;

	if (asprintf(&joined, "%s/%s", target[0] == '/' ? "" : inside, target) < 0)
		return fail(err, ERR_SYSTEM, "follow a link: out of memory");
	if (rootdir_inside(joined, &plain, err) < 0)
		return -1;
	*ret = strncmp(plain, "/usr/", 5) == 0;
	return 0;
}

/* A link within /usr stays a link.  One that leads elsewhere (to /etc, which the box makes up)
 * becomes a copy of the file that it leads to. */
static int copy_link(struct treecopy *t, int from_dir, const char *from_name, int dir,
		     const char *inside, struct error *err)
{
	const char *slash = strrchr(from_name, '/');
	const char *name = slash ? slash + 1 : from_name;
	char target[PATH_MAX];
	ssize_t n = readlinkat(from_dir, from_name, target, sizeof(target) - 1);
	bool usr = false;

	if (n <= 0) {
		t->skipped++;
		return 0;
	}
	target[n] = '\0';
	if (leads_to_usr(inside, target, &usr, err) < 0)
		return -1;
	if (usr)
		return put_link(t, target, dir, name, err);
	return copy_regular(t, from_dir, from_name, dir, name, err);
}

/* Directories that are still to be copied, as paths beneath the tree's top. */
struct backlog {
	char **dirs;
	size_t n;
};

static void backlog_end(struct backlog *b)
{
	while (b->n > 0)
		free(b->dirs[--b->n]);
	free(b->dirs);
}

static int push(struct backlog *b, const char *dir, const char *name, struct error *err)
{
	char **grown = realloc(b->dirs, (b->n + 1) * sizeof(*b->dirs));

	if (!grown)
		return fail_sys(err, "copy a tree");
	b->dirs = grown;
	if (asprintf(&b->dirs[b->n], "%s%s%s", dir, name[0] ? "/" : "", name) < 0)
		return fail(err, ERR_SYSTEM, "copy a tree: out of memory");
	b->n++;
	return 0;
}

/* The two ends of one directory's copy. */
struct ends {
	int from, to;
	const char *inside;
	const char *path; /* beneath the top */
};

static int copy_one(struct treecopy *t, const struct ends *ends, const char *name,
		    struct backlog *todo, struct error *err)
{
	struct stat st, top;

	if (fstatat(ends->from, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || fstat(t->to, &top) < 0) {
		t->skipped++;
		return 0;
	}
	if (S_ISLNK(st.st_mode))
		return copy_link(t, ends->from, name, ends->to, ends->inside, err);
	if (!S_ISDIR(st.st_mode))
		return copy_regular(t, ends->from, name, ends->to, name, err);
	if (st.st_dev == top.st_dev && st.st_ino == top.st_ino)
		return 0; /* the new root itself, made within what it is made from */
	return push(todo, ends->path, name, err);
}

static int copy_entries(struct treecopy *t, const struct ends *ends, struct backlog *todo,
			struct error *err)
{
	int fd = fcntl(ends->from, F_DUPFD_CLOEXEC, 3);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int result = 0;

	if (!list) {
		(void)fail_sys(err, "list %s", ends->inside);
		if (fd >= 0)
			(void)close(fd);
		return -1;
	}
	while (result == 0 && (entry = readdir(list)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			result = copy_one(t, ends, entry->d_name, todo, err);
	(void)closedir(list);
	return result;
}

static int copy_directory(struct treecopy *t, const char *source, const char *inside,
			  const char *path, struct backlog *todo, struct error *err)
{
	own_fd from = open(source, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), to = -1;
	struct ends ends = {.from = from, .inside = inside, .path = path};
	int there;

	if (from < 0 && errno == EACCES) {
		t->skipped++;
		return 0;
	}
	if (from < 0)
		return fail_sys(err, "open %s", source);
	there = open_directory(t, inside, &to, err);
	if (there <= 0)
		return there;
	ends.to = to;
	return copy_entries(t, &ends, todo, err);
}

int treecopy_tree(struct treecopy *t, const char *source, const char *inside, struct error *err)
{
	own(backlog) todo = {0};

	if (push(&todo, "", "", err) < 0)
		return -1;
	while (todo.n > 0) {
		own_str path = todo.dirs[--todo.n];
		own_str from = NULL;
		own_str to = NULL;

		if (asprintf(&from, "%s%s", source, path) < 0 ||
		    asprintf(&to, "%s%s", inside, path) < 0)
			return fail(err, ERR_SYSTEM, "copy a tree: out of memory");
		if (copy_directory(t, from, to, path, &todo, err) < 0)
			return fail_in(err, "copy %s", from);
	}
	return 0;
}

int treecopy_directory(struct treecopy *t, const char *inside, struct error *err)
{
	own_fd fd = -1;

	return open_directory(t, inside, &fd, err) < 0 ? -1 : 0;
}

int treecopy_file(struct treecopy *t, const char *source, const char *inside, struct error *err)
{
	own_fd dir = -1;
	const char *name;
	int there = open_parent(t, inside, &dir, &name, err);

	if (there <= 0)
		return there;
	if (copy_regular(t, AT_FDCWD, source, dir, name, err) < 0)
		return fail_in(err, "copy %s", source);
	return 0;
}

int treecopy_link(struct treecopy *t, const char *target, const char *inside, struct error *err)
{
	size_t same = 0;
	char up[PATH_MAX] = "";
	own_str relative = NULL;
	own_fd dir = -1;
	const char *name;
	int there;

	for (size_t i = 0; target[i] && target[i] == inside[i]; i++)
		if (target[i] == '/')
			same = i + 1;
	for (const char *p = inside + same; (p = strchr(p, '/')); p++)
		(void)snprintf(up + strlen(up), sizeof(up) - strlen(up), "../");
	if (asprintf(&relative, "%s%s", up, target + same) < 0)
		return fail(err, ERR_SYSTEM, "make a link: out of memory");
	there = open_parent(t, inside, &dir, &name, err);
	return there <= 0 ? there : put_link(t, relative, dir, name, err);
}

int treecopy_entry(struct treecopy *t, const char *source, const char *inside, struct error *err)
{
	const char *slash = strrchr(inside, '/');
	own_str parent = NULL;
	own_fd dir = -1;
	const char *name;
	struct stat st;
	int there;

	if (lstat(source, &st) < 0) {
		t->skipped++;
		return 0;
	}
	if (S_ISDIR(st.st_mode))
		return treecopy_directory(t, inside, err);
	there = open_parent(t, inside, &dir, &name, err);
	if (there <= 0)
		return there;
	if (!S_ISLNK(st.st_mode))
		return copy_regular(t, AT_FDCWD, source, dir, name, err);
	parent = strndup(inside, (size_t)(slash - inside));
	if (!parent)
		return fail_sys(err, "keep a path");
	return copy_link(t, AT_FDCWD, source, dir, parent, err);
}
