/* SPDX-License-Identifier: Apache-2.0 */
/* core_dump.c - attacks disk and memory through a core file of a process that dies on purpose. */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "escape.h"

int main(void)
{
	struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
	struct rlimit limit;
	int status = 0;
	pid_t child;

	(void)getrlimit(RLIMIT_CORE, &limit);
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_CORE, &all) < 0)
		(void)setrlimit(RLIMIT_CORE, &limit);
	tried("dump core, hard limit %llu", (unsigned long long)limit.rlim_max);
	child = fork();
	if (child == 0)
		abort();
	if (child < 0 || waitpid(child, &status, 0) < 0)
		cannot("fork: %m");
	if (!WIFSIGNALED(status))
		cannot("the child did not die of a signal");
	if (WCOREDUMP(status))
		escaped("dumped");
	blocked("died of signal %d without a dump", WTERMSIG(status));
}
