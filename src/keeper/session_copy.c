/* SPDX-License-Identifier: Apache-2.0 */
/* session_copy.c - a session begins as the copy of another: bytes go from one pipe into another.
 *
 * They come from the other session's box, and go to a fresh interpreter in
 * this one's, which makes of them what it can.  They are counted here and
 * never looked at.  The pipe does not go from box to box, so that nothing
 * connects the two once the copy is made.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"
#include "keeper/session_state.h"

enum {
	COPY_US = 25 * 1000000,
	PIECE = 256 << 10,
	PIPE_BYTES = 1 << 20,
	BESIDE_BYTES = 64 << 20, /* beside memory and files: names, tables */
	WORDS_MAX = 2048,
};

extern const char copy_library_start[], copy_library_end[];
extern const char driver_python_become_start[], driver_python_become_end[];

bool copy_is_known(void)
{
	return copy_library_end - copy_library_start > 0;
}

/* The library, in a file that nobody can change. */
static int library(struct error *err)
{
	size_t len = (size_t)(copy_library_end - copy_library_start);
	own_fd fd = memfd_create("belljar-copy", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return fail_sys(err, "carry a library");
	if (fd_write_all(fd, copy_library_start, len, err) < 0)
		return -1;
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return fail_sys(err, "seal a library");
	return take_fd(&fd);
}

int copy_give(int channel, int stream, int template, struct error *err)
{
	own_fd fd = library(err);

	return fd < 0 ? -1
		      : fd_send(channel, "x", 1, (int[]){fd, stream, template},
				template <0 ? 2 : 3, err);
}

struct pump {
	int in, out; /* -1: its end */
	int reads;   /* the other end of out: while there is a reader, writing raises no SIGPIPE */
	char *piece;
	size_t at, len;
	uint64_t left; /* so many bytes may still come */
};

static void pump_end(struct pump *p)
{
	own_fd_end(&p->out);
	own_fd_end(&p->reads);
	free(p->piece);
}

static int pump_read(struct pump *p, struct error *err)
{
	ssize_t n = read(p->in, p->piece, PIECE);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : fail_sys(err, "read the copy");
	if ((uint64_t)n > p->left)
		return fail(err, ERR_REFUSED, "it has more memory and files than it may have");
	p->left -= (uint64_t)n;
	p->at = 0;
	p->len = (size_t)n;
	if (n == 0) {
		own_fd_end(&p->out);
		p->out = p->in = -1;
	}
	return 0;
}

static int pump_write(struct pump *p, struct error *err)
{
	ssize_t n = write(p->out, p->piece + p->at, p->len - p->at);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0)
		return fail_sys(err, "write the copy");
	p->at += (size_t)n;
	return 0;
}

/* As far as it goes without waiting. */
static int pump_move(struct pump *p, struct error *err)
{
	for (int i = 0; i < 64 && p->in >= 0; i++) {
		size_t at = p->at, len = p->len;

		if (p->at == p->len ? pump_read(p, err) < 0 : pump_write(p, err) < 0)
			return -1;
		if (p->at == at && p->len == len)
			return 0;
	}
	return 0;
}

static int pump_open(struct pump *p, const struct session *s, int stream, struct error *err)
{
	int ends[2];
	struct stat st;

	*p = (struct pump){.in = stream, .out = -1, .reads = -1};
	p->left = s->limits.memory_bytes + s->limits.disk_bytes + BESIDE_BYTES;
	if (fstat(stream, &st) < 0 || !S_ISFIFO(st.st_mode))
		return fail(err, ERR_INTERNAL, "what the copy comes from is no pipe");
	p->piece = malloc(PIECE);
	if (!p->piece || pipe2(ends, O_CLOEXEC) < 0)
		return fail_sys(err, "a pipe for the copy");
	p->reads = ends[0];
	p->out = ends[1];
	(void)fcntl(p->in, F_SETPIPE_SZ, PIPE_BYTES);
	(void)fcntl(p->out, F_SETPIPE_SZ, PIPE_BYTES);
	if (fcntl(p->in, F_SETFL, O_NONBLOCK) < 0 || fcntl(p->out, F_SETFL, O_NONBLOCK) < 0)
		return fail_sys(err, "a pipe for the copy");
	return 0;
}

/* Its last words, which are the session's own. */
static void explain(struct driver *d, struct doing *doing, int code, struct error *err)
{
	char words[WORDS_MAX], line[WORDS_MAX];
	ssize_t n = read(d->err.fd, words, sizeof(words) - 1);
	own_str clean = NULL;
	char *last;

	while (n > 0 && (words[n - 1] == '\n' || words[n - 1] == '\0'))
		n--;
	words[n > 0 ? n : 0] = '\0';
	last = strrchr(words, '\n');
	clean = doing_clean(doing, last ? last + 1 : words, strlen(last ? last + 1 : words));
	text_one_line(clean ? clean : "", line, sizeof(line));
	(void)fail(err, ERR_REFUSED, "its copy ended with %d: %.160s", code, line);
}

