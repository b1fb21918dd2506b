/* SPDX-License-Identifier: Apache-2.0 */
/* identity.h - who a launcher is: a uid of its own and a user namespace that belongs to it. */
#ifndef NATIVE_IDENTITY_H
#define NATIVE_IDENTITY_H

#include "base/error.h"
#include "sandbox/native/board.h"
#include "sandbox/native/plan.h"

/* Of root's belljar: the locks of slots, and what boxes share. */
#define IDENTITY_PLACE "/run/belljar"

/* Warden: may this process give slots uids of their own?  err says what is missing if not. */
bool identity_is_root_mode(struct error *err);
/* Warden: reserves a slot number that no other belljar on this host uses, for as long as the
 * descriptor stays open.  Returns the descriptor. */
int identity_reserve(struct plan *plan, struct error *err);
/* Warden: writes the maps of the launcher's user namespace. */
int identity_write_maps(const struct plan *plan, pid_t launcher, struct error *err);

/* Launcher, root mode: gives the host's root up and enters a user namespace as the slot's uid;
 * the maps are not written yet. */
int identity_leave_root(const struct plan *plan, struct error *err);
/* Launcher: once the maps are there, becomes root inside (root mode). */
int identity_settle(const struct plan *plan, struct board *board, struct error *err);
/* In that user namespace, with the host's /proc in sight: closes the door to further ones. */
void identity_be_last(struct board *board);

#endif
