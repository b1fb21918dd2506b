/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_slot.c - belljar slot: keeps a slot for a program with libbelljar, and serves it.
 *
 * That program may be large, have threads and hold secrets; boxes must not be
 * cloned from it.  So it starts us, with one socket and nothing else of its
 * own, and we are what belljar run is to its box, call after call.  When the
 * socket closes or its process is gone, so are we, and everything beneath.  Or
 * a warden starts us for somebody who may not: then it holds us by a leash.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/pages.h"
#include "base/text.h"
#include "call/pack.h"
#include "call/limits.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/slotserver.h"
#include "lib/slotwords.h"
#include "sandbox/native/delegate.h"

enum { REST_US = 2000000 };

int server_tell(struct server *s, enum talk_say say, struct talk_reply *reply,
		const int fds[SAY_FDS], struct error *err)
{
	size_t n = 0;

	while (n < SAY_FDS && fds[n] >= 0)
		n++;
	talk_begin(&reply->head, say, sizeof(*reply));
	reply->usable = s->slot && slot_is_usable(s->slot) && !s->done;
	return fd_send(s->sock, reply, sizeof(*reply), fds, n, err);
}

static int tell(struct server *s, enum talk_say say, struct talk_reply *reply, int fd,
		struct error *err)
{
	return server_tell(s, say, reply, (const int[SAY_FDS]){fd, -1}, err);
}

void server_fail(struct server *s, const struct error *why)
{
	struct talk_reply reply = {.error = *why};
	struct error err;

	if (tell(s, SAY_FAILED, &reply, -1, &err) < 0)
		s->done = true;
}

void server_done(struct server *s, struct talk_reply *reply, const int fds[SAY_FDS])
{
	struct error err;

	if (server_tell(s, SAY_DONE, reply, fds, &err) < 0)
		s->done = true;
}

/* Pipes without a name only: nothing else that we are handed is to change its owner. */
int server_give_pipes(const struct server *s, const struct ask *a, struct error *err)
{
	struct statfs fs;

	if (!slot_is_root_mode(s->slot))
		return 0;
	for (int i = ASK_IN; i <= ASK_ERR; i++)
		if (fstatfs(a->fds[i], &fs) == 0 && fs.f_type == PIPEFS_MAGIC &&
		    fchown(a->fds[i], slot_uid(s->slot), (gid_t)-1) < 0)
			return fail_sys(err, "give a pipe to the box's user");
	return 0;
}

static void prepare(struct server *s)
{
	slot_expect_alone(s->slot, !s->pace.busy);
	slot_prepare(s->slot);
}

__attribute__((noinline)) static void tell_ready(struct server *s)
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
		prepare(s);
}

/* The answer goes first: what is closed and made afterwards is nobody's to wait for. */
__attribute__((noinline)) static void tell_end(struct server *s)
{
	struct talk_reply reply = {0};
	struct error err;
	own_fd work = -1;

	s->running = false;
	s->spent = s->once;
	s->done |= s->once && s->keep_work != WORK_STAYS;
	slot_finish(s->slot, &reply.outcome, &work);
	if (s->keep_work == WORK_STAYS)
		s->stayed = take_fd(&work);
	if (tell(s, SAY_ENDED, &reply, s->keep_work == WORK_COMES ? work : -1, &err) < 0)
		s->done = true;
	else if (s->single)
		(void)sched_yield(); /* it was woken here, and has something to write down */
	else if (!s->once)
		pace_answered(&s->pace, clock_us());
}

static void tidy_up(struct server *s)
{
	if (pace_is_due(&s->pace, clock_us()) && !s->running && !s->kept)
		prepare(s);
}

