/* SPDX-License-Identifier: Apache-2.0 */
/* words.c - options of the smaller commands: one row each, for the parser and for --help. */
#include "cli/words.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

static int unknown(const struct word_row *rows, const char *command, const char *word,
		   struct error *err)
{
	const char *names[32] = {0};
	char asked[64];
	const char *near;

	for (size_t i = 0; i < ARRAY_LEN(names) - 1 && rows[i].name; i++)
		names[i] = rows[i].name;
	(void)snprintf(asked, sizeof(asked), "%.*s", (int)strcspn(word, "="), word);
	near = text_nearest(asked + strspn(asked, "-"), names);
	return fail(err, ERR_CALLER, "there is no option %s%s%s; see belljar %s --help", asked,
		    near ? "; did you mean --" : "", near ? near : "", command);
}

static const struct word_row *find(const struct word_row *rows, const char *name, size_t len)
{
	for (; rows->name; rows++)
		if (strlen(rows->name) == len && strncmp(rows->name, name, len) == 0)
			return rows;
	return NULL;
}

static int add(struct word_list *list, const char *word, struct error *err)
{
	if (list->n == WORD_LIST_MAX)
		return fail(err, ERR_CALLER, "more than %d words", WORD_LIST_MAX);
	list->word[list->n++] = word;
	return 0;
}

static int store(const struct word_row *row, const char *value, void *options, struct error *err)
{
	void *target = (char *)options + row->offset;

	switch (row->type) {
	case WORD_FLAG:
		*(bool *)target = true;
		return 0;
	case WORD_TEXT:
		if (*(const char **)target)
			return fail(err, ERR_CALLER, "--%s is there twice", row->name);
		*(const char **)target = value;
		return 0;
	case WORD_EACH:
		return add(target, value, err);
	}
	return fail(err, ERR_INTERNAL, "--%s has no type", row->name);
}

/* --name VALUE or --name=VALUE; *argv is left at the last word used. */
static int take(const struct word_row *rows, const char *command, char ***argv, void *options,
		struct error *err)
{
	const char *word = strcmp(**argv, "-h") == 0 ? "--help" : **argv;
	size_t len = strcspn(word, "=");
	const char *value = word[len] == '=' ? word + len + 1 : NULL;
	const struct word_row *row = NULL;

	if (strncmp(word, "--", 2) == 0)
		row = find(rows, word + 2, len - 2);
	if (!row)
		return unknown(rows, command, word, err);
	if (row->type == WORD_FLAG)
		return value ? fail(err, ERR_CALLER, "--%s takes no value", row->name)
			     : store(row, NULL, options, err);
	if (!value && !(value = (*argv)[1]))
		return fail(err, ERR_CALLER, "%s needs a value: %s %s", word, word, row->metavar);
	if (value == (*argv)[1])
		++*argv;
	return store(row, value, options, err);
}

int words_parse(const struct word_row *rows, char **argv, void *options, struct word_list *rest,
		struct error *err)
{
	const char *command = *argv;
	bool plain = false; /* after -- */

	for (argv++; *argv; argv++) {
		bool option = !plain && (*argv)[0] == '-' && (*argv)[1];

		if (option && strcmp(*argv, "--") == 0)
			plain = true;
		else if ((option ? take(rows, command, &argv, options, err)
				 : add(rest, *argv, err)) < 0)
			return -1;
	}
	return 0;
}

void words_print_help(const struct word_row *rows)
{
	char left[64];

	for (; rows->name; rows++) {
		(void)snprintf(left, sizeof(left), "--%s %s", rows->name,
			       rows->metavar ? rows->metavar : "");
		printf("  %-22s %s\n", left, rows->help);
	}
}
