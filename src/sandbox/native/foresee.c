/* SPDX-License-Identifier: Apache-2.0 */
/* foresee.c - looks up, on an idle processor, what a program is about to look for.
 *
 * The overlay of a new box knows no file yet: the first look at each takes the
 * kernel 5 us, to make an entry and an inode.  A program needs four of them to
 * start, Python sixty.  The launcher, which has nothing else to do then, is a
 * little ahead of it.  It asks only for names of the host's own programs, where
 * nobody in the box can write.
 */
#include "sandbox/native/foresee.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "sandbox/native/rawcall.h"

#if defined(__x86_64__)
#define MACHINE "x86_64-linux-gnu"
#define LOADER  "/lib64/ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
#define MACHINE "aarch64-linux-gnu"
#define LOADER  "/lib/ld-linux-aarch64.so.1"
#else
#error "foresee: where does this architecture keep its libraries?"
#endif

enum {
	NAME_ROOM = 128,
	MOST_US = 500, /* then there is more to wait for than a moment */
};

/* By the time the program itself has been found. */
static const char *const at_first[] = {LOADER, "/etc/ld.so.preload", "/etc/ld.so.cache",
				       "/lib/" MACHINE "/libc.so.6"};

static const char python[] = "/usr/bin/python3";

/* In the order in which it asks for them, before it reads a program; '@' is its version, "3.11",
 * and
 * '#' the same as "311".  Some are not there: the kernel keeps that in mind, too. */
static const char *const of_python[] = {
	"/lib/" MACHINE "/libm.so.6",
	"/lib/" MACHINE "/libz.so.1",
	"/lib/" MACHINE "/libexpat.so.1",
	"/usr/lib/locale/locale-archive",
	"/usr/lib/locale/C.utf8/LC_CTYPE",
	"/usr/lib/" MACHINE "/gconv/gconv-modules.cache",
	"/usr/pyvenv.cfg",
	"/usr/bin/pyvenv.cfg",
	"/usr/bin/python3._pth",
	"/usr/bin/python@._pth",
	"/usr/bin/pybuilddir.txt",
	"/usr/bin/Modules",
	"/usr/bin/lib",
	"/usr/lib/python#.zip",
	"/usr/lib/python@/os.py",
	"/usr/lib/python@/lib-dynload",
	"/usr/lib/python@/encodings/__init__.cpython-#-" MACHINE ".so",
	"/usr/lib/python@/encodings/__init__.abi3.so",
	"/usr/lib/python@/encodings/__init__.so",
	"/usr/lib/python@/encodings/__init__.py",
	"/usr/lib/python@/encodings/__pycache__/__init__.cpython-#.pyc",
	"/usr/lib/python@/encodings/aliases.py",
	"/usr/lib/python@/encodings/__pycache__/aliases.cpython-#.pyc",
	"/usr/lib/python@/encodings/utf_8.py",
	"/usr/lib/python@/encodings/__pycache__/utf_8.cpython-#.pyc",
	"/usr/local/lib/python@/dist-packages",
	"/usr/lib/python3/dist-packages/distutils-precedence.pth",
	"/usr/lib/python3/dist-packages/_distutils_hack/__init__.cpython-#-" MACHINE ".so",
	"/usr/lib/python3/dist-packages/_distutils_hack/__init__.abi3.so",
	"/usr/lib/python3/dist-packages/_distutils_hack/__init__.so",
	"/usr/lib/python3/dist-packages/_distutils_hack/__init__.py",
	"/usr/lib/python3/dist-packages/_distutils_hack/__pycache__/__init__.cpython-#.pyc",
	"/usr/lib/python@/dist-packages",
	"/usr/lib/python@/sitecustomize.py",
	"/usr/lib/python@/__pycache__/sitecustomize.cpython-#.pyc",
};

/* Without libc: the program's process may still be in our memory. */
static void look_up(const char *path)
{
	struct stat st;

	(void)raw_call(SYS_newfstatat, AT_FDCWD, (long)path, (long)&st, 0, 0);
}

/* A root of somebody's own has we do not know what behind a name, and one with listed programs has
 * few names. */
static bool knows_root(const struct plan *plan)
{
	return !plan->profile->root && plan->profile->n_programs == 0;
}

static bool starts_with(const char *name, const char *start)
{
	return strncmp(name, start, strlen(start)) == 0;
}

/* Where the program is, if it is where most are; not in what the caller has lent. */
static void look_up_program(const char *name)
{
	static const char dir[] = "/usr/bin/";
	char path[NAME_ROOM];
	size_t len = strlen(name);

	if (starts_with(name, "/usr/") || starts_with(name, "/bin/")) {
		look_up(name);
	} else if (!strchr(name, '/') && len < sizeof(path) - sizeof(dir)) {
		memcpy(path, dir, sizeof(dir) - 1);
		memcpy(path + sizeof(dir) - 1, name, len + 1);
		look_up(path);
	}
}

static bool is_python(const char *name)
{
	const char *slash = strrchr(name, '/');

	return strcmp(slash ? slash + 1 : name, strrchr(python, '/') + 1) == 0;
}

bool foresee_begin(const struct plan *plan, const struct board *board, const char *name)
{
	uint64_t until = clock_us() + MOST_US;
	size_t done = 0;

	if (!board->room || !knows_root(plan))
		return false;
	while (__atomic_load_n(&board->program, __ATOMIC_ACQUIRE) && done <= ARRAY_LEN(at_first) &&
	       clock_us() < until) {
		if (__atomic_load_n(&board->maker, __ATOMIC_ACQUIRE))
			(void)raw_call(SYS_sched_yield, 0, 0, 0, 0, 0);
		else if (done++ == 0)
			look_up_program(name);
		else
			look_up(at_first[done - 2]);
	}
	return is_python(name);
}

/* "3.11" of the link's "python3.11". */
static bool read_version(char *ret, size_t room)
{
	static const char prefix[] = "python";
	const size_t before = sizeof(prefix) - 1;
	char to[NAME_ROOM];
	ssize_t n = readlink(python, to, sizeof(to));

	if (n <= (ssize_t)before || (size_t)n - before >= room || memcmp(to, prefix, before) != 0)
		return false;
	memcpy(ret, to + before, (size_t)n - before);
	ret[(size_t)n - before] = '\0';
	return strspn(ret, "0123456789.") == strlen(ret);
}

static size_t fill_in(const char *version, bool dots, char *ret)
{
	size_t n = 0;

	for (; *version; version++)
		if (dots || *version != '.')
			ret[n++] = *version;
	return n;
}

static void look_up_for(const char *row, const char *version)
{
	char path[NAME_ROOM];
	size_t n = 0;

	for (; *row && n + strlen(version) < sizeof(path) - 1; row++) {
		if (*row == '@' || *row == '#')
			n += fill_in(version, *row == '@', path + n);
		else
			path[n++] = *row;
	}
	path[n] = '\0';
	if (*row == '\0')
		look_up(path);
}

void foresee_rest(void)
{
	char version[16];

	if (!read_version(version, sizeof(version)))
		return;
	for (size_t i = 0; i < ARRAY_LEN(of_python); i++)
		look_up_for(of_python[i], version);
}
