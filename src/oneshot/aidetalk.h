/* SPDX-License-Identifier: Apache-2.0 */
/* aidetalk.h - what belljar run and its aide, belljar-gate, say to each other.
 *
 * One message each, over a SOCK_SEQPACKET pair; descriptor 3 of the aide.  A request is answered
 * by any number of messages, of which the last is AIDE_DONE, AIDE_RULES or AIDE_FAILED, before
 * the next one is sent.
 */
#ifndef ONESHOT_AIDETALK_H
#define ONESHOT_AIDETALK_H

#include "call/runrules.h"

enum { AIDE_FD = 3, AIDE_BYTES = 32768, AIDE_MAGIC = 0x626a6169 };

enum aide_kind {
	AIDE_NONE = 0,
	/* Requests. */
	AIDE_JUDGE, /* run_ask -> AIDE_RULES */
	AIDE_CLEAN, /* text of a stream -> AIDE_TEXT ..., AIDE_DONE */
	AIDE_COUNT, /* -> AIDE_COUNTED ..., AIDE_DONE */
	/* Answers. */
	AIDE_RULES,   /* run_rules */
	AIDE_TEXT,    /* clean text */
	AIDE_COUNTED, /* aide_count */
	AIDE_DONE,
	AIDE_FAILED, /* error */
};

enum aide_stream {
	AIDE_OUT = 0,
	AIDE_ERR,
	AIDE_FILE,  /* one after the other */
	AIDE_WORDS, /* what is written down; not counted */
	AIDE_STREAMS
};

struct aide_head {
	uint32_t magic;
	uint16_t kind;
	uint8_t stream; /* AIDE_CLEAN */
	uint8_t end;    /* AIDE_CLEAN: this is all of the stream */
	uint32_t len;   /* of what follows */
	uint32_t unused;
};
_Static_assert(sizeof(struct aide_head) % 8 == 0, "what follows it needs no gap");

struct aide_count {
	char id[80];
	uint64_t count;
};

struct aide_message {
	struct aide_head head;
	union {
		struct run_ask ask;
		struct run_rules rules;
		struct aide_count count;
		struct error error;
		char text[AIDE_BYTES];
	};
};

/* n bytes came, and no more than a message has room for was written: may it be used?  Then its
 * length is right for its kind, its texts end, and its words mean something. */
bool aide_check_request(const struct aide_message *m, size_t n);
bool aide_check_answer(const struct aide_message *m, size_t n);

#endif
