/* SPDX-License-Identifier: Apache-2.0 */
/* judge_test.c - who, which tool, which arguments: what is said yes to, and in which words no. */
#include "policy_case.h"

static const char text[] =
	"version: 1\n"
	"clients:\n"
	"  a: { uid: [7, 8], tools: [py, one, look, say, get, net, asks, never, \"report_*\"] }\n"
	"  b: { uid: any, tools: [other] }\n"
	"tools:\n"
	"  py: { kind: code, languages: [python, bash] }\n"
	"  one: { kind: code, languages: [bash] }\n"
	"  look: { kind: command, programs: [ls, cat] }\n"
	"  say:\n"
	"    kind: command\n"
	"    exec: [echo, \"--n={n}\", \"{text}\"]\n"
	"    args: { text: { type: string }, n: { type: integer, min: 1, max: 9, default: 3 } }\n"
	"    input: json\n"
	"  get: { kind: fetch, args: { url: { type: url, hosts: [api.example.com] } } }\n"
	"  net: { kind: command, exec: [echo], hosts: [api.example.com] }\n"
	"  asks: { kind: command, exec: [echo], decision: ask }\n"
	"  never: { kind: command, exec: [echo], decision: deny }\n"
	"  report_daily: { kind: command, exec: [echo] }\n"
	"  other: { kind: command, exec: [echo] }\n";

struct trial {
	struct policy *policy;
	json_t *args;
	struct judged j;
};

static void trial_end(struct trial *t)
{
	judged_done(&t->j);
	json_decref(t->args);
	policy_free(t->policy);
}

static enum answer judge_as(struct trial *t, const char *client, uid_t uid, const char *tool,
			    const char *args)
{
	struct tool_call call = {.client = client, .uid = uid, .tool = tool};

	t->policy = policy_of(text);
	call.args = t->args = json_of(args);
	judged_init(&t->j);
	return policy_judge(t->policy, &call, &t->j);
}

static enum answer judge(struct trial *t, const char *tool, const char *args)
{
	return judge_as(t, "a", 0, tool, args);
}

TEST(a_judgement_that_nobody_made_denies)
{
	struct judged j;

	judged_init(&j);
	CHECK(j.decision == DECISION_DENY);
	judged_done(&j);
}

TEST(a_client_is_found_by_name_or_by_uid)
{
	own(trial) one = {0}, two = {0}, three = {0};

	CHECK(judge_as(&one, NULL, 8, "look", "{\"command\":\"ls\"}") == ANSWER_ALLOW);
	CHECK_STR(one.j.client->name, "a");
	CHECK(judge_as(&two, NULL, 9, "look", "{\"command\":\"ls\"}") == ANSWER_DENY);
	CHECK_STR(two.j.client->name, "b");
	CHECK(judge_as(&three, "c", 7, "look", "{\"command\":\"ls\"}") == ANSWER_DENY);
	CHECK_STR(three.j.why.rule, "clients");
}

TEST(a_hidden_tool_is_answered_like_one_that_does_not_exist)
{
	own(trial) hidden = {0}, unknown = {0};

	CHECK(judge(&hidden, "other", "{}") == ANSWER_DENY);
	CHECK(judge(&unknown, "otter", "{}") == ANSWER_DENY);
	memcpy(strstr(unknown.j.why.what, "otter"), "other", 5);
	CHECK(memcmp(&hidden.j.why, &unknown.j.why, sizeof(struct why)) == 0);
	CHECK(hidden.j.tool == NULL && unknown.j.tool == NULL);
	CHECK(hidden.j.n_trace == unknown.j.n_trace);
}

TEST(a_client_may_be_given_tools_by_pattern)
{
	own(trial) one = {0}, two = {0};

	CHECK(judge(&one, "report_daily", "{}") == ANSWER_ALLOW);
	CHECK(judge(&two, "report_", "{}") == ANSWER_DENY);
}

TEST(code_takes_code_language_and_stdin)
{
	own(trial) t = {0};

	CHECK(judge(&t, "py", "{\"code\":\"1\",\"language\":\"bash\",\"stdin\":\"in\"}") ==
	      ANSWER_ALLOW);
	CHECK_STR(t.j.code, "1");
	CHECK(t.j.code_len == 1);
	CHECK_STR(t.j.language, "bash");
	CHECK_STR(t.j.input, "in");
}

TEST(the_first_language_need_not_be_named)
{
	own(trial) one = {0}, two = {0};

	CHECK(judge(&one, "one", "{\"code\":\"1\"}") == ANSWER_ALLOW);
	CHECK_STR(one.j.language, "bash");
	CHECK(judge(&two, "py", "{\"code\":\"1\"}") == ANSWER_ALLOW);
	CHECK_STR(two.j.language, "python");
}

