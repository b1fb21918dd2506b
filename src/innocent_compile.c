/* SPDX-License-Identifier: Apache-2.0 */
/* innocent_compile.c - part of the build: the words that the built-in rules need, as a table.
 *
 *     innocent-compile OUT
 *
 * Words are taken from the rules themselves: what they begin with, what they say they need, or
 * what their patterns begin with.  A rule of which none of that can be told is an error.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "redact/innocent.h"
#include "redact/redact_rule.h"

enum { WORDS_MAX = 1024, LEAST = 3 };

struct words {
	struct innocent_word list[WORDS_MAX];
	size_t n;
};

static int add(struct words *w, const char *text, size_t len, unsigned flags, struct error *err)
{
	const char *and = memchr(text, '&', len);
	size_t also = and? (size_t)(text + len - and) - 1 : 0;
	struct innocent_word *one = &w->list[w->n];

	len = and? (size_t)(and-text) : len;
	len = len < INNOCENT_WORD ? len : INNOCENT_WORD;
	if (len < LEAST || also >= INNOCENT_WORD || w->n + 1 >= WORDS_MAX)
		return fail(err, ERR_INTERNAL, "'%.*s' is no word to look for", (int)len, text);
	*one = (struct innocent_word){.len = (uint8_t)len, .flags = (uint8_t)flags};
	for (size_t i = 0; i < len; i++)
		one->text[i] =
			flags & INNOCENT_FOLD ? (char)tolower((unsigned char)text[i]) : text[i];
	if (also)
		memcpy(one->also, and+1, also);
	one->row = (uint16_t)innocent_row(one->text);
	w->n++;
	return 0;
}

static int add_list(struct words *w, const char *list, unsigned flags, struct error *err)
{
	while (*list) {
		size_t len = strcspn(list, " ");

		if (add(w, list, len, flags, err) < 0)
			return -1;
		list += len;
		list += strspn(list, " ");
	}
	return 0;
}

/* Letters that stand for themselves; one that may be absent is none. */
static size_t literal(const char *pattern, char *ret, size_t room)
{
	size_t len = 0;

	while (len + 1 < room && *pattern && !strchr("[](){}|?*+.^$", *pattern)) {
		if (*pattern == '\\' && strchr("./\\$-", pattern[1]))
			pattern++;
		else if (*pattern == '\\')
			break;
		ret[len++] = *pattern++;
	}
	if (len > 0 && *pattern && strchr("?*{", *pattern))
		len--;
	return len;
}

/* "word...", "\\bword...", "(?:word|word)..." */
static int add_begin(struct words *w, const char *pattern, unsigned flags, struct error *err)
{
	bool choice = false;
	char word[64] = "";

	do {
		size_t len;

		if (strncmp(pattern, "\\b", 2) == 0)
			pattern += 2;
		if (strncmp(pattern, "(?:", 3) == 0 && !choice) {
			pattern += 3;
			choice = true;
			if (strncmp(pattern, "\\b", 2) == 0)
				pattern += 2;
		}
		len = literal(pattern, word, sizeof(word));
		if (add(w, word, len, flags, err) < 0)
			return -1;
		/* A group in an alternative ends what can be told: its own words are longer. */
		for (unsigned depth = 0; choice && *pattern && (depth || !strchr("|)", *pattern));)
			if (*pattern == '\\')
				pattern += 2;
			else
				depth += (*pattern == '(') - (unsigned)(*pattern == ')'), pattern++;
	} while (choice && *pattern++ == '|');
	return 0;
}

static int add_rule(struct words *w, const struct redact_rule *r, struct error *err)
{
	bool folded = strncmp(r->pattern, "(?i)", 4) == 0;
	unsigned flags = folded ? INNOCENT_FOLD : 0;

	if (!(r->group & REDACT_STANDARD) || (r->hand && !r->needs))
		return 0;
	if (strstr(r->pattern + (folded ? 4 : 0), "(?i"))
		return fail(err, ERR_INTERNAL, "(?i) stands at the begin only");
	if (r->begins)
		return add_list(w, r->begins, INNOCENT_STARTS, err);
	if (r->needs && strcmp(r->needs, "*") == 0)
		return 0;
	if (r->needs)
		return add_list(w, r->needs, flags, err);
	if (strstr(r->pattern, ASSIGN))
		flags |= INNOCENT_VALUE;
	return add_begin(w, r->pattern + (folded ? 4 : 0), flags, err);
}

static int by_row(const void *a, const void *b)
{
	const struct innocent_word *x = a, *y = b;

	return (x->row > y->row) - (x->row < y->row);
}

static void put_text(FILE *to, const char *text, size_t len)
{
	(void)fputc('{', to);
	for (size_t i = 0; i < len; i++)
		(void)fprintf(to, "%d,", text[i]);
	(void)fputs(len ? "}" : "0}", to);
}

static int put(const struct words *w, const char *path, struct error *err)
{
	static uint8_t rows[INNOCENT_BITS / 8];
	own_file to = fopen(path, "w");

	if (!to)
		return fail_sys(err, "open %s", path);
	(void)fputs("#include \"redact/innocent.h\"\n\nconst struct innocent_word "
		    "innocent_words[] = {\n",
		    to);
	for (size_t i = 0; i < w->n; i++) {
		const struct innocent_word *one = &w->list[i];

		(void)fputs("\t{", to);
		put_text(to, one->text, one->len);
		(void)fprintf(to, ", %u, %u, ", one->len, one->flags);
		put_text(to, one->also, strnlen(one->also, INNOCENT_WORD));
		(void)fprintf(to, ", %u},\n", one->row);
		rows[one->row / 8] |= (uint8_t)(1u << one->row % 8);
	}
	(void)fprintf(to, "};\nconst size_t innocent_word_count = %zu;\n", w->n);
	(void)fprintf(to, "const uint8_t innocent_rows[INNOCENT_BITS / 8] = {");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		(void)fprintf(to, "%s%u,", i % 16 ? "" : "\n\t", rows[i]);
	(void)fputs("\n};\n", to);
	return fflush(to) == 0 && !ferror(to) ? 0 : fail_sys(err, "write %s", path);
}

int main(int argc, char **argv)
{
	static struct words words;
	struct error err = {0};

	if (argc != 2) {
		(void)fprintf(stderr, "usage: innocent-compile OUT\n");
		return 2;
	}
	for (size_t i = 0; i < redact_rule_count(); i++)
		if (add_rule(&words, redact_rule_at(i), &err) < 0) {
			(void)fprintf(stderr, "innocent-compile: rule %s: %s\n",
				      redact_rule_at(i)->id, err.text);
			return 1;
		}
	qsort(words.list, words.n, sizeof(*words.list), by_row);
	if (put(&words, argv[1], &err) == 0)
		return 0;
	(void)fprintf(stderr, "innocent-compile: %s\n", err.text);
	return 1;
}
