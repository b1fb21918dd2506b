/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_slot.c - belljar slot: keeps a slot for a program with libbelljar, and serves it.
 *
 * That program may be large, have threads and hold secrets; boxes must not be
 * cloned from it.  So it starts us, with one socket and nothing else of its
 * own, and we are what belljar run is to its box, call after call.  When the
 * socket closes or its process is gone, so are we, and everything beneath.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "lib/talk.h"
#include "sandbox/native/delegate.h"
#include "sandbox/native/slot.h"

struct server {
	int sock;
	int peer; /* pidfd of the library's process */
	struct slot *slot;
	bool running;
	bool keep_work;
	bool once;    /* its network carries packets, and remembers them: one call, one slot */
	bool touched; /* the waiting box may hold files that were put in */
	bool done;    /* nobody to serve, or nothing to serve with */
};

static int tell(struct server *s, enum talk_say say, struct talk_reply *reply, int fd,
		struct error *err)
{
	talk_begin(&reply->head, say, sizeof(*reply));
	reply->usable = s->slot && slot_is_usable(s->slot) && !s->done;
	return fd_send(s->sock, reply, sizeof(*reply), &fd, fd >= 0 ? 1 : 0, err);
}

static void tell_failure(struct server *s, const struct error *why)
{
	struct talk_reply reply = {.error = *why};
	struct error err;

	if (tell(s, SAY_FAILED, &reply, -1, &err) < 0)
		s->done = true;
}

static void tell_ready(struct server *s)
{
	struct talk_reply reply = {
		.uid = slot_uid(s->slot),
		.gid = slot_gid(s->slot),
		.root_mode = slot_is_root_mode(s->slot),
	};
	struct error err;

	if (tell(s, SAY_READY, &reply, -1, &err) < 0)
		s->done = true;
	else if (!s->once)
		slot_prepare(s->slot);
}

/* The answer goes first: what is closed and made afterwards is nobody's to wait for. */
static void tell_end(struct server *s)
{
	struct talk_reply reply = {0};
	struct error err;
	own_fd work = -1;

	s->running = false;
	s->done |= s->once;
	slot_finish(s->slot, &reply.outcome, &work);
	if (tell(s, SAY_ENDED, &reply, s->keep_work ? work : -1, &err) < 0)
		s->done = true;
	else if (!s->once)
		slot_prepare(s->slot);
}

/* Files of one call are not for the next one: a box that got some and ran nothing goes, and as it
 * is the slot's, the slot goes. */
static void refuse_start(struct server *s, const struct error *why)
{
	struct talk_reply reply = {.outcome = {.end = END_NOT_STARTED, .error = *why}};
	struct error err;

	s->done = s->touched;
	if (tell(s, SAY_ENDED, &reply, -1, &err) < 0)
		s->done = true;
}

static void obey_box(struct server *s, const struct talk_request *r)
{
	struct talk_reply reply = {0};
	struct error err = {0};
	int work;

	if (slot_box(s->slot, &r->limits, &work, &err) < 0)
		tell_failure(s, &err);
	else if (s->touched = true, tell(s, SAY_BOX, &reply, work, &err) < 0)
		s->done = true;
}

static void obey_run(struct server *s, const struct talk_request *r, const int *fds, size_t n_fds)
{
	struct error err = {0};

	if (n_fds != ASK_FDS) {
		(void)fail(&err, ERR_INTERNAL, "a call came with %zu descriptors", n_fds);
		refuse_start(s, &err);
		return;
	}
	s->keep_work = r->keep_work;
	if (slot_start_words(s->slot, &r->limits, fds, fds[ASK_WORDS], &err) < 0)
		refuse_start(s, &err);
	else
		s->running = true;
	s->touched = false;
}

/* Whoever says something else than this has another idea of where we are: better no slot than
 * a guess. */
static void obey(struct server *s, const struct talk_request *r, const int *fds, size_t n_fds)
{
	if (r->head.kind == ASK_KILL)
		slot_kill(s->slot, (enum kill_reason)r->reason); /* of a call that ended: nothing */
	else if (r->head.kind == ASK_BOX && !s->running)
		obey_box(s, r);
	else if (r->head.kind == ASK_RUN && !s->running)
		obey_run(s, r, fds, n_fds);
	else
		s->done = true;
}

