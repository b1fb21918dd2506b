/* SPDX-License-Identifier: Apache-2.0 */
/* announce.h - the caller's side of the audit log: records go to the scribe, receipts come back.
 *
 * Links against nothing but libc, so that a one-shot can have it.  The scribe
 * is found by its socket in the log's directory; if there is none, one is
 * started, and what is written meanwhile waits for it in the socket.
 */
#ifndef AUDIT_ANNOUNCE_H
#define AUDIT_ANNOUNCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "audit/scribetalk.h"
#include "base/error.h"
#include "base/jsonout.h"

enum { AUDIT_PATIENCE_MS = 5000, AUDIT_PATH_ROOM = 4096 };

struct audit_config {
	const char *directory; /* NULL: $BELLJAR_AUDIT, else "audit" in the state directory */
	const char *state;     /* the state directory, if it is another than the standard one */
	const char *scribe;    /* the program; NULL: somebody else starts it, and is waited for */
	/* Instead of scribe: asked for the program when one must be started.  NULL: nobody. */
	int (*find)(char *ret, size_t room, struct error *err);
	uint32_t allow_degraded; /* one bit per enum layer: seals that a new scribe may lack */
	bool durable;            /* a receipt says that the record is on the disk */
	unsigned patience_ms;    /* 0: AUDIT_PATIENCE_MS */
};

/* Where in the log a record is. */
struct audit_receipt {
	bool given; /* false: there is none */
	uint64_t index;
	uint8_t leaf_hash[32];
};

/* One record on its way. */
struct audit_entry {
	enum scribe_put kind;
	const char *key;  /* of the call, or of what is written once; NULL for PUT_SINGLE */
	const char *line; /* without a newline */
	size_t len;
	struct audit_receipt receipt;
	uint64_t ticket; /* 0: not sent, or sent to one that is gone */
	bool again;      /* it was sent to one that is gone */
};

struct audit {
	int dir, sock;
	char path[AUDIT_PATH_ROOM];
	const char *scribe;
	int (*find)(char *ret, size_t room, struct error *err);
	uint32_t allow_degraded;
	bool durable;
	unsigned patience_ms;
	uint32_t company; /* PUT_ALONE or PUT_CROWD, if that is known */
	uint32_t place;   /* where the scribe said that it stays; 0: anywhere */
	uint32_t took_us; /* until it answered, the last time */
	uint64_t tickets;
	char told[SCRIBE_KEY_ROOM]; /* the key that this scribe has written once; empty: none */
	pid_t child; /* what we started; gone as soon as its own child is the scribe */
};

void audit_init(struct audit *a);
/* Makes the directory if it is not there and finds or starts a scribe, but does not wait for it.
 * The config's texts must live as long as this. */
int audit_open(struct audit *a, const struct audit_config *config, struct error *err);
/* Calls that are open now are aborted, as far as the scribe is concerned. */
void audit_close(struct audit *a);
/* Nothing of ours is open in the log, and nothing will be for a while: the scribe has one caller
 * less to look at, and is found again when there is something to say. */
void audit_rest(struct audit *a);
void audit_end(struct audit *a); /* for own(audit) */

/* Sends and does not wait: audit_write() will.  What fails here is tried again there. */
void audit_post(struct audit *a, struct audit_entry *entries, size_t n);
/* Has the scribe that we speak to said that it has this one (PUT_ONCE)? */
bool audit_has_told(const struct audit *a, const char *key);
/* All of them are in the log, in this order, and have receipts, or -1.  A scribe that dies
 * meanwhile is replaced and hears again what it did not answer; what is in the log already is not
 * written twice, except that a call may be aborted and begin once more. */
int audit_write(struct audit *a, struct audit_entry *entries, size_t n, struct error *err);

/* {"index": ..., "leaf_hash": ...}; null: there is none. */
void audit_receipt_json(const struct audit_receipt *r, struct jsonout *j, const char *key);

#endif
