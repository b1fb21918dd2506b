/* SPDX-License-Identifier: Apache-2.0 */
/* passage_fuzz.c - any bytes as a call: what passes every step is what the policy says, and what
 * does not has a reason.
 *
 * The first byte picks client and tool, the rest is the arguments.  Nothing is
 * run.  What was allowed is looked at again here, with plain code.
 */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "base/jsonread.h"
#include "base/own.h"
#include "gate/gate.h"

static const char text[] =
	"version: 1\n"
	"clients:\n"
	"  a: { uid: any, tools: [py, look, say, asks] }\n"
	"  b: { uid: 1, tools: [never, get] }\n"
	"tools:\n"
	"  py: { kind: code, languages: [python], screen: { imports: [math] } }\n"
	"  look: { kind: command, programs: [ls, cat] }\n"
	"  say: { kind: command, exec: [echo, \"{n}\"], args: { n: { type: integer, max: 9 } } }\n"
	"  asks: { kind: command, programs: [ls], decision: ask }\n"
	"  never: { kind: command, exec: [echo], decision: deny }\n"
	"  get: { kind: fetch, args: { url: { type: url, hosts: [a.example.com] } } }\n";

static const char *const tools[] = {"py", "look", "say", "asks", "never", "get", "nothing"};

static struct policy *policy(void)
{
	static struct policy *p;
	static struct complaints complaints;

	if (!p)
		p = policy_parse("fuzz.yaml", text, strlen(text), &complaints);
	assert(p);
	return p;
}

static void check_allowed(const struct passage *p)
{
	const struct judged *j = &p->judged;

	assert(p->why.layer == WHY_NONE && !p->ended_by);
	assert(strcmp(j->client->name, "a") == 0);
	if (strcmp(j->tool->name, "py") == 0) {
		assert(strcmp(j->language, "python") == 0 && strlen(j->code) == j->code_len);
	} else if (strcmp(j->tool->name, "say") == 0) {
		assert(json_integer_value(json_object_get(j->args, "n")) <= 9);
		assert(strcmp(j->argv[0], "echo") == 0 && j->argv[1] && !j->argv[2]);
	} else {
		assert(strcmp(j->tool->name, "look") == 0);
		if (p->shell)
			assert(strcmp(j->argv[0], "sh") == 0 && strcmp(j->argv[1], "-c") == 0 &&
			       !j->argv[3]);
		else
			assert(strcmp(j->argv[0], "ls") == 0 || strcmp(j->argv[0], "cat") == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err;
	own_json args = size ? jsonread((const char *)data + 1, size - 1, 1 << 20, &err) : NULL;
	own(passage) p;

	passage_init(&p);
	if (!args)
		return 0;
	p.policy = policy();
	p.dry_run = true;
	p.call = (struct tool_call){
		.client = data[0] & 0x80 ? "b" : "a",
		.tool = tools[(data[0] & 0x7f) % ARRAY_LEN(tools)],
		.args = args,
	};
	gate_pass(&p);
	if (p.decision == DECISION_ALLOW)
		check_allowed(&p);
	else
		assert(p.why.layer != WHY_NONE && p.why.what[0] && p.why.rule[0] && p.ended_by);
	assert(!p.ran);
	return 0;
}
