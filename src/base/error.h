/* SPDX-License-Identifier: Apache-2.0 */
/* error.h - an error is a value: one channel, fixed size, owns nothing. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

enum error_kind {
	ERR_NONE = 0,
	ERR_CALLER,    /* what was asked for is wrong: say what would be right */
	ERR_CONFIG,    /* the host or its set-up cannot do it: say what to change */
	ERR_SYSTEM,    /* a system call failed; sys holds errno */
	ERR_NOT_FOUND, /* the program to run does not exist inside */
	ERR_REFUSED,   /* the program exists but may not run */
	ERR_INTERNAL,  /* our own mistake */
	ERR_KIND_COUNT
};

struct error {
	enum error_kind kind;
	int sys;        /* errno at the failing call, else 0 */
	char text[504]; /* grows from the left as it travels up */
};

/* Each fills in err and returns -1, so that "return fail(...)" reads well. */
int fail(struct error *err, enum error_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int fail_sys(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Puts "context: " in front of what err says already. */
int fail_in(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* clang-tidy sees one file at a time: tell it that these always return -1. */
#ifdef __clang_analyzer__
#define fail(...)     ((void)fail(__VA_ARGS__), -1)
#define fail_sys(...) ((void)fail_sys(__VA_ARGS__), -1)
#define fail_in(...)  ((void)fail_in(__VA_ARGS__), -1)
#endif

const char *error_kind_name(enum error_kind kind);

#endif
