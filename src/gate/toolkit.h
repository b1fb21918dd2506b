/* SPDX-License-Identifier: Apache-2.0 */
/* toolkit.h - what a process that serves many calls keeps of each tool between them.
 *
 * Rules of redaction with the tool's secrets, and which of its programs are
 * installed.  A secret is read again when its file has changed; one that cannot
 * be read then refuses the call, as ever.
 */
#ifndef GATE_TOOLKIT_H
#define GATE_TOOLKIT_H

#include <sys/stat.h>

#include "gate/gate.h"

struct tool_kept {
	struct redaction redaction; /* its set and secrets; no streams */
	struct stat *stamps;        /* of the secrets' files, in order */
	const char **programs;      /* those that are installed; NULL: not looked for yet */
	size_t n_programs;
};

struct toolkit {
	const struct policy *policy;
	struct redact_means means;
	struct tool_kept *tools; /* as the policy has them, and one more: for no tool at all */
};

int toolkit_open(struct toolkit *k, const struct policy *policy, const struct redact_means *means,
		 struct error *err);
void toolkit_close(struct toolkit *k);
/* Everything is made ready now, while it can be: what fails is left to the call that needs it. */
void toolkit_warm(struct toolkit *k);

/* Set and secrets of a tool (NULL: of none), borrowed into ret. */
int toolkit_redaction(struct toolkit *k, const struct tool *tool, struct redaction *ret,
		      struct error *err);
/* Which of its programs (or, of exec alone, its first word) are installed, borrowed.  What is
 * installed later is not seen. */
int toolkit_programs(struct toolkit *k, const struct tool *tool, const char *const **ret,
		     size_t *ret_n, struct error *err);

#endif
