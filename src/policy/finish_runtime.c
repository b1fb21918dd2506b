/* SPDX-License-Identifier: Apache-2.0 */
/* finish_runtime.c - do the settings of what runs code belong together, and which runs a tool's? */
#include <string.h>

#include "policy/reader.h"
#include "policy/runtimes.h"

enum { VALUE_MAX = 1000, MODULE_MAX = 120 };

/* They travel in lines, and as words of a command. */
static bool is_one_line(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return false;
	return true;
}

static const char *read_variable(struct reader *r, const struct node *n)
{
	const char *value;
	struct error err;
	char *ret;

	if (!read_is_variable(n->key->text)) {
		reader_complain(r, n->key,
				"the name of a variable has letters, digits and _ only, and does "
				"not begin with a digit");
		return NULL;
	}
	if (!read_text(r, n, &value))
		return NULL;
	if (strlen(value) > VALUE_MAX || !is_one_line(value)) {
		reader_complain(r, n, "a value here has at most %d characters, all on one line",
				VALUE_MAX);
		return NULL;
	}
	ret = arena_printf(&r->policy->arena, &err, "%s=%s", n->key->text, value);
	if (!ret)
		reader_complain(r, n, "the policy %s", err.text);
	return ret;
}

void own_runtime_env(struct reader *r, const struct node *n, void *target)
{
	struct words *env = target;

	if (!read_map(r, n))
		return;
	if (n->n > WARM_ENV_MAX) {
		reader_complain(r, n, "at most %d variables are read here", WARM_ENV_MAX);
		return;
	}
	env->word = reader_alloc(r, n, n->n, sizeof(*env->word));
	for (const struct node *c = n->first; env->word && c; c = c->next) {
		size_t old = reader_enter_key(r, c->key->text);

		env->word[env->n] = read_variable(r, c);
		env->n += env->word[env->n] != NULL;
		reader_leave(r, old);
	}
}

/* a.b_c: what stands behind "import", in ASCII. */
static bool is_module(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				   "0123456789";

	if (strlen(text) > MODULE_MAX)
		return false;
	for (;; text++) {
		if (strspn(text, letters) == 0)
			return false;
		text += strspn(text, more);
		if (*text != '.')
			return *text == '\0';
	}
}

static void check_modules(struct reader *r, const struct node *n, const struct runtime *t)
{
	const struct node *list = node_find(n, "modules");
	const struct node *item = list && list->kind == NODE_LIST ? list->first : NULL;
	size_t old = reader_enter_key(r, "modules");

	if (list && t->language != WARM_NOT && t->language != WARM_PYTHON)
		reader_complain(r, list, "only python has modules that are imported ahead");
	reader_leave(r, old);
	for (size_t i = 0; item && i < t->modules.n; i++, item = item->next) {
		old = reader_enter(r, ".modules[%zu]", i);
		if (!is_module(t->modules.word[i]))
			reader_complain(r, item, "'%.60s' is no name of a module, such as os.path",
					t->modules.word[i]);
		reader_leave(r, old);
	}
}

static bool is_program(const char *word)
{
	return is_one_line(word) && !strpbrk(word, " ?*") && word[0] != '-' &&
	       (word[0] == '/' || !strchr(word, '/'));
}

void finish_runtime(struct reader *r, const struct node *n, void *target)
{
	struct runtime *t = target;
	const struct node *language = node_find(n, "language");
	enum warm_kind known = t->name ? runtime_kind(t->name) : WARM_NOT;
	size_t old = reader_enter_key(r, "language");

	/* Whoever reads "python" must not get something else. */
	if (known != WARM_NOT && t->language != WARM_NOT && t->language != known)
		reader_complain(r, language ? language : n, "the runtime %s is for the language %s",
				t->name, t->name);
	reader_leave(r, old);
	if (!t->program && t->language != WARM_NOT)
		t->program = runtime_builtin(t->language)->program;
	old = reader_enter_key(r, "program");
	if (t->program && !is_program(t->program))
		reader_complain(r, node_find(n, "program"),
				"'%.60s' is neither the name of a program nor an absolute path",
				t->program);
	reader_leave(r, old);
	check_modules(r, n, t);
}

static const struct runtime *find(const struct reader *r, const char *name)
{
	enum warm_kind kind = runtime_kind(name);

	for (size_t i = 0; i < r->runtimes->n; i++)
		if (r->runtimes->list[i].name && strcmp(r->runtimes->list[i].name, name) == 0)
			return &r->runtimes->list[i];
	return runtime_builtin(kind);
}

static void complain_unknown(struct reader *r, const struct node *n, const char *name)
{
	const char *names[WARM_COUNT + 64] = {NULL};
	size_t at = 0;
	char near[80];

	for (int i = WARM_NOT + 1; i < WARM_COUNT; i++)
		names[at++] = warm_kind_name((enum warm_kind)i);
	for (size_t i = 0; i < r->runtimes->n && at + 1 < sizeof(names) / sizeof(names[0]); i++)
		names[at++] = r->runtimes->list[i].name;
	reader_suggest(name, names, near, sizeof(near));
	reader_complain(r, n, "there is no runtime '%.64s'%s", name, near);
}

static bool has_language(const struct tool *t, const char *language)
{
	size_t len = strlen(language);

	for (size_t i = 0; i < t->languages.n; i++)
		if (strncmp(t->languages.word[i], language, len) == 0 &&
		    (t->languages.word[i][len] == '\0' || t->languages.word[i][len] == '?'))
			return true;
	return false;
}

static void take_runtime(struct reader *r, const struct node *n, const char *name, struct tool *t)
{
	const struct runtime *found = find(r, name);

	if (!found)
		complain_unknown(r, n, name);
	else if (found->language == WARM_NOT)
		return; /* was complained about where it is written */
	else if (!has_language(t, warm_kind_name(found->language)))
		reader_complain(r, n, "'%.64s' is for the language %s, which this tool has not",
				name, warm_kind_name(found->language));
	else if (t->runtimes[found->language])
		reader_complain(r, n, "'%.64s' is the second one for the language %s", name,
				warm_kind_name(found->language));
	else
		t->runtimes[found->language] = found;
}

void finish_tool_runtimes(struct reader *r, const struct node *n, struct tool *t)
{
	const struct node *list = node_find(n, "runtimes");
	const struct node *item = list && list->kind == NODE_LIST ? list->first : NULL;

	if (t->kind != KIND_CODE)
		return;
	for (size_t i = 0; item && i < t->runtime_names.n; i++, item = item->next) {
		size_t old = reader_enter(r, ".runtimes[%zu]", i);

		take_runtime(r, item, t->runtime_names.word[i], t);
		reader_leave(r, old);
	}
	for (int i = WARM_NOT + 1; i < WARM_COUNT; i++)
		if (!t->runtimes[i])
			t->runtimes[i] = find(r, warm_kind_name((enum warm_kind)i));
}
