/* SPDX-License-Identifier: Apache-2.0 */
/* second.h - llhttp as a second reader of what framing.h and chunked.h have read. */
#ifndef SERVE_HTTP_SECOND_H
#define SERVE_HTTP_SECOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offsets into the head. */
struct head_row {
	uint32_t name, name_len;
	uint32_t value, value_len;
};

/* What the first reader has found.  (This header knows nothing of http.h: its names and llhttp's
 * are the same.) */
struct second_claim {
	uint32_t method_len;
	uint32_t target, target_len;
	bool http10;
	bool chunked;
	uint64_t length;
	const struct head_row *rows;
	size_t n_rows;
};

/* The whole head, as it came: does llhttp find the same headers at the same places, the same method
 * and the same framing? */
bool second_agrees(const struct second_claim *h, const char *bytes, size_t len);

/* A chunked body, which llhttp reads beside chunked.h. */
struct second_body;
struct second_body *second_body_new(void); /* NULL: no memory */
void second_body_free(struct second_body *s);
/* done: the first reader says that the body ends exactly here, having had so many bytes. */
bool second_body_agrees(struct second_body *s, const char *bytes, size_t len, bool done,
			uint64_t total);

#endif
