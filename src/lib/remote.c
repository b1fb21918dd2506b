/* SPDX-License-Identifier: Apache-2.0 */
/* remote.c - a slot that a helper process keeps for us.
 *
 * We are in somebody else's process: its signals, its other children, its
 * descriptors and its standard output are not ours.  The helper is started by
 * posix_spawn (no copy of a large process, nothing that another thread's lock
 * could stop), in a session of its own (Ctrl-C is not for it), and is known by
 * its pidfd from then on.
 */
#include "lib/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/spawn.h"
#include "call/pack.h"
#include "lib/artifacts.h"
#include "lib/slotwords.h"
#include "lib/talk.h"
#include "sandbox/native/closeby.h"

enum {
	ANSWER_MS = 15000, /* beyond what the helper itself allows for setting up and killing */
	PING_MS = 2000,    /* a call that runs: so often it is asked whether it hears */
	SILENT_MS = 3000,  /* and who does not answer so long is silent */
	LEAVE_MS = 5000,   /* for a helper that was told to go */
	HELPER_SOCKET = SPAWN_FIRST_FD,
};

void remote_init(struct remote *r)
{
	*r = (struct remote){.pidfd = -1, .sock = -1, .work = -1};
}

/* The helper's command line: the same words that belljar run takes. */
static int compose(struct slotwords *w, bool once, const struct profile *profile,
		   const struct limits *limits, struct error *err)
{
	slotwords_add(w, "belljar");
	slotwords_add(w, "slot");
	slotwords_add(w, "--fd");
	slotwords_add(w, "%d", HELPER_SOCKET);
	if (once)
		slotwords_add(w, "--once");
	/* Limits come with each call; these are what the first one is prepared for. */
	slotwords_limits(w, limits);
	return slotwords_profile(w, profile, err);
}

static int spawn(const char *helper, char **argv, int sock, pid_t *ret, struct error *err)
{
	const struct spawn how = {.program = helper,
				  .argv = argv,
				  .fds = {sock},
				  .n_fds = 1,
				  .own_session = true,
				  .close_others = true};

	errno = spawn_helper(&how, ret);
	if (errno == 0)
		return 0;
	return fail_sys(err, "start the helper %s (the option \"helper\" names another)", helper);
}

/* A call's life. */

static void lose(struct remote *r, const struct error *why)
{
	r->lost = true;
	if (!r->running)
		return;
	/* It may have run, and may not: that is all we know.  But a socket whose other end went
	 * with something unread is reset, and the last thing said was the call. */
	r->running = false;
	r->unread = why->sys == ECONNRESET && r->call_is_last;
	r->outcome = (struct outcome){
		.end = r->unread ? END_NOT_STARTED : END_UNKNOWN,
		.error = *why,
	};
}

/* got: what came with it, -1 where nothing did. */
static int take_reply(struct remote *r, struct talk_reply *ret, int got[SAY_FDS], struct error *err)
{
	int fds[FD_PASS_MAX];
	size_t n_fds = FD_PASS_MAX;
	ssize_t n = talk_take_reply(r->sock, ret, fds, &n_fds, err);
	int unheard = err->sys;

	if (n == 0) {
		(void)fail(err, ERR_SYSTEM, "the helper is gone without an answer");
		err->sys = unheard == ECONNRESET ? ECONNRESET : 0;
		return -1;
	}
	if (n < 0)
		return -1;
	while (n_fds > SAY_FDS)
		(void)close(fds[--n_fds]);
	for (size_t i = 0; i < SAY_FDS; i++)
		got[i] = i < n_fds ? fds[i] : -1;
	return 0;
}

static int await_reply(struct remote *r, struct talk_reply *ret, int got[SAY_FDS],
		       struct error *err)
{
	struct pollfd fd = {.fd = r->sock, .events = POLLIN};
	uint64_t until = clock_us() + ANSWER_MS * 1000ULL;
	int ready;

	do {
		uint64_t now = clock_us();

		ready = poll(&fd, 1, now < until ? (int)((until - now + 999) / 1000) : 0);
	} while (ready < 0 && errno == EINTR);
	if (ready <= 0)
		return fail(err, ERR_SYSTEM, "the helper did not answer within %d s",
			    ANSWER_MS / 1000);
	return take_reply(r, ret, got, err);
}

/* What was asked for, or the helper's error; or that it hears, if it was asked that. */
static int expect_with(struct remote *r, enum talk_say say, struct talk_reply *ret,
		       int got[SAY_FDS], struct error *err)
{
	if (await_reply(r, ret, got, err) < 0) {
		lose(r, err);
		return -1;
	}
	if (r->pinged && ret->head.kind == SAY_ALIVE)
		return 0;
	if (!ret->usable)
		r->lost = true;
	if (ret->head.kind == say)
		return 0;
	if (ret->head.kind == SAY_FAILED && ret->error.kind != ERR_NONE) {
		*err = ret->error;
		return -1;
	}
	(void)fail(err, ERR_INTERNAL, "the helper said %u", ret->head.kind);
	lose(r, err);
	return -1;
}

