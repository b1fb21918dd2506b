/* SPDX-License-Identifier: Apache-2.0 */
/* chunked.c - a body in chunks: sizes in hex, CRLF, no extensions, no trailers.
 *
 * Nobody who calls us sends extensions or trailers, and both were ways to
 * hide a second request in the first.
 */
#include "serve/http/chunked.h"

enum { DIGITS_MAX = 15 }; /* leading zeros count: 60 bits cannot overflow */

static bool refuse(struct fault *fault, int status, const char *detail)
{
	*fault = (struct fault){status, detail};
	return false;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool take_size(struct chunked *c, char byte, size_t cap, struct fault *fault)
{
	int digit = hex(byte);

	if (digit < 0) {
		if (byte != '\r' || c->digits == 0)
			return refuse(fault, 400, "The size of a chunk is not a plain number.");
		if (c->left > cap || c->total + c->left > cap)
			return refuse(fault, 413, "The body is larger than this request's may be.");
		c->state = CHUNKED_SIZE_LF;
		return true;
	}
	if (++c->digits > DIGITS_MAX)
		return refuse(fault, 400, "The size of a chunk has too many digits.");
	c->left = c->left * 16 + (uint64_t)digit;
	return true;
}

static bool expect(struct chunked *c, char byte, char wanted, enum chunked_state next,
		   struct fault *fault)
{
	if (byte != wanted)
		return refuse(fault, 400, "A chunk does not end where it says, or has a trailer.");
	c->state = next;
	return true;
}

static bool take_byte(struct chunked *c, char byte, size_t cap, struct fault *fault)
{
	switch (c->state) {
	case CHUNKED_SIZE:
		return take_size(c, byte, cap, fault);
	case CHUNKED_SIZE_LF:
		return expect(c, byte, '\n', c->left ? CHUNKED_DATA : CHUNKED_LAST_CR, fault);
	case CHUNKED_DATA_CR:
		return expect(c, byte, '\r', CHUNKED_DATA_LF, fault);
	case CHUNKED_DATA_LF:
		c->digits = 0;
		return expect(c, byte, '\n', CHUNKED_SIZE, fault);
	case CHUNKED_LAST_CR:
		return expect(c, byte, '\r', CHUNKED_LAST_LF, fault);
	case CHUNKED_LAST_LF:
		return expect(c, byte, '\n', CHUNKED_OVER, fault);
	case CHUNKED_DATA:
	case CHUNKED_OVER:
		break;
	}
	return refuse(fault, 500, "The reader of chunks has lost its way.");
}

static bool take_data(struct chunked *c, const char *data, size_t len, struct buf *out,
		      size_t *ret_used)
{
	struct error err;

	if (len > c->left)
		len = (size_t)c->left;
	if (buf_add(out, data, len, &err) < 0 || out->cut)
		return false;
	c->left -= len;
	c->total += len;
	if (c->left == 0)
		c->state = CHUNKED_DATA_CR;
	*ret_used += len;
	return true;
}

bool chunked_read(struct chunked *c, const char *data, size_t len, struct buf *out,
		  size_t *ret_used, struct fault *fault)
{
	size_t used = 0;

	while (used < len && c->state != CHUNKED_OVER) {
		if (c->state == CHUNKED_DATA) {
			if (!take_data(c, data + used, len - used, out, &used))
				return refuse(fault, 503, "There is no memory for the body.");
		} else if (!take_byte(c, data[used++], out->limit, fault)) {
			return false;
		}
	}
	*ret_used = used;
	return true;
}
