/* SPDX-License-Identifier: Apache-2.0 */
/* readown.c - settings whose form no row can say: uids, layers, variables, mounts, modes. */
#include <string.h>

#include "base/glob.h"
#include "base/own.h"
#include "policy/reader.h"

enum { UIDS_MAX = 1000, VARIABLES_MAX = 128 };

void own_layers(struct reader *r, const struct node *n, void *target)
{
	const char *names[LAYER_COUNT + 1] = {NULL};
	struct words words;
	uint32_t bits = 0;
	char near[80];

	for (int i = 0; i < LAYER_COUNT; i++)
		names[i] = layer_name((enum layer)i);
	if (!read_texts(r, n, &words))
		return;
	for (size_t i = 0; i < words.n; i++) {
		int layer = layer_by_name(words.word[i]);

		if (layer < 0) {
			reader_suggest(words.word[i], names, near, sizeof(near));
			reader_complain(r, n, "there is no layer '%.60s'%s", words.word[i], near);
		} else {
			bits |= 1U << layer;
		}
	}
	*(uint32_t *)target = bits;
}

static void read_uid_list(struct reader *r, const struct node *n, struct client *ret)
{
	size_t at = 0;

	if (n->n > UIDS_MAX) {
		reader_complain(r, n, "at most %d uids are read here", UIDS_MAX);
		return;
	}
	ret->uids = reader_alloc(r, n, n->n, sizeof(*ret->uids));
	if (!ret->uids)
		return;
	for (const struct node *c = n->first; c; c = c->next, at++) {
		size_t old = reader_enter(r, "[%zu]", at);
		uint64_t uid;

		/* The last number means "no user" to the kernel. */
		if (read_count(r, c, 0, UINT32_MAX - 1, &uid))
			ret->uids[ret->n_uids++] = (uid_t)uid;
		reader_leave(r, old);
	}
}

void own_uids(struct reader *r, const struct node *n, void *target)
{
	struct client *c = target;
	struct node list = {.kind = NODE_LIST, .place = n->place, .n = 1};
	struct node one = *n;

	if (n->kind == NODE_SCALAR && strcmp(n->text, "any") == 0) {
		c->any_uid = true;
	} else if (n->kind == NODE_LIST) {
		read_uid_list(r, n, c);
	} else if (n->kind == NODE_SCALAR && n->plain && n->text[0] >= '0' && n->text[0] <= '9') {
		one.next = NULL;
		list.first = &one;
		read_uid_list(r, &list, c);
	} else {
		reader_complain(r, n,
				"a number, a list of numbers or the word any is expected here, not "
				"%s%.60s",
				n->kind == NODE_SCALAR && n->text[0] ? "" : node_kind_name(n),
				n->kind == NODE_SCALAR ? n->text : "");
	}
}

bool read_is_variable(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				      "0123456789";

	return text[0] && !(text[0] >= '0' && text[0] <= '9') &&
	       strspn(text, letters) == strlen(text);
}

void own_env(struct reader *r, const struct node *n, void *target)
{
	struct tool *t = target;

	if (!read_map(r, n))
		return;
	if (n->n > VARIABLES_MAX) {
		reader_complain(r, n, "at most %d variables are read here", VARIABLES_MAX);
		return;
	}
	t->env = reader_alloc(r, n, n->n, sizeof(*t->env));
	if (!t->env)
		return;
	for (const struct node *c = n->first; c; c = c->next) {
		size_t old = reader_enter_key(r, c->key->text);
		struct variable *v = &t->env[t->n_env];

		v->name = c->key->text;
		if (!read_is_variable(v->name))
			reader_complain(r, c->key,
					"the name of a variable has letters, digits and _ only, "
					"and does not begin with a digit");
		else if (read_text(r, c, &v->value))
			t->n_env++;
		reader_leave(r, old);
	}
}