/* The same where nothing but a box's /work can come. */
static int expect(struct remote *r, enum talk_say say, struct talk_reply *ret, struct error *err)
{
	int got[SAY_FDS] = {-1, -1};
	int result = expect_with(r, say, ret, got, err);

	own_fd_end(&got[1]);
	if (got[0] >= 0) {
		own_fd_end(&r->work);
		r->work = got[0];
	}
	return result;
}

static int ask(struct remote *r, enum talk_ask what, struct talk_request *request, const int *fds,
	       size_t n_fds, struct error *err)
{
	talk_begin(&request->head, what, sizeof(*request));
	if (fd_send(r->sock, request, sizeof(*request), fds, n_fds, err) == 0)
		return 0;
	r->lost = true;
	r->unheard = !r->touched;
	return fail_in(err, "the helper");
}

static int remote_box(void *slot, const struct limits *limits, int *ret_work, struct error *err)
{
	struct remote *r = slot;
	struct talk_request request = {.limits = *limits};
	struct talk_reply reply;

	if (ask(r, ASK_BOX, &request, NULL, 0, err) < 0 || expect(r, SAY_BOX, &reply, err) < 0)
		return -1;
	if (r->work < 0)
		return r->lost = true, fail(err, ERR_INTERNAL, "the helper sent no directory");
	r->touched = true;
	*ret_work = r->work;
	return 0;
}

static bool has_news(int of)
{
	struct pollfd fd = {.fd = of, .events = POLLIN};

	return poll(&fd, 1, 0) > 0;
}

/* A call that comes alone: while the helper works we sleep, so it comes to our processor, which is
 * awake (closeby.h).  One that we did not start is not ours to move, and the number of one that
 * has ended may be anybody's by now. */
static bool call_here(const struct remote *r)
{
	cpu_set_t cpus;

	if (r->adopted || clock_us() - r->answered_us < TALK_BUSY_US ||
	    sched_getaffinity(0, sizeof(cpus), &cpus) < 0 || has_news(r->pidfd))
		return false;
	closeby_call(r->pid, &cpus);
	return true;
}

static int remote_start(void *slot, const struct job *job, const int io[3], struct error *err)
{
	struct remote *r = slot;
	struct talk_request request = {
		.keep_work = !job->keep_work ? WORK_GOES
			     : r->adopted    ? WORK_STAYS
					     : WORK_COMES,
		.limits = job->limits,
		.flags = r->adopted ? ASK_GIVE : 0,
	};
	own_fd words = -1;
	int fds[ASK_FDS] = {io[0], io[1], io[2], -1};

	if (!job->argv || !job->argv[0])
		return fail(err, ERR_CALLER, "there is no program to run");
	words = pack_words_fd(job->argv, job->env, err);
	if (words < 0)
		return -1;
	fds[ASK_WORDS] = words;
	own_fd_end(&r->work);
	r->work = -1;
	if (call_here(r))
		request.flags |= ASK_CALLED;
	if (ask(r, ASK_RUN, &request, fds, ASK_FDS, err) < 0)
		return -1;
	r->running = r->call_is_last = true;
	r->touched = r->kill_sent = false;
	r->pinged = r->silent = false;
	r->look_us = clock_us() + PING_MS * 1000ULL;
	r->give_up_us = clock_us() + (job->limits.wall_ms + ANSWER_MS) * 1000;
	return 0;
}

static int remote_fd(const void *slot)
{
	return ((const struct remote *)slot)->sock;
}

static int remote_wait_ms(const void *slot)
{
	const struct remote *r = slot;
	uint64_t now = clock_us(), until = r->give_up_us;

	if (r->adopted && !r->silent && r->look_us < until)
		until = r->look_us;
	return now < until ? (int)((until - now + 999) / 1000) : 0;
}

/* One that was asked and is silent is not asked again.  What cannot be sent is no news: if it is
 * gone, we hear of that. */
static void look_whether_it_hears(struct remote *r, uint64_t now_us)
{
	struct talk_request request = {0};
	struct error err;

	if (r->silent || now_us < r->look_us)
		return;
	if (r->pinged) {
		r->silent = true;
		return;
	}
	talk_begin(&request.head, ASK_PING, sizeof(request));
	(void)fd_send(r->sock, &request, sizeof(request), NULL, 0, &err);
	r->pinged = true;
	r->call_is_last = false;
	r->look_us = now_us + SILENT_MS * 1000ULL;
}

