/* SPDX-License-Identifier: Apache-2.0 */
/* seal.h - what a process gives up for good: limits, keys, capabilities, new privileges. */
#ifndef NATIVE_SEAL_H
#define NATIVE_SEAL_H

#include <sys/types.h>

#include "base/error.h"
#include "call/call.h"

struct seal_limits {
	const struct limits *limits;
	bool memory_by_rlimit;    /* no memory controller: RLIMIT_DATA stands in */
	bool processes_by_rlimit; /* no pids controller: RLIMIT_NPROC is all there is */
	unsigned own_processes;   /* of ours that count against the same uid */
};

/* All but the one on core dumps. */
int seal_rlimits(const struct seal_limits *l, struct error *err);
int seal_core_dumps(struct error *err);
int seal_keyring(struct error *err);
/* No exec will ever bring a capability back.  Those we have stay. */
int seal_bounding_set(struct error *err);
/* What a process that exec'ed needs of the user namespace it stands in, to join a box and to seal
 * itself: made inheritable, before the bounding set is emptied. */
enum { SEAL_KEPT_COUNT = 6 };
extern const int seal_kept[SEAL_KEPT_COUNT];
int seal_keep_inheritable(struct error *err);
/* No uid and no exec will bring a capability back, and nobody can change that. */
int seal_securebits(struct error *err);
/* Is a filter of ours in force?  For who has locked them, and may set them to what they are. */
bool seal_is_filtered(void);
/* Becomes uid and gid (of this user namespace) and gives up every capability, the bounding set
 * included, with securebits locked. */
int seal_identity(uid_t uid, gid_t gid, struct error *err);
/* Gives up every capability that this process has; needs none for it. */
int seal_capabilities(struct error *err);
/* The same for who was born of a process with an empty bounding set and has locked its securebits:
 * forty questions less. */
int seal_born_identity(uid_t uid, gid_t gid, struct error *err);
int seal_no_new_privs(struct error *err);
/* Empty mask, default handlers. */
int seal_signals(struct error *err);

#endif
