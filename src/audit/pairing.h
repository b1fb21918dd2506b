/* SPDX-License-Identifier: Apache-2.0 */
/* pairing.h - which calls began and have not ended: for verification, and for repair at a start.
 *
 * started opens a call, finished or aborted ends it; denied stands alone.  aborted
 * says that nobody saw the end: where only the scribe had died, the caller may
 * still tell it (finished), or begin again (started) what had not begun to run.
 */
#ifndef AUDIT_PAIRING_H
#define AUDIT_PAIRING_H

#include "audit/log.h"
#include "audit/record.h"

enum { PAIRING_ID = 64 };

struct open_call {
	char id[PAIRING_ID]; /* empty: this place is free */
	uint64_t index;      /* of its started record */
	bool aborted;        /* it is not open, but may be heard of again */
};

struct pairing {
	struct open_call *places; /* a hash table; n of room are taken */
	size_t n, room;
	size_t aborted; /* of n */
};

enum pairing_result {
	PAIRING_FINE = 0,
	PAIRING_NO_ID,    /* a record of a call that names none, or an impossible one */
	PAIRING_TWICE,    /* began although it is open */
	PAIRING_NO_START, /* ended although it is not, and was not aborted */
	PAIRING_NO_MEMORY,
};

void pairing_init(struct pairing *p);
void pairing_done(struct pairing *p);
enum pairing_result pairing_add(struct pairing *p, const struct record_view *view, uint64_t index);
/* Adds every record from that one on; those that do not pair are passed over.  For the one who
 * opens the log: what is open then gets its aborted record (log_since() tells from where to look).
 */
int pairing_scan(struct pairing *p, struct log_reader *r, uint64_t from, struct error *err);
/* The open calls one after the other: start with *at = 0; NULL: no more. */
const struct open_call *pairing_next(const struct pairing *p, size_t *at);

#endif
