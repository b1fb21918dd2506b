/* SPDX-License-Identifier: Apache-2.0 */
/* rootdir.c - looking for files beneath a root as a process inside it would. */
#include "sandbox/native/rootdir.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/searchwitness.h"

void found_done(struct found *f)
{
	if (f->fd >= 0)
		(void)close(f->fd);
	free(f->source);
	*f = (struct found){.fd = -1};
}

void found_end(struct found *f)
{
	found_done(f);
}

int rootdir_open(const char *root, struct rootdir *ret, struct error *err)
{
	own_fd fd = open(root[0] ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char *real = NULL;

	if (fd < 0)
		return fail_sys(err, "open the root %s", root[0] ? root : "/");
	if (fd_name(fd, &real, err) < 0)
		return -1;
	if (strcmp(real, "/") == 0)
		real[0] = '\0';
	*ret = (struct rootdir){.fd = take_fd(&fd), .real = real};
	return 0;
}

void rootdir_close(struct rootdir *root)
{
	if (root->fd >= 0)
		(void)close(root->fd);
	free(root->real);
	*root = (struct rootdir){.fd = -1};
}

void rootdir_end(struct rootdir *root)
{
	rootdir_close(root);
}

const char *rootdir_within(const struct rootdir *root, const char *source)
{
	size_t len = strlen(root->real);

	assert(strncmp(source, root->real, len) == 0);
	return source + len;
}

/* Errors that ld.so and execvp() pass over, too, when they look for a file. */
static bool means_absent(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP || error == EACCES ||
	       error == ENAMETOOLONG;
}

int rootdir_open_in(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = -1;

	/* EAGAIN: a rename somewhere on the machine crossed a ".."; not worth giving up for. */
	for (int tries = 0; tries < 32; tries++) {
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return fd;
}

int rootdir_find(const struct rootdir *root, const char *path, struct found *ret, struct error *err)
{
	own(found) f = {.fd = rootdir_open_in(root->fd, path, O_PATH)};
	size_t len = strlen(root->real);

	if (f.fd < 0 && means_absent(errno)) {
		witness_note(root->witness, path, -1);
		return 0;
	}
	if (f.fd < 0)
		return fail_sys(err, "open %s%s", root->real, path);
	if (fstat(f.fd, &f.st) < 0)
		return fail_sys(err, "stat %s%s", root->real, path);
	witness_note(root->witness, path, f.fd);
	if (fd_name(f.fd, &f.source, err) < 0)
		return fail_in(err, "%s%s", root->real, path);
	if (strncmp(f.source, root->real, len) != 0 || f.source[len] != '/')
		return fail(err, ERR_CONFIG, "%s%s leads out of the root", root->real, path);
	*ret = f;
	f = (struct found){.fd = -1};
	return 1;
}

int rootdir_read(const struct found *f, int *ret_fd, struct error *err)
{
	char link[40];
	int fd;

	/* Opening a device or a pipe can block or do things; nobody needs one here. */
	if (!S_ISREG(f->st.st_mode) && !S_ISDIR(f->st.st_mode))
		return fail(err, ERR_REFUSED, "%s is not a regular file", f->source);
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", f->fd);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail_sys(err, "open %s", f->source);
	*ret_fd = fd;
	return 0;
}

/* Appends one component to a plain path; ".." takes one away. */
static size_t add_component(char *path, size_t used, const char *name, size_t len)
{
	if (len == 0 || (len == 1 && name[0] == '.'))
		return used;
	if (len == 2 && name[0] == '.' && name[1] == '.') {
		while (used > 0 && path[--used] != '/')
			;
		return used;
	}
	path[used++] = '/';
	memcpy(path + used, name, len);
	return used + len;
}

static bool moved_to_usr(const char *path)
{
	static const char *const names[] = {"/bin", "/sbin", "/lib", "/lib64"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t len = strlen(names[i]);

		if (strncmp(path, names[i], len) == 0 && (path[len] == '/' || !path[len]))
			return true;
	}
	return false;
}

int rootdir_inside(const char *path, char **ret_inside, struct error *err)
{
	own_str plain = calloc(1, strlen(path) + 2);
	size_t used = 0;

	if (!plain)
		return fail_sys(err, "keep a path");
	assert(path[0] == '/');
	while (*path) {
		size_t len = strcspn(path, "/");

		used = add_component(plain, used, path, len);
		path += len + (path[len] == '/');
	}
	if (used == 0)
		plain[used++] = '/';
	plain[used] = '\0';
	if (asprintf(ret_inside, "%s%s", moved_to_usr(plain) ? "/usr" : "", plain) < 0)
		return fail(err, ERR_SYSTEM, "keep a path: out of memory");
	return 0;
}
