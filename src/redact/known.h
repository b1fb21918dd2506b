/* SPDX-License-Identifier: Apache-2.0 */
/* known.h - values that are secret because we handed them out, found raw and encoded.
 *
 * One automaton (Aho-Corasick) for all values in all their forms: base64 at three shifts and in
 * two alphabets, hex, URL, JSON, XML and shell escapes, reversed, without quotes or the newline
 * around it, and each line of a value that has several.  Its state is one number per stream.
 */
#ifndef REDACT_KNOWN_H
#define REDACT_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redact/redact.h"

enum {
	KNOWN_LEAST = 6,             /* shorter ones would be found everywhere */
	KNOWN_MOST = 4096,           /* bytes of a value */
	KNOWN_FORM = 6 * KNOWN_MOST, /* bytes of a form: every byte as \u00XX */
};

struct known;

/* NULL without err: there is nothing to look for. */
struct known *known_new(const struct redact_known *values, size_t n, struct error *err);
void known_free(struct known *k);

/* A form of values[which] ends at data[end - 1] and is len bytes long, part of it perhaps in what
 * was scanned before.  Of forms that end at the same byte only the longest is told. */
typedef void known_hit(void *context, size_t end, size_t len, size_t which);
/* Returns the state behind data; the first is 0. */
uint32_t known_scan(const struct known *k, uint32_t state, const char *data, size_t len,
		    known_hit *hit, void *context);
/* So many of the last bytes may be the beginning of a form. */
size_t known_depth(const struct known *k, uint32_t state);

/* The forms of one value (knownforms.c). */
typedef int known_form(void *context, const char *form, size_t len, struct error *err);
int known_forms(const char *value, size_t len, known_form *take, void *context, struct error *err);

#endif
