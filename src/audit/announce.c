/* SPDX-License-Identifier: Apache-2.0 */
/* announce.c - the caller's side of the audit log.
 *
 * Several callers may start a scribe at the same moment.  The lock on the log
 * decides; the scribes that lose say GOT_BUSY and go, and their callers look
 * for the socket of the one that won.
 */
#include "audit/announce.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "audit/startscribe.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/statedir.h"

enum { PAUSE_MIN_US = 500, PAUSE_MAX_US = 50000, NEARLY_US = 20000 };

void audit_init(struct audit *a)
{
	/* Not all of it: the room for the path is large, and mostly never touched. */
	a->dir = a->sock = -1;
	a->path[0] = a->told[0] = '\0';
	a->scribe = NULL;
	a->find = NULL;
	a->allow_degraded = 0;
	a->durable = false;
	a->patience_ms = 0;
	a->company = a->place = a->took_us = 0;
	a->tickets = 0;
	a->child = 0;
}

static void hang_up(struct audit *a)
{
	own_fd_end(&a->sock);
	a->sock = -1;
	a->told[0] = '\0';
	a->place = 0;
}

void audit_rest(struct audit *a)
{
	hang_up(a);
}

/* Ours to reap, and nobody else's child. */
static void reap(struct audit *a, int flags)
{
	if (a->child > 0 && waitpid(a->child, NULL, flags) != 0)
		a->child = 0;
}

void audit_close(struct audit *a)
{
	hang_up(a);
	reap(a, WNOHANG);
	own_fd_end(&a->dir);
	audit_init(a);
}

void audit_end(struct audit *a)
{
	audit_close(a);
}

/* Finding a scribe. */

static int check_peer(int sock, struct error *err)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return fail_sys(err, "ask who the scribe is");
	if (peer.uid != geteuid() && peer.uid != 0)
		return fail(err, ERR_CONFIG, "the scribe of this log belongs to uid %u", peer.uid);
	return 0;
}

/* A scribe that is stopped must not stop us: neither its queue nor its backlog is waited for
 * longer than we are patient. */
static int limit_waiting(const struct audit *a, int sock, struct error *err)
{
	struct timeval most = {a->patience_ms / 1000, a->patience_ms % 1000 * 1000L};

	if (setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most)) < 0 ||
	    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most)) < 0)
		return fail_sys(err, "prepare a socket");
	return 0;
}

/* 0 with a->sock still -1: there is none. */
static int look_for_scribe(struct audit *a, struct error *err)
{
	own_fd sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un name = {.sun_family = AF_UNIX};

	if (sock < 0)
		return fail_sys(err, "make a socket");
	if (limit_waiting(a, sock, err) < 0)
		return -1;
	/* By descriptor: the directory's own path may be longer than a socket's name can be. */
	(void)snprintf(name.sun_path, sizeof(name.sun_path), "/proc/self/fd/%d/" SCRIBE_SOCKET,
		       a->dir);
	if (connect(sock, (const struct sockaddr *)&name, sizeof(name)) < 0) {
		if (errno == ENOENT || errno == ECONNREFUSED || errno == ECONNRESET)
			return 0;
		return fail_sys(err, "reach the scribe of %s", a->path);
	}
	if (check_peer(sock, err) < 0)
		return -1;
	a->sock = take_fd(&sock);
	return 0;
}

static int start_scribe(struct audit *a, struct error *err)
{
	char program[AUDIT_PATH_ROOM];

	if (!a->scribe && a->find) {
		if (a->find(program, sizeof(program), err) < 0)
			return -1;
		return scribe_start(program, a->path, a->allow_degraded, &a->child, err);
	}
	return scribe_start(a->scribe, a->path, a->allow_degraded, &a->child, err);
}

static int reach(struct audit *a, struct error *err)
{
	own_fd sock = -1;

	if (a->sock >= 0)
		return 0;
	reap(a, WNOHANG);
	if (look_for_scribe(a, err) < 0 || a->sock >= 0)
		return a->sock >= 0 ? 0 : -1;
	if (!a->scribe && !a->find)
		return fail(err, ERR_NOT_FOUND, "%s has no scribe at the moment", a->path);
	sock = start_scribe(a, err);
	if (sock < 0 || limit_waiting(a, sock, err) < 0)
		return -1;
	a->sock = take_fd(&sock);
	return 0;
}

