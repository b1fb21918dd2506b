/* SPDX-License-Identifier: Apache-2.0 */
/* kept.c - a box that is kept, from the side that has no rights over it: questions and answers. */
#include "lib/kept.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"
#include "call/pack.h"
#include "lib/artifacts.h"
#include "lib/talk.h"

enum {
	END_MS = 10000, /* for a box that was told to end */
	CPU_TEXT_MAX = 512,
};

static int ask(struct kept *k, struct exchange *x, struct error *err)
{
	int result;

	if (k->lost)
		return fail(err, ERR_SYSTEM, "the box is gone");
	result = remote_exchange(k->remote, x, err);
	k->lost = k->remote->lost;
	return result;
}

/* A question about one name. */
static int ask_path(struct kept *k, struct exchange *x, const char *path, struct error *err)
{
	return artifacts_path(x->request.path, path, err) < 0 ? -1 : ask(k, x, err);
}

int kept_open(struct kept *k, struct remote *r, const struct limits *limits, struct error *err)
{
	own_fd theirs = -1;
	own(exchange) x;
	int ends[2];

	*k = (struct kept){.remote = r, .events = -1, .cpu = -1};
	exchange_init(&x, ASK_KEEP);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail_sys(err, "socketpair");
	k->events = ends[0];
	theirs = ends[1];
	x.request.limits = *limits;
	x.fds[x.n_fds++] = theirs;
	if (ask(k, &x, err) == 0) {
		k->cpu = take_fd(&x.got[0]);
		return 0;
	}
	k->lost = true; /* what state it is in, nobody knows */
	kept_close(k);
	return -1;
}

static int take_event(struct kept *k, struct kept_end *ret, struct error *err)
{
	struct talk_reply reply;
	int fds[FD_PASS_MAX];
	size_t n_fds = FD_PASS_MAX;
	ssize_t n = talk_take_reply(k->events, &reply, fds, &n_fds, err);

	while (n > 0 && n_fds > 0)
		(void)close(fds[--n_fds]);
	if (n > 0 && reply.head.kind == SAY_ENDED) {
		*ret = (struct kept_end){
			.exec = reply.exec,
			.outcome = reply.outcome,
			.box_over = (reply.flags & SAY_BOX_OVER) != 0,
		};
		return 1;
	}
	k->lost = true;
	return n < 0 ? -1 : fail(err, ERR_SYSTEM, "the slot is gone, and the box with it");
}

int kept_step(struct kept *k, struct kept_end *ret, struct error *err)
{
	struct pollfd fd = {.fd = k->events, .events = POLLIN};

	if (k->events < 0)
		return fail(err, ERR_SYSTEM, "the box is gone");
	if (poll(&fd, 1, 0) > 0)
		return take_event(k, ret, err);
	return k->lost ? fail(err, ERR_SYSTEM, "the slot no longer answers") : 0;
}

/* Until the slot has said that the box is dead, or is gone itself: then it is, too. */
static void await_end(struct kept *k)
{
	uint64_t until = clock_us() + END_MS * 1000ULL, now;
	struct pollfd fd = {.fd = k->events, .events = POLLIN};
	struct kept_end end;
	struct error ignored;

	while ((now = clock_us()) < until) {
		if (poll(&fd, 1, (int)((until - now + 999) / 1000)) < 0 && errno != EINTR)
			return;
		if (kept_step(k, &end, &ignored) < 0)
			return;
	}
}

void kept_close(struct kept *k)
{
	struct talk_request request = {.reason = KILL_CANCELLED};
	struct error ignored;

	if (k->events >= 0 && !k->lost && k->remote) {
		talk_begin(&request.head, ASK_KILL, sizeof(request));
		if (fd_send(k->remote->sock, &request, sizeof(request), NULL, 0, &ignored) == 0)
			await_end(k);
	}
	if (k->remote)
		k->remote->lost = true;
	own_fd_end(&k->events);
	own_fd_end(&k->cpu);
	k->events = k->cpu = -1;
	k->lost = true;
}

