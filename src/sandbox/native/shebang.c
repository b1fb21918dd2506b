/* SPDX-License-Identifier: Apache-2.0 */
/* shebang.c - who runs a script: its first line, read as the kernel and env(1) read it. */
#include "sandbox/native/shebang.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* Copies the word at p; returns what follows it. */
static const char *take_word(const char *p, char ret_word[SHEBANG_BYTES])
{
	size_t len = strcspn(p, " \t");

	assert(len < SHEBANG_BYTES);
	memcpy(ret_word, p, len);
	ret_word[len] = '\0';
	return skip_blanks(p + len);
}

static bool is_env(const char *interpreter)
{
	const char *base = strrchr(interpreter, '/');

	return base && strcmp(base, "/env") == 0;
}

/* "-S python3 -I", "-i", "A=b sh": options and settings come before the program. */
static void find_program(const char *args, char ret_program[SHEBANG_BYTES])
{
	char word[SHEBANG_BYTES];

	while (*args) {
		args = take_word(args, word);
		if (strncmp(word, "-S", 2) == 0 && word[2]) {
			(void)snprintf(ret_program, SHEBANG_BYTES, "%s", word + 2);
			return;
		}
		if (word[0] != '-' && !strchr(word, '=')) {
			(void)snprintf(ret_program, SHEBANG_BYTES, "%s", word);
			return;
		}
	}
	ret_program[0] = '\0';
}

int shebang_parse(const char *head, size_t len, struct shebang *ret, struct error *err)
{
	char line[SHEBANG_BYTES + 1];
	const char *rest;

	assert(len >= 2 && len <= SHEBANG_BYTES);
	memcpy(line, head, len);
	line[len] = '\0';
	if (!strpbrk(line, "\n") && len == SHEBANG_BYTES)
		return fail(err, ERR_REFUSED, "its first line is longer than the kernel reads");
	line[strcspn(line, "\n")] = '\0';
	*ret = (struct shebang){0};
	rest = take_word(skip_blanks(line + 2), ret->interpreter);
	if (ret->interpreter[0] != '/')
		return fail(err, ERR_REFUSED, "its first line names no absolute path");
	if (!is_env(ret->interpreter))
		return 0;
	find_program(rest, ret->program);
	if (!ret->program[0])
		return fail(err, ERR_REFUSED, "its first line asks env to run nothing");
	return 0;
}
