/* SPDX-License-Identifier: Apache-2.0 */
/* policy_words.c - a policy, or one decision of it, in plain words. */
#include "cli/policy_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonread.h"
#include "base/own.h"
#include "base/text.h"
#include "call/limits.h"

static void print_place(struct place place, FILE *to)
{
	if (place.line)
		(void)fprintf(to, "  (%s:%u:%u)", place.file, place.line, place.column);
}

static void print_words(const char *title, const struct words *w, FILE *to)
{
	if (w->n == 0)
		return;
	(void)fprintf(to, "    %-12s", title);
	for (size_t i = 0; i < w->n; i++) {
		char word[400];

		text_one_line(w->word[i], word, sizeof(word));
		(void)fprintf(to, "%s%s", i ? ", " : "", word);
	}
	(void)fputc('\n', to);
}

static void print_rates(const struct rates *r, FILE *to)
{
	static const char *const whose[] = {
		[0] = "for all together",
		[RATE_PER_CLIENT] = "for each client",
		[RATE_PER_TOOL] = "for each tool",
		[RATE_PER_CLIENT | RATE_PER_TOOL] = "for each client and tool",
	};
	char text[80];

	if (r->unlimited)
		(void)fprintf(to, "    %-12sunlimited\n", "rate");
	for (size_t i = 0; i < r->n; i++) {
		rate_text(&r->rate[i], text, sizeof(text));
		(void)fprintf(to, "    %-12s%s, %s\n", "rate", text,
			      whose[r->rate[i].key & (RATE_PER_CLIENT | RATE_PER_TOOL)]);
	}
}

/* Clients. */

static void print_identity(const struct client *c, FILE *to)
{
	(void)fprintf(to, "    %-12s", "known by");
	if (c->any_uid)
		(void)fputs("any uid", to);
	for (size_t i = 0; i < c->n_uids; i++)
		(void)fprintf(to, "%s%u", i ? ", " : "uid ", (unsigned)c->uids[i]);
	if (c->key_sha256.n)
		(void)fprintf(to, "%s%s", c->any_uid || c->n_uids ? " or " : "",
			      c->key_sha256.n > 1 ? "one of its keys" : "its key");
	if (c->cert)
		(void)fprintf(to, "%sthe certificate of %s",
			      c->any_uid || c->n_uids || c->key_sha256.n ? " or " : "", c->cert);
	if (!c->any_uid && c->n_uids == 0 && !c->key_sha256.n && !c->cert)
		(void)fputs("its name only", to);
	(void)fputc('\n', to);
}

static void print_budget(const struct budget *b, FILE *to)
{
	if (b->per_ms == 0)
		return;
	(void)fprintf(to, "    %-12sin %" PRIu64 " s:", "budget", b->per_ms / 1000);
	if (b->calls)
		(void)fprintf(to, " %" PRIu64 " calls", b->calls);
	if (b->cpu_ms)
		(void)fprintf(to, " %" PRIu64 " s of processor time", b->cpu_ms / 1000);
	if (b->output_bytes)
		(void)fprintf(to, " %" PRIu64 " bytes of output", b->output_bytes);
	(void)fputc('\n', to);
}

static void print_scopes(const struct client *c, FILE *to)
{
	(void)fprintf(to, "    %-12s", "scopes");
	for (unsigned bit = 1, n = 0; scope_name(bit); bit <<= 1)
		if (c->scopes & bit)
			(void)fprintf(to, "%s%s", n++ ? ", " : "", scope_name(bit));
	(void)fputc('\n', to);
	if (c->max_concurrent)
		(void)fprintf(to, "    %-12s%" PRIu64 " of its calls\n", "at once",
			      c->max_concurrent);
}

static void print_client(const struct client *c, FILE *to)
{
	(void)fprintf(to, "\n  client %s", c->name);
	print_place(c->place, to);
	(void)fputc('\n', to);
	print_identity(c, to);
	print_words("may use", &c->tools, to);
	print_scopes(c, to);
	print_rates(&c->rates, to);
	print_budget(&c->budget, to);
}

/* Tools. */

static void print_json(const char *title, const json_t *value, FILE *to)
{
	own_str text = value ? jsonread_text(value) : NULL;

	if (text)
		(void)fprintf(to, ", %s %s", title, text);
}

