/* SPDX-License-Identifier: Apache-2.0 */
/* hush_test.c - what is heard of a program, and when, by somebody who wants it only at its end.
 *
 * The slot is this program's own; it writes down who was told what in which order: o output,
 * n its streams are closed, k it is to be killed, e its end.
 */
#include "sandbox/serve.h"

#include <fcntl.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/own.h"
#include "tap.h"

enum { HOUR_MS = 3600 * 1000, ROUNDS = 8, PATIENCE_US = 60 * 1000000 };

struct fake {
	char log[64];
	size_t n;
	int out, err; /* as the program has them */
	const char *text;
	bool closes;    /* its streams, at once */
	char until;     /* what it waits for before it ends; 0: some rounds */
	int rounds;     /* left */
	uint64_t since; /* nobody waits for ever */
};

static void note(struct fake *f, char what)
{
	if (f->n < sizeof(f->log) - 1)
		f->log[f->n++] = what;
}

static void hear(void *context, const char *data, size_t len)
{
	(void)data;
	(void)len;
	note(context, 'o');
}

static int fake_start(void *slot, const struct job *job, const int io[3], struct error *err)
{
	struct fake *f = slot;

	(void)job;
	(void)err;
	f->out = fcntl(io[1], F_DUPFD_CLOEXEC, 0);
	f->err = fcntl(io[2], F_DUPFD_CLOEXEC, 0);
	if (write(f->out, f->text, strlen(f->text)) != (ssize_t)strlen(f->text))
		abort();
	if (f->closes) {
		own_fd_end(&f->out);
		own_fd_end(&f->err);
		f->out = f->err = -1;
	}
	f->since = clock_us();
	return 0;
}

static int fake_fd(const void *slot)
{
	(void)slot;
	return -1;
}

static int fake_wait_ms(const void *slot)
{
	(void)slot;
	return 1;
}

static void fake_near_end(const void *slot)
{
	note((void *)(uintptr_t)slot, 'n');
}

static bool fake_step(void *slot)
{
	struct fake *f = slot;
	bool over = f->until ? strchr(f->log, f->until) != NULL : f->rounds-- == 0;

	if (!over && clock_us() - f->since < PATIENCE_US)
		return false;
	note(f, 'e');
	own_fd_end(&f->out);
	own_fd_end(&f->err);
	f->out = f->err = -1;
	return true;
}

static void fake_kill(void *slot, enum kill_reason reason)
{
	(void)reason;
	note(slot, 'k');
}

static void fake_finish(void *slot, struct outcome *ret, int *ret_work)
{
	(void)slot;
	ret->end = END_EXITED;
	*ret_work = -1;
}

static const struct runner_ops ops = {
	.start = fake_start,
	.fd = fake_fd,
	.wait_ms = fake_wait_ms,
	.near_end = fake_near_end,
	.step = fake_step,
	.kill = fake_kill,
	.finish = fake_finish,
};

/* The log; what was kept of its output must be all of it. */
static const char *run(struct fake *f, uint32_t hush_ms, int cancel)
{
	static struct request r;
	static struct account account;
	struct runner runner = {.ops = &ops, .slot = f, .uid = geteuid(), .gid = getegid()};
	struct error err = {0};

	request_init(&r);
	r.hush_ms = hush_ms;
	r.live_out.hear = hear;
	r.live_out.context = f;
	r.cancel_fds[0] = cancel;
	f->rounds = ROUNDS;
	if (serve_prepare(&r, &account, &err) < 0 || serve(&r, &runner, &account, &err) < 0)
		printf("# %s\n", err.text);
	CHECK(account.out.seen == strlen(f->text));
	return f->log;
}

TEST(without_a_hush_output_is_heard_while_it_runs)
{
	struct fake f = {.text = "hello", .until = 'o'};

	CHECK_STR(run(&f, 0, -1), "oe");
}

TEST(in_a_hush_output_is_heard_when_it_has_ended)
{
	struct fake f = {.text = "hello"};

	CHECK_STR(run(&f, HOUR_MS, -1), "eo");
}

TEST(a_hush_ends_before_a_program_that_goes_on)
{
	struct fake f = {.text = "hello", .until = 'o'};

	CHECK_STR(run(&f, 2, -1), "oe");
}

TEST(without_a_hush_closed_streams_are_told_of)
{
	struct fake f = {.text = "", .closes = true, .until = 'n'};

	CHECK_STR(run(&f, 0, -1), "ne");
}

TEST(in_a_hush_nobody_looks_whether_streams_are_closed)
{
	struct fake f = {.text = "hello", .closes = true};

	CHECK_STR(run(&f, HOUR_MS, -1), "eo");
}

TEST(in_a_hush_a_call_can_be_cancelled)
{
	struct fake f = {.text = "hello", .until = 'k'};
	own_fd cancel = eventfd(1, EFD_CLOEXEC);

	CHECK_STR(run(&f, HOUR_MS, cancel), "keo");
}
