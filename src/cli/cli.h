/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h - the commands: one function each, argv[0] is the command's word, returns the exit code. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/error.h"
#include "call/call.h"

/* The documented exit codes that are not the program's own (belljar-run(1), EXIT STATUS). */
enum {
	EXIT_TIME = 124,
	EXIT_BELLJAR = 125,
	EXIT_REFUSED = 126,
	EXIT_NOT_FOUND = 127,
	EXIT_SIGNAL = 128, /* plus the signal's number */
	EXIT_RESOURCE = 137,
};

int cmd_root(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
/* Not for people: what doctor --attack runs inside. */
int cmd_attack(int argc, char **argv);
/* Not for people: keeps a slot for a program with libbelljar. */
int cmd_slot(int argc, char **argv);
/* Not for people: makes slots for the keepers of belljar serve. */
int cmd_warden(int argc, char **argv);

/* Starts belljar-call, which has the command below. */
int cmd_tool(int argc, char **argv);
int cmd_call(int argc, char **argv);
/* Starts belljar-gate, which has the commands below. */
int cmd_gate(int argc, char **argv);
int cmd_policy(int argc, char **argv);
int cmd_screen(int argc, char **argv);
int cmd_aide(int argc, char **argv);
/* Not for people: what the service starts. */
int cmd_keeper(int argc, char **argv);
/* Starts belljar-serve, the supervisor of the service. */
int cmd_serve(int argc, char **argv);
int cmd_view(int argc, char **argv);
/* Starts belljar-audit, which has the command below. */
int cmd_evidence(int argc, char **argv);
int cmd_audit(int argc, char **argv);

/* Descriptors, rights, stack and signals as every command needs them; else it was said why not. */
bool cli_process_is_fit(void);
/* A descriptor that is readable when somebody wants us to end. */
int cli_open_signals(struct error *err);
/* As if the signal had ended us: 130 for Ctrl-C. */
int cli_code_of_signal(int signals, int otherwise);

/* "belljar: <text>" on stderr, as one line. */
void cli_say(const char *text);
/* The same for an error; returns EXIT_BELLJAR. */
int cli_complain(const struct error *err);
/* At the end of a command: what was printed is a part of the answer, and one that got lost is no
 * success. */
int cli_finish(int code);
/* Nothing ran because no control group is ours: may systemd give us one (delegate.h)? */
bool cli_may_ask_systemd(const struct profile *profile, const struct error *err);
/* One table from what happened to an exit code. */
int cli_exit_code(const struct account *a);
/* One line for people: what happened and why. */
void cli_summary(const struct account *a, char *ret, size_t room);

#endif
