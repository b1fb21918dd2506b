/* SPDX-License-Identifier: Apache-2.0 */
/* judge.h - one call against the policy: who, which tool, which arguments. */
#ifndef POLICY_JUDGE_H
#define POLICY_JUDGE_H

#include "policy/arguments.h"
#include "policy/policy.h"

/* What was asked; borrowed from the request. */
struct tool_call {
	const char *client; /* by name; NULL: by uid */
	uid_t uid;
	const char *tool;
	const json_t *args; /* an object */
};

enum { TRACE_MAX = 32 };

/* The rules that made the decision, in order, for policy explain. */
struct trace_line {
	const char *rule;
	const char *words;
	struct place place; /* where that rule is written */
	enum answer answer;
};

/* What the policy made of it.  All zeros denies. */
struct judged {
	enum decision decision;
	struct why why;
	const struct client *client;
	const struct tool *tool;
	json_t *args; /* made of what was judged */
	/* kind code */
	const char *language;
	const char *code;
	size_t code_len;
	/* kind command with programs: one of these */
	const char *command;
	/* both, and exec: what will run (command: only once it was screened) */
	char **argv;
	const char *input; /* standard input; NULL: empty */
	size_t input_len;
	struct path_grants paths;
	bool untold; /* nobody will ask why it is allowed: no trace is kept */
	struct trace_line trace[TRACE_MAX];
	size_t n_trace;
	struct arena arena;
};

void judged_init(struct judged *j);
void judged_done(struct judged *j);
void judged_end(struct judged *j);

/* Rates are not asked here (policy/meter.h). */
enum answer policy_judge(const struct policy *p, const struct tool_call *call, struct judged *ret);
/* The same without arguments: what is done with a session of the tool has none of the tool's own.
 * Denied as well where the tool allows no sessions. */
enum answer policy_judge_session(const struct policy *p, const struct tool_call *call,
				 struct judged *ret);
/* A tool that this client may not see is answered exactly like one that does not exist. */
bool policy_may_see(const struct client *c, const char *tool);

#endif