int kept_start(struct kept *k, const struct kept_job *job, const int io[3], uint64_t *ret_exec,
	       struct error *err)
{
	own_fd words = -1;
	own(exchange) x;

	exchange_init(&x, ASK_EXEC);
	if (!job->argv || !job->argv[0])
		return fail(err, ERR_CALLER, "there is no program to run");
	if (artifacts_path(x.request.path, job->cwd ? job->cwd : "/work", err) < 0)
		return -1;
	words = pack_words_fd(job->argv, job->env, err);
	if (words < 0)
		return -1;
	x.request.limits.wall_ms = job->wall_ms;
	x.request.limits.cpu_ms = job->cpu_ms;
	memcpy(x.fds, io, 3 * sizeof(*io));
	x.fds[ASK_WORDS] = words;
	x.n_fds = ASK_FDS;
	if (job->more)
		x.fds[x.n_fds++] = job->more;
	if (ask(k, &x, err) < 0)
		return -1;
	k->execs++;
	*ret_exec = x.reply.exec;
	return 0;
}

int kept_fd(const struct kept *k)
{
	return k->events;
}

int kept_signal(struct kept *k, uint64_t exec, int signal, struct error *err)
{
	own(exchange) x;

	exchange_init(&x, ASK_SIGNAL);
	x.request.exec = exec;
	x.request.signal = signal & ~KEPT_GROUP;
	x.request.flags = signal & KEPT_GROUP ? ASK_GROUP : 0;
	return ask(k, &x, err);
}

int kept_kill(struct kept *k, uint64_t exec, enum kill_reason reason, struct error *err)
{
	own(exchange) x;

	exchange_init(&x, ASK_STOP);
	x.request.exec = exec;
	x.request.reason = (uint32_t)reason;
	return ask(k, &x, err);
}

int kept_extend(struct kept *k, uint64_t wall_ms, struct error *err)
{
	own(exchange) x;

	exchange_init(&x, ASK_EXTEND);
	x.request.limits.wall_ms = wall_ms;
	return ask(k, &x, err);
}

int kept_usage(struct kept *k, struct usage *ret, struct error *err)
{
	own(exchange) x;

	exchange_init(&x, ASK_USAGE);
	if (ask(k, &x, err) < 0)
		return -1;
	*ret = x.reply.outcome.usage;
	return 0;
}

int kept_room(struct kept *k, uint64_t *ret, struct error *err)
{
	own(exchange) x;

	exchange_init(&x, ASK_ROOM);
	if (ask(k, &x, err) < 0)
		return -1;
	*ret = x.reply.room;
	return 0;
}

/* Version 1 has nanoseconds and nothing else; version 2 begins with "usage_usec N". */
int kept_cpu_us(const struct kept *k, uint64_t *ret)
{
	static const char key[] = "usage_usec ";
	char text[CPU_TEXT_MAX];
	struct error ignored;
	ssize_t n = k->cpu < 0 ? -1 : pread(k->cpu, text, sizeof(text) - 1, 0);
	bool micro;
	uint64_t value;

	if (n <= 0)
		return -1;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	micro = strncmp(text, key, strlen(key)) == 0;
	if (text_parse_uint(micro ? text + strlen(key) : text, &value, &ignored) < 0)
		return -1;
	*ret = micro ? value : value / 1000;
	return 0;
}

int kept_layers(struct kept *k, struct layer_report ret[static LAYER_COUNT], struct error *err)
{
	own(exchange) x;

	exchange_init(&x, ASK_USAGE);
	if (ask(k, &x, err) < 0)
		return -1;
	memcpy(ret, x.reply.outcome.layers, sizeof(x.reply.outcome.layers));
	return 0;
}

/* Files. */

int kept_put(struct kept *k, const char *path, const void *data, size_t len, bool executable,
	     struct error *err)
{
	own_fd bytes = -1;
	own(exchange) x;

