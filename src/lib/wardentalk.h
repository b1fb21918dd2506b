/* SPDX-License-Identifier: Apache-2.0 */
/* wardentalk.h - what a keeper and the warden say to each other.
 *
 * The keeper asks for a slot: limits and the words of a profile as belljar slot
 * takes them (packed, in a descriptor).  The warden reads the words itself,
 * holds them against its ceiling, starts the slot and hands over its socket,
 * on which from then on lib/talk.h is spoken.
 *
 * A keeper has one slot at a time: asking for another ends the one before, and
 * the answer comes when that is gone.  So does the end of the keeper's socket.
 * What a slot is told later, call by call, may not exceed the ceiling either.
 */
#ifndef LIB_WARDENTALK_H
#define LIB_WARDENTALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "call/call.h"

enum { WARDEN_MAGIC = 0x77626a6c, WARDEN_VERSION = 1, WARDEN_WORDS_MAX = 1 << 20 };

/* One keeper may have so many at once: a call of another tool must not wait for a slot to be made.
 */
enum { WARDEN_KEEPER_SLOTS = 6 };

/* How many keepers a warden has places for: more than a policy can ask for.  One that finds none,
 * or no warden, ends with that exit code; whoever starts keepers waits before the next. */
enum { WARDEN_KEEPERS_MAX = 4096, WARDEN_LOST = 75 };

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

/* The keeper's side.  On a socket to the warden; -1: err (kind ERR_REFUSED: above the ceiling, and
 * sys EAGAIN: no slot is free; after anything else the socket is of no use any more).  ret_sock:
 * the slot's, ret_pidfd: of the slot's process, to see it end.  The slot is being made: its first
 * word, SAY_READY or why not, comes on ret_sock. */
int warden_slot(int warden, const struct profile *profile, const struct limits *limits,
		bool session, int *ret_sock, int *ret_pidfd, struct error *err);

/* The warden's side, on a socket that does not wait.  1: one came, with a copy of its packed words;
 * 0: the peer is gone; -1: err (sys EAGAIN: none is there; else not what this version understands).
 */
int warden_take_request(int sock, struct warden_request *ret, struct buf *words, struct error *err);
/* fds: the slot's socket and pidfd, or NULL with why. */
int warden_reply(int sock, const int *fds, const struct error *why, struct error *err);

/* The supervisor's socket to the warden: new keepers and new ceilings. */

enum warden_control_kind {
	WARDEN_CONTROL_NONE = 0,
	WARDEN_CONTROL_KEEPER,  /* descriptor: the warden's end of a keeper's pair */
	WARDEN_CONTROL_CEILING, /* descriptor: the text, from its beginning (a memfd) */
	WARDEN_CONTROL_PING,    /* no descriptor: does it hear us? */
	WARDEN_CONTROL_COUNT
};

struct warden_control {
	uint32_t magic, version, kind, pad;
};

/* The warden's answer to each ceiling, the one it was started with too.  Not taken: the one before
 * stays, error says which line is wrong.  Or to a ping. */
struct warden_control_answer {
	uint32_t magic, version, taken, ping;
	struct error error;
};

/* Neither takes the descriptor over. */
int warden_control_keeper(int control, int sock, struct error *err);
int warden_control_ceiling(int control, int fd, struct error *err);
/* Does not wait: err (sys EAGAIN) where there is no room. */
int warden_control_ping(int control, struct error *err);
/* 1: an answer came; 0: the warden is gone; -1: err (sys EAGAIN: none yet).  Does not wait. */
int warden_control_heard(int control, struct warden_control_answer *ret, struct error *err);

/* The warden's side of it.  1: one came with its descriptor, or -1; 0: the supervisor is gone. */
int warden_control_take(int control, enum warden_control_kind *ret, int *ret_fd, struct error *err);
void warden_control_answer(int control, const struct error *why);
void warden_control_pong(int control);

#endif
