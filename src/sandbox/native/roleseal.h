/* SPDX-License-Identifier: Apache-2.0 */
/* roleseal.h - what a role of belljar gives up before it reads the first byte of anybody.
 *
 * A role opens what it needs, then:
 *
 *     static const struct role_call own_calls[] = {
 *             {.nr = __NR_accept4, .why = "its callers"},
 *             {.nr = __NR_socketpair, .why = "its own", .checked = true, .arg = 0,
 *              .value = AF_UNIX},
 *     };
 *     static const struct role_calls own = {own_calls, ARRAY_LEN(own_calls)};
 *     struct role_rule rules[] = {{.fd = directory, .rights = LANDLOCK_READ}};
 *     struct role_seal seal = {
 *             .name = "the reader",
 *             .calls = {&role_messages, &role_reading, &own},
 *             .rules = rules, .n_rules = 1,
 *             .data_bytes = 256 << 20, .files_most = 64, .files_least = 16,
 *     };
 *     if (role_seal(&seal, layers, &err) < 0) ...
 *
 * and from then on, for good: no capability (bounding set too, securebits
 * locked), no privilege by exec, no other file than the rules name, no signal
 * and no abstract socket beyond itself, no TCP unless asked for, no system call
 * but those listed, no executable memory, no core dump, no debugger.  Calls
 * that are not listed do not exist (ENOSYS), so that libc does without; with
 * kill, they end the process.
 *
 * What every role needs (memory, time, read and write, its own end) is always
 * allowed.  Descriptors that are open stay open: close what is not needed.
 */
#ifndef NATIVE_ROLESEAL_H
#define NATIVE_ROLESEAL_H

#include <sys/types.h>

#include "call/call.h"
#include "sandbox/native/landlock.h"

enum { ROLE_SETS_MAX = 8, ROLE_CALLS_MAX = 256, ROLE_RULES_MAX = 256 };

struct role_call {
	unsigned nr;
	const char *why;
	bool checked;   /* only if this argument, its low 32 bits, is value */
	unsigned arg;   /* 0 to 5 */
	uint32_t value; /* for several values, several rows */
	bool both;      /* ... and if this other one is also */
	unsigned other;
	uint32_t also;
};

struct role_calls {
	const struct role_call *rows;
	size_t n;
};

/* Ready-made. */
extern const struct role_calls role_messages; /* over sockets that exist, with descriptors */
extern const struct role_calls role_loop;     /* epoll, timerfd, signalfd, eventfd, pidfds */
extern const struct role_calls role_reading;  /* open, read, list; Landlock says what */
extern const struct role_calls role_writing;  /* make, change, remove, sync; Landlock says what */
extern const struct role_calls role_memory;   /* memfds with seals */

/* By descriptor (O_PATH will do), or by path if fd is -1. */
struct role_rule {
	int fd;
	const char *path;
	uint32_t rights; /* LANDLOCK_READ... of landlock.h */
	bool may_lack;   /* a path that is not there is no error */
};

struct role_seal {
	const char *name; /* for messages: "the reader" */
	const struct role_calls *calls[ROLE_SETS_MAX];
	const struct role_rule *rules;
	size_t n_rules;
	bool tcp;            /* may bind and connect; else Landlock refuses it where it can */
	bool kill;           /* what is not listed ends us */
	bool become;         /* another user: root only */
	uid_t uid;           /* with become */
	gid_t gid;           /* with become; all other groups go */
	uint64_t data_bytes; /* of memory; 0: as it is */
	unsigned files_most, files_least; /* open files; 0: as it is */
	uint32_t allow_degraded;          /* one bit per enum layer */
};

/* Before anything is read from anybody.  A layer that this host does not offer is an error unless
 * its bit is in allow_degraded; ret_layers (LAYER_COUNT of them; may be NULL) says what is in
 * force: rlimits, capabilities, no-new-privs, landlock, seccomp. */
int role_seal(const struct role_seal *s, struct layer_report *ret_layers, struct error *err);

#endif
