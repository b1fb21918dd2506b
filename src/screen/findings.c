/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - collects what the readers of each language find, in the policy's modes. */
#include "screen/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/text.h"

enum { SHOWN_BYTES = 60 };

static bool is_glob(const char *rule)
{
	return strpbrk(rule, "*?[") != NULL;
}

/* SCREEN_BLOCK is the smallest mode that is set: the strictest of two is the smaller. */
static enum screen_mode stricter(enum screen_mode a, enum screen_mode b)
{
	if (a == SCREEN_UNSET)
		return b;
	return b == SCREEN_UNSET || a < b ? a : b;
}

static enum screen_mode mode_in_rows(const struct screen_policy *rules, const char *id)
{
	enum screen_mode exact = SCREEN_UNSET, globbed = SCREEN_UNSET;

	for (size_t i = 0; i < rules->n_modes; i++) {
		const struct screen_rule_mode *m = &rules->modes[i];

		if (strcmp(m->rule, id) == 0)
			exact = stricter(exact, m->mode);
		else if (is_glob(m->rule) && glob_match(m->rule, id))
			globbed = stricter(globbed, m->mode);
	}
	return exact != SCREEN_UNSET ? exact : globbed;
}

enum screen_mode screen_mode_of(const struct screen_policy *rules, const struct screen_row *row)
{
	enum screen_mode mode = mode_in_rows(rules, row->id);

	if (mode == SCREEN_UNSET)
		mode = rules->mode;
	return mode == SCREEN_UNSET ? row->mode : mode;
}

enum screen_mode screen_mode_of_own(const struct screen_policy *rules,
				    const struct screen_own_rule *own)
{
	enum screen_mode mode = mode_in_rows(rules, own->id);

	if (mode == SCREEN_UNSET)
		mode = own->mode;
	return mode == SCREEN_UNSET ? SCREEN_BLOCK : mode;
}

bool words_cover(const struct words *list, const char *dotted)
{
	for (size_t i = 0; i < list->n; i++) {
		size_t len = strlen(list->word[i]);

		if (strncmp(list->word[i], dotted, len) == 0 &&
		    (dotted[len] == '\0' || dotted[len] == '.' || dotted[len] == '/'))
			return true;
	}
	return false;
}

void screen_list_allowed(const struct words *imports, char *ret, size_t room)
{
	size_t n = (size_t)snprintf(ret, room, imports->n ? "allowed: " : "nothing is");

	for (size_t i = 0; i < imports->n && n < room; i++) {
		if (n + strlen(imports->word[i]) + 8 > room) {
			(void)snprintf(ret + n, room - n, ", ...");
			return;
		}
		n += (size_t)snprintf(ret + n, room - n, "%s%s", i ? ", " : "", imports->word[i]);
	}
}

bool sieve_is_full(const struct sieve *s)
{
	if (s->failed)
		return true;
	for (size_t i = 0; i < s->found->n; i++)
		if (s->found->list[i].mode != SCREEN_BLOCK)
			return false;
	return s->found->n == FINDINGS_MAX;
}

/* Where the new one goes; NULL: there is no room for it. */
static struct finding *make_room(struct findings *found, enum screen_mode mode)
{
	if (found->n < FINDINGS_MAX)
		return &found->list[found->n++];
	found->cut = true;
	if (mode != SCREEN_BLOCK)
		return NULL;
	for (size_t i = found->n; i-- > 0;)
		if (found->list[i].mode != SCREEN_BLOCK)
			return &found->list[i];
	return NULL;
}

/* Lines end at a newline; columns count characters, and bytes of what is no UTF-8. */
static void find_place(const char *text, size_t at, unsigned *ret_line, unsigned *ret_column)
{
	size_t begin = 0;

	*ret_line = *ret_column = 1;
	for (size_t i = 0; i < at; i++) {
		if (text[i] == '\n') {
			++*ret_line;
			begin = i + 1;
		}
	}
	while (begin < at) {
		size_t step = text_utf8_char(text + begin, at - begin);

		begin += step ? step : 1;
		++*ret_column;
	}
}

static const char *shown(struct sieve *s, size_t at, size_t len)
{
	char line[SHOWN_BYTES * 4 + 8], raw[SHOWN_BYTES + 4];
	size_t n = len < SHOWN_BYTES ? len : text_utf8_floor(s->text + at, SHOWN_BYTES);
	struct error err;

	memcpy(raw, s->text + at, n);
	for (size_t i = 0; i < n; i++)
		if (raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\0')
			raw[i] = ' ';
	memcpy(raw + n, n < len ? "..." : "", n < len ? 4 : 1);
	text_one_line(raw, line, sizeof(line));
	return arena_str(s->arena, line, &err);
}

static bool is_known(const struct findings *found, const char *rule, unsigned line, unsigned column)
{
	for (size_t i = 0; i < found->n; i++)
		if (found->list[i].line == line && found->list[i].column == column &&
		    strcmp(found->list[i].rule, rule) == 0)
			return true;
	return false;
}

static void add(struct sieve *s, const struct finding *f, size_t at, size_t len)
{
	struct finding made = *f, *room;
	const struct sieve *outermost = s;
	struct error err;

	if (sieve_is_full(s) || (f->mode != SCREEN_BLOCK && s->found->n == FINDINGS_MAX)) {
		s->found->cut = true;
		return;
	}
	made.what = shown(s, at, len);
	while (outermost->inside) {
		at = outermost->inside - 1;
		outermost = outermost->outer;
	}
	find_place(outermost->text, at, &made.line, &made.column);
	if (is_known(s->found, f->rule, made.line, made.column))
		return;
	made.reason = f->reason ? arena_str(s->arena, f->reason, &err) : "";
	made.hint = f->hint ? arena_str(s->arena, f->hint, &err) : NULL;
	if (!made.what || !made.reason || (f->hint && !made.hint)) {
		s->failed = true;
		return;
	}
	room = make_room(s->found, made.mode);
	if (room)
		*room = made;
}

void sieve_add(struct sieve *s, const struct screen_row *row, size_t at, size_t len,
	       const char *reason, const char *hint)
{
	struct finding f = {.rule = row->id, .label = row->label};

	f.mode = screen_mode_of(s->rules, row);
	f.reason = reason ? reason : row->reason;
	f.hint = s->hint ? s->hint : hint ? hint : row->hint;
	if (f.mode != SCREEN_OFF)
		add(s, &f, at, len);
}

void sieve_add_own(struct sieve *s, const struct screen_own_rule *own, size_t at, size_t len)
{
	struct finding f = {.rule = own->id, .label = "own"};

	f.mode = screen_mode_of_own(s->rules, own);
	f.reason = own->reason ? own->reason : "a rule of this tool's owner forbids it";
	if (f.mode != SCREEN_OFF)
		add(s, &f, at, len);
}

static int by_place(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	return strcmp(a->rule, b->rule);
}

enum answer findings_answer(struct findings *found, struct why *why)
{
	if (found->n > 1)
		qsort(found->list, found->n, sizeof(found->list[0]), by_place);
	for (size_t i = 0; i < found->n; i++) {
		const struct finding *f = &found->list[i];

		if (f->mode != SCREEN_BLOCK)
			continue;
		(void)why_deny(why, WHY_SCREEN, f->rule, "line %u, column %u: %s (%s)", f->line,
			       f->column, f->reason, f->what);
		if (f->hint)
			why_hint(why, "%s", f->hint);
		return ANSWER_DENY;
	}
	return ANSWER_ALLOW;
}
