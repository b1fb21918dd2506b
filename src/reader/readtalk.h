/* SPDX-License-Identifier: Apache-2.0 */
/* readtalk.h - what the front and the reader of the log say to each other.
 *
 * Fixed structs over a SOCK_SEQPACKET pair.  The front hands on the parameters
 * of the query string as texts, decoded and otherwise as they came; an empty
 * one was not given.  The reader judges them: a wrong one is an answer (400)
 * that names it.  Who may ask is the front's to know: whoever asks here has
 * the scope "audit".
 *
 *   front                                reader
 *                  <- READ_READY                 the log was found, sealed
 *   a request ->                                 serial
 *                  <- READ_ANSWER                exactly one for each serial, in any order
 *
 * Bodies ride behind the reply, or in a sealed memfd beside it when large.
 */
#ifndef READER_READTALK_H
#define READER_READTALK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

enum {
	READ_MAGIC = 0x64726c62,
	READ_VERSION = 2,
	READ_INLINE_MAX = 32 * 1024,  /* more than that comes in a memfd */
	READ_BODY_MAX = 16 * 1048576, /* no answer is larger */
	READ_PENDING_MAX = 64,        /* requests that may be open at once */
	READ_TEXT_ROOM = 256, /* of one parameter; one that does not fit is the front's 400 */
};

/* What is asked, which parameters it takes, and what the body is. */
enum read_ask {
	READ_ASK_NONE = 0,
	/* tool client session status decision kind since until limit after: {"signed_size",
	 * "calls": [as belljar audit query --json prints them], "next": index or null} */
	READ_QUERY,
	/* id: {"signed_size", "records": [...]}, as belljar audit show --json; digits are the
	 * number of a record of the call */
	READ_SHOW,
	/* index: {"index", "leaf_hash", "record"} */
	READ_RECORD,
	/* index: {"index", "proof": text}, as belljar audit prove writes it */
	READ_PROOF,
	/* none: {"ok", "valid", "records", ..., "findings": [], "ms"} */
	READ_VERIFY,
	/* none: {"origin", "size", "root", "checkpoint": text} */
	READ_CHECKPOINT,
	READ_ASK_COUNT
};

/* The fields' names are the parameters' names. */
struct read_request {
	uint32_t magic, version;
	uint32_t kind; /* enum read_ask */
	uint32_t pad;
	uint64_t serial;
	char tool[READ_TEXT_ROOM];
	char client[READ_TEXT_ROOM];
	char session[READ_TEXT_ROOM];
	char status[READ_TEXT_ROOM];
	char decision[READ_TEXT_ROOM];
	char record_kind[READ_TEXT_ROOM]; /* ?kind= */
	char since[READ_TEXT_ROOM];       /* "2h" ago, "2026-11-15", "2026-11-15T10:00+02:00" */
	char until[READ_TEXT_ROOM];
	char limit[READ_TEXT_ROOM]; /* 1 to 1000; standard 100 */
	char after[READ_TEXT_ROOM]; /* calls that began behind this record, the oldest first */
	char index[READ_TEXT_ROOM];
	char id[READ_TEXT_ROOM];
	char request_id[READ_TEXT_ROOM]; /* into problems */
};

enum read_say { READ_SAY_NONE = 0, READ_READY, READ_ANSWER, READ_SAY_COUNT };
enum read_content { READ_JSON = 0, READ_PROBLEM, READ_CONTENT_COUNT };

struct read_reply {
	uint32_t magic, version;
	uint32_t kind; /* enum read_say */
	uint32_t http_status;
	uint64_t serial;
	uint64_t body_len;
	uint32_t content;       /* enum read_content: application/json or problem+json */
	uint32_t retry_after_s; /* 0: no such header */
};

/* Neither waits: what does not go out at once is an error with sys EAGAIN. */
int read_send_request(int sock, struct read_request *r, struct error *err);
int read_send_reply(int sock, struct read_reply *r, const void *data, size_t len,
		    struct error *err);
/* 1: one came, 0: the peer is gone, -1: err (sys EAGAIN: none yet; else not what this version
 * understands).  Neither waits.  Texts are terminated and enums in range.  body is begun here and
 * the caller's to end, also after an error. */
int read_take_request(int sock, struct read_request *ret, struct error *err);
int read_take_reply(int sock, struct read_reply *ret, struct buf *body, struct error *err);

#endif
