/* SPDX-License-Identifier: Apache-2.0 */
/* pattern_build.c - compiles patterns into a database; needs all of vectorscan. */
#include "redact/pattern_build.h"

#include <hs/hs.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "redact/patterns.h"

/* What is given to hs_compile: only patterns that are there. */
struct batch {
	const char *find[PATTERNS_MAX];
	unsigned id[PATTERNS_MAX], flags[PATTERNS_MAX];
	uint32_t width[PATTERNS_MAX];
	unsigned n;
};

static int measure(struct batch *b, const char *find, unsigned id, bool lenient, struct error *err)
{
	unsigned flags = 0;
	hs_compile_error_t *why = NULL;
	hs_expr_info_t *info = NULL;

	if (hs_expression_info(find, flags, &info, &why) != HS_SUCCESS && lenient) {
		(void)hs_free_compile_error(why);
		why = NULL;
		flags = HS_FLAG_PREFILTER;
		(void)hs_expression_info(find, flags, &info, &why);
	}
	if (!info) {
		(void)fail(err, ERR_CALLER, "pattern %u: %s", id + 1,
			   why ? why->message : "cannot be compiled");
		(void)hs_free_compile_error(why);
		return -1;
	}
	b->find[b->n] = find;
	b->id[b->n] = id;
	/* A find that can match nothing matches everywhere: it marks every line. */
	b->flags[b->n] = flags | (info->min_width == 0 ? HS_FLAG_ALLOWEMPTY : 0u);
	/* A prefilter's matches may end before the real one does. */
	b->width[id] = flags || info->min_width == 0 ? UINT32_MAX : info->max_width;
	b->n++;
	free(info);
	return 0;
}

static int write_out(const struct batch *b, size_t n, uint64_t key, const hs_database_t *db,
		     FILE *out, struct error *err)
{
	struct patterns_head head = {.key = key, .n = (uint32_t)n};
	own_str bytes = NULL;
	size_t len = 0;

	memcpy(head.magic, PATTERNS_MAGIC, sizeof(head.magic));
	if (db &&
	    (hs_serialize_database(db, &bytes, &len) != HS_SUCCESS || len > PATTERNS_BYTES_MAX))
		return fail(err, ERR_SYSTEM, "serialise the pattern database");
	head.bytes = (uint32_t)len;
	if (fwrite(&head, sizeof(head), 1, out) != 1 ||
	    fwrite(b->width, sizeof(*b->width), n, out) != n || fwrite(bytes, 1, len, out) != len ||
	    fflush(out) != 0)
		return fail_sys(err, "write the pattern database");
	return 0;
}

static int compile(const struct batch *b, hs_database_t **ret, struct error *err)
{
	/* For every processor: what newer ones can do gained nothing, and patterns.h says why
	 * it is not used. */
	const hs_platform_info_t everywhere = {0};
	hs_compile_error_t *why = NULL;

	if (hs_compile_multi(b->find, b->flags, b->id, b->n, HS_MODE_BLOCK, &everywhere, ret,
			     &why) == HS_SUCCESS)
		return 0;
	(void)fail(err, ERR_CALLER, "pattern %d: %s",
		   why && why->expression >= 0 ? (int)b->id[why->expression] + 1 : 0,
		   why ? why->message : "cannot be compiled");
	(void)hs_free_compile_error(why);
	return -1;
}

int pattern_build(const char *const *finds, size_t n, bool lenient, uint64_t key, FILE *out,
		  struct error *err)
{
	own_mem struct batch *b = calloc(1, sizeof(*b));
	hs_database_t *db = NULL;
	int result;

	if (!b || n > PATTERNS_MAX)
		return fail(err, ERR_CALLER, "too many patterns");
	for (size_t i = 0; i < n; i++)
		if (finds[i] && measure(b, finds[i], (unsigned)i, lenient, err) < 0)
			return -1;
	if (b->n > 0 && compile(b, &db, err) < 0)
		return -1;
	result = write_out(b, n, key, db, out, err);
	(void)hs_free_database(db);
	return result;
}