static int wait_ms(const struct server *s)
{
	int ms = pace_wait_ms(&s->pace, clock_us());

	return ms < 0 ? slot_wait_ms(s->slot) : ms;
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

static void obey_box(struct server *s, const struct ask *a)
{
	const struct talk_request *r = a->request;
	struct talk_reply reply = {0};
	struct error err = {0};
	int work;

	if (s->put_error.kind != ERR_NONE)
		server_fail(s, &s->put_error);
	else if (slot_box(s->slot, &r->limits, &work, &err) < 0)
		server_fail(s, &err);
	else if (s->touched = true, tell(s, SAY_BOX, &reply, work, &err) < 0)
		s->done = true;
}

static void forget_stayed(struct server *s)
{
	own_fd_end(&s->stayed);
	s->stayed = -1;
}

static void obey_run(struct server *s, const struct ask *a)
{
	const struct talk_request *r = a->request;
	struct error err = {0};

	if (a->n_fds != ASK_FDS) {
		(void)fail(&err, ERR_INTERNAL, "a call came with %zu descriptors", a->n_fds);
		refuse_start(s, &err);
		return;
	}
	forget_stayed(s);
	s->keep_work = r->keep_work;
	s->stayed_limits = r->limits;
	if (s->put_error.kind != ERR_NONE) {
		refuse_start(s, &s->put_error);
		s->put_error = (struct error){0};
		return;
	}
	if (r->flags & ASK_CALLED)
		slot_was_called(s->slot);
	if ((r->flags & ASK_GIVE && server_give_pipes(s, a, &err) < 0) ||
	    slot_start_words(s->slot, &r->limits, a->fds, a->fds[ASK_WORDS], &err) < 0)
		refuse_start(s, &err);
	else
		s->running = true;
	s->touched = false;
}

/* Whoever asked before it heard of the end waits for no answer. */
static void obey_ping(struct server *s)
{
	struct talk_reply reply = {0};
	struct error err;

	if (s->running && tell(s, SAY_ALIVE, &reply, -1, &err) < 0)
		s->done = true;
}

/* What can be asked between calls. */
static void (*const asked[ASK_COUNT])(struct server *s, const struct ask *a) = {
	[ASK_BOX] = obey_box,           [ASK_RUN] = obey_run,     [ASK_PUT] = server_put,
	[ASK_COLLECT] = server_collect, [ASK_KEEP] = server_keep,
};

/* Whoever says something else than this has another idea of where we are: better no slot than
 * a guess. */
static void obey(struct server *s, const struct ask *a)
{
	uint32_t kind = a->request->head.kind;

	if (s->kept)
		server_obey_kept(s, a);
	else if (kind == ASK_KILL)
		slot_kill(s->slot, (enum kill_reason)a->request->reason); /* ended: nothing */
	else if (kind == ASK_SIGNAL)
		slot_signal(s->slot, a->request->signal); /* the same */
	else if (kind == ASK_PING)
		obey_ping(s);
	else if (kind < ASK_COUNT && asked[kind] && !s->running &&
		 (!s->spent || kind == ASK_COLLECT))
		asked[kind](s, a);
	else
		s->done = true;
}

/* Not inlined, as some others here: what is in their frames is not to lie on the stack of who
 * waits. */
__attribute__((noinline)) static void take_request(struct server *s)
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
		server_fail(s, &err);
	if (n <= 0) {
		s->done = true;
		while (n < 0 && n_fds)
			(void)close(fds[--n_fds]);
		return;
	}
	s->active_us = clock_us();
	pace_asked(&s->pace, s->active_us);
	obey(s, &(struct ask){&request, fds, n_fds});
	for (size_t i = 0; i < n_fds; i++)
		(void)close(fds[i]);
}

static void look_at_kept(struct server *s)
{
	s->over = s->over || slot_has_ended(s->slot);
	server_tell_ends(s);
}

/* A box that is kept sleeps most of the time, and there may be thousands. */
static void rest(const struct server *s)
{
	if (s->kept && clock_us() - s->active_us > REST_US)
		pages_forget_stack();
}

static void serve_once(struct server *s)
{
	enum { REQUEST, SLOT, PEER, EVENTS, COUNT };
	struct pollfd fds[COUNT] = {
		[REQUEST] = {.fd = s->sock, .events = POLLIN},
		[SLOT] = {.fd = slot_fd(s->slot), .events = POLLIN},
		[PEER] = {.fd = s->peer, .events = POLLIN},
		[EVENTS] = {.fd = s->events, .events = s->event_left ? POLLOUT : 0},
	};

	rest(s);
	if (poll(fds, COUNT, wait_ms(s)) < 0) {
		s->done = errno != EINTR;
		return;
	}
	if (fds[PEER].revents || fds[EVENTS].revents & (POLLHUP | POLLERR)) {
		s->done = true;
		return;
	}
	if (fds[REQUEST].revents)
		take_request(s);
	/* News of the next box comes between calls, too. */
	tidy_up(s);
	if (slot_step(s->slot) && s->running)
		tell_end(s);
	else if (s->kept)
		look_at_kept(s);
	if (!s->running)
		slot_part(s->slot);
	s->done |= !s->kept && !slot_is_usable(s->slot);
}

static int parse_fd(const char *text, int *ret, struct error *err)
{
	uint64_t fd;

	if (!text || text_parse_uint(text, &fd, err) < 0 || fd < 3 || fd > INT_MAX)
		return fail(err, ERR_CALLER,
			    "belljar slot is started by libbelljar or the warden: --fd N");
	*ret = (int)fd;
	return 0;
}

/* Nothing stays open but these two and what is below them. */
static int close_others(int a, int b, struct error *err)
{
	int low = b < 0 || a < b ? a : b, high = b < 0 || a > b ? a : b;

	if ((low > 3 && close_range(3, (unsigned)low - 1, 0) < 0) ||
	    (high > low + 1 && close_range((unsigned)low + 1, (unsigned)high - 1, 0) < 0) ||
	    close_range((unsigned)high + 1, ~0u, 0) < 0)
		return fail_sys(err, "close descriptors");
	return 0;
}

/* --fd N comes first, and then --leash M: nothing but these stays open, before anything else is
 * done.  Returns how many words that were. */
