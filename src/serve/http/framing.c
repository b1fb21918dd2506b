/* SPDX-License-Identifier: Apache-2.0 */
/* framing.c - what the head of a request says; anything unclear is refused.
 *
 * Requests are smuggled where two readers see different borders.  So there is
 * one way to write each thing: CRLF, one Host, one Content-Length in digits or
 * "chunked" alone, names of token characters right before their colon.
 */
#include "serve/http/framing.h"

#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "serve/http/headwords.h"

static int refuse(struct fault *fault, int status, const char *detail)
{
	*fault = (struct fault){status, detail};
	return -1;
}

static const struct {
	const char *name;
	enum http_method method;
} methods[] = {
	{"GET", HTTP_GET},         /* */
	{"HEAD", HTTP_HEAD},       /* */
	{"POST", HTTP_POST},       /* */
	{"PUT", HTTP_PUT},         /* */
	{"DELETE", HTTP_DELETE},   /* */
	{"OPTIONS", HTTP_OPTIONS}, /* */
	{"PATCH", HTTP_OTHER},     /* known to exist, so that it gets a 405 */
	{"TRACE", HTTP_OTHER},     /* */
};

static int find_method(struct head *h, const char *line, struct fault *fault)
{
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		if (strlen(methods[i].name) != h->method_len ||
		    memcmp(methods[i].name, line, h->method_len) != 0)
			continue;
		h->method = methods[i].method;
		return 0;
	}
	return refuse(fault, 501, "The method is not one of those that this server knows.");
}

static int read_version(struct head *h, const char *text, size_t len, struct fault *fault)
{
	if (len != 8 || memcmp(text, "HTTP/", 5) != 0 || text[6] != '.')
		return refuse(fault, 400, "The request line does not end in an HTTP version.");
	if (memcmp(text, "HTTP/1.1", 8) == 0)
		return 0;
	if (memcmp(text, "HTTP/1.0", 8) != 0)
		return refuse(fault, 505, "This server speaks HTTP/1.1 and HTTP/1.0.");
	h->http10 = h->close = true;
	return 0;
}

/* METHOD SP /target SP HTTP/1.1, with exactly those two spaces. */
static int read_request_line(struct head *h, const char *line, size_t len,
			     const struct http_caps *caps, struct fault *fault)
{
	const char *first = memchr(line, ' ', len), *second;

	if (!first)
		return refuse(fault, 400, "The request line has no target.");
	second = memchr(first + 1, ' ', len - (size_t)(first + 1 - line));
	if (!second)
		return refuse(fault, 400, "The request line has no HTTP version.");
	h->method_len = (uint32_t)(first - line);
	h->target = h->method_len + 1;
	h->target_len = (uint32_t)(second - first - 1);
	if (read_version(h, second + 1, len - (size_t)(second + 1 - line), fault) < 0 ||
	    find_method(h, line, fault) < 0)
		return -1;
	if (h->target_len > caps->target_bytes)
		return refuse(fault, 414, "The target is too long.");
	if (first[1] != '/')
		return refuse(fault, 400, "The target must begin with a slash.");
	for (const char *p = first + 1; p < second; p++)
		if (*p <= 0x20 || *p >= 0x7f || *p == '#')
			return refuse(fault, 400,
				      "The target has a character that must be encoded.");
	return 0;
}

static int read_row(struct head *h, const char *bytes, const char *line, const char *end,
		    struct fault *fault)
{
	const char *colon = line;
	struct head_row *row;

	while (colon < end && headwords_token(*colon))
		colon++;
	if (colon == line || colon == end || *colon != ':')
		return refuse(fault, 400, "A header's name is not a token with a colon behind it.");
	row = &h->rows[h->n_rows++];
	row->name = (uint32_t)(line - bytes);
	row->name_len = (uint32_t)(colon - line);
	for (line = colon + 1; line < end && (*line == ' ' || *line == '\t');)
		line++;
	while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	row->value = (uint32_t)(line - bytes);
	row->value_len = (uint32_t)(end - line);
	return 0;
}

/* Each line ends in CRLF: the scan has seen to that. */
static int read_lines(struct head *h, const struct buf *bytes, const struct http_caps *caps,
		      struct fault *fault)
{
	const char *line = bytes->data, *stop = bytes->data + bytes->len - 2;
	const char *end = memchr(line, '\r', bytes->len);

	if (read_request_line(h, line, (size_t)(end - line), caps, fault) < 0)
		return -1;
	for (line = end + 2; line < stop; line = end + 2) {
		end = memchr(line, '\r', (size_t)(stop - line));
		if (h->n_rows >= HEAD_ROWS_MAX || h->n_rows >= caps->headers)
			return refuse(fault, 431, "There are too many headers.");
		if (read_row(h, bytes->data, line, end, fault) < 0)
			return -1;
	}
	return 0;
}

static void end_with_nul(struct head *h, char *bytes)
{
	bytes[h->method_len] = '\0';
	bytes[h->target + h->target_len] = '\0';
	for (size_t i = 0; i < h->n_rows; i++) {
		bytes[h->rows[i].name + h->rows[i].name_len] = '\0';
		bytes[h->rows[i].value + h->rows[i].value_len] = '\0';
	}
}

static bool agreed(const struct head *h, const struct buf *bytes)
{
	const struct second_claim claim = {
		.method_len = h->method_len,
		.target = h->target,
		.target_len = h->target_len,
		.http10 = h->http10,
		.chunked = h->chunked,
		.length = h->length,
		.rows = h->rows,
		.n_rows = h->n_rows,
	};

	return second_agrees(&claim, bytes->data, bytes->len);
}

int head_read(struct head *h, struct buf *bytes, const struct http_caps *caps, struct fault *fault)
{
	h->method = HTTP_OTHER;
	h->http10 = h->close = h->chunked = h->expects = h->repeats = false;
	h->length = 0;
	h->n_rows = 0;
	if (read_lines(h, bytes, caps, fault) < 0 || headwords_read(h, bytes->data, fault) < 0)
		return -1;
	if (!agreed(h, bytes))
		return refuse(fault, 400, "The head of the request is not in order.");
	end_with_nul(h, bytes->data);
	return headwords_join(h, bytes, fault);
}

const char *head_value(const struct head *h, const char *bytes, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < h->n_rows; i++)
		if (h->rows[i].name_len == len && strcasecmp(bytes + h->rows[i].name, name) == 0)
			return bytes + h->rows[i].value;
	return NULL;
}
