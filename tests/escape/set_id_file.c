/* SPDX-License-Identifier: Apache-2.0 */
/* set_id_file.c - attacks --write: leave a set-uid or set-gid file behind on the host.
 *
 * WAY DIRECTORY MODE [high]: each way gives a file its mode by another call.  What counts is
 * whether the file has the bits in the end; it is removed at once.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "escape.h"

enum { SET_ID = S_ISUID | S_ISGID };

static const char name[] = "set-id";

static mode_t octal(const char *text)
{
	mode_t mode = 0;

	for (; *text >= '0' && *text <= '7'; text++)
		mode = mode * 8 + (mode_t)(*text - '0');
	return mode;
}

/* Goes to the directory and returns the mode as the register shall hold it. */
static long mode_there(int argc, char **argv)
{
	const char *dir = need_arg(argc, argv, 2, "directory");
	long mode = octal(need_arg(argc, argv, 3, "mode"));

	if (!(mode & SET_ID))
		cannot("usage: the mode has no bit that matters");
	if (chdir(dir) < 0)
		cannot("chdir %s: %m", dir);
	tried("%s, mode %s in %s", argv[1], argv[3], dir);
	return argc > 4 ? with_bit_32(mode) : mode;
}

static int plain_file(void)
{
	int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0755);

	if (fd < 0)
		cannot("make a file: %m");
	return fd;
}

__attribute__((noreturn)) static void end_by_mode(long result)
{
	int why = errno;
	struct stat st = {0};
	bool there = stat(name, &st) == 0;

	(void)unlink(name);
	errno = why;
	if (there && st.st_mode & SET_ID)
		escaped("the file has mode %o", (unsigned)st.st_mode & 07777);
	if (result < 0)
		blocked("%m");
	blocked("the call passed, but the file has mode %o", (unsigned)st.st_mode & 07777);
}

static void by_fchmod(int argc, char **argv)
{
	long mode = mode_there(argc, argv);

	end_by_mode(syscall(SYS_fchmod, plain_file(), mode));
}

static void by_fchmodat(int argc, char **argv)
{
	long mode = mode_there(argc, argv);

	(void)plain_file();
	end_by_mode(syscall(SYS_fchmodat, AT_FDCWD, name, mode));
}

static void by_fchmodat2(int argc, char **argv)
{
	long mode = mode_there(argc, argv);

	(void)plain_file();
	end_by_mode(syscall(452, AT_FDCWD, name, mode, 0));
}

static void by_openat(int argc, char **argv)
{
	long mode = mode_there(argc, argv);

	end_by_mode(syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT, mode));
}

/* The kernel wants no bit above the mode here. */
static void by_openat2(int argc, char **argv)
{
	uint64_t how[3] = {O_WRONLY | O_CREAT, (uint64_t)mode_there(argc, argv) & 07777, 0};

	end_by_mode(syscall(437, AT_FDCWD, name, how, sizeof(how)));
}

/* Born without a name, and given one afterwards. */
static void by_tmpfile(int argc, char **argv)
{
	long mode = mode_there(argc, argv);
	long fd = syscall(SYS_openat, AT_FDCWD, ".", O_RDWR | O_TMPFILE, mode);
	char path[40];

	if (fd < 0)
		end_by_mode(fd);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%ld", fd);
	end_by_mode(linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW));
}

static void by_mknodat(int argc, char **argv)
{
	long mode = mode_there(argc, argv);

	end_by_mode(syscall(SYS_mknodat, AT_FDCWD, name, mode | S_IFREG, 0));
}

#ifdef __x86_64__
static void by_chmod(int argc, char **argv)
{
	long mode = mode_there(argc, argv);

	(void)plain_file();
	end_by_mode(syscall(SYS_chmod, name, mode));
}

static void by_open(int argc, char **argv)
{
	long mode = mode_there(argc, argv);

	end_by_mode(syscall(SYS_open, name, O_WRONLY | O_CREAT, mode));
}

static void by_creat(int argc, char **argv)
{
	end_by_mode(syscall(SYS_creat, name, mode_there(argc, argv)));
}

static void by_mknod(int argc, char **argv)
{
	end_by_mode(syscall(SYS_mknod, name, mode_there(argc, argv) | S_IFREG, 0));
}
#else
/* The older calls exist on x86_64 only. */
static void by_chmod(int argc, char **argv)
{
	(void)mode_there(argc, argv);
	cannot("no such call here");
}

#define by_open  by_chmod
#define by_creat by_chmod
#define by_mknod by_chmod
#endif

static const struct way ways[] = {
	{"chmod", by_chmod},         /* by name */
	{"fchmod", by_fchmod},       /* by descriptor */
	{"fchmodat", by_fchmodat},   /* by directory and name */
	{"fchmodat2", by_fchmodat2}, /* the same with flags */
	{"open", by_open},           /* born so */
	{"creat", by_creat},         /* born so */
	{"openat", by_openat},       /* born so */
	{"openat2", by_openat2},     /* born so, with the mode where no filter sees it */
	{"tmpfile", by_tmpfile},     /* born so, named later */
	{"mknod", by_mknod},         /* born so, without being opened */
	{"mknodat", by_mknodat},     /* the same */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
