/* SPDX-License-Identifier: Apache-2.0 */
/* escape.h - how a hostile program says what came of it.
 *
 * 0: the attack succeeded, 1: it was blocked, 2: it cannot be tried on this
 * host.  "# tried: " on stdout proves that the program ran and got as far as
 * its attack: a program that never started must not look like a wall.
 */
#ifndef ESCAPE_ESCAPE_H
#define ESCAPE_ESCAPE_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ESCAPED = 0, BLOCKED = 1, CANNOT = 2 };

__attribute__((format(printf, 2, 0))) static inline void say(const char *kind, const char *fmt,
							     va_list args)
{
	/* fmt may hold %m: nothing may touch errno before vprintf has read it. */
	int why = errno;

	(void)printf("# %s: ", kind);
	errno = why;
	(void)vprintf(fmt, args);
	(void)printf("\n");
	(void)fflush(stdout);
	errno = why;
}

__attribute__((format(printf, 1, 2))) static inline void tried(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("tried", fmt, args);
	va_end(args);
}

__attribute__((format(printf, 1, 2), noreturn)) static inline void escaped(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("ESCAPED", fmt, args);
	va_end(args);
	_exit(ESCAPED);
}

__attribute__((format(printf, 1, 2), noreturn)) static inline void blocked(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("blocked", fmt, args);
	va_end(args);
	_exit(BLOCKED);
}

__attribute__((format(printf, 1, 2), noreturn)) static inline void cannot(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("cannot", fmt, args);
	va_end(args);
	_exit(CANNOT);
}

/* The usual end: the call's result and errno say it all. */
__attribute__((noreturn)) static inline void end_by(long result, const char *what)
{
	if (result >= 0)
		escaped("%s = %ld", what, result);
	blocked("%s: %m", what);
}

/* Did the kernel itself look at the arguments, or was the call refused at the door?  For calls
 * that would do harm if they worked: the arguments are such that the kernel finds them wrong. */
__attribute__((noreturn)) static inline void end_by_reach(long result, const char *what)
{
	if (result >= 0)
		escaped("%s = %ld", what, result);
	if (errno == EPERM || errno == EACCES || errno == ENOSYS)
		blocked("%s: %m", what);
	escaped("%s reached the kernel: %m", what);
}

static inline const char *need_arg(int argc, char **argv, int i, const char *what)
{
	if (i >= argc)
		cannot("usage: argument %d is missing: %s", i, what);
	return argv[i];
}

static inline uint64_t number(const char *text)
{
	uint64_t value = 0;

	if (!*text)
		cannot("usage: an empty string is no number");
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			cannot("usage: not a number: %s", text);
		value = value * 10 + (uint64_t)(*text - '0');
	}
	return value;
}

/* A register whose upper half is not empty: the kernel reads an int, a careless filter does not. */
static inline long with_bit_32(long value)
{
	return (long)((uint64_t)value | (uint64_t)1 << 32);
}

/* One way of attacking the same wall; the first argument of the program picks it. */
struct way {
	const char *name;
	void (*take)(int argc, char **argv);
};

static inline void take_way(const struct way *ways, size_t n, int argc, char **argv)
{
	const char *name = need_arg(argc, argv, 1, "which way");

	for (size_t i = 0; i < n; i++)
		if (strcmp(name, ways[i].name) == 0)
			ways[i].take(argc, argv);
	cannot("usage: no such way: %s", name);
}

#define TAKE_WAY(ways, argc, argv) take_way(ways, sizeof(ways) / sizeof((ways)[0]), argc, argv)

#endif