__attribute__((noinline)) static int take_socket(struct server *s, char **argv, struct error *err)
{
	int kind = 0;
	socklen_t len = sizeof(kind);

	if (!argv[1] || strcmp(argv[1], "--fd") != 0)
		return parse_fd(NULL, &s->sock, err);
	if (parse_fd(argv[2], &s->sock, err) < 0)
		return -1;
	s->leashed = argv[3] && strcmp(argv[3], "--leash") == 0;
	if (s->leashed && parse_fd(argv[4], &s->peer, err) < 0)
		return -1;
	if (s->peer == s->sock)
		return fail(err, ERR_CALLER, "--leash and --fd are the same");
	if (close_others(s->sock, s->peer, err) < 0)
		return -1;
	if (getsockopt(s->sock, SOL_SOCKET, SO_TYPE, &kind, &len) < 0 || kind != SOCK_SEQPACKET)
		return fail(err, ERR_CALLER, "--fd %d is no socket for messages", s->sock);
	/* A peer that does not listen must not hold us up: there are deadlines to keep. */
	if (fcntl(s->sock, F_SETFL, O_NONBLOCK) < 0)
		return fail_sys(err, "--fd %d", s->sock);
	return s->leashed ? 4 : 2;
}

/* --most LIMITS, from the warden: what no call may go beyond.  Returns how many words that were. */
__attribute__((noinline)) static int take_most(struct server *s, char **argv, struct error *err)
{
	if (!argv[1] || strcmp(argv[1], "--most") != 0)
		return 0;
	if (!argv[2] || slotwords_read_most(argv[2], &s->most, err) < 0)
		return fail(err, ERR_CALLER, "--most: numbers are due");
	s->has_most = true;
	return 2;
}

/* --once: nobody will ask for a second call, or for a box that is kept.  Returns how many words
 * that were. */
static int take_once(struct server *s, char **argv)
{
	s->single = argv[1] && strcmp(argv[1], "--once") == 0;
	return s->single ? 1 : 0;
}

/* A child that the library's process forked may hold the socket's other end open for ever: the
 * process that made it is what counts.  Not PR_SET_PDEATHSIG: that is about its thread. */
static int watch_peer(struct server *s, struct error *err)
{
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);

	/* Nobody writes to a leash: it is readable when its last holder, the warden, is gone. */
	if (s->leashed)
		return fcntl(s->peer, F_GETFD) < 0 ? fail_sys(err, "--leash") : 0;

	if (getsockopt(s->sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return fail_sys(err, "who made the socket");
	s->peer = pidfd_open(peer.pid, 0);
	return s->peer < 0 ? fail_sys(err, "watch process %d", peer.pid) : 0;
}

static int parse(struct run_options *o, char **argv, struct error *err)
{
	options_init(o);
	o->for_slot = true;
	if (options_parse(o, argv, err) < 0 ||
	    options_check_warm(&o->request.profile.warm, err) < 0)
		return -1;
	if (o->help || *o->command)
		return fail(err, ERR_CALLER, "belljar slot takes options only");
	return 0;
}

/* In a scope of systemd's we start again, with the same socket.  argv: NULL if what we were asked
 * for cannot be said with words. */
static int open_slot(struct server *s, const struct run_options *o, char **argv, struct error *err)
{
	struct error ignored;

	enum slot_use use = s->single ? SLOT_ONCE : SLOT_ONCE_OR_KEPT;

	s->once = s->single || o->request.profile.loopback;
	if (slot_open(&o->request.profile, &o->request.job.limits, s->once ? use : SLOT_RESIDENT,
		      &s->slot, err) == 0)
		return 0;
	if (argv && cli_may_ask_systemd(&o->request.profile, err))
		(void)delegate_reexec(argv, &ignored);
	return -1;
}

__attribute__((noinline)) static int get_ready(struct server *s, struct run_options *o, char **argv,
					       int words, struct error *err)
{
	if (watch_peer(s, err) < 0 || parse(o, argv + words, err) < 0 ||
	    open_slot(s, o, argv, err) < 0)
		return -1;
	/* Whoever unmounts the caller's directory should not have to look for us. */
	if (chdir("/") < 0)
		return fail_sys(err, "chdir /");
	tell_ready(s);
	return 0;
}

/* The heap would begin far from everything else that we have, with three tables of the kernel's for
 * its one page, in us and in the launcher.  Where something lies in its way, malloc takes room
 * beside the program instead. */
static void block_heap(void)
{
	const uintptr_t page = 4096;
	uintptr_t end = ((uintptr_t)syscall(SYS_brk, 0) + page - 1) & ~(page - 1);

	(void)mmap((void *)end, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
		   -1, 0);
}

int cmd_slot(int argc, char **argv)
{
	static struct run_options o;
	struct server s = {.sock = -1, .peer = -1, .stayed = -1, .events = -1};
	struct error err = {0};
	int words, more;

	(void)argc;
	block_heap();
	words = take_socket(&s, argv, &err);
	more = words < 0 ? -1 : take_most(&s, argv + words, &err);
	if (more < 0)
		return cli_complain(&err);
	words += more;
	words += take_once(&s, argv + words);
	if (get_ready(&s, &o, argv, words, &err) < 0)
		server_fail(&s, &err), s.done = true;
	while (!s.done)
		serve_once(&s);
	forget_stayed(&s);
	if (s.single && s.slot)
		slot_is_only(s.slot);
	slot_end(&s.slot);
	options_done(&o);
	return 0;
}
