/* SPDX-License-Identifier: Apache-2.0 */
/* copy_stir.c - a process that will be asked for something in a moment is awake by then.
 *
 * Whoever asks has to judge and to write down first, which takes longer than to
 * wake up.  It would gain nothing if both were on one processor; and the kernel
 * wakes most who wait for a socket there where the writer is.  So who waits
 * may not be there, and has its processors back before anything of a
 * caller's runs.
 */
#include "warm/copy_stir.h"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <time.h>

#include "warm/copy_calls.h"

enum { WORDS = 128, BITS = 64, AGAIN = -11 };

/* Of the thread that waits; len 0: it is anywhere. */
static struct {
	uint64_t place;
	long len;
	uint64_t all[WORDS];
} apart;

static uint64_t now_us(void)
{
	struct timespec t;

	if (CALL2(SYS_clock_gettime, CLOCK_MONOTONIC, &t) != 0)
		return ~0ull;
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

void copy_anywhere(void)
{
	if (apart.len)
		(void)CALL3(SYS_sched_setaffinity, 0, apart.len, apart.all);
	apart.len = 0;
}

void copy_apart(uint64_t place)
{
	uint64_t others[WORDS], bit = place - 1, some = 0;
	long len;

	if (apart.len && apart.place == place)
		return;
	copy_anywhere();
	if (place == 0 || bit / BITS >= WORDS)
		return;
	len = CALL3(SYS_sched_getaffinity, 0, sizeof(apart.all), apart.all);
	if (copy_failed(len) || len % 8 != 0)
		return;
	for (long i = 0; i < len / 8; i++) {
		others[i] = apart.all[i];
		if (bit / BITS == (uint64_t)i)
			others[i] &= ~(1ull << bit % BITS);
		some |= others[i];
	}
	if (!some || CALL3(SYS_sched_setaffinity, 0, len, others) != 0)
		return;
	apart.len = len;
	apart.place = place;
}

void copy_await(int fd)
{
	struct pollfd one = {.fd = fd, .events = POLLIN};

	(void)CALL5(SYS_ppoll, &one, 1, 0, 0, 8);
}

void copy_expect(int fd, uint64_t us)
{
	uint64_t until = now_us() + us;
	char byte;

	while (CALL5(SYS_recvfrom, fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT, 0) == AGAIN &&
	       now_us() < until)
		__builtin_ia32_pause();
}
