/* SPDX-License-Identifier: Apache-2.0 */
/* wardentalk.h - what a keeper and the warden say to each other.
 *
 * The keeper asks for a slot: limits and the words of a profile as belljar slot
 * takes them (packed, in a descriptor).  The warden reads the words itself,
 * holds them against its ceiling, starts the slot and hands over its socket,
 * on which from then on lib/talk.h is spoken.
 */
#ifndef LIB_WARDENTALK_H
#define LIB_WARDENTALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "call/call.h"

enum { WARDEN_MAGIC = 0x77626a6c, WARDEN_VERSION = 1 };

enum warden_ask { WARDEN_ASK_NONE = 0, WARDEN_SLOT };
enum warden_say { WARDEN_SAY_NONE = 0, WARDEN_GIVEN, WARDEN_REFUSED };

struct warden_request {
	uint32_t magic, version, kind, session; /* session: a box that is kept is asked for */
	struct limits limits;
};

struct warden_reply {
	uint32_t magic, version, kind, pad;
	struct error error; /* WARDEN_REFUSED: which line of the ceiling */
};

/* On a socket to the warden; -1: err (kind ERR_REFUSED: above the ceiling).  ret_sock: the slot's,
 * ret_pidfd: of the slot's process, to see it end. */
int warden_slot(int warden, const struct profile *profile, const struct limits *limits,
		bool session, int *ret_sock, int *ret_pidfd, struct error *err);

#endif
