/* SPDX-License-Identifier: Apache-2.0 */
/* delegate.c - asks systemd for a control group of our own by starting again inside one.
 *
 * On a host with systemd and version 2 the group of a login shell holds the
 * shell, and belongs to systemd: nothing may be made beneath it.  A scope with
 * Delegate=yes is a group that systemd promises to leave alone.  systemd-run
 * makes one for itself and then becomes us: same process, terminal, descriptors
 * and directory, so that nobody has to wait for anybody.
 */
#include "sandbox/native/delegate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"

#define ONCE "BELLJAR_SCOPE" /* set: we are in the scope, or it did not help */

bool delegate_possible(void)
{
	return !secure_getenv(ONCE) && access("/run/systemd/system", F_OK) == 0;
}

static size_t count_of(char **list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

static bool has_dollar(char **args)
{
	for (; *args; args++)
		if (strchr(*args, '$'))
			return true;
	return false;
}

/* "systemd 254 (254.5-1)" */
static uint64_t version_in(const char *text)
{
	struct error ignored;
	char number[8] = "";
	uint64_t version = 0;

	if (sscanf(text, "systemd %7[0-9]", number) == 1)
		(void)text_parse_uint(number, &version, &ignored);
	return version;
}

/* Runs "systemd-run --version"; 0 when it does not tell. */
static uint64_t version_of(const char *systemd_run)
{
	char text[64] = "";
	struct error ignored;
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return 0;
	child = fork();
	if (child == 0) {
		if (dup2(ends[1], STDOUT_FILENO) >= 0)
			(void)execl(systemd_run, "systemd-run", "--version", (char *)NULL);
		_exit(127);
	}
	(void)close(ends[1]);
	if (child > 0) {
		(void)fd_read_all(ends[0], text, sizeof(text) - 1, &ignored);
		(void)close(ends[0]); /* the rest is not wanted: a writer gets EPIPE, not stuck */
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
		return version_in(text);
	}
	(void)close(ends[0]);
	return 0;
}

/* Newer ones replace ${NAME} in our arguments by their environment unless told not to; older ones
 * neither do it nor know the option. */
static bool must_forbid_expansion(const char *systemd_run, char **args)
{
	return has_dollar(args) && version_of(systemd_run) >= 254;
}

static const char **arguments(const char *systemd_run, const char *self, char **args)
{
	static const char *const fixed[] = {"systemd-run", "--scope", "--quiet",
					    "--collect",   "-p",      "Delegate=yes"};
	const char **list = calloc(ARRAY_LEN(fixed) + 5 + count_of(args), sizeof(*list));
	size_t n = 0;

	if (!list)
		return NULL;
	for (; n < ARRAY_LEN(fixed); n++)
		list[n] = fixed[n];
	if (geteuid() != 0)
		list[n++] = "--user";
	if (must_forbid_expansion(systemd_run, args))
		list[n++] = "--expand-environment=no";
	list[n++] = "--";
	list[n++] = self;
	for (size_t i = 0; args[i]; i++)
		list[n++] = args[i];
	return list;
}

static const char **environment(const char *runtime)
{
	const char **list = calloc(count_of(environ) + 3, sizeof(*list));
	size_t n = 0;

	if (!list)
		return NULL;
	for (; environ[n]; n++)
		list[n] = environ[n];
	list[n++] = ONCE "=1";
	if (runtime[0] && !secure_getenv("XDG_RUNTIME_DIR"))
		list[n++] = runtime;
	return list;
}

/* systemd-run --user finds its manager by this; cron jobs and su do not set it. */
static int find_runtime(char *ret, size_t room, struct error *err)
{
	char manager[64];

	ret[0] = '\0';
	if (geteuid() == 0)
		return 0;
	(void)snprintf(manager, sizeof(manager), "/run/user/%u/systemd", geteuid());
	if (access(manager, F_OK) < 0 && !secure_getenv("XDG_RUNTIME_DIR"))
		return fail(err, ERR_CONFIG,
			    "no systemd manager runs for this user; log in, or run loginctl "
			    "enable-linger");
	(void)snprintf(ret, room, "XDG_RUNTIME_DIR=/run/user/%u", geteuid());
	return 0;
}

/* Our own mask would outlive exec, and systemd-run could not be interrupted. */
static void unblock_signals(void)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

int delegate_reexec_by(const char *systemd_run, char **args, struct error *err)
{
	own_str self = realpath("/proc/self/exe", NULL);
	own_mem const char **argv = NULL, **env = NULL;
	char runtime[64];

	if (secure_getenv(ONCE))
		return fail(err, ERR_CONFIG,
			    "a scope made by systemd does not have the control groups either");
	if (!self)
		return fail_sys(err, "find our own program");
	if (find_runtime(runtime, sizeof(runtime), err) < 0)
		return -1;
	argv = arguments(systemd_run, self, args);
	env = environment(runtime);
	if (!argv || !env)
		return fail_sys(err, "start again in a scope");
	unblock_signals();
	(void)execve(systemd_run, (char **)argv, (char **)env);
	return fail_sys(err, "start %s", systemd_run);
}

int delegate_reexec(char **args, struct error *err)
{
	/* Not from PATH: whoever sets that would choose what runs with our rights. */
	static const char *const places[] = {"/usr/bin/systemd-run", "/bin/systemd-run"};

	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (access(places[i], X_OK) == 0)
			return delegate_reexec_by(places[i], args, err);
	return fail(err, ERR_CONFIG, "there is no /usr/bin/systemd-run to ask for a control group");
}