static void hear(struct remote *r)
{
	struct talk_reply reply;
	struct error err = {0};

	if (expect(r, SAY_ENDED, &reply, &err) < 0) {
		lose(r, &err);
	} else if (reply.head.kind == SAY_ALIVE) {
		r->pinged = r->silent = false;
		r->look_us = clock_us() + PING_MS * 1000ULL;
		return;
	} else {
		r->outcome = reply.outcome;
	}
	r->running = r->pinged = false;
	r->answered_us = clock_us();
}

static bool remote_step(void *slot)
{
	struct remote *r = slot;
	struct error err = {0};
	uint64_t now;

	if (!r->running)
		return true;
	if (has_news(r->sock)) {
		hear(r);
		return !r->running;
	}
	now = clock_us();
	if (now >= r->give_up_us) {
		(void)fail(&err, ERR_SYSTEM, "the helper did not say how the call ended");
		lose(r, &err);
	} else if (r->adopted) {
		look_whether_it_hears(r, now);
	}
	return !r->running;
}

static bool remote_is_silent(const void *slot)
{
	return ((const struct remote *)slot)->silent;
}

/* To one that runs a call.  Who went meanwhile has left its last words, or none: they are still to
 * be heard, and to say that it cannot be told would be to lose them. */
static void tell(struct remote *r, enum talk_ask what, struct talk_request *request)
{
	struct error err;

	talk_begin(&request->head, what, sizeof(*request));
	r->call_is_last = false;
	if (fd_send(r->sock, request, sizeof(*request), NULL, 0, &err) == 0 || err.sys == EPIPE ||
	    err.sys == ECONNRESET)
		return;
	(void)fail_in(&err, "the helper");
	lose(r, &err);
}

static void remote_kill(void *slot, enum kill_reason reason)
{
	struct remote *r = slot;
	struct talk_request request = {.reason = (uint32_t)reason};

	if (!r->running || r->kill_sent)
		return;
	r->kill_sent = true;
	r->give_up_us = clock_us() + ANSWER_MS * 1000ULL;
	tell(r, ASK_KILL, &request);
}

static void remote_signal(void *slot, int signal)
{
	struct remote *r = slot;
	struct talk_request request = {.signal = signal};

	if (r->running && !r->kill_sent)
		tell(r, ASK_SIGNAL, &request);
}

static void remote_finish(void *slot, struct outcome *ret, int *ret_work)
{
	struct remote *r = slot;

	*ret = r->outcome;
	*ret_work = take_fd(&r->work);
}

void exchange_init(struct exchange *x, enum talk_ask what)
{
	*x = (struct exchange){.what = what, .got = {-1, -1}};
}

void exchange_end(struct exchange *x)
{
	for (size_t i = 0; i < SAY_FDS; i++)
		own_fd_end(&x->got[i]);
}

int remote_exchange(struct remote *r, struct exchange *x, struct error *err)
{
	if (r->lost)
		return fail(err, ERR_SYSTEM, "the slot is gone");
	if (ask(r, x->what, &x->request, x->fds, x->n_fds, err) < 0)
		return -1;
	return expect_with(r, SAY_DONE, &x->reply, x->got, err);
}

static int remote_put(void *slot, const struct limits *limits, const struct put *put, int source,
		      struct error *err)
{
	struct remote *r = slot;
	own_fd bytes = artifacts_bytes(put, source, err);
	own(exchange) x;

	exchange_init(&x, ASK_PUT);
	if (bytes < 0 || artifacts_path(x.request.path, put->inside, err) < 0)
		return -1;
	x.request.limits = *limits;
	x.request.flags = ASK_UNANSWERED | (put->executable ? ASK_EXECUTABLE : 0);
	x.fds[x.n_fds++] = bytes;
	r->touched = true; /* also by half a file */
	if (r->lost)
		return fail(err, ERR_SYSTEM, "the slot is gone");
	/* It is written while we go on; whether it could be, the answer to the run says. */
	return ask(r, x.what, &x.request, x.fds, x.n_fds, err);
}

static int remote_collect(void *slot, const char *glob, const struct get_caps *caps, bool last,
			  struct account *account, struct error *err)
{
	struct remote *r = slot;
	own(exchange) x;

	exchange_init(&x, ASK_COLLECT);
	if (artifacts_path(x.request.path, glob, err) < 0)
		return -1;
	x.request.most = caps->bytes;
	x.request.flags = last ? ASK_LAST : 0;
	x.request.files = caps->files < UINT32_MAX ? (uint32_t)caps->files : UINT32_MAX;
	if (remote_exchange(r, &x, err) < 0)
		return -1;
	return artifacts_take(x.got, x.reply.count, caps, account, err);
}

