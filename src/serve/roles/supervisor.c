/* SPDX-License-Identifier: Apache-2.0 */
/* supervisor.c - starts the roles of the service, restarts, reloads and drains them.
 *
 * One loop over signals, the ends of processes and the control sockets.  It
 * keeps what must outlive a role: the listening sockets, the policy's view, the
 * lock.  If it is killed, every role sees its socket close and ends.
 */
#include "serve/roles/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/statedir.h"
#include "base/text.h"
#include "serve/roles/supervise.h"

enum { FILES_WANTED = 16384 };

void supervisor_say(const char *fmt, ...)
{
	char text[1200], safe[2400];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	text_one_line(text, safe, sizeof(safe));
	(void)fprintf(stderr, "belljar serve: %s\n", safe);
}

void supervisor_give_up(struct supervisor *s, const struct error *why)
{
	if (!s->failed) {
		s->failed = true;
		s->why = *why;
	}
	stopping_begin(s);
}

/* Where things are. */

static int find_places(struct supervisor *s, struct error *err)
{
	static const struct statedir state = {"state directory", "BELLJAR_STATE", "", NULL};
	own_fd dir = -1;

	if (statedir_find(&state, s->config->state, s->state, sizeof(s->state), err) < 0)
		return -1;
	dir = statedir_open(&state, s->state, err);
	if (dir < 0)
		return -1;
	if (snprintf(s->front_directory, sizeof(s->front_directory), "%s/front", s->state) >=
	    (int)sizeof(s->front_directory))
		return fail(err, ERR_CONFIG, "the path of the state directory is too long");
	s->lock = openat(dir, "serve.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (s->lock < 0)
		return fail_sys(err, "open %s/serve.lock", s->state);
	if (flock(s->lock, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK
			       ? fail(err, ERR_CONFIG,
				      "a belljar serve uses %s already: end it, or give another "
				      "directory with --state",
				      s->state)
			       : fail_sys(err, "lock %s/serve.lock", s->state);
	return 0;
}

static int find_log(struct supervisor *s, struct error *err)
{
	struct statedir log = {"audit log", "BELLJAR_AUDIT", "/audit", s->state};
	const char *named = s->plan.audit_directory ? s->plan.audit_directory : s->config->audit;
	own_fd dir = -1;

	if (statedir_find(&log, named, s->audit, sizeof(s->audit), err) < 0)
		return -1;
	if (s->plan.audit_off)
		return 0;
	dir = statedir_open(&log, s->audit, err);
	return dir < 0 ? -1 : 0;
}

/* Signals. */

static void reload(struct supervisor *s)
{
	if (s->plan.view) /* else the first reading is not over yet */
		reload_ask(s, s->reload_asked);
}

static void take_signal(void *context, uint32_t events)
{
	struct supervisor *s = context;
	struct signalfd_siginfo info;

	(void)events;
	if (read(s->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGHUP)
		reload(s);
	else
		stopping_begin(s);
}

static int open_signals(struct supervisor *s, struct error *err)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return fail_sys(err, "block signals");
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGHUP);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0)
		return fail_sys(err, "open a descriptor for signals");
	s->signal_watch = (struct loop_watch){
		.fd = s->signals, .events = EPOLLIN, .ready = take_signal, .context = s};
	return loop_add(s->loop, &s->signal_watch, err);
}

/* Signs of life, twice as often as they are wanted. */
static void bark(void *context)
{
	struct supervisor *s = context;
	struct error err;

	notify_say(&s->notify, "WATCHDOG=1");
	if (loop_set(s->loop, &s->watchdog, loop_now_us(s->loop) + s->notify.watchdog_us / 2,
		     &err) < 0)
		supervisor_say("no more signs of life for systemd: %s", err.text);
}

/* The beginning. */

static int open_doors(struct supervisor *s, struct error *err)
{
	struct door_rules rules = {.tls = s->plan.tls_cert && s->plan.tls_key,
				   .plaintext = s->plan.plaintext};
	char names[NOTIFY_ACTIVATED_MAX][32];
	int fds[NOTIFY_ACTIVATED_MAX];
	int activated = notify_activated(fds, names, err);

	if (activated < 0)
		return -1;
	for (int i = 0; i < activated; i++)
		if (doors_take(&s->doors, fds[i], names[i], &rules, err) < 0)
			return -1;
	for (size_t i = 0; i < s->config->n_listen; i++)
		if (doors_open(&s->doors, s->config->listen[i], &rules, err) < 0)
			return -1;
	for (size_t i = 0; s->doors.n == 0 && i < json_array_size(s->plan.listen); i++)
		if (doors_open(&s->doors, json_string_value(json_array_get(s->plan.listen, i)),
			       &rules, err) < 0)
			return -1;
	return 0;
}

int boot(struct supervisor *s, struct error *err)
{
	if (find_log(s, err) < 0 || open_doors(s, err) < 0 || selftest_start(s, err) < 0)
		return -1;
	singles_start(&s->singles[ROLE_SCRIBE]);
	singles_start(&s->singles[ROLE_WARDEN]);
	singles_start(&s->singles[ROLE_FRONT]);
	return 0;
}

static int open_logs(struct supervisor *s, struct error *err)
{
	static const char *const names[] = {
		[ROLE_FRONT] = "belljar serve: front",
		[ROLE_WARDEN] = "belljar serve: warden",
		[ROLE_SCRIBE] = "belljar serve: scribe",
		[ROLE_AUDITOR] = "belljar serve: reader",
	};

	for (int i = 0; i < SINGLE_COUNT; i++) {
		if (rolelog_open(&s->logs[i], s->loop, names[i], err) < 0)
			return -1;
		s->logs[i].sparing = true;
	}
	if (rolelog_open(&s->keeper_log, s->loop, "belljar serve: keeper", err) < 0 ||
	    rolelog_open(&s->gate_log, s->loop, "belljar serve: policy", err) < 0)
		return -1;
	return rolelog_open(&s->test_log, s->loop, "belljar serve: self-test", err);
}

/* Each keeper, connection and role takes some descriptors.  Nobody of the same user reads our
 * memory, which has held the key of the certificate. */
static int prepare_self(struct error *err)
{
	struct rlimit now;

	if (getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_cur < now.rlim_max) {
		now.rlim_cur = now.rlim_max < FILES_WANTED ? now.rlim_max : FILES_WANTED;
		(void)setrlimit(RLIMIT_NOFILE, &now);
	}
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ? fail_sys(err, "hide our memory") : 0;
}

static int begin(struct supervisor *s, struct error *err)
{
	if (prepare_self(err) < 0)
		return -1;
	s->loop = loop_new(err);
	if (!s->loop || find_places(s, err) < 0 || notify_open(&s->notify, err) < 0 ||
	    open_signals(s, err) < 0 || open_logs(s, err) < 0)
		return -1;
	singles_init(s);
	s->watchdog = (struct loop_timer){.due = bark, .context = s};
	if (s->notify.watchdog_us)
		bark(s);
	return reload_start(s, err);
}

static void end(struct supervisor *s)
{
	viewrun_cancel(&s->viewrun);
	selftest_cancel(s);
	doors_close(&s->doors);
	for (int i = 0; i < SINGLE_COUNT; i++)
		rolelog_close(&s->logs[i]);
	rolelog_close(&s->keeper_log);
	rolelog_close(&s->gate_log);
	rolelog_close(&s->test_log);
	plan_done(&s->plan);
	notify_close(&s->notify);
	own_fd_end(&s->view_fd);
	own_fd_end(&s->tls_fd);
	own_fd_end(&s->pack_fd);
	own_fd_end(&s->pack_next);
	own_fd_end(&s->signals);
	own_fd_end(&s->lock);
	loop_free(s->loop);
	free(s);
}

static void init(struct supervisor *s, const struct serve_config *config)
{
	s->config = config;
	s->lock = s->signals = s->view_fd = s->tls_fd = s->test_pidfd = -1;
	s->pack_fd = s->pack_next = s->nursery.pidfd = s->nursery.control = -1;
	s->nursery.template = s->nursery.maker = -1;
	s->notify.sock = s->viewrun.pidfd = s->viewrun.out = -1;
	for (int i = 0; i < SINGLE_COUNT; i++)
		s->logs[i].from = s->logs[i].to = -1;
	s->keeper_log.from = s->gate_log.from = s->test_log.from = -1;
}

int supervisor_run(const struct serve_config *config, struct error *err)
{
	struct supervisor *s = calloc(1, sizeof(*s));
	int result;

	if (!s)
		return fail_sys(err, "begin");
	init(s, config);
	result = begin(s, err);
	if (result == 0)
		result = loop_run(s->loop, err);
	if (result == 0 && s->failed) {
		*err = s->why;
		result = -1;
	}
	end(s);
	return result;
}
