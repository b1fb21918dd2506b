/* SPDX-License-Identifier: Apache-2.0 */
/* wardentalk.c - what keepers, the supervisor and the warden say to each other: sent and checked.
 */
#include "lib/wardentalk.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "call/pack.h"
#include "lib/slotwords.h"

enum { ANSWER_MS = 20000, GIVEN_FDS = 2 };

static void close_all(const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)close(fds[i]);
}

static void tame(struct error *error)
{
	error->text[sizeof(error->text) - 1] = '\0';
	if ((unsigned)error->kind >= ERR_KIND_COUNT || error->kind == ERR_NONE)
		error->kind = ERR_INTERNAL;
}

/* The keeper. */

static int pack_profile(const struct profile *profile, struct error *err)
{
	static char *const nothing[] = {NULL};
	own(slotwords) words = {0};

	slotwords_add(&words, "belljar");
	if (slotwords_profile(&words, profile, err) < 0)
		return -1;
	return pack_words_fd(words.words, nothing, err);
}

static int await_answer(int warden, struct error *err)
{
	struct pollfd fd = {.fd = warden, .events = POLLIN};
	uint64_t until = clock_us() + ANSWER_MS * 1000ULL;
	int ready;

	do {
		uint64_t now = clock_us();

		ready = poll(&fd, 1, now < until ? (int)((until - now + 999) / 1000) : 0);
	} while (ready < 0 && errno == EINTR);
	if (ready > 0)
		return 0;
	return fail(err, ERR_SYSTEM, "the warden did not answer within %d s", ANSWER_MS / 1000);
}

static int take_answer(int warden, int *ret_sock, int *ret_pidfd, struct error *err)
{
	struct warden_reply reply;
	int fds[FD_PASS_MAX];
	size_t n_fds = FD_PASS_MAX;
	ssize_t n = fd_receive(warden, &reply, sizeof(reply), fds, &n_fds, err);

	if (n < 0)
		return -1;
	if (n == 0)
		return fail(err, ERR_SYSTEM, "the warden is gone");
	if (reply.magic == WARDEN_MAGIC && reply.version == WARDEN_VERSION &&
	    reply.kind == WARDEN_GIVEN && n_fds == GIVEN_FDS) {
		*ret_sock = fds[0];
		*ret_pidfd = fds[1];
		return 0;
	}
	close_all(fds, n_fds);
	if (reply.magic != WARDEN_MAGIC || reply.version != WARDEN_VERSION ||
	    reply.kind != WARDEN_REFUSED)
		return fail(err, ERR_INTERNAL, "the warden said something else");
	tame(&reply.error);
	*err = reply.error;
	return -1;
}

/* NOLINTNEXTLINE(readability-function-size): what is asked for, and what comes back */
int warden_slot(int warden, const struct profile *profile, const struct limits *limits,
		bool session, int *ret_sock, int *ret_pidfd, struct error *err)
{
	struct warden_request request = {
		.magic = WARDEN_MAGIC,
		.version = WARDEN_VERSION,
		.kind = WARDEN_SLOT,
		.session = session,
		.limits = *limits,
	};
	own_fd words = pack_profile(profile, err);

	if (words < 0)
		return -1;
	if (fd_send(warden, &request, sizeof(request), &words, 1, err) < 0 ||
	    await_answer(warden, err) < 0)
		return fail_in(err, "ask the warden");
	return take_answer(warden, ret_sock, ret_pidfd, err);
}

/* The warden, towards a keeper. */

