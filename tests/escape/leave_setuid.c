/* SPDX-License-Identifier: Apache-2.0 */
/* leave_setuid.c - attacks the host's other users: leave a set-uid file in a directory of theirs.
 *
 * WAY DIRECTORY [high]: what the box makes in a directory that it may write belongs to somebody
 * on the host, and there the bit counts.
 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "escape.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

enum { PLAIN = 0755, WANTED = 06755 };

static char path[512];
static long mode = WANTED;

static void choose(int argc, char **argv)
{
	(void)snprintf(path, sizeof(path), "%s/escape-setuid",
		       need_arg(argc, argv, 2, "directory"));
	if (argc > 3)
		mode = with_bit_32(mode);
	(void)unlink(path);
	tried("%s %s", argv[1], path);
}

static int make_plain(void)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, PLAIN);

	if (fd < 0)
		cannot("create %s: %m", path);
	return fd;
}

/* What counts is what lies there in the end, not what the call said. */
static void look(long result)
{
	int why = errno;
	struct stat st = {0};
	int seen = stat(path, &st);

	(void)unlink(path);
	errno = why;
	if (seen == 0 && st.st_mode & (S_ISUID | S_ISGID))
		escaped("left with mode %o", st.st_mode & 07777);
	if (result >= 0)
		blocked("left with mode %o", st.st_mode & 07777);
	blocked("%m");
}

static void by_chmod(int argc, char **argv)
{
	choose(argc, argv);
	(void)close(make_plain());
#ifdef SYS_chmod
	look(syscall(SYS_chmod, path, mode));
#else
	look(syscall(SYS_fchmodat, AT_FDCWD, path, mode));
#endif
}

static void by_fchmod(int argc, char **argv)
{
	choose(argc, argv);
	look(syscall(SYS_fchmod, make_plain(), mode));
}

static void by_fchmodat(int argc, char **argv)
{
	choose(argc, argv);
	(void)close(make_plain());
	look(syscall(SYS_fchmodat, AT_FDCWD, path, mode));
}

static void by_fchmodat2(int argc, char **argv)
{
	choose(argc, argv);
	(void)close(make_plain());
	look(syscall(SYS_fchmodat2, AT_FDCWD, path, mode, 0));
}

static void by_openat(int argc, char **argv)
{
	choose(argc, argv);
	look(syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT, mode));
}

static void by_openat2(int argc, char **argv)
{
	struct open_how how = {.flags = O_WRONLY | O_CREAT, .mode = WANTED};

	choose(argc, argv);
	look(syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how)));
}

static void by_tmpfile(int argc, char **argv)
{
	char held[64];
	long fd;

	choose(argc, argv);
	fd = syscall(SYS_openat, AT_FDCWD, argv[2], O_WRONLY | O_TMPFILE, mode);
	(void)snprintf(held, sizeof(held), "/proc/self/fd/%ld", fd);
	look(fd < 0 ? -1 : linkat(AT_FDCWD, held, AT_FDCWD, path, AT_SYMLINK_FOLLOW));
}

static void by_mknodat(int argc, char **argv)
{
	choose(argc, argv);
	look(syscall(SYS_mknodat, AT_FDCWD, path, S_IFREG | mode, 0));
}

#ifdef SYS_open
static void by_open(int argc, char **argv)
{
	choose(argc, argv);
	look(syscall(SYS_open, path, O_WRONLY | O_CREAT, mode));
}

static void by_creat(int argc, char **argv)
{
	choose(argc, argv);
	look(syscall(SYS_creat, path, mode));
}

static void by_mknod(int argc, char **argv)
{
	choose(argc, argv);
	look(syscall(SYS_mknod, path, S_IFREG | mode, 0));
}
#endif

static const struct way ways[] = {
	{"chmod", by_chmod},         /* afterwards */
	{"fchmod", by_fchmod},       /* afterwards, by descriptor */
	{"fchmodat", by_fchmodat},   /* afterwards, beneath a directory */
	{"fchmodat2", by_fchmodat2}, /* the same with flags */
	{"openat", by_openat},       /* at once */
	{"openat2", by_openat2},     /* at once, mode behind a pointer */
	{"tmpfile", by_tmpfile},     /* before it has a name */
	{"mknodat", by_mknodat},     /* at once, without opening */
#ifdef SYS_open
	{"open", by_open},   /* at once, the old call */
	{"creat", by_creat}, /* at once, the older call */
	{"mknod", by_mknod}, /* at once, without opening, the old call */
#endif
};

int main(int argc, char **argv)
{
	(void)umask(0);
	TAKE_WAY(ways, argc, argv);
}
