/* SPDX-License-Identifier: Apache-2.0 */
/* runwords.c - what was typed after belljar run, as it is written down.
 *
 * Words are cleaned one by one, for JSON's escapes could hide what is in them, and all of a command
 * together, in which one word may tell what the next one is: curl -u name:password.  Of variables
 * only the names are written down.
 */
#include "oneshot/runwords.h"

#include <stdlib.h>
#include <string.h>

#include "base/jsonout.h"
#include "base/own.h"

enum { WORDS_BYTES_MAX = 32 << 20 };

struct writing {
	struct jsonout j;
	run_cleaner *clean;
	void *context;
	struct error *err;
};

static void put_text(struct writing *w, const char *key, const char *text, size_t len)
{
	own_str clean = NULL;
	size_t clean_len;

	if (w->j.failed)
		return;
	clean = w->clean(w->context, text, len, &clean_len, w->err);
	if (!clean)
		w->j.failed = true;
	else
		jsonout_bytes(&w->j, key, clean, clean_len);
}

static int join(char *const *words, struct buf *ret, struct error *err)
{
	for (; *words; words++)
		if ((ret->len && buf_add_str(ret, " ", err) < 0) ||
		    buf_add_str(ret, *words, err) < 0)
			return -1;
	return 0;
}

/* Together they may tell more than one by one: then they are written as one text. */
static void put_words(struct writing *w, const char *key, char *const *words)
{
	own(buf) line;
	own_str clean = NULL;
	size_t len;

	buf_init(&line, WORDS_BYTES_MAX);
	if (w->j.failed || join(words, &line, w->err) < 0) {
		w->j.failed = true;
		return;
	}
	clean = w->clean(w->context, buf_str(&line), line.len, &len, w->err);
	if (!clean) {
		w->j.failed = true;
		return;
	}
	jsonout_array(&w->j, key);
	if (len != line.len || memcmp(clean, buf_str(&line), len) != 0)
		jsonout_bytes(&w->j, NULL, clean, len);
	else
		for (; *words; words++)
			put_text(w, NULL, *words, strlen(*words));
	jsonout_array_end(&w->j);
}

static void put_env(struct writing *w, char *const *env)
{
	if (!env || !env[0])
		return;
	jsonout_array(&w->j, "env");
	for (; *env; env++)
		put_text(w, NULL, *env, strcspn(*env, "="));
	jsonout_array_end(&w->j);
}

static void put_grants(struct writing *w, const struct profile *p, const char *key, bool write)
{
	bool any = false;

	for (size_t i = 0; i < p->n_grants; i++) {
		const struct grant *g = &p->grants[i];

		if (g->write != write)
			continue;
		if (!any)
			jsonout_array(&w->j, key);
		any = true;
		put_text(w, NULL, g->source, strlen(g->source));
	}
	if (any)
		jsonout_array_end(&w->j);
}

static void put_files(struct writing *w, const struct request *r)
{
	bool any = false;

	if (r->n_gets) {
		jsonout_array(&w->j, "get");
		for (size_t i = 0; i < r->n_gets; i++)
			put_text(w, NULL, r->gets[i].glob, strlen(r->gets[i].glob));
		jsonout_array_end(&w->j);
	}
	for (size_t i = 0; i < r->n_puts; i++) {
		if (!r->puts[i].source)
			continue;
		if (!any)
			jsonout_array(&w->j, "put");
		any = true;
		put_text(w, NULL, r->puts[i].source, strlen(r->puts[i].source));
	}
	if (any)
		jsonout_array_end(&w->j);
}

char *run_words_json(const struct run_words *words, run_cleaner *clean, void *context,
		     size_t *ret_len, struct error *err)
{
	const struct request *r = words->request;
	struct writing w = {.clean = clean, .context = context, .err = err};
	own(buf) text;

	buf_init(&text, (size_t)2 * WORDS_BYTES_MAX);
	jsonout_start(&w.j, &text, err);
	jsonout_object(&w.j, NULL);
	if (words->code)
		put_text(&w, "code", words->code, words->code_len);
	put_words(&w, "command", words->words);
	put_env(&w, words->env);
	put_files(&w, r);
	if (words->language)
		jsonout_str(&w.j, "language", words->language);
	put_grants(&w, &r->profile, "read", false);
	put_grants(&w, &r->profile, "write", true);
	jsonout_object_end(&w.j);
	if (jsonout_end(&w.j) < 0 || text.cut) {
		if (err->kind == ERR_NONE)
			(void)fail(err, ERR_CALLER, "the command is too long to be written down");
		return NULL;
	}
	*ret_len = text.len;
	return TAKE(text.data);
}