static void take_request(struct server *s)
{
	struct talk_request request;
	struct error err = {0};
	int fds[FD_PASS_MAX];
	size_t n_fds = FD_PASS_MAX;
	ssize_t n = talk_take_request(s->sock, &request, fds, &n_fds, &err);

	if (n < 0)
		tell_failure(s, &err);
	if (n <= 0) {
		s->done = true;
		return;
	}
	obey(s, &request, fds, n_fds);
	for (size_t i = 0; i < n_fds; i++)
		(void)close(fds[i]);
}

static void serve_once(struct server *s)
{
	enum { REQUEST, SLOT, PEER, COUNT };
	struct pollfd fds[COUNT] = {
		[REQUEST] = {.fd = s->sock, .events = POLLIN},
		[SLOT] = {.fd = slot_fd(s->slot), .events = POLLIN},
		[PEER] = {.fd = s->peer, .events = POLLIN},
	};

	if (poll(fds, COUNT, slot_wait_ms(s->slot)) < 0) {
		s->done = errno != EINTR;
		return;
	}
	if (fds[PEER].revents) {
		s->done = true;
		return;
	}
	if (fds[REQUEST].revents)
		take_request(s);
	/* News of the next box comes between calls, too. */
	if (slot_step(s->slot) && s->running)
		tell_end(s);
	s->done |= !slot_is_usable(s->slot);
}

/* --fd N comes first: nothing but the socket stays open, before anything else is done. */
static int take_socket(struct server *s, char **argv, struct error *err)
{
	int kind = 0;
	socklen_t len = sizeof(kind);
	uint64_t fd;

	if (!argv[1] || strcmp(argv[1], "--fd") != 0 || !argv[2] ||
	    text_parse_uint(argv[2], &fd, err) < 0 || fd < 3 || fd > INT_MAX)
		return fail(err, ERR_CALLER, "belljar slot is started by libbelljar: --fd N");
	s->sock = (int)fd;
	if ((s->sock > 3 && close_range(3, (unsigned)s->sock - 1, 0) < 0) ||
	    close_range((unsigned)s->sock + 1, ~0u, 0) < 0)
		return fail_sys(err, "close descriptors");
	if (getsockopt(s->sock, SOL_SOCKET, SO_TYPE, &kind, &len) < 0 || kind != SOCK_SEQPACKET)
		return fail(err, ERR_CALLER, "--fd %d is no socket for messages", s->sock);
	return 0;
}

/* A child that the library's process forked may hold the socket's other end open for ever: the
 * process that made it is what counts.  Not PR_SET_PDEATHSIG: that is about its thread. */
static int watch_peer(struct server *s, struct error *err)
{
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);

	if (getsockopt(s->sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return fail_sys(err, "who made the socket");
	s->peer = pidfd_open(peer.pid, 0);
	return s->peer < 0 ? fail_sys(err, "watch process %d", peer.pid) : 0;
}

static int parse(struct run_options *o, char **argv, struct error *err)
{
	options_init(o);
	if (options_parse(o, argv, err) < 0)
		return -1;
	if (o->help || *o->command)
		return fail(err, ERR_CALLER, "belljar slot takes options only");
	return 0;
}

/* In a scope of systemd's we start again, with the same socket. */
static int open_slot(struct server *s, const struct run_options *o, char **argv, struct error *err)
{
	struct error ignored;

	s->once = o->request.profile.loopback;
	if (slot_open(&o->request.profile, &o->request.job.limits, !s->once, &s->slot, err) == 0)
		return 0;
	if (cli_may_ask_systemd(&o->request.profile, err))
		(void)delegate_reexec(argv - 1, &ignored);
	return -1;
}

static int get_ready(struct server *s, struct run_options *o, char **argv, struct error *err)
{
	if (watch_peer(s, err) < 0 || parse(o, argv + 2, err) < 0 || open_slot(s, o, argv, err) < 0)
		return -1;
	/* Whoever unmounts the caller's directory should not have to look for us. */
	return chdir("/") < 0 ? fail_sys(err, "chdir /") : 0;
}

int cmd_slot(int argc, char **argv)
{
	static struct run_options o;
	struct server s = {.sock = -1, .peer = -1};
	struct error err = {0};

	(void)argc;
	if (take_socket(&s, argv, &err) < 0)
		return cli_complain(&err);
	if (get_ready(&s, &o, argv, &err) < 0)
		tell_failure(&s, &err), s.done = true;
	else
		tell_ready(&s);
	while (!s.done)
		serve_once(&s);
	slot_end(&s.slot);
	options_done(&o);
	return 0;
}
