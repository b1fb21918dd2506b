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
#include "call/limits.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "lib/slotwords.h"
#include "lib/talk.h"
#include "sandbox/native/delegate.h"
#include "sandbox/native/slot.h"

struct server {
	int sock;
	int peer;  /* pidfd of the library's process */
	int leash; /* -1: none; else we end when its other end closes */
	bool has_most;
	struct limits most; /* that a call may ask for */
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

	if (n > 0 && s->has_most && limits_above(&request.limits, &s->most))
		n = fail(&err, ERR_REFUSED, "above the ceiling: --%s",
			 limits_above(&request.limits, &s->most)->name);
	if (n < 0)
		tell_failure(s, &err);
	if (n <= 0) {
		s->done = true;
		while (n < 0 && n_fds)
			(void)close(fds[--n_fds]);
		return;
	}
	obey(s, &request, fds, n_fds);
	for (size_t i = 0; i < n_fds; i++)
		(void)close(fds[i]);
}

static void serve_once(struct server *s)
{
	enum { REQUEST, SLOT, PEER, LEASH, COUNT };
	struct pollfd fds[COUNT] = {
		[REQUEST] = {.fd = s->sock, .events = POLLIN},
		[SLOT] = {.fd = slot_fd(s->slot), .events = POLLIN},
		[PEER] = {.fd = s->peer, .events = POLLIN},
		[LEASH] = {.fd = s->leash},
	};

	if (poll(fds, COUNT, slot_wait_ms(s->slot)) < 0) {
		s->done = errno != EINTR;
		return;
	}
	if (fds[PEER].revents || fds[LEASH].revents) {
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

/* The words that are not for the box: *argv is left at the word before the others. */
static int take_own_words(struct server *s, char ***argv, struct error *err)
{
	uint64_t fd;

	if (!(*argv)[1] || strcmp((*argv)[1], "--fd") != 0 || !(*argv)[2] ||
	    text_parse_uint((*argv)[2], &fd, err) < 0 || fd < 3 || fd > INT_MAX)
		return fail(err, ERR_CALLER, "belljar slot is started by libbelljar: --fd N");
	s->sock = (int)fd;
	*argv += 2;
	if ((*argv)[1] && strcmp((*argv)[1], "--leash") == 0) {
		if (!(*argv)[2] || text_parse_uint((*argv)[2], &fd, err) < 0 || fd < 3 ||
		    fd > INT_MAX || (int)fd == s->sock)
			return fail(err, ERR_CALLER, "--leash: the number of a pipe is due");
		s->leash = (int)fd;
		*argv += 2;
	}
	if ((*argv)[1] && strcmp((*argv)[1], "--most") == 0) {
		if (!(*argv)[2] || slotwords_read_most((*argv)[2], &s->most, err) < 0)
			return fail(err, ERR_CALLER, "--most: numbers are due");
		s->has_most = true;
		*argv += 2;
	}
	return 0;
}

/* Nothing but the socket and the leash stays open, before anything else is done. */
static int close_others(const struct server *s, struct error *err)
{
	unsigned first = (unsigned)s->sock, second = s->leash < 0 ? first : (unsigned)s->leash;
	unsigned low = first < second ? first : second, high = first < second ? second : first;

	if ((low > 3 && close_range(3, low - 1, 0) < 0) ||
	    (high > low + 1 && close_range(low + 1, high - 1, 0) < 0) ||
	    close_range(high + 1, ~0u, 0) < 0)
		return fail_sys(err, "close descriptors");
	return 0;
}

static int take_socket(struct server *s, char ***argv, struct error *err)
{
	int kind = 0;
	socklen_t len = sizeof(kind);

	if (take_own_words(s, argv, err) < 0 || close_others(s, err) < 0)
		return -1;
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

/* In a scope of systemd's we start again, with the same socket and leash. */
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

/* words: behind our own, as options_parse() wants them. */
static int get_ready(struct server *s, struct run_options *o, char **argv, char **words,
		     struct error *err)
{
	if (watch_peer(s, err) < 0 || parse(o, words, err) < 0 || open_slot(s, o, argv, err) < 0)
		return -1;
	/* Whoever unmounts the caller's directory should not have to look for us. */
	return chdir("/") < 0 ? fail_sys(err, "chdir /") : 0;
}

int cmd_slot(int argc, char **argv)
{
	static struct run_options o;
	struct server s = {.sock = -1, .peer = -1, .leash = -1};
	struct error err = {0};
	char **words = argv;

	(void)argc;
	if (take_socket(&s, &words, &err) < 0)
		return cli_complain(&err);
	if (get_ready(&s, &o, argv, words, &err) < 0)
		tell_failure(&s, &err), s.done = true;
	else
		tell_ready(&s);
	while (!s.done)
		serve_once(&s);
	slot_end(&s.slot);
	options_done(&o);
	return 0;
}
