/* SPDX-License-Identifier: Apache-2.0 */
/* shell_match.c - the questions a pattern can ask of a command's words.
 *
 * Options are read as getopt_long() reads them: in any order with the operands,
 * short ones together, long ones shortened, until "--".
 */
#include <string.h>

#include "base/own.h"
#include "screen/shell_tree.h"

/* "rR/recursive/other" holds a long name that begins with the given one? */
static bool names_long(const char *option, const char *given, size_t len)
{
	for (const char *name = strchr(option, '/'); name; name = strchr(name + 1, '/')) {
		size_t whole = strcspn(name + 1, "/");

		if (len > 0 && len <= whole && strncmp(name + 1, given, len) == 0)
			return true;
	}
	return false;
}

static bool names_short(const char *option, const char *values, const char *cluster)
{
	size_t letters = strcspn(option, "/");

	for (; *cluster; cluster++) {
		if (memchr(option, *cluster, letters))
			return true;
		if (values && strchr(values, *cluster))
			return false; /* the rest is its value */
	}
	return false;
}

static bool is_option(const char *word, const char *option, const char *values)
{
	if (word[0] != '-')
		return false;
	if (word[1] == '-')
		return names_long(option, word + 2, strcspn(word + 2, "="));
	return names_short(option, values, word + 1);
}

static size_t find_option(const struct shell_words *w, const char *option, const char *values)
{
	for (size_t i = 1; i < w->n && strcmp(w->word[i]->value, "--") != 0; i++)
		if (is_option(w->word[i]->value, option, values))
			return i;
	return 0;
}

size_t shell_match_all_options(const struct shell_words *w, const struct shell_pattern *p)
{
	size_t last = 0;

	for (size_t i = 0; i < SHELL_PATTERN_DATA && p->data[i]; i++) {
		last = find_option(w, p->data[i], p->values);
		if (last == 0)
			return 0;
	}
	return last;
}

size_t shell_match_option(const struct shell_words *w, const struct shell_pattern *p)
{
	for (size_t i = 0; i < SHELL_PATTERN_DATA && p->data[i]; i++) {
		size_t at = find_option(w, p->data[i], p->values);

		if (at > 0)
			return at;
	}
	return 0;
}

static size_t find_word(const struct shell_words *w, const struct shell_pattern *p,
			bool (*fits)(const char *word, const char *data))
{
	for (size_t i = 1; i < w->n; i++)
		for (size_t d = 0; d < SHELL_PATTERN_DATA && p->data[d]; d++)
			if (fits(w->word[i]->value, p->data[d]))
				return i;
	return 0;
}

static bool is_same(const char *word, const char *data)
{
	return strcmp(word, data) == 0;
}

size_t shell_match_word(const struct shell_words *w, const struct shell_pattern *p)
{
	return find_word(w, p, is_same);
}

static bool begins(const char *word, const char *data)
{
	return strncmp(word, data, strlen(data)) == 0;
}

size_t shell_match_beginning(const struct shell_words *w, const struct shell_pattern *p)
{
	return find_word(w, p, begins);
}

static bool begins_but_for_blanks(const char *text, const char *data)
{
	while (*data) {
		while (*text == ' ' || *text == '\t')
			text++;
		if (*text != *data)
			return false;
		text++;
		data++;
	}
	return true;
}

static bool holds(const char *word, const char *data)
{
	for (const char *at = word; (at = strchr(at, data[0])); at++)
		if (begins_but_for_blanks(at, data))
			return true;
	return false;
}

size_t shell_match_text(const struct shell_words *w, const struct shell_pattern *p)
{
	return find_word(w, p, holds);
}

/* One clause of a symbolic mode: everybody may read, write and execute. */
static bool clause_opens(const char *clause, size_t len)
{
	size_t who = strspn(clause, "augo");
	const char *perms = clause + who + 1;
	size_t n = len - who - 1;
	bool everybody =
		who == 0 || memchr(clause, 'a', who) ||
		(memchr(clause, 'u', who) && memchr(clause, 'g', who) && memchr(clause, 'o', who));

	if (who >= len || (clause[who] != '+' && clause[who] != '='))
		return false;
	return everybody && memchr(perms, 'r', n) && memchr(perms, 'w', n) &&
	       (memchr(perms, 'x', n) || memchr(perms, 'X', n));
}

static bool opens_to_all(const char *mode)
{
	size_t digits = strspn(mode, "01234567");

	if (digits >= 3 && !mode[digits])
		return strcmp(mode + digits - 3, "777") == 0;
	while (*mode) {
		size_t len = strcspn(mode, ",");

		if (clause_opens(mode, len))
			return true;
		mode += len + (mode[len] ? 1 : 0);
	}
	return false;
}

size_t shell_match_open_mode(const struct shell_words *w, const struct shell_pattern *p)
{
	(void)p;
	for (size_t i = 1; i < w->n; i++) {
		const char *value = w->word[i]->value;

		if (begins(value, "-m")) /* mkdir -m777 */
			value += 2;
		else if (begins(value, "--mode="))
			value += strlen("--mode=");
		if (opens_to_all(value))
			return i;
	}
	return 0;
}
