/* SPDX-License-Identifier: Apache-2.0 */
/* rulenames.c - the words for each enum of a policy, as they are written in the file. */
#include <assert.h>

#include "base/own.h"
#include "call/rules.h"

static const char *const decision_names[] = {
	[DECISION_DENY] = "deny",
	[DECISION_ASK] = "ask",
	[DECISION_ALLOW] = "allow",
};
static_assert(ARRAY_LEN(decision_names) == DECISION_COUNT, "one name per decision");

static const char *const tool_kind_names[] = {
	[KIND_NONE] = "none",
	[KIND_CODE] = "code",
	[KIND_COMMAND] = "command",
	[KIND_FETCH] = "fetch",
};
static_assert(ARRAY_LEN(tool_kind_names) == KIND_COUNT, "one name per kind");

static const char *const arg_type_names[] = {
	[ARG_NONE] = "none",       [ARG_INTEGER] = "integer", [ARG_NUMBER] = "number",
	[ARG_BOOLEAN] = "boolean", [ARG_STRING] = "string",   [ARG_ENUM] = "enum",
	[ARG_PATH] = "path",       [ARG_URL] = "url",         [ARG_LIST] = "list",
	[ARG_OBJECT] = "object",
};
static_assert(ARRAY_LEN(arg_type_names) == ARG_COUNT, "one name per type");

static const char *const screen_mode_names[] = {
	[SCREEN_UNSET] = "unset",
	[SCREEN_BLOCK] = "block",
	[SCREEN_WARN] = "warn",
	[SCREEN_OFF] = "off",
};
static_assert(ARRAY_LEN(screen_mode_names) == SCREEN_MODE_COUNT, "one name per mode");

const char *decision_name(enum decision d)
{
	return decision_names[(unsigned)d < DECISION_COUNT ? d : DECISION_DENY];
}

const char *tool_kind_name(enum tool_kind k)
{
	return tool_kind_names[(unsigned)k < KIND_COUNT ? k : KIND_NONE];
}

const char *arg_type_name(enum arg_type t)
{
	return arg_type_names[(unsigned)t < ARG_COUNT ? t : ARG_NONE];
}

const char *screen_mode_name(enum screen_mode m)
{
	return screen_mode_names[(unsigned)m < SCREEN_MODE_COUNT ? m : SCREEN_UNSET];
}

const char *scope_name(unsigned bit)
{
	switch (bit) {
	case SCOPE_EXECUTE:
		return "execute";
	case SCOPE_READ:
		return "read";
	case SCOPE_AUDIT:
		return "audit";
	case SCOPE_ADMIN:
		return "admin";
	default:
		return NULL;
	}
}
