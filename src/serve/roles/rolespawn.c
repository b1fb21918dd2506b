/* SPDX-License-Identifier: Apache-2.0 */
/* rolespawn.c - a process with exactly what it is given: words, descriptors, nothing else.
 *
 * By fork and exec: we have no threads, so that the child may do more than one
 * call before it is another program.  What goes wrong in it comes back through
 * a pipe that exec closes.
 */
#include "serve/roles/rolespawn.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"

/* Above everything that is put in its place below. */
enum { ABOVE = 64 };

static int reset_signals(struct error *err)
{
	const struct sigaction standard = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		(void)sigaction(i, &standard, NULL); /* fails for SIGKILL, SIGSTOP and libc's own */
	(void)sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL) < 0 ? fail_sys(err, "unblock signals") : 0;
}

static int lift(int fd, struct error *err)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE);

	return high < 0 ? fail_sys(err, "put a descriptor aside") : high;
}

static int place(int high, int at, struct error *err)
{
	return dup2(high, at) < 0 ? fail_sys(err, "put a descriptor in its place") : 0;
}

/* First all of them out of the way, then each to its number. */
static int place_descriptors(const struct spawn *s, int *failure, struct error *err)
{
	int high[SPAWN_FDS_MAX], streams[3], null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return fail_sys(err, "open /dev/null");
	*failure = lift(*failure, err);
	streams[0] = lift(null, err);
	streams[1] = lift(s->out >= 0 ? s->out : null, err);
	streams[2] = lift(s->err >= 0 ? s->err : null, err);
	if (*failure < 0 || streams[0] < 0 || streams[1] < 0 || streams[2] < 0)
		return -1;
	for (size_t i = 0; i < s->n_fds; i++) {
		high[i] = lift(s->fds[i], err);
		if (high[i] < 0)
			return -1;
	}
	for (int i = 0; i < 3; i++)
		if (place(streams[i], i, err) < 0)
			return -1;
	for (size_t i = 0; i < s->n_fds; i++)
		if (place(high[i], SPAWN_FIRST_FD + (int)i, err) < 0)
			return -1;
	/* The pipe that says why is close-on-exec, and all others are closed here. */
	if (close_range(SPAWN_FIRST_FD + (unsigned)s->n_fds, (unsigned)*failure - 1, 0) < 0 ||
	    close_range((unsigned)*failure + 1, ~0u, 0) < 0)
		return fail_sys(err, "close descriptors");
	return 0;
}

static void become(const struct spawn *s, int failure)
{
	static const char *const nothing[] = {NULL};
	const char *const *env = s->env ? s->env : nothing;
	struct error err = {0};

	if (place_descriptors(s, &failure, &err) == 0 && reset_signals(&err) == 0) {
		if (setsid() < 0 || chdir("/") < 0)
			(void)fail_sys(&err, "leave the caller's session");
		else if (execve(s->program, (char **)(uintptr_t)s->argv, (char **)(uintptr_t)env))
			(void)fail_sys(&err, "start %s", s->program);
	}
	(void)fd_write_all(failure, &err, sizeof(err), &err);
	_exit(127);
}

/* Nothing comes if it has become another program. */
static int hear_failure(int pipe, pid_t pid, struct error *err)
{
	struct error why = {0};
	ssize_t n = fd_read_all(pipe, &why, sizeof(why), err);

	if (n == 0)
		return 0;
	if (n == (ssize_t)sizeof(why)) {
		why.text[sizeof(why.text) - 1] = '\0';
		*err = why;
	} else if (n > 0) {
		(void)fail(err, ERR_SYSTEM, "a new process went away");
	}
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	return -1;
}

int spawn_start(const struct spawn *s, pid_t *ret_pid, int *ret_pidfd, struct error *err)
{
	own_fd from = -1, to = -1;
	int ends[2];
	pid_t pid;

	assert(s->n_fds <= SPAWN_FDS_MAX && s->program[0] == '/');
	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_sys(err, "make a pipe");
	from = ends[0];
	to = ends[1];
	pid = fork();
	if (pid < 0)
		return fail_sys(err, "fork");
	if (pid == 0)
		become(s, to);
	(void)close(take_fd(&to));
	if (hear_failure(from, pid, err) < 0)
		return -1;
	*ret_pidfd = pidfd_open(pid, 0);
	if (*ret_pidfd < 0) {
		(void)fail_sys(err, "watch a new process");
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, 0);
		return -1;
	}
	*ret_pid = pid;
	return 0;
}
