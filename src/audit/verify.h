/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h - is the log what was once signed?  Every line, hash, tile and signature is looked at.
 */
#ifndef AUDIT_VERIFY_H
#define AUDIT_VERIFY_H

#include "audit/log.h"

enum { VERIFY_FINDINGS_MAX = 64 };

enum finding_kind {
	FINDING_NONE = 0,
	FINDING_LINE,       /* no record, or not whole */
	FINDING_CHANGED,    /* a record is not the one that was hashed */
	FINDING_MISSING,    /* a record is gone */
	FINDING_ADDED,      /* a line that was never signed stands among them */
	FINDING_MOVED,      /* a record stands in another one's place */
	FINDING_SEGMENT,    /* a file is missing, too short or too long */
	FINDING_TILE,       /* a tile is missing or not made from the lines */
	FINDING_CHECKPOINT, /* missing, not signed by the key, or of another tree */
	FINDING_TRUNCATED,  /* fewer records than were signed */
	FINDING_ANCHOR,     /* another tree than the one that was anchored */
	FINDING_PAIRING,    /* an end without a beginning, two ends, ... */
	FINDING_KIND_COUNT
};

struct finding {
	enum finding_kind kind;
	uint64_t index; /* of the record; UINT64_MAX: of none */
	char text[200];
};

struct anchor {
	const char *name; /* for the findings */
	const char *text; /* a signed checkpoint */
	size_t len;
};

struct verify_options {
	const struct note_key *key; /* NULL: key.pub of the directory */
	const struct anchor *anchors;
	size_t n_anchors;
	/* Now and then; total is an estimate. */
	void (*progress)(void *context, uint64_t done, uint64_t total);
	void *context;
};

struct verify_report {
	uint64_t records;        /* found */
	uint64_t signed_records; /* beneath the checkpoint */
	uint64_t bytes;          /* of lines */
	uint64_t open;           /* calls that began and have no end */
	uint64_t backward;       /* records clearly older than the one before */
	uint64_t findings;       /* all of them ... */
	size_t listed;           /* ... and how many are in the list, the graver ones first */
	struct finding list[VERIFY_FINDINGS_MAX];
	struct hash root; /* of everything beneath the checkpoint */
};

const char *finding_kind_name(enum finding_kind kind);
/* The listed ones, as the member "findings" of an object that is open. */
struct jsonout;
struct verify_report;
void verify_findings_json(struct jsonout *j, const struct verify_report *r);
/* 0: looked at everything, ret->findings says whether all is well; -1: could not. */
int verify_log(const char *path, const struct verify_options *options, struct verify_report *ret,
	       struct error *err);

#endif
