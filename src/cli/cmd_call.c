/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_call.c - belljar call: one tool call, by the policy. */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/tree.h"
#include "base/fd.h"
#include "base/heap.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "cli/cli.h"
#include "cli/gatecli.h"
#include "cli/logword.h"
#include "cli/sibling.h"
#include "sandbox/native/slot.h"

struct call_options {
	struct word_list arg;
	const char *args;
	const char *client;
	const char *policy;
	const char *state;
	const char *audit;
	bool dry_run, json, quiet, help;
};

#define AT(member) offsetof(struct call_options, member)
static const struct word_row rows[] = {
	{"arg", "NAME=VALUE", WORD_EACH, AT(arg), "one argument; give it again for more"},
	{"args", "JSON|@FILE|-", WORD_TEXT, AT(args), "all arguments as one JSON object"},
	{"client", "NAME", WORD_TEXT, AT(client), "on whose behalf (standard: by your uid)"},
	{"policy", "FILE", WORD_TEXT, AT(policy), "another policy file"},
	{"state", "DIR", WORD_TEXT, AT(state), "where rates and budgets are kept"},
	{"audit", "DIR", WORD_TEXT, AT(audit), "where the log of calls is kept"},
	{"dry-run", NULL, WORD_FLAG, AT(dry_run), "say what would be decided, and run nothing"},
	{"json", NULL, WORD_FLAG, AT(json), "print the answer as JSON instead of the output"},
	{"quiet", NULL, WORD_FLAG, AT(quiet), "no closing line and no warnings"},
	{"help", NULL, WORD_FLAG, AT(help), "this list"},
	{0},
};
#undef AT

/* What reading a small policy and judging by it takes. */
enum { POLICY_BYTES = 320 << 10 };

static int print_help(void)
{
	puts("usage: belljar call TOOL [--arg NAME=VALUE ...] [options]\n"
	     "       belljar call TOOL --args JSON|@FILE|- [options]\n");
	words_print_help(rows);
	puts("\nexit codes: the program's own; 124 out of time; 125 belljar failed; 126 refused;\n"
	     "127 not found; 128+n ended by signal n; 137 out of memory, disk, processes or "
	     "output\n"
	     "\nmore: man belljar-call");
	return 0;
}

static int write_answer(const struct passage *p, struct error *err)
{
	own(buf) text;

	buf_init(&text, passage_json_room(p));
	if (passage_json(p, &text, err) < 0 || buf_add_str(&text, "\n", err) < 0)
		return -1;
	return fd_write_all(STDOUT_FILENO, text.data, text.len, err);
}

static void print_for_people(const struct passage *p, const struct call_options *o)
{
	bool trouble =
		p->account.outcome.end == END_UNKNOWN || p->account.outcome.killed_for != KILL_NONE;
	char line[700];

	if (p->decision != DECISION_ALLOW)
		cli_print_why(&p->why);
	if (o->quiet)
		return;
	/* One that refused has been said. */
	if (p->decision == DECISION_ALLOW || p->findings.n > 1)
		cli_print_findings(stderr, p->call.tool, &p->findings);
	if (p->decision == DECISION_ALLOW && p->dry_run)
		cli_say("allowed; nothing was run");
	if (!p->ran || (!trouble && !isatty(STDERR_FILENO)))
		return;
	cli_summary(&p->account, line, sizeof(line));
	cli_say(line);
}

static int report(const struct passage *p, const struct call_options *o)
{
	struct error err = {0};
	int code = p->dry_run && p->decision == DECISION_ALLOW ? 0 : cli_exit_code(&p->account);

	/* The answer names nothing of the host; whoever runs us may want to know. */
	if (p->trouble.kind != ERR_NONE)
		(void)cli_complain(&p->trouble);
	if (!o->json)
		print_for_people(p, o);
	else if (write_answer(p, &err) < 0)
		return cli_complain(&err);
	if (p->account.outcome.killed_for == KILL_CANCELLED)
		code = cli_code_of_signal(p->cancel_fd, code);
	/* It ran, and its output is lost: its own code would say that all is well. */
	return p->ran && p->account.outcome.error.kind != ERR_NONE ? EXIT_BELLJAR : code;
}

/* Without a place to count, nobody could say how often: no call.  A dry run counts nothing. */
static struct meter *open_meter(const struct call_options *o, struct error *err)
{
	struct meter *m = meter_open(o->state, err);

	if (!m && o->dry_run)
		m = meter_open_memory(err);
	return m;
}

