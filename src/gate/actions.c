/* SPDX-License-Identifier: Apache-2.0 */
/* actions.c - what can be done besides calling a tool once: names for the log, and what is metered.
 *
 * Whatever asks something of a box counts as a call does.  What only takes
 * something away does not: a client that has used up its rate must still be
 * able to stop what it started.  Nor does the question whether a session can be
 * copied: the copy is opened by a session_open of its own.
 */
#include <assert.h>

#include "base/own.h"
#include "gate/gate.h"

static const struct {
	const char *name;
	bool metered;
} rows[] = {
	[ACTION_CALL] = {NULL, true},
	[ACTION_OPEN] = {"session_open", true},
	[ACTION_EXEC] = {"session_exec", true},
	[ACTION_CODE] = {"session_code", true},
	[ACTION_INPUT] = {"session_input", true},
	[ACTION_SIGNAL] = {"session_signal", false},
	[ACTION_PUT] = {"session_put", true},
	[ACTION_GET] = {"session_get", true},
	[ACTION_STAT] = {"session_stat", true},
	[ACTION_LIST] = {"session_list", true},
	[ACTION_REMOVE] = {"session_remove", true},
	[ACTION_PROCESSES] = {"session_processes", true},
	[ACTION_EXTEND] = {"session_extend", true},
	[ACTION_FORK] = {"session_fork", false},
	[ACTION_CLOSE] = {"session_close", false},
};
static_assert(ARRAY_LEN(rows) == ACTION_COUNT, "one row per action");

const char *action_name(enum action a)
{
	return a < ACTION_COUNT ? rows[a].name : NULL;
}

bool action_is_metered(enum action a)
{
	return a >= ACTION_COUNT || rows[a].metered;
}
