/* SPDX-License-Identifier: Apache-2.0 */
/* nursing.c - the supervisor's side of the nursery, in which keepers of sessions are copied.
 *
 * It is started when the first one is asked for, and belongs to one reading of
 * the policy.  While it is not ready, or does not stay up, keepers are started
 * as all others are: a session then takes more memory and is none the worse.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "keeper/nurserytalk.h"
#include "serve/roles/rolespawn.h"
#include "serve/roles/supervise.h"

enum { ANSWER_MS = 2000, FAILS_MOST = 3 };

/* It ends by itself when nobody can ask it any more. */
void nursing_end(struct supervisor *s)
{
	struct nursery *n = &s->nursery;

	n->ready = false;
	/* What was made stays: it is nobody's but the policy's, and sessions that began as it can
	 * be copied only to where it is. */
	templating_pause(s);
	if (n->control >= 0)
		loop_remove(s->loop, &n->news);
	own_fd_end(&n->control);
	n->control = -1;
}

static void take_end(void *context, uint32_t events)
{
	struct supervisor *s = context;
	struct nursery *n = &s->nursery;
	int status = 0;

	(void)events;
	(void)waitpid(n->pid, &status, 0);
	loop_remove(s->loop, &n->end);
	own_fd_end(&n->pidfd);
	n->pidfd = -1;
	n->pid = 0;
	nursing_end(s);
	if (status != 0 && !s->stopping) {
		n->fails++;
		supervisor_say("the nursery of keepers ended with status %d%s", status,
			       n->fails < FAILS_MOST
				       ? ""
				       : "; until the policy is read again there is none");
	}
	if (s->stopping)
		stopping_advance(s);
	else
		keepers_pump(s);
}

static int take_answer(struct nursery *n, struct nursery_answer *ret, struct error *err)
{
	ssize_t got = fd_receive(n->control, ret, sizeof(*ret), NULL, &(size_t){0}, err);

	if (got == 0)
		return fail(err, ERR_SYSTEM, "the nursery is gone");
	if (got < 0)
		return -1;
	ret->error.text[sizeof(ret->error.text) - 1] = '\0';
	if (ret->magic != NURSERY_MAGIC || ret->version != NURSERY_VERSION)
		return fail(err, ERR_INTERNAL, "the nursery makes no sense");
	return 0;
}

/* Unasked it says one thing: that it is ready.  Everything else ends it. */
static void hear(void *context, uint32_t events)
{
	struct supervisor *s = context;
	struct nursery *n = &s->nursery;
	struct nursery_answer a = {0};
	struct error err = {0};

	(void)events;
	if (take_answer(n, &a, &err) < 0 && err.sys == EAGAIN)
		return;
	if (err.kind == ERR_NONE && a.pid == 0 && !n->ready) {
		n->ready = true;
		if (nursing_is_ready(s)) /* the policy may have changed meanwhile */
			templating_start(s);
		keepers_pump(s);
		return;
	}
	nursing_end(s);
}

static int run(struct supervisor *s, int control, struct error *err)
{
	struct nursery *n = &s->nursery;
	const char *const argv[] = {"belljar-gate",
				    "nursery",
				    "--control",
				    "3",
				    "--policy",
				    "pack:4",
				    "--expect-sha256",
				    s->plan.policy_sha256,
				    "--state",
				    s->state,
				    "--audit",
				    s->audit,
				    NULL};
	/* Chunks that glibc keeps at hand are in nobody's use, and keep the pages beside them from
	 * being given back when a session sleeps. */
	static const char *const env[] = {"GLIBC_TUNABLES=glibc.malloc.tcache_count=0", NULL};
	const int fds[] = {control, s->pack_fd};
	struct spawn spawn = {
		.program = s->config->gate,
		.argv = argv,
		.env = env,
		.fds = fds,
		.n_fds = ARRAY_LEN(fds),
		.out = -1,
		.err = s->keeper_log.to,
	};

	if (spawn_start(&spawn, &n->pid, &n->pidfd, err) < 0) {
		n->pid = 0;
		n->pidfd = -1;
		return -1;
	}
	n->end = (struct loop_watch){
		.fd = n->pidfd, .events = EPOLLIN, .ready = take_end, .context = s};
	if (loop_add(s->loop, &n->end, err) == 0)
		return 0;
	/* Nobody would hear of its end. */
	(void)kill(n->pid, SIGKILL);
	(void)waitpid(n->pid, NULL, 0);
	own_fd_end(&n->pidfd);
	n->pidfd = -1;
	n->pid = 0;
	return -1;
}

