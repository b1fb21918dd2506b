/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c - one call in a slot, whoever keeps the slot: this process or a helper.
 *
 * Output comes straight from the box, over pipes that are made here: whoever
 * keeps the slot deals in life and death only.
 */
#include "sandbox/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "base/sha256.h"
#include "call/limits.h"
#include "sandbox/native/copyin.h"
#include "sandbox/native/copyout.h"
#include "sandbox/native/outdir.h"
#include "sandbox/native/trustpath.h"

enum {
	OUTPUT_FACTOR = 64,     /* so many times the kept output, and the program is flooding */
	OUTPUT_FLOOR = 1 << 20, /* but never for less than this */
	DRAIN_US = 200000,      /* for what is left in the pipes */
};

void request_init(struct request *r)
{
	memset(r, 0, sizeof(*r));
	request_set_defaults(r);
}

void request_set_defaults(struct request *r)
{
	limits_default(&r->job.limits);
	r->food.fd = r->live_out.fd = r->live_err.fd = -1;
	r->cancel_fds[0] = r->cancel_fds[1] = -1;
}

struct run {
	const struct request *request;
	const struct runner *runner;
	struct account *account;
	struct capture out, err;
	struct feed feed;
	struct trustdir outdirs[GETS_MAX]; /* found before the program can move them */
	size_t n_outdirs;
	bool started;     /* whatever fails now, something may have run */
	bool silent;      /* whoever keeps the slot does not answer */
	bool near_end;    /* both streams have ended */
	uint64_t hush_us; /* until then output stays where it is */
};

/* The box's disk knows the ids of its user namespace only; root is not among them.  These ids are
 * the thread's own: other threads of a library's caller keep theirs. */
static int put_as_owner(const struct runner *who, int work, const struct put *put, int source,
			struct error *err)
{
	const struct copyin_text text = {put->data, put->len, put->executable ? 0755 : 0644};
	gid_t gid = (gid_t)setfsgid(who->gid);
	uid_t uid = (uid_t)setfsuid(who->uid);
	int result = source >= 0 ? copyin_file(work, put->inside, source, who->uid, who->gid, err)
				 : copyin_bytes(work, put->inside, &text, who->uid, who->gid, err);

	(void)setfsuid(uid);
	(void)setfsgid(gid);
	return result;
}

/* Or whoever keeps the slot puts it there: then there is no work. */
static int put_one(const struct run *run, int work, const struct put *put, struct error *err)
{
	const struct runner *who = run->runner;
	own_fd source = -1;
	int result;

	if (put->source) {
		source = trustpath_open(put->source, O_RDONLY | O_NONBLOCK | O_NOCTTY, err);
		if (source < 0)
			return fail_in(err, "--put");
	}
	result = who->ops->put
			 ? who->ops->put(who->slot, &run->request->job.limits, put, source, err)
			 : put_as_owner(who, work, put, source, err);
	return result < 0 && put->source ? fail_in(err, "--put %s", put->source) : result;
}

static int put_all(struct run *run, struct error *err)
{
	const struct request *r = run->request;
	int work = -1;

	if (!r->n_puts)
		return 0;
	if (!run->runner->ops->put &&
	    run->runner->ops->box(run->runner->slot, &r->job.limits, &work, err) < 0)
		return -1;
	for (size_t i = 0; i < r->n_puts; i++)
		if (put_one(run, work, &r->puts[i], err) < 0)
			return -1;
	return 0;
}

/* A program that may write to the directory above could make its name a link to anywhere. */
static int open_outdirs(struct run *run, struct error *err)
{
	const struct request *r = run->request;

	for (size_t i = 0; i < r->n_gets; i++) {
		struct trustdir *dir = &run->outdirs[i];

		*dir = (struct trustdir){.fd = -1, .rest.dir = -1};
		if (r->gets[i].dir && outdir_open(r->gets[i].dir, dir, err) < 0)
			return fail_in(err, "--get %s", r->gets[i].glob);
		run->n_outdirs++;
	}
	return 0;
}

static void close_outdirs(struct run *run)
{
	while (run->n_outdirs > 0)
		trustdir_end(&run->outdirs[--run->n_outdirs]);
}