/* In memory, so that reading it waits for nobody; and copied, so that it stays what was checked. */
static int copy_words(int fd, struct buf *words, struct error *err)
{
	char chunk[4096];
	struct stat st;
	off_t at = 0;
	ssize_t n;

	if (fcntl(fd, F_GET_SEALS) < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return fail(err, ERR_INTERNAL, "the words are not in a memfd");
	if (st.st_size > WARDEN_WORDS_MAX)
		return fail(err, ERR_INTERNAL, "more than %d bytes of words", WARDEN_WORDS_MAX);
	while ((n = pread(fd, chunk, sizeof(chunk), at)) > 0 && !words->cut) {
		if (buf_add(words, chunk, (size_t)n, err) < 0)
			return -1;
		at += n;
	}
	if (n < 0)
		return fail_sys(err, "read the words");
	return words->cut ? fail(err, ERR_INTERNAL, "the words grow while they are read") : 0;
}

int warden_take_request(int sock, struct warden_request *ret, struct buf *words, struct error *err)
{
	int fds[FD_PASS_MAX], result = -1;
	size_t n_fds = FD_PASS_MAX;
	ssize_t n = fd_receive(sock, ret, sizeof(*ret), fds, &n_fds, err);

	if (n <= 0)
		return (int)n;
	if (n_fds != 1 || ret->magic != WARDEN_MAGIC || ret->version != WARDEN_VERSION ||
	    ret->kind != WARDEN_SLOT || ret->session > 1)
		(void)fail(err, ERR_INTERNAL, "a request came that is none");
	else if (copy_words(fds[0], words, err) == 0)
		result = 1;
	close_all(fds, n_fds);
	return result;
}

int warden_reply(int sock, const int *fds, const struct error *why, struct error *err)
{
	struct warden_reply reply = {
		.magic = WARDEN_MAGIC,
		.version = WARDEN_VERSION,
		.kind = fds ? WARDEN_GIVEN : WARDEN_REFUSED,
	};

	if (!fds)
		reply.error = *why;
	return fd_send(sock, &reply, sizeof(reply), fds, fds ? GIVEN_FDS : 0, err);
}

/* The supervisor. */

static int tell(int control, enum warden_control_kind kind, int fd, struct error *err)
{
	struct warden_control message = {
		.magic = WARDEN_MAGIC, .version = WARDEN_VERSION, .kind = kind};

	return fd_send(control, &message, sizeof(message), &fd, 1, err);
}

int warden_control_keeper(int control, int sock, struct error *err)
{
	return tell(control, WARDEN_CONTROL_KEEPER, sock, err);
}

int warden_control_ceiling(int control, int fd, struct error *err)
{
	return tell(control, WARDEN_CONTROL_CEILING, fd, err);
}

int warden_control_ping(int control, struct error *err)
{
	const struct warden_control message = {
		.magic = WARDEN_MAGIC, .version = WARDEN_VERSION, .kind = WARDEN_CONTROL_PING};

	if (send(control, &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return fail_sys(err, "ask the warden whether it hears");
	return 0;
}

static int has_news(int sock, struct error *err)
{
	struct pollfd fd = {.fd = sock, .events = POLLIN};

	if (poll(&fd, 1, 0) > 0)
		return 0;
	errno = EAGAIN;
	return fail_sys(err, "nothing was said yet");
}

int warden_control_heard(int control, struct warden_control_answer *ret, struct error *err)
{
	int fds[FD_PASS_MAX];
	size_t n_fds = FD_PASS_MAX;
	ssize_t n;

	if (has_news(control, err) < 0)
		return -1;
	n = fd_receive(control, ret, sizeof(*ret), fds, &n_fds, err);
	if (n <= 0)
		return (int)n;
	close_all(fds, n_fds);
	if (ret->magic != WARDEN_MAGIC || ret->version != WARDEN_VERSION || n_fds)
		return fail(err, ERR_INTERNAL, "the warden said something else");
	if (!ret->taken && !ret->ping)
		tame(&ret->error);
	return 1;
}

/* The warden, towards the supervisor. */

int warden_control_take(int control, enum warden_control_kind *ret, int *ret_fd, struct error *err)
{
	struct warden_control m;
	int fds[FD_PASS_MAX];
	size_t n_fds = FD_PASS_MAX;
	ssize_t n = fd_receive(control, &m, sizeof(m), fds, &n_fds, err);

	if (n <= 0)
		return (int)n;
	if (m.magic == WARDEN_MAGIC && m.version == WARDEN_VERSION &&
	    m.kind > WARDEN_CONTROL_NONE && m.kind < WARDEN_CONTROL_COUNT &&
	    n_fds == (m.kind == WARDEN_CONTROL_PING ? 0 : 1)) {
		*ret = (enum warden_control_kind)m.kind;
		*ret_fd = n_fds ? fds[0] : -1;
		return 1;
	}
	close_all(fds, n_fds);
	return fail(err, ERR_INTERNAL, "the supervisor said something else");
}

/* Nobody has to listen. */
static void say(int control, const struct warden_control_answer *answer)
{
	(void)send(control, answer, sizeof(*answer), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void warden_control_answer(int control, const struct error *why)
{
	struct warden_control_answer answer = {
		.magic = WARDEN_MAGIC, .version = WARDEN_VERSION, .taken = !why};

	if (why)
		answer.error = *why;
	say(control, &answer);
}

void warden_control_pong(int control)
{
	const struct warden_control_answer answer = {
		.magic = WARDEN_MAGIC, .version = WARDEN_VERSION, .ping = 1};

	say(control, &answer);
}
