/* SPDX-License-Identifier: Apache-2.0 */
/* finish_tool.c - do the settings of one tool belong together? */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/jsonread.h"
#include "base/own.h"
#include "call/language.h"
#include "policy/arguments.h"
#include "policy/jsonschema.h"
#include "policy/reader.h"
#include "policy/runtimes.h"
#include "policy/sources.h"
#include "policy/url.h"

void prepare_tool(struct reader *r, void *target)
{
	struct tool *t = target;
	const struct defaults *d = r->defaults;

	t->limits = d->limits;
	t->screen = d->screen;
	t->redact = d->redact;
	t->concurrency = d->concurrency;
	if (d->rates.n || d->rates.unlimited)
		t->rates = d->rates;
}

/* Complains at the setting if it was written, else at the tool. */
static void complain_at(struct reader *r, const struct node *n, const char *key, const char *words)
{
	const struct node *at = node_find(n, key);
	size_t old = reader_enter_key(r, key);

	if (!at)
		at = n->key ? n->key : n;
	reader_complain(r, at, "%s", words);
	reader_leave(r, old);
}

/* Settings that mean something for some kinds only. */
static const struct {
	const char *key;
	enum tool_kind kinds[3];
	bool with_exec; /* a command must have it */
	const char *words;
} belongings[] = {
	{"languages", {KIND_CODE}, false, "only kind code has languages"},
	{"exec", {KIND_COMMAND}, false, "only kind command has exec"},
	{"programs", {KIND_COMMAND}, false, "only kind command has programs"},
	{"args",
	 {KIND_COMMAND, KIND_FETCH},
	 true,
	 "only kind command with exec, and kind fetch, have arguments of their own"},
	{"schema", {KIND_COMMAND}, true, "only kind command with exec has a schema"},
	{"sessions", {KIND_CODE, KIND_COMMAND}, false, "kind fetch has no box to keep"},
	{"artifacts", {KIND_CODE, KIND_COMMAND}, false, "kind fetch has no box to leave files in"},
	{"warm", {KIND_CODE}, false, "only kind code has warm"},
	{"runtimes", {KIND_CODE}, false, "only kind code has runtimes"},
	{"input", {KIND_COMMAND}, true, "only kind command with exec has input"},
};

static void check_belongings(struct reader *r, const struct node *n, const struct tool *t)
{
	for (size_t i = 0; i < ARRAY_LEN(belongings); i++) {
		bool fits = false;

		if (!node_find(n, belongings[i].key))
			continue;
		for (size_t k = 0; k < ARRAY_LEN(belongings[i].kinds); k++)
			fits = fits || belongings[i].kinds[k] == t->kind;
		if (t->kind == KIND_COMMAND && belongings[i].with_exec && !node_find(n, "exec"))
			fits = false;
		if (!fits)
			complain_at(r, n, belongings[i].key, belongings[i].words);
	}
}

static bool has_url(const struct arg_rules *args)
{
	for (size_t i = 0; i < args->n; i++)
		if (args->rule[i].type == ARG_URL)
			return true;
	return false;
}

static void check_needs(struct reader *r, const struct node *n, const struct tool *t)
{
	bool args = node_find(n, "args"), schema = node_find(n, "schema");

	if (t->kind == KIND_CODE && !node_find(n, "languages"))
		complain_at(r, n, "languages", "kind code needs languages");
	if (t->kind == KIND_COMMAND && !node_find(n, "exec") && !node_find(n, "programs"))
		complain_at(r, n, "exec", "kind command needs exec or programs");
	if (t->kind == KIND_FETCH && !has_url(&t->args))
		complain_at(r, n, "args", "kind fetch needs an argument of type url");
	/* What is not looked at must not look as if it was. */
	if (node_find(n, "screen") && (t->kind == KIND_FETCH || node_find(n, "exec")))
		complain_at(
			r, n, "screen",
			"nothing is screened here: with exec, and for kind fetch, args say what "
			"a value may be");
	if (args && schema)
		complain_at(r, n, "schema", "there is args already: one of the two says it all");
}

/* A program is found by its name alone, or by a whole path. */
static bool is_program(const char *word)
{
	return word[0] && (word[0] == '/' || !strchr(word, '/')) && !strpbrk(word, " \t\n?*");
}

/* Is it in the box's PATH?  root: NULL for the host's. */
static bool is_installed(const char *program, const char *root)
{
	static const char *const places[] = {"/usr/local/bin/",  "/usr/bin/",  "/bin/",
					     "/usr/local/sbin/", "/usr/sbin/", "/sbin/"};
	char path[PATH_MAX];
	struct stat st;
	int len;

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		len = snprintf(path, sizeof(path), "%s%s%s", root ? root : "",
			       program[0] == '/' ? "" : places[i], program);
		/* Links lead elsewhere when they are beneath a root: it is enough that they are. */
		if (len > 0 && (size_t)len < sizeof(path) && lstat(path, &st) == 0)
			return true;
	}
	return false;
}

