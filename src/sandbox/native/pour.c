/* SPDX-License-Identifier: Apache-2.0 */
/* pour.c - one file of a box into one file of the host.
 *
 * Text, which is UTF-8 without a byte 0, may have to go through a filter.  What is no text would
 * only be broken by it.  Nobody writes to the file any more, so it can be read twice.
 */
#include "sandbox/native/pour.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/sha256.h"
#include "base/text.h"
#include "sandbox/native/outdir.h"

enum { CHUNK = 16384 }; /* the caller's stack may be small */

struct pouring {
	const struct pour *what;
	struct artifact *a;
	struct sha256 in, out; /* in: only behind a filter */
	struct error *err;
	bool over, failed;
};

static void pouring_end(struct pouring *p)
{
	sha256_end(&p->in);
	sha256_end(&p->out);
}

/* Takes what goes out. */
static void write_on(void *to, const char *data, size_t len)
{
	struct pouring *p = to;

	if (p->failed || p->over)
		return;
	if (len > p->what->most || p->a->size > p->what->most - len) {
		p->a->size += len;
		p->over = true;
		return;
	}
	p->a->size += len;
	p->failed = sha256_add(&p->out, data, len, p->err) < 0 ||
		    fd_write_all(p->what->to, data, len, p->err) < 0;
}

/* 0: the end, or the artifact says why not. */
static size_t read_some(int from, struct artifact *a, char chunk[static CHUNK])
{
	ssize_t n;

	do
		n = read(from, chunk, CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		artifact_refuse(a, "cannot be read: %s", strerror(errno));
	return n > 0 ? (size_t)n : 0;
}

/* A character may be cut in two by the end of a chunk. */
static bool is_text(const struct pour *w, struct artifact *a)
{
	char chunk[CHUNK + 4];
	size_t n, held = 0, whole;

	while ((n = read_some(w->from, a, chunk + held)) > 0) {
		n += held;
		whole = text_utf8_floor(chunk, n);
		if (memchr(chunk, '\0', n) || n - whole > 3 || !text_is_utf8(chunk, whole))
			return false;
		held = n - whole;
		memmove(chunk, chunk + whole, held);
	}
	return held == 0 && !a->refused[0];
}

static void pour_as_it_is(struct pouring *p)
{
	char chunk[CHUNK];
	size_t n;

	while (!p->failed && !p->over && (n = read_some(p->what->from, p->a, chunk)) > 0)
		write_on(p, chunk, n);
}

static int pour_filtered(struct pouring *p)
{
	const struct filter *filter = p->what->filter;
	char chunk[CHUNK];
	uint64_t seen = 0;
	size_t n;

	if (sha256_init(&p->in, p->err) < 0)
		return -1;
	while (!p->failed && !p->over && (n = read_some(p->what->from, p->a, chunk)) > 0) {
		seen += n;
		if (seen > p->what->most) {
			p->a->size = seen;
			p->over = true;
		} else if (sha256_add(&p->in, chunk, n, p->err) < 0) {
			return -1;
		} else if (!filter->feed(filter->context, chunk, n, write_on, p)) {
			return fail(p->err, ERR_SYSTEM, "a file cannot be redacted");
		}
	}
	if (!filter->finish(filter->context, write_on, p))
		return fail(p->err, ERR_SYSTEM, "a file cannot be redacted");
	return 0;
}

static int finish(struct pouring *p)
{
	char before[SHA256_HEX];

	if (sha256_done(&p->out, p->a->sha256, p->err) < 0)
		return -1;
	if (!p->in.context)
		return 0;
	if (sha256_done(&p->in, before, p->err) < 0)
		return -1;
	p->a->redacted = strcmp(before, p->a->sha256) != 0;
	return 0;
}

int pour(const struct pour *p, struct artifact *a, bool *ret_over, struct error *err)
{
	own(pouring) pouring = {.what = p, .a = a, .err = err};
	bool text = p->filter && is_text(p, a);

	*ret_over = false;
	if (a->refused[0])
		return 0;
	if (p->filter && lseek(p->from, 0, SEEK_SET) < 0)
		return fail_sys(err, "read a file again");
	if (sha256_init(&pouring.out, err) < 0)
		return -1;
	if (!text)
		pour_as_it_is(&pouring);
	else if (pour_filtered(&pouring) < 0)
		return -1;
	if (pouring.failed)
		return -1;
	*ret_over = pouring.over;
	return pouring.over || a->refused[0] ? 0 : finish(&pouring);
}
