/* SPDX-License-Identifier: Apache-2.0 */
/* inject.c - runs a command and makes one system call of its tree fail, or one process die.
 *
 * Every process the command makes is traced until it executes the program
 * named by --target: from then on it is the tool's own business and is let go,
 * after its posture has been written down.  A fault is aimed at a place in the
 * tree and the ordinal of a call there (tracee.h), which --list prints.
 *
 * A failed call is not made at all; only its result is.  The exception is
 * close(): Linux always closes, whatever it returns, so that a skipped close
 * would be a fault that no kernel produces.
 *
 * The log has one line per event:
 *	call PLACE N NUMBER [loader]	(--list)
 *	exec PLACE PROGRAM		(--list)
 *	hit PLACE N NUMBER [loader]
 *	target PLACE PROGRAM		followed by posture lines
 *	stillborn PLACE			the target was killed before its first instruction
 *	end exit|signal|hang N
 *	left PLACE PID			still alive two seconds after the command's end
 *
 * A process that executes the program named by --daemon is not waited for, and dies with us: what
 * it was about to do at that moment it does not do.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/own.h"
#include "base/text.h"
#include "posture.h"
#include "tracee.h"

enum { LINGER_MS = 2000 };

enum fault { FAULT_NONE = 0, FAULT_CALL, FAULT_EVERY, FAULT_KILL };

struct plan {
	enum fault fault;
	const char *place; /* FAULT_CALL, FAULT_KILL */
	uint64_t ordinal;
	uint64_t number; /* FAULT_EVERY: of the system call */
	uint64_t sys;    /* the errno to return */
	bool list;
	const char *target;
	const char *daemon;
	const char *log_path;
	uint64_t uid;
	uint64_t timeout_ms;
	char **command;
};

struct tracer {
	const struct plan *plan;
	struct tracees tracees;
	pid_t root;
	int root_status;
	bool started; /* the command has been executed: calls count from here */
	bool done;    /* the command has ended */
	bool hit;
	FILE *log;
};

/* Calls that cannot fail; and brk(), which does not say so by an errno but by the old break. */
static bool cannot_fail(uint64_t number)
{
	return number == SYS_exit || number == SYS_exit_group || number == SYS_rt_sigreturn ||
	       number == SYS_restart_syscall || number == SYS_brk;
}

static void log_call(struct tracer *tr, const char *word, const struct tracee *t,
		     const struct __ptrace_syscall_info *info)
{
	bool loader =
		info->instruction_pointer >= t->ld_from && info->instruction_pointer < t->ld_to;

	(void)fprintf(tr->log, "%s %s %" PRIu64 " %" PRIu64 "%s\n", word, t->place, t->calls,
		      (uint64_t)info->entry.nr, loader ? " loader" : "");
}

static bool is_aimed_at(const struct tracer *tr, const struct tracee *t, uint64_t number)
{
	const struct plan *p = tr->plan;

	if (cannot_fail(number) && p->fault != FAULT_KILL)
		return false;
	if (p->fault == FAULT_EVERY)
		return number == p->number;
	return !tr->hit && p->place && t->calls == p->ordinal && strcmp(t->place, p->place) == 0;
}

static void strike(struct tracer *tr, struct tracee *t, uint64_t number, uint64_t first)
{
	tr->hit = true;
	if (tr->plan->fault == FAULT_KILL) {
		(void)kill(t->pid, SIGKILL);
		return;
	}
	t->owed_errno = (int)tr->plan->sys;
	t->owed_first = first;
	if (number != SYS_close)
		(void)tracee_skip_call(t);
}

