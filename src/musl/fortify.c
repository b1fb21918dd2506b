/* SPDX-License-Identifier: Apache-2.0 */
/* fortify.c - functions of glibc's that Debian's static libraries refer to, and musl has not.
 *
 * Those libraries were compiled against glibc's headers, with _FORTIFY_SOURCE: a call whose room
 * the compiler knew became one of these, with the room as one more word.  They look at it as
 * glibc's do, and end the process where those do.  The flag of those that print asks glibc to
 * refuse %n in memory that can be written; it is not obeyed here: none of these libraries prints by
 * a format that came from elsewhere.
 */
#include "musl/fortify.h"

#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

static _Noreturn void too_much(void)
{
	static const char words[] = "belljar: more was to be written than there is room for\n";

	(void)!write(STDERR_FILENO, words, sizeof(words) - 1);
	abort();
}

static void must_fit(size_t n, size_t room)
{
	if (n > room)
		too_much();
}

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	must_fit(n, room);
	return memcpy(to, from, n);
}

/* As strncpy() does it: the rest is zeros, and a long text has none. */
char *__strncpy_chk(char *to, const char *from, size_t n, size_t room)
{
	size_t len;

	must_fit(n, room);
	len = strnlen(from, n);
	memcpy(to, from, len);
	memset(to + len, 0, n - len);
	return to;
}

/* Which word of an fd_set has the bit. */
long __fdelt_chk(long fd)
{
	if (fd < 0 || fd >= FD_SETSIZE)
		too_much();
	return fd / (8 * (long)sizeof(long));
}

int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, va_list args)
{
	(void)flag;
	must_fit(n, room);
	return vsnprintf(to, n, format, args);
}

int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = __vsnprintf_chk(to, n, flag, room, format, args);
	va_end(args);
	return len;
}

int __vfprintf_chk(FILE *to, int flag, const char *format, va_list args)
{
	(void)flag;
	return vfprintf(to, format, args);
}

int __fprintf_chk(FILE *to, int flag, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = __vfprintf_chk(to, flag, format, args);
	va_end(args);
	return len;
}

int __vasprintf_chk(char **ret, int flag, const char *format, va_list args)
{
	(void)flag;
	return vasprintf(ret, format, args);
}

int __asprintf_chk(char **ret, int flag, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = __vasprintf_chk(ret, flag, format, args);
	va_end(args);
	return len;
}
