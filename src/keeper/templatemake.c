/* SPDX-License-Identifier: Apache-2.0 */
/* templatemake.c - makes a template: an interpreter in a box is brought to the point where sessions
 * begin.
 *
 * It runs snippets of ours, so that whatever an interpreter learns by running
 * them is known to all that become it: else each would have that memory for
 * itself.  Then it writes itself into a file and ends.  It is believed
 * nothing: the file is bytes that only a box will ever look at.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "gate/steps.h"
#include "keeper/session_state.h"
#include "keeper/keeptemplate.h"

enum {
	MAKE_US = 30 * 1000000,
	ROUNDS = 6,     /* of snippets, before and after it is prepared */
	PRACTISED = 20, /* as many times it says that it is ready: python_template.py */
	ARENA_MAX = 1 << 20,
};

extern const char driver_python_copy_start[], driver_python_copy_end[];
extern const char driver_python_become_start[], driver_python_become_end[];
extern const char driver_python_template_start[], driver_python_template_end[];

static const char *const snippets[] = {
	"mine = 1",
	"mine",
	"def f(x):\n    return x + 1\nf(2)",
	"import os",
	"print('', end='')",
	"[i for i in range(3)]",
	"mine = 2\nmine + 1",
	"del mine, f, os",
	"_ = 0\ndel _",
};

struct making {
	struct session s;
	struct driver *d;
	struct passage p;
	uint64_t until_us;
};

/* Until its channel, or its box, has something to say. */
static int await(struct making *m, int fd, short events, struct error *err)
{
	uint64_t now = clock_us();
	struct pollfd one = {.fd = fd, .events = events};

	if (now >= m->until_us)
		return fail(err, ERR_SYSTEM, "the interpreter of a template took too long");
	if (poll(&one, 1, (int)((m->until_us - now) / 1000 + 1)) < 0 && errno != EINTR)
		return fail_sys(err, "poll");
	return 0;
}

