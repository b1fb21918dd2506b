/* SPDX-License-Identifier: Apache-2.0 */
/* screen.c - looks at code in any language, within bounds.
 *
 * Every bound that is exceeded denies; none of that can be switched off but by switching
 * screening off altogether.
 */
#include "screen/screen.h"

#include <assert.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "screen/findings.h"
#include "screen/languages.h"

enum { STANDARD_BYTES = 256 << 10, STANDARD_MS = 50, LARGEST_BYTES = 16 << 20, ROWS_MAX = 128 };

static const struct reader {
	const char *language;
	void (*read)(struct sieve *s, struct syntax_budget *budget, enum syntax_end *ret_end);
	bool folds_lines; /* a lone carriage return ends a line */
} readers[] = {
	{"python", screen_python, true},
	{"node", screen_javascript, true},
	{"bash", screen_bash, false},
};

static const struct label {
	const char *name;
	const char *help;
} labels[] = {
	{"import", "modules outside of the tool's list"},
	{"net", "the network; there is none in the box unless the tool lists hosts"},
	{"proc", "other programs and processes"},
	{"fs-write", "writing, moving or removing files"},
	{"paths", "files of the system or of other people"},
	{"native", "native code and raw memory"},
	{"dynamic", "code or modules that are only known when it runs"},
	{"introspection", "the interpreter's insides, the way out of any list of names"},
	{"deserialise", "data formats that can run code"},
	{"blob", "large encoded data"},
	{"environment", "environment variables"},
	{"privilege", "rights of another user"},
	{"unreadable", "text that cannot be read as the language it is sent as"},
	{"own", "rules of the policy's owner"},
};

const char *screen_label_help(const char *label)
{
	for (size_t i = 0; i < ARRAY_LEN(labels); i++)
		if (strcmp(labels[i].name, label) == 0)
			return labels[i].help;
	return NULL;
}

static const struct reader *reader_for(const char *language)
{
	for (size_t i = 0; i < ARRAY_LEN(readers); i++)
		if (strcmp(readers[i].language, language) == 0)
			return &readers[i];
	return NULL;
}

/* Nothing is asked for: not even limits apply. */
static bool is_off(const struct screen_policy *rules)
{
	return rules->mode == SCREEN_OFF && rules->n_modes == 0 && rules->n_own == 0 &&
	       !rules->has_imports;
}

/* A copy that both the grammar and the interpreter see alike: no byte order mark, and each line
 * ends with a newline whichever way it was ended. */
static char *tidy(const struct reader *r, struct arena *a, const char *code, size_t len,
		  size_t *ret_len)
{
	struct error err;
	char *copy = arena_alloc(a, len + 1, &err);
	size_t n = 0, i = 0;

	if (!copy)
		return NULL;
	if (len >= 3 && memcmp(code, "\xef\xbb\xbf", 3) == 0)
		i = 3;
	for (; i < len; i++) {
		if (code[i] != '\r' || !r->folds_lines)
			copy[n++] = code[i];
		else if (i + 1 == len || code[i + 1] != '\n')
			copy[n++] = '\n';
	}
	*ret_len = n;
	return copy;
}

static enum answer check_bounds(const struct screen_policy *rules, const char *code, size_t len,
				struct why *why)
{
	size_t most = rules->max_bytes ? rules->max_bytes : STANDARD_BYTES;

	if (most > LARGEST_BYTES)
		most = LARGEST_BYTES;
	if (len > most) {
		(void)why_deny(why, WHY_SCREEN, "screen.max_bytes",
			       "the code has %zu bytes, %zu can be screened", len, most);
		why_hint(why, "send less code, and data as a file or on standard input");
		return ANSWER_DENY;
	}
	if (memchr(code, '\0', len))
		return why_deny(why, WHY_SCREEN, "screen.text", "the code holds a NUL byte");
	if (!text_is_utf8(code, len))
		return why_deny(why, WHY_SCREEN, "screen.text", "the code is not valid UTF-8");
	return ANSWER_ALLOW;
}

static enum answer answer_for(enum syntax_end end, const struct sieve *s, struct why *why)
{
	enum answer answer = findings_answer(s->found, why);

	if (answer == ANSWER_DENY)
		return answer;
	if (s->failed) {
		(void)why_deny(why, WHY_SCREEN, "screen.budget",
			       "the code is too complicated to screen");
		return ANSWER_DENY;
	}
	if (end == SYNTAX_READ)
		return ANSWER_ALLOW;
	(void)why_deny(why, WHY_SCREEN, end == SYNTAX_DEEP ? "screen.depth" : "screen.budget",
		       end == SYNTAX_DEEP ? "the code is nested too deeply to screen"
					  : "screening the code takes too long");
	why_hint(why, "send less code, or simpler code");
	return ANSWER_DENY;
}

/* The header says why each is needed. */
/* NOLINTNEXTLINE(readability-function-size) */
enum answer screen_code(const char *language, const struct screen_policy *rules, const char *code,
			size_t len, struct arena *a, struct findings *ret, struct why *why)
{
	const struct reader *r = reader_for(language);
	struct sieve s = {.rules = rules, .arena = a, .found = ret};
	struct syntax_budget budget = {.us = (rules->budget_ms ? rules->budget_ms : STANDARD_MS) *
					     1000};
	enum syntax_end end = SYNTAX_LATE;

	ret->n = 0; /* the list is long, and mostly empty */
	ret->cut = false;
	*why = (struct why){0};
	if (!r)
		return why_deny(why, WHY_SCREEN, "screen.language",
				"there is no screening for '%.40s'", language);
	if (is_off(rules))
		return ANSWER_ALLOW;
	if (check_bounds(rules, code, len, why) == ANSWER_DENY)
		return ANSWER_DENY;
	s.text = tidy(r, a, code, len, &s.len);
	if (!s.text)
		return why_deny(why, WHY_SCREEN, "screen.budget",
				"the code is too large to screen");
	r->read(&s, &budget, &end);
	return answer_for(end, &s, why);
}

static size_t add_rows(struct screen_row *to, size_t n, const struct screen_row *rows, size_t more)
{
	assert(n + more <= ROWS_MAX);
	memcpy(to + n, rows, more * sizeof(*rows));
	return n + more;
}

const struct screen_row *screen_rows(size_t *ret_n)
{
	static struct screen_row all[ROWS_MAX];
	static size_t n_all;
	const struct screen_row *commands;
	size_t n = 0, n_commands;

	if (n_all == 0) {
		n = add_rows(all, n, python_rows, PY_RULE_COUNT);
		n = add_rows(all, n, javascript_rows, JS_RULE_COUNT);
		n = add_rows(all, n, bash_rows, BASH_RULE_COUNT);
		commands = shell_rows(&n_commands);
		n_all = add_rows(all, n, commands, n_commands);
	}
	*ret_n = n_all;
	return all;
}