static void at_call(struct tracer *tr, struct tracee *t)
{
	struct __ptrace_syscall_info info;

	if (!tr->started || ptrace(PTRACE_GET_SYSCALL_INFO, t->pid, sizeof(info), &info) <= 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_EXIT && t->owed_errno) {
		(void)tracee_set_result(t, -(long)t->owed_errno);
		t->owed_errno = 0;
	}
	/* Whoever waits awake gives way as often as it takes: such calls have no place of their
	 * own.
	 */
	if (info.op != PTRACE_SYSCALL_INFO_ENTRY || info.entry.nr == SYS_sched_yield)
		return;
	t->calls++;
	if (tr->plan->list)
		log_call(tr, "call", t, &info);
	if (is_aimed_at(tr, t, info.entry.nr)) {
		log_call(tr, "hit", t, &info);
		strike(tr, t, info.entry.nr, info.entry.args[0]);
	}
}

/* Stops at calls only where a fault may still come: the rest runs at full speed. */
static bool watches_calls(const struct tracer *tr, const struct tracee *t)
{
	const struct plan *p = tr->plan;

	if (p->list || p->fault == FAULT_EVERY || t->owed_errno)
		return true;
	return p->place && !tr->hit && strcmp(t->place, p->place) == 0;
}

static void resume(struct tracer *tr, const struct tracee *t, int sig)
{
	(void)ptrace(watches_calls(tr, t) ? PTRACE_SYSCALL : PTRACE_CONT, t->pid, NULL, (long)sig);
}

static struct tracee *known(struct tracer *tr, pid_t pid)
{
	struct tracee *t = tracees_find(&tr->tracees, pid);

	return t ? t : tracees_add(&tr->tracees, pid);
}

/* The child's first stop and its parent's event come in either order. */
static void at_birth(struct tracer *tr, struct tracee *parent)
{
	unsigned long pid = 0;
	struct tracee *child;

	if (ptrace(PTRACE_GETEVENTMSG, parent->pid, NULL, &pid) < 0)
		return;
	child = known(tr, (pid_t)pid);
	if (!child)
		return;
	tracee_place(child, parent);
	if (child->waiting) {
		child->waiting = false;
		resume(tr, child, 0);
	}
}

static bool is_called(const char *path, const char *name)
{
	const char *base = strrchr(path, '/');

	return name && strcmp(base ? base + 1 : path, name) == 0;
}

/* True if this is the program everything was set up for: it has been let go. */
static bool at_exec(struct tracer *tr, struct tracee *t)
{
	char link[64], path[4096];
	ssize_t len;

	tr->started = true;
	(void)snprintf(link, sizeof(link), "/proc/%d/exe", t->pid);
	len = readlink(link, path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = '\0';
	if (!is_called(path, tr->plan->target)) {
		if (tr->plan->list)
			(void)fprintf(tr->log, "exec %s %s\n", t->place, path);
		t->daemon = is_called(path, tr->plan->daemon);
		tracee_find_loader(t);
		return false;
	}
	(void)fprintf(tr->log, "target %s %s\n", t->place, path);
	posture_write(tr->log, t->pid);
	/* Killed in the meantime: it never ran, and what could be read of it is not whole. */
	if (ptrace(PTRACE_DETACH, t->pid, NULL, 0L) < 0)
		(void)fprintf(tr->log, "stillborn %s\n", t->place);
	tracees_drop(&tr->tracees, t->pid);
	return true;
}

/* A stop that is no event: a signal on its way, or the end of a group stop. */
static void at_signal(struct tracer *tr, struct tracee *t, int status)
{
	int sig = WSTOPSIG(status);

	if (status >> 16 != PTRACE_EVENT_STOP)
		resume(tr, t, sig);
	else if (!t->place[0])
		t->waiting = true;
	else if (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU)
		(void)ptrace(PTRACE_LISTEN, t->pid, NULL, 0L);
	else
		resume(tr, t, 0);
}

static void at_stop(struct tracer *tr, pid_t pid, int status)
{
	struct tracee *t = known(tr, pid);

	if (!t)
		return;
	if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
		at_call(tr, t);
		resume(tr, t, 0);
		return;
	}
	switch (status >> 16) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		at_birth(tr, t);
		t = tracees_find(&tr->tracees, pid); /* the table may have moved */
		resume(tr, t, 0);
		return;
	case PTRACE_EVENT_EXEC:
		if (!at_exec(tr, t))
			resume(tr, t, 0);
		return;
	default:
		at_signal(tr, t, status);
	}
}

