/* SPDX-License-Identifier: Apache-2.0 */
/* write_host_file.c - attacks the read-only root: change something that every box sees.
 *
 * WAY PATH: for create, mkdir, symlink, fifo and link PATH is a new name, removed at once if it
 * could be made; for the others it exists, and nothing about it is changed for good.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "escape.h"

static const char *target(int argc, char **argv)
{
	const char *path = need_arg(argc, argv, 2, "path");

	tried("%s %s", argv[1], path);
	return path;
}

static void by_create(int argc, char **argv)
{
	const char *path = target(argc, argv);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd >= 0)
		(void)unlink(path);
	end_by(fd, "create");
}

static void by_mkdir(int argc, char **argv)
{
	const char *path = target(argc, argv);
	int result = mkdir(path, 0755);

	if (result == 0)
		(void)rmdir(path);
	end_by(result, "mkdir");
}

static void by_symlink(int argc, char **argv)
{
	const char *path = target(argc, argv);
	int result = symlink("/nowhere", path);

	if (result == 0)
		(void)unlink(path);
	end_by(result, "symlink");
}

static void by_fifo(int argc, char **argv)
{
	const char *path = target(argc, argv);
	int result = mkfifo(path, 0644);

	if (result == 0)
		(void)unlink(path);
	end_by(result, "mkfifo");
}

static void by_open(int argc, char **argv)
{
	end_by(open(target(argc, argv), O_WRONLY | O_CLOEXEC | O_NONBLOCK), "open for writing");
}

static void by_tmpfile(int argc, char **argv)
{
	end_by(open(target(argc, argv), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600), "O_TMPFILE");
}

static void by_chmod(int argc, char **argv)
{
	const char *path = target(argc, argv);
	struct stat st;

	if (stat(path, &st) < 0)
		cannot("stat: %m");
	end_by(chmod(path, st.st_mode & 07777), "chmod");
}

static void by_utimes(int argc, char **argv)
{
	const char *path = target(argc, argv);
	struct timespec times[2];
	struct stat st;

	if (stat(path, &st) < 0)
		cannot("stat: %m");
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	end_by(utimensat(AT_FDCWD, path, times, 0), "utimensat");
}

static void by_xattr(int argc, char **argv)
{
	const char *path = target(argc, argv);
	int result = setxattr(path, "user.belljar-escape", "x", 1, 0);

	if (result == 0)
		(void)removexattr(path, "user.belljar-escape");
	if (result < 0 && errno == EOPNOTSUPP)
		cannot("setxattr: %m");
	end_by(result, "setxattr");
}

static const struct way ways[] = {
	{"create", by_create},   /* a new file */
	{"mkdir", by_mkdir},     /* a new directory */
	{"symlink", by_symlink}, /* a new link */
	{"fifo", by_fifo},       /* a new pipe with a name */
	{"open", by_open},       /* the content */
	{"tmpfile", by_tmpfile}, /* space without a name */
	{"chmod", by_chmod},     /* the mode */
	{"utimes", by_utimes},   /* the times */
	{"xattr", by_xattr},     /* attributes */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