static const struct runner_ops remote_ops = {
	.box = remote_box,
	.start = remote_start,
	.fd = remote_fd,
	.wait_ms = remote_wait_ms,
	.step = remote_step,
	.kill = remote_kill,
	.signal = remote_signal,
	.finish = remote_finish,
};

/* The same for a slot whose files are not ours to touch. */
static const struct runner_ops adopted_ops = {
	.box = remote_box,
	.start = remote_start,
	.fd = remote_fd,
	.wait_ms = remote_wait_ms,
	.step = remote_step,
	.is_silent = remote_is_silent,
	.kill = remote_kill,
	.signal = remote_signal,
	.finish = remote_finish,
	.put = remote_put,
	.collect = remote_collect,
};

/* The helper's life. */

static int greet(struct remote *r, const char *helper, struct error *err)
{
	struct talk_reply reply = {0};

	if (expect(r, SAY_READY, &reply, err) < 0)
		/* Its own error stands for itself; if it had none, the program is the question. */
		return reply.head.kind == SAY_FAILED ? -1 : fail_in(err, "the program %s", helper);
	r->runner = (struct runner){
		.ops = r->adopted ? &adopted_ops : &remote_ops,
		.slot = r,
		.uid = r->adopted ? (uid_t)-1 : reply.uid,
		.gid = reply.gid,
		.root_mode = reply.root_mode,
	};
	return 0;
}

static int start(struct remote *r, const char *helper, char **argv, struct error *err)
{
	int ends[2];
	own_fd theirs = -1;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail_sys(err, "socketpair");
	r->sock = ends[0];
	theirs = ends[1];
	if (spawn(helper, argv, theirs, &r->pid, err) < 0)
		return -1;
	r->pidfd = pidfd_open(r->pid, 0);
	return r->pidfd < 0 ? fail_sys(err, "pidfd of the helper") : 0;
}

static int await_ready(struct remote *r, struct error *err)
{
	if (greet(r, "belljar slot", err) == 0)
		return 0;
	remote_close(r);
	return -1;
}

static int open_new(struct remote *r, const char *helper, bool once, const struct profile *profile,
		    const struct limits *limits, struct error *err)
{
	own(slotwords) line = {0};

	remote_close(r);
	if (compose(&line, once, profile, limits, err) < 0)
		return -1;
	if (start(r, helper, (char **)line.words, err) == 0 && greet(r, helper, err) == 0)
		return 0;
	remote_close(r);
	return -1;
}

int remote_open(struct remote *r, const char *helper, const struct profile *profile,
		const struct limits *limits, struct error *err)
{
	return open_new(r, helper, false, profile, limits, err);
}

int remote_open_once(struct remote *r, const char *helper, const struct profile *profile,
		     const struct limits *limits, struct error *err)
{
	return open_new(r, helper, true, profile, limits, err);
}

int remote_adopt(struct remote *r, int sock, int pidfd, struct error *err)
{
	remote_close(r);
	r->sock = sock;
	r->pidfd = pidfd;
	r->adopted = true;
	return await_ready(r, err);
}

bool remote_is_ready(const struct remote *r)
{
	/* An idle helper has nothing to say: news is its end. */
	return (r->pid || r->adopted) && !r->lost && !r->running && !r->touched &&
	       !has_news(r->sock);
}

static void wait_for_end(struct remote *r)
{
	struct pollfd fd = {.fd = r->pidfd, .events = POLLIN};
	uint64_t until = clock_us() + LEAVE_MS * 1000ULL;
	siginfo_t info;
	uint64_t now;

	while ((now = clock_us()) < until)
		if (poll(&fd, 1, (int)((until - now + 999) / 1000)) > 0)
			break;
	(void)pidfd_send_signal(r->pidfd, SIGKILL, NULL, 0);
	/* By descriptor: other children are not ours, and if somebody has reaped this one, its
	 * number may be anybody's by now. */
	while (waitid(P_PIDFD, (id_t)r->pidfd, &info, WEXITED) < 0 && errno == EINTR)
		;
}

void remote_leave(struct remote *r)
{
	own_fd_end(&r->sock);
	r->sock = -1;
	r->lost = true;
}

void remote_close(struct remote *r)
{
	own_fd_end(&r->sock); /* this is what tells it to go */
	if (r->adopted)
		; /* whoever started it waits for it */
	else if (r->pidfd >= 0)
		wait_for_end(r);
	else if (r->pid)
		(void)waitpid(r->pid, NULL, 0);
	own_fd_end(&r->pidfd);
	own_fd_end(&r->work);
	remote_init(r);
}

void remote_end(struct remote *r)
{
	own_fd_end(&r->sock);
	own_fd_end(&r->pidfd);
	own_fd_end(&r->work);
	remote_init(r);
}
