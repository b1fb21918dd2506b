/* SPDX-License-Identifier: Apache-2.0 */
/* gatecli.h - what the commands that judge share: the policy, arguments, refusals in print. */
#ifndef CLI_GATECLI_H
#define CLI_GATECLI_H

#include <jansson.h>

#include "base/buf.h"
#include "cli/words.h"
#include "gate/gate.h"

enum { CLI_TEXT_MAX = 16 << 20 };

/* gate_load(), and the owner's rules of redaction can be compiled.  state: the directory for what
 * comes of that; NULL: the standard one. */
struct policy *cli_load(const char *file, const char *state, struct redact_means *ret_means,
			struct complaints *ret);
/* file NULL: the one that counts when nobody says.  NULL: every complaint was printed; ret_first
 * (may be NULL) is the first of them. */
struct policy *cli_load_policy(const char *file, const char *state, struct redact_means *ret_means,
			       struct complaint *ret_first);
/* "file:line:column: path: text" */
/* Is it about the file as a whole, and says so itself?  Then it has no line. */
bool cli_names_file(const struct complaint *c);
void cli_print_complaint(FILE *to, const struct complaint *c);
void cli_print_complaints(FILE *to, const struct complaints *c);

/* What policy says about a tool, if this client (NULL: this uid) may know of it; else NULL. */
const struct tool *cli_visible_tool(const struct policy *p, const char *client, const char *tool);
/* The object that a call's arguments are, from --args (JSON, @FILE or - for standard input) or from
 * --arg NAME=VALUE, each typed by how the tool declares it; tool NULL: all are strings.  NULL:
 * err's kind is ERR_REFUSED if there are arguments which are none. */
json_t *cli_arguments(const char *json, const struct word_list *each, const struct tool *tool,
		      struct error *err);
/* A whole file, or standard input for "-". */
int cli_read_file(const char *file, struct buf *ret, struct error *err);

/* What, rule, hint and when to come back: for people, on stderr. */
void cli_print_why(const struct why *why);
/* "FILE:LINE:COLUMN: rule: reason" */
void cli_print_findings(FILE *to, const char *file, const struct findings *f);

#endif
