/* SPDX-License-Identifier: Apache-2.0 */
/* wardenwords.c - the words that a keeper sent become a profile that the ceiling allows.
 *
 * The keeper may be in anybody's hands.  Its words are read with the parser
 * of belljar run, but before that parser sees them every one must be an option
 * that decides a slot, in the one form --name=value, and must not make the
 * parser look at the host: paths are given with their place inside, and a root
 * only if the ceiling names it in the same letters.
 */
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "cli/warden.h"

static const struct option_row *find_in(const struct option_row *rows, size_t n, const char *name,
					size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].use == FOR_SLOT && strlen(rows[i].name) == len &&
		    strncmp(rows[i].name, name, len) == 0)
			return &rows[i];
	return NULL;
}

static const struct option_row *find_row(const char *name, size_t len)
{
	const struct option_row *row = find_in(option_rows, option_row_count, name, len);

	return row ? row : find_in(slot_option_rows, slot_option_row_count, name, len);
}

static int refuse(const char *word, const char *why, struct error *err)
{
	char shown[160];

	text_escape(word, strlen(word), shown, sizeof(shown));
	return fail(err, ERR_REFUSED, "the word %s: %s", shown, why);
}

/* SOURCE:INSIDE with one border only. */
static int check_grant(const char *word, const char *value, struct error *err)
{
	const char *border = strstr(value, ":/");

	if (value[0] != '/' || !border || strstr(border + 1, ":/"))
		return refuse(word, "/SOURCE:/INSIDE is due, with one colon before a slash", err);
	return 0;
}

static int check_word(const struct ceiling *c, const char *word, const char **ret_root,
		      struct error *err)
{
	size_t len = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
	const struct option_row *row = len ? find_row(word + 2, len) : NULL;
	const char *value;

	if (!row)
		return refuse(word, "no option that decides a slot", err);
	if (word[2 + len] != (row->metavar ? '=' : '\0'))
		return refuse(word, "not in the one form that is read here", err);
	value = row->metavar ? word + 3 + len : "";
	if (strcmp(row->name, "read") == 0 || strcmp(row->name, "write") == 0)
		return check_grant(word, value, err);
	if (strcmp(row->name, "root") == 0 && strcmp(value, "host") != 0) {
		*ret_root = value;
		return ceiling_allows_root(c, value, err);
	}
	return 0;
}

int wardenwords_take(const struct ceiling *c, char *bytes, size_t len, struct run_options *ret,
		     struct words *ret_words, struct error *err)
{
	const char *root = NULL;

	if (unpack_words(bytes, len, ret_words, err) < 0)
		return err->kind = ERR_REFUSED, -1;
	if (ret_words->env[0])
		return fail(err, ERR_REFUSED, "a slot has no environment");
	for (size_t i = 1; ret_words->argv[i]; i++)
		if (check_word(c, ret_words->argv[i], &root, err) < 0)
			return -1;
	options_init(ret);
	ret->for_slot = true;
	if (options_parse(ret, ret_words->argv, err) < 0 ||
	    options_check_warm(&ret->request.profile.warm, err) < 0)
		return err->kind = ERR_REFUSED, -1;
	if (*ret->command)
		return fail(err, ERR_REFUSED, "a slot takes options only");
	/* The name that the ceiling has, not what it led to just now. */
	if (ret->request.profile.root)
		ret->request.profile.root = root;
	return ceiling_allows_profile(c, &ret->request.profile, err);
}