/* Absolute, and each part of it a name. */
static bool is_plain_path(const char *path)
{
	if (path[0] != '/')
		return false;
	while (*path) {
		size_t len = strcspn(++path, "/");

		if (len == 0 || (len == 1 && path[0] == '.') ||
		    (len == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		path += len;
	}
	return true;
}

static bool check_mount(struct reader *r, const struct node *n, const struct mount_rule *m)
{
	bool pattern = strpbrk(m->source, "*?[\\") != NULL;
	struct error err;

	if (!is_plain_path(m->source) || (m->inside && !is_plain_path(m->inside))) {
		reader_complain(r, n,
				"'%.80s' must be an absolute path without '.', '..' or empty parts",
				m->inside && is_plain_path(m->source) ? m->inside : m->source);
		return false;
	}
	if (pattern && m->inside) {
		reader_complain(r, n,
				"a pattern stands for many files: it cannot have a path "
				"inside of its own");
		return false;
	}
	if (pattern && strcspn(m->source + 1, "*?[\\") < strcspn(m->source + 1, "/")) {
		reader_complain(r, n, "'%.80s' is as wide as the host: begin with a directory",
				m->source);
		return false;
	}
	if (pattern && glob_check(m->source + 1, &err) < 0) {
		reader_complain(r, n, "%s", err.text);
		return false;
	}
	return true;
}

static bool read_mount(struct reader *r, const struct node *n, bool write, struct mount_rule *ret)
{
	struct mount_rule m = {.write = write, .place = n->place};
	const char *text, *colon;
	struct error err;

	if (!read_text(r, n, &text))
		return false;
	colon = strchr(text, ':');
	m.source = text;
	if (colon) {
		m.inside = colon + 1;
		m.source = arena_copy(&r->policy->arena, text, (size_t)(colon - text), &err);
	}
	if (!m.source) {
		reader_complain(r, n, "the policy %s", err.text);
		return false;
	}
	if (!check_mount(r, n, &m))
		return false;
	*ret = m;
	return true;
}

/* Which of two would be seen there?  A pattern's matches are not known yet. */
static void check_place_is_free(struct reader *r, const struct node *n, const struct tool *t)
{
	const struct mount_rule *m = &t->mounts[t->n_mounts];
	const char *place = m->inside ? m->inside : m->source;

	for (size_t i = 0; i < t->n_mounts; i++) {
		const struct mount_rule *o = &t->mounts[i];

		if (strcmp(o->inside ? o->inside : o->source, place) == 0)
			reader_complain(r, n, "there is a mount at '%.80s' already, in line %u",
					place, o->place.line);
	}
}

static void read_mounts(struct reader *r, const struct node *n, bool write, struct tool *t)
{
	struct mount_rule *all;
	size_t at = 0;

	if (!read_list(r, n))
		return;
	if (n->n + t->n_mounts > GRANTS_MAX) {
		reader_complain(r, n, "a tool has at most %d mounts", GRANTS_MAX);
		return;
	}
	all = reader_alloc(r, n, t->n_mounts + n->n, sizeof(*all));
	if (!all)
		return;
	if (t->n_mounts)
		memcpy(all, t->mounts, t->n_mounts * sizeof(*all));
	t->mounts = all;
	for (const struct node *c = n->first; c; c = c->next, at++) {
		size_t old = reader_enter(r, "[%zu]", at);

		if (read_mount(r, c, write, &t->mounts[t->n_mounts])) {
			check_place_is_free(r, c, t);
			t->n_mounts++;
		}
		reader_leave(r, old);
	}
}

void own_mounts_read(struct reader *r, const struct node *n, void *target)
{
	read_mounts(r, n, false, target);
}

void own_mounts_write(struct reader *r, const struct node *n, void *target)
{
	read_mounts(r, n, true, target);
}

static void read_mode(struct reader *r, const struct node *n, struct screen_policy *s)
{
	static const char *const names[] = {"block", "warn", "off", NULL};
	static const enum screen_mode modes[] = {SCREEN_BLOCK, SCREEN_WARN, SCREEN_OFF};
	const char *text;
	char near[80];

	if (!read_text(r, n, &text))
		return;
	for (size_t i = 0; i < ARRAY_LEN(modes); i++)
		if (strcmp(text, names[i]) == 0) {
			s->modes[s->n_modes++] =
				(struct screen_rule_mode){n->key->text, modes[i], n->key->place};
			return;
		}
	reader_suggest(text, names, near, sizeof(near));
	reader_complain(r, n, "expected: block, warn or off; not '%.60s'%s", text, near);
}

void own_screen_modes(struct reader *r, const struct node *n, void *target)
{
	struct screen_policy *s = target;

	if (!read_map(r, n))
		return;
	s->n_modes = 0;
	s->modes = reader_alloc(r, n, n->n, sizeof(*s->modes));
	for (const struct node *c = n->first; s->modes && c; c = c->next) {
		size_t old = reader_enter_key(r, c->key->text);

		read_mode(r, c, s);
		reader_leave(r, old);
	}
}
