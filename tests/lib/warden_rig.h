/* SPDX-License-Identifier: Apache-2.0 */
/* warden_rig.h - a warden, with a supervisor and keepers that the test plays. */
#ifndef LIB_WARDEN_RIG_H
#define LIB_WARDEN_RIG_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "call/limits.h"
#include "call/pack.h"
#include "lib/talk.h"
#include "lib/wardentalk.h"
#include "tap.h"

enum { PATIENCE_MS = 60000, CONTROL = 3, CEILING = 4 };

static const char limits_lines[] = "limit wall_ms 30000\n"
				   "limit cpu_ms 10000\n"
				   "limit memory_bytes 268435456\n"
				   "limit disk_bytes 104857600\n"
				   "limit inodes 12800\n"
				   "limit processes 64\n"
				   "limit files 1024\n"
				   "limit output_bytes 10000\n"
				   "limit cpu_percent 100\n"
				   "degraded memory\ndegraded processes\ndegraded cpu\n"
				   "root host\n";

struct rig {
	pid_t warden;
	int control;
};

static inline _Noreturn void give_up(const char *what, const struct error *err)
{
	printf("# %s: %s\n", what, err ? err->text : strerror(errno));
	_exit(1);
}

static inline int text_fd(const char *text)
{
	int fd = memfd_create("ceiling", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		give_up("memfd", NULL);
	return fd;
}

static inline void pair(int *ret_ours, int *ret_theirs)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		give_up("socketpair", NULL);
	*ret_ours = ends[0];
	*ret_theirs = ends[1];
}

static inline struct rig start_with(const char *text, const char *slots)
{
	const char *belljar = getenv("BELLJAR_HELPER");
	struct rig rig;
	int theirs, ceiling = text_fd(text);

	pair(&rig.control, &theirs);
	(void)fflush(stdout);
	rig.warden = fork();
	if (rig.warden == 0) {
		int high = fcntl(ceiling, F_DUPFD, 20);

		(void)dup2(theirs, CONTROL);
		(void)dup2(high, CEILING);
		(void)execl(belljar, "belljar", "warden", "--control", "3", "--ceiling", "4",
			    slots ? "--slots" : NULL, slots, (char *)NULL);
		_exit(99);
	}
	(void)close(theirs);
	(void)close(ceiling);
	return rig;
}

static inline bool readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, PATIENCE_MS) > 0;
}

static inline bool hear_control(const struct rig *rig, struct error *ret_why)
{
	struct warden_control_answer answer;
	struct error err = {0};

	if (!readable(rig->control) || warden_control_heard(rig->control, &answer, &err) != 1)
		give_up("the warden's answer", &err);
	*ret_why = answer.error;
	return answer.taken;
}

static inline struct rig start(const char *lines)
{
	char text[2048];
	struct error why;
	struct rig rig;

	(void)snprintf(text, sizeof(text), "%s%s", limits_lines, lines);
	rig = start_with(text, NULL);
	if (!hear_control(&rig, &why))
		give_up("the ceiling", &why);
	return rig;
}

static inline int end(struct rig *rig)
{
	int status = -1;

	(void)close(rig->control);
	(void)waitpid(rig->warden, &status, 0);
	return status;
}

static inline int new_keeper(const struct rig *rig)
{
	struct error err = {0};
	int ours, theirs;

	pair(&ours, &theirs);
	if (warden_control_keeper(rig->control, theirs, &err) < 0)
		give_up("a keeper", &err);
	(void)close(theirs);
	return ours;
}

static inline struct profile usual_profile(void)
{
	struct profile p = {0};

	if (geteuid() != 0)
		p.allow_degraded = 1u << LAYER_MEMORY | 1u << LAYER_PROCESSES | 1u << LAYER_CPU;
	return p;
}

/* Asked for as anybody would. */
static inline int ask(int keeper, int *ret_sock, int *ret_pidfd, struct error *err)
{
	struct profile p = usual_profile();
	struct limits l;

	limits_default(&l);
	return warden_slot(keeper, &p, &l, false, ret_sock, ret_pidfd, err);
}

static inline struct talk_reply hear_slot(int sock)
{
	struct talk_reply reply = {0};
	struct error err = {0};
	int fds[FD_PASS_MAX];
	size_t n = FD_PASS_MAX;

	if (!readable(sock) || talk_take_reply(sock, &reply, fds, &n, &err) <= 0)
		give_up("the slot's answer", &err);
	while (n)
		(void)close(fds[--n]);
	return reply;
}

/* A slot that is ready, or the test ends here. */
static inline int ready_slot(int keeper, int *ret_pidfd)
{
	struct error err = {0};
	struct talk_reply reply;
	int sock;

	if (ask(keeper, &sock, ret_pidfd, &err) < 0)
		give_up("ask for a slot", &err);
	reply = hear_slot(sock);
	if (reply.head.kind == SAY_FAILED) {
		printf("# %s\n", reply.error.text);
		SKIP("no box on this host");
	}
	CHECK(reply.head.kind == SAY_READY);
	return sock;
}

static inline void send_run(int sock, char *const *argv, uint64_t wall_ms)
{
	static char *const nothing[] = {NULL};
	struct talk_request request = {0};
	struct error err = {0};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int fds[ASK_FDS] = {null, null, null, -1};

	limits_default(&request.limits);
	request.limits.wall_ms = wall_ms;
	fds[ASK_WORDS] = pack_words_fd(argv, nothing, &err);
	talk_begin(&request.head, ASK_RUN, sizeof(request));
	if (fd_send(sock, &request, sizeof(request), fds, ASK_FDS, &err) < 0)
		give_up("run", &err);
	(void)close(fds[ASK_WORDS]);
	(void)close(null);
}

static char *const just_true[] = {(char *)(uintptr_t) "/bin/true", NULL};

static inline bool runs_true(int sock)
{
	struct talk_reply reply;

	send_run(sock, just_true, 30000);
	reply = hear_slot(sock);
	if (reply.head.kind == SAY_ENDED && reply.outcome.end == END_EXITED)
		return reply.outcome.exit_code == 0;
	printf("# %s%s\n", reply.error.text, reply.outcome.error.text);
	return false;
}

static inline bool is_closed(int sock)
{
	char byte;

	return readable(sock) && recv(sock, &byte, 1, 0) <= 0;
}

#endif
