/* SPDX-License-Identifier: Apache-2.0 */
/* keeptalk.h - what the front and a keeper say to each other.
 *
 * Fixed structs over a SOCK_SEQPACKET pair; bodies ride behind the struct, or
 * in a sealed memfd beside it when they are large.  The front does not look
 * into bodies: what a client sent goes to the keeper as it came, and what the
 * keeper answers is the body of the HTTP answer.
 *
 *   front                                keeper
 *                  <- KEEP_READY                 policy loaded, sealed, a slot being made
 *   KEEP_CALL ->                                 serial, who, body
 *                  <- KEEP_BEGUN                 it is in the log and about to run; the body is
 *                                                what a start event says: id, request_id, receipt
 *                  <- KEEP_OUTPUT                redacted, in order, stream 1 or 2
 *                  <- KEEP_SILENT                its slot does not answer, or does again
 *   KEEP_CANCEL, KEEP_INPUT, KEEP_SIGNAL ->      at any time while it runs
 *                  <- KEEP_ANSWER                exactly one for each serial but 0, which
 *                                                nobody waits for
 *
 * A keeper that got KEEP_OPEN is a session's until it ends; then several
 * serials may be open at once.
 *
 * A session that is copied: its keeper answers KEEP_FORK first with KEEP_BEGUN,
 * with which comes the end of a pipe and, as the body, how it was opened; the
 * front sends both to another keeper as KEEP_OPEN.  Nobody but the two boxes
 * knows what goes through the pipe.
 */
#ifndef KEEPER_KEEPTALK_H
#define KEEPER_KEEPTALK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"
#include "call/call.h"

enum {
	KEEP_MAGIC = 0x706b6c62,
	KEEP_VERSION = 7,
	KEEP_INLINE_MAX = 32 * 1024, /* more than that comes in a memfd */
	KEEP_NAME_ROOM = 128,
	KEEP_ID_ROOM = 40,
	KEEP_PATH_ROOM = 1024,
	KEEP_BODY_MAX = 256 << 20,  /* whatever the policy says: more is no message */
	KEEP_ANSWER_MAX = 64 << 20, /* of which the front takes so much in one answer */
	KEEP_DECISION_MAX = 2,      /* enum decision (call/rules.h) */
	KEEP_COUNTS = 8,            /* rules that are counted by name, in one answer */
	KEEP_COUNT_ROOM = 48,
};

enum keep_ask {
	KEEP_ASK_NONE = 0,
	KEEP_CALL,     /* one-shot; shape says of which face */
	KEEP_CHECK,    /* a dry run */
	KEEP_SCREEN,   /* look at code or a command */
	KEEP_TOOLS,    /* what this client may see */
	KEEP_INPUT,    /* bytes for the standard input of a serial; none, or number: its end */
	KEEP_SIGNAL,   /* number: for the program of a serial */
	KEEP_CANCEL,   /* kill the program of a serial */
	KEEP_OPEN,     /* a session; the keeper is its own from now on */
	KEEP_EXEC,     /* a program in the session's box */
	KEEP_CODE,     /* a snippet for the session's interpreter */
	KEEP_FILE_PUT, /* path, body; number: mode bits (0111: executable) */
	KEEP_FILE_GET, /* path, from, number: how many bytes (0: all) */
	KEEP_FILE_STAT,
	KEEP_FILE_LIST,
	KEEP_FILE_REMOVE,
	KEEP_PROCESSES,
	KEEP_DESCRIBE, /* the session: what it has used, when it ends */
	KEEP_EXTEND,
	KEEP_CLOSE, /* kill the session */
	KEEP_FORK,  /* a copy of the session; its interpreter and files go into a stream */
	KEEP_STIR,  /* a snippet may come in a moment; nothing is answered */
	KEEP_ASK_COUNT
};

/* Has any keeper anything else to do, and where is who waits for this one? */
enum keep_alone {
	ALONE_NOT = 0,
	ALONE,
	ALONE_APART, /* not on the keeper's processor: it wants to come to before the answer */
	ALONE_COUNT
};

/* The face an answer has. */
enum keep_shape { SHAPE_EXECUTE = 0, SHAPE_TOOL };

struct keep_request {
	uint32_t magic, version;
	uint32_t kind;  /* enum keep_ask */
	uint32_t shape; /* enum keep_shape */
	uint64_t serial;
	uint64_t target;   /* KEEP_INPUT, KEEP_SIGNAL, KEEP_CANCEL: the serial that is meant;
			    * KEEP_OPEN with a stream: how many snippets it has run */
	uint64_t body_len; /* behind this struct, or in the descriptor beside it */
	uint64_t from;     /* KEEP_FILE_GET */
	uint64_t number;   /* by kind; KEEP_OPEN: 1 if it comes with a stream;
			    * KEEP_FORK: 1 if whoever takes it may have another template */
	uint32_t has_uid;  /* who: a peer of a Unix socket */
	uint32_t uid;
	uint32_t follows; /* 1 if somebody wants to hear at once that it runs, and what it prints */
	uint32_t alone;   /* enum keep_alone */
	char client[KEEP_NAME_ROOM]; /* the policy's name for whoever asks */
	char request_id[KEEP_NAME_ROOM];
	char tool[KEEP_NAME_ROOM]; /* SHAPE_TOOL: from the path; KEEP_OPEN with a stream: as
				    * facts.rule says; else empty */
	char path[KEEP_PATH_ROOM]; /* files: beneath /work, as the client wrote it, decoded;
				    * KEEP_OPEN with a stream: of which session it is a copy */
	char id[KEEP_ID_ROOM];     /* KEEP_OPEN: of the session, minted by the front */
};

