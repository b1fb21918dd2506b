/* SPDX-License-Identifier: Apache-2.0 */
/* wardenboxes.c - keepers ask for slots; the warden starts them, and sees to it that they go.
 *
 * Nothing here waits for anybody.  A keeper that talks nonsense or does not
 * listen is thrown out, and its slot with it; the others do not notice.  A slot
 * is told to go by its leash, so that it can clear away what is its own; one
 * that does not is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/spawn.h"
#include "cli/warden.h"
#include "lib/slotwords.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

enum { LEAVE_US = 5000000, SLOT_SOCKET = SPAWN_FIRST_FD, SLOT_LEASH, ABOVE = 16 };

/* Slots. */

size_t warden_count_boxes(const struct warden *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->boxes_top; i++)
		n += w->boxes[i].pidfd >= 0;
	return n;
}

static bool any_is_going(const struct warden *w)
{
	for (size_t i = 0; i < w->boxes_top; i++)
		if (w->boxes[i].pidfd >= 0 && w->boxes[i].kill_at_us)
			return true;
	return false;
}

static bool is_full(const struct warden *w)
{
	size_t n = warden_count_boxes(w);

	return n >= w->slots_max || n >= w->ceiling.slots;
}

static void dismiss(struct warden_box *b)
{
	if (b->kill_at_us)
		return;
	own_fd_end(&b->leash);
	b->leash = -1;
	b->kill_at_us = clock_us() + LEAVE_US;
}

void warden_dismiss_all(struct warden *w)
{
	for (size_t i = 0; i < w->boxes_top; i++)
		if (w->boxes[i].pidfd >= 0)
			dismiss(&w->boxes[i]);
}

static void forget(struct warden_keeper *k, const struct warden_box *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < WARDEN_KEEPER_SLOTS; i++)
		if (k->boxes[i] && k->boxes[i] != b)
			k->boxes[kept++] = k->boxes[i];
	while (kept < WARDEN_KEEPER_SLOTS)
		k->boxes[kept++] = NULL;
}

bool warden_reap(struct warden_box *b)
{
	siginfo_t info = {0};

	if (waitid((idtype_t)P_PIDFD, (id_t)b->pidfd, &info, WEXITED | WNOHANG) == 0 &&
	    info.si_pid == 0)
		return false;
	if (b->keeper)
		forget(b->keeper, b);
	own_fd_end(&b->pidfd);
	own_fd_end(&b->leash);
	*b = (struct warden_box){.pidfd = -1, .leash = -1};
	return true;
}

int warden_kill_overdue(struct warden *w)
{
	uint64_t now = clock_us(), next = UINT64_MAX;

	for (size_t i = 0; i < w->boxes_top; i++) {
		struct warden_box *b = &w->boxes[i];

		if (b->pidfd < 0 || !b->kill_at_us)
			continue;
		if (b->kill_at_us <= now) {
			(void)pidfd_send_signal(b->pidfd, SIGKILL, NULL, 0);
			b->kill_at_us = now + LEAVE_US;
		}
		if (b->kill_at_us < next)
			next = b->kill_at_us;
	}
	return next == UINT64_MAX ? -1 : (int)((next - now + 999) / 1000);
}

static struct warden_box *free_box(struct warden *w)
{
	for (size_t i = 0; i < w->boxes_top; i++)
		if (w->boxes[i].pidfd < 0)
			return &w->boxes[i];
	if (w->boxes_top == CEILING_SLOTS_MAX)
		return NULL;
	w->boxes[w->boxes_top] = (struct warden_box){.pidfd = -1, .leash = -1};
	return &w->boxes[w->boxes_top++];
}

/* Starting one. */

static int compose(struct slotwords *words, const struct warden *w, const struct warden_request *r,
		   const struct profile *profile, struct error *err)
{
	struct limits most;

	ceiling_limits(&w->ceiling, r->session, &most);
	slotwords_add(words, "belljar");
	slotwords_add(words, "slot");
	slotwords_add(words, "--fd");
	slotwords_add(words, "%d", SLOT_SOCKET);
	slotwords_add(words, "--leash");
	slotwords_add(words, "%d", SLOT_LEASH);
	slotwords_most(words, &most);
	slotwords_limits(words, &r->limits);
	return slotwords_profile(words, profile, err);
}

/* This very program, whatever lies at its path by now.  Everything else that we have open closes by
 * itself. */
static int spawn(char **argv, int sock, int leash, pid_t *ret, struct error *err)
{
	const struct spawn how = {.program = "/proc/self/exe",
				  .argv = argv,
				  .fds = {sock, leash},
				  .n_fds = 2,
				  .own_session = true};

	errno = spawn_helper(&how, ret);
	return errno ? fail_sys(err, "start a slot") : 0;
}

/* Out of the way of the numbers that the slot gets them under. */
static int lift(int *fd)
{
	int high = fcntl(*fd, F_DUPFD_CLOEXEC, ABOVE);

	(void)close(*fd);
	*fd = high;
	return high < 0 ? -1 : 0;
}

