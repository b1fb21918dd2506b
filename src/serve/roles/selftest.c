/* SPDX-License-Identifier: Apache-2.0 */
/* selftest.c - one box really runs before we say that we are ready.
 *
 * Without it a host whose kernel, control groups or limits do not let a box up
 * would answer every call with an error, and /readyz with yes.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "serve/roles/supervise.h"

static void forget(struct supervisor *s)
{
	loop_remove(s->loop, &s->test_end);
	(void)close(take_fd(&s->test_pidfd));
	s->test_pid = 0;
}

static void take_end(void *context, uint32_t events)
{
	struct supervisor *s = context;
	struct error err = {0};
	int status = 0;

	(void)events;
	(void)waitpid(s->test_pid, &status, 0);
	forget(s);
	if (s->stopping)
		return;
	s->tested = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	if (!s->tested) {
		(void)fail(&err, ERR_CONFIG,
			   "no box can run on this host (see above); belljar doctor says what is "
			   "missing and what to do about it");
		supervisor_give_up(s, &err);
		return;
	}
	singles_tell_state(s);
}

int selftest_start(struct supervisor *s, struct error *err)
{
	const char *argv[WORDS_MAX] = {"belljar-serve", "selftest"};
	struct spawn spawn = {
		.program = s->config->self, .argv = argv, .out = -1, .err = s->test_log.to};
	size_t n = 2;

	for (size_t i = 0; i < json_array_size(s->plan.allow_degraded) && n + 6 < WORDS_MAX; i++) {
		argv[n++] = "--allow-degraded";
		argv[n++] = json_string_value(json_array_get(s->plan.allow_degraded, i));
	}
	if (spawn_start(&spawn, &s->test_pid, &s->test_pidfd, err) < 0)
		return fail_in(err, "self-test");
	s->test_end = (struct loop_watch){
		.fd = s->test_pidfd, .events = EPOLLIN, .ready = take_end, .context = s};
	return loop_add(s->loop, &s->test_end, err);
}

void selftest_cancel(struct supervisor *s)
{
	if (!s->test_pid)
		return;
	(void)kill(s->test_pid, SIGTERM);
	(void)waitpid(s->test_pid, NULL, 0);
	forget(s);
}
