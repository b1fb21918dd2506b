/* SPDX-License-Identifier: Apache-2.0 */
/* slot_kept.c - belljar slot serves a box that is kept: programs in it, and what is asked of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/pages.h"
#include "cli/slotserver.h"
#include "lib/artifacts.h"
#include "sandbox/native/proctable.h"
#include "sandbox/native/session.h"

static const int none[SAY_FDS] = {-1, -1};

static void answer(struct server *s, int result, struct talk_reply *reply, const struct error *err)
{
	if (result < 0)
		server_fail(s, err);
	else
		server_done(s, reply, none);
}

/* Where ends are told must not make us wait: a peer that does not listen is its own loss. */
static int take_events(struct server *s, const struct ask *a, struct error *err)
{
	int kind = 0;
	socklen_t len = sizeof(kind);

	if (a->n_fds != 1 || getsockopt(a->fds[0], SOL_SOCKET, SO_TYPE, &kind, &len) < 0 ||
	    kind != SOCK_SEQPACKET)
		return fail(err, ERR_INTERNAL, "there is no socket for what happens");
	s->events = fcntl(a->fds[0], F_DUPFD_CLOEXEC, 3);
	if (s->events < 0 || fcntl(s->events, F_SETFL, O_NONBLOCK) < 0)
		return fail_sys(err, "keep a socket");
	return 0;
}

void server_keep(struct server *s, const struct ask *a)
{
	struct talk_reply reply = {0};
	struct error err = {0};

	if (take_events(s, a, &err) < 0 || session_begin(s->slot, &a->request->limits, &err) < 0) {
		server_fail(s, &err);
		s->done = true;
		return;
	}
	s->kept = true;
	s->touched = false;
	/* Who serves many snippets reads it before and after each, and need not wake us for it. */
	server_done(s, &reply, (const int[SAY_FDS]){session_cpu_counter(s->slot), -1});
}

static void start_program(struct server *s, const struct ask *a)
{
	const struct talk_request *r = a->request;
	struct talk_reply reply = {0};
	struct error err = {0};
	struct session_job job = {.cwd = r->path,
				  .wall_ms = r->limits.wall_ms,
				  .cpu_ms = r->limits.cpu_ms,
				  .io = a->fds};
	int result;

	if (a->n_fds != ASK_FDS && a->n_fds != ASK_MORE + 1) {
		(void)fail(&err, ERR_INTERNAL, "a program came with %zu descriptors", a->n_fds);
		server_fail(s, &err);
		return;
	}
	job.words = a->fds[ASK_WORDS];
	job.more = a->n_fds > ASK_MORE ? a->fds[ASK_MORE] : -1;
	result = server_give_pipes(s, a, &err);
	if (result == 0)
		result = session_exec(s->slot, &job, &reply.exec, &err);
	answer(s, result, &reply, &err);
}

static void signal_program(struct server *s, const struct ask *a)
{
	const struct talk_request *r = a->request;
	struct talk_reply reply = {0};
	struct error err = {0};
	int result = session_signal(s->slot, r->exec, r->signal, (r->flags & ASK_GROUP) != 0, &err);

	answer(s, result, &reply, &err);
}

static void stop_program(struct server *s, const struct ask *a)
{
	const struct talk_request *r = a->request;
	struct talk_reply reply = {0};
	struct error err = {0};
	int result = session_stop(s->slot, r->exec, (enum kill_reason)r->reason, &err);

	answer(s, result, &reply, &err);
}

static void extend(struct server *s, const struct ask *a)
{
	struct talk_reply reply = {0};
	struct error err = {0};
	/* However often it is asked for: from its beginning on it gets no more than it ever could.
	 */
	int result = session_extend(s->slot, a->request->limits.wall_ms,
				    s->has_most ? s->most.wall_ms : UINT64_MAX, &err);

	answer(s, result, &reply, &err);
}

static void tell_usage(struct server *s, const struct ask *a)
{
	struct talk_reply reply = {0};

	(void)a;
	session_usage(s->slot, &reply.outcome.usage);
	session_layers(s->slot, reply.outcome.layers);
	server_done(s, &reply, none);
}

static void tell_room(struct server *s, const struct ask *a)
{
	struct talk_reply reply = {.room = session_room(s->slot)};

	(void)a;
	server_done(s, &reply, none);
}

static void tell_processes(struct server *s, const struct ask *a)
{
	struct proctable_row rows[KEPT_PROCESSES_MAX];
	struct kept_process list[KEPT_PROCESSES_MAX];
	struct talk_reply reply = {0};
	struct error err = {0};
	own_fd packed = -1;
	size_t n = 0;

	(void)a;
	if (proctable_list(slot_proc(s->slot), rows, KEPT_PROCESSES_MAX, &n, &err) == 0) {
		for (size_t i = 0; i < n; i++) {
			list[i] = rows[i].process;
			list[i].exec = session_owner(s->slot, rows[i].mark);
		}
		packed = artifacts_pack(list, n * sizeof(*list), &err);
	}
	reply.count = (uint32_t)n;
	if (packed < 0)
		server_fail(s, &err);
	else
		server_done(s, &reply, (const int[SAY_FDS]){packed, -1});
}

static void (*const asked[ASK_COUNT])(struct server *s, const struct ask *a) = {
	[ASK_PUT] = server_put,     [ASK_EXEC] = start_program,   [ASK_SIGNAL] = signal_program,
	[ASK_STOP] = stop_program,  [ASK_EXTEND] = extend,        [ASK_USAGE] = tell_usage,
	[ASK_GET] = server_get,     [ASK_STAT] = server_stat,     [ASK_LIST] = server_list,
	[ASK_MKDIR] = server_mkdir, [ASK_REMOVE] = server_remove, [ASK_PROCESSES] = tell_processes,
	[ASK_ROOM] = tell_room,
};

void server_obey_kept(struct server *s, const struct ask *a)
{
	uint32_t kind = a->request->head.kind;
	struct error err;

	if (kind == ASK_KILL) {
		slot_kill(s->slot, (enum kill_reason)a->request->reason);
	} else if (kind >= ASK_COUNT || !asked[kind]) {
		s->done = true;
	} else if (s->over) {
		(void)fail(&err, ERR_SYSTEM, "the box has ended");
		server_fail(s, &err);
	} else {
		asked[kind](s, a);
	}
}

/* False: there is nothing to tell now. */
static bool next_event(struct server *s)
{
	s->event = (struct talk_reply){0};
	if (session_next(s->slot, &s->event.exec, &s->event.outcome)) {
		/* Killed with the box, or its end is what ends the box. */
		s->event.flags = s->over || slot_is_ending(s->slot) ? SAY_BOX_OVER : 0;
		return true;
	}
	if (!s->over)
		return false;
	slot_finish(s->slot, &s->event.outcome, NULL);
	s->event.flags = SAY_BOX_OVER;
	return true;
}

void server_tell_ends(struct server *s)
{
	struct error err = {0};

	while (!s->done && (s->event_left || next_event(s))) {
		bool last = s->event.exec == 0;

		talk_begin(&s->event.head, SAY_ENDED, sizeof(s->event));
		s->event_left = true;
		if (fd_send(s->events, &s->event, sizeof(s->event), NULL, 0, &err) < 0) {
			s->done = err.sys != EAGAIN;
			return;
		}
		s->event_left = false;
		s->done |= last;
	}
}