static int open_ends(int *ret_sock, int *ret_slot_sock, int *ret_leash, int *ret_slot_leash,
		     struct error *err)
{
	int pair[2], line[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return fail_sys(err, "socketpair");
	*ret_sock = pair[0];
	*ret_slot_sock = pair[1];
	if (pipe2(line, O_CLOEXEC) < 0)
		return fail_sys(err, "pipe");
	*ret_slot_leash = line[0];
	*ret_leash = line[1];
	if (lift(ret_slot_sock) < 0 || lift(ret_slot_leash) < 0)
		return fail_sys(err, "place descriptors");
	return 0;
}

/* A slot that cannot be held by its pidfd is not kept: its leash closes. */
static int start(struct warden *w, struct warden_keeper *k, char **argv, int *ret_sock,
		 int *ret_pidfd, struct error *err)
{
	own_fd sock = -1, slot_sock = -1, leash = -1, slot_leash = -1;
	struct warden_box *b = free_box(w);
	pid_t pid;
	int pidfd;

	if (!b)
		return fail(err, ERR_SYSTEM, "no place for another slot");
	if (open_ends(&sock, &slot_sock, &leash, &slot_leash, err) < 0 ||
	    spawn(argv, slot_sock, slot_leash, &pid, err) < 0)
		return -1;
	pidfd = pidfd_open(pid, 0);
	if (pidfd < 0) {
		(void)fail_sys(err, "hold a slot");
		(void)kill(pid, SIGKILL); /* ours, and nobody has reaped it */
		(void)waitpid(pid, NULL, 0);
		return -1;
	}
	*b = (struct warden_box){.pidfd = pidfd, .leash = take_fd(&leash), .keeper = k};
	for (size_t i = 0; i < WARDEN_KEEPER_SLOTS; i++)
		if (!k->boxes[i]) {
			k->boxes[i] = b;
			break;
		}
	*ret_pidfd = pidfd;
	*ret_sock = take_fd(&sock);
	return 0;
}

/* Keepers. */

static int judge(const struct warden *w, const struct warden_request *r, struct buf *bytes,
		 struct slotwords *ret_words, struct error *err)
{
	struct run_options *o = calloc(1, sizeof(*o));
	struct words words = {0};
	int result = -1;

	if (!o)
		return fail_sys(err, "read a request");
	if (ceiling_allows_limits(&w->ceiling, &r->limits, r->session, err) == 0 &&
	    wardenwords_take(&w->ceiling, bytes->data, bytes->len, o, &words, err) == 0)
		result = compose(ret_words, w, r, &o->request.profile, err);
	options_done(o);
	words_done(&words);
	free(o);
	return result;
}

static int check_room(const struct warden *w, struct error *err)
{
	if (w->ceiling.slots == 0)
		return fail(err, ERR_REFUSED, "above the ceiling: it has no line 'slots'");
	if (!is_full(w))
		return 0;
	errno = EAGAIN;
	return fail_sys(err, "all %zu slots are taken", warden_count_boxes(w));
}

static int obey(struct warden *w, struct warden_keeper *k, const struct warden_request *r,
		struct buf *bytes, struct error *err)
{
	own(slotwords) argv = {0};
	struct error why = {0};
	own_fd sock = -1;
	int fds[2];

	if (judge(w, r, bytes, &argv, &why) < 0 || check_room(w, &why) < 0 ||
	    start(w, k, argv.words, &sock, &fds[1], &why) < 0)
		return warden_reply(k->sock, NULL, &why, err);
	fds[0] = sock;
	return warden_reply(k->sock, fds, NULL, err);
}

void warden_drop_keeper(struct warden_keeper *k)
{
	for (size_t i = 0; i < WARDEN_KEEPER_SLOTS && k->boxes[i]; i++) {
		dismiss(k->boxes[i]);
		k->boxes[i]->keeper = NULL;
	}
	own_fd_end(&k->sock);
	*k = (struct warden_keeper){.sock = -1};
}

/* It has as many as it may, or some where there are no more. */
static bool has_all(const struct warden *w, const struct warden_keeper *k)
{
	return k->boxes[WARDEN_KEEPER_SLOTS - 1] || (k->boxes[0] && is_full(w));
}

bool warden_may_hear(const struct warden *w, const struct warden_keeper *k)
{
	/* One of its own has to go first: it is told so once we hear of a request. */
	if (has_all(w, k)) {
		for (size_t i = 0; i < WARDEN_KEEPER_SLOTS && k->boxes[i]; i++)
			if (k->boxes[i]->kill_at_us)
				return false;
		return true;
	}
	return !is_full(w) || !any_is_going(w);
}

/* Whoever has as many as it may and asks for another has done with its oldest. */
void warden_hear_keeper(struct warden *w, struct warden_keeper *k)
{
	struct warden_request request;
	struct error err = {0};
	own(buf) words;
	int came;

	buf_init(&words, WARDEN_WORDS_MAX);
	if (has_all(w, k) && !warden_reap(k->boxes[0])) {
		dismiss(k->boxes[0]);
		return;
	}
	came = warden_take_request(k->sock, &request, &words, &err);
	if (came < 0 && err.sys == EAGAIN)
		return;
	if (came <= 0 || obey(w, k, &request, &words, &err) < 0)
		warden_drop_keeper(k);
}

static struct warden_keeper *free_keeper(struct warden *w)
{
	for (size_t i = 0; i < w->keepers_top; i++)
		if (w->keepers[i].sock < 0)
			return &w->keepers[i];
	if (w->keepers_top == WARDEN_KEEPERS_MAX)
		return NULL;
	w->keepers[w->keepers_top] = (struct warden_keeper){.sock = -1};
	return &w->keepers[w->keepers_top++];
}

void warden_add_keeper(struct warden *w, int sock)
{
	struct warden_keeper *k = free_keeper(w);
	int kind = 0, flags = fcntl(sock, F_GETFL);
	socklen_t len = sizeof(kind);

	if (!k || flags < 0 || fcntl(sock, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    getsockopt(sock, SOL_SOCKET, SO_TYPE, &kind, &len) < 0 || kind != SOCK_SEQPACKET) {
		(void)close(sock);
		return;
	}
	*k = (struct warden_keeper){.sock = sock};
}