enum keep_say {
	KEEP_SAY_NONE = 0,
	KEEP_READY,
	KEEP_BEGUN,
	KEEP_OUTPUT,
	KEEP_ANSWER,
	KEEP_OVER, /* the session has ended by itself: ttl, idle, its box died; facts.rule: in words
		    */
	KEEP_SILENT, /* offset 1: the slot of a call does not answer; 0: it does again */
	KEEP_SAY_COUNT
};

enum keep_content { CONTENT_JSON = 0, CONTENT_PROBLEM, CONTENT_OCTETS };

/* How often, under a name of ours or of the policy: never a word of the client or the program. */
struct keep_count {
	char name[KEEP_COUNT_ROOM]; /* empty: none, nor behind it */
	uint64_t n;
};

/* For counters; nothing is decided by it. */
struct keep_facts {
	uint32_t status;      /* enum status */
	uint32_t kill_reason; /* enum kill_reason */
	uint32_t decision;    /* enum decision */
	uint32_t ran;
	uint32_t judged;                    /* there is a decision */
	uint32_t layer;                     /* enum why_layer: who refused */
	uint32_t start;                     /* enum start_how, if it ran */
	uint32_t wanted;                    /* an interpreter that waited should have run it */
	uint64_t setup_us, run_us, path_us; /* box, program, everything in the keeper */
	uint64_t cpu_us, memory_peak_bytes;
	uint64_t output_bytes, cut_bytes, redactions, findings; /* all, whatever is named below */
	uint64_t records, last_index;  /* in the log since the answer before; of the last of them */
	uint64_t interpreter_age_us;   /* of the one that it came out of */
	uint64_t interpreters, forked; /* started, and processes out of them, since then */
	struct keep_count redacted[KEEP_COUNTS], found[KEEP_COUNTS]; /* by rule */
	char tool[KEEP_NAME_ROOM];                                   /* empty: none that exists */
	char rule[KEEP_NAME_ROOM]; /* that refused; KEEP_BEGUN of KEEP_FORK: under which policy and
				    * secrets it was opened */
};

struct keep_reply {
	uint32_t magic, version;
	uint32_t kind;   /* enum keep_say */
	uint32_t stream; /* KEEP_OUTPUT: 1 or 2 */
	uint64_t serial;
	uint64_t body_len;
	uint64_t offset;                  /* KEEP_OUTPUT: of its first byte; KEEP_BEGUN of
					   * KEEP_FORK: how many snippets it has run */
	uint32_t http_status;             /* KEEP_ANSWER */
	uint32_t content;                 /* enum keep_content */
	uint32_t retry_after_s;           /* 0: no such header */
	uint32_t detach;                  /* KEEP_BEGUN: goes on when its client goes away */
	uint64_t range_from, range_total; /* KEEP_FILE_GET: what the body is of the whole file */
	char id[KEEP_ID_ROOM];            /* of the call, once it has one */
	uint32_t usable_slot;             /* KEEP_READY: a box waits */
	uint32_t start_len;               /* KEEP_ANSWER: so many bytes at the end of the body are
					   * what KEEP_BEGUN would have said; 0: it did, or it
					   * never began */
	uint32_t has_stream;              /* KEEP_BEGUN of KEEP_FORK: one comes with it */
	uint32_t place;                   /* of a session's keeper (base/beside.h), with what
					   * was alone.  KEEP_BEGUN: its answer is a moment away;
					   * 0: it is not, or it is not known where */
	struct keep_facts facts;          /* KEEP_ANSWER; KEEP_BEGUN: tool */
};

/* A message with its body.  data may be NULL if len is 0.  On a socket that does not block,
 * err->sys is EAGAIN when there is no room: nothing was sent. */
int keep_send_request(int sock, struct keep_request *r, const void *data, size_t len,
		      struct error *err);
int keep_send_reply(int sock, struct keep_reply *r, const void *data, size_t len,
		    struct error *err);
/* The same, with the end of a pipe beside it (-1: none), which stays the caller's. */
int keep_send_open(int sock, struct keep_request *r, int stream, const struct buf *body,
		   struct error *err);
int keep_send_begun(int sock, struct keep_reply *r, int stream, const struct buf *body,
		    struct error *err);
/* 1: one came, 0: the peer is gone, -1: err (also: not what this version understands).  body is
 * empty before; its ceiling is the most that is taken.  Texts are terminated and enums in range. */
int keep_take_request(int sock, struct keep_request *ret, struct buf *body, struct error *err);
int keep_take_reply(int sock, struct keep_reply *ret, struct buf *body, struct error *err);
/* The same; ret_stream: what came beside it and is no body, or -1.  The others close that. */
int keep_take_request_with(int sock, struct keep_request *ret, struct buf *body, int *ret_stream,
			   struct error *err);
int keep_take_reply_with(int sock, struct keep_reply *ret, struct buf *body, int *ret_stream,
			 struct error *err);
/* What of that concerns the struct alone: came bytes in all, so many files beside them. */
int keep_check_request(const struct keep_request *r, size_t came, size_t n_fds, struct error *err);
int keep_check_reply(const struct keep_reply *r, size_t came, size_t n_fds, struct error *err);

#endif
