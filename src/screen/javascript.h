/* SPDX-License-Identifier: Apache-2.0 */
/* javascript.h - between the files that read JavaScript. */
#ifndef SCREEN_JAVASCRIPT_H
#define SCREEN_JAVASCRIPT_H

#include "screen/findings.h"
#include "screen/syntax.h"

enum js_rule {
	JS_SYNTAX,
	JS_OBSCURE,
	JS_IMPORT,
	JS_DYNAMIC_IMPORT,
	JS_EVAL,
	JS_GLOBALS,
	JS_PROCESS,
	JS_KILL,
	JS_NETWORK,
	JS_NATIVE,
	JS_WRITE,
	JS_SECRETS,
	JS_PATHS,
	JS_ENVIRONMENT,
	JS_BLOB,
	JS_RULE_COUNT
};
extern const struct screen_row javascript_rows[JS_RULE_COUNT];
bool js_rule_for_name(const char *name, enum js_rule *ret);
bool js_rule_for_import(const char *module, enum js_rule *ret);

enum { JS_BUCKETS = 256, JS_NAME_MAX = 160, JS_CONSTANT_MAX = 16384 };

/* A name of the code's own, and one thing it stands for; a name may have several of these. */
struct js_binding {
	struct js_binding *next;
	const char *name;
	const char *value;
};

struct js {
	struct sieve *sieve;
	struct syntax *syntax;
	struct arena *scratch;
	struct js_binding *buckets[JS_BUCKETS];
	unsigned depth;
	bool changed;
	bool failed;
	bool obscure;
};

/* javascript_names.c.  NULL: nothing we know. */
const char *js_resolve(struct js *j, TSNode node);
/* An identifier or property with its \u escapes decoded. */
const char *js_word(struct js *j, TSNode node);
const char *js_join(struct js *j, const char *left, const char *right);
/* A string that can be worked out; NULL: none. */
const char *js_fold(struct js *j, TSNode node);
void js_bind(struct js *j, const char *name, const char *value);
/* "node:fs/promises" is "fs". */
const char *js_module(struct js *j, const char *name);
void js_collect(struct js *j, TSNode node);
bool js_is(TSNode node, const char *type);
TSNode js_field(TSNode node, const char *field);
TSNode js_argument(TSNode call, uint32_t n);

/* javascript.c */
void screen_javascript(struct sieve *s, struct syntax_budget *budget, enum syntax_end *ret_end);

#endif
