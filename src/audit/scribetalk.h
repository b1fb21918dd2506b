/* SPDX-License-Identifier: Apache-2.0 */
/* scribetalk.h - what a caller and the scribe say to each other.
 *
 * Fixed structs over a SOCK_SEQPACKET socket; behind a request comes the record
 * itself, one line of JSON without its newline.  Every message begins with a
 * magic number, the version and its own size, and both sides look at them
 * before anything else.
 *
 *   caller                              scribe
 *   PUT_...  ticket, key, line ->                 any number, without waiting
 *             <- GOT_RECEIPT ticket, index, hash  it is in the log
 *             <- GOT_REFUSED ticket, error        it is not, and will not be
 *             <- GOT_BUSY                         another scribe has the log; this one goes
 *
 * Records get into the log in the order of the requests.  Whoever closes the
 * socket before a call that it began has ended is taken for dead, and its calls
 * for aborted.
 */
#ifndef AUDIT_SCRIBETALK_H
#define AUDIT_SCRIBETALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum {
	SCRIBE_MAGIC = 0x65626373,
	SCRIBE_VERSION = 2,
	SCRIBE_LINE_MAX = 64000,
	SCRIBE_KEY_ROOM = 72,
};
#define SCRIBE_SOCKET "scribe.socket" /* in the directory of the log */

struct scribe_head {
	uint32_t magic;
	uint32_t version; /* another one whenever a struct below changes */
	uint32_t size;    /* of the whole message, the line included */
	uint32_t kind;
	uint64_t ticket; /* the caller's; comes back with the answer */
};

enum scribe_put {
	PUT_NONE = 0,
	PUT_STARTED,  /* key: the call's id; the call is open from now on */
	PUT_FINISHED, /* key: the call's id; it is not any more */
	PUT_SINGLE,   /* begins and ends nothing */
	PUT_ONCE,     /* key: written unless this scribe has written one with the same key */
	PUT_COUNT
};

enum {
	PUT_DURABLE = 1 << 0, /* answer when it is on the disk, not when it is written */
	PUT_AGAIN = 1 << 1,   /* sent before, to a scribe that died before it answered */
	PUT_ALONE = 1 << 2,   /* nobody else has anything to do, and the next comes when this one is
			       * answered: two that take turns are quicker on one processor */
	PUT_CROWD = 1 << 3,   /* others have */
	PUT_FLAGS = PUT_DURABLE | PUT_AGAIN | PUT_ALONE | PUT_CROWD,
};

struct scribe_request {
	struct scribe_head head;
	uint32_t flags;
	uint32_t line_len; /* bytes behind this struct */
	char key[SCRIBE_KEY_ROOM];
};

enum { SCRIBE_MESSAGE_MAX = sizeof(struct scribe_request) + SCRIBE_LINE_MAX };

enum scribe_got { GOT_NONE = 0, GOT_RECEIPT, GOT_REFUSED, GOT_BUSY, GOT_COUNT };

struct scribe_reply {
	struct scribe_head head;
	uint64_t index;
	uint8_t leaf_hash[32];
	uint32_t place;     /* where the scribe stays (base/beside.h); 0: anywhere */
	struct error error; /* GOT_REFUSED; for the operator */
};

void scribe_begin(struct scribe_head *head, uint32_t kind, uint64_t ticket, size_t size);
/* Is it a record: one line, an object, UTF-8, no control characters? */
bool scribe_is_line(const char *line, size_t len);
/* Letters, digits, "-", "_", ".", ":"; at least one, and room for the NUL. */
bool scribe_is_key(const char *key, size_t room);

/* A message of came bytes, as received.  0: it is what this version understands, and line points
 * to line_len bytes behind the struct. */
int scribe_check_request(const struct scribe_request *r, size_t came, const char **ret_line,
			 struct error *err);
/* The same for an answer; its text is terminated and its enums are in range afterwards. */
int scribe_check_reply(struct scribe_reply *r, size_t came, struct error *err);

#endif
