/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - files become a policy, or a list of what is wrong with them.
 *
 * The main file, what it includes (each file's own includes come right behind
 * it), then the drop-in directory.  A policy comes out only if nobody
 * complained: half of what the owner wrote is not what the owner wrote.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/trustfile.h"
#include "policy/builtin.h"
#include "policy/crosscheck.h"
#include "policy/policypack.h"
#include "policy/sources.h"

enum {
	POLICY_MEMORY_MAX = 64 << 20,
	DROPINS_MAX = SOURCES_MAX,
};

struct loader {
	struct policy *policy;
	struct complaints *complaints;
	struct sources sources;
	struct defaults defaults;               /* of the main file */
	struct runtimes runtimes;               /* the same */
	struct policy_text *texts[SOURCES_MAX]; /* in the order they were read */
	size_t n_texts;
	struct reference *references;
	size_t depth; /* of files that include each other */
};

static void loader_end(struct loader *l)
{
	sources_end(&l->sources);
	policy_free(l->policy);
}

static int complain_error(struct loader *l, struct place place, const struct error *err)
{
	complain(l->complaints, place, "", "%s", err->text);
	return -1;
}

static int start(struct loader *l, const char *name)
{
	struct place place = {name, 0, 0};
	struct error err;

	l->policy = calloc(1, sizeof(*l->policy));
	if (!l->policy) {
		(void)fail_sys(&err, "allocate a policy");
		return complain_error(l, place, &err);
	}
	arena_init(&l->policy->arena, POLICY_MEMORY_MAX);
	(void)snprintf(l->policy->source, sizeof(l->policy->source), "%s", name);
	return sources_init(&l->sources, l->policy, &err) < 0 ? complain_error(l, place, &err) : 0;
}

static void read_text_file(struct loader *l, const struct source *source);

static void read_include(struct loader *l, struct reader *r, const struct node *n)
{
	struct source source;

	if (l->depth > INCLUDE_DEPTH_MAX) {
		reader_complain(r, n, "files include each other more than %d deep",
				INCLUDE_DEPTH_MAX);
		return;
	}
	if (sources_add(&l->sources, r, n, n->text, &source) == 0)
		read_text_file(l, &source);
}

static void read_includes(struct loader *l, struct reader *r, const struct node *root,
			  const struct policy_text *text)
{
	const struct node *list = node_find(root, "include");
	size_t at = 0;

	if (!list || text->include.n == 0)
		return;
	for (const struct node *c = list->first; c; c = c->next, at++) {
		size_t old = reader_enter(r, ".include[%zu]", at);

		read_include(l, r, c);
		reader_leave(r, old);
	}
}

static void read_text_file(struct loader *l, const struct source *source)
{
	struct reader r = {
		.policy = l->policy,
		.sources = &l->sources,
		.complaints = l->complaints,
		.main = l->n_texts == 0,
		.defaults = &l->defaults,
		.runtimes = &l->runtimes,
		.references = &l->references,
	};
	struct place top = {source->name, 1, 1};
	struct policy_text *text;
	struct node *root;
	struct error err;

	text = arena_alloc(&l->policy->arena, sizeof(*text), &err);
	if (!text || l->n_texts >= SOURCES_MAX) {
		complain(l->complaints, top, "", "the policy is too large");
		return;
	}
	l->texts[l->n_texts++] = text;
	root = yamltree_read(source->name, source->data, source->len, &l->policy->arena,
			     l->complaints);
	if (!root)
		return;
	if (r.main) {
		r.defaults = &text->defaults;
		r.runtimes = &text->runtimes;
	}
	settings_read(&r, &policy_section, root, text);
	if (r.main) {
		l->defaults = text->defaults;
		l->runtimes = text->runtimes;
	}
	l->depth++;
	sources_set_open(&l->sources, source, true);
	read_includes(l, &r, root, text);
	sources_set_open(&l->sources, source, false);
	l->depth--;
}

