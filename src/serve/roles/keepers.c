/* SPDX-License-Identifier: Apache-2.0 */
/* keepers.c - a keeper for whoever the front has a call for: made when it asks, gone when it ends.
 *
 * Each has a socket to the front and one to the warden, and the supervisor has
 * neither: what a keeper hears and says is not our business.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "lib/wardentalk.h"
#include "serve/roles/leaving.h"
#include "serve/roles/supervise.h"

enum { SPARE = 8 };

/* While a policy is replaced, old keepers and new ones are there at once.  The warden may hear of a
 * new one before it knows that an old one went. */
static size_t most(const struct supervisor *s)
{
	uint64_t n =
		2 * s->plan.concurrency + s->plan.sessions + 2 * s->plan.sessions_ready + SPARE;

	return n < WARDEN_KEEPERS_MAX - SPARE ? (size_t)n : WARDEN_KEEPERS_MAX - SPARE;
}

static void forget(struct keeper *k)
{
	struct supervisor *s = k->all;
	struct keeper **at = &s->keepers;

	while (*at && *at != k)
		at = &(*at)->next;
	if (*at) {
		*at = k->next;
		s->n_keepers--;
	}
	loop_remove(s->loop, &k->end);
	if (k->pidfd >= 0)
		(void)close(k->pidfd);
	free(k);
}

static void tell_end(const struct supervisor *s, int status)
{
	if (WIFSIGNALED(status))
		supervisor_say("a keeper was killed by signal %d (%s)", WTERMSIG(status),
			       strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) != WARDEN_LOST)
		supervisor_say("a keeper ended with exit code %d", WEXITSTATUS(status));
	else if (s->singles[ROLE_WARDEN].up)
		supervisor_say("a keeper found no place at the warden");
}

static void take_end(void *context, uint32_t events)
{
	struct keeper *k = context;
	struct supervisor *s = k->all;
	/* Sessions do without what one of these makes. */
	bool early = !k->makes_template &&
		     loop_now_us(s->loop) - k->started_us < STEADY_MS * UINT64_C(1000);
	int status = 0;

	(void)events;
	(void)waitpid(k->pid, &status, 0);
	forget(k);
	if (status != 0 && !s->stopping)
		tell_end(s, status);
	s->keeper_fails = status != 0 && early ? s->keeper_fails + 1 : 0;
	if (s->stopping)
		stopping_advance(s);
	else
		keepers_pump(s);
}

/* Each takes tens of MiB, so that not all may; those of sessions have no calls to wait for.  The
 * front may notice an end before we do, and ask for another while the kernel still clears the old
 * one away. */
static bool may_node_wait(const struct supervisor *s, bool session)
{
	uint64_t nodes = 0;

	if (session)
		return false;
	for (const struct keeper *k = s->keepers; k; k = k->next)
		nodes += k->warm_node && !leaving(k->pid);
	return nodes < s->plan.warm_node;
}

/* As a process that begins from nothing. */
static int spawn_keeper(struct keeper *k, int front, int warden, struct error *err)
{
	const struct supervisor *s = k->all;
	/* The policy as it was read, whatever stands in its files by now. */
	const char *const argv[] = {"belljar-gate",
				    "keeper",
				    "--front",
				    "3",
				    "--warden",
				    "4",
				    "--policy",
				    "pack:5",
				    "--expect-sha256",
				    s->plan.policy_sha256,
				    "--state",
				    s->state,
				    "--audit",
				    s->audit,
				    k->session     ? "--session"
				    : k->warm_node ? "--warm-node"
						   : NULL,
				    NULL};
	const int fds[] = {front, warden, s->pack_fd};
	struct spawn spawn = {
		.program = s->config->gate,
		.argv = argv,
		.fds = fds,
		.n_fds = ARRAY_LEN(fds),
		.out = -1,
		.err = s->keeper_log.to,
	};

	return spawn_start(&spawn, &k->pid, &k->pidfd, err);
}

/* What went wrong on the way may have made one all the same: its sockets are not used again. */
static int copy_keeper(struct keeper *k, int front, int warden, struct error *err)
{
	if (nursing_copy(k, front, warden, err) == 0)
		return 0;
	nursing_end(k->all);
	nursing_kill(k->all);
	strays_expect(k->all);
	return -1;
}