static void print_list(const char *title, const struct words *w, FILE *to)
{
	for (size_t i = 0; i < w->n; i++)
		(void)fprintf(to, "%s%s", i ? " " : title, w->word[i]);
}

static void print_argument(const struct arg_rule *a, FILE *to)
{
	(void)fprintf(to, "    %-12s%s: %s%s", "argument", a->name, arg_type_name(a->type),
		      a->required ? "" : ", optional");
	if (a->has_min)
		print_json("at least", a->min, to);
	if (a->has_max)
		print_json("at most", a->max, to);
	if (a->min_len)
		(void)fprintf(to, ", length at least %" PRIu64, a->min_len);
	if (a->max_len)
		(void)fprintf(to, ", length at most %" PRIu64, a->max_len);
	if (a->pattern)
		(void)fprintf(to, ", matching %s", a->pattern);
	print_json("one of", a->allowed, to);
	print_json("else", a->standard, to);
	print_list(", beneath ", &a->under, to);
	print_list(", matching ", &a->globs, to);
	print_list(", scheme ", &a->schemes, to);
	print_list(", host ", &a->hosts, to);
	print_list(", port ", &a->ports, to);
	(void)fputc('\n', to);
}

static void print_limits(const struct limits *l, FILE *to)
{
	(void)fprintf(to, "    %-12s", "limits");
	for (size_t i = 0; i < limit_row_count; i++) {
		const struct limit_row *row = &limit_rows[i];
		uint64_t value = limits_get(l, row);
		char text[40];

		if (row->unit == UNIT_BYTES)
			text_human_bytes(value, text, sizeof(text));
		else if (row->unit == UNIT_MS && value % 1000 == 0)
			(void)snprintf(text, sizeof(text), "%" PRIu64 " s", value / 1000);
		else
			(void)snprintf(text, sizeof(text), "%" PRIu64 "%s", value,
				       row->unit == UNIT_MS ? " ms" : "");
		(void)fprintf(to, "%s%s %s", i ? ", " : "", row->name, text);
	}
	(void)fputc('\n', to);
}

static void print_mounts(const struct tool *t, FILE *to)
{
	for (size_t i = 0; i < t->n_mounts; i++) {
		const struct mount_rule *m = &t->mounts[i];

		(void)fprintf(to, "    %-12s%s%s%s\n", m->write ? "may change" : "may read",
			      m->source, m->inside ? ", seen at " : "", m->inside ? m->inside : "");
	}
}

static void print_runtime(const struct runtime *r, bool warm, FILE *to)
{
	(void)fprintf(to, "    %-12s%s: %s", warm ? "waits" : "starts", warm_kind_name(r->language),
		      r->program);
	print_list(" with ", &r->modules, to);
	(void)fputc('\n', to);
}

/* What runs its code: ready before a call comes, or started for it. */
static void print_runtimes(const struct tool *t, FILE *to)
{
	for (size_t i = 0; i < t->languages.n; i++)
		for (int k = WARM_NOT + 1; k < WARM_COUNT; k++)
			if (t->runtimes[k] &&
			    strcmp(t->languages.word[i], warm_kind_name((enum warm_kind)k)) == 0)
				print_runtime(t->runtimes[k], t->warm && !t->fresh && !t->loopback,
					      to);
}

/* The label is about what the caller can make happen, not about what the owner meant. */
static void print_wall(const struct tool *t, FILE *to)
{
	bool code = t->kind == KIND_CODE || t->holds_interpreter;

	if (t->kind == KIND_FETCH)
		return;
	(void)fprintf(to, "    %-12s%s\n", "label",
		      code ? "code: the caller's own code runs, within the box"
			   : "restricted: only these programs can run");
	print_words("languages", &t->languages, to);
	print_runtimes(t, to);
	print_words("runs", &t->exec, to);
	print_words("programs", &t->programs, to);
}