static bool ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return len > n && strcmp(name + len - n, end) == 0;
}

static int is_dropin(const struct dirent *entry)
{
	return entry->d_name[0] != '.' &&
	       (ends_in(entry->d_name, ".yaml") || ends_in(entry->d_name, ".yml"));
}

static int by_bytes(const struct dirent **one, const struct dirent **other)
{
	return strcmp((*one)->d_name, (*other)->d_name);
}

static void read_dropin(struct loader *l, const char *dir, const char *name)
{
	static const struct error short_name = {
		.kind = ERR_CONFIG, .text = "the name of a file here ends in .yaml, not in .yml"};
	struct source source;
	struct error err;
	char *path = arena_printf(&l->policy->arena, &err, "%s/%s", dir, name);

	/* One that was meant to be read, and would not be, is no less wrong. */
	if (path && ends_in(name, ".yml"))
		(void)complain_error(l, (struct place){path, 0, 0}, &short_name);
	else if (!path || sources_add_path(&l->sources, path, &source, &err) < 0)
		(void)complain_error(l, (struct place){path ? path : dir, 0, 0}, &err);
	else
		read_text_file(l, &source);
}

/* Those that were there the first time. */
static void read_packed_dropins(struct loader *l, const char *dir)
{
	const struct policypack *pack = l->sources.pack;
	size_t len = strlen(dir);

	for (size_t i = 0; i < pack->n; i++) {
		const char *name = pack->files[i].name;
		bool known = false;

		if (strncmp(name, dir, len) != 0 || name[len] != '/' ||
		    strchr(name + len + 1, '/') || !ends_in(name, ".yaml"))
			continue;
		for (size_t k = 0; k < l->sources.n; k++)
			known = known || strcmp(l->sources.list[k].name, name) == 0;
		if (!known)
			read_dropin(l, dir, name + len + 1);
	}
}