static int start(struct supervisor *s, struct error *err)
{
	struct nursery *n = &s->nursery;
	own_fd theirs = -1;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail_sys(err, "make a socket");
	n->control = ends[0];
	theirs = ends[1];
	n->generation = s->generation;
	n->since_us = loop_now_us(s->loop);
	if (fcntl(n->control, F_SETFL, O_NONBLOCK) < 0) {
		(void)fail_sys(err, "prepare a socket");
		own_fd_end(&n->control);
		n->control = -1;
		return -1;
	}
	n->news = (struct loop_watch){
		.fd = n->control, .events = EPOLLIN, .ready = hear, .context = s};
	if (loop_add(s->loop, &n->news, err) < 0) {
		own_fd_end(&n->control);
		n->control = -1;
		return -1;
	}
	if (run(s, theirs, err) == 0)
		return 0;
	nursing_end(s);
	return -1;
}

bool nursing_is_ready(struct supervisor *s)
{
	struct nursery *n = &s->nursery;
	struct error err = {0};

	if (n->generation != s->generation) {
		nursing_end(s); /* its keepers go on: they are of another policy */
		templating_end(s);
		n->fails = 0;
		n->generation = s->generation;
		n->since_us = loop_now_us(s->loop);
	}
	if (n->ready)
		return true;
	/* One that is going is waited for before there is another. */
	if (!n->pid && n->fails < FAILS_MOST && !s->stopping && start(s, &err) < 0) {
		n->fails++;
		supervisor_say("the nursery of keepers cannot be started: %s", err.text);
	}
	return false;
}

/* Behind one that is going there comes another. */
bool nursing_is_coming(struct supervisor *s)
{
	const struct nursery *n = &s->nursery;
	bool ready = nursing_is_ready(s);

	return (ready ? n->maker >= 0 : n->pid != 0 && n->fails < FAILS_MOST) &&
	       loop_now_us(s->loop) - n->since_us < COMING_MS * UINT64_C(1000);
}

/* Nobody's child but ours is held, whatever the nursery says. */
static int hold(pid_t pid, int *ret_pidfd, struct error *err)
{
	own_fd pidfd = pidfd_open(pid, 0);
	siginfo_t info = {0};

	if (pidfd < 0)
		return fail_sys(err, "watch a new keeper");
	if (waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
		return fail_sys(err, "a keeper that is none of ours");
	*ret_pidfd = take_fd(&pidfd);
	return 0;
}

int nursing_copy(struct keeper *k, int front, int warden, struct error *err)
{
	struct nursery *n = &k->all->nursery;
	const struct nursery_order order = {.magic = NURSERY_MAGIC,
					    .version = NURSERY_VERSION,
					    .wants = k->makes_template ? NURSERY_MAKER
								       : NURSERY_KEEPER};
	const int fds[NURSERY_FDS] = {[NURSERY_FRONT] = front,
				      [NURSERY_WARDEN] = warden,
				      [NURSERY_TEMPLATE] = n->template};
	struct pollfd answer = {.fd = n->control, .events = POLLIN};
	struct nursery_answer a = {0};
	int ready;

	if (fd_send(n->control, &order, sizeof(order), fds,
		    n->template <0 ? NURSERY_TEMPLATE : NURSERY_FDS, err) < 0)
		return -1;
	do
		ready = poll(&answer, 1, ANSWER_MS);
	while (ready < 0 && errno == EINTR);
	if (ready <= 0)
		return fail(err, ERR_SYSTEM, "the nursery does not answer");
	if (take_answer(n, &a, err) < 0)
		return -1;
	if (a.pid <= 0) {
		*err = a.error;
		return fail_in(err, "the nursery");
	}
	if (hold(a.pid, &k->pidfd, err) < 0)
		return -1;
	k->pid = a.pid;
	return 0;
}

void nursing_kill(struct supervisor *s)
{
	if (s->nursery.pid)
		(void)kill(s->nursery.pid, SIGKILL);
}
