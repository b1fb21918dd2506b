/* SPDX-License-Identifier: Apache-2.0 */
/* fork_bomb.c - attacks the process limit.
 *
 * count N: N children at once.  threads N: N threads.  endless MARKER: everybody forks for ever.
 */
#include <pthread.h>
#include <signal.h>

#include "escape.h"

static void by_count(int argc, char **argv)
{
	uint64_t want = number(need_arg(argc, argv, 2, "how many"));

	tried("%llu children", (unsigned long long)want);
	for (uint64_t i = 0; i < want; i++) {
		pid_t child = fork();

		if (child < 0)
			blocked("after %llu: %m", (unsigned long long)i);
		if (child == 0) {
			(void)alarm(20);
			(void)pause();
			_exit(0);
		}
	}
	/* Where there is no box, nobody else would end them. */
	(void)sigaction(SIGTERM, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
	(void)kill(0, SIGTERM);
	escaped("all of them");
}

static void *stay(void *nothing)
{
	(void)pause();
	return nothing;
}

static void by_threads(int argc, char **argv)
{
	uint64_t want = number(need_arg(argc, argv, 2, "how many"));
	pthread_attr_t small;

	tried("%llu threads", (unsigned long long)want);
	(void)pthread_attr_init(&small);
	(void)pthread_attr_setstacksize(&small, 65536);
	for (uint64_t i = 0; i < want; i++) {
		pthread_t thread;

		errno = pthread_create(&thread, &small, stay, NULL);
		if (errno)
			blocked("after %llu: %m", (unsigned long long)i);
	}
	escaped("all of them");
}

static void by_endless(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	tried("for ever");
	for (;;)
		(void)fork();
}

static const struct way ways[] = {
	{"count", by_count},     /* so many */
	{"threads", by_threads}, /* so many, sharing memory */
	{"endless", by_endless}, /* never without a box */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
