/* SPDX-License-Identifier: Apache-2.0 */
/* sieve.h - what a run prints, without secrets: innocent lines at once, the rest by the aide. */
#ifndef ONESHOT_SIEVE_H
#define ONESHOT_SIEVE_H

#include "base/buf.h"
#include "oneshot/aide.h"
#include "sandbox/capture.h"

struct sieve;

struct sieve_stream {
	struct sieve *of;
	enum aide_stream number;
	struct buf held; /* the line that has not ended yet */
	bool suspect;    /* all that follows goes through the aide */
};

struct sieve {
	struct aide *aide;
	bool quick; /* innocent lines need no aide */
	struct sieve_stream out, err, files;
	struct error failed; /* something could not be cleaned: it was kept back */
};

void sieve_init(struct sieve *s, struct aide *aide, enum run_redact mode);
void sieve_done(struct sieve *s);
/* For a capture, and for files that are copied out one after the other. */
struct filter sieve_filter(struct sieve_stream *s);
/* One text; the caller frees it.  NULL: err. */
char *sieve_text(struct sieve *s, const char *text, size_t len, size_t *ret_len, struct error *err);

#endif