static const char *program_of(const struct tool *t, const char *word, bool language)
{
	const struct language *found;
	enum warm_kind kind;
	struct error err;

	if (!language)
		return word;
	kind = runtime_kind(word);
	if (t->runtimes[kind])
		return t->runtimes[kind]->program;
	found = language_find(word, &err);
	return found ? found->program : word;
}

/* Takes the question marks off, and out what is not there. */
static void keep_installed(struct reader *r, const struct node *n, struct tool *t,
			   struct words *words, bool language)
{
	size_t kept = 0, had = words->n;

	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->word[i];
		size_t len = strlen(word);
		struct error err;

		if (len > 1 && word[len - 1] == '?') {
			word = arena_copy(&r->policy->arena, word, len - 1, &err);
			if (!word) {
				reader_complain(r, n, "the policy %s", err.text);
				return;
			}
			if (!is_installed(program_of(t, word, language), t->root))
				continue;
		}
		words->word[kept++] = word;
	}
	words->n = kept;
	/* An empty list means "everything" to some who read it. */
	if (had && !kept)
		t->decision = DECISION_DENY;
}

static void check_programs(struct reader *r, const struct node *n, struct tool *t)
{
	const struct node *list = node_find(n, "programs");
	size_t old = reader_enter_key(r, "programs");
	bool found = t->exec.n == 0;

	for (size_t i = 0; list && i < t->programs.n; i++) {
		if (!is_program(t->programs.word[i]))
			reader_complain(r, list,
					"'%.60s' is neither the name of a program nor an absolute "
					"path",
					t->programs.word[i]);
		found = found || strcmp(t->programs.word[i], t->exec.word[0]) == 0;
	}
	if (list && !found && t->programs.n)
		reader_complain(r, list, "'%.60s', which exec runs, is not among them",
				t->exec.word[0]);
	/* Only what runs exists. */
	if (!list && t->exec.n)
		t->programs = (struct words){t->exec.word, 1};
	reader_leave(r, old);
}

static void check_exec(struct reader *r, const struct node *n, const struct tool *t)
{
	if (!t->exec.n)
		return;
	if (!strpbrk(t->exec.word[0], "{}") && !is_program(t->exec.word[0]))
		complain_at(r, n, "exec",
			    "the first word must be the name of a program or an absolute path");
}

static void check_hosts(struct reader *r, const struct node *n, const struct tool *t)
{
	const struct node *list = node_find(n, "hosts");
	size_t old = reader_enter_key(r, "hosts");
	struct error err;

	for (size_t i = 0; list && i < t->hosts.n; i++)
		if (url_check_host_pattern(t->hosts.word[i], &err) < 0)
			reader_complain(r, list, "%s", err.text);
	reader_leave(r, old);
}

static void check_root(struct reader *r, const struct node *n, struct tool *t)
{
	if (t->root && strcmp(t->root, "host") == 0)
		t->root = NULL;
	if (t->root && t->root[0] != '/')
		complain_at(r, n, "root", "must be the word host or an absolute path");
}

/* Undeclared arguments are denied: a schema that says nothing of them would let them through. */
static int check_closed(const json_t *document, struct error *err)
{
	if (json_is_false(document) || json_object_get(document, "additionalProperties") ||
	    json_object_get(document, "unevaluatedProperties"))
		return 0;
	if (!json_is_object(document) && !json_is_true(document))
		return 0; /* no schema at all: its reader says so */
	return fail(
		err, ERR_CALLER,
		"says nothing of arguments that it does not name; add \"additionalProperties\": "
		"false (or true, if any may come)");
}

static void read_schema(struct reader *r, const struct node *n, struct tool *t)
{
	const struct node *file = node_find(n, "schema");
	size_t old = reader_enter_key(r, "schema");
	struct source source;
	own_json document = NULL;
	struct error err;

	if (sources_add_data(r->sources, r, file, t->schema_file, &source) == 0) {
		document = jsonread(source.data, source.len, YAML_BYTES_MAX, &err);
		if (document && check_closed(document, &err) == 0)
			t->schema = jsonschema_new(document, &err);
		if (t->schema && policy_keep_schema(r->policy, t->schema, &err) < 0)
			t->schema = NULL;
		if (!t->schema)
			reader_complain(r, file, "%.200s: %s", t->schema_file, err.text);
	}
	reader_leave(r, old);
}

