/* SPDX-License-Identifier: Apache-2.0 */
/* anchors.c - checkpoints that were put away elsewhere, read back from where they are. */
#include "auditread/anchors.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/own.h"

/* What a line with a signature begins with: an em dash and a blank. */
#define SIGNED "\xe2\x80\x94 "

static int keep(struct anchors *a, const char *file, size_t line, const struct buf *text,
		struct error *err)
{
	own_str name = NULL;
	own_str copy = NULL;

	if (a->n == a->room) {
		size_t room = a->room ? 2 * a->room : 64;
		struct anchor *larger = reallocarray(a->list, room, sizeof(*larger));

		if (!larger)
			return fail_sys(err, "keep a checkpoint");
		a->list = larger;
		a->room = room;
	}
	/* Not as a string: a foreign file may have zero bytes in it. */
	copy = malloc(text->len + 1);
	if (copy)
		memcpy(copy, buf_str(text), text->len + 1);
	if (!copy || asprintf(&name, "%s:%zu", file, line) < 0)
		return fail_sys(err, "keep a checkpoint");
	a->list[a->n++] = (struct anchor){TAKE(name), TAKE(copy), text->len};
	return 0;
}

/* "... belljar-checkpoint ORIGIN SIZE ROOT SIGNATURE": the note that it was made from. */
static bool from_log_line(const char *line, size_t len, struct buf *note, struct error *err)
{
	own_str copy = strndup(line, len);
	const char *at = copy ? strstr(copy, ANCHOR_WORD " ") : NULL;
	char origin[NOTE_NAME_MAX], size[24], root[64], signature[128];

	if (!at || sscanf(at + strlen(ANCHOR_WORD), "%127s %23s %63s %127s", origin, size, root,
			  signature) != 4)
		return false;
	note->len = 0;
	return buf_printf(note, err, "%s\n%s\n%s\n\n" SIGNED "%s %s\n", origin, size, root, origin,
			  signature) == 0;
}

/* Where we are in a note: its lines, or the signatures behind the empty line. */
struct splitter {
	struct anchors *into;
	const char *file;
	size_t line, began;
	struct buf note;
	bool signatures;
};

static int flush(struct splitter *s, struct error *err)
{
	int result = 0;

	/* Text without a signature is somebody's heading, no checkpoint. */
	if (s->signatures)
		result = keep(s->into, s->file, s->began, &s->note, err);
	s->note.len = 0;
	s->signatures = false;
	return result;
}

static int take_line(struct splitter *s, const char *line, size_t len, struct error *err)
{
	bool signature = len > strlen(SIGNED) && memcmp(line, SIGNED, strlen(SIGNED)) == 0;

	s->line++;
	if (memmem(line, len, ANCHOR_WORD " ", strlen(ANCHOR_WORD " "))) {
		if (flush(s, err) < 0)
			return -1;
		if (!from_log_line(line, len, &s->note, err))
			return 0;
		s->began = s->line;
		s->signatures = true;
		return flush(s, err);
	}
	if (s->signatures && !signature && flush(s, err) < 0)
		return -1;
	if (s->note.len == 0 && len == 0)
		return 0; /* empty lines between notes */
	if (s->note.len == 0)
		s->began = s->line;
	s->signatures |= signature;
	if (buf_add(&s->note, line, len, err) < 0)
		return -1;
	return buf_add_str(&s->note, "\n", err);
}

int anchors_add(struct anchors *a, const char *file, const char *text, size_t len,
		struct error *err)
{
	struct splitter s = {.into = a, .file = file};
	const char *at = text, *end = text + len;
	int result = 0;

	buf_init(&s.note, NOTE_MAX);
	while (at < end && result == 0) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t line = newline ? (size_t)(newline - at) : (size_t)(end - at);

		result = take_line(&s, at, line, err);
		at += line;
		at += newline != NULL;
	}
	if (result == 0)
		result = flush(&s, err);
	buf_done(&s.note);
	return result;
}

int anchors_load(struct anchors *a, const char *file, struct error *err)
{
	own_fd fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	own(buf) text;
	size_t before = a->n;
	char chunk[16384];
	ssize_t n;

	buf_init(&text, ANCHOR_FILE_MAX);
	if (fd < 0)
		return fail_sys(err, "open %s", file);
	while ((n = fd_read_all(fd, chunk, sizeof(chunk), err)) > 0)
		if (buf_add(&text, chunk, (size_t)n, err) < 0)
			return -1;
	if (n < 0)
		return fail_in(err, "%s", file);
	if (text.cut)
		return fail(err, ERR_CALLER, "%s: more than %d bytes", file, ANCHOR_FILE_MAX);
	if (anchors_add(a, file, buf_str(&text), text.len, err) < 0)
		return -1;
	return a->n > before ? 0 : fail(err, ERR_CALLER, "%s: there is no checkpoint in it", file);
}

void anchors_done(struct anchors *a)
{
	for (size_t i = 0; i < a->n; i++) {
		free((char *)a->list[i].name);
		free((char *)a->list[i].text);
	}
	free(a->list);
	*a = (struct anchors){0};
}

void anchors_end(struct anchors *a)
{
	anchors_done(a);
}

int anchor_line(const char *note, size_t len, char *ret, size_t room, struct error *err)
{
	char origin[NOTE_NAME_MAX], size[24], root[64], signer[NOTE_NAME_MAX], signature[128];
	own_str copy = strndup(note, len);
	int n;

	if (!copy)
		return fail_sys(err, "copy a checkpoint");
	if (sscanf(copy, "%127s %23s %63s " SIGNED "%127s %127s", origin, size, root, signer,
		   signature) != 5 ||
	    strcmp(origin, signer) != 0)
		return fail(err, ERR_INTERNAL, "the checkpoint has another form");
	n = snprintf(ret, room, ANCHOR_WORD " %s %s %s %s", origin, size, root, signature);
	return n > 0 && (size_t)n < room ? 0 : fail(err, ERR_INTERNAL, "no room for a checkpoint");
}
