/* SPDX-License-Identifier: Apache-2.0 */
/* singlestart.c - how each role is started, and what it says to us afterwards. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "audit/scribetalk.h"
#include "base/fd.h"
#include "base/own.h"
#include "lib/wardentalk.h"
#include "serve/roles/supervise.h"

struct pair {
	int ours, theirs;
};

static void pair_end(struct pair *p)
{
	own_fd_end(&p->ours);
	own_fd_end(&p->theirs);
}

static int pair_open(struct pair *ret, struct error *err)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail_sys(err, "make a socket");
	*ret = (struct pair){ends[0], ends[1]};
	return 0;
}

static int start(struct single *one, const char *program, const char *const *argv, const int *fds,
		 size_t n_fds, struct error *err)
{
	struct spawn spawn = {
		.program = program,
		.argv = argv,
		.fds = fds,
		.n_fds = n_fds,
		.out = -1,
		.err = one->all->logs[one->which].to,
	};

	return spawn_start(&spawn, &one->pid, &one->pidfd, err);
}

int front_tell(struct supervisor *s, enum role_word word, uint64_t number, int fd)
{
	struct role_message m = {.word = word, .number = number, .generation = s->generation};
	struct single *front = &s->singles[ROLE_FRONT];
	struct error err;

	if (!front->pid || front->control < 0)
		return -1;
	if (role_send(front->control, &m, fd, &err) == 0)
		return 0;
	/* One that does not read what it is told is of no use; its end starts the next. */
	supervisor_say("the front does not listen: %s", err.text);
	(void)kill(front->pid, SIGKILL);
	return -1;
}

/* What it cannot know by itself: the doors' numbers are 4, 5, ... */
static size_t front_words(const struct supervisor *s, char (*room)[24], const char **argv)
{
	size_t n = 0;

	argv[n++] = "belljar-serve";
	argv[n++] = "front";
	argv[n++] = "--control";
	argv[n++] = "3";
	argv[n++] = "--directory";
	argv[n++] = s->front_directory;
	for (size_t i = 0; i < s->doors.n; i++) {
		(void)snprintf(room[i], sizeof(room[i]), "%zu", SPAWN_FIRST_FD + 1 + i);
		argv[n++] = s->doors.door[i].tls ? "--tls-door" : "--door";
		argv[n++] = room[i];
	}
	for (size_t i = 0; i < json_array_size(s->plan.allow_degraded) && n + 3 < WORDS_MAX; i++) {
		argv[n++] = "--allow-degraded";
		argv[n++] = json_string_value(json_array_get(s->plan.allow_degraded, i));
	}
	argv[n] = NULL;
	return n;
}

int start_front(struct single *one, struct error *err)
{
	struct supervisor *s = one->all;
	__attribute__((cleanup(pair_end))) struct pair pair = {-1, -1};
	char room[DOORS_MAX][24];
	const char *argv[WORDS_MAX];
	int fds[DOORS_MAX + 1];

	static_assert(2 * DOORS_MAX + 16 < WORDS_MAX, "all words have room");
	if (pair_open(&pair, err) < 0)
		return -1;
	fds[0] = pair.theirs;
	for (size_t i = 0; i < s->doors.n; i++)
		fds[i + 1] = s->doors.door[i].fd;
	(void)front_words(s, room, argv);
	if (start(one, s->config->self, argv, fds, s->doors.n + 1, err) < 0)
		return -1;
	one->control = take_fd(&pair.ours);
	one->up = true;
	s->state_told = UINT64_MAX;
	s->reload_asked = s->reload_for = 0;
	if (s->tls_fd >= 0)
		(void)front_tell(s, ROLE_TLS, 0, s->tls_fd);
	(void)front_tell(s, ROLE_VIEW, 0, s->view_fd);
	singles_start(&s->singles[ROLE_AUDITOR]);
	return 0;
}

void hear_front(struct single *one)
{
	struct supervisor *s = one->all;
	struct role_message m;
	struct error err;
	own_fd fd = -1;
	int got = role_take(one->control, &m, &fd, &err);

	if (got <= 0) {
		if (got < 0)
			supervisor_say("the front says what nobody understands: %s", err.text);
		(void)kill(one->pid, SIGKILL);
		loop_remove(s->loop, &one->news);
		return;
	}
	/* It asks for keepers as soon as it has begun. */
	if (!s->front_heard) {
		s->front_heard = true;
		singles_tell_state(s);
	}
	switch ((enum role_word)m.word) {
	case ROLE_WANT_KEEPER:
		keepers_want(s, m.number == 1);
		break;
	case ROLE_RELOAD:
		reload_ask(s, m.number);
		break;
	case ROLE_DRAINED:
		if (s->stopping == STOP_DRAIN)
			stopping_step(s);
		break;
	case ROLE_NONE:
	case ROLE_VIEW:
	case ROLE_KEEPER:
	case ROLE_READER:
	case ROLE_DRAIN:
	case ROLE_STATE:
	case ROLE_TLS:
	case ROLE_RELOADED:
	case ROLE_NOT_RELOADED:
	case ROLE_COUNT:
		break;
	}
}

