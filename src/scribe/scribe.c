/* SPDX-License-Identifier: Apache-2.0 */
/* scribe.c - the process that holds the log and its key: its beginning, its loop, its end.
 *
 * It is sealed before it reads a byte that somebody else has written, the log
 * itself among them.  The lock on the log decides who is its scribe; who does
 * not get it tells its caller and goes.
 */
#include "scribe/scribe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "scribe/scribe_state.h"
#include "scribe/scribeseal.h"

enum { BACKLOG = 128 };

/* What must be there before the seals: sockets cannot be made afterwards. */
static int make_descriptors(struct scribe *s, struct error *err)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return fail_sys(err, "block signals");
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	s->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	s->directory = open(s->options->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->signals < 0 || s->listener < 0 || s->directory < 0)
		return fail_sys(err, "open %s", s->options->directory);
	(void)fd_refuse_rights(s->listener);
	return 0;
}

/* The lock is ours: a socket that lies there is nobody's. */
static int open_door(struct scribe *s, struct error *err)
{
	static const struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = SCRIBE_SOCKET};

	(void)umask(077);
	/* Beneath the directory by its relative name: an absolute one may be too long. */
	if (fchdir(s->directory) < 0)
		return fail_sys(err, "enter the log's directory");
	if (unlinkat(s->directory, SCRIBE_SOCKET, 0) < 0 && errno != ENOENT)
		return fail_sys(err, "remove an old socket");
	if (bind(s->listener, (const struct sockaddr *)&name, sizeof(name)) < 0 ||
	    listen(s->listener, BACKLOG) < 0)
		return fail_sys(err, "listen in the log's directory");
	return 0;
}

/* What an earlier scribe left: calls that began and did not end, and answers that nobody got. */

static void read_call(struct scribe *s, const struct log_line *line, uint64_t index)
{
	struct record_view view;
	struct error ignored;
	char id[SCRIBE_KEY_ROOM];

	if (record_read(line->data, line->len, &view, &ignored) < 0 || !view.id.data ||
	    view.id.len >= sizeof(id))
		return;
	(void)record_text_get(view.id, id, sizeof(id));
	if (view.kind == RECORD_STARTED)
		(void)open_calls_add(&s->open, id, OWNER_NONE, index);
	else if (view.kind == RECORD_FINISHED || view.kind == RECORD_ABORTED)
		(void)open_calls_remove(&s->open, id);
}

static void read_old(struct scribe *s, const struct log_line *line, uint64_t index)
{
	struct old_line *old = &s->tail[s->n_tail % TAIL_MAX];

	if (index >= log_since(s->log))
		read_call(s, line, index);
	if (index + TAIL_MAX < log_size(s->log) || s->n_tail == TAIL_MAX)
		return;
	old->index = index;
	hash_leaf(line->data, line->len, &old->leaf);
	s->n_tail++;
}

static int read_what_was_left(struct scribe *s, struct error *err)
{
	uint64_t since = log_since(s->log), size = log_size(s->log);
	struct log_reader *reader = NULL;
	struct log_line line;
	uint64_t index;
	int got = 0;

	/* Records are answered before they are signed: nothing is left. */
	if (since >= size)
		return 0;
	reader = log_reader_open(".", err);
	if (!reader)
		return -1;
	if (since + TAIL_MAX > size)
		since = size > TAIL_MAX ? size - TAIL_MAX : 0;
	got = log_seek(reader, since, err);
	while (got >= 0 && (got = log_next(reader, &line, &index, err)) > 0)
		read_old(s, &line, index);
	log_reader_close(reader);
	return got;
}

static int begin_log(struct scribe *s, struct error *err)
{
	struct record up = {
		.kind = RECORD_STARTED_UP, .version = BELLJAR_VERSION, .layers = s->layers};

	if (read_what_was_left(s, err) < 0)
		return fail_in(err, "look for open calls");
	batch_abort_orphans(s, "the scribe ended before the call did");
	if (s->trouble.kind != ERR_NONE) {
		*err = s->trouble;
		return -1;
	}
	return batch_write_own(s, &up, err);
}

/* Before the seal, which asks for the same and lets nobody ask again. */
static size_t count_places(void)
{
	struct rlimit files = {FILES_MAX, FILES_MAX};

	if (setrlimit(RLIMIT_NOFILE, &files) < 0 && getrlimit(RLIMIT_NOFILE, &files) < 0)
		return 0;
	if (files.rlim_max > FILES_MAX)
		return PEERS_MAX;
	return files.rlim_max > FILES_OWN ? (size_t)files.rlim_max - FILES_OWN : 0;
}