/* -1: it has ended, or its box. */
static int look_at_box(struct session *s, struct driver *d, struct doing *doing, struct error *err)
{
	struct kept_end end;
	int came;

	while ((came = kept_step(&s->kept, &end, err)) > 0) {
		if (end.exec == 0 || end.box_over)
			return fail(err, ERR_REFUSED, "the box of the copy ended (%s)",
				    kill_reason_name(end.outcome.killed_for));
		if (end.exec != d->exec)
			continue;
		explain(d, doing,
			end.outcome.end == END_EXITED ? end.outcome.exit_code
						      : 128 + end.outcome.signal,
			err);
		return -1;
	}
	return came;
}

/* 1: what is waited for came, and nothing else.  0: not yet. */
static int hear(struct driver *d, bool (*take)(struct driver *d), struct error *err)
{
	char bytes[64];
	ssize_t n = recv(d->channel, bytes, sizeof(bytes), 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	/* Its end is told by the slot. */
	if (n <= 0) {
		own_fd_end(&d->channel);
		d->channel = -1;
		return 0;
	}
	if (buf_add(&d->heard, bytes, (size_t)n, err) < 0)
		return -1;
	if (take(d))
		return d->heard.len ? fail(err, ERR_REFUSED, "its copy makes no sense") : 1;
	return d->heard.len > (size_t)2 * SNIPPET_HEAD_MAX
		       ? fail(err, ERR_REFUSED, "its copy makes no sense")
		       : 0;
}

static int wait_for(struct session *s, struct driver *d, const struct pump *p, uint64_t until_us,
		    struct error *err)
{
	uint64_t now = clock_us();
	struct pollfd fds[] = {
		{.fd = d->channel, .events = POLLIN},
		{.fd = kept_fd(&s->kept), .events = POLLIN},
		{.fd = p->at < p->len ? -1 : p->in, .events = POLLIN},
		{.fd = p->at < p->len ? p->out : -1, .events = POLLOUT},
	};

	if (now >= until_us)
		return fail(err, ERR_REFUSED, "it took too long");
	if (poll(fds, ARRAY_LEN(fds), (int)((until_us - now) / 1000 + 1)) < 0 && errno != EINTR)
		return fail_sys(err, "poll");
	return 0;
}

struct copying {
	struct session *s;
	struct driver *d;
	struct doing *doing;
	struct pump pump;
	uint64_t until_us;
};

static void copying_end(struct copying *c)
{
	pump_end(&c->pump);
}

static bool take_give(struct driver *d)
{
	static const char word[] = "give\n";
	size_t len = strlen(word);

	if (d->heard.len < len || memcmp(d->heard.data, word, len) != 0)
		return false;
	memmove(d->heard.data, d->heard.data + len, d->heard.len - len);
	d->heard.len -= len;
	return true;
}

static int await_word(struct copying *c, bool (*take)(struct driver *d), struct error *err)
{
	int there = 0;

	while (there == 0) {
		if (pump_move(&c->pump, err) < 0 ||
		    wait_for(c->s, c->d, &c->pump, c->until_us, err) < 0 ||
		    look_at_box(c->s, c->d, c->doing, err) < 0)
			return -1;
		if (c->d->channel >= 0)
			there = hear(c->d, take, err);
	}
	return there < 0 ? -1 : 0;
}

/* It says when it takes what it is given: before, it takes that for text. */
static int ask(struct copying *c, struct error *err)
{
	size_t len = (size_t)(driver_python_become_end - driver_python_become_start);
	struct driver *d = c->d;

	d->send.len = d->sent = 0;
	if (driver_nonce(d, err) < 0 ||
	    buf_printf(&d->send, err, "0 %s %zu\n", d->nonce, len) < 0 ||
	    buf_add(&d->send, driver_python_become_start, len, err) < 0)
		return -1;
	driver_send(c->s, d);
	if (d->sent < d->send.len)
		return fail(err, ERR_SYSTEM, "its interpreter takes nothing");
	d->send.len = d->sent = 0;
	return await_word(c, take_give, err) < 0
		       ? -1
		       : copy_give(d->channel, c->pump.reads, c->s->k->template, err);
}

int session_copy(struct session *s, struct doing *d, int stream, uint64_t snippets,
		 struct error *err)
{
	own(copying) c = {.s = s,
			  .d = driver_of(s, "python"),
			  .doing = d,
			  .pump = {.in = -1, .out = -1, .reads = -1},
			  .until_us = clock_us() + COPY_US};
	bool woken;

	if (!c.d || !copy_is_known())
		return fail(err, ERR_INTERNAL, "there is nothing to copy it with");
	if (driver_start(s, c.d, &d->passage, err) < 0 ||
	    await_word(&c, driver_take_ready, err) < 0 || pump_open(&c.pump, s, stream, err) < 0 ||
	    ask(&c, err) < 0)
		return -1;
	/* From here on it is the other's word, and that is nothing that is told as ours. */
	woken = c.d->woken;
	c.d->ready = c.d->woken = false;
	if (await_word(&c, driver_take_ready, err) < 0)
		return -1;
	c.d->woken = woken;
	c.d->snippets = snippets;
	return 0;
}
