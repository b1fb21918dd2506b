/* SPDX-License-Identifier: Apache-2.0 */
/* argcheck.c - at load: is each declared argument possible?
 *
 * A bound that its type does not know, a default that its own rule refuses, a
 * root that is no directory of the owner's choice: all of them would be found
 * by the first caller instead, or by nobody.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "base/jsonread.h"
#include "base/match.h"
#include "base/own.h"
#include "base/text.h"
#include "policy/argspot.h"
#include "policy/url.h"

struct checking {
	struct policy *policy;
	struct complaints *ret;
	size_t depth;
};

/* key NULL: about the argument as a whole. */
__attribute__((format(printf, 5, 6))) static void complain_about(const struct checking *c,
								 const struct arg_rule *r,
								 const char *path, const char *key,
								 const char *fmt, ...)
{
	char text[400], where[200];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	(void)snprintf(where, sizeof(where), "%s%s%s", path, key ? "." : "", key ? key : "");
	complain(c->ret, r->place, where, "%s", text);
}

#define TYPE(t) (1u << (t))
enum {
	NUMBERS = TYPE(ARG_INTEGER) | TYPE(ARG_NUMBER),
	TEXTS = TYPE(ARG_STRING) | TYPE(ARG_PATH) | TYPE(ARG_URL),
	ALL_BUT_PATH = ((1u << ARG_COUNT) - 2) & ~TYPE(ARG_PATH),
};

/* One setting: is it written, for which types does it mean something, and for which of these is it
 * needed, because without it they allow nothing? */
struct fit {
	const char *key;
	bool written;
	unsigned types;
	unsigned needed_by;
	const char *instead; /* for other types */
	const char *example;
};

static void check_fit(const struct checking *c, const struct arg_rule *r, const char *path,
		      const struct fit *f)
{
	if (f->written && !(f->types & TYPE(r->type)))
		complain_about(c, r, path, f->key, "means nothing for the type %s%s",
			       arg_type_name(r->type), f->instead ? f->instead : "");
	if (!f->written && (f->needed_by & TYPE(r->type)))
		complain_about(c, r, path, f->key, "is missing: the type %s needs it, as in %s",
			       arg_type_name(r->type), f->example);
}

static void check_fits(const struct checking *c, const struct arg_rule *r, const char *path)
{
	const unsigned sized = TEXTS | TYPE(ARG_LIST), paths = TYPE(ARG_PATH), urls = TYPE(ARG_URL),
		       lists = TYPE(ARG_LIST), objects = TYPE(ARG_OBJECT);
	const struct fit fits[] = {
		{"min", r->has_min, NUMBERS, 0, "; for lengths there is min_len", NULL},
		{"max", r->has_max, NUMBERS, 0, "; for lengths there is max_len", NULL},
		{"min_len", r->min_len > 0, sized, 0, "; for numbers there is min", NULL},
		{"max_len", r->max_len > 0, sized, 0, "; for numbers there is max", NULL},
		{"pattern", r->pattern, TEXTS, 0, NULL, NULL},
		{"enum", r->allowed, ALL_BUT_PATH, TYPE(ARG_ENUM), "; a path has match",
		 "enum: [fast, exact]"},
		{"multiline", r->multiline, TYPE(ARG_STRING), 0, NULL, NULL},
		{"under", r->under.n, paths, paths, NULL, "under: [/data/public]"},
		{"match", r->globs.n, paths, 0, "; a string has pattern", NULL},
		{"schemes", r->schemes.n, urls, 0, NULL, NULL},
		{"hosts", r->hosts.n, urls, urls, NULL, "hosts: [api.example.com]"},
		{"ports", r->ports.n, urls, 0, NULL, NULL},
		{"items", r->items, lists, lists, NULL, "items: { type: string }"},
		{"fields", r->fields.n, objects, objects, NULL,
		 "fields: { name: { type: string } }"},
	};

	for (size_t i = 0; i < ARRAY_LEN(fits); i++)
		check_fit(c, r, path, &fits[i]);
}

static bool is_bound(const struct arg_rule *r, const json_t *bound)
{
	return r->type == ARG_INTEGER ? json_is_integer(bound) : json_is_number(bound);
}

static void check_bounds(const struct checking *c, const struct arg_rule *r, const char *path)
{
	const char *kind = r->type == ARG_INTEGER ? "an integer" : "a number";
	uint64_t most = r->type == ARG_LIST ? (uint64_t)ARG_LIST_MAX : (uint64_t)ARG_STRING_MAX;
	bool min = r->has_min && is_bound(r, r->min), max = r->has_max && is_bound(r, r->max);

	if (r->has_min && !min)
		complain_about(c, r, path, "min", "is %s, not %s", jsonread_kind(r->min), kind);
	if (r->has_max && !max)
		complain_about(c, r, path, "max", "is %s, not %s", jsonread_kind(r->max), kind);
	if (min && max && value_compare(r->min, r->max) > 0)
		complain_about(c, r, path, "max", "is less than min");
	most = r->max_len ? r->max_len : most;
	if (r->min_len > most)
		complain_about(c, r, path, "min_len", "is more than max_len (%" PRIu64 ")", most);
}

static void check_pattern(const struct checking *c, struct arg_rule *r, const char *path)
{
	struct error err = {0};
	struct match *m;

	if (!r->pattern || r->match)
		return;
	m = match_new(r->pattern, &err);
	if (!m || policy_keep_match(c->policy, m, &err) < 0)
		complain_about(c, r, path, "pattern", "%s", err.text);
	else
		r->match = m;
}