static int run_keeper(struct keeper *k, int front, int warden, struct error *err)
{
	struct supervisor *s = k->all;
	bool copies = k->session && nursing_is_ready(s);
	int made;

	if (k->makes_template && !copies)
		return fail(err, ERR_SYSTEM, "there is no nursery");
	k->started_us = loop_now_us(s->loop);
	made = copies ? copy_keeper(k, front, warden, err) : spawn_keeper(k, front, warden, err);
	if (made < 0)
		return -1;
	k->end = (struct loop_watch){
		.fd = k->pidfd, .events = EPOLLIN, .ready = take_end, .context = k};
	if (loop_add(s->loop, &k->end, err) == 0)
		return 0;
	(void)kill(k->pid, SIGKILL);
	(void)waitpid(k->pid, NULL, 0);
	return -1;
}

static int pair(int *ret_end, int *ret_theirs, struct error *err)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail_sys(err, "make a socket");
	*ret_end = ends[0];
	*ret_theirs = ends[1];
	return 0;
}

/* like: what it is for.  *ret_front: the other end of what it takes for the front's. */
static int make_keeper(struct supervisor *s, const struct keeper *like, int *ret_front,
		       struct error *err)
{
	struct keeper *k = calloc(1, sizeof(*k));
	own_fd front_end = -1, front_theirs = -1, warden_end = -1, warden_theirs = -1;

	if (!k)
		return fail_sys(err, "start a keeper");
	*k = *like;
	k->all = s;
	k->next = s->keepers;
	k->pidfd = -1;
	s->keepers = k;
	s->n_keepers++;
	if (pair(&front_end, &front_theirs, err) < 0 ||
	    pair(&warden_end, &warden_theirs, err) < 0 ||
	    warden_control_keeper(s->singles[ROLE_WARDEN].control, warden_end, err) < 0 ||
	    run_keeper(k, front_theirs, warden_theirs, err) < 0) {
		forget(k);
		return -1;
	}
	*ret_front = take_fd(&front_end);
	return 0;
}

static int start_keeper(struct supervisor *s, bool session, struct error *err)
{
	const struct keeper like = {.session = session, .warm_node = may_node_wait(s, session)};
	own_fd front = -1;

	if (make_keeper(s, &like, &front, err) < 0)
		return -1;
	(void)front_tell(s, ROLE_KEEPER, session, front);
	return 0;
}

int keepers_maker(struct supervisor *s, int *ret_socket, struct error *err)
{
	const struct keeper like = {.session = true, .makes_template = true};

	if (s->stopping || !single_is_up(s, ROLE_WARDEN))
		return fail(err, ERR_SYSTEM, "nobody makes boxes now");
	return make_keeper(s, &like, ret_socket, err);
}

static void start_or_say(struct supervisor *s, bool session)
{
	struct error err = {0};

	if (start_keeper(s, session, &err) == 0)
		return;
	s->keeper_fails++;
	supervisor_say("a keeper cannot be started: %s", err.text);
	(void)front_tell(s, ROLE_KEEPER, session, -1);
}

static bool may_start(const struct supervisor *s)
{
	return !s->stopping && single_is_up(s, ROLE_WARDEN) && s->n_keepers < most(s);
}

/* Those of sessions have much in common, if it is there when they begin. */
static bool may_start_now(struct supervisor *s, bool session)
{
	return may_start(s) && (!session || !nursing_is_coming(s));
}

static void pump_again(void *context)
{
	struct supervisor *s = context;

	/* This one is tried; if it fails, the next waits longer. */
	for (int session = 0; session < 2; session++)
		if (s->wants[session] && may_start_now(s, session)) {
			s->wants[session]--;
			start_or_say(s, session);
			break;
		}
	keepers_pump(s);
}

static void pump_in(struct supervisor *s, uint64_t ms)
{
	struct error err;

	s->keeper_again.due = pump_again;
	s->keeper_again.context = s;
	if (!s->keeper_again.place &&
	    loop_set(s->loop, &s->keeper_again, loop_now_us(s->loop) + ms * 1000, &err) < 0)
		supervisor_give_up(s, &err);
}

void keepers_pump(struct supervisor *s)
{
	for (int session = 0; session < 2; session++)
		while (s->wants[session]) {
			uint64_t ms = delay_ms(s->keeper_fails + (s->keeper_fails > 0));

			if (!may_start(s))
				return;
			if (ms || !may_start_now(s, session)) {
				pump_in(s, ms ? ms : COMING_MS);
				break;
			}
			s->wants[session]--;
			start_or_say(s, session);
		}
}

void keepers_want(struct supervisor *s, bool session)
{
	if (s->wants[session] < WANTS_MAX)
		s->wants[session]++;
	keepers_pump(s);
}

void keepers_kill(struct supervisor *s)
{
	for (struct keeper *k = s->keepers; k; k = k->next)
		(void)kill(k->pid, SIGKILL);
}