static int hear_more(struct making *m, struct error *err)
{
	char bytes[4096];
	ssize_t n;

	if (await(m, m->d->channel, POLLIN, err) < 0)
		return -1;
	n = recv(m->d->channel, bytes, sizeof(bytes), 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return fail(err, ERR_SYSTEM, "the interpreter of a template ended");
	return buf_add(&m->d->heard, bytes, (size_t)n, err);
}

static int say(struct making *m, int number, const char *text, size_t len, struct error *err)
{
	own(buf) all;

	buf_init(&all, 1 << 20);
	if (driver_nonce(m->d, err) < 0 ||
	    buf_printf(&all, err, "%d %s %zu\n", number, m->d->nonce, len) < 0 ||
	    buf_add(&all, text, len, err) < 0)
		return -1;
	for (size_t at = 0; at < all.len;) {
		ssize_t n = send(m->d->channel, all.data + at, all.len - at, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return fail_sys(err, "speak to an interpreter");
		if (n < 0 && await(m, m->d->channel, POLLOUT, err) < 0)
			return -1;
		at += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* That a snippet will come, from the first processor: session_driver.c. */
static int say_place(struct making *m, struct error *err)
{
	static const char word[] = "-3 1 0\n";
	ssize_t n = send(m->d->channel, word, strlen(word), MSG_NOSIGNAL);

	return n == (ssize_t)strlen(word) ? 0 : fail_sys(err, "speak to an interpreter");
}

/* Its answer, which must be that all went well. */
static int await_report(struct making *m, struct error *err)
{
	struct driver *d = m->d;
	struct snippet_end e;
	int there;

	while ((there = snippet_end_read(buf_str(&d->heard), d->heard.len, d->nonce, &e)) == 0)
		if (hear_more(m, err) < 0)
			return -1;
	if (there < 0 || e.status != 0)
		return fail(err, ERR_SYSTEM, "the interpreter of a template failed");
	d->heard.len = 0;
	return 0;
}

static int await_ready(struct making *m, int times, struct error *err)
{
	while (times > 0) {
		m->d->ready = false;
		if (driver_take_ready(m->d))
			times--;
		else if (hear_more(m, err) < 0)
			return -1;
	}
	return 0;
}

static int practise(struct making *m, bool rests, struct error *err)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (say_place(m, err) < 0)
			return -1;
		for (size_t j = 0; j < ARRAY_LEN(snippets); j++)
			if (say(m, 1, snippets[j], strlen(snippets[j]), err) < 0 ||
			    await_report(m, err) < 0)
				return -1;
		if (rests && say(m, -1, "", 0, err) < 0)
			return -1;
	}
	return 0;
}

/* What will be asked of it later, so that it need not be read then. */
static int teach(struct making *m, struct error *err)
{
	const struct {
		const char *start, *end;
	} texts[] = {{driver_python_copy_start, driver_python_copy_end},
		     {driver_python_become_start, driver_python_become_end}};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (say(m, -2, texts[i].start, (size_t)(texts[i].end - texts[i].start), err) < 0 ||
		    await_report(m, err) < 0)
			return -1;
	return 0;
}

static int prepare(struct making *m, int file, struct error *err)
{
	size_t len = (size_t)(driver_python_template_end - driver_python_template_start);

	if (say(m, 0, driver_python_template_start, len, err) < 0 || await_report(m, err) < 0)
		return -1;
	return copy_give(m->d->channel, file, -1, err) < 0 ? -1 : await_ready(m, PRACTISED, err);
}

/* 0: it ended as it should. */
static int await_end(struct making *m, struct error *err)
{
	struct kept_end end;
	char words[160] = "";
	int came;

	for (;;) {
		came = kept_step(&m->s.kept, &end, err);
		if (came < 0)
			return -1;
		if (came > 0 && (end.exec == m->d->exec || end.exec == 0 || end.box_over))
			break;
		if (came == 0 && await(m, kept_fd(&m->s.kept), POLLIN, err) < 0)
			return -1;
	}
	if (end.exec == m->d->exec && end.outcome.end == END_EXITED && end.outcome.exit_code == 0)
		return 0;
	came = (int)read(m->d->err.fd, words, sizeof(words) - 1);
	words[came > 0 ? came : 0] = '\0';
	return fail(err, ERR_SYSTEM, "the interpreter of a template could not be written: %s",
		    words);
}

static int lay(struct making *m, int file, struct error *err)
{
	if (driver_start(&m->s, m->d, &m->p, err) < 0 || await_ready(m, 1, err) < 0 ||
	    teach(m, err) < 0 || practise(m, true, err) < 0 || prepare(m, file, err) < 0 ||
	    practise(m, false, err) < 0 || say(m, -1, "", 0, err) < 0)
		return -1;
	return await_end(m, err);
}

static void making_end(struct making *m)
{
	if (!m->s.k)
		return;
	kept_close(&m->s.kept);
	drivers_done(&m->s);
	arena_done(&m->p.judged.arena);
}

/* Nothing of a caller's, and no secret. */
static int begin(struct making *m, struct keeper *k, struct error *err)
{
	struct remote *remote = slots_prepared(&k->slots);
	const struct tool *tool = keeper_likely_tool(k);
	struct limits limits;

	*m = (struct making){.until_us = clock_us() + MAKE_US};
	m->s.k = k;
	m->s.for_template = true;
	m->s.kept.events = m->s.kept.cpu = -1;
	drivers_init(&m->s);
	m->d = driver_of(&m->s, "python");
	m->p.judged.tool = tool;
	arena_init(&m->p.judged.arena, ARENA_MAX);
	if (!remote || !tool || !m->d)
		return fail(err, ERR_CONFIG, "there is no box for a template");
	m->s.tool = tool;
	session_standard_limits(tool, &limits);
	return kept_open(&m->s.kept, remote, &limits, err);
}

/* Will there be sessions that could begin like this? */
static bool is_wanted(const struct keeper *k)
{
	const struct tool *t = keeper_likely_tool(k);
	bool python = false;

	for (size_t i = 0; t && i < t->languages.n; i++)
		python |= strcmp(t->languages.word[i], "python") == 0;
	return python && t->warm && template_is_known() && copy_is_known();
}

int template_make(struct keeper *k, struct error *err)
{
	own_fd file = -1;
	own(making) m = {0};
	char **argv, **env;

	if (!is_wanted(k))
		return 0;
	file = template_begin(err);
	if (begin(&m, k, err) < 0 || file < 0 || lay(&m, file, err) < 0)
		return -1;
	/* Nobody is left who could write into it. */
	kept_close(&m.s.kept);
	if (driver_job(&m.s, m.d, &m.p, &argv, &env, err) < 0 ||
	    template_finish(file, argv, env, err) < 0)
		return -1;
	/* Who asked for it is gone when another policy counts: nobody misses it. */
	return fd_send(k->front, "t", 1, &file, 1, err) == 0 || err->sys == EPIPE ? 0 : -1;
}