int audit_open(struct audit *a, const struct audit_config *config, struct error *err)
{
	const struct statedir place = {"audit directory", "BELLJAR_AUDIT", "/audit", config->state};
	own_str whole = NULL;

	audit_close(a);
	if (statedir_find(&place, config->directory, a->path, sizeof(a->path), err) < 0)
		return -1;
	a->dir = statedir_open(&place, a->path, err);
	/* The scribe is started elsewhere: it needs the whole name. */
	if (a->dir < 0 || fd_name(a->dir, &whole, err) < 0)
		return -1;
	(void)snprintf(a->path, sizeof(a->path), "%s", whole);
	a->scribe = config->scribe;
	a->find = config->find;
	a->allow_degraded = config->allow_degraded;
	a->durable = config->durable;
	a->patience_ms = config->patience_ms ? config->patience_ms : AUDIT_PATIENCE_MS;
	if (reach(a, err) == 0)
		return 0;
	/* One that others start may come later. */
	return !a->scribe && err->kind == ERR_NOT_FOUND ? 0 : -1;
}

/* Sending. */

static int send_one(struct audit *a, struct audit_entry *e, struct error *err)
{
	struct scribe_request request = {
		.flags = (a->durable ? PUT_DURABLE : 0) | (e->again ? PUT_AGAIN : 0) | a->company,
		.line_len = (uint32_t)e->len,
	};
	struct iovec pieces[] = {{&request, sizeof(request)}, {(void *)e->line, e->len}};
	struct msghdr message = {.msg_iov = pieces, .msg_iovlen = ARRAY_LEN(pieces)};
	ssize_t n;

	if (!scribe_is_line(e->line, e->len))
		return fail(err, ERR_INTERNAL, "%zu bytes are no record", e->len);
	if (e->key && strlen(e->key) >= sizeof(request.key))
		return fail(err, ERR_INTERNAL, "the name of a record is too long");
	if (e->key)
		memcpy(request.key, e->key, strlen(e->key));
	scribe_begin(&request.head, e->kind, ++a->tickets, sizeof(request) + e->len);
	do
		n = sendmsg(a->sock, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return fail_sys(err, "write to the scribe");
	e->ticket = a->tickets;
	return 0;
}

static int send_all(struct audit *a, struct audit_entry *entries, size_t n, struct error *err)
{
	for (size_t i = 0; i < n; i++)
		if (!entries[i].receipt.given && !entries[i].ticket &&
		    send_one(a, &entries[i], err) < 0)
			return -1;
	return 0;
}

static void forget_sent(struct audit_entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		entries[i].again |= entries[i].ticket != 0;
		entries[i].ticket = 0;
	}
}

void audit_post(struct audit *a, struct audit_entry *entries, size_t n)
{
	struct error ignored;

	if (a->dir < 0 || reach(a, &ignored) < 0 || send_all(a, entries, n, &ignored) == 0)
		return;
	hang_up(a);
	forget_sent(entries, n);
}

/* Waiting. */

enum heard { HEARD_NOTHING, HEARD_ANSWER, HEARD_GONE, HEARD_NO };

/* A peer that closed without hearing us out leaves ECONNRESET in front of what it said before; it
 * is reported once. */
static ssize_t receive(int sock, struct scribe_reply *ret, int flags)
{
	ssize_t n = recv(sock, ret, sizeof(*ret), flags | MSG_TRUNC);

	if (n < 0 && errno == ECONNRESET)
		n = recv(sock, ret, sizeof(*ret), MSG_DONTWAIT | MSG_TRUNC);
	return n;
}

/* The socket itself waits for as long as we are patient; who has waited before waits for less. */
static ssize_t wait_and_receive(struct audit *a, struct scribe_reply *ret, uint64_t until)
{
	struct pollfd fd = {.fd = a->sock, .events = POLLIN};
	uint64_t now = clock_us(), left = now < until ? until - now : 0;
	int n;

	if (left + NEARLY_US >= a->patience_ms * 1000ULL)
		return receive(a->sock, ret, 0);
	n = poll(&fd, 1, (int)((left + 999) / 1000));
	if (n == 0)
		errno = EAGAIN;
	return n <= 0 ? -1 : receive(a->sock, ret, MSG_DONTWAIT);
}

