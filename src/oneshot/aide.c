/* SPDX-License-Identifier: Apache-2.0 */
/* aide.c - a belljar-gate beside us, for what belljar run has no parsers for. */
#include "oneshot/aide.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/own.h"
#include "base/spawn.h"
#include "base/pages.h"

enum { PATIENCE_S = 60, ENVIRONMENT_MAX = 8 };

void aide_init(struct aide *a, int (*find)(char *ret, size_t room, struct error *err),
	       const char *policy)
{
	*a = (struct aide){.find = find, .policy = policy, .sock = -1};
}

void aide_close(struct aide *a)
{
	own_fd_end(&a->sock);
	a->sock = -1;
	/* Without its socket it ends. */
	while (a->pid > 0 && waitpid(a->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	a->pid = 0;
	pages_free(a->message, sizeof(*a->message));
	a->message = NULL;
}

/* What it may know of the caller's environment: where things are kept. */
static void keep_environment(char **ret)
{
	static const char *const kept[] = {"BELLJAR_STATE=", "HOME=", "XDG_STATE_HOME="};
	size_t n = 0;

	for (char **v = environ; *v; v++)
		for (size_t i = 0; i < ARRAY_LEN(kept) && n + 1 < ENVIRONMENT_MAX; i++)
			if (strncmp(*v, kept[i], strlen(kept[i])) == 0)
				ret[n++] = *v;
	ret[n] = NULL;
}

/* Its standard descriptors are nothing: it talks to us only. */
static int spawn(struct aide *a, const char *program, int sock)
{
	char *argv[] = {(char[]){"belljar-gate"}, (char[]){"aide"}, (char *)(uintptr_t)a->policy,
			NULL};
	char *env[ENVIRONMENT_MAX];
	const struct spawn how = {
		.program = program, .argv = argv, .env = env, .fds = {sock}, .n_fds = 1};
	int result;

	keep_environment(env);
	result = spawn_helper(&how, &a->pid);
	if (result)
		a->pid = 0;
	return result;
}

static int start(struct aide *a, struct error *err)
{
	const struct timeval most = {.tv_sec = PATIENCE_S};
	own_fd ours = -1, theirs = -1;
	char program[PATH_MAX];
	int ends[2];

	if (a->sock >= 0)
		return 0;
	if (a->message || a->pid) /* it was there, and failed: it is not asked again */
		return fail(err, ERR_SYSTEM, "belljar-gate is gone");
	a->message = pages_new(sizeof(*a->message));
	if (!a->message || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail_sys(err, "prepare for belljar-gate");
	ours = ends[0];
	theirs = ends[1];
	if (setsockopt(ours, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most)) < 0 ||
	    setsockopt(ours, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most)) < 0)
		return fail_sys(err, "prepare for belljar-gate");
	if (a->find(program, sizeof(program), err) < 0)
		return -1;
	errno = spawn(a, program, theirs);
	if (errno)
		return fail_sys(err, "start %s", program);
	a->sock = take_fd(&ours);
	return 0;
}

/* Whatever it did wrong, nothing more of it is believed. */
static int give_up(struct aide *a, const char *what, struct error *err)
{
	own_fd_end(&a->sock);
	a->sock = -1;
	return fail(err, ERR_SYSTEM, "belljar-gate %s", what);
}

static int ask(struct aide *a, const struct aide_head *head, const void *data, struct error *err)
{
	struct iovec pieces[] = {{(void *)(uintptr_t)head, sizeof(*head)},
				 {(void *)(uintptr_t)data, head->len}};
	struct msghdr message = {.msg_iov = pieces, .msg_iovlen = ARRAY_LEN(pieces)};
	ssize_t n;

	do
		n = sendmsg(a->sock, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? give_up(a, "does not listen", err) : 0;
}

/* The next message; its kind, or -1. */
static int hear(struct aide *a, struct error *err)
{
	struct aide_message *m = a->message;
	ssize_t n;

	do
		n = recv(a->sock, m, sizeof(*m), MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return give_up(a, n < 0 ? "does not answer" : "ended too early", err);
	if (!aide_check_answer(m, (size_t)n))
		return give_up(a, "speaks another language", err);
	if (m->head.kind == AIDE_FAILED) {
		*err = m->error;
		own_fd_end(&a->sock);
		a->sock = -1;
		return -1;
	}
	return m->head.kind;
}

int aide_judge(struct aide *a, const struct run_ask *what, struct run_rules *ret, struct error *err)
{
	const struct aide_head head = {
		.magic = AIDE_MAGIC, .kind = AIDE_JUDGE, .len = sizeof(*what)};
	int kind;

	if (start(a, err) < 0 || ask(a, &head, what, err) < 0)
		return -1;
	kind = hear(a, err);
	if (kind < 0)
		return -1;
	if (kind != AIDE_RULES)
		return give_up(a, "speaks another language", err);
	*ret = a->message->rules;
	return 0;
}

static int clean_piece(struct aide *a, const struct aide_head *head, const char *data,
		       const struct aide_ear *ear, struct error *err)
{
	int kind;

	if (ask(a, head, data, err) < 0)
		return -1;
	while ((kind = hear(a, err)) == AIDE_TEXT)
		ear->sink(ear->to, a->message->text, a->message->head.len);
	if (kind < 0)
		return -1;
	return kind == AIDE_DONE ? 0 : give_up(a, "speaks another language", err);
}

int aide_clean(struct aide *a, const struct aide_text *text, const struct aide_ear *ear,
	       struct error *err)
{
	size_t at = 0;

	if (start(a, err) < 0)
		return -1;
	do {
		size_t left = text->len - at, piece = left < AIDE_BYTES ? left : AIDE_BYTES;
		const struct aide_head head = {
			.magic = AIDE_MAGIC,
			.kind = AIDE_CLEAN,
			.stream = (uint8_t)text->stream,
			.end = text->end && piece == left,
			.len = (uint32_t)piece,
		};

		if (clean_piece(a, &head, text->data + at, ear, err) < 0)
			return -1;
		at += piece;
	} while (at < text->len);
	return 0;
}

ssize_t aide_counts(struct aide *a, struct aide_count *ret, size_t room, struct error *err)
{
	const struct aide_head head = {.magic = AIDE_MAGIC, .kind = AIDE_COUNT};
	size_t n = 0;
	int kind;

	if (a->sock < 0)
		return 0; /* it was never asked, or has failed and said so */
	if (ask(a, &head, "", err) < 0)
		return -1;
	while ((kind = hear(a, err)) == AIDE_COUNTED)
		if (n < room)
			ret[n++] = a->message->count;
	if (kind < 0)
		return -1;
	return kind == AIDE_DONE ? (ssize_t)n : give_up(a, "speaks another language", err);
}
