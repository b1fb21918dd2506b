/* SPDX-License-Identifier: Apache-2.0 */
/* talk.h - what libbelljar and its helper (belljar slot) say to each other.
 *
 * Fixed structs over a SOCK_SEQPACKET pair, descriptors beside them.  The two
 * are installed separately and may be of different versions: every message
 * begins with a magic number, the version and its own size, and both sides
 * look at them before anything else.
 *
 *   library                             helper
 *             <- SAY_READY  ids                  or SAY_FAILED error
 *   ASK_BOX   limits ->                          only if files are to be put in
 *             <- SAY_BOX    /work                or SAY_FAILED error
 *   ASK_RUN   limits; in, out, err, words ->
 *   ASK_KILL  reason ->                          at any time
 *             <- SAY_ENDED  outcome; /work if it was asked for
 */
#ifndef LIB_TALK_H
#define LIB_TALK_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "call/call.h"

enum { TALK_MAGIC = 0x6a6c6562, TALK_VERSION = 1 };

struct talk_head {
	uint32_t magic;
	uint32_t version; /* another one whenever a struct below changes */
	uint32_t size;    /* of the whole message */
	uint32_t kind;
};

enum talk_ask { ASK_NONE = 0, ASK_BOX, ASK_RUN, ASK_KILL };

struct talk_request {
	struct talk_head head;
	uint32_t reason;    /* ASK_KILL: enum kill_reason */
	uint32_t keep_work; /* ASK_RUN: its files are read when it has ended */
	struct limits limits;
};

/* Positions of the descriptors that come with ASK_RUN. */
enum { ASK_IN, ASK_OUT, ASK_ERR, ASK_WORDS, ASK_FDS };

enum talk_say { SAY_NONE = 0, SAY_READY, SAY_BOX, SAY_ENDED, SAY_FAILED };

struct talk_reply {
	struct talk_head head;
	uint32_t uid, gid; /* SAY_READY: who owns the program's files on the host */
	uint32_t root_mode;
	uint32_t usable; /* will it serve another call? */
	struct error error;
	struct outcome outcome;
};

void talk_begin(struct talk_head *head, uint32_t kind, size_t size);

/* Each returns the bytes received, 0 at the end of the peer, -1 if it is not what this version
 * understands.  Texts are terminated and enums in range afterwards. */
ssize_t talk_take_request(int sock, struct talk_request *ret, int *ret_fds, size_t *n_fds,
			  struct error *err);
ssize_t talk_take_reply(int sock, struct talk_reply *ret, int *ret_fds, size_t *n_fds,
			struct error *err);

#endif
