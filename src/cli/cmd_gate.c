/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_gate.c - belljar call, policy, screen, audit and serve: programs beside us, which become us.
 *
 * What judges a call needs parsers of YAML, JSON and three languages, what reads
 * the audit log a database.  In programs of their own they cost `belljar run`
 * nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "base/spawn.h"
#include "cli/cli.h"
#include "cli/sibling.h"
#include "sandbox/native/spread.h"

/* What they look at; the rest of the caller's environment stays here. */
static const char *const kept[] = {
	"BELLJAR_AUDIT",
	"BELLJAR_POLICY",
	"BELLJAR_STATE",
	"HOME",
	"NO_COLOR",
	"TERM",
	"XDG_STATE_HOME",
	/* systemd's, for the service */
	"LISTEN_FDNAMES",
	"LISTEN_FDS",
	"LISTEN_PID",
	"NOTIFY_SOCKET",
	"WATCHDOG_PID",
	"WATCHDOG_USEC",
};

/* slot: one more word for it; NULL: none. */
static void keep_environment(char *slot, char **ret)
{
	for (char **v = environ; *v; v++)
		for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
			size_t len = strlen(kept[i]);

			if (strncmp(*v, kept[i], len) == 0 && (*v)[len] == '=') {
				*ret++ = *v;
				break;
			}
		}
	if (slot)
		*ret++ = slot;
	*ret = NULL;
}

static size_t count_environment(void)
{
	size_t n = 0;

	while (environ[n])
		n++;
	return n;
}

/* Of two places the first is for those who have built it and not installed it. */
static int become(const char *const places[static 2], char **argv, char *slot)
{
	own_mem char **env = calloc(count_environment() + 2, sizeof(*env));
	struct error err = {0};
	char program[PATH_MAX];

	if (!env)
		return (void)fail_sys(&err, "start %s", places[0]), cli_complain(&err);
	if (sibling_find(places, 2, program, sizeof(program), &err) < 0)
		return cli_complain(&err);
	keep_environment(slot, env);
	(void)execve(program, argv - 1, env);
	(void)fail_sys(&err, "start %s", program);
	return cli_complain(&err);
}

/* Most calls run: the helper that keeps the box starts beside the program that judges, and makes
 * what every box has.  It hears what for when that is judged, and of nothing if it is refused. */
static bool will_run(char **argv)
{
	if (!argv[1])
		return false;
	for (char **word = argv + 1; *word; word++)
		if (strcmp(*word, "--dry-run") == 0 || strcmp(*word, "--help") == 0)
			return false;
	return true;
}

/* It was born here, and would wait for what we become. */
static void send_away(pid_t pid)
{
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && spread_has_room(&cpus, 2))
		spread(pid, false);
}

/* Its end of the socket stays open in what we become.  false: it starts a helper itself then. */
static bool start_slot(char *ret, size_t room)
{
	static char name[] = "belljar", command[] = "slot", fd[] = "--fd", number[] = "3",
		    once[] = "--once", later[] = "--later";
	static char *const argv[] = {name, command, fd, number, once, later, NULL};
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct spawn how = {.program = self, .argv = argv, .n_fds = 1, .own_session = true};
	own_fd ours = -1, theirs = -1;
	int ends[2];
	pid_t pid;

	self[len > 0 ? len : 0] = '\0';
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return false;
	ours = ends[0];
	theirs = ends[1];
	how.fds[0] = theirs;
	if (fcntl(ours, F_SETFD, 0) < 0 || spawn_helper(&how, &pid) != 0)
		return false;
	send_away(pid);
	(void)snprintf(ret, room, SLOT_VARIABLE "=%d:%d", take_fd(&ours), pid);
	return true;
}

int cmd_tool(int argc, char **argv)
{
	static const char *const places[] = {"belljar-call", "../libexec/belljar/belljar-call"};
	char slot[64];
	bool started = will_run(argv) && start_slot(slot, sizeof(slot));

	(void)argc;
	return become(places, argv, started ? slot : NULL);
}

int cmd_gate(int argc, char **argv)
{
	static const char *const places[] = {"belljar-gate", "../libexec/belljar/belljar-gate"};

	(void)argc;
	return become(places, argv, NULL);
}

int cmd_evidence(int argc, char **argv)
{
	static const char *const places[] = {"belljar-audit", "../libexec/belljar/belljar-audit"};

	(void)argc;
	return become(places, argv, NULL);
}

int cmd_serve(int argc, char **argv)
{
	static const char *const places[] = {"belljar-serve", "../libexec/belljar/belljar-serve"};

	(void)argc;
	return become(places, argv, NULL);
}
