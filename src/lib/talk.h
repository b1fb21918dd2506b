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
 *   ASK_SIGNAL signal ->                         at any time, for the program
 *   ASK_PING ->                                  while it runs
 *             <- SAY_ALIVE                       unless it has ended meanwhile
 *             <- SAY_ENDED  outcome; /work if it was asked for
 *
 * A peer without rights over the box's files has them moved by the helper:
 *
 *   ASK_PUT     path, flags, limits; bytes ->    before ASK_RUN
 *             <- SAY_DONE                        or SAY_FAILED error; or not at all
 *   ASK_COLLECT glob, most, files ->             after SAY_ENDED, if WORK_STAYS
 *             <- SAY_DONE   count; list, bytes
 *
 * A box that is kept: ASK_KEEP, and from then on anything but the above, each
 * answered with SAY_DONE or SAY_FAILED.  Ends of programs are told on the
 * socket that came with ASK_KEEP, SAY_ENDED each, and last the box's own with
 * exec 0.  ASK_KILL ends the box.  With the answer to ASK_KEEP comes the kernel's counter of the
 * box's processor time, open for reading, where there is one.
 */
#ifndef LIB_TALK_H
#define LIB_TALK_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "call/call.h"
#include "call/inside.h"

enum { TALK_MAGIC = 0x6a6c6562, TALK_VERSION = 8 };

/* A call that comes so soon after an answer is one of many. */
enum { TALK_BUSY_US = 5000 };

struct talk_head {
	uint32_t magic;
	uint32_t version; /* another one whenever a struct below changes */
	uint32_t size;    /* of the whole message */
	uint32_t kind;
};

enum talk_ask {
	ASK_NONE = 0,
	ASK_BOX,
	ASK_RUN,
	ASK_KILL,
	ASK_PUT, /* also of a kept box, like those from ASK_EXEC on */
	ASK_COLLECT,
	ASK_KEEP,   /* limits; where ends are told */
	ASK_EXEC,   /* limits.wall_ms, cpu_ms; path: the directory; descriptors as for ASK_RUN, and
		     * perhaps ASK_MORE */
	ASK_SIGNAL, /* exec, signal; answered only if the box is kept */
	ASK_STOP,   /* exec, reason */
	ASK_EXTEND, /* limits.wall_ms, from now on */
	ASK_USAGE,
	ASK_ROOM,
	ASK_GET, /* path, from, most */
	ASK_STAT,
	ASK_LIST,
	ASK_MKDIR,
	ASK_REMOVE, /* path, flags */
	ASK_PROCESSES,
	ASK_PING, /* does it hear?  Not of a kept box */
	ASK_COUNT
};

/* keep_work */
enum { WORK_GOES = 0, WORK_COMES, WORK_STAYS };
/* flags of a request, and of a reply */
enum {
	ASK_EXECUTABLE = 1,
	ASK_RECURSIVE = 2,
	ASK_GROUP = 4,
	ASK_LAST = 8,
	ASK_GIVE = 16,
	ASK_UNANSWERED = 32, /* ASK_PUT: if it fails, the run that follows is refused for it */
	ASK_CALLED = 64, /* ASK_RUN: it is bound to its peer's processor until the program runs */
};
enum { SAY_CUT = 1, SAY_BOX_OVER = 2 };

struct talk_request {
	struct talk_head head;
	uint32_t reason;    /* ASK_KILL: enum kill_reason */
	uint32_t keep_work; /* ASK_RUN: its files are read when it has ended, by whom */
	struct limits limits;
	uint64_t exec;
	uint64_t from, most;
	uint32_t files;
	int32_t signal;
	uint32_t flags;
	uint32_t pad;
	char path[KEPT_PATH_MAX];
};

/* Positions of the descriptors that come with ASK_RUN. */
enum { ASK_IN, ASK_OUT, ASK_ERR, ASK_WORDS, ASK_FDS };
/* One more with ASK_EXEC: the program finds it as INSIDE_MORE_FD. */
enum { ASK_MORE = ASK_FDS };

/* Positions of the descriptors that come with the answer to ASK_COLLECT. */
enum { SAY_LIST, SAY_BYTES, SAY_FDS };

enum talk_say { SAY_NONE = 0, SAY_READY, SAY_BOX, SAY_ENDED, SAY_FAILED, SAY_DONE, SAY_ALIVE };

struct talk_reply {
	struct talk_head head;
	uint32_t uid, gid; /* SAY_READY: who owns the program's files on the host */
	uint32_t root_mode;
	uint32_t usable; /* will it serve another call? */
	struct error error;
	struct outcome outcome;
	uint64_t exec;
	uint64_t total; /* ASK_GET: size of the file */
	uint64_t room;  /* ASK_ROOM: bytes of memory that the box may still take */
	uint32_t count; /* of what is in the list */
	uint32_t flags;
	struct kept_entry entry; /* ASK_STAT */
};

/* One row of the list that answers ASK_COLLECT; its name follows it. */
struct talk_artifact {
	uint64_t size, at; /* at: where in the bytes */
	uint32_t name_len; /* without a NUL */
	char sha256[65];
	char refused[96];
};

void talk_begin(struct talk_head *head, uint32_t kind, size_t size);

/* Each returns the bytes received, 0 at the end of the peer, -1 if it is not what this version
 * understands.  Texts are terminated and enums in range afterwards. */
ssize_t talk_take_request(int sock, struct talk_request *ret, int *ret_fds, size_t *n_fds,
			  struct error *err);
ssize_t talk_take_reply(int sock, struct talk_reply *ret, int *ret_fds, size_t *n_fds,
			struct error *err);

#endif
