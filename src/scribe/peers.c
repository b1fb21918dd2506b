/* SPDX-License-Identifier: Apache-2.0 */
/* peers.c - the scribe's callers: who may be one, what they say, what they are told. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "scribe/scribe_state.h"

static void send_reply(struct peer *peer, const struct scribe_reply *reply)
{
	/* One that does not read its answers is not waited for. */
	if (send(peer->fd, reply, sizeof(*reply), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		peer->gone = true;
}

void peers_refuse(struct peer *peer, uint64_t ticket, const struct error *err)
{
	struct scribe_reply reply = {.error = *err};

	scribe_begin(&reply.head, GOT_REFUSED, ticket, sizeof(reply));
	send_reply(peer, &reply);
}

void peers_answer(const struct scribe *s, const struct pending *p)
{
	struct scribe_reply reply = {.index = p->receipt.index, .place = s->beside.place};

	if (p->peer->number != p->peer_number || p->peer->gone)
		return;
	scribe_begin(&reply.head, GOT_RECEIPT, p->request->head.ticket, sizeof(reply));
	memcpy(reply.leaf_hash, p->receipt.leaf.bytes, sizeof(reply.leaf_hash));
	send_reply(p->peer, &reply);
}

/* Only the log's owner and root; the directory's mode says so, too. */
static int check_uid(int fd, struct error *err)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) < 0)
		return fail_sys(err, "ask who calls");
	if (who.uid != geteuid() && who.uid != 0)
		return fail(err, ERR_REFUSED, "this log belongs to uid %u", geteuid());
	return 0;
}

void peers_add(struct scribe *s, int fd)
{
	struct peer peer = {.fd = fd, .number = ++s->peers_seen};
	struct error err;

	if (check_uid(fd, &err) == 0) {
		if (s->n_peers < s->peers_most) {
			s->peers[s->n_peers++] = peer;
			return;
		}
		(void)fail(&err, ERR_SYSTEM, "%zu others write to this log", s->peers_most);
	}
	peers_refuse(&peer, 0, &err);
	(void)close(fd);
}

void peers_accept(struct scribe *s)
{
	int fd;

	while (s->n_peers < s->peers_most &&
	       (fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
		peers_add(s, fd);
}

/* A line that the log's reader would not take for whole after a crash must not get in; nor one that
 * says something else than the struct in front of it. */
static int check_line(const struct scribe_request *r, const char *line, struct error *err)
{
	static const enum record_kind kinds[PUT_COUNT] = {
		[PUT_STARTED] = RECORD_STARTED,
		[PUT_FINISHED] = RECORD_FINISHED,
	};
	enum record_kind due = kinds[r->head.kind];
	struct record_view view;

	if (record_read(line, r->line_len, &view, err) < 0)
		return -1;
	if (due ? view.kind != due : view.kind == RECORD_STARTED || view.kind == RECORD_FINISHED)
		return fail(err, ERR_INTERNAL, "a record of another kind than was announced");
	if (due && (!view.id.data || view.id.len != strlen(r->key) ||
		    memcmp(view.id.data, r->key, view.id.len) != 0))
		return fail(err, ERR_INTERNAL, "a record of another call than was announced");
	return 0;
}

/* false: it has no more to say. */
static bool take_one(struct scribe *s, struct peer *peer)
{
	const struct scribe_request *request = (const void *)(s->bytes + s->used);
	struct error err = {0};
	const char *line;
	ssize_t n;

	do
		n = recv(peer->fd, s->bytes + s->used, SCRIBE_MESSAGE_MAX,
			 MSG_DONTWAIT | MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n <= 0)
		return peer->gone = true, false;
	if (n > SCRIBE_MESSAGE_MAX)
		(void)fail(&err, ERR_INTERNAL, "a message of %zd bytes came", n);
	else if (scribe_check_request(request, (size_t)n, &line, &err) == 0 &&
		 check_line(request, line, &err) == 0) {
		s->pending[s->n] = (struct pending){
			.peer = peer, .peer_number = peer->number, .request = request};
		s->lines[s->n++] = (struct log_line){line, request->line_len};
		s->used = (s->used + (size_t)n + 15) & ~(size_t)15;
		return true;
	}
	/* Whoever sends nonsense may send anything next. */
	peers_refuse(peer, 0, &err);
	peer->gone = true;
	return false;
}

/* Whoever is alone says nothing more before it is answered, as good as always. */
static bool waits(const struct pending *p)
{
	return p->request->flags & PUT_ALONE;
}

static bool is_full(const struct scribe *s)
{
	return s->n == LOG_BATCH_MAX || BATCH_BYTES - s->used < SCRIBE_MESSAGE_MAX;
}

/* Beside one caller, as long as there is one.  A few others that come in between, as when a session
 * is opened, do not drive it away: who waits for the next word of the caller has settled elsewhere
 * than here.  From time to time it lets go: its processor may be busy with something else by now,
 * and then it wakes up on another. */
static void choose_place(struct scribe *s)
{
	uint32_t flags = 0;

	for (size_t i = 0; i < s->n; i++)
		flags |= s->pending[i].request->flags |
			 (s->pending[i].peer != s->pending[0].peer ? PUT_CROWD : 0);
	s->crowded = flags & PUT_CROWD ? s->crowded + 1 : 0;
	if (s->crowded > CROWD_MOST || s->active_us > s->stays_us + STAY_MS * 1000ULL) {
		beside_stay(&s->beside, 0);
		s->stays_us = s->active_us;
	} else if (flags & PUT_ALONE && !s->beside.place) {
		beside_stay(&s->beside, beside_here());
	}
}

void peers_take(struct scribe *s)
{
	s->n = s->used = 0;
	for (size_t i = 0; i < s->n_peers; i++) {
		struct peer *peer = &s->peers[i];

		for (size_t k = 0; peer->ready && k < PER_PEER && !is_full(s); k++)
			if (!take_one(s, peer) || waits(&s->pending[s->n - 1]))
				peer->ready = false;
	}
	if (s->n == 0)
		return;
	s->active_us = clock_us();
	choose_place(s);
}

void peers_sweep(struct scribe *s)
{
	for (size_t i = s->n_peers; i-- > 0;) {
		struct peer *peer = &s->peers[i];

		if (!peer->gone)
			continue;
		(void)close(peer->fd);
		open_calls_orphan(&s->open, peer->number);
		*peer = s->peers[--s->n_peers];
		s->active_us = clock_us();
	}
}
