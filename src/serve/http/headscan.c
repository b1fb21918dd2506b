/* SPDX-License-Identifier: Apache-2.0 */
/* headscan.c - where the head of a request ends: each byte is looked at once, as it comes.
 *
 * What can be refused by its bytes alone is refused here, at the first such
 * byte, so that the verdict never depends on how the bytes were cut into pieces.
 */
#include "serve/http/framing.h"

/* METHOD, two spaces and HTTP/1.1 beside the target. */
enum { REQUEST_LINE_REST = 32 };

static enum head_more refuse(struct fault *fault, int status, const char *detail)
{
	*fault = (struct fault){status, detail};
	return HEAD_REFUSED;
}

/* The first byte of a line: of the first, a method; else a header, or the end. */
static enum head_more begin_line(struct head_scan *s, const struct http_caps *caps, char c,
				 struct fault *fault)
{
	if (s->lines == 0 && (c < 'A' || c > 'Z'))
		return refuse(fault, 400, "This is not a request of HTTP/1.1.");
	if (c == ' ' || c == '\t')
		return refuse(fault, 400, "A header goes on in the next line.");
	if (c != '\r' && s->lines > caps->headers)
		return refuse(fault, 431, "There are too many headers.");
	return HEAD_GOES_ON;
}

static enum head_more take_byte(struct head_scan *s, const struct http_caps *caps, char c,
				struct fault *fault)
{
	if (s->cr != (c == '\n'))
		return refuse(fault, 400, "A line does not end in CR LF.");
	if (s->cr) {
		bool empty = s->line == 1;

		s->cr = false;
		s->line = 0;
		s->lines++;
		return empty ? HEAD_WHOLE : HEAD_GOES_ON;
	}
	if (s->line == 0 && begin_line(s, caps, c, fault) == HEAD_REFUSED)
		return HEAD_REFUSED;
	if (c == '\r')
		s->cr = true;
	else if (((unsigned char)c < 0x20 && c != '\t') || c == 0x7f)
		return refuse(fault, 400, "There is a control character in the head.");
	s->line++;
	if (s->lines == 0 && s->line > caps->target_bytes + REQUEST_LINE_REST)
		return refuse(fault, 414, "The target is too long.");
	return HEAD_GOES_ON;
}

/* Inside of a header most bytes say nothing about where it ends. */
static size_t skip_usual(const struct head_scan *s, const struct http_caps *caps, const char *data,
			 size_t len)
{
	size_t left = caps->head_bytes - s->seen, n = 0;

	if (s->line == 0 || s->lines == 0 || s->cr)
		return 0;
	if (len > left)
		len = left;
	while (n < len && (unsigned char)data[n] >= 0x20 && data[n] != 0x7f)
		n++;
	return n;
}

enum head_more head_scan(struct head_scan *s, const struct http_caps *caps, const char *data,
			 size_t len, size_t *ret_used, struct fault *fault)
{
	for (size_t i = 0; i < len; i++) {
		size_t usual = skip_usual(s, caps, data + i, len - i);
		enum head_more more;

		s->seen += usual;
		s->line += usual;
		i += usual;
		if (i == len)
			break;
		if (s->seen >= caps->head_bytes)
			return refuse(fault, 431, "The head of the request is too large.");
		s->seen++;
		more = take_byte(s, caps, data[i], fault);
		if (more == HEAD_GOES_ON)
			continue;
		*ret_used = i + 1;
		return more;
	}
	*ret_used = len;
	return HEAD_GOES_ON;
}