static int begin(struct scribe *s, struct error *err)
{
	s->peers_most = count_places();
	if (make_descriptors(s, err) < 0 ||
	    scribe_seal(s->directory, s->options->allow_degraded, s->layers, err) < 0)
		return -1;
	s->log = log_open(s->options->directory, NULL, err);
	if (!s->log || open_door(s, err) < 0 || begin_log(s, err) < 0)
		return -1;
	s->active_us = clock_us();
	return 0;
}

/* The loop. */

static bool is_idle(const struct scribe *s)
{
	return !s->options->stay && s->n_peers == 0 && s->open.n == 0;
}

static uint64_t wait_until(const struct scribe *s)
{
	uint64_t due = batch_due_us(s), leave = UINT64_MAX;

	if (is_idle(s))
		leave = s->active_us + s->options->idle_ms * 1000ULL;
	return due < leave ? due : leave;
}

static void wait_for_news(struct scribe *s)
{
	struct pollfd fds[PEERS_MAX + 2]; /* large: no more of it is touched than there are */
	uint64_t now = clock_us(), until = wait_until(s);
	uint64_t us = until <= now ? 0 : until - now;
	struct timespec wait = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};
	int n;

	/* Who finds no place waits before the door, as long as its patience lasts. */
	fds[0] = (struct pollfd){.fd = s->n_peers < s->peers_most ? s->listener : -1,
				 .events = POLLIN};
	fds[1] = (struct pollfd){.fd = s->signals, .events = POLLIN};
	for (size_t i = 0; i < s->n_peers; i++)
		fds[i + 2] = (struct pollfd){.fd = s->peers[i].fd, .events = POLLIN};
	n = ppoll(fds, s->n_peers + 2, until == UINT64_MAX ? NULL : &wait, NULL);
	for (size_t i = 0; i < s->n_peers; i++)
		s->peers[i].ready = n > 0 && fds[i + 2].revents != 0;
	if (n > 0 && fds[1].revents)
		s->ending = true;
	if (n > 0 && fds[0].revents)
		peers_accept(s);
}

/* Nobody is here, and nobody can come any more once the socket is gone; unless somebody has come
 * just now. */
static bool may_leave(struct scribe *s)
{
	struct pollfd door = {.fd = s->listener, .events = POLLIN};

	if (!is_idle(s) || clock_us() < s->active_us + s->options->idle_ms * 1000ULL)
		return false;
	return poll(&door, 1, 0) == 0;
}

/* Whoever was answered waits for the processor that we have in common; what we have left to do may
 * wait. */
static void give_way(const struct scribe *s)
{
	if (s->beside.place && s->n == 1)
		(void)sched_yield();
}

static void loop(struct scribe *s)
{
	while (!s->ending && !may_leave(s)) {
		wait_for_news(s);
		peers_take(s);
		batch_commit(s);
		give_way(s);
		peers_sweep(s);
		batch_abort_orphans(s, "its caller went away before it ended");
		batch_settle(s);
	}
}

static void leave(struct scribe *s)
{
	struct record down = {.kind = RECORD_SHUT_DOWN, .version = BELLJAR_VERSION};
	struct error err = {0};

	(void)unlinkat(s->directory, SCRIBE_SOCKET, 0);
	for (size_t i = 0; i < s->n_peers; i++)
		s->peers[i].gone = true;
	peers_sweep(s);
	batch_abort_orphans(s, "the scribe was told to end");
	(void)batch_write_own(s, &down, &err);
	batch_sign(s);
	log_close(s->log);
}

/* Whoever started us waits for a word. */
static void say_no(const struct scribe *s, const struct error *err)
{
	struct scribe_reply reply = {.error = *err};
	bool busy = err->sys == EAGAIN && !s->log;

	if (s->options->first < 0)
		return;
	scribe_begin(&reply.head, busy ? GOT_BUSY : GOT_REFUSED, 0, sizeof(reply));
	(void)send(s->options->first, &reply, sizeof(reply), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* An answer to nothing that was asked. */
static void say_up(const struct scribe *s)
{
	struct scribe_reply reply = {.index = log_size(s->log)};

	scribe_begin(&reply.head, GOT_RECEIPT, 0, sizeof(reply));
	(void)send(s->options->first, &reply, sizeof(reply), MSG_NOSIGNAL | MSG_DONTWAIT);
}

int scribe_run(const struct scribe_options *options, struct error *err)
{
	struct scribe *s = calloc(1, sizeof(*s));

	if (!s)
		return fail_sys(err, "begin");
	s->options = options;
	if (begin(s, err) < 0) {
		say_no(s, err);
		if (s->log)
			log_close(s->log);
		free(s);
		return -1;
	}
	if (options->first >= 0)
		peers_add(s, options->first);
	if (options->leash)
		say_up(s);
	loop(s);
	leave(s);
	free(s);
	return 0;
}
