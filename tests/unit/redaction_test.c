/* SPDX-License-Identifier: Apache-2.0 */
/* redaction_test.c - what a policy says of secrets, and what a call does with it. */
#include "gate/steps.h"
#include "policy/reader.h"
#include "policy_case.h"
#include "scratch.h"

/* In two halves, so that nobody takes it for one. */
#define KEY    \
	"AKIA" \
	"2E3A7F3B244C6776"

static struct complaints complaints;

static struct policy *read_tool(const char *settings)
{
	char text[2000];

	(void)snprintf(text, sizeof(text),
		       "version: 1\naudit: { mode: off }\n"
		       "clients: { a: { uid: any, tools: [t] } }\n"
		       "tools: { t: { kind: command, exec: [echo, \"{x}\"], args: { x: { type: "
		       "string } }, %s } }\n",
		       settings);
	complaints = (struct complaints){0};
	return policy_parse("/test.yaml", text, strlen(text), &complaints);
}

static bool is_refused(const char *settings, const char *words)
{
	own_policy p = read_tool(settings);

	if (!p && complaints.n && strstr(complaints.list[0].text, words))
		return true;
	printf("# %s: %s\n", settings, complaints.n ? complaints.list[0].text : "no complaint");
	return false;
}

struct trial {
	struct policy *policy;
	json_t *args;
	struct passage p;
};

static void trial_end(struct trial *t)
{
	passage_done(&t->p);
	json_decref(t->args);
	policy_free(t->policy);
}

static void begin(struct trial *t, const char *settings, const char *tool)
{
	t->policy = read_tool(settings);
	CHECK(t->policy != NULL);
	t->args = json_of("{\"x\": \"" KEY "\"}");
	passage_init(&t->p);
	t->p.policy = t->policy;
	t->p.call = (struct tool_call){.client = "a", .tool = tool, .args = t->args};
	gate_pass(&t->p);
}

static void check_written(struct trial *t, const char *expected)
{
	struct error err = {0};
	size_t len = 0;
	own_str line = evidence_arguments(&t->p, &len, &err);

	CHECK_STR(line, expected);
	CHECK(line && len == strlen(line));
}

TEST(every_group_that_a_policy_can_name_is_one)
{
	const struct setting *row = NULL;

	for (size_t i = 0; i < redact_section.n_rows; i++)
		if (strcmp(redact_section.rows[i].key, "groups") == 0)
			row = &redact_section.rows[i];
	CHECK(row != NULL);
	for (size_t i = 0; row && row->words[i]; i++)
		CHECK(redact_group_by_name(row->words[i]) != 0);
}

TEST(what_makes_no_sense_is_a_complaint)
{
	CHECK(is_refused("redact: off", "map"));
	CHECK(is_refused("redact: { groups: [emails] }", "email"));
	CHECK(is_refused("redact: { own: [ { id: a b, pattern: x } ] }", "is no name"));
	CHECK(is_refused("redact: { own: [ { id: a } ] }", "'pattern' is missing"));
	CHECK(is_refused("secrets: { s: { env: A } }", "'file' is missing"));
	CHECK(is_refused("secrets: { s: { file: f, env: A-B } }", "name of a variable"));
	CHECK(is_refused("env: { A: b }, secrets: { s: { file: f, env: A } }", "already"));
	CHECK(is_refused("secrets: { s: { file: f, env: A }, u: { file: g, env: A } }", "already"));
	CHECK(is_refused("redact: { mode: off }, secrets: { s: { file: f, canary: true } }",
			 "nobody would see the canary"));
	CHECK(is_refused("secrets: { s: { file: f, value: hunter2 } }", "no setting 'value'"));
}

TEST(a_secret_is_named_relative_to_its_policy_and_not_read_with_it)
{
	own_policy p = read_tool("secrets: { s: { file: nowhere/key } }");

	CHECK(p != NULL);
	CHECK_STR(p ? p->tools[0].secrets[0].file : NULL, "/nowhere/key");
}

TEST(arguments_are_written_down_without_secrets)
{
	own(trial) t = {0}, off = {0}, hidden = {0};

	begin(&t, "decision: deny", "t");
	check_written(&t, "{\"x\":\"[REDACTED:aws-access-key-id]\"}");
	begin(&off, "decision: deny, redact: { mode: off }", "t");
	check_written(&off, "{\"x\":\"" KEY "\"}");
	/* Nobody learns what the tool's own settings are by calling what he may not. */
	begin(&hidden, "decision: deny, redact: { mode: off }", "other");
	check_written(&hidden, "{\"x\":\"[REDACTED:aws-access-key-id]\"}");
}

TEST(where_a_secret_cannot_be_read_nothing_runs_and_nothing_is_told)
{
	own(trial) t = {0};

	begin(&t, "secrets: { s: { file: /nowhere/key } }", "t");
	CHECK(t.p.decision == DECISION_DENY);
	CHECK_STR(t.p.ended_by, "redact");
	CHECK_STR(t.p.why.rule, "tools.t.secrets");
	CHECK(strstr(t.p.why.what, "nowhere") == NULL);
	CHECK(strstr(t.p.trouble.text, "/nowhere/key") != NULL);
	check_written(&t, "[REDACTED]");
}

static void write_secret(const struct scratch *s, const char *value, size_t len, mode_t mode)
{
	own_fd fd = openat(s->fd, "key", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd >= 0 && write(fd, value, len) == (ssize_t)len && fchmod(fd, mode) == 0);
}

static bool is_readable(const struct scratch *s)
{
	own_policy p = NULL;
	char settings[200];

	(void)snprintf(settings, sizeof(settings), "secrets: { s: { file: %s/key } }", s->path);
	p = read_tool(settings);
	CHECK(p != NULL);
	complaints = (struct complaints){0};
	if (p)
		gate_check_secrets(p, &complaints);
	return p && complaints.n == 0;
}

TEST(a_secret_is_for_its_owner_alone_and_of_a_length_that_can_be_found)
{
	own(scratch) s = scratch_make();
	static char most[4099];

	memset(most, 'x', sizeof(most));
	write_secret(&s, "hunter2\n", 8, 0600);
	CHECK(is_readable(&s));
	write_secret(&s, "hunter2\n", 8, 0640);
	CHECK(!is_readable(&s));
	write_secret(&s, "short\n", 6, 0600);
	CHECK(!is_readable(&s));
	write_secret(&s, "hun\0ter", 7, 0600);
	CHECK(!is_readable(&s));
	write_secret(&s, most, 4096, 0600);
	CHECK(is_readable(&s));
	write_secret(&s, most, 4097, 0600);
	CHECK(!is_readable(&s));
	write_secret(&s, most, 4099, 0600);
	CHECK(!is_readable(&s));
}

TEST(rules_that_nobody_can_compile_are_a_complaint)
{
	own_policy p = read_tool("redact: { own: [ { id: ticket, pattern: 'T-[0-9]+' } ] }");
	const struct redact_means none = {0};

	complaints = (struct complaints){0};
	if (p)
		gate_check_redaction(p, &none, &complaints);
	CHECK(complaints.n == 1);
	CHECK_STR(complaints.list[0].path, "tools.t.redact.own");
	CHECK(complaints.list[0].place.line == 4);
}
