/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_view.c - belljar-gate view: what the service needs to know of a policy, as JSON.
 *
 * Not for people: belljar serve starts it, so that no process of the service
 * but the keepers reads the policy itself.
 */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fd.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/gatecli.h"
#include "keeper/view.h"
#include "policy/policypack.h"
#include "sandbox/ceiling.h"

struct words_of_view {
	const char *policy, *state, *pack, *ceiling;
};

#define AT(member) offsetof(struct words_of_view, member)
static const struct word_row rows[] = {
	{"policy", "FILE", WORD_TEXT, AT(policy), "another policy file"},
	{"state", "DIR", WORD_TEXT, AT(state), "where rates and budgets are kept"},
	{"pack", "FD", WORD_TEXT, AT(pack), "where the files that were read are kept"},
	{"ceiling", "FD", WORD_TEXT, AT(ceiling),
	 "where the ceiling is written to, and nothing else"},
	{0},
};
#undef AT

static int write_ceiling(const struct policy *p, const char *where)
{
	struct error err = {0};
	uint64_t fd = 0;
	own(buf) text;

	buf_init(&text, CEILING_TEXT_MAX);
	if (text_parse_uint(where, &fd, &err) < 0 || view_ceiling(p, &text, &err) < 0 ||
	    fd_write_all((int)(fd & INT_MAX), buf_str(&text), text.len, &err) < 0)
		return cli_complain(&err);
	return 0;
}

/* Complaints only: what becomes of it is for whoever started us to say. */
static struct policy *load(const struct words_of_view *w)
{
	struct complaints *complaints = calloc(1, sizeof(*complaints));
	struct redact_means means;
	struct policy *p = NULL;

	if (complaints)
		p = cli_load(w->policy ? w->policy : policy_default_file(), w->state, &means,
			     complaints);
	if (!p && complaints)
		cli_print_complaints(stderr, complaints);
	free(complaints);
	return p;
}

int cmd_view(int argc, char **argv)
{
	struct words_of_view w = {0};
	struct word_list rest = {0};
	own_policy policy = NULL;
	own_json view = NULL;
	own_str text = NULL;
	uint64_t fd = 0;
	struct error err = {0};

	(void)argc;
	if (words_parse(rows, argv, &w, &rest, &err) < 0)
		return cli_complain(&err);
	if (rest.n) {
		(void)fail(&err, ERR_CALLER, "belljar-gate view takes options only");
		return cli_complain(&err);
	}
	policy = load(&w);
	if (!policy)
		return EXIT_BELLJAR;
	if (w.pack && (text_parse_uint(w.pack, &fd, &err) < 0 ||
		       policypack_write(policy, (int)(fd & INT_MAX), &err) < 0))
		return cli_complain(&err);
	if (w.ceiling)
		return write_ceiling(policy, w.ceiling);
	view = view_make(policy, &err);
	text = view ? jsonread_text(view) : NULL;
	if (!text)
		return cli_complain(&err);
	puts(text);
	return 0;
}