static void at_change(struct tracer *tr, pid_t pid, int status)
{
	if (WIFSTOPPED(status)) {
		at_stop(tr, pid, status);
		return;
	}
	if (pid == tr->root) {
		tr->done = true;
		tr->root_status = status;
	}
	tracees_drop(&tr->tracees, pid);
}

static bool is_over(const struct tracer *tr)
{
	size_t n = 0;

	for (size_t i = 0; i < tr->tracees.n; i++)
		n += !tr->tracees.all[i].daemon;
	return tr->done && n == 0;
}

/* Takes every change until the command and all its processes are gone, or the time is up. */
static void follow(struct tracer *tr, uint64_t deadline_us)
{
	const struct timespec tick = {.tv_nsec = 50000000};
	uint64_t end_us = deadline_us;
	bool was_done = false;
	sigset_t chld;

	(void)sigemptyset(&chld);
	(void)sigaddset(&chld, SIGCHLD);
	while (clock_us() < end_us && !is_over(tr)) {
		int status = 0;
		pid_t pid = waitpid(-1, &status, __WALL | WNOHANG);

		if (pid > 0)
			at_change(tr, pid, status);
		else if (pid < 0)
			return; /* nobody is left */
		else
			(void)sigtimedwait(&chld, NULL, &tick);
		if (tr->done && !was_done) {
			was_done = true;
			end_us = clock_us() + LINGER_MS * 1000ULL;
		}
	}
}

static void report_end(struct tracer *tr)
{
	int status = tr->root_status;

	if (!tr->done)
		(void)fprintf(tr->log, "end hang 0\n");
	else if (WIFEXITED(status))
		(void)fprintf(tr->log, "end exit %d\n", WEXITSTATUS(status));
	else
		(void)fprintf(tr->log, "end signal %d\n", WTERMSIG(status));
	for (size_t i = 0; i < tr->tracees.n; i++) {
		const struct tracee *t = &tr->tracees.all[i];

		/* One that died before its parent was heard of it is in the table again. */
		if (tr->done && !t->daemon && kill(t->pid, 0) == 0)
			(void)fprintf(tr->log, "left %s %d\n", t->place, t->pid);
		(void)kill(t->pid, SIGKILL);
	}
}

/* In the child: wait until traced, become the user, run. */
static void become_command(const struct plan *p, int go)
{
	uid_t uid = (uid_t)p->uid;
	sigset_t none;
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(121);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (uid && (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
		    setresuid(uid, uid, uid) < 0))
		_exit(122);
	(void)execv(p->command[0], p->command);
	_exit(123);
}

static int start(struct tracer *tr, struct error *err)
{
	const long options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
			     PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
	struct tracee *root;
	int go[2];

	if (pipe2(go, O_CLOEXEC) < 0)
		return fail_sys(err, "pipe");
	tr->root = fork();
	if (tr->root < 0)
		return fail_sys(err, "fork");
	if (tr->root == 0) {
		(void)close(go[1]);
		become_command(tr->plan, go[0]);
	}
	(void)close(go[0]);
	if (ptrace(PTRACE_SEIZE, tr->root, NULL, options) < 0)
		return fail_sys(err, "trace the command");
	root = tracees_add(&tr->tracees, tr->root);
	(void)snprintf(root->place, sizeof(root->place), "0");
	if (write(go[1], "g", 1) != 1)
		return fail_sys(err, "start the command");
	(void)close(go[1]);
	return 0;
}

/* "0.1:17" or "0.1:17:12" */
static int parse_aim(struct plan *p, char *text, struct error *err)
{
	char *ordinal = strchr(text, ':'), *sys = ordinal ? strchr(ordinal + 1, ':') : NULL;

	if (!ordinal)
		return fail(err, ERR_CALLER, "'%s' is not PLACE:N or PLACE:N:ERRNO", text);
	*ordinal++ = '\0';
	if (sys)
		*sys++ = '\0';
	p->place = text;
	if (text_parse_uint(ordinal, &p->ordinal, err) < 0)
		return -1;
	return sys ? text_parse_uint(sys, &p->sys, err) : 0;
}

