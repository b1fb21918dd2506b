/* SPDX-License-Identifier: Apache-2.0 */
/* shell_refuse.c - why a command line was not read: where, what, and what to write instead. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "screen/shell_tree.h"

struct construct {
	const char *name, *what, *hint;
};

/* In bit order. */
static const struct construct constructs[] = {
	{"pipe", "a pipe", "run the commands one by one"},
	{"list", "several commands in one line", "make one call for each command"},
	{"glob", "a pattern of file names", "quote it, or name the files"},
	{"read_from", "reading from a file with <", "give the file's name as an argument"},
	{"write_to", "writing to a file with >", "leave it out: the answer carries the output"},
	{"variables", "a variable", "write its value; in single quotes a $ is a $"},
	{"assign", "an assignment", "write the value where it is used"},
	{"substitute", "a command inside $( )", "run it first and use what it printed"},
	{"heredoc", "a here-document", "send the text as the call's stdin"},
	{"background", "a command in the background with &", "quote the & if it is meant as text"},
	{"group", "a group of commands in ( ) or { }", "quote it if it is meant as text"},
	{"discard", "throwing output away with >/dev/null or joining it with 2>&1",
	 "leave it out: both outputs are in the answer"},
};

const char *const shell_construct_names[] = {
	"pipe",       "list",    "glob",       "read_from", "write_to", "variables", "assign",
	"substitute", "heredoc", "background", "group",     "discard",  NULL,
};
static_assert(ARRAY_LEN(shell_construct_names) == ARRAY_LEN(constructs) + 1, "one name each");

unsigned shell_construct(const char *name)
{
	for (unsigned i = 0; shell_construct_names[i]; i++)
		if (strcmp(shell_construct_names[i], name) == 0)
			return 1u << i;
	return 0;
}

static void place_of(const struct shell_reader *r, size_t at, unsigned *ret_line,
		     unsigned *ret_column)
{
	*ret_line = *ret_column = 1;
	for (size_t i = 0; i < at && i < r->len; i++) {
		if (r->text[i] == '\n') {
			++*ret_line;
			*ret_column = 1;
		} else if (((unsigned char)r->text[i] & 0xc0) != 0x80) {
			++*ret_column;
		}
	}
}

int shell_refuse(struct shell_reader *r, size_t at, const char *hint, const char *fmt, ...)
{
	unsigned line, column;
	char what[256];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	place_of(r, at, &line, &column);
	(void)why_deny(r->why, WHY_SCREEN, "command.syntax", "line %u, column %u: %s", line, column,
		       what);
	if (hint)
		why_hint(r->why, "%s", hint);
	return -1;
}

int shell_refuse_construct(struct shell_reader *r, size_t at, unsigned construct)
{
	const struct construct *c = &constructs[__builtin_ctz(construct)];
	unsigned line, column;
	char rule[64];

	place_of(r, at, &line, &column);
	(void)snprintf(rule, sizeof(rule), "screen.allow.%s", c->name);
	(void)why_deny(r->why, WHY_SCREEN, rule, "line %u, column %u: this tool does not allow %s",
		       line, column, c->what);
	why_hint(r->why, "%s", c->hint);
	return -1;
}

int shell_no_memory(struct shell_reader *r)
{
	(void)why_internal(r->why, NULL);
	return -1;
}
