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
#define LIBC    "/lib/x86_64-linux-gnu/libc.so.6"
#elif defined(__aarch64__)
#define MACHINE "aarch64-linux-gnu"
#define LOADER  "/lib/ld-linux-aarch64.so.1"
#define LIBC    "/lib/aarch64-linux-gnu/libc.so.6"
#else
#error "foresee: where does this architecture keep its libraries?"
#endif

enum {
	NAME_ROOM = 128,
	MOST_US = 500, /* then there is more to wait for than a moment */
};

/* By the time the program itself has been found. */
static const char *const at_first[] = {LOADER, "/etc/ld.so.preload", "/etc/ld.so.cache", LIBC};

static const char python[] = "/usr/bin/python3";

/* In the order in which it asks for them, before it reads a program.  '@' is its version, "3.11",
 * '#' the same as "311", '%' the machine.  Some are not there: the kernel keeps that in mind, too.
 */
static const char *const of_python[] = {
	"/lib/%/libm.so.6",
	"/lib/%/libz.so.1",
	"/lib/%/libexpat.so.1",
	"/usr/lib/locale/locale-archive",
	"/usr/lib/locale/C.utf8/LC_CTYPE",
	"/usr/lib/%/gconv/gconv-modules.cache",
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
	"/usr/lib/python@/encodings/__init__.cpython-#-%.so",
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
	"/usr/lib/python3/dist-packages/_distutils_hack/__init__.cpython-#-%.so",
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

/* The host's programs and nothing else.  What a caller lends may lie over any of these names: a
 * file system that never answers, or one where the last program put a link for us to follow.  A
 * root of somebody's own is the same, and one with listed programs has few names. */
bool foresee_knows(const struct plan *plan)
{
	const struct profile *p = plan->profile;

	return !p->root && p->n_grants == 0 && p->n_programs == 0;
}

/* Without the host's directory for programs, if that is where it is; else NULL. */
static const char *host_name(const char *name)
{
	static const char *const dirs[] = {"/usr/bin/", "/bin/"};

	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if (strncmp(name, dirs[i], strlen(dirs[i])) == 0)
			name += strlen(dirs[i]);
	return strchr(name, '/') ? NULL : name;
}

void foresee_program(const char *name)
{
	static const char dir[] = "/usr/bin/";
	char path[NAME_ROOM];
	size_t len;

	name = host_name(name);
	len = name ? strlen(name) : sizeof(path);
	if (len > sizeof(path) - sizeof(dir))
		return;
	memcpy(path, dir, sizeof(dir) - 1);
	memcpy(path + sizeof(dir) - 1, name, len + 1);
	look_up(path);
}

static bool is_python(const char *name)
{
	name = host_name(name);
	return name && strcmp(name, strrchr(python, '/') + 1) == 0;
}

/* Who builds the box has become its pid 1, and so is out of our way.  One that died has left us in
 * the host's root. */
static bool has_left(const struct board *board)
{
	return __atomic_load_n(&board->left, __ATOMIC_ACQUIRE) != 0;
}

bool foresee_begin(const struct plan *plan, const struct board *board, const char *name)
{
	uint64_t until = clock_us() + MOST_US;
	size_t next = 0;

	if (!board->room || !foresee_knows(plan))
		return false;
	while (__atomic_load_n(&board->program, __ATOMIC_ACQUIRE) && next < ARRAY_LEN(at_first) &&
	       clock_us() < until) {
		if (__atomic_load_n(&board->maker, __ATOMIC_ACQUIRE))
			(void)raw_call(SYS_sched_yield, 0, 0, 0, 0, 0);
		else if (has_left(board))
			look_up(at_first[next++]);
		else
			return false;
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

/* But for what is left out, if any. */
static size_t copy(const char *text, char left_out, char *ret)
{
	size_t n = 0;

	for (; *text; text++)
		if (*text != left_out)
			ret[n++] = *text;
	return n;
}

static void look_up_row(const char *row, const char *version)
{
	char path[NAME_ROOM];
	size_t n = 0;

	for (; *row && n + sizeof(MACHINE) + strlen(version) < sizeof(path); row++) {
		if (*row == '@')
			n += copy(version, '\0', path + n);
		else if (*row == '#')
			n += copy(version, '.', path + n);
		else if (*row == '%')
			n += copy(MACHINE, '\0', path + n);
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
		look_up_row(of_python[i], version);
}