/* policy.yaml -> policy.d */
static void read_dropins(struct loader *l, const char *file)
{
	size_t len = strlen(file);
	struct dirent **entries = NULL;
	own_fd fd = -1;
	struct error err;
	char *dir;
	int n;

	if (len <= 5 || strcmp(file + len - 5, ".yaml") != 0)
		return;
	dir = arena_printf(&l->policy->arena, &err, "%.*s.d", (int)(len - 5), file);
	if (dir && l->sources.pack) {
		read_packed_dropins(l, dir);
		return;
	}
	fd = dir ? trustfile_open_directory(dir, &err) : -1;
	if (fd < 0) {
		if (!dir || err.kind != ERR_NOT_FOUND)
			(void)complain_error(l, (struct place){file, 0, 0}, &err);
		return;
	}
	n = scandirat(fd, ".", &entries, is_dropin, by_bytes);
	if (n < 0) {
		(void)fail_sys(&err, "list %s", dir);
		(void)complain_error(l, (struct place){dir, 0, 0}, &err);
	}
	for (int i = 0; i < n; i++) {
		read_dropin(l, dir, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

static const char *standard_listen[] = {"127.0.0.1:8640"};

/* Puts the parts of all files together. */
static int join(struct loader *l)
{
	struct policy *p = l->policy;
	size_t clients = 0, tools = 0;
	struct error err;

	for (size_t i = 0; i < l->n_texts; i++) {
		clients += l->texts[i]->n_clients;
		tools += l->texts[i]->n_tools;
	}
	p->clients = arena_array(&p->arena, clients, sizeof(*p->clients), &err);
	p->tools = arena_array(&p->arena, tools, sizeof(*p->tools), &err);
	if (!p->clients || !p->tools)
		return complain_error(l, (struct place){p->source, 0, 0}, &err);
	for (size_t i = 0; i < l->n_texts; i++) {
		const struct policy_text *t = l->texts[i];

		if (t->n_clients)
			memcpy(p->clients + p->n_clients, t->clients,
			       t->n_clients * sizeof(*t->clients));
		if (t->n_tools)
			memcpy(p->tools + p->n_tools, t->tools, t->n_tools * sizeof(*t->tools));
		p->n_clients += t->n_clients;
		p->n_tools += t->n_tools;
	}
	p->version = l->texts[0]->version;
	p->rates = l->texts[0]->rates;
	p->allow_degraded = l->texts[0]->allow_degraded;
	p->audit = l->texts[0]->audit;
	p->run = l->texts[0]->run;
	if (p->run.place.line == 0) /* nothing is said about it */
		p->run.redact = l->texts[0]->defaults.redact;
	p->serve = l->texts[0]->serve;
	if (!p->serve.listen.n)
		p->serve.listen = (struct words){standard_listen, ARRAY_LEN(standard_listen)};
	return 0;
}

static struct policy *finish(struct loader *l)
{
	struct error err;

	if (join(l) == 0)
		crosscheck(l->policy, l->references, l->complaints);
	if (sources_hash(&l->sources, l->policy->sha256, &err) < 0)
		(void)complain_error(l, (struct place){l->policy->source, 0, 0}, &err);
	complaints_sort(l->complaints);
	return l->complaints->n ? NULL : TAKE(l->policy);
}

struct policy *policy_parse(const char *name, const char *data, size_t len, struct complaints *ret)
{
	own(loader) l = {.complaints = ret};
	struct source source = {.len = len};
	struct error err;

	*ret = (struct complaints){0};
	if (start(&l, name) < 0)
		return NULL;
	l.sources.in_memory = true;
	source.name = arena_str(&l.policy->arena, name, &err);
	source.data = data;
	if (!source.name || sources_add_memory(&l.sources, data, len, &err) < 0) {
		(void)complain_error(&l, (struct place){NULL, 0, 0}, &err);
		return NULL;
	}
	read_text_file(&l, &source);
	return finish(&l);
}

static struct policy *load_file(const char *file, const struct policypack *pack,
				struct complaints *ret)
{
	own(loader) l = {.complaints = ret};
	struct source source;
	struct error err;
	const char *name;

	*ret = (struct complaints){0};
	if (start(&l, file) < 0)
		return NULL;
	l.sources.pack = pack;
	name = arena_str(&l.policy->arena, file, &err);
	if (!name || sources_add_path(&l.sources, name, &source, &err) < 0) {
		(void)complain_error(&l, (struct place){file, 0, 0}, &err);
		return NULL;
	}
	read_text_file(&l, &source);
	read_dropins(&l, name);
	return finish(&l);
}

static struct policy *load_built_in(struct complaints *ret)
{
	return policy_parse("built in", builtin_policy_start,
			    (size_t)(builtin_policy_end - builtin_policy_start), ret);
}

static struct policy *load_pack(int fd, struct complaints *ret)
{
	own(policypack) pack = {0};
	struct error err = {0};

	*ret = (struct complaints){0};
	if (policypack_open(fd, &pack, &err) < 0) {
		complain(ret, (struct place){NULL, 0, 0}, "", "%s", err.text);
		return NULL;
	}
	return pack.n ? load_file(pack.files[0].name, &pack, ret) : load_built_in(ret);
}

struct policy *policy_load(const char *file, struct complaints *ret)
{
	int pack = file ? policypack_word(file) : -1;

	if (!file)
		return load_built_in(ret);
	return pack >= 0 ? load_pack(pack, ret) : load_file(file, NULL, ret);
}

const char *policy_default_file(void)
{
	static const char system_file[] = "/etc/belljar/policy.yaml";
	const char *named = secure_getenv("BELLJAR_POLICY");

	if (named && named[0])
		return named;
	/* One that is there but cannot be looked at, or leads nowhere, is not as if it was not
	 * there. */
	return faccessat(AT_FDCWD, system_file, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT
		       ? system_file
		       : NULL;
}
