/* SPDX-License-Identifier: Apache-2.0 */
/* scribe_state.h - what the parts of the scribe share. */
#ifndef SCRIBE_SCRIBE_STATE_H
#define SCRIBE_SCRIBE_STATE_H

#include "audit/log.h"
#include "audit/record.h"
#include "base/beside.h"
#include "scribe/opencalls.h"
#include "scribe/scribe.h"

enum {
	PEERS_MAX = 2048, /* sessions that sleep are none; more wait at the door */
	FILES_OWN = 32,   /* open files that are no callers */
	FILES_MAX = PEERS_MAX + FILES_OWN,
	BATCH_BYTES = 2 << 20, /* of messages that are written together */
	PER_PEER = 32,         /* messages of one caller in a batch: the others want their turn */
	ONCE_MAX = 64,
	TAIL_MAX = 2 * LOG_BATCH_MAX, /* more than can be written and not answered */
	SYNC_MS = 50,                 /* after the first record that is not on disk yet */
	CHECKPOINT_MS = 100,          /* between two signatures */
	RETRY_MS = 100,               /* after the disk said no */
	STAY_MS = 10000,              /* on one processor, however well it does */
	CROWD_MOST = 32,              /* turns for which others do not drive it away from there */
	END_ROOM = 16384,             /* of the segment, for the end of a call that began */
};

struct peer {
	int fd;
	uint64_t number; /* never used twice; 0 is nobody */
	bool ready;      /* has something to say */
	bool gone;
};

/* One record of the batch and whom it is answered to. */
struct pending {
	struct peer *peer;
	uint64_t peer_number; /* is it still the same? */
	const struct scribe_request *request;
	size_t line;    /* which of the lines it is */
	bool duplicate; /* ... as an earlier one of the batch */
	struct receipt receipt;
};

struct once {
	char key[SCRIBE_KEY_ROOM];
	struct receipt receipt;
};

/* A line that was in the log when we came, and may have got no answer. */
struct old_line {
	uint64_t index;
	struct hash leaf;
};

struct scribe {
	const struct scribe_options *options;
	int directory, listener, signals;
	struct log *log;
	struct layer_report layers[LAYER_COUNT];
	struct peer peers[PEERS_MAX];
	size_t n_peers;
	size_t peers_most; /* by the limit of open files */
	uint64_t peers_seen;
	struct open_calls open;
	struct old_line tail[TAIL_MAX];
	size_t n_tail;
	struct once once[ONCE_MAX];
	size_t n_once; /* ever; the newest ONCE_MAX are kept */
	bool ending;
	struct beside beside;
	uint64_t stays_us;      /* since when */
	unsigned crowded;       /* turns since somebody was alone */
	uint64_t active_us;     /* somebody was here last */
	uint64_t unsynced_us;   /* since when there are records that are not on disk; 0: none */
	uint64_t checkpoint_us; /* when the last signature was made */
	uint64_t retry_us;      /* not before */
	struct error trouble;   /* the disk said no, and has not said yes since */
	/* The batch. */
	struct pending pending[LOG_BATCH_MAX];
	struct log_line lines[LOG_BATCH_MAX];
	struct receipt receipts[LOG_BATCH_MAX];
	size_t n, n_lines;
	size_t used; /* of bytes */
	_Alignas(16) char bytes[BATCH_BYTES];
};

/* peers.c */
void peers_add(struct scribe *s, int fd);
void peers_accept(struct scribe *s);
/* Whatever they have said, up to a batch. */
void peers_take(struct scribe *s);
void peers_answer(const struct scribe *s, const struct pending *p);
void peers_refuse(struct peer *peer, uint64_t ticket, const struct error *err);
/* Those that are gone go, and their calls have nobody. */
void peers_sweep(struct scribe *s);

/* farback.c */
/* Is such a line among the last ones of the log?  Reads many of them. */
bool farback_find(const struct log *l, const struct hash *leaf, struct receipt *ret);

/* batch.c */
/* Writes what was taken and answers it. */
void batch_commit(struct scribe *s);
/* Syncs and signs, if it is time. */
void batch_settle(struct scribe *s);
/* When it will be; UINT64_MAX: there is nothing to do. */
uint64_t batch_due_us(const struct scribe *s);
/* Syncs and signs now. */
void batch_sign(struct scribe *s);
/* One record of the scribe's own. */
int batch_write_own(struct scribe *s, const struct record *r, struct error *err);
/* Calls that have nobody are written down as aborted. */
void batch_abort_orphans(struct scribe *s, const char *why);

#endif
