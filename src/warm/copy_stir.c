/* SPDX-License-Identifier: Apache-2.0 */
/* copy_stir.c - a process that will be asked for something in a moment is awake by then.
 *
 * Whoever asks has to judge and to write down first, which takes longer than to
 * wake up.  It would gain nothing if both were on one processor; and the kernel
 * wakes most who wait for a socket there where the writer is.  So who waits
 * may not be there.  It has its processors back when the call ends that took
 * one away: a signal ends it, too, and its handler is a caller's.
 */
#include "warm/copy_stir.h"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <time.h>

#include "warm/copy_calls.h"

enum { WORDS = 128, BITS = 64, AGAIN = -11, WORD_ROOM = 32 };

/* Which processors. */
struct set {
	long len; /* in bytes; not above 0: that is not known */
	uint64_t words[WORDS];
};

static uint64_t now_us(void)
{
	struct timespec t = {0};

	if (CALL2(SYS_clock_gettime, CLOCK_MONOTONIC, &t) != 0)
		return ~0ull;
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void allowed(struct set *ret)
{
	for (size_t i = 0; i < WORDS; i++)
		ret->words[i] = 0;
	ret->len = CALL3(SYS_sched_getaffinity, 0, sizeof(ret->words), ret->words);
	if (copy_failed(ret->len))
		ret->len = 0;
}

static bool allow(const struct set *which)
{
	return CALL3(SYS_sched_setaffinity, 0, which->len, which->words) == 0;
}

static bool is_same(const struct set *a, const struct set *b)
{
	for (size_t i = 0; i < WORDS; i++)
		if (a->words[i] != b->words[i])
			return false;
	return true;
}

/* All but this one; false: there are none. */
static bool without(const struct set *all, uint64_t bit, struct set *ret)
{
	uint64_t some = 0;

	ret->len = all->len;
	for (size_t i = 0; i < WORDS; i++) {
		ret->words[i] = all->words[i];
		if (bit / BITS == i)
			ret->words[i] &= ~(1ull << bit % BITS);
		some |= ret->words[i];
	}
	return some != 0;
}

/* A read would do; but whoever waits in one is also woken when what it wrote is read. */
static void await(int fd)
{
	struct pollfd one = {.fd = fd, .events = POLLIN};

	(void)CALL5(SYS_ppoll, &one, 1, 0, 0, 8);
}

/* Up to the byte end.  No more than fits; nothing else. */
static bool take_digits(const char **at, const char *limit, char end, unsigned *ret)
{
	enum { MOST = 100000000 };
	const char *start = *at;
	unsigned value = 0;

	while (*at < limit && **at >= '0' && **at <= '9' && value < MOST)
		value = 10 * value + (unsigned)(*(*at)++ - '0');
	*ret = value;
	return *at > start && *at < limit && *(*at)++ == end;
}

/* "-3 PLACE 0\n" (python.py).  From another processor it is another matter. */
static bool take_stir(int fd, uint64_t place)
{
	char word[WORD_ROOM];
	long n = CALL5(SYS_recvfrom, fd, word, sizeof(word), MSG_PEEK | MSG_DONTWAIT, 0);
	const char *at = word + 3, *limit = word + (n > 0 ? n : 0);
	unsigned where, none;

	if (n < 3 || word[0] != '-' || word[1] != '3' || word[2] != ' ' ||
	    !take_digits(&at, limit, ' ', &where) || where != place ||
	    !take_digits(&at, limit, '\n', &none) || none != 0)
		return false;
	return CALL5(SYS_recvfrom, fd, word, at - word, MSG_DONTWAIT, 0) == at - word;
}

enum copy_apart copy_apart(uint64_t place, int fd)
{
	struct set all, others, now;
	bool stirred = false;

	allowed(&all);
	if (place == 0 || !without(&all, place - 1, &others) || !allow(&others))
		return COPY_HERE;
	if (fd >= 0) {
		await(fd);
		stirred = take_stir(fd, place);
	}
	/* Unless somebody has chosen something else meanwhile: a process that a caller left. */
	allowed(&now);
	if (is_same(&now, &others))
		(void)allow(&all);
	return stirred ? COPY_STIRRED : COPY_APART;
}

void copy_expect(int fd, uint64_t us)
{
	uint64_t until = now_us() + us;
	char byte;

	while (CALL5(SYS_recvfrom, fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT, 0) == AGAIN &&
	       now_us() < until)
		__builtin_ia32_pause();
}

bool copy_see(int fd, struct copy_snippet *ret)
{
	long n = CALL5(SYS_recvfrom, fd, ret->raw, sizeof(ret->raw), MSG_PEEK | MSG_DONTWAIT, 0);
	const char *at = ret->raw, *limit = ret->raw + (n > 0 ? n : 0);
	unsigned length;

	if (!take_digits(&at, limit, ' ', &ret->number) || ret->number == 0)
		return false;
	ret->nonce = at;
	while (at < limit && *at != ' ' && *at != '\n')
		at++;
	ret->nonce_len = at - ret->nonce;
	if (at == limit || *at++ != ' ' || !take_digits(&at, limit, '\n', &length) ||
	    length > (size_t)(limit - at))
		return false;
	ret->code = at;
	ret->code_len = (ptrdiff_t)length;
	ret->len = (size_t)(at - ret->raw) + length;
	return true;
}

void copy_take(int fd, const struct copy_snippet *s)
{
	char rest[COPY_SNIPPET_MAX];

	(void)CALL5(SYS_recvfrom, fd, rest, s->len, MSG_DONTWAIT, 0);
}
