/* SPDX-License-Identifier: Apache-2.0 */
/* fileclean.h - files that come out of a box: without secrets, or not at all. */
#ifndef GATE_FILECLEAN_H
#define GATE_FILECLEAN_H

#include "base/buf.h"
#include "redact/redact.h"

enum artifact_verdict {
	ARTIFACT_REFUSED = 0, /* a secret that was handed out is in it, and it is no text */
	ARTIFACT_SAME,        /* it may come out as it is */
	ARTIFACT_CLEANED,     /* ... as it is in ret */
};

struct artifact_judged {
	enum artifact_verdict verdict;
	char why[96]; /* it was refused; else empty */
};

/* Text is UTF-8 without a byte 0.  It is redacted as output is, control sequences included.  What
 * is no text cannot be changed without breaking it: it is refused if a known value is in it, in
 * any form that is looked for in output, and else comes out as it is.
 *
 * set NULL: redaction is off.  ret is empty and has a ceiling (more is an error); it holds the text
 * if that was cleaned.  -1: err, and the file must not come out. */
int artifact_clean(struct redact_set *set, const char *data, size_t len, struct buf *ret,
		   struct artifact_judged *ret_judged, struct error *err);

/* Its name is text that the box chose, too.  -1: err, and the name is empty. */
int artifact_clean_name(struct redact_set *set, char **name, struct error *err);

#endif
