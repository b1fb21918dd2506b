/* SPDX-License-Identifier: Apache-2.0 */
/* bashcode.h - between the files that read bash scripts. */
#ifndef SCREEN_BASHCODE_H
#define SCREEN_BASHCODE_H

#include "screen/shell_tree.h"
#include "screen/syntax.h"

enum bash_rule {
	BASH_SYNTAX,
	BASH_RM,
	BASH_RM_RF,
	BASH_MKFS,
	BASH_DD,
	BASH_CHMOD,
	BASH_DEVICE,
	BASH_PIPE_SHELL,
	BASH_EVAL,
	BASH_SUDO,
	BASH_SU,
	BASH_PASSWD,
	BASH_NETWORK,
	BASH_INSTALL,
	BASH_SECRETS,
	BASH_FORK_BOMB,
	BASH_DYNAMIC,
	BASH_RULE_COUNT
};
extern const struct screen_row bash_rows[BASH_RULE_COUNT];
/* The n-th pattern; NULL: there are no more. */
const struct shell_pattern *bash_pattern(size_t n);

void screen_bash(struct sieve *s, struct syntax_budget *budget, enum syntax_end *ret_end);

#endif
