/* SPDX-License-Identifier: Apache-2.0 */
/* rolelog.c - what roles write to their standard error, line by line and harmless. */
#include "serve/roles/rolelog.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "base/text.h"

enum { SAID_AGAIN_US = 60 * 1000 * 1000 };

static void print_unsaid(struct rolelog *r)
{
	if (r->unsaid)
		(void)fprintf(stderr, "%s: (the same, %" PRIu64 " times more)\n", r->name,
			      r->unsaid);
	r->unsaid = 0;
}

/* Was it said just now?  Then it is counted. */
static bool is_said(struct rolelog *r)
{
	uint64_t now = clock_us();

	if (!r->sparing)
		return false;
	if (r->len == r->said_len && memcmp(r->line, r->said, r->len) == 0 &&
	    now - r->said_us < SAID_AGAIN_US) {
		r->unsaid++;
		return true;
	}
	print_unsaid(r);
	memcpy(r->said, r->line, r->len);
	r->said_len = r->len;
	r->said_us = now;
	return false;
}

static void print_line(struct rolelog *r)
{
	char plain[ROLELOG_LINE_MAX + 1], safe[2 * ROLELOG_LINE_MAX];
	struct error ignored;

	if (r->len == 0)
		return;
	if (is_said(r)) {
		r->len = 0;
		return;
	}
	(void)snprintf(plain, sizeof(plain), "%.*s", (int)r->len, r->line);
	text_one_line(plain, safe, sizeof(safe));
	(void)fprintf(stderr, "%s: %s\n", r->name, safe);
	if (r->kept.limit)
		(void)buf_printf(&r->kept, &ignored, "%s%s", r->kept.len ? "; " : "", safe);
	r->len = 0;
}

static void take_bytes(struct rolelog *r, const char *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (data[i] == '\n' || r->len == sizeof(r->line))
			print_line(r);
		if (data[i] != '\n')
			r->line[r->len++] = data[i];
	}
}

static void take_news(void *context, uint32_t events)
{
	struct rolelog *r = context;
	char some[ROLELOG_LINE_MAX];
	ssize_t n = read(r->from, some, sizeof(some));

	(void)events;
	if (n > 0)
		take_bytes(r, some, (size_t)n);
}

int rolelog_open(struct rolelog *r, struct loop *l, const char *name, struct error *err)
{
	int ends[2];

	*r = (struct rolelog){.name = name, .from = -1, .to = -1};
	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_sys(err, "make a pipe");
	r->from = ends[0];
	r->to = ends[1];
	r->loop = l;
	r->watch = (struct loop_watch){
		.fd = r->from, .events = EPOLLIN, .ready = take_news, .context = r};
	if (fcntl(r->from, F_SETFL, O_NONBLOCK) < 0)
		return fail_sys(err, "set up a pipe");
	return loop_add(l, &r->watch, err);
}

/* As much as a pipe holds, not as much as somebody goes on writing. */
static void take_rest(struct rolelog *r)
{
	char some[ROLELOG_LINE_MAX];
	ssize_t n;

	for (int i = 0; i < 80 && (n = read(r->from, some, sizeof(some))) > 0; i++)
		take_bytes(r, some, (size_t)n);
	print_line(r);
}

void rolelog_keep(struct rolelog *r)
{
	buf_done(&r->kept);
	buf_init(&r->kept, ROLELOG_KEPT_MAX);
}

const char *rolelog_kept(struct rolelog *r)
{
	take_rest(r);
	return buf_str(&r->kept);
}

void rolelog_close(struct rolelog *r)
{
	if (r->from < 0)
		return;
	take_rest(r);
	print_unsaid(r);
	buf_done(&r->kept);
	loop_remove(r->loop, &r->watch);
	(void)close(take_fd(&r->from));
	(void)close(take_fd(&r->to));
}
