/* SPDX-License-Identifier: Apache-2.0 */
/* gatecli.c - what the commands that judge share: the policy, files, refusals in print. */
#include "cli/gatecli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/statedir.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/sibling.h"

bool cli_names_file(const struct complaint *c)
{
	return c->place.line == 0 && c->place.file &&
	       strncmp(c->text, c->place.file, strlen(c->place.file)) == 0;
}

void cli_print_complaint(FILE *to, const struct complaint *c)
{
	char text[4 * sizeof(c->text)];

	text_one_line(c->text, text, sizeof(text));
	if (cli_names_file(c)) {
		(void)fprintf(to, "%s\n", text);
		return;
	}
	(void)fprintf(to, "%s:%u:%u: %s%s%s\n", c->place.file ? c->place.file : "policy",
		      c->place.line, c->place.column, c->path, c->path[0] ? ": " : "", text);
}

void cli_print_complaints(FILE *to, const struct complaints *c)
{
	for (size_t i = 0; i < c->n; i++)
		cli_print_complaint(to, &c->list[i]);
	if (c->cut)
		(void)fputs("... and more\n", to);
}

static bool has_own_rules(const struct policy *p)
{
	for (size_t i = 0; i < p->n_tools; i++)
		if (p->tools[i].redact.n_own)
			return true;
	return p->run.redact.n_own > 0;
}

/* Without a place to keep what was compiled, it is compiled each time. */
static bool find_cache(const char *state, char *ret, size_t room)
{
	static const struct statedir place = {"state directory", "BELLJAR_STATE", "", NULL};
	struct error err = {0};
	own_fd dir = -1;

	if (statedir_find(&place, state, ret, room, &err) < 0)
		return false;
	dir = statedir_open(&place, ret, &err);
	return dir >= 0;
}

static void find_means(const struct policy *p, const char *state, struct redact_means *ret)
{
	static const char *const places[] = {"belljar-patterns"};
	static char patterns[PATH_MAX], cache[PATH_MAX];
	struct error err = {0};

	*ret = (struct redact_means){0};
	if (!has_own_rules(p))
		return;
	if (sibling_find(places, ARRAY_LEN(places), patterns, sizeof(patterns), &err) == 0)
		ret->patterns = patterns;
	if (find_cache(state, cache, sizeof(cache)))
		ret->cache = cache;
}

struct policy *cli_load(const char *file, const char *state, struct redact_means *ret_means,
			struct complaints *ret)
{
	own_policy p = gate_load(file, ret);

	if (!p)
		return NULL;
	find_means(p, state, ret_means);
	gate_check_redaction(p, ret_means, ret);
	return ret->n ? NULL : TAKE(p);
}

struct policy *cli_load_policy(const char *file, const char *state, struct redact_means *ret_means,
			       struct complaint *ret_first)
{
	struct complaints *complaints = calloc(1, sizeof(*complaints));
	struct policy *p = NULL;

	if (complaints)
		p = cli_load(file ? file : policy_default_file(), state, ret_means, complaints);
	if (!p && complaints)
		cli_print_complaints(stderr, complaints);
	if (!p && complaints && ret_first)
		*ret_first = complaints->list[0];
	if (!p)
		cli_say("the policy cannot be used; nothing was done");
	free(complaints);
	return p;
}

const struct tool *cli_visible_tool(const struct policy *p, const char *client, const char *tool)
{
	const struct client *c =
		client ? policy_client(p, client) : policy_client_by_uid(p, getuid());

	return c && policy_may_see(c, tool) ? policy_tool(p, tool) : NULL;
}

int cli_read_file(const char *file, struct buf *ret, struct error *err)
{
	bool standard = strcmp(file, "-") == 0;
	own_fd fd = standard ? fcntl(0, F_DUPFD_CLOEXEC, 3)
			     : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char chunk[16384];
	ssize_t n = 0;

	if (fd < 0)
		return fail(err, ERR_CALLER, "%s: %s", file, strerror(errno));
	/* What is too long is not read to its end: it may have none. */
	while (!ret->cut && (n = read(fd, chunk, sizeof(chunk))) > 0)
		if (buf_add(ret, chunk, (size_t)n, err) < 0)
			return -1;
	if (n < 0)
		return fail(err, ERR_CALLER, "%s: %s", file, strerror(errno));
	return ret->cut ? fail(err, ERR_CALLER, "%s: more than %zu bytes", file, ret->limit) : 0;
}

/* The same call is of no use; another one may be, and a hint says which. */
static const char *retry_words(const struct why *why)
{
	if (!why->permanent)
		return "later";
	if (why->layer != WHY_POLICY)
		return "of no use as it is: change it first";
	return why->hint[0] ? "of no use as it is: see the hint" : "of no use: the policy says no";
}

void cli_print_why(const struct why *why)
{
	char line[sizeof(why->what) + 32];

	(void)snprintf(line, sizeof(line), "refused: %s", why->what);
	cli_say(line);
	(void)fprintf(stderr, "  rule   %s (%s)\n", why->rule, why_layer_name(why->layer));
	if (why->hint[0])
		(void)fprintf(stderr, "  hint   %s\n", why->hint);
	if (why->retry_after_ms)
		(void)fprintf(stderr, "  retry  in %" PRIu64 ".%03" PRIu64 " s\n",
			      why->retry_after_ms / 1000, why->retry_after_ms % 1000);
	else
		(void)fprintf(stderr, "  retry  %s\n", retry_words(why));
}

void cli_print_findings(FILE *to, const char *file, const struct findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct finding *one = &f->list[i];

		(void)fprintf(to, "%s:%u:%u: %s: %s%s%s%s%s\n", file, one->line, one->column,
			      one->rule, one->mode == SCREEN_WARN ? "warning: " : "", one->reason,
			      one->hint ? " (" : "", one->hint ? one->hint : "",
			      one->hint ? ")" : "");
	}
	if (f->cut)
		(void)fprintf(to, "%s: there is more\n", file);
}