static int start(struct run *run, struct error *err)
{
	const struct request *r = run->request;
	struct job job = r->job;
	uid_t uid = run->runner->uid;
	own_fd in = -1, out = -1, error = -1;
	int result;

	job.keep_work = r->n_gets > 0;
	if (feed_open(&run->feed, &r->food, uid, &in, err) < 0 ||
	    capture_open(&run->out, &run->account->out, &r->live_out, uid, &out, err) < 0 ||
	    capture_open(&run->err, &run->account->err, &r->live_err, uid, &error, err) < 0)
		return -1;
	if (r->begin && r->begin(r->begin_context, err) < 0)
		return -1;
	result = run->runner->ops->start(run->runner->slot, &job, (int[3]){in, out, error}, err);
	if (r->begun)
		r->begun(r->begin_context);
	run->hush_us = r->hush_ms ? clock_us() + r->hush_ms * 1000ULL : 0;
	return result;
}

static bool floods(const struct run *run)
{
	uint64_t limit = run->request->job.limits.output_bytes * OUTPUT_FACTOR;

	if (limit < OUTPUT_FLOOR)
		limit = OUTPUT_FLOOR;
	return run->account->out.seen > limit || run->account->err.seen > limit;
}

/* Where the output goes, somebody has closed the door, or there is no room. */
static bool output_is_lost(const struct run *run)
{
	return run->out.failed || run->err.failed;
}

enum {
	POLL_SLOT,
	POLL_CANCEL,
	POLL_CANCEL_TOO,
	POLL_OUT,
	POLL_OUT_LIVE,
	POLL_ERR,
	POLL_ERR_LIVE,
	POLL_FEED_IN,
	POLL_FEED_OUT,
	POLL_ASIDE,
	POLL_COUNT = POLL_ASIDE + ASIDE_FDS
};

static void want(struct run *run, struct pollfd fds[POLL_COUNT])
{
	static const short events[POLL_COUNT] = {POLLIN, POLLIN,  POLLIN, POLLIN, POLLOUT,
						 POLLIN, POLLOUT, POLLIN, POLLOUT};

	for (size_t i = 0; i < POLL_COUNT; i++)
		fds[i] = (struct pollfd){.fd = -1, .events = events[i]};
	fds[POLL_SLOT].fd = run->runner->ops->fd(run->runner->slot);
	fds[POLL_CANCEL].fd = run->request->cancel_fds[0];
	fds[POLL_CANCEL_TOO].fd = run->request->cancel_fds[1];
	/* A flood is not read on while its end is being made. */
	if (!run->hush_us && !floods(run)) {
		capture_wants(&run->out, &fds[POLL_OUT].fd, &fds[POLL_OUT_LIVE].fd);
		capture_wants(&run->err, &fds[POLL_ERR].fd, &fds[POLL_ERR_LIVE].fd);
	}
	feed_wants(&run->feed, &fds[POLL_FEED_IN].fd, &fds[POLL_FEED_OUT].fd);
	if (run->request->aside.wants)
		run->request->aside.wants(run->request->aside.context, &fds[POLL_ASIDE]);
}

static void listen_aside(const struct run *run, const struct pollfd fds[ASIDE_FDS])
{
	const struct aside *a = &run->request->aside;
	int signal;

	a->ready(a->context, fds);
	signal = a->signal ? a->signal(a->context) : 0;
	if (signal)
		run->runner->ops->signal(run->runner->slot, signal);
}

/* Until something is due. */
static int wait_ms(struct run *run)
{
	int ms = run->runner->ops->wait_ms(run->runner->slot), hush;
	uint64_t now;

	if (!run->hush_us)
		return ms;
	now = clock_us();
	if (now >= run->hush_us) {
		run->hush_us = 0;
		return 0;
	}
	hush = (int)((run->hush_us - now) / 1000) + 1;
	return ms < 0 || hush < ms ? hush : ms;
}

/* Once: one that goes on without output may do so for long. */
static void await_end(struct run *run)
{
	const struct runner *runner = run->runner;

	if (run->near_end || run->out.fd >= 0 || run->err.fd >= 0)
		return;
	run->near_end = true;
	if (runner->ops->near_end)
		runner->ops->near_end(runner->slot);
}

