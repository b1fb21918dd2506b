/* SPDX-License-Identifier: Apache-2.0 */
/* httphead_fuzz.c - a request's head from any bytes: one verdict, however they are cut. */
#include "fuzz.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "serve/http/framing.h"
#include "serve/http/target.h"

static const struct http_caps caps = {.head_bytes = 2048, .headers = 8, .target_bytes = 256};

static struct {
	enum head_more more;
	size_t used;
	struct fault fault;
} first, second;

static enum head_more scan(const char *data, size_t size, size_t step, size_t *ret_used,
			   struct fault *fault)
{
	struct head_scan s = {0};
	size_t at = 0;

	while (at < size) {
		size_t used = 0, piece = size - at < step ? size - at : step;
		enum head_more more = head_scan(&s, &caps, data + at, piece, &used, fault);

		at += used;
		*ret_used = at;
		if (more != HEAD_GOES_ON)
			return more;
		assert(used == piece);
	}
	return HEAD_GOES_ON;
}

static void check_whole(const char *data, size_t used)
{
	assert(used >= 4 && used <= caps.head_bytes);
	assert(memcmp(data + used - 4, "\r\n\r\n", 4) == 0);
	for (size_t i = 0; i < used; i++) {
		unsigned char c = (unsigned char)data[i];

		assert(c >= 0x20 || c == '\r' || c == '\n' || c == '\t');
		assert(c != '\n' || (i > 0 && data[i - 1] == '\r'));
		assert(c != '\r' || data[i + 1] == '\n');
	}
}

/* Without a look at how it was read. */
static void check_head(const struct head *h, const char *bytes)
{
	size_t hosts = 0, lengths = 0, encodings = 0;

	for (size_t i = 0; i < h->n_rows; i++) {
		const char *name = bytes + h->rows[i].name, *value = bytes + h->rows[i].value;

		assert(strlen(name) == h->rows[i].name_len && name[0]);
		assert(strlen(value) == h->rows[i].value_len);
		assert(!strpbrk(name, " \t:()<>@,;\\\"/[]?={}\r\n"));
		assert(!strpbrk(value, "\r\n"));
		hosts += strcasecmp(name, "host") == 0;
		lengths += strcasecmp(name, "content-length") == 0;
		encodings += strcasecmp(name, "transfer-encoding") == 0;
	}
	assert(hosts == 1 || (h->http10 && hosts == 0));
	assert(lengths + encodings <= 1);
	assert(h->chunked == (encodings == 1));
	assert(lengths == 1 || h->length == 0);
	assert(h->n_rows <= caps.headers && h->target_len <= caps.target_bytes);
}

static void check_target(const struct head *h, const char *bytes)
{
	struct target t = {0};
	struct fault fault = {0};

	if (target_read(&t, bytes + h->target, h->target_len, &fault) == 0) {
		size_t len = strlen(t.path);

		assert(t.path[0] == '/' && text_is_utf8(t.path, len));
		assert(!strstr(t.path, "//") && !strstr(t.path, "/../") && !strstr(t.path, "/./"));
		assert(len < 3 || strcmp(t.path + len - 3, "/..") != 0);
		assert(len < 2 || strcmp(t.path + len - 2, "/.") != 0);
		for (size_t i = 0; i < t.n; i++)
			assert(target_parameter(&t, t.parameters[i].name) == t.parameters[i].value);
	} else {
		assert(fault.status == 400 && fault.detail);
	}
	target_done(&t);
}

static void read_head(const char *data, size_t size)
{
	struct head h;
	struct buf bytes;
	struct error err;
	struct fault fault = {0};

	buf_init(&bytes, 2 * caps.head_bytes);
	if (buf_add(&bytes, data, size, &err) == 0) {
		if (head_read(&h, &bytes, &caps, &fault) == 0) {
			check_head(&h, bytes.data);
			check_target(&h, bytes.data);
		} else {
			assert(fault.status >= 400 && fault.detail);
		}
	}
	buf_done(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;

	first.more = scan(text, size, SIZE_MAX, &first.used, &first.fault);
	for (size_t step = 1; step <= 7; step += 2) {
		second.more = scan(text, size, step, &second.used, &second.fault);
		assert(first.more == second.more);
		if (first.more == HEAD_REFUSED)
			assert(first.fault.status == second.fault.status &&
			       first.fault.detail == second.fault.detail);
		if (first.more == HEAD_WHOLE)
			assert(first.used == second.used);
	}
	if (first.more == HEAD_WHOLE) {
		check_whole(text, first.used);
		read_head(text, first.used);
	}
	return 0;
}