static int take_fail(struct plan *p, char *text, struct error *err)
{
	p->fault = FAULT_CALL;
	p->sys = EIO;
	return parse_aim(p, text, err);
}

static int take_kill(struct plan *p, char *text, struct error *err)
{
	p->fault = FAULT_KILL;
	return parse_aim(p, text, err);
}

static int take_every(struct plan *p, char *text, struct error *err)
{
	char *sys = strchr(text, ':');

	if (!sys)
		return fail(err, ERR_CALLER, "'%s' is not NUMBER:ERRNO", text);
	*sys++ = '\0';
	p->fault = FAULT_EVERY;
	if (text_parse_uint(text, &p->number, err) < 0)
		return -1;
	return text_parse_uint(sys, &p->sys, err);
}

static int take_target(struct plan *p, char *text, struct error *err)
{
	(void)err;
	p->target = text;
	return 0;
}

static int take_daemon(struct plan *p, char *text, struct error *err)
{
	(void)err;
	p->daemon = text;
	return 0;
}

static int take_log(struct plan *p, char *text, struct error *err)
{
	(void)err;
	p->log_path = text;
	return 0;
}

static int take_uid(struct plan *p, char *text, struct error *err)
{
	return text_parse_uint(text, &p->uid, err);
}

static int take_timeout(struct plan *p, char *text, struct error *err)
{
	return text_parse_ms(text, &p->timeout_ms, err);
}

static const struct option {
	const char *name;
	int (*take)(struct plan *p, char *text, struct error *err);
} options[] = {
	{"--fail", take_fail},       /* PLACE:N:ERRNO: that call fails */
	{"--every", take_every},     /* NUMBER:ERRNO: that system call always fails */
	{"--kill", take_kill},       /* PLACE:N: the process dies at that call */
	{"--target", take_target},   /* the program's name; tracing ends there */
	{"--daemon", take_daemon},   /* the name of a program that is not waited for */
	{"--log", take_log},         /* FILE */
	{"--uid", take_uid},         /* run the command as this user */
	{"--timeout", take_timeout}, /* 10s */
};

static int parse(int argc, char **argv, struct plan *p, struct error *err)
{
	int i = 1;

	for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
		size_t row = 0;

		if (strcmp(argv[i], "--list") == 0) {
			p->list = true;
			continue;
		}
		while (row < ARRAY_LEN(options) && strcmp(argv[i], options[row].name) != 0)
			row++;
		if (row == ARRAY_LEN(options) || i + 1 == argc)
			return fail(err, ERR_CALLER, "what is '%s'?", argv[i]);
		if (options[row].take(p, argv[++i], err) < 0)
			return -1;
	}
	if (i + 1 >= argc)
		return fail(err, ERR_CALLER, "give a command after --");
	p->command = argv + i + 1;
	return 0;
}

static int run(struct tracer *tr, struct error *err)
{
	const struct plan *p = tr->plan;
	own_file log = fopen(p->log_path ? p->log_path : "/dev/stderr", "we");
	sigset_t chld;

	if (!log)
		return fail_sys(err, "open %s", p->log_path);
	tr->log = log;
	(void)sigemptyset(&chld);
	(void)sigaddset(&chld, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &chld, NULL);
	if (start(tr, err) < 0)
		return -1;
	follow(tr, clock_us() + p->timeout_ms * 1000);
	report_end(tr);
	return 0;
}

int main(int argc, char **argv)
{
	static struct tracer tr;
	struct plan plan = {.timeout_ms = 10000};
	struct error err = {0};

	tr.plan = &plan;
	if (parse(argc, argv, &plan, &err) < 0 || run(&tr, &err) < 0) {
		(void)fprintf(stderr, "inject: %s\n", err.text);
		return 120;
	}
	return 0;
}