	exchange_init(&x, ASK_PUT);
	if (len > KEPT_PUT_MAX)
		return fail(err, ERR_CALLER, "at most %d MiB can be put at once",
			    KEPT_PUT_MAX >> 20);
	bytes = artifacts_pack(data, len, err);
	if (bytes < 0)
		return -1;
	x.request.flags = executable ? ASK_EXECUTABLE : 0;
	x.fds[x.n_fds++] = bytes;
	return ask_path(k, &x, path, err);
}

static int add_bytes(int fd, uint64_t most, struct buf *ret, struct error *err)
{
	char chunk[16384];

	while (most > 0) {
		size_t piece = most < sizeof(chunk) ? (size_t)most : sizeof(chunk);
		ssize_t n = fd_read_all(fd, chunk, piece, err);

		if (n < 0 || buf_add(ret, chunk, (size_t)n, err) < 0)
			return -1;
		if (n == 0)
			return 0;
		most -= (uint64_t)n;
	}
	return 0;
}

/* NOLINTNEXTLINE(readability-function-size): a piece of a file has that many sides */
int kept_get(struct kept *k, const char *path, uint64_t from, uint64_t most, struct buf *ret,
	     uint64_t *ret_total, struct error *err)
{
	own(exchange) x;

	exchange_init(&x, ASK_GET);
	x.request.from = from;
	x.request.most = most < KEPT_PIECE_MAX ? most : KEPT_PIECE_MAX;
	if (ask_path(k, &x, path, err) < 0)
		return -1;
	*ret_total = x.reply.total;
	return x.got[0] < 0 ? fail(err, ERR_INTERNAL, "the slot sent no bytes")
			    : add_bytes(x.got[0], x.request.most, ret, err);
}

int kept_stat(struct kept *k, const char *path, struct kept_entry *ret, struct error *err)
{
	own(exchange) x;

	exchange_init(&x, ASK_STAT);
	if (ask_path(k, &x, path, err) < 0)
		return -1;
	*ret = x.reply.entry;
	return 0;
}

/* As many as were announced, and not more than there is room for. */
static int take_rows(const struct exchange *x, void *ret, size_t size, size_t room, size_t *ret_n,
		     struct error *err)
{
	size_t n = x->reply.count;

	if (n > room || x->got[0] < 0)
		return fail(err, ERR_INTERNAL, "the slot sent %zu rows", n);
	if (fd_read_all(x->got[0], ret, n * size, err) != (ssize_t)(n * size))
		return fail(err, ERR_INTERNAL, "the slot's list is too short");
	*ret_n = n;
	return 0;
}

int kept_list(struct kept *k, const char *path, struct kept_entry *ret, size_t *ret_n,
	      bool *ret_cut, struct error *err)
{
	own(exchange) x;

	exchange_init(&x, ASK_LIST);
	if (ask_path(k, &x, path, err) < 0 ||
	    take_rows(&x, ret, sizeof(*ret), KEPT_LIST_MAX, ret_n, err) < 0)
		return -1;
	for (size_t i = 0; i < *ret_n; i++)
		ret[i].name[sizeof(ret[i].name) - 1] = '\0';
	*ret_cut = (x.reply.flags & SAY_CUT) != 0;
	return 0;
}

int kept_mkdir(struct kept *k, const char *path, struct error *err)
{
	own(exchange) x;

	exchange_init(&x, ASK_MKDIR);
	return ask_path(k, &x, path, err);
}

int kept_remove(struct kept *k, const char *path, bool recursive, struct error *err)
{
	own(exchange) x;

	exchange_init(&x, ASK_REMOVE);
	x.request.flags = recursive ? ASK_RECURSIVE : 0;
	return ask_path(k, &x, path, err);
}

int kept_processes(struct kept *k, struct kept_process *ret, size_t *ret_n, struct error *err)
{
	own(exchange) x;

	exchange_init(&x, ASK_PROCESSES);
	if (ask(k, &x, err) < 0 ||
	    take_rows(&x, ret, sizeof(*ret), KEPT_PROCESSES_MAX, ret_n, err) < 0)
		return -1;
	for (size_t i = 0; i < *ret_n; i++)
		ret[i].name[sizeof(ret[i].name) - 1] = '\0';
	return 0;
}
