/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_gate.c - belljar call, policy, screen, audit and serve: programs beside us, which we become.
 *
 * What judges a call needs parsers of YAML, JSON and three languages, what reads
 * the audit log a database.  In programs of their own they cost `belljar run`
 * nothing.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "cli/cli.h"
#include "cli/sibling.h"

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

static void keep_environment(char **ret)
{
	for (char **v = environ; *v; v++)
		for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
			size_t len = strlen(kept[i]);

			if (strncmp(*v, kept[i], len) == 0 && (*v)[len] == '=') {
				*ret++ = *v;
				break;
			}
		}
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
static int become(const char *const places[static 2], char **argv)
{
	own_mem char **env = calloc(count_environment() + 1, sizeof(*env));
	struct error err = {0};
	char program[PATH_MAX];

	if (!env)
		return (void)fail_sys(&err, "start %s", places[0]), cli_complain(&err);
	if (sibling_find(places, 2, program, sizeof(program), &err) < 0)
		return cli_complain(&err);
	keep_environment(env);
	(void)execve(program, argv - 1, env);
	(void)fail_sys(&err, "start %s", program);
	return cli_complain(&err);
}

int cmd_tool(int argc, char **argv)
{
	static const char *const places[] = {"belljar-call", "../libexec/belljar/belljar-call"};

	(void)argc;
	return become(places, argv);
}

int cmd_gate(int argc, char **argv)
{
	static const char *const places[] = {"belljar-gate", "../libexec/belljar/belljar-gate"};

	(void)argc;
	return become(places, argv);
}

int cmd_evidence(int argc, char **argv)
{
	static const char *const places[] = {"belljar-audit", "../libexec/belljar/belljar-audit"};

	(void)argc;
	return become(places, argv);
}

int cmd_serve(int argc, char **argv)
{
	static const char *const places[] = {"belljar-serve", "../libexec/belljar/belljar-serve"};

	(void)argc;
	return become(places, argv);
}
