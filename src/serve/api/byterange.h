/* SPDX-License-Identifier: Apache-2.0 */
/* byterange.h - one range of bytes, as the Range header asks for it. */
#ifndef SERVE_API_BYTERANGE_H
#define SERVE_API_BYTERANGE_H

#include <stdint.h>

enum range_kind {
	RANGE_WHOLE = 0, /* no header, or none that we understand: it is then to be ignored */
	RANGE_FROM,      /* from, and len bytes (0: to the end) */
	RANGE_LAST,      /* the last len bytes */
};

struct byte_range {
	enum range_kind kind;
	uint64_t from, len;
};

/* NULL: absent.  Several ranges are answered with the whole, as RFC 9110 lets us. */
void range_read(const char *header, struct byte_range *ret);

#endif
