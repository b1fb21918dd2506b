/* SPDX-License-Identifier: Apache-2.0 */
/* sieve.c - what a run prints, without secrets: innocent lines at once, the rest by the aide.
 *
 * The redactor looks at whole lines, and nothing that is looked for goes from one line to the next
 * unless an earlier line began it (a private key).  So lines can be let out here as long as all
 * were innocent; from the first one on that is not, the aide gets everything.  What comes out is
 * the same as if the aide had had all of it, however it was cut.
 */
#include "oneshot/sieve.h"

#include <string.h>

#include "base/own.h"
#include "redact/innocent.h"

enum {
	LINE_MOST = 64 << 10,              /* a longer one is the aide's */
	HELD_MOST = LINE_MOST + (1 << 20), /* with what comes at once */
};

void sieve_init(struct sieve *s, struct aide *aide, enum run_redact mode)
{
	*s = (struct sieve){.aide = aide, .quick = mode == RUN_REDACT_STANDARD};
	s->out = (struct sieve_stream){.of = s, .number = AIDE_OUT, .suspect = !s->quick};
	s->err = (struct sieve_stream){.of = s, .number = AIDE_ERR, .suspect = !s->quick};
	s->files = (struct sieve_stream){.of = s, .number = AIDE_FILE, .suspect = !s->quick};
	buf_init(&s->out.held, HELD_MOST);
	buf_init(&s->err.held, HELD_MOST);
	buf_init(&s->files.held, HELD_MOST);
}

void sieve_done(struct sieve *s)
{
	buf_done(&s->out.held);
	buf_done(&s->err.held);
	buf_done(&s->files.held);
}

/* Keeps the first failure; after one nothing comes out of any stream. */
static bool fails(struct sieve *s, const struct error *err)
{
	if (s->failed.kind == ERR_NONE)
		s->failed = *err;
	return false;
}

static bool ask_aide(struct sieve_stream *s, const char *data, size_t len, bool end,
		     filter_sink *sink, void *to)
{
	const struct aide_text text = {s->number, data, len, end};
	const struct aide_ear ear = {sink, to};
	struct error err = {0};

	if (aide_clean(s->of->aide, &text, &ear, &err) < 0)
		return fails(s->of, &err);
	return true;
}

/* What is held goes to the aide, and so does all that follows. */
static bool suspect(struct sieve_stream *s, bool end, filter_sink *sink, void *to)
{
	bool fine = ask_aide(s, buf_str(&s->held), s->held.len, end, sink, to);

	s->suspect = true;
	s->held.len = 0;
	return fine;
}

/* Lets whole lines out, if they are innocent; whole: so many of the bytes held are. */
static bool let_out(struct sieve_stream *s, size_t whole, filter_sink *sink, void *to)
{
	if (!redact_innocent(s->held.data, whole))
		return suspect(s, false, sink, to);
	sink(to, s->held.data, whole);
	s->held.len -= whole;
	memmove(s->held.data, s->held.data + whole, s->held.len);
	return true;
}

static bool feed(void *context, const char *data, size_t len, filter_sink *sink, void *to)
{
	struct sieve_stream *s = context;
	struct error err = {0};
	const char *newline;

	if (s->of->failed.kind != ERR_NONE)
		return false;
	if (s->suspect)
		return ask_aide(s, data, len, false, sink, to);
	newline = memrchr(data, '\n', len);
	if (buf_add(&s->held, data, len, &err) < 0)
		return fails(s->of, &err);
	if (s->held.cut)
		return fail(&err, ERR_INTERNAL, "too much output at once"), fails(s->of, &err);
	if (newline && !let_out(s, s->held.len - (size_t)(data + len - newline) + 1, sink, to))
		return false;
	return s->suspect || s->held.len <= LINE_MOST || suspect(s, false, sink, to);
}

/* The next file, if there is one, begins anew. */
static bool finish(void *context, filter_sink *sink, void *to)
{
	struct sieve_stream *s = context;
	bool fine = true;

	if (s->of->failed.kind != ERR_NONE)
		return false;
	if (s->suspect)
		fine = ask_aide(s, "", 0, true, sink, to);
	else if (!redact_innocent(buf_str(&s->held), s->held.len))
		fine = suspect(s, true, sink, to);
	else if (s->held.len > 0)
		sink(to, s->held.data, s->held.len);
	s->held.len = 0;
	s->suspect = !s->of->quick;
	return fine;
}

struct filter sieve_filter(struct sieve_stream *s)
{
	return (struct filter){.feed = feed, .finish = finish, .context = s};
}

struct keeping {
	struct buf text;
	bool lost;
};

static void keep(void *to, const char *data, size_t len)
{
	struct keeping *k = to;
	struct error err = {0};

	if (buf_add(&k->text, data, len, &err) < 0)
		k->lost = true;
}

char *sieve_text(struct sieve *s, const char *text, size_t len, size_t *ret_len, struct error *err)
{
	struct keeping k = {0};
	const struct aide_text words = {AIDE_WORDS, text, len, true};
	const struct aide_ear ear = {keep, &k};
	char *ret;

	buf_init(&k.text, SIZE_MAX / 2);
	if (s->quick && redact_innocent(text, len))
		keep(&k, text, len);
	else if (aide_clean(s->aide, &words, &ear, err) < 0)
		k.lost = true;
	else if (k.lost)
		(void)fail(err, ERR_SYSTEM, "out of memory for a redacted text");
	if (k.lost) {
		buf_done(&k.text);
		return NULL;
	}
	*ret_len = k.text.len;
	ret = k.text.data ? TAKE(k.text.data) : calloc(1, 1);
	buf_done(&k.text);
	return ret;
}