static void print_screen(const struct screen_policy *s, FILE *to)
{
	if (s->mode != SCREEN_UNSET)
		(void)fprintf(to, "    %-12s%s unless a rule says otherwise\n", "screening",
			      screen_mode_name(s->mode));
	if (s->has_imports && s->imports.n == 0)
		(void)fprintf(to, "    %-12snone\n", "imports");
	print_words("imports", &s->imports, to);
	print_words("constructs", &s->allow, to);
	for (size_t i = 0; i < s->n_modes; i++)
		(void)fprintf(to, "    %-12s%s: %s\n", "screening", s->modes[i].rule,
			      screen_mode_name(s->modes[i].mode));
	for (size_t i = 0; i < s->n_own; i++)
		(void)fprintf(to, "    %-12s%s (%s): %s\n", "own rule", s->own[i].id,
			      s->own[i].language, s->own[i].reason ? s->own[i].reason : "blocked");
}

/* Which there are, and where the tool finds them; never what they are or where we have them. */
static void print_redaction(const struct tool *t, FILE *to)
{
	const struct redact_policy *r = &t->redact;

	if (r->off)
		(void)fprintf(to, "    %-12soff: output comes as it is\n", "redaction");
	else if (r->has_groups && r->groups.n == 0)
		(void)fprintf(to, "    %-12sof secrets and own rules only\n", "redaction");
	else if (!r->has_groups)
		(void)fprintf(to, "    %-12sstandard\n", "redaction");
	else
		print_words("redaction", &r->groups, to);
	for (size_t i = 0; !r->off && i < r->n_own; i++)
		(void)fprintf(to, "    %-12s%s\n", "redacts", r->own[i].id);
	for (size_t i = 0; i < t->n_secrets; i++)
		(void)fprintf(to, "    %-12s%s%s%s%s\n", "secret", t->secrets[i].name,
			      t->secrets[i].env ? ", in the variable " : "",
			      t->secrets[i].env ? t->secrets[i].env : "",
			      t->secrets[i].canary ? ", a canary" : "");
}

/* What callers of the service may have beside one answer. */
static void print_service(const struct tool *t, FILE *to)
{
	char size[40];

	print_words("caller sets", &t->env_allow, to);
	if (t->fresh)
		(void)fprintf(to, "    %-12sa place of its own for every call\n", "fresh");
	if (t->artifacts.allow) {
		text_human_bytes(t->artifacts.bytes, size, sizeof(size));
		(void)fprintf(to, "    %-12s%" PRIu64 " files, %s together\n", "artifacts",
			      t->artifacts.files, size);
	}
	if (t->sessions.allow)
		(void)fprintf(to, "    %-12sfor %" PRIu64 " s, %" PRIu64 " s without use; %s\n",
			      "sessions", t->sessions.ttl_ms / 1000, t->sessions.idle_ms / 1000,
			      t->sessions.exec ? "code and programs" : "code only");
}

static void print_serve(const struct serve_rules *s, FILE *to)
{
	(void)fputs("\n  the service\n", to);
	print_words("listens at", &s->listen, to);
	if (s->plaintext)
		(void)fprintf(to, "    %-12sothers than this host may come without TLS\n",
			      "plaintext");
	if (s->loopback_without_key)
		(void)fprintf(to, "    %-12swhoever comes from this host\n", "without key");
	print_words("hosts", &s->hosts, to);
	print_words("origins", &s->origins, to);
}

void words_tool(const struct tool *t, FILE *to)
{
	(void)fprintf(to, "\n  tool %s: %s, %s", t->name, tool_kind_name(t->kind),
		      decision_name(t->decision));
	print_place(t->place, to);
	(void)fputc('\n', to);
	if (t->description)
		(void)fprintf(to, "    %s\n", t->description);
	print_wall(t, to);
	for (size_t i = 0; i < t->args.n; i++)
		print_argument(&t->args.rule[i], to);
	if (t->schema_file)
		(void)fprintf(to, "    %-12sas %s says\n", "arguments", t->schema_file);
	if (t->input_json)
		(void)fprintf(to, "    %-12sthe arguments as JSON, on standard input\n", "input");
	print_mounts(t, to);
	for (size_t i = 0; i < t->n_env; i++)
		(void)fprintf(to, "    %-12s%s\n", "variable", t->env[i].name);
	print_words("network", &t->hosts, to);
	if (t->hosts.n == 0 && t->kind != KIND_FETCH)
		(void)fprintf(to, "    %-12s%s\n", "network",
			      t->loopback ? "loopback only" : "none");
	if (t->root)
		(void)fprintf(to, "    %-12s%s\n", "root", t->root);
	print_limits(&t->limits, to);
	print_rates(&t->rates, to);
	if (t->concurrency)
		(void)fprintf(to, "    %-12s%" PRIu64 " at a time\n", "at once", t->concurrency);
	print_screen(&t->screen, to);
	print_redaction(t, to);
	print_service(t, to);
	if (t->n_tests)
		(void)fprintf(to, "    %-12s%zu\n", "tests", t->n_tests);
}

