/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c - what this host can do for a box: the table of checks and the verdict. */
#include "sandbox/native/probe.h"

#include <assert.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "call/call.h"
#include "sandbox/native/cgroup.h"
#include "sandbox/native/probe_parts.h"

#define BOX   NEED_BOX
#define LAYER NEED_LAYER
#define NONE  NEED_NOTHING

/* clang-format off: one question per line */
const struct check checks[] = {
	{"kernel", "kernel", "version", BOX, look_kernel, 0, NULL},
	{"clone3", "kernel", "clone3", BOX, look_call, 0, NULL},
	{"pidfd", "kernel", "pidfd_open", BOX, look_call, 1, NULL},
	{"pidfd_setns", "kernel", "setns with a pidfd", BOX, look_pidfd_setns, 0, NULL},
	{"close_range", "kernel", "close_range", BOX, look_call, 2, NULL},
	{"openat2", "kernel", "openat2", BOX, look_call, 3, NULL},
	{"fsopen", "kernel", "new mount calls", BOX, look_call, 4, NULL},
	{"open_tree", "kernel", "open_tree", BOX, look_call, 5, NULL},
	{"mount_setattr", "kernel", "mount_setattr", BOX, look_call, 6, NULL},
	{"memfd", "kernel", "sealed memfd", BOX, look_memfd, 0, NULL},

	{"mode", "identity", "mode", BOX, look_mode, 0, NULL},
	{"user_namespace", "identity", "user namespace", BOX, look_user_namespace, 0, NULL},
	{"own_uid", "identity", "uid of its own", LAYER, look_own_uid, 0, "own_uid"},
	{"uid_range", "identity", "uid range", NONE, look_uid_range, 0, NULL},

	{"pid_namespace", "namespaces", "processes", BOX, look_namespace, CLONE_NEWPID, NULL},
	{"mount_namespace", "namespaces", "mounts", BOX, look_namespace, CLONE_NEWNS, NULL},
	{"ipc_namespace", "namespaces", "ipc", BOX, look_namespace, CLONE_NEWIPC, NULL},
	{"uts_namespace", "namespaces", "host name", BOX, look_namespace, CLONE_NEWUTS, NULL},
	{"cgroup_namespace", "namespaces", "control groups", LAYER, look_namespace, CLONE_NEWCGROUP,
	 "cgroup_namespace"},
	{"network", "namespaces", "network", BOX, look_namespace, CLONE_NEWNET, NULL},
	{"namespace_limits", "namespaces", "how many", NONE, look_namespace_limits, 0, NULL},

	{"overlay", "files", "overlay", LAYER, look_overlay, 0, "overlay"},
	{"tmpfs", "files", "tmpfs limits", BOX, look_tmpfs, 0, NULL},
	{"proc", "files", "/proc", LAYER, look_proc, 0, "proc"},
	{"idmap", "files", "idmapped mounts", NONE, look_idmap, 0, NULL},
	{"usr_merged", "files", "merged /usr", NONE, look_usr_merged, 0, NULL},
	{"root", "files", "root in use", NONE, look_root, 0, NULL},

	{"landlock", "walls", "Landlock", LAYER, look_landlock, 0, "landlock"},
	{"seccomp", "walls", "system call filter", BOX, look_seccomp, 0, NULL},
	{"keyring", "walls", "session keyring", LAYER, look_keyring, 0, "keyring"},
	{"memfd_noexec", "walls", "memfd not executable", NONE, look_memfd_noexec, 0, NULL},

	{"memory", "limits", "memory", LAYER, look_controller, CONTROLLER_MEMORY, "memory"},
	{"processes", "limits", "processes", LAYER, look_controller, CONTROLLER_PIDS, "processes"},
	{"cpu", "limits", "processor share", LAYER, look_controller, CONTROLLER_CPU, "cpu"},
	{"swap", "limits", "swap", NONE, look_swap, 0, NULL},
	{"pid_max", "limits", "process ids", NONE, look_pid_max, 0, NULL},
	{"inotify", "limits", "inotify", NONE, look_inotify, 0, NULL},

	{"python", "runtimes", "python3", NONE, look_runtime, 0, NULL},
	{"node", "runtimes", "node", NONE, look_runtime, 1, NULL},
	{"bash", "runtimes", "bash", NONE, look_runtime, 2, NULL},

	{"ptrace_scope", "host", "ptrace", NONE, look_ptrace_scope, 0, NULL},
	{"core_pattern", "host", "core dumps", NONE, look_core_pattern, 0, NULL},
	{"bpf", "host", "bpf", NONE, look_bpf, 0, NULL},
	{"io_uring", "host", "io_uring", NONE, look_io_uring, 0, NULL},

	{"box", "box", "a real one", BOX, look_box, 0, NULL},

	{"warm_python", "warm boxes", "python waits", NONE, look_warm, WARM_PYTHON, NULL},
	{"warm_node", "warm boxes", "node waits", NONE, look_warm, WARM_NODE, NULL},
};
/* clang-format on */
const size_t check_count = ARRAY_LEN(checks);

static const char *const state_names[] = {
	[CHECK_MISSING] = "missing",
	[CHECK_DEGRADED] = "degraded",
	[CHECK_OK] = "ok",
	[CHECK_INFO] = "info",
};
static_assert(ARRAY_LEN(state_names) == CHECK_STATE_COUNT, "one name per state");

const char *check_state_name(enum check_state state)
{
	return (unsigned)state < CHECK_STATE_COUNT ? state_names[state] : "missing";
}

void check_run(const struct check *check, struct finding *ret)
{
	*ret = (struct finding){0};
	check->look(check, ret);
}

static void list(const struct finding *findings, enum check_need need, char *ret, size_t room)
{
	ret[0] = '\0';
	for (size_t i = 0; i < check_count; i++) {
		size_t used = strlen(ret);

		if (findings[i].state != CHECK_MISSING || checks[i].need != need)
			continue;
		(void)snprintf(ret + used, room - used, "%s%s", used ? "," : "",
			       need == NEED_LAYER ? checks[i].layers : checks[i].id);
	}
}

void probe_judge(const struct finding *findings, bool root_mode, struct verdict_line *ret)
{
	const char *mode = root_mode ? "root" : "user";
	char box[160], layers[160];

	list(findings, NEED_BOX, box, sizeof(box));
	list(findings, NEED_LAYER, layers, sizeof(layers));
	ret->all_layers = !box[0] && !layers[0];
	if (box[0])
		(void)snprintf(ret->text, sizeof(ret->text),
			       "boxes cannot run here in %s mode; missing: %s%s%s", mode, box,
			       layers[0] ? "," : "", layers);
	else if (layers[0])
		(void)snprintf(ret->text, sizeof(ret->text),
			       "boxes run here in %s mode only with --allow-degraded %s", mode,
			       layers);
	else
		(void)snprintf(ret->text, sizeof(ret->text),
			       "boxes run here in %s mode with all layers%s", mode,
			       root_mode ? "" : " but a uid of their own");
}
