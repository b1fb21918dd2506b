/* SPDX-License-Identifier: Apache-2.0 */
/* steps.h - the larger steps of the path; path.c says when each is taken. */
#ifndef GATE_STEPS_H
#define GATE_STEPS_H

#include "audit/tree.h"
#include "gate/gate.h"
#include "sandbox/sandbox.h"

enum verdict { STOP = 0, GO_ON };

/* Turns what was a yes into a no; p->why says why.  Returns STOP. */
enum verdict step_deny(struct passage *p);
/* Limits, files, variables: what the caller wants beside the arguments. */
enum verdict step_wishes(struct passage *p);
/* What is written inside: code, or a command line, which becomes words here. */
enum verdict step_screen(struct passage *p);
/* Its secrets are read, and whoever listens to its output hears it without them. */
enum verdict step_redact(struct passage *p);
/* The log is told that it begins; what is not written down does not run. */
enum verdict step_announce(struct passage *p);
/* ... and has said that it is written down.  Before the program starts, in any case. */
enum verdict step_await(struct passage *p);
/* ... how it ended, or that it was refused. */
enum verdict step_record(struct passage *p);
/* The arguments as they may be written down, as JSON: those that were judged, if there are any.
 * The caller frees them.  NULL: err. */
char *evidence_arguments(const struct passage *p, size_t *ret_len, struct error *err);
/* Whoever waits to make a box for it hears what for: it is made while the rest is judged and
 * written down.  Whether anything starts in it is decided later. */
enum verdict step_hurry(struct passage *p);
/* A box for what was judged, and what happened in it. */
enum verdict step_run(struct passage *p);

/* Waits for the helper, where there was one for this call alone. */
void errand_free(struct errand **e);

/* Set and secrets of a tool; what was made before it failed is in r, too. */
int redaction_make(struct redaction *r, const struct tool *tool, const struct redact_means *means,
		   struct error *err);
/* Are r's secrets still those of the tool?  ret_hex: says under which policy and from which files,
 * by inode, size and time: where it is the same, the secrets are, and it tells nothing of them. */
int redaction_current(const struct redaction *r, const struct tool *tool,
		      const struct policy *policy, char ret_hex[static HASH_HEX],
		      struct error *err);
struct language;

/* tools.NAME.what */
const char *errand_rule(const struct passage *p, const char *what, char *ret, size_t room);
enum verdict errand_fail(struct passage *p, const struct error *err);
enum verdict errand_not_installed(struct passage *p, const char *program);
/* What is not installed is left out.  An empty list would mean "everything may run", so it never
 * stands for a tool that has a wall. */
enum verdict errand_programs(struct passage *p, struct profile *ret);
/* What waits in a slot: for calls in this language (NULL: in none), for a session. */
void warming_of_calls(const struct tool *tool, const char *language, const struct slots *slots,
		      struct warm *ret);
void warming_of_session(const struct tool *tool, const struct slots *slots, struct warm *ret);
/* For a box that is kept.  What it is made of: the tool's programs and files. */
enum verdict errand_profile(struct passage *p, struct profile *ret);
/* A language as the tool has it: its program is that of the tool's runtime. */
void errand_language(const struct tool *tool, const struct language *language,
		     struct language *ret);
/* The whole environment of a program of this call; lives as long as the call. */
int errand_environment(struct passage *p, const struct language *language, char ***ret,
		       struct error *err);
/* The same with one more, which is none of them; NULL: err. */
char **environment_with(struct arena *a, char **env, char *variable, struct error *err);
/* It could not be started: in words that name nothing of the host.  Returns STOP. */
enum verdict errand_explain(struct passage *p, const struct error *err);
/* p->account.outcome is filled in: what follows from it. */
void errand_ended(struct passage *p);

void redaction_done(struct redaction *r);
/* A cleaner; context is the passage. */
char *redaction_clean(void *context, const char *text, size_t len, size_t *ret_len,
		      struct error *err);
/* The name of a canary that came out; NULL: none. */
const char *redaction_canary(const struct redaction *r);

/* What a pattern such as with a star means now, as grants; links are left out. */
int expand_mount(const struct mount_rule *rule, struct arena *arena, struct profile *profile,
		 struct error *err);

#endif
