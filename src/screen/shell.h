/* SPDX-License-Identifier: Apache-2.0 */
/* shell.h - command lines: parse or deny.
 *
 * Our own reader of a small part of the POSIX shell language.  What it accepts
 * it writes out again, quoted, from what it understood; the shell never sees
 * the text that came in.
 */
#ifndef SCREEN_SHELL_H
#define SCREEN_SHELL_H

#include "screen/screen.h"

/* What a tool may allow beyond plain words ("allow:" in its screen section). */
enum {
	SHELL_PIPE = 1 << 0,       /* a | b                          standard */
	SHELL_LIST = 1 << 1,       /* a; b  a && b  a || b  newline  standard */
	SHELL_GLOB = 1 << 2,       /* * ? [..] in arguments          standard */
	SHELL_READ_FROM = 1 << 3,  /* < file */
	SHELL_WRITE_TO = 1 << 4,   /* > file, >> file, 2>&1 */
	SHELL_VARIABLES = 1 << 5,  /* $NAME and ${NAME}, nothing more */
	SHELL_ASSIGN = 1 << 6,     /* NAME=word in front of a command, or alone */
	SHELL_SUBSTITUTE = 1 << 7, /* $( ) whose inside is read by the same rules */
	SHELL_HEREDOC = 1 << 8,    /* <<'WORD' with a quoted word only */
	SHELL_BACKGROUND = 1 << 9, /* a & */
	SHELL_GROUP = 1 << 10,     /* ( ) and { } */
	SHELL_DISCARD = 1 << 11,   /* > /dev/null, 2>&1: no file is written  standard */
};
enum { SHELL_STANDARD = SHELL_PIPE | SHELL_LIST | SHELL_GLOB | SHELL_DISCARD };

/* 0 if there is no construct of that name ("pipe", "read_from"...). */
unsigned shell_construct(const char *name);
extern const char *const shell_construct_names[]; /* NULL-terminated, in bit order */

struct shell_reading {
	bool simple;      /* one command, nothing for a shell to do: argv is to be run as it is */
	char **argv;      /* NULL-terminated; NULL unless simple */
	const char *text; /* for sh -c, written again from what was read */
	size_t n_commands;
};

/* Each simple command's program must be one of programs (compared in full: a name without a slash,
 * or an absolute path that is listed as such); empty: any.  Findings are the blocked patterns (rm
 * -rf, | sh, sudo...).  */
enum answer screen_command(const struct words *programs, const struct screen_policy *rules,
			   const char *text, size_t len, struct arena *a, struct findings *ret,
			   struct shell_reading *ret_reading, struct why *why);
/* The same for words that no shell will read. */
enum answer screen_argv(const struct words *programs, const struct screen_policy *rules,
			char *const *argv, struct arena *a, struct findings *ret, struct why *why);

/* The blocked patterns and the advice, for screen_rows(). */
const struct screen_row *shell_rows(size_t *ret_n);

/* Does the set hold a program that runs code of its caller's (python, sh, awk, find...)? */
bool shell_is_interpreter(const char *program);

#endif
