/* SPDX-License-Identifier: Apache-2.0 */
/* gatepath_test.c - the two tables: where a step says no nothing behind it happens, and every way
 * out is walked.
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/own.h"
#include "gate/steps.h"
#include "policy_case.h"
#include "scratch.h"

static const char text[] = "version: 1\n"
			   "clients: { a: { uid: any, tools: [py, look, asks, once, free] } }\n"
			   "tools:\n"
			   "  py: { kind: code, languages: [python] }\n"
			   "  look: { kind: command, programs: [ls, cat] }\n"
			   "  asks: { kind: command, programs: [ls], decision: ask }\n"
			   "  once: { kind: command, exec: [echo], rate: 1/min }\n"
			   "  free: { kind: command, exec: [echo], rate: unlimited }\n";

struct trial {
	struct policy *policy;
	struct meter *meter;
	json_t *args;
	struct passage p;
};

static void trial_end(struct trial *t)
{
	passage_done(&t->p);
	json_decref(t->args);
	meter_close(t->meter);
	policy_free(t->policy);
}

static void begin(struct trial *t, const char *tool, const char *args)
{
	struct error err;

	t->policy = policy_of(text);
	t->meter = meter_open_memory(&err);
	t->args = json_of(args);
	CHECK(t->meter != NULL);
	passage_init(&t->p);
	t->p.policy = t->policy;
	t->p.meter = t->meter;
	t->p.call = (struct tool_call){.client = "a", .tool = tool, .args = t->args};
}

static void check_denied(const struct passage *p)
{
	CHECK(p->decision != DECISION_ALLOW);
	CHECK(!p->ran);
	CHECK(p->why.layer != WHY_NONE);
	CHECK(p->account.status == STATUS_DENIED);
	CHECK(p->account.outcome.end == END_NOT_STARTED);
	CHECK_STR(p->account.id, p->id);
}

TEST(a_passage_that_went_nowhere_denies)
{
	own(passage) p;

	passage_init(&p);
	CHECK(p.decision == DECISION_DENY);
	CHECK(!p.ran);
}

TEST(the_policy_ends_a_call_and_it_still_has_an_account)
{
	own(trial) t = {0};

	begin(&t, "nothing", "{}");
	gate_pass(&t.p);
	check_denied(&t.p);
	CHECK_STR(t.p.ended_by, "policy");
}

TEST(the_screen_ends_a_call)
{
	own(trial) t = {0};

	begin(&t, "look", "{\"command\":\"ls; id\"}");
	gate_pass(&t.p);
	check_denied(&t.p);
	CHECK_STR(t.p.ended_by, "screen");
	CHECK_STR(t.p.why.rule, "tools.look.programs");
}

TEST(what_is_refused_costs_nothing)
{
	own(trial) t = {0};
	struct remaining left = {0};
	struct why why;

	begin(&t, "once", "{\"x\":1}");
	gate_pass(&t.p);
	check_denied(&t.p);
	CHECK(meter_peek(t.meter, t.policy, &t.policy->clients[0], policy_tool(t.policy, "once"),
			 1000000, &left, &why) == ANSWER_ALLOW);
}

TEST(asking_ends_a_call_after_the_screen_looked_at_it)
{
	own(trial) asks = {0}, wrong = {0};

	begin(&asks, "asks", "{\"command\":\"ls\"}");
	gate_pass(&asks.p);
	CHECK(asks.p.decision == DECISION_ASK);
	CHECK(asks.p.account.status == STATUS_DENIED);
	CHECK_STR(asks.p.ended_by, "approval");
	begin(&wrong, "asks", "{\"command\":\"id\"}");
	gate_pass(&wrong.p);
	CHECK(wrong.p.decision == DECISION_DENY);
	CHECK_STR(wrong.p.ended_by, "screen");
}

TEST(a_dry_run_charges_nothing_and_runs_nothing)
{
	own(trial) t = {0};

	begin(&t, "once", "{}");
	t.p.dry_run = true;
	gate_pass(&t.p);
	CHECK(t.p.decision == DECISION_ALLOW);
	CHECK(!t.p.ran && !t.p.admitted);
	CHECK(t.p.why.layer == WHY_NONE);
	CHECK(t.p.account.status == STATUS_UNKNOWN);
}

/* A tool with a rate is refused and whoever runs us is told; the file is left as it was found.  The
 * twin is a tool that nothing is counted for: what lies there is none of its business. */
