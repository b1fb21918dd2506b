/* SPDX-License-Identifier: Apache-2.0 */
/* cpu_burn.c - attacks the processor limits.
 *
 * plain MS: burn so much processor time.  children MS: the same in children that each live for
 * 20 ms, so that no single one meets a limit of its own.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include "escape.h"

static uint64_t used_ms(int who)
{
	struct rusage usage;

	(void)getrusage(who, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

static void burn(uint64_t ms)
{
	volatile uint64_t spin = 0;

	while (used_ms(RUSAGE_SELF) < ms)
		for (int i = 0; i < 100000; i++)
			spin = spin + 1;
}

static void by_plain(int argc, char **argv)
{
	uint64_t ms = number(need_arg(argc, argv, 2, "ms"));

	tried("burn %llu ms", (unsigned long long)ms);
	burn(ms);
	escaped("burnt");
}

static void by_children(int argc, char **argv)
{
	uint64_t ms = number(need_arg(argc, argv, 2, "ms"));

	tried("burn %llu ms in children", (unsigned long long)ms);
	while (used_ms(RUSAGE_CHILDREN) < ms) {
		if (fork() == 0) {
			burn(20);
			_exit(0);
		}
		(void)wait(NULL);
	}
	escaped("burnt");
}

static const struct way ways[] = {
	{"plain", by_plain},       /* one process */
	{"children", by_children}, /* many short ones */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
