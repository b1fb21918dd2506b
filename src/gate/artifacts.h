/* SPDX-License-Identifier: Apache-2.0 */
/* artifacts.h - files that come out of a box: without secrets, or not at all. */
#ifndef GATE_ARTIFACTS_H
#define GATE_ARTIFACTS_H

#include "base/buf.h"
#include "redact/redact.h"

enum artifact_verdict {
	ARTIFACT_REFUSED = 0, /* a secret that was handed out is in it, and it is no text */
	ARTIFACT_SAME,        /* it may come out as it is */
	ARTIFACT_CLEANED,     /* ... as it is in ret */
};

/* Text is UTF-8 without a byte 0.  It is redacted as output is, control sequences included.  What
 * is no text cannot be changed without breaking it: it is refused if a known value is in it, in
 * any form that is looked for in output, and else comes out as it is.
 *
 * set NULL: redaction is off.  ret is empty and has a ceiling (more is an error); it holds the text
 * if that was cleaned.  why, of at least 96 bytes, says why it was refused.  -1: err, and the file
 * must not come out. */
int artifact_clean(struct redact_set *set, const char *data, size_t len, struct buf *ret,
		   enum artifact_verdict *ret_verdict, char *why, struct error *err);

#endif