TEST(what_is_no_argument_or_of_the_wrong_type_is_refused)
{
	static const struct {
		const char *tool, *args, *rule;
	} rows[] = {
		{"py", "{\"language\":\"bash\"}", "tools.py.args.code.required"},
		{"py", "{\"code\":1,\"language\":\"bash\"}", "tools.py.args.code.type"},
		{"py", "{\"code\":\"\",\"language\":\"ruby\"}", "tools.py.languages"},
		{"py", "{\"code\":\"\",\"language\":[\"bash\"]}", "tools.py.args.language.type"},
		{"py", "{\"code\":\"\",\"language\":\"bash\",\"x\":1}", "tools.py.args"},
		{"py", "[]", "args"},
		{"py", "null", "args"},
		{"look", "{}", "tools.look.args"},
		{"look", "{\"command\":\"ls\",\"argv\":[\"ls\"]}", "tools.look.args"},
		{"look", "{\"argv\":[]}", "tools.look.args.argv.max_len"},
		{"look", "{\"argv\":\"ls\"}", "tools.look.args.argv.type"},
		{"look", "{\"argv\":[\"ls\",1]}", "tools.look.args.argv.type"},
		{"look", "{\"command\":[\"ls\"]}", "tools.look.args.command.type"},
		{"look", "{\"command\":\"ls\",\"stdin\":null}", "tools.look.args.stdin.type"},
		{"report_daily", "{\"x\":1}", "tools.report_daily.args"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		own(trial) t = {0};

		CHECK(judge(&t, rows[i].tool, rows[i].args) == ANSWER_DENY);
		CHECK(t.j.decision == DECISION_DENY);
		CHECK(strncmp(t.j.why.rule, rows[i].rule, strlen(rows[i].rule)) == 0);
		CHECK(t.j.why.what[0] != '\0');
	}
}

TEST(a_template_gets_what_was_judged_and_the_defaults)
{
	own(trial) t = {0};

	CHECK(judge(&t, "say", "{\"text\":\"$(id); rm -rf /\"}") == ANSWER_ALLOW);
	CHECK_STR(t.j.argv[0], "echo");
	CHECK_STR(t.j.argv[1], "--n=3");
	CHECK_STR(t.j.argv[2], "$(id); rm -rf /");
	CHECK(t.j.argv[3] == NULL);
	CHECK_STR(t.j.input, "{\"n\":3,\"text\":\"$(id); rm -rf /\"}");
	CHECK(t.j.input_len == strlen(t.j.input));
}

TEST(the_network_is_judged_and_then_refused)
{
	own(trial) good = {0}, bad = {0}, hosts = {0};

	CHECK(judge(&good, "get", "{\"url\":\"https://api.example.com/x\"}") == ANSWER_DENY);
	CHECK(good.j.why.layer == WHY_EGRESS);
	CHECK_STR(good.j.why.rule, "tools.get.kind");
	CHECK(judge(&bad, "get", "{\"url\":\"https://evil.example.net/\"}") == ANSWER_DENY);
	CHECK(bad.j.why.layer == WHY_POLICY);
	CHECK(judge(&hosts, "net", "{}") == ANSWER_DENY);
	CHECK_STR(hosts.j.why.rule, "tools.net.hosts");
}

TEST(ask_is_no_yes_and_deny_beats_it)
{
	own(trial) asks = {0}, wrong = {0}, never = {0};

	CHECK(judge(&asks, "asks", "{}") == ANSWER_DENY);
	CHECK(asks.j.decision == DECISION_ASK);
	CHECK(judge(&wrong, "asks", "{\"x\":1}") == ANSWER_DENY);
	CHECK(wrong.j.decision == DECISION_DENY);
	CHECK(judge(&never, "never", "{}") == ANSWER_DENY);
	CHECK(never.j.decision == DECISION_DENY);
	CHECK_STR(never.j.why.rule, "tools.never.decision");
}

TEST(names_of_any_length_and_bytes_are_refused_in_one_line)
{
	own(trial) t = {0};
	char name[5000];

	memset(name, 'x', sizeof(name));
	name[10] = '\n';
	name[sizeof(name) - 1] = '\0';
	CHECK(judge(&t, name, "{}") == ANSWER_DENY);
	CHECK(strchr(t.j.why.what, '\n') == NULL);
	CHECK(strlen(t.j.why.what) < 200);
}

TEST(the_trace_says_which_rules_were_asked)
{
	own(trial) t = {0};

	CHECK(judge(&t, "look", "{\"command\":\"ls\"}") == ANSWER_ALLOW);
	CHECK(t.j.n_trace == 4);
	CHECK_STR(t.j.trace[0].rule, "clients.a");
	CHECK_STR(t.j.trace[1].rule, "clients.a.tools");
	CHECK_STR(t.j.trace[2].rule, "tools.look.decision");
	CHECK(t.j.trace[2].place.line == 8);
}
