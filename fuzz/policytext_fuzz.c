/* SPDX-License-Identifier: Apache-2.0 */
/* policytext_fuzz.c - any bytes as a policy file: either a complaint or a policy, never both, and
 * no policy says yes to a tool that it does not name or to somebody it does not know. */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "base/own.h"
#include "policy/judge.h"

static void check_refused(const struct policy *p, const char *client, uid_t uid, const char *tool)
{
	json_t *args = json_object();
	struct tool_call call = {.client = client, .uid = uid, .tool = tool, .args = args};
	own(judged) j;

	judged_init(&j);
	assert(policy_judge(p, &call, &j) == ANSWER_DENY);
	assert(j.decision == DECISION_DENY && j.why.layer != WHY_NONE && j.why.what[0]);
	json_decref(args);
}

static void check_policy(const struct policy *p)
{
	for (size_t i = 0; i < p->n_clients; i++) {
		const struct client *c = &p->clients[i];

		assert(policy_client(p, c->name) == c);
		/* No file can name this one: a name has no space in it. */
		check_refused(p, c->name, 0, "no such tool");
		if (c->n_uids)
			assert(policy_client_by_uid(p, c->uids[0]) == c);
	}
	for (size_t i = 0; i < p->n_tools; i++) {
		const struct tool *t = &p->tools[i];

		assert(t->kind > KIND_NONE && t->kind < KIND_COUNT);
		assert(t->decision < DECISION_COUNT && policy_tool(p, t->name) == t);
		assert(t->rates.n || t->rates.unlimited);
		/* Who would be let in by a list that is empty because nothing was installed? */
		if (t->kind == KIND_COMMAND && t->programs.n == 0)
			assert(t->decision == DECISION_DENY);
		check_refused(p, "no such client", 0, t->name);
	}
}

static void check_complaints(const struct complaints *c)
{
	for (size_t i = 0; i < c->n; i++) {
		assert(c->list[i].text[0] && !strchr(c->list[i].text, '\n'));
		assert(strcmp(c->list[i].place.file, "fuzz.yaml") == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct complaints complaints;
	own_policy p = policy_parse("fuzz.yaml", (const char *)data, size, &complaints);

	assert((p != NULL) == (complaints.n == 0));
	check_complaints(&complaints);
	if (p)
		check_policy(p);
	return 0;
}
