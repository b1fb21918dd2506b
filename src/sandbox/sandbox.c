/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.c - one call from beginning to end: box, files in, program, output, files out. */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "base/sha256.h"
#include "call/limits.h"
#include "sandbox/capture.h"
#include "sandbox/feed.h"
#include "sandbox/native/copyin.h"
#include "sandbox/native/copyout.h"
#include "sandbox/native/slot.h"

enum {
	OUTPUT_FACTOR = 64,     /* so many times the kept output, and the program is flooding */
	OUTPUT_FLOOR = 1 << 20, /* but never for less than this */
	DRAIN_US = 200000,      /* for what is left in the pipes */
};

struct run {
	const struct request *request;
	struct slot *slot;
	struct account *account;
	struct capture out, err;
	struct feed feed;
	bool started; /* whatever fails now, something may have run */
};

void request_init(struct request *r)
{
	memset(r, 0, sizeof(*r));
	limits_default(&r->job.limits);
	r->stdin_fd = r->live_out = r->live_err = r->cancel_fd = -1;
}

/* The box's disk knows the ids of its user namespace only; root is not among them. */
static void act_as(uid_t uid, gid_t gid)
{
	(void)setfsgid(gid);
	(void)setfsuid(uid);
}

static int put_file(struct run *run, int work, const struct put *put, struct error *err)
{
	own_fd source = open(put->source, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int result;

	if (source < 0)
		return fail_sys(err, "--put %s", put->source), err->kind = ERR_CALLER, -1;
	act_as(slot_uid(run->slot), slot_gid(run->slot));
	result = copyin_file(work, put->inside, source, slot_uid(run->slot), slot_gid(run->slot),
			     err);
	act_as(geteuid(), getegid());
	return result < 0 ? fail_in(err, "--put %s", put->source) : 0;
}

static int put_code(struct run *run, int work, struct error *err)
{
	const struct request *r = run->request;
	const struct copyin_text text = {r->code, r->code_len, 0644};
	int result;

	act_as(slot_uid(run->slot), slot_gid(run->slot));
	result = copyin_bytes(work, r->code_name, &text, slot_uid(run->slot), slot_gid(run->slot),
			      err);
	act_as(geteuid(), getegid());
	return result < 0 ? fail_in(err, "the code") : 0;
}

static int put_files(struct run *run, struct error *err)
{
	const struct request *r = run->request;
	int work;

	if (!r->code && !r->n_puts)
		return 0;
	if (slot_box(run->slot, &r->job.limits, &work, err) < 0)
		return -1;
	for (size_t i = 0; i < r->n_puts; i++)
		if (put_file(run, work, &r->puts[i], err) < 0)
			return -1;
	return r->code ? put_code(run, work, err) : 0;
}

static int start(struct run *run, struct error *err)
{
	const struct request *r = run->request;
	uid_t uid = slot_uid(run->slot);
	own_fd in = -1, out = -1, error = -1;

	if (feed_open(&run->feed, r->stdin_fd, uid, &in, err) < 0 ||
	    capture_open(&run->out, &run->account->out, r->live_out, uid, &out, err) < 0 ||
	    capture_open(&run->err, &run->account->err, r->live_err, uid, &error, err) < 0)
		return -1;
	return slot_start(run->slot, &r->job, (int[3]){in, out, error}, err);
}

static bool floods(const struct run *run)
{
	uint64_t limit = run->request->job.limits.output_bytes * OUTPUT_FACTOR;

	if (limit < OUTPUT_FLOOR)
		limit = OUTPUT_FLOOR;
	return run->account->out.seen > limit || run->account->err.seen > limit;
}

/* One round: waits for output, input, the slot or a deadline, and serves what is ready. */
static int serve_once(struct run *run, struct error *err)
{
	enum { SLOT, OUT, ERR, FEED_IN, FEED_OUT, CANCEL, COUNT };
	int in, out;
	struct pollfd fds[COUNT];

	feed_wants(&run->feed, &in, &out);
	fds[SLOT] = (struct pollfd){.fd = slot_fd(run->slot), .events = POLLIN};
	fds[OUT] = (struct pollfd){.fd = run->out.fd, .events = POLLIN};
	fds[ERR] = (struct pollfd){.fd = run->err.fd, .events = POLLIN};
	fds[FEED_IN] = (struct pollfd){.fd = in, .events = POLLIN};
	fds[FEED_OUT] = (struct pollfd){.fd = out, .events = POLLOUT};
	fds[CANCEL] = (struct pollfd){.fd = run->request->cancel_fd, .events = POLLIN};
	if (poll(fds, COUNT, slot_wait_ms(run->slot)) < 0 && errno != EINTR)
		return fail_sys(err, "poll");
	if (fds[OUT].revents)
		(void)capture_read(&run->out);
	if (fds[ERR].revents)
		(void)capture_read(&run->err);
	if (fds[FEED_IN].revents || fds[FEED_OUT].revents)
		feed_move(&run->feed);
	if (fds[CANCEL].revents)
		slot_kill(run->slot, KILL_CANCELLED);
	if (floods(run))
		slot_kill(run->slot, KILL_OUTPUT);
	return 0;
}

static int serve(struct run *run, struct error *err)
{
	uint64_t until;

	while (!slot_step(run->slot))
		if (serve_once(run, err) < 0)
			return -1;
	until = clock_us() + DRAIN_US;
	capture_drain(&run->out, until);
	capture_drain(&run->err, until);
	return 0;
}

static int collect(struct run *run, int work, struct error *err)
{
	const struct request *r = run->request;
	struct copyout_caps caps;

	copyout_caps_for(&r->job.limits, &caps);
	for (size_t i = 0; i < r->n_gets; i++)
		if (copyout_collect(work, r->gets[i].glob, r->gets[i].dir, &caps, run->account,
				    err) < 0)
			return fail_in(err, "--get %s", r->gets[i].glob);
	return 0;
}

static int run_in_slot(struct run *run, struct error *err)
{
	own_fd work = -1;

	if (put_files(run, err) < 0 || start(run, err) < 0)
		return -1;
	run->started = true;
	if (serve(run, err) < 0)
		return -1;
	slot_finish(run->slot, &run->account->outcome, &work);
	if (run->account->outcome.end == END_NOT_STARTED || work < 0)
		return 0;
	return collect(run, work, err);
}

static void not_started(struct account *account, const struct error *err)
{
	account->outcome.end = END_NOT_STARTED;
	account->outcome.error = *err;
}

int sandbox_run(const struct request *r, struct account *ret, struct error *err)
{
	struct run run = {.request = r, .account = ret, .out.fd = -1, .err.fd = -1};
	own_slot slot = NULL;
	int result;

	account_init(ret, &r->job.limits);
	run.feed.source = run.feed.pipe = -1;
	/* Before anything runs: an artifact without its hash would be a broken promise. */
	if (r->n_gets && sha256_load(err) < 0) {
		not_started(ret, err);
		account_judge(ret);
		return 0;
	}
	if (slot_open(&r->profile, &r->job.limits, false, &slot, err) < 0) {
		not_started(ret, err);
		account_judge(ret);
		return 0;
	}
	run.slot = slot;
	ret->root_mode = slot_is_root_mode(slot);
	result = run_in_slot(&run, err);
	if (result < 0 && !run.started) {
		not_started(ret, err);
		result = 0;
	} else if (result < 0) {
		ret->outcome.error = *err;
	}
	capture_close(&run.out);
	capture_close(&run.err);
	feed_close(&run.feed);
	account_judge(ret);
	return result;
}
