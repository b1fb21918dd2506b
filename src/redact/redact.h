/* SPDX-License-Identifier: Apache-2.0 */
/* redact.h - secrets are cut out of text while it streams, in fixed memory.
 *
 *     struct redact_config c = {.groups = REDACT_STANDARD, .known = secrets, .n_known = n};
 *     struct redact_set *set = redact_set_new(&c, &err);          once per tool
 *     struct redactor *r = redactor_new(set, sink, context, &err);  once per stream
 *     redactor_feed(r, data, len);  ...  redactor_finish(r);
 *
 * What comes out depends on the bytes only, never on how they were cut into pieces.  Bytes are
 * held to the end of their line (or for 128 KiB), so that a secret is never seen in halves.
 * Where a limit is reached, more is replaced, never less.
 *
 * Never complete: a program can write its secret in a way that nobody foresaw.
 */
#ifndef REDACT_REDACT_H
#define REDACT_REDACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum redact_group {
	REDACT_HOME = 1 << 0,       /* whose home directory */
	REDACT_TEMP = 1 << 1,       /* names in temporary directories */
	REDACT_ADDRESS = 1 << 2,    /* IPv4 and IPv6 */
	REDACT_ASSIGNMENT = 1 << 3, /* password = ... */
	REDACT_KEY = 1 << 4,        /* blocks of private keys */
	REDACT_CREDENTIAL = 1 << 5, /* what has a published format */
	REDACT_EMAIL = 1 << 6,      /* not in the standard from here on */
	REDACT_PHONE = 1 << 7,      /* */
	REDACT_CARD = 1 << 8,       /* */
	REDACT_STANDARD = (1 << 6) - 1,
	REDACT_ALL = (1 << 9) - 1,
};

/* A secret that we handed out ourselves: found raw and encoded. */
struct redact_known {
	const char *name; /* what replaces it: [REDACTED:secret:NAME] */
	const char *value;
	size_t len;  /* 6 to 4096; newlines are fine */
	bool canary; /* nobody has any business printing it: redactor_canary() */
};

/* A rule of the owner's own: PCRE2 syntax, one line, group 1 (if any) is the secret. */
struct redact_own {
	const char *id; /* letters, digits, "-", "_", "." */
	const char *pattern;
};

/* Needs to live no longer than redact_set_new(). */
struct redact_config {
	unsigned groups; /* REDACT_... */
	const struct redact_known *known;
	size_t n_known;
	const struct redact_own *own;
	size_t n_own;
	const char *helper; /* belljar-patterns, which compiles own rules; needed only for them */
	const char *cache;  /* a directory for what it compiled; NULL: compile again */
};

struct redact_set;
struct redactor;

/* Immutable; must outlive its redactors.  One thread at a time may use a set and its redactors. */
struct redact_set *redact_set_new(const struct redact_config *config, struct error *err);
void redact_set_free(struct redact_set *set);
void redact_set_end(struct redact_set **set); /* for own_... */
/* Loads the pattern databases now; else the first text does.  A good moment: while the box
 * starts. */
int redact_set_warm(struct redact_set *set, struct error *err);
/* "home", "temp", "address", "assignment", "key", "credential", "email", "phone", "card";
 * "standard" and "all".  0: there is no such group. */
unsigned redact_group_by_name(const char *name);
const char *redact_group_name(unsigned group); /* of one bit; NULL: none */

/* Gets clean bytes; they are gone when it returns. */
typedef void redact_sink(void *context, const char *data, size_t len);

/* NULL: err.  All memory that it will ever need is taken here. */
struct redactor *redactor_new(struct redact_set *set, redact_sink *sink, void *context,
			      struct error *err);
void redactor_free(struct redactor *r);
void redactor_feed(struct redactor *r, const char *data, size_t len);
/* The end of the stream: what was held comes out.  Nothing may be fed afterwards. */
void redactor_finish(struct redactor *r);
/* The same redactor for another stream; counts go on. */
void redactor_reset(struct redactor *r);

/* How often something was replaced, by rule.  Fills at most room rows, returns how many there
 * are; each id lives as long as the set. */
struct redact_count {
	const char *id; /* as in the replacement */
	uint64_t count;
};
size_t redactor_counts(const struct redactor *r, struct redact_count *ret, size_t room);
uint64_t redactor_total(const struct redactor *r);
/* The name of a canary that came by, as soon as the last byte of it was fed; NULL: none. */
const char *redactor_canary(const struct redactor *r);

/* One text: NUL-terminated, the caller frees it.  NULL: err.  counts, if not NULL, is a redactor
 * whose counts go on (its sink is not used). */
char *redact_text(struct redact_set *set, const char *text, size_t len, size_t *ret_len,
		  struct error *err);

#endif
