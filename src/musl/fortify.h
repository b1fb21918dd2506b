/* SPDX-License-Identifier: Apache-2.0 */
/* fortify.h - functions of glibc's that Debian's static libraries refer to, and musl has not. */
#ifndef MUSL_FORTIFY_H
#define MUSL_FORTIFY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#define PRINTS(which, first) __attribute__((format(printf, which, first)))

/* room: of what is written to, as the compiler knew it. */
void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t n, size_t room);
long __fdelt_chk(long fd);
int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...) PRINTS(5, 6);
int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, va_list args)
	PRINTS(5, 0);

/* Nothing to look at but the flag. */
int __fprintf_chk(FILE *to, int flag, const char *format, ...) PRINTS(3, 4);
int __vfprintf_chk(FILE *to, int flag, const char *format, va_list args) PRINTS(3, 0);
int __asprintf_chk(char **ret, int flag, const char *format, ...) PRINTS(3, 4);
int __vasprintf_chk(char **ret, int flag, const char *format, va_list args) PRINTS(3, 0);

#undef PRINTS

#endif
