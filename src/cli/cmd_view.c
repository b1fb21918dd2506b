/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_view.c - belljar-gate view: what the service needs to know of a policy, as JSON.
 *
 * Not for people: belljar serve starts it, so that no process of the service
 * but the keepers reads the policy itself.
 */
#include <stddef.h>
#include <stdio.h>

#include "base/jsonread.h"
#include "base/own.h"
#include "cli/cli.h"
#include "cli/gatecli.h"
#include "keeper/view.h"

struct words_of_view {
	const char *policy, *state;
};

#define AT(member) offsetof(struct words_of_view, member)
static const struct word_row rows[] = {
	{"policy", "FILE", WORD_TEXT, AT(policy), "another policy file"},
	{"state", "DIR", WORD_TEXT, AT(state), "where rates and budgets are kept"},
	{0},
};
#undef AT

int cmd_view(int argc, char **argv)
{
	struct words_of_view w = {0};
	struct word_list rest = {0};
	struct redact_means means;
	own_policy policy = NULL;
	own_json view = NULL;
	own_str text = NULL;
	struct error err = {0};

	(void)argc;
	if (words_parse(rows, argv, &w, &rest, &err) < 0)
		return cli_complain(&err);
	if (rest.n) {
		(void)fail(&err, ERR_CALLER, "belljar-gate view takes options only");
		return cli_complain(&err);
	}
	policy = cli_load_policy(w.policy, w.state, &means, NULL);
	if (!policy)
		return EXIT_BELLJAR;
	view = view_make(policy, &err);
	text = view ? jsonread_text(view) : NULL;
	if (!text)
		return cli_complain(&err);
	puts(text);
	return 0;
}