static enum heard hear(struct audit *a, struct scribe_reply *ret, uint64_t until, struct error *err)
{
	ssize_t n = wait_and_receive(a, ret, until);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return HEARD_NOTHING;
	if (n <= 0)
		return HEARD_GONE;
	if (scribe_check_reply(ret, (size_t)n, err) < 0)
		return HEARD_NO;
	if (ret->head.kind == GOT_BUSY)
		return HEARD_GONE;
	if (ret->head.kind == GOT_RECEIPT)
		return HEARD_ANSWER;
	*err = ret->error;
	return HEARD_NO;
}

static void take_receipt(struct audit *a, const struct scribe_reply *reply,
			 struct audit_entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct audit_entry *e = &entries[i];

		if (e->ticket != reply->head.ticket || e->receipt.given)
			continue;
		e->receipt.given = true;
		a->place = reply->place;
		e->receipt.index = reply->index;
		memcpy(e->receipt.leaf_hash, reply->leaf_hash, sizeof(e->receipt.leaf_hash));
	}
}

static bool all_given(const struct audit_entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!entries[i].receipt.given)
			return false;
	return true;
}

/* Until all are answered, the scribe is gone, says no, or time is up. */
static enum heard collect(struct audit *a, struct audit_entry *entries, size_t n, uint64_t until,
			  struct error *err)
{
	while (!all_given(entries, n)) {
		struct scribe_reply reply;
		enum heard heard = hear(a, &reply, until, err);

		if (heard == HEARD_ANSWER)
			take_receipt(a, &reply, entries, n);
		else if (heard != HEARD_NOTHING)
			return heard;
		else if (clock_us() >= until)
			return HEARD_NOTHING;
	}
	reap(a, 0);
	return HEARD_ANSWER;
}

/* What a scribe that is leaving, or not there yet, needs. */
static void pause_a_little(uint64_t *us)
{
	struct timespec t = {.tv_nsec = (long)(*us * 1000)};

	(void)nanosleep(&t, NULL);
	*us = *us * 2 < PAUSE_MAX_US ? *us * 2 : PAUSE_MAX_US;
}

bool audit_has_told(const struct audit *a, const char *key)
{
	return a->sock >= 0 && strcmp(a->told, key) == 0;
}

static void note_told(struct audit *a, const struct audit_entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (entries[i].kind == PUT_ONCE)
			(void)snprintf(a->told, sizeof(a->told), "%s", entries[i].key);
}

int audit_write(struct audit *a, struct audit_entry *entries, size_t n, struct error *err)
{
	uint64_t began = clock_us(), until = began + a->patience_ms * 1000ULL, pause = PAUSE_MIN_US;

	if (a->dir < 0)
		return fail(err, ERR_INTERNAL, "there is no audit log");
	for (;;) {
		enum heard heard = HEARD_GONE;

		*err = (struct error){0};
		if (reach(a, err) < 0) {
			if (err->kind != ERR_NOT_FOUND || clock_us() >= until)
				return -1;
			pause_a_little(&pause);
			continue;
		}
		if (send_all(a, entries, n, err) == 0)
			heard = collect(a, entries, n, until, err);
		else if (err->kind != ERR_SYSTEM)
			return -1;
		if (heard == HEARD_ANSWER) {
			a->took_us = (uint32_t)(clock_us() - began);
			note_told(a, entries, n);
			return 0;
		}
		/* Whatever it still says is about what nobody waits for any more. */
		hang_up(a);
		forget_sent(entries, n);
		if (heard == HEARD_NO)
			return -1;
		if (heard == HEARD_NOTHING || clock_us() >= until)
			return fail(err, ERR_SYSTEM, "the scribe of %s did not answer within %u ms",
				    a->path, a->patience_ms);
		pause_a_little(&pause);
	}
}
