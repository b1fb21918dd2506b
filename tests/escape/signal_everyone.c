/* SPDX-License-Identifier: Apache-2.0 */
/* signal_everyone.c - attacks the pid namespace and the session: signals without a pid.
 *
 * Whether somebody outside was hit is seen by the runner, who holds a victim: this program says
 * "blocked" if it lived to say anything.
 */
#include <signal.h>

#include "escape.h"

static void by_all(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	tried("kill(-1, SIGKILL)");
	(void)kill(-1, SIGKILL);
	blocked("it is the victim who knows");
}

/* A process group reaches across pid namespaces: without a session of its own a box could end
 * whoever started it. */
static void by_group(int argc, char **argv)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	(void)argc;
	(void)argv;
	tried("kill(0, SIGUSR1)");
	(void)sigaction(SIGUSR1, &ignore, NULL);
	(void)kill(0, SIGUSR1);
	blocked("it is the victim who knows");
}

static const struct way ways[] = {
	{"all", by_all},     /* everybody we may signal */
	{"group", by_group}, /* our process group */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
