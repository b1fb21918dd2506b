/* SPDX-License-Identifier: Apache-2.0 */
/* statedir.h - where something is kept between runs: a directory that is ours alone. */
#ifndef BASE_STATEDIR_H
#define BASE_STATEDIR_H

#include <stddef.h>

#include "base/error.h"

struct statedir {
	const char *what;     /* for messages: "state directory" */
	const char *variable; /* the environment's word for it: "BELLJAR_STATE" */
	const char *beneath;  /* of the state directory: "/audit"; "": itself */
	const char *state;    /* instead of $BELLJAR_STATE; NULL: that one */
};

/* Where that is: dir if not NULL, else the variable, else beneath $BELLJAR_STATE, /var/lib/belljar
 * for root, $XDG_STATE_HOME/belljar, ~/.local/state/belljar.  Without slashes at the end. */
int statedir_find(const struct statedir *which, const char *dir, char *ret, size_t room,
		  struct error *err);
/* Made (0700, and what is missing above it) if it is not there; refused if it is a link, somebody
 * else's, or writable by others, or if a stranger could take it away: one of the directories above
 * is somebody else's, or everybody may write it.  A descriptor, or -1. */
int statedir_open(const struct statedir *which, const char *path, struct error *err);

#endif