/* The log of this call, or NULL: then the path refuses it, unless the policy wants no log. */
static struct audit *open_audit(const struct policy *policy, const struct call_options *o,
				struct audit *ret, char *scribe, size_t room, struct error *err)
{
	static const char *const places[] = {"belljar-scribe"};
	struct audit_config config = {
		.directory = policy->audit.directory ? policy->audit.directory : o->audit,
		.state = o->state,
		.scribe = scribe,
		.allow_degraded = policy->allow_degraded,
		.durable = policy->audit.always,
	};

	if (o->dry_run || policy->audit.off ||
	    sibling_find(places, ARRAY_LEN(places), scribe, room, err) < 0 ||
	    audit_open(ret, &config, err) < 0)
		return NULL;
	return ret;
}

static int prepare(struct passage *p, const struct call_options *o, char *helper, size_t room,
		   struct error *err)
{
	static const char *const places[] = {"belljar", "../../bin/belljar"};

	p->cancel_fd = cli_open_signals(err);
	if (p->cancel_fd < 0 || sibling_find(places, ARRAY_LEN(places), helper, room, err) < 0)
		return -1;
	p->helper = helper;
	p->meter = open_meter(o, err);
	p->dry_run = o->dry_run;
	p->live_out.fd = o->json ? -1 : STDOUT_FILENO;
	p->live_err.fd = o->json ? -1 : STDERR_FILENO;
	return p->meter ? 0 : -1;
}

/* What the call needs is left to the end of this process, which takes a tenth of the time that it
 * takes to free it. */
static int call(const struct policy *policy, const struct redact_means *means, const char *tool,
		const struct call_options *o, struct slot **early)
{
	static struct audit audit;
	static struct passage p;
	struct error err = {0}, wrong = {0};
	json_t *args =
		cli_arguments(o->args, &o->arg, cli_visible_tool(policy, o->client, tool), &wrong);
	char helper[PATH_MAX], scribe[PATH_MAX];
	int code;

	audit_init(&audit);
	passage_init(&p);
	if (!args && wrong.kind != ERR_REFUSED)
		return cli_complain(&wrong);
	if (prepare(&p, o, helper, sizeof(helper), &err) < 0)
		return cli_complain(&err);
	p.policy = policy;
	p.early = early;
	p.means = *means;
	p.audit = open_audit(policy, o, &audit, scribe, sizeof(scribe), &p.trouble);
	p.unread = args ? NULL : wrong.text;
	p.call = (struct tool_call){o->client, getuid(), tool, args};
	gate_pass(&p);
	code = report(&p, o);
	passage_leave(&p);
	return code;
}

/* Whoever looks for calls that did not happen finds out why.  The policy that would say where the
 * log is cannot be read: it goes to the standard one, once as long as nothing changes. */
static void note_refused(const struct call_options *o, const struct complaint *wrong)
{
	const char *file = o->policy ? o->policy : policy_default_file();
	struct record r = {
		.kind = RECORD_POLICY_REFUSED, .detail = file, .version = BELLJAR_VERSION};
	char reason[sizeof(wrong->path) + sizeof(wrong->text) + 40], key[HASH_HEX];
	struct error err = {0};
	struct hash same;

	if (o->dry_run)
		return;
	(void)snprintf(reason, sizeof(reason), "line %u: %s: %s", wrong->place.line, wrong->path,
		       wrong->text);
	r.reason = reason;
	hash_bytes(reason, strlen(reason), &same);
	hash_hex(&same, key);
	if (logword_write(o->audit, o->state, key, &r, &err) < 0)
		(void)cli_complain(&err);
}

int cmd_call(int argc, char **argv)
{
	static struct call_options o;
	static struct word_list rest;
	static struct complaint wrong;
	static const struct policy *policy;
	struct redact_means means;
	struct error err = {0};
	own_slot early = NULL;

	(void)argc;
	if (words_parse(rows, argv, &o, &rest, &err) < 0)
		return cli_complain(&err);
	if (o.help)
		return print_help();
	if (rest.n != 1) {
		(void)fail(&err, ERR_CALLER,
			   rest.n ? "one tool at a time; see belljar call --help"
				  : "which tool? see belljar call --help");
		return cli_complain(&err);
	}
	/* Before anything is read: what it bears never had a policy in its memory. */
	if (!o.dry_run && geteuid() == 0 && slot_open_early(&early, &err) < 0)
		err = (struct error){0}; /* then one is made when it is known what for */
	heap_expect(POLICY_BYTES);
	policy = cli_load_policy(o.policy, o.state, &means, &wrong);
	if (!policy) {
		note_refused(&o, &wrong);
		return EXIT_BELLJAR;
	}
	if (o.audit && policy->audit.directory) {
		(void)fail(&err, ERR_CALLER, "the policy says where the log is: leave --audit out");
		return cli_complain(&err);
	}
	return call(policy, &means, rest.word[0], &o, &early);
}