/* Many programs end at once.  Whoever ends first wakes us up, and where our processor sleeps that
 * takes it longer than everything else it has to do then. */
static void stay_up(const struct run *run, struct pollfd fds[POLL_COUNT])
{
	const struct runner *runner = run->runner;
	uint64_t until = runner->ops->awake_us ? runner->ops->awake_us(runner->slot) : 0;

	while (clock_us() < until && poll(fds, POLL_COUNT, 0) == 0)
		(void)sched_yield();
}

/* One round: waits for output, input, the slot or a deadline, and serves what is ready. */
static int serve_once(struct run *run, struct error *err)
{
	const struct runner *runner = run->runner;
	struct pollfd fds[POLL_COUNT];

	await_end(run);
	want(run, fds);
	stay_up(run, fds);
	if (poll(fds, POLL_COUNT, wait_ms(run)) < 0)
		return errno == EINTR ? 0 : fail_sys(err, "poll");
	if (fds[POLL_OUT].revents || fds[POLL_OUT_LIVE].revents)
		capture_move(&run->out);
	if (fds[POLL_ERR].revents || fds[POLL_ERR_LIVE].revents)
		capture_move(&run->err);
	if (fds[POLL_FEED_IN].revents || fds[POLL_FEED_OUT].revents)
		feed_move(&run->feed);
	if (fds[POLL_ASIDE].revents || fds[POLL_ASIDE + 1].revents)
		listen_aside(run, &fds[POLL_ASIDE]);
	if (run->out.stop || run->err.stop)
		runner->ops->kill(runner->slot, KILL_CANARY);
	if (fds[POLL_CANCEL].revents || fds[POLL_CANCEL_TOO].revents || output_is_lost(run))
		runner->ops->kill(runner->slot, KILL_CANCELLED);
	if (floods(run))
		runner->ops->kill(runner->slot, KILL_OUTPUT);
	return 0;
}

/* The program is dead, and everything it wrote is to arrive, however slow the listener is; only
 * whoever cancels is in a hurry. */
static void deliver_rest(struct run *run, struct capture *c, uint64_t until)
{
	for (;;) {
		struct pollfd fds[] = {
			{.fd = c->live.fd, .events = POLLOUT},
			{.fd = run->request->cancel_fds[0], .events = POLLIN},
			{.fd = run->request->cancel_fds[1], .events = POLLIN},
		};

		capture_drain(c, until);
		if (c->left == 0)
			capture_finish(c);
		if (c->left == 0 || c->failed)
			return;
		if (poll(fds, ARRAY_LEN(fds), -1) < 0 && errno != EINTR) {
			c->failed = errno;
			return;
		}
		if (fds[1].revents || fds[2].revents)
			return;
		capture_move(c);
		until = clock_us() + DRAIN_US;
	}
}

static void tell_silence(struct run *run)
{
	const struct runner *runner = run->runner;
	const struct aside *a = &run->request->aside;

	if (!a->silent || !runner->ops->is_silent ||
	    runner->ops->is_silent(runner->slot) == run->silent)
		return;
	run->silent = !run->silent;
	a->silent(a->context, run->silent);
}

static int serve_all(struct run *run, struct error *err)
{
	while (!run->runner->ops->step(run->runner->slot)) {
		tell_silence(run);
		if (serve_once(run, err) < 0)
			return -1;
	}
	deliver_rest(run, &run->out, clock_us() + DRAIN_US);
	deliver_rest(run, &run->err, clock_us() + DRAIN_US);
	return 0;
}

/* A reader who went away has had enough; anything else is a loss. */
static int check_delivery(const struct run *run, struct error *err)
{
	int failed = run->out.failed ? run->out.failed : run->err.failed;

	if (failed == 0 || failed == EPIPE)
		return 0;
	errno = failed;
	return fail_sys(err, "pass the output on");
}

static int collect_to_memory(struct run *run, int work, const char *glob,
			     const struct copyout_caps *caps, struct error *err)
{
	own_fd heap = memfd_create("belljar-files", MFD_CLOEXEC);
	struct account *account = run->account;
	size_t had = account->n_artifacts;
	off_t there;

	if (heap < 0)
		return fail_sys(err, "memory for files");
	if (copyout_into_heap(work, glob, heap, caps, account, err) < 0)
		return -1;
	there = lseek(heap, 0, SEEK_END);
	for (size_t i = had; i < account->n_artifacts; i++)
		if (!account->artifacts[i].refused[0] &&
		    copyout_load(heap, (uint64_t)there, &account->artifacts[i], err) < 0)
			return -1;
	return 0;
}

