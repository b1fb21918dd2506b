/* SPDX-License-Identifier: Apache-2.0 */
/* headwords.c - the headers that decide about the request itself, each a row.
 *
 * Whatever comes twice is refused, unless its row says that it is a list: of
 * two values of one header another reader may take the other.
 */
#include "serve/http/headwords.h"

#include <string.h>
#include <strings.h>

#include "base/own.h"

struct word {
	const char *value;
	size_t len;
};

static int refuse(struct fault *fault, int status, const char *detail)
{
	*fault = (struct fault){status, detail};
	return -1;
}

bool headwords_token(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is(const struct word *w, const char *text)
{
	return strlen(text) == w->len && strncasecmp(w->value, text, w->len) == 0;
}

/* A name or address, and perhaps a port: more than that has no business in a Host. */
static int read_host(struct head *h, const struct word *w, struct fault *fault)
{
	(void)h;
	for (size_t i = 0; i < w->len; i++) {
		char c = w->value[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    !strchr("-._:[]", c))
			return refuse(fault, 400, "The Host is not a name or an address.");
	}
	return w->len > 0 ? 0 : refuse(fault, 400, "The Host is empty.");
}

/* Digits and nothing else: no sign, no list, no space; 18 of them cannot overflow. */
static int read_length(struct head *h, const struct word *w, struct fault *fault)
{
	uint64_t length = 0;

	if (w->len == 0 || w->len > 18)
		return refuse(fault, 400, "Content-Length is not a number that makes sense.");
	for (size_t i = 0; i < w->len; i++) {
		if (w->value[i] < '0' || w->value[i] > '9')
			return refuse(fault, 400, "Content-Length is not a number.");
		length = length * 10 + (uint64_t)(w->value[i] - '0');
	}
	h->length = length;
	return 0;
}

static int read_encoding(struct head *h, const struct word *w, struct fault *fault)
{
	if (!is(w, "chunked"))
		return refuse(fault, 400, "The only Transfer-Encoding is chunked.");
	if (h->http10)
		return refuse(fault, 400, "HTTP/1.0 has no Transfer-Encoding.");
	h->chunked = true;
	return 0;
}

static int read_connection(struct head *h, const struct word *w, struct fault *fault)
{
	const char *p = w->value, *end = w->value + w->len;

	(void)fault;
	while (p < end) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		struct word one = {p, (size_t)((comma ? comma : end) - p)};

		while (one.len > 0 && (*one.value == ' ' || *one.value == '\t'))
			one.value++, one.len--;
		while (one.len > 0 && strchr(" \t", one.value[one.len - 1]))
			one.len--;
		if (is(&one, "close"))
			h->close = true;
		p = comma ? comma + 1 : end;
	}
	return 0;
}

static int read_expect(struct head *h, const struct word *w, struct fault *fault)
{
	if (!is(w, "100-continue"))
		return refuse(fault, 417, "The only thing to expect is 100-continue.");
	h->expects = !h->http10;
	return 0;
}

static const struct row {
	const char *name;
	bool list; /* may come in several lines */
	int (*read)(struct head *h, const struct word *w, struct fault *fault);
} rows[] = {
	{"host", false, read_host},
	{"content-length", false, read_length},
	{"transfer-encoding", false, read_encoding},
	{"connection", true, read_connection},
	{"expect", false, read_expect},
	{"accept", true, NULL},
	{"accept-encoding", true, NULL},
	{"accept-language", true, NULL},
	{"baggage", true, NULL},
	{"cache-control", true, NULL},
	{"forwarded", true, NULL},
	{"pragma", true, NULL},
	{"tracestate", true, NULL},
	{"via", true, NULL},
	{"x-forwarded-for", true, NULL},
};

static const struct row *find_row(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strlen(rows[i].name) == len && strncasecmp(rows[i].name, name, len) == 0)
			return &rows[i];
	return NULL;
}

static bool same_name(const char *bytes, const struct head_row *a, const struct head_row *b)
{
	return a->name_len == b->name_len &&
	       strncasecmp(bytes + a->name, bytes + b->name, a->name_len) == 0;
}

static bool came_before(const struct head *h, const char *bytes, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (same_name(bytes, &h->rows[j], &h->rows[i]))
			return true;
	return false;
}

static bool has(const struct head *h, const char *bytes, const char *name)
{
	for (size_t i = 0; i < h->n_rows; i++) {
		struct word w = {bytes + h->rows[i].name, h->rows[i].name_len};

		if (is(&w, name))
			return true;
	}
	return false;
}

int headwords_read(struct head *h, const char *bytes, struct fault *fault)
{
	for (size_t i = 0; i < h->n_rows; i++) {
		const struct head_row *r = &h->rows[i];
		struct word w = {bytes + r->value, r->value_len};
		const struct row *row = find_row(bytes + r->name, r->name_len);

		if (came_before(h, bytes, i)) {
			if (!row || !row->list)
				return refuse(fault, 400, "A header that is no list comes twice.");
			h->repeats = true;
		}
		if (row && row->read && row->read(h, &w, fault) < 0)
			return -1;
	}
	if (!h->http10 && !has(h, bytes, "host"))
		return refuse(fault, 400, "There is no Host.");
	if (h->chunked && has(h, bytes, "content-length"))
		return refuse(fault, 400, "There are both Content-Length and Transfer-Encoding.");
	if (h->length == 0 && !h->chunked)
		h->expects = false;
	return 0;
}

static int append(struct buf *bytes, const char *data, size_t len, struct fault *fault)
{
	struct error err;

	if (buf_add(bytes, data, len, &err) < 0 || bytes->cut)
		return refuse(fault, 431, "The head of the request is too large.");
	return 0;
}

static int append_value(struct buf *bytes, const struct head_row *r, struct fault *fault)
{
	for (uint32_t i = 0; i < r->value_len; i++) {
		char c = bytes->data[r->value + i]; /* growing may move what is copied */

		if (append(bytes, &c, 1, fault) < 0)
			return -1;
	}
	return 0;
}

static int join_into(struct head *h, struct buf *bytes, size_t first, struct fault *fault)
{
	uint32_t start = (uint32_t)bytes->len;

	if (append_value(bytes, &h->rows[first], fault) < 0)
		return -1;
	for (size_t i = first + 1; i < h->n_rows; i++) {
		if (!same_name(bytes->data, &h->rows[first], &h->rows[i]))
			continue;
		if (append(bytes, ", ", 2, fault) < 0 ||
		    append_value(bytes, &h->rows[i], fault) < 0)
			return -1;
	}
	h->rows[first].value = start;
	h->rows[first].value_len = (uint32_t)bytes->len - start;
	return append(bytes, "", 1, fault);
}

int headwords_join(struct head *h, struct buf *bytes, struct fault *fault)
{
	for (size_t i = 0; h->repeats && i < h->n_rows; i++) {
		bool again = false;

		for (size_t j = i + 1; j < h->n_rows && !again; j++)
			again = same_name(bytes->data, &h->rows[i], &h->rows[j]);
		if (again && !came_before(h, bytes->data, i) && join_into(h, bytes, i, fault) < 0)
			return -1;
	}
	return 0;
}
