/* SPDX-License-Identifier: Apache-2.0 */
/* setuid_program.c - attacks no_new_privs and nosuid: exec a file that carries privileges.
 *
 * PATH is a copy of this very program with a set-uid bit or file capabilities; run with the word
 * "report" it says what it has become.
 */
#include <sys/wait.h>

#include "escape.h"

static unsigned long long effective_capabilities(void)
{
	unsigned long long caps = 0;
	char line[256];
	FILE *file = fopen("/proc/self/status", "re");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	if (file)
		(void)fclose(file);
	return caps;
}

static void report(uid_t caller)
{
	unsigned long long caps = effective_capabilities();

	if (geteuid() != caller || caps)
		escaped("euid %u, capabilities %llx", (unsigned)geteuid(), caps);
	blocked("euid %u, no capabilities", (unsigned)geteuid());
}

int main(int argc, char **argv)
{
	const char *path = need_arg(argc, argv, 1, "path");
	char caller[16];
	int status = 0;

	if (strcmp(path, "report") == 0)
		report((uid_t)number(need_arg(argc, argv, 2, "uid")));
	tried("exec %s", path);
	(void)snprintf(caller, sizeof(caller), "%u", (unsigned)geteuid());
	if (fork() == 0) {
		(void)execl(path, path, "report", caller, NULL);
		blocked("exec: %m");
	}
	if (wait(&status) < 0 || !WIFEXITED(status))
		cannot("the program did not report");
	return WEXITSTATUS(status);
}
