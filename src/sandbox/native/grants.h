/* SPDX-License-Identifier: Apache-2.0 */
/* grants.h - files and directories of the host that a box may see. */
#ifndef NATIVE_GRANTS_H
#define NATIVE_GRANTS_H

#include "base/error.h"
#include "sandbox/native/plan.h"

/* Is the place inside one where something may be seen?  Nothing of the host is looked at. */
int grants_check_place(const struct grant *g, struct error *err);
/* Warden: may this path be seen at this place at all?  Says which option is wrong. */
int grants_check(const struct profile *profile, struct error *err);
/* Warden: opens the sources.  Root mode: as detached mounts on which the owner of the source is the
 * program's uid.  User mode: as plain descriptors, of which grants_open_inside makes mounts. */
int grants_open(struct plan *plan, struct error *err);
void grants_close(struct plan *plan);

/* Launcher, user mode: the rest with the caller's rights, while the host's tree is in sight. */
int grants_open_inside(struct plan *plan, struct error *err);
/* Launcher, new root in the current directory: puts every grant in its place, or, if that is
 * beneath a directory which each box has for itself, into a hidden one (grants_place_late). */
int grants_place(struct plan *plan, struct error *err);
/* Warm interpreter, in a mount namespace of its own: takes every grant away again but the one, for
 * reading, that its own program lies in.  What others may have written is not for it to import. */
int grants_take_away(const struct profile *profile, const char *program, struct error *err);
/* Is this place in what each box has for itself?  Whoever waits for a call does not see it. */
bool grants_come_late(const char *inside);
/* Box: the rest, once its /work and /tmp are there. */
int grants_place_late(const struct plan *plan, struct error *err);

#endif