static void print_run(const struct run_policy *r, FILE *to)
{
	if (r->off) {
		(void)fputs("\n  belljar run is refused\n", to);
		return;
	}
	(void)fputs("\n  belljar run is allowed", to);
	for (size_t i = 0; i < limit_row_count; i++)
		if (limits_get(&r->most, &limit_rows[i]))
			(void)fprintf(to, ", %s up to %" PRIu64, limit_rows[i].key,
				      limits_get(&r->most, &limit_rows[i]));
	if (r->has_may) {
		(void)fputs(", with none of its wider options but:", to);
		for (size_t i = 0; i < r->may.n; i++)
			(void)fprintf(to, " %s", r->may.word[i]);
	}
	(void)fprintf(to, "%s\n", r->redact.off ? ", not redacted" : "");
}

void words_policy(const struct policy *p, FILE *to)
{
	(void)fprintf(to, "policy %s\nsha256 %s\n", p->source, p->sha256);
	(void)fputs("what is not named here is denied\n", to);
	for (int i = 0; i < LAYER_COUNT; i++)
		if (p->allow_degraded & 1u << i)
			(void)fprintf(to, "layer %s may be missing\n", layer_name((enum layer)i));
	print_rates(&p->rates, to);
	print_serve(&p->serve, to);
	print_run(&p->run, to);
	for (size_t i = 0; i < p->n_clients; i++)
		print_client(&p->clients[i], to);
	for (size_t i = 0; i < p->n_tools; i++)
		words_tool(&p->tools[i], to);
}

/* Where a rule is written. */

/* What follows "KIND.NAME" in rule; NULL: it is about something else. */
static const char *after_name(const char *rule, const char *kind, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(rule, kind, strlen(kind)) != 0)
		return NULL;
	rule += strlen(kind);
	if (strncmp(rule, name, len) != 0 || (rule[len] != '.' && rule[len] != '\0'))
		return NULL;
	return rule + len;
}

static struct place place_in_tool(const struct tool *t, const char *rest)
{
	for (size_t i = 0; i < t->args.n; i++)
		if (after_name(rest, ".args.", t->args.rule[i].name))
			return t->args.rule[i].place;
	return t->place;
}

struct place words_place(const struct policy *p, const char *rule)
{
	const char *rest;

	for (size_t i = 0; i < p->n_tools; i++)
		if ((rest = after_name(rule, "tools.", p->tools[i].name)))
			return place_in_tool(&p->tools[i], rest);
	for (size_t i = 0; i < p->n_clients; i++)
		if (after_name(rule, "clients.", p->clients[i].name))
			return p->clients[i].place;
	return (struct place){0};
}

void words_decision(const struct passage *p, FILE *to)
{
	const struct judged *j = &p->judged;

	for (size_t i = 0; i < j->n_trace; i++) {
		(void)fprintf(to, "yes  %s: %s", j->trace[i].rule, j->trace[i].words);
		print_place(j->trace[i].place, to);
		(void)fputc('\n', to);
	}
	if (p->decision != DECISION_ALLOW) {
		(void)fprintf(to, "no   %s: %s", p->why.rule, p->why.what);
		print_place(words_place(p->policy, p->why.rule), to);
		(void)fputc('\n', to);
		if (p->why.hint[0])
			(void)fprintf(to, "     %s\n", p->why.hint);
	}
	(void)fprintf(to, "decision: %s%s%s\n", decision_name(p->decision),
		      p->ended_by ? ", by the step " : "", p->ended_by ? p->ended_by : "");
}
