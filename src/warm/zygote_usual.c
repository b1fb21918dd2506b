/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_usual.c - whether a call is as most are, asked without Python.
 *
 * Python writes to whatever it looks at, if only to count a reference, and a child has a copy of
 * each page that it writes to.  So what has to be seen to before a script may run warm is looked at
 * here first: environment and streams as they were, a plain file with plain text, nothing beside it
 * that a module of ours could be taken for.  It may err only towards no: then the driver
 * (zygote_driver.py) does all of it, and says what is to be done about it.
 */
#include "warm/zygote_usual.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/own.h"

enum {
	SOURCE_MOST = 1 << 20,
	PATH_ROOM = 512,
	STREAMS = 3,
};

PyObject *usual_expect(struct usual *u, PyObject *args)
{
	Py_ssize_t environ_len, stems_len;

	if (!PyArg_ParseTuple(args, "y#y#ys", &u->environ, &environ_len, &u->stems, &stems_len,
			      &u->site, &u->kinds))
		return NULL;
	u->environ_len = (size_t)environ_len;
	u->stems_len = (size_t)stems_len;
	Py_INCREF(args); /* for ever: all these point into it */
	u->known = strlen(u->kinds) == STREAMS;
	Py_INCREF(Py_None);
	return Py_None;
}

char stream_kind(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return '-';
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return 'p';
	return S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3) ? 'n' : 'o';
}

bool usual_environ(const struct usual *u, char *const *env)
{
	const char *at = u->environ, *end = at + u->environ_len;

	for (; u->known && *env; env++) {
		size_t len = strlen(*env) + 1;

		if (len > (size_t)(end - at) || memcmp(at, *env, len) != 0)
			return false;
		at += len;
	}
	return u->known && at == end;
}

static bool usual_streams(const struct usual *u, bool *ret_null)
{
	*ret_null = false;
	for (int fd = 0; fd < STREAMS; fd++) {
		char now = stream_kind(fd);

		if (now == u->kinds[fd] && (now == 'p' || now == 'n'))
			continue;
		if (fd != 0 || now != 'n')
			return false;
		*ret_null = true;
	}
	return true;
}

/* One way to read it, and no word about its code: bytes of ASCII, which mean the same in each. */
static bool is_plain(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);

	for (size_t i = 0; i < len; i++)
		if (text[i] <= 0)
			return false;
	if (end)
		end = memchr(end + 1, '\n', len - (size_t)(end + 1 - text));
	return !memmem(text, end ? (size_t)(end - text) : len, "coding", 6);
}

static PyObject *read_source(int fd)
{
	struct stat st;
	char more;
	struct iovec parts[] = {{0}, {&more, 1}}; /* it may have grown */
	PyObject *source;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > SOURCE_MOST)
		return NULL;
	source = PyBytes_FromStringAndSize(NULL, st.st_size);
	if (!source)
		return NULL;
	parts[0] = (struct iovec){PyBytes_AsString(source), (size_t)st.st_size};
	if (readv(fd, parts, ARRAY_LEN(parts)) == st.st_size &&
	    is_plain(parts[0].iov_base, parts[0].iov_len))
		return source;
	Py_DECREF(source);
	return NULL;
}

/* Where it lies, without links; the kernel has just found out. */
static bool directory_of(int fd, char directory[PATH_ROOM])
{
	static const char gone[] = " (deleted)";
	char link[40], *last;
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, directory, PATH_ROOM - 1);
	if (n <= 0 || n == PATH_ROOM - 1 || directory[0] != '/')
		return false;
	directory[n] = '\0';
	if ((size_t)n >= sizeof(gone) && strcmp(directory + n + 1 - sizeof(gone), gone) == 0)
		return false;
	last = strrchr(directory, '/');
	last[last == directory ? 1 : 0] = '\0';
	return true;
}

static bool is_stem(const struct usual *u, const char *name)
{
	char word[NAME_MAX + 2] = "";
	size_t len = strcspn(name, ".");

	if (len > NAME_MAX)
		return true;
	memcpy(word + 1, name, len);
	word[len + 1] = '\0';
	return memmem(u->stems, u->stems_len, word, len + 2);
}

/* Where the directory cannot be read nothing is found, by Python neither. */
static bool stands_alone(const struct usual *u, const char *directory)
{
	_Alignas(struct dirent64) char room[2048];
	own_fd fd = -1;
	long n;

	if (u->stems_len == 0)
		return true;
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return true;
	while ((n = syscall(SYS_getdents64, fd, room, sizeof(room))) > 0)
		for (long at = 0; at < n;) {
			const struct dirent64 *entry = (const void *)(room + at);

			if (is_stem(u, entry->d_name))
				return false;
			at += entry->d_reclen;
		}
	return n == 0;
}

/* What Python makes of it: __file__. */
static PyObject *full_name(const char *path)
{
	char name[2 * PATH_ROOM];
	size_t len;

	if (path[0] == '/')
		return PyUnicode_DecodeFSDefault(path);
	if (!getcwd(name, PATH_ROOM))
		return NULL;
	len = strlen(name);
	if ((size_t)snprintf(name + len, sizeof(name) - len, "/%s", path) >= sizeof(name) - len)
		return NULL;
	return PyUnicode_DecodeFSDefault(name);
}

static bool is_script(const char *path)
{
	size_t len = strlen(path);

	return len > 0 && path[0] != '-' && !(len >= 4 && strcmp(path + len - 4, ".pyc") == 0);
}

bool usual_read(const struct usual *u, const char *path, struct usual_script *ret)
{
	char directory[PATH_ROOM];
	own_fd fd = -1;

	if (!u->known || !is_script(path) || !usual_streams(u, &ret->null) ||
	    (u->site[0] && access(u->site, F_OK) == 0))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || !directory_of(fd, directory) || !stands_alone(u, directory))
		return false;
	ret->source = read_source(fd);
	ret->name = ret->source ? full_name(path) : NULL;
	ret->first = ret->name ? PyUnicode_DecodeFSDefault(directory) : NULL;
	if (ret->first)
		return true;
	PyErr_Clear();
	Py_XDECREF(ret->source);
	Py_XDECREF(ret->name);
	return false;
}
