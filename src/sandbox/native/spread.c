/* SPDX-License-Identifier: Apache-2.0 */
/* spread.c - two processes that work side by side belong on two processors. */
#include "sandbox/native/spread.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "sandbox/native/rawcall.h"

enum { AWAKE_US = 500 };

void stay_awake_for(const uint32_t *word)
{
	uint64_t until = clock_us() + AWAKE_US;

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0 && clock_us() < until)
		(void)sched_yield();
}

void stay_awake_while(const uint32_t *word)
{
	uint64_t until = clock_us() + AWAKE_US;

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) && clock_us() < until)
		(void)raw_call(SYS_sched_yield, 0, 0, 0, 0, 0);
}

void stay_awake(int sock)
{
	struct pollfd fd = {.fd = sock, .events = POLLIN};
	uint64_t until = clock_us() + AWAKE_US;

	/* Unless somebody else wants it. */
	while (poll(&fd, 1, 0) == 0 && clock_us() < until)
		(void)sched_yield();
}

/* How many want a processor now, of all processors and processes; 0: nobody knows. */
static int count_running(void)
{
	int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	char text[64];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *running;
	int count = 0;

	if (fd >= 0)
		(void)close(fd);
	text[n > 0 ? n : 0] = '\0';
	running = strchr(text, '/');
	while (running && running > text && running[-1] >= '0' && running[-1] <= '9')
		running--;
	for (; running && *running >= '0' && *running <= '9' && count < 10000; running++)
		count = 10 * count + (*running - '0');
	return count;
}

/* More than ours may be busy, and then it is wrong for once.  Up to 0 there is room. */
static int count_excess(const cpu_set_t *cpus, int own)
{
	int count = count_running();

	return count > 0 ? count - own - CPU_COUNT(cpus) + 2 : INT_MAX;
}

bool spread_has_room(const cpu_set_t *cpus, int own)
{
	return count_excess(cpus, own) <= 0;
}

bool spread_finds_room(const cpu_set_t *cpus, int own)
{
	int excess = count_excess(cpus, own);

	if (excess != 1)
		return excess < 1;
	/* Since 6.12 the kernel leaves who falls asleep too early in its queue until his turn
	 * comes, and counts him: mostly our parent, which waits for us.  Now it has come.  Were
	 * there more, we would only wait for our own. */
	(void)sched_yield();
	return spread_has_room(cpus, own);
}

void spread_from(unsigned cpu)
{
	unsigned here;

	if (getcpu(&here, NULL) == 0 && here == cpu)
		spread(0, false);
}

void spread_here(pid_t pid, const cpu_set_t *cpus)
{
	cpu_set_t only = {0};
	unsigned here;

	if (CPU_COUNT(cpus) < 2 || getcpu(&here, NULL) < 0)
		return;
	CPU_SET(here, &only);
	(void)sched_setaffinity(pid, sizeof(only), &only);
}

/* Without libc: another process may run in our memory, and errno is also its. */
static void send_to(pid_t pid, bool here, bool for_good)
{
	cpu_set_t all = {0}, some = {0};
	unsigned cpu;

	if (raw_call(SYS_sched_getaffinity, 0, sizeof(all), (long)&all, 0, 0) < 0 ||
	    raw_call(SYS_getcpu, (long)&cpu, 0, 0, 0, 0) < 0)
		return;
	if (here) {
		CPU_SET(cpu, &some);
	} else {
		some = all;
		CPU_CLR(cpu, &some);
	}
	if (CPU_COUNT(&some) == 0 ||
	    raw_call(SYS_sched_setaffinity, pid, sizeof(some), (long)&some, 0, 0) < 0)
		return;
	if (!for_good)
		(void)raw_call(SYS_sched_setaffinity, pid, sizeof(all), (long)&all, 0, 0);
}

void spread(pid_t pid, bool for_good)
{
	send_to(pid, false, for_good);
}

void gather(pid_t pid, bool for_good)
{
	send_to(pid, true, for_good);
}

void spread_apart(pid_t pid, const cpu_set_t *cpus)
{
	cpu_set_t others = *cpus;
	unsigned cpu;

	if (raw_call(SYS_getcpu, (long)&cpu, 0, 0, 0, 0) < 0)
		return;
	CPU_CLR(cpu, &others);
	if (CPU_COUNT(&others) > 0)
		(void)raw_call(SYS_sched_setaffinity, pid, sizeof(others), (long)&others, 0, 0);
}
