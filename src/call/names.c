/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - the words for each enum, as they appear in JSON, logs and options. */
#include <assert.h>
#include <string.h>

#include "base/own.h"
#include "call/call.h"

static const char *const status_names[] = {
	[STATUS_UNKNOWN] = "unknown", [STATUS_DENIED] = "denied",
	[STATUS_SUCCESS] = "success", [STATUS_ERROR] = "error",
	[STATUS_TIMEOUT] = "timeout", [STATUS_RESOURCE_EXCEEDED] = "resource_exceeded",
};
static_assert(ARRAY_LEN(status_names) == STATUS_COUNT, "one name per status");

static const char *const kill_reason_names[] = {
	[KILL_NONE] = NULL,
	[KILL_WALL] = "wall",
	[KILL_CPU] = "cpu",
	[KILL_MEMORY] = "memory",
	[KILL_PROCESSES] = "processes",
	[KILL_DISK] = "disk",
	[KILL_OUTPUT] = "output",
	[KILL_SIGNAL] = "signal",
	[KILL_VIOLATION] = "violation",
	[KILL_CANCELLED] = "cancelled",
	[KILL_CANARY] = "canary",
};
static_assert(ARRAY_LEN(kill_reason_names) == KILL_COUNT, "one name per reason");

static const char *const start_names[] = {
	[START_COLD] = "cold",       [START_SEALED] = "sealed",     [START_FORKED] = "forked",
	[START_WAITING] = "waiting", [START_TEMPLATE] = "template",
};
static_assert(ARRAY_LEN(start_names) == START_COUNT, "one name per way to start");

static const char *const warm_names[] = {
	[WARM_NOT] = "no",
	[WARM_PYTHON] = "python",
	[WARM_NODE] = "node",
};
static_assert(ARRAY_LEN(warm_names) == WARM_COUNT, "one name per kind");

static const char *const layer_names[] = {
	[LAYER_USER_NAMESPACE] = "user_namespace",
	[LAYER_OWN_UID] = "own_uid",
	[LAYER_PID_NAMESPACE] = "pid_namespace",
	[LAYER_MOUNT_NAMESPACE] = "mount_namespace",
	[LAYER_IPC_NAMESPACE] = "ipc_namespace",
	[LAYER_UTS_NAMESPACE] = "uts_namespace",
	[LAYER_CGROUP_NAMESPACE] = "cgroup_namespace",
	[LAYER_NETWORK] = "network",
	[LAYER_INIT] = "init",
	[LAYER_OVERLAY] = "overlay",
	[LAYER_PROC] = "proc",
	[LAYER_MEMORY] = "memory",
	[LAYER_PROCESSES] = "processes",
	[LAYER_CPU] = "cpu",
	[LAYER_DISK] = "disk",
	[LAYER_RLIMITS] = "rlimits",
	[LAYER_KEYRING] = "keyring",
	[LAYER_CAPABILITIES] = "capabilities",
	[LAYER_NO_NEW_PRIVS] = "no_new_privs",
	[LAYER_LANDLOCK] = "landlock",
	[LAYER_PROGRAMS] = "programs",
	[LAYER_SECCOMP] = "seccomp",
};
static_assert(ARRAY_LEN(layer_names) == LAYER_COUNT, "one name per layer");

const char *status_name(enum status status)
{
	return (unsigned)status < STATUS_COUNT ? status_names[status]
					       : status_names[STATUS_UNKNOWN];
}

const char *kill_reason_name(enum kill_reason reason)
{
	return (unsigned)reason < KILL_COUNT ? kill_reason_names[reason] : NULL;
}

const char *start_how_name(enum start_how how)
{
	return (unsigned)how < START_COUNT ? start_names[how] : start_names[START_COLD];
}

const char *warm_kind_name(enum warm_kind kind)
{
	return (unsigned)kind < WARM_COUNT ? warm_names[kind] : warm_names[WARM_NOT];
}

const char *layer_name(enum layer layer)
{
	assert((unsigned)layer < LAYER_COUNT);
	return layer_names[layer];
}

const char *layer_state_name(enum layer_state state)
{
	switch (state) {
	case LAYER_OFF:
		return "off";
	case LAYER_DEGRADED:
		return "degraded";
	case LAYER_FULL:
		return "full";
	}
	return "off";
}

int layer_by_name(const char *name)
{
	for (int i = 0; i < LAYER_COUNT; i++)
		if (strcmp(name, layer_names[i]) == 0)
			return i;
	return -1;
}