TEST(damage_of_the_state_is_told_to_whoever_runs_us)
{
	static const char junk[] = "not what was there";
	own(scratch) s = scratch_make();
	own(trial) limited = {0}, free_one = {0};
	own_fd file = -1;
	struct error err;
	char is[sizeof(junk)];

	begin(&limited, "once", "{}");
	begin(&free_one, "free", "{}");
	for (struct trial *t = &limited; t; t = t == &limited ? &free_one : NULL) {
		meter_close(t->meter);
		t->meter = t->p.meter = meter_open(s.path, &err);
		CHECK(t->meter != NULL);
		t->p.dry_run = t == &free_one;
	}
	file = openat(s.fd, "meter", O_RDWR | O_CLOEXEC);
	CHECK(pwrite(file, junk, sizeof(junk), 0) == sizeof(junk));
	gate_pass(&limited.p);
	check_denied(&limited.p);
	CHECK_STR(limited.p.ended_by, "limit");
	CHECK_STR(limited.p.why.rule, "state");
	CHECK(!strstr(limited.p.why.what, s.path));
	CHECK(limited.p.trouble.kind == ERR_REFUSED);
	CHECK(strstr(limited.p.trouble.text, "the state file is") != NULL);
	gate_pass(&free_one.p);
	CHECK(free_one.p.decision == DECISION_ALLOW && free_one.p.trouble.kind == ERR_NONE);
	CHECK(!meter_open(s.path, &err) && strstr(err.text, "the state file is"));
	CHECK(pread(file, is, sizeof(is), 0) == sizeof(is) && memcmp(is, junk, sizeof(is)) == 0);
}

TEST(a_cost_that_cannot_be_charged_is_told_to_whoever_runs_us)
{
	own(scratch) s = scratch_make();
	own(trial) t = {0};
	own_fd file = -1;
	struct error err;

	begin(&t, "free", "{}");
	meter_close(t.meter);
	t.meter = t.p.meter = meter_open(s.path, &err);
	CHECK(t.meter != NULL);
	t.policy->clients[0].budget = (struct budget){.per_ms = 3600000, .cpu_ms = 1000};
	t.policy->audit.off = true;
	CHECK(gate_enter(&t.p));
	CHECK(t.p.admitted && t.p.trouble.kind == ERR_NONE);
	file = openat(s.fd, "meter", O_RDWR | O_CLOEXEC);
	CHECK(ftruncate(file, 1) == 0);
	gate_leave(&t.p);
	CHECK(!t.p.admitted);
	CHECK(strstr(t.p.trouble.text, "the state file is damaged") != NULL);
}

TEST(what_cannot_be_written_down_does_not_run)
{
	own(trial) t = {0};

	begin(&t, "once", "{}");
	t.p.helper = "/bin/false";
	gate_pass(&t.p);
	check_denied(&t.p);
	CHECK_STR(t.p.ended_by, "announce");
	CHECK_STR(t.p.why.rule, "audit");
	CHECK(t.p.why.layer == WHY_KERNEL && !t.p.why.permanent);
	CHECK(!t.p.announced && !t.p.receipt.given && !t.p.receipt_started.given);
	CHECK(!t.p.admitted);
}

/* Cuts out one word, if nothing but a letter's neighbour says that it is one. */
static char *cut_word(void *context, const char *from, size_t len, size_t *ret_len,
		      struct error *err)
{
	const char *word = context, *at = strstr(from, word);
	char *clean = strdup(from);

	(void)err;
	*ret_len = len;
	if (at && clean && (at == from || at[-1] == '\n' || at[-1] == '"'))
		memset(clean + (at - from), '#', strlen(word));
	return clean;
}

TEST(arguments_are_cleaned_as_they_are_and_as_they_are_written)
{
	own(trial) t = {0};
	struct error err = {0};
	static char word[] = "hidden";
	size_t len = 0;
	char *line;

	begin(&t, "once",
	      "{\"b\": [\"x\\nhidden\", {\"c\": \"hidden\"}], \"hidden\": 1, \"a\": 7}");
	line = evidence_arguments(&t.p, &len, &err);
	CHECK_STR(line, "{\"a\":7,\"b\":[\"x\\nhidden\",{\"c\":\"hidden\"}],\"hidden\":1}");
	free(line);
	t.p.cleaner = (struct cleaner){cut_word, word};
	line = evidence_arguments(&t.p, &len, &err);
	CHECK_STR(line, "{\"a\":7,\"b\":[\"x\\n######\",{\"c\":\"######\"}],\"######\":1}");
	CHECK(line && len == strlen(line));
	free(line);
	/* The caller's own are as they were. */
	CHECK(strstr(json_string_value(json_array_get(json_object_get(t.args, "b"), 0)), "hidden"));
}