/* What the account has already is off. */
static int collect_elsewhere(struct run *run, size_t i, const struct copyout_caps *caps,
			     struct error *err)
{
	const struct request *r = run->request;
	struct account *account = run->account;
	struct get_caps left = {.bytes = caps->total_bytes, .files = caps->files};

	if (r->gets[i].dir)
		return fail(err, ERR_CALLER, "files of this box come into memory only");
	left.files -= account->n_artifacts < left.files ? account->n_artifacts : left.files;
	for (size_t k = 0; k < account->n_artifacts; k++)
		if (!account->artifacts[k].refused[0])
			left.bytes -= account->artifacts[k].size;
	return run->runner->ops->collect(run->runner->slot, r->gets[i].glob, &left,
					 i + 1 == r->n_gets, account, err);
}

static int collect_one(struct run *run, int work, size_t i, struct error *err)
{
	const struct request *r = run->request;
	const struct get *get = &r->gets[i];
	struct copyout_caps caps;

	copyout_caps_for(&r->job.limits, &caps);
	caps.filter = r->files.feed ? &r->files : NULL;
	if (!get->dir && r->get_caps.bytes && r->get_caps.bytes < caps.total_bytes)
		caps.file_bytes = caps.total_bytes = r->get_caps.bytes;
	if (!get->dir && r->get_caps.files && r->get_caps.files < caps.files)
		caps.files = r->get_caps.files;
	if (run->runner->ops->collect)
		return collect_elsewhere(run, i, &caps, err);
	if (!get->dir)
		return collect_to_memory(run, work, get->glob, &caps, err);
	return copyout_collect_into(work, get->glob, &run->outdirs[i], &caps, run->account, err);
}

static int collect(struct run *run, int work, struct error *err)
{
	const struct request *r = run->request;

	if (work < 0 && !run->runner->ops->collect)
		return 0;
	for (size_t i = 0; i < r->n_gets; i++)
		if (collect_one(run, work, i, err) < 0)
			return fail_in(err, "--get %s", r->gets[i].glob);
	return 0;
}

static int run_in_slot(struct run *run, struct error *err)
{
	const struct runner *runner = run->runner;
	own_fd work = -1;

	if (open_outdirs(run, err) < 0 || put_all(run, err) < 0 || start(run, err) < 0)
		return -1;
	run->started = true;
	if (serve_all(run, err) < 0)
		return -1;
	runner->ops->finish(runner->slot, &run->account->outcome, &work);
	if (run->account->outcome.end != END_NOT_STARTED && collect(run, work, err) < 0)
		return -1;
	return check_delivery(run, err);
}

int serve_prepare(const struct request *r, struct account *ret, struct error *err)
{
	account_init(ret, &r->job.limits);
	/* Before anything runs: an artifact without its hash would be a broken promise. */
	return r->n_gets ? sha256_load(err) : 0;
}

void serve_refuse(struct account *account, const struct error *err)
{
	account->outcome.end = END_NOT_STARTED;
	account->outcome.error = *err;
	account_judge(account);
}

int serve(const struct request *r, const struct runner *runner, struct account *account,
	  struct error *err)
{
	struct run run = {
		.request = r,
		.runner = runner,
		.account = account,
		.out.fd = -1,
		.err.fd = -1,
	};
	int result;

	feed_init(&run.feed);
	account->root_mode = runner->root_mode;
	result = run_in_slot(&run, err);
	if (result < 0 && !run.started) {
		serve_refuse(account, err);
		result = 0;
	} else if (result < 0) {
		account->outcome.error = *err;
	}
	account_judge(account);
	if (r->only) {
		buf_done(&run.out.filtered);
		buf_done(&run.err.filtered);
		return result;
	}
	capture_close(&run.out);
	capture_close(&run.err);
	feed_close(&run.feed);
	close_outdirs(&run);
	return result;
}
