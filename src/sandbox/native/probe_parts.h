/* SPDX-License-Identifier: Apache-2.0 */
/* probe_parts.h - between the table of checks and the files that answer them. */
#ifndef NATIVE_PROBE_PARTS_H
#define NATIVE_PROBE_PARTS_H

#include "sandbox/native/probe.h"

/* Fills in state and detail; the fix stays as it is. */
void found(struct finding *f, enum check_state state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void fix(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A number in a file of /proc/sys; -1 if there is none. */
long long probe_sysctl(const char *path);

/* What a child came back with. */
struct tried {
	bool done;
	int sys;       /* errno of the step that failed, 0 if done */
	char text[96]; /* which step failed, or what was seen */
};

/* Runs step in a child, in new namespaces (CLONE_NEW... flags), for two seconds at most.  With
 * CLONE_NEWUSER the child is root in its own user namespace before step runs. */
void probe_try(int flags, void (*step)(long arg, struct tried *ret), long arg, struct tried *ret);
/* The flags a box would use: its namespaces belong to a user namespace. */
int probe_flags(int flags);
/* For steps: notes what failed, with errno. */
void probe_failed(struct tried *ret, const char *what);

/* kernel */
void look_kernel(const struct check *self, struct finding *ret);
void look_call(const struct check *self, struct finding *ret);
void look_pidfd_setns(const struct check *self, struct finding *ret);
void look_memfd(const struct check *self, struct finding *ret);
void look_memfd_noexec(const struct check *self, struct finding *ret);
void look_landlock(const struct check *self, struct finding *ret);
void look_seccomp(const struct check *self, struct finding *ret);
void look_keyring(const struct check *self, struct finding *ret);
/* namespaces and mounts */
void look_user_namespace(const struct check *self, struct finding *ret);
void look_own_uid(const struct check *self, struct finding *ret);
void look_namespace(const struct check *self, struct finding *ret);
void look_namespace_limits(const struct check *self, struct finding *ret);
void look_overlay(const struct check *self, struct finding *ret);
void look_tmpfs(const struct check *self, struct finding *ret);
void look_proc(const struct check *self, struct finding *ret);
void look_idmap(const struct check *self, struct finding *ret);
/* control groups */
void look_controller(const struct check *self, struct finding *ret);
void look_swap(const struct check *self, struct finding *ret);
/* the host */
void look_mode(const struct check *self, struct finding *ret);
void look_uid_range(const struct check *self, struct finding *ret);
void look_pid_max(const struct check *self, struct finding *ret);
void look_inotify(const struct check *self, struct finding *ret);
void look_ptrace_scope(const struct check *self, struct finding *ret);
void look_core_pattern(const struct check *self, struct finding *ret);
void look_usr_merged(const struct check *self, struct finding *ret);
void look_root(const struct check *self, struct finding *ret);
void look_runtime(const struct check *self, struct finding *ret);
void look_bpf(const struct check *self, struct finding *ret);
void look_io_uring(const struct check *self, struct finding *ret);
/* a real one */
void look_box(const struct check *self, struct finding *ret);
/* one in which an interpreter waits */
void look_warm(const struct check *self, struct finding *ret);
/* Memory that only the innermost process beneath us has: what waits in a box.  0: it is not told.
 */
uint64_t probe_waiting_bytes(void);

#endif