static int ceiling_fd(const struct supervisor *s, struct error *err)
{
	own_fd fd = memfd_create("ceiling", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	size_t len = strlen(s->plan.ceiling);

	if (fd < 0)
		return fail_sys(err, "make a file in memory");
	if (fd_write_all(fd, s->plan.ceiling, len, err) < 0)
		return -1;
	if (lseek(fd, 0, SEEK_SET) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return fail_sys(err, "seal the ceiling");
	return take_fd(&fd);
}

int start_warden(struct single *one, struct error *err)
{
	struct supervisor *s = one->all;
	__attribute__((cleanup(pair_end))) struct pair pair = {-1, -1};
	own_fd ceiling = ceiling_fd(s, err);
	const char *const argv[] = {"belljar", "warden", "--control", "3", "--ceiling", "4", NULL};
	int fds[2];

	if (ceiling < 0 || pair_open(&pair, err) < 0)
		return -1;
	fds[0] = pair.theirs;
	fds[1] = ceiling;
	if (start(one, s->config->belljar, argv, fds, 2, err) < 0)
		return -1;
	one->control = take_fd(&pair.ours);
	return 0;
}

void hear_warden(struct single *one)
{
	struct supervisor *s = one->all;
	struct warden_control_answer answer;
	struct error err = {0};
	int got = warden_control_heard(one->control, &answer, &err);

	if (got < 0 && err.sys == EAGAIN)
		return;
	if (got <= 0) {
		loop_remove(s->loop, &one->news);
		(void)kill(one->pid, SIGKILL);
		return;
	}
	if (answer.ping) {
		pinging_heard(one);
		return;
	}
	if (!answer.taken) {
		supervisor_say("the warden does not take the policy's ceiling: %s",
			       answer.error.text);
		return;
	}
	one->up = true;
	one->told = false;
	pinging_start(one);
	s->keeper_fails = 0; /* those that ended with the one before */
	keepers_pump(s);
	singles_tell_state(s);
}

int start_scribe(struct single *one, struct error *err)
{
	struct supervisor *s = one->all;
	__attribute__((cleanup(pair_end))) struct pair pair = {-1, -1};
	const char *argv[WORDS_MAX] = {"belljar-scribe", "--fd", "3", "--leash"};
	size_t n = 4;

	if (pair_open(&pair, err) < 0)
		return -1;
	for (size_t i = 0; i < json_array_size(s->plan.allow_degraded) && n + 5 < WORDS_MAX; i++) {
		argv[n++] = "--allow-degraded";
		argv[n++] = json_string_value(json_array_get(s->plan.allow_degraded, i));
	}
	argv[n++] = "--";
	argv[n++] = s->audit;
	if (start(one, s->config->scribe, argv, &pair.theirs, 1, err) < 0)
		return -1;
	one->control = take_fd(&pair.ours);
	return 0;
}

/* Another has the log, somebody's who calls without us: that one serves our keepers as well. */
static void scribe_is_busy(struct single *one)
{
	one->up = one->busy = true;
	one->fails = 0;
}

void hear_scribe(struct single *one)
{
	struct scribe_reply reply;
	struct error err;
	ssize_t n = recv(one->control, &reply, sizeof(reply), MSG_DONTWAIT);

	if (n <= 0 || scribe_check_reply(&reply, (size_t)n, &err) < 0) {
		loop_remove(one->all->loop, &one->news);
		return;
	}
	if (reply.head.kind == GOT_RECEIPT)
		one->up = true, one->told = one->busy = false;
	else if (reply.head.kind == GOT_BUSY)
		scribe_is_busy(one);
	else
		supervisor_say("the scribe cannot begin: %s", reply.error.text);
	singles_tell_state(one->all);
}

int start_auditor(struct single *one, struct error *err)
{
	struct supervisor *s = one->all;
	__attribute__((cleanup(pair_end))) struct pair pair = {-1, -1};
	const char *const argv[] = {"belljar-audit", "reader", "--fd", "3",
				    "--audit",       s->audit, NULL};

	if (pair_open(&pair, err) < 0 ||
	    start(one, s->config->auditor, argv, &pair.theirs, 1, err) < 0)
		return -1;
	(void)front_tell(s, ROLE_READER, 0, pair.ours);
	singles_believe(one);
	return 0;
}