TEST(a_log_that_cannot_be_reached_refuses_in_time)
{
	const struct audit_config config = {
		.directory = "/proc/nowhere", .scribe = "/bin/false", .patience_ms = 100};
	own(audit) audit;
	own(trial) t = {0};

	audit_init(&audit);
	begin(&t, "once", "{}");
	CHECK(audit_open(&audit, &config, &t.p.trouble) < 0);
	t.p.audit = &audit;
	gate_pass(&t.p);
	check_denied(&t.p);
	CHECK_STR(t.p.ended_by, "announce");
}

TEST(without_a_helper_nothing_runs_and_the_answer_is_no)
{
	own(trial) t = {0};

	begin(&t, "once", "{}");
	t.policy->audit.off = true;
	gate_pass(&t.p);
	CHECK(t.p.decision == DECISION_DENY);
	CHECK_STR(t.p.ended_by, "sandbox");
	CHECK_STR(t.p.why.rule, "internal");
	CHECK(!t.p.ran && !t.p.admitted);
}

TEST(a_helper_that_is_none_is_a_refusal_that_names_no_path)
{
	own(trial) t = {0};
	own(buf) out;
	struct error err;

	begin(&t, "once", "{}");
	t.policy->audit.off = true;
	t.p.helper = "/nowhere/to/be/found";
	gate_pass(&t.p);
	CHECK(t.p.decision == DECISION_DENY);
	CHECK(strstr(t.p.trouble.text, "nowhere") != NULL);
	buf_init(&out, passage_json_room(&t.p));
	CHECK(passage_json(&t.p, &out, &err) == 0);
	CHECK(strstr(buf_str(&out), "nowhere") == NULL);
}

TEST(a_simple_command_needs_no_shell_and_a_pipe_does)
{
	own(trial) simple = {0}, pipe = {0};

	begin(&simple, "look", "{\"command\":\"ls 'a b'\"}");
	simple.p.dry_run = true;
	gate_pass(&simple.p);
	CHECK(!simple.p.shell);
	CHECK_STR(simple.p.judged.argv[0], "ls");
	CHECK_STR(simple.p.judged.argv[1], "a b");
	begin(&pipe, "look", "{\"command\":\"ls | cat\"}");
	pipe.p.dry_run = true;
	gate_pass(&pipe.p);
	CHECK(pipe.p.shell);
	CHECK_STR(pipe.p.judged.argv[0], "sh");
	CHECK_STR(pipe.p.judged.argv[1], "-c");
}

TEST(an_answer_is_one_json_object_with_an_account_in_it)
{
	own(trial) t = {0};
	own(buf) out;
	own_json answer = NULL;
	struct error err = {0};

	begin(&t, "look", "{\"command\":\"id\"}");
	gate_pass(&t.p);
	buf_init(&out, passage_json_room(&t.p));
	CHECK(passage_json(&t.p, &out, &err) == 0);
	answer = jsonread(buf_str(&out), out.len, 1 << 20, &err);
	CHECK_STR(json_string_value(json_object_get(answer, "status")), "denied");
	CHECK_STR(json_string_value(json_object_get(answer, "decision")), "deny");
	CHECK(json_is_object(json_object_get(answer, "why")));
	CHECK(json_is_object(json_object_get(answer, "layers")));
}

/* The tests in a file. */

static size_t complaints_of(const char *tests)
{
	static struct complaints complaints;
	struct policy *p;
	char all[2000];
	size_t n = 0;

	(void)snprintf(all, sizeof(all),
		       "version: 1\nclients: { a: { uid: any, tools: [t] } }\n"
		       "tools:\n  t:\n    kind: command\n    programs: [ls]\n    test: %s\n",
		       tests);
	complaints = (struct complaints){0};
	p = policy_of(all);
	gate_test(p, &n, &complaints);
	CHECK(n == 1);
	policy_free(p);
	return complaints.n;
}

TEST(a_test_in_the_file_that_does_not_come_out_is_a_complaint)
{
	CHECK(complaints_of("[ { args: { command: ls }, expect: allow } ]") == 0);
	CHECK(complaints_of("[ { args: { command: ls }, expect: deny } ]") == 1);
	CHECK(complaints_of("[ { args: { command: id }, expect: deny } ]") == 0);
	CHECK(complaints_of("[ { args: { command: id }, expect: allow } ]") == 1);
	CHECK(complaints_of("[ { args: { command: id }, expect: ask } ]") == 1);
	CHECK(complaints_of("[ { expect: deny } ]") == 0);
}

TEST(a_test_may_name_the_rule_that_refuses)
{
	CHECK(complaints_of(
		      "[ { args: { command: id }, expect: deny, rule: tools.t.programs } ]") == 0);
	CHECK(complaints_of("[ { args: { command: id }, expect: deny, rule: tools.t.args } ]") ==
	      1);
}
