/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema.c - JSON Schema 2020-12: load a document once, judge values by it.
 *
 * The parts: jsonschema_load.c walks the document, jsonschema_keywords.c is
 * the table of what it knows, jsonschema_loaders.c reads each keyword's value,
 * jsonschema_refs.c and _uri.c join references to what they name.  Judging is
 * jsonschema_judge.c, with _checks.c, _places.c, _values.c and _formats.c.
 */
#include "policy/jsonschema.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/jsonread.h"
#include "base/match.h"
#include "base/own.h"
#include "policy/jsonschema_parts.h"

enum {
	FILE_MAX = 1 << 20,      /* bytes of a schema file */
	ARENA_MAX = 64 << 20,    /* bytes a loaded schema may take */
	STEPS_MAX = 1000 * 1000, /* of one judgement: some tens of milliseconds */
};

struct jsonschema *jsonschema_new(json_t *document, struct error *err)
{
	struct jsonschema *s = calloc(1, sizeof(*s));
	struct loading l = {.schema = s};

	if (!s) {
		(void)fail_sys(err, "allocate a schema");
		return NULL;
	}
	arena_init(&s->arena, ARENA_MAX);
	s->document = json_incref(document);
	s->last = &s->all;
	if (load_subschema(&l, document, "", NULL, err) == 0 && refs_resolve(s, err) == 0)
		return s;
	jsonschema_free(s);
	return NULL;
}

struct jsonschema *jsonschema_read(const char *file, struct error *err)
{
	own_fd fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	own_str text = malloc(FILE_MAX + 1);
	own_json document = NULL;
	struct jsonschema *ret = NULL;
	ssize_t len;

	if (fd < 0 || !text) {
		(void)fail_sys(err, "%s", file);
		return NULL;
	}
	len = fd_read_all(fd, text, FILE_MAX + 1, err);
	if (len >= 0)
		document = jsonread(text, (size_t)len, FILE_MAX, err);
	if (document)
		ret = jsonschema_new(document, err);
	if (!ret)
		(void)fail_in(err, "%s", file);
	return ret;
}

void jsonschema_free(struct jsonschema *s)
{
	if (!s)
		return;
	for (struct pattern *p = s->patterns; p; p = p->next)
		match_free(p->match);
	arena_done(&s->arena);
	json_decref(s->document);
	free(s);
}

/* The value may be fine: it is too much to find out. */
static enum answer give_up(const struct judging *j)
{
	char rule[128];

	(void)snprintf(rule, sizeof(rule), "%s.budget", j->prefix);
	(void)why_deny(j->why, WHY_POLICY, rule,
		       "the arguments take too long to check (limit of %s)", j->stopped);
	why_hint(j->why, "send less: shorter lists and texts, less nesting");
	return ANSWER_DENY;
}

enum answer jsonschema_judge(const struct jsonschema *s, const json_t *value, const char *prefix,
			     struct why *why)
{
	const struct spot whole = {.value = value};
	struct judging j = {.schema = s, .steps = STEPS_MAX, .prefix = prefix, .why = why};
	bool ok;

	*why = (struct why){0};
	ok = judge_subschema(&j, s->root, &whole, NULL);
	if (j.stopped)
		return give_up(&j);
	if (ok)
		return ANSWER_ALLOW;
	/* A refusal without words would be our mistake; it is a refusal all the same. */
	if (why->layer == WHY_NONE)
		(void)why_deny(why, WHY_POLICY, prefix, "args do not fit the schema");
	return ANSWER_DENY;
}

const json_t *jsonschema_document(const struct jsonschema *s)
{
	return s->document;
}
