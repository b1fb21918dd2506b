/* SPDX-License-Identifier: Apache-2.0 */
/* probe_try.c - tries something in a child that cannot outlive two seconds.
 *
 * The child is cloned straight into the namespaces it is to try, so that it is
 * pid 1 of a new pid namespace itself: killing it takes everything along, and
 * its mounts go with the last process that saw them.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"
#include "sandbox/native/probe_parts.h"

enum { DEADLINE_MS = 2000, PROBE_UID = 2000000000 };

void found(struct finding *f, enum check_state state, const char *fmt, ...)
{
	va_list ap;

	f->state = state;
	va_start(ap, fmt);
	(void)vsnprintf(f->detail, sizeof(f->detail), fmt, ap);
	va_end(ap);
}

void fix(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(f->fix, sizeof(f->fix), fmt, ap);
	va_end(ap);
}

long long probe_sysctl(const char *path)
{
	struct error err;
	uint64_t value;
	char text[32];

	if (fd_get_file(AT_FDCWD, path, text, sizeof(text), &err) < 0)
		return -1;
	text[strcspn(text, "\n")] = '\0';
	if (text_parse_uint(text, &value, &err) < 0 || value > INT64_MAX)
		return -1;
	return (long long)value;
}

void probe_failed(struct tried *ret, const char *what)
{
	ret->sys = errno;
	ret->done = false;
	(void)snprintf(ret->text, sizeof(ret->text), "%s", what);
}

int probe_flags(int flags)
{
	return flags | CLONE_NEWUSER;
}

static int put(pid_t child, const char *file, const char *text)
{
	struct error err;
	char path[48];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", child, file);
	if (fd_put_file(AT_FDCWD, path, text, &err) == 0)
		return 0;
	errno = err.sys;
	return -1;
}

/* As a box has it: root mode maps ids of the boxes' own range, so that what works here does not
 * work only because the child is the host's root. */
static int write_maps(pid_t child)
{
	uid_t uid = geteuid() == 0 ? (uid_t)PROBE_UID : geteuid();
	gid_t gid = geteuid() == 0 ? (gid_t)PROBE_UID : getegid();
	char map[48];

	if (put(child, "setgroups", "deny") < 0)
		return -1;
	(void)snprintf(map, sizeof(map), "0 %u 1", gid);
	if (put(child, "gid_map", map) < 0)
		return -1;
	(void)snprintf(map, sizeof(map), "0 %u 1", uid);
	return put(child, "uid_map", map);
}

struct trial {
	int flags;
	void (*step)(long arg, struct tried *ret);
	long arg;
	int go; /* the parent writes the maps, then a byte: errno, or 0 */
	int report;
};

static int become_root_inside(const struct trial *t, struct tried *ret)
{
	unsigned char said = EPIPE;

	while (read(t->go, &said, 1) < 0 && errno == EINTR)
		;
	errno = said;
	if (said != 0) {
		probe_failed(ret, "map ids into a new user namespace");
		return -1;
	}
	if (setresgid(0, 0, 0) < 0 || setresuid(0, 0, 0) < 0) {
		probe_failed(ret, "become root in a new user namespace");
		return -1;
	}
	/* The change of uid made /proc/self root's; exec would give it back. */
	(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	return 0;
}

static void walk_through(const struct trial *t, struct tried *ret)
{
	if (t->flags & CLONE_NEWUSER && become_root_inside(t, ret) < 0)
		return;
	/* Mounts made here must not travel to the host, whatever the step does. */
	if (t->flags & CLONE_NEWNS && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
		probe_failed(ret, "make / private");
		return;
	}
	ret->done = true;
	t->step(t->arg, ret);
}

__attribute__((noreturn)) static void be_the_child(const struct trial *t)
{
	struct tried result = {0};
	struct error err;

	walk_through(t, &result);
	(void)fd_write_all(t->report, &result, sizeof(result), &err);
	_exit(0);
}

static bool wait_readable(int fd)
{
	uint64_t end = clock_us() + DEADLINE_MS * 1000ULL;
	struct pollfd p = {.fd = fd, .events = POLLIN};

	for (;;) {
		uint64_t now = clock_us();
		int n;

		if (now >= end)
			return false;
		n = poll(&p, 1, (int)((end - now) / 1000) + 1);
		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
	}
}

static void collect(int fd, struct tried *ret)
{
	struct error err;

	if (!wait_readable(fd)) {
		*ret = (struct tried){.sys = ETIMEDOUT, .text = "no answer after 2 seconds"};
		return;
	}
	if (fd_read_all(fd, ret, sizeof(*ret), &err) == (ssize_t)sizeof(*ret)) {
		ret->text[sizeof(ret->text) - 1] = '\0';
		return;
	}
	*ret = (struct tried){.sys = EIO, .text = "the child that tried it died"};
}

static void let_go(const struct trial *t, int go, pid_t child)
{
	unsigned char said = 0;

	if (t->flags & CLONE_NEWUSER && write_maps(child) < 0)
		said = (unsigned char)errno;
	(void)!write(go, &said, 1);
}

void probe_try(int flags, void (*step)(long arg, struct tried *ret), long arg, struct tried *ret)
{
	own_fd go_in = -1, go_out = -1, report_in = -1, report_out = -1;
	struct trial t = {flags, step, arg, -1, -1};
	int go[2] = {-1, -1}, report[2] = {-1, -1};
	bool piped = pipe2(go, O_CLOEXEC) == 0 && pipe2(report, O_CLOEXEC) == 0;
	pid_t child;

	go_out = t.go = go[0];
	go_in = go[1];
	report_out = report[0];
	report_in = t.report = report[1];
	*ret = (struct tried){0};
	if (!piped) {
		probe_failed(ret, "pipe");
		return;
	}
	(void)fflush(stdout);
	child = (pid_t)syscall(SYS_clone, (unsigned long)flags | SIGCHLD, NULL, NULL, NULL, 0UL);
	if (child < 0) {
		probe_failed(ret, "clone");
		return;
	}
	if (child == 0)
		be_the_child(&t);
	(void)close(take_fd(&report_in));
	let_go(&t, go_in, child);
	collect(report_out, ret);
	(void)kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}