/* What is left of path behind the reader's own; NULL: it is another, or was cut or escaped. */
static const char *beneath(const struct reader *r, const char *path)
{
	const char *own = r->path + 1;

	for (; *own && *own == *path; own++)
		path++;
	return *own ? NULL : path;
}

static bool complained_beneath(const struct reader *r)
{
	for (size_t i = 0; i < r->complaints->n; i++)
		if (beneath(r, r->complaints->list[i].path))
			return true;
	return r->complaints->cut;
}

/* Follows ".limit.max" or "[2]" from n as far as there is something. */
static const struct node *follow(const struct node *n, const char *path)
{
	const struct node *best = NULL;
	size_t best_len = 0;

	/* Names may hold dots: the longest that fits is meant. */
	for (const struct node *c = n->kind == NODE_MAP ? n->first : NULL; c; c = c->next) {
		size_t len = strlen(c->key->text);

		if (path[0] == '.' && strncmp(path + 1, c->key->text, len) == 0 &&
		    strchr(".[", path[1 + len]) && len >= best_len) {
			best = c;
			best_len = len;
		}
	}
	return best ? follow(best, path + 1 + best_len) : n;
}

/* arguments_check() knows where an argument begins, not where each of its settings stands. */
static void find_places(struct reader *r, const struct node *args, size_t from)
{
	for (size_t i = from; i < r->complaints->n; i++) {
		struct complaint *c = &r->complaints->list[i];
		const char *rest = beneath(r, c->path);
		const struct node *n = rest ? follow(args, rest) : NULL;

		if (!n)
			continue;
		c->place.line = n->place.line;
		c->place.column = n->place.column;
	}
}

static void check_arguments(struct reader *r, const struct node *n, struct tool *t)
{
	const struct node *args = node_find(n, "args"), *exec = node_find(n, "exec");
	size_t old = reader_enter_key(r, "args"), before = r->complaints->n;

	/* Of an argument that cannot be read there is nothing more to say. */
	if (!complained_beneath(r)) {
		arguments_check(&t->args, r->path + 1, r->policy, r->complaints);
		if (args)
			find_places(r, args, before);
	}
	reader_leave(r, old);
	old = reader_enter_key(r, "exec");
	if (exec && t->exec.n)
		template_check(&t->exec, t->schema_file ? NULL : &t->args, r->path + 1, exec->place,
			       r->complaints);
	reader_leave(r, old);
}

static bool has_variable(const struct tool *t, const struct secret *but)
{
	for (size_t i = 0; i < t->n_env; i++)
		if (strcmp(t->env[i].name, but->env) == 0)
			return true;
	for (const struct secret *s = t->secrets; s < but; s++)
		if (s->env && strcmp(s->env, but->env) == 0)
			return true;
	return false;
}

static void check_secrets(struct reader *r, const struct node *n, const struct tool *t)
{
	for (size_t i = 0; i < t->n_secrets; i++) {
		const struct secret *s = &t->secrets[i];

		if (s->env && has_variable(t, s))
			complain_at(r, n, "secrets", "there is a variable of that name already");
		if (s->canary && t->redact.off)
			complain_at(r, n, "secrets",
				    "nobody would see the canary: redact is off here");
	}
}

/* What the loader of programs obeys is not a caller's to say. */
static void check_env_allow(struct reader *r, const struct node *n, const struct tool *t)
{
	for (size_t i = 0; i < t->env_allow.n; i++) {
		const char *name = t->env_allow.word[i];

		if (!read_is_variable(name))
			complain_at(r, n, "env_allow",
				    "the name of a variable has letters, digits and _ only, and "
				    "does not begin with a digit");
		else if (strncmp(name, "LD_", 3) == 0 || strcmp(name, "GLIBC_TUNABLES") == 0)
			complain_at(r, n, "env_allow",
				    "LD_... and GLIBC_TUNABLES change which code a program loads: "
				    "callers cannot have them");
	}
}

void finish_tool(struct reader *r, const struct node *n, void *target)
{
	struct tool *t = target;

	check_root(r, n, t);
	finish_tool_runtimes(r, n, t);
	keep_installed(r, n, t, &t->languages, true);
	keep_installed(r, n, t, &t->programs, false);
	if (t->kind != KIND_NONE) {
		check_belongings(r, n, t);
		check_needs(r, n, t);
	}
	check_exec(r, n, t);
	check_programs(r, n, t);
	check_hosts(r, n, t);
	check_secrets(r, n, t);
	check_env_allow(r, n, t);
	check_arguments(r, n, t);
	if (t->schema_file)
		read_schema(r, n, t);
}
