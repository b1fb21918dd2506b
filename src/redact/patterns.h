/* SPDX-License-Identifier: Apache-2.0 */
/* patterns.h - databases of patterns: compiled elsewhere, loaded here.
 *
 * Compiling needs all of vectorscan (C++, megabytes, a second); matching needs its runtime, which
 * is C.  So a database is a file: a head, how far back each match can begin, and vectorscan's own
 * serialised form.  The built-in ones are made when belljar is built, and linked in; those of the
 * owner's rules are made by belljar-patterns and kept in a cache.
 */
#ifndef REDACT_PATTERNS_H
#define REDACT_PATTERNS_H

#include <hs/hs_runtime.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* hs_scan() or, where the library has code for several processors, the one for SSE 4.2: that for
 * AVX-512 in 5.4.9 misses matches at some addresses (its search for the first other byte looks at
 * the wrong end of a short rest), and is no faster. */
typedef hs_error_t patterns_scanner(const hs_database_t *db, const char *data, unsigned len,
				    unsigned flags, hs_scratch_t *scratch, match_event_handler hit,
				    void *context);
patterns_scanner *patterns_scan(void);

enum { PATTERNS_MAX = 4096, PATTERNS_BYTES_MAX = 64 << 20 };

#define PATTERNS_MAGIC "bjpat 1\n"

struct patterns_head {
	char magic[8];
	uint64_t key;   /* of what was compiled, by which library: patterns_key() */
	uint32_t n;     /* ids from 0; as many widths follow */
	uint32_t bytes; /* of the database behind them; 0: there is no pattern */
};

struct patterns {
	hs_database_t *db; /* NULL: it has no pattern */
	uint32_t *width; /* bytes from a match's begin to its end, at most; UINT32_MAX: no limit */
	uint32_t n;
};

/* The key of these find patterns under the library that is linked. */
uint64_t patterns_key(const char *const *finds, size_t n);
/* key 0: any. */
int patterns_load(const void *data, size_t len, uint64_t key, struct patterns *ret,
		  struct error *err);
void patterns_done(struct patterns *p);

/* What was linked in: two databases, because what is not looked for should cost nothing. */
extern const char patterns_standard_start[], patterns_standard_end[];
extern const char patterns_personal_start[], patterns_personal_end[];

/* Own rules: from the cache, or by the helper (owncompile.c). */
int patterns_own(const char *helper, const char *cache, const char *const *finds, size_t n,
		 struct patterns *ret, struct error *err);

#endif