static void check_root(const struct checking *c, const struct arg_rule *r, const char *path,
		       const char *root)
{
	static const char *const never[] = {"/proc", "/sys", "/dev"};
	const char *wrong = path_complaint(root);
	own_fd fd = -1;

	if (strcmp(root, "/") == 0)
		wrong = "is the whole host";
	for (size_t i = 0; !wrong && i < ARRAY_LEN(never); i++) {
		size_t len = strlen(never[i]);

		if (strncmp(root, never[i], len) == 0 && (root[len] == '/' || !root[len]))
			wrong = "is the kernel's, not a place for files";
	}
	if (wrong) {
		complain_about(c, r, path, "under", "'%.100s' %s", root, wrong);
		return;
	}
	/* It may come later; but a link would make every call fail. */
	fd = path_open_root(root);
	if (fd < 0 && errno == ELOOP)
		complain_about(c, r, path, "under",
			       "'%.100s' goes through a symbolic link; name where it leads", root);
}

static void check_port(const struct checking *c, const struct arg_rule *r, const char *path,
		       const char *port)
{
	struct error err = {0};
	uint64_t value = 0;

	if (text_parse_uint(port, &value, &err) < 0 || value < 1 || value > 65535 || port[0] == '0')
		complain_about(c, r, path, "ports", "'%.40s' is not a number from 1 to 65535",
			       port);
}

static void check_words(const struct checking *c, const struct arg_rule *r, const char *path)
{
	struct error err = {0};

	for (size_t i = 0; i < r->under.n; i++)
		check_root(c, r, path, r->under.word[i]);
	for (size_t i = 0; i < r->globs.n; i++)
		if (glob_check(r->globs.word[i], &err) < 0)
			complain_about(c, r, path, "match", "%s", err.text);
	for (size_t i = 0; i < r->schemes.n; i++)
		if (!url_scheme_port(r->schemes.word[i]))
			complain_about(c, r, path, "schemes",
				       "'%.40s' is not one of http, https, ws, wss",
				       r->schemes.word[i]);
	for (size_t i = 0; i < r->hosts.n; i++)
		if (url_check_host_pattern(r->hosts.word[i], &err) < 0)
			complain_about(c, r, path, "hosts", "%s", err.text);
	for (size_t i = 0; i < r->ports.n; i++)
		check_port(c, r, path, r->ports.word[i]);
}

/* A value that the owner wrote goes through the same judge as a caller's. */
static void check_value(const struct checking *c, const struct arg_rule *r, const char *path,
			const char *key, const json_t *value)
{
	struct path_grants none = {0};
	struct why why = {0};
	struct judging j = {.prefix = "", .grants = &none, .at_load = true, .why = &why};
	struct spot s = {.rule = r};
	own_json made = NULL;

	if (value_judge_any(&j, &s, value, &made) == ANSWER_DENY)
		complain_about(c, r, path, key, "its own rule refuses it: %s; %s", why.what,
			       why.hint);
	path_grants_done(&none);
}

static void check_values(const struct checking *c, const struct arg_rule *r, const char *path)
{
	size_t n = json_array_size(r->allowed);

	if (r->allowed && n == 0)
		complain_about(c, r, path, "enum", "is no list of values, or an empty one");
	for (size_t i = 0; i < n; i++)
		check_value(c, r, path, "enum", json_array_get(r->allowed, i));
	if (r->standard)
		check_value(c, r, path, "default", r->standard);
}

static bool is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	static const char more[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-";
	size_t len = strlen(name);

	return len >= 1 && len <= 64 && strchr(letters, name[0]) && strspn(name, more) == len;
}

static void check_rule(struct checking *c, struct arg_rule *r, const char *path);

static void check_members(struct checking *c, struct arg_rules *rules, const char *path,
			  const char *between)
{
	for (size_t i = 0; i < rules->n; i++) {
		struct arg_rule *r = &rules->rule[i];
		char inner[200];

		(void)snprintf(inner, sizeof(inner), "%s%s%.64s", path, between, r->name);
		if (!is_name(r->name))
			complain_about(
				c, r, inner, NULL,
				"a name is at most 64 letters, digits, '_', '.' and '-', and "
				"begins with a letter or '_'");
		check_rule(c, r, inner);
	}
}

/* Those within come first: a default is judged by them too. */
static void check_inner(struct checking *c, struct arg_rule *r, const char *path)
{
	char inner[200];

	if (c->depth == ARG_DEPTH_MAX) {
		complain_about(c, r, path, NULL, "lists and objects are nested more than %d deep",
			       ARG_DEPTH_MAX);
		return;
	}
	c->depth++;
	(void)snprintf(inner, sizeof(inner), "%s.items", path);
	if (r->items)
		check_rule(c, r->items, inner);
	check_members(c, &r->fields, path, ".fields.");
	c->depth--;
}

static void check_rule(struct checking *c, struct arg_rule *r, const char *path)
{
	size_t before = c->ret->n;

	if (r->type <= ARG_NONE || r->type >= ARG_COUNT) {
		complain_about(c, r, path, "type",
			       "is missing: one of integer, number, boolean, string, enum, path, "
			       "url, list, object");
		return;
	}
	check_fits(c, r, path);
	check_bounds(c, r, path);
	check_pattern(c, r, path);
	check_words(c, r, path);
	if (r->items || r->fields.n)
		check_inner(c, r, path);
	if (c->ret->n == before && !c->ret->cut)
		check_values(c, r, path);
}

void arguments_check(struct arg_rules *rules, const char *path, struct policy *p,
		     struct complaints *ret)
{
	struct checking c = {.policy = p, .ret = ret};

	check_members(&c, rules, path, ".");
}
