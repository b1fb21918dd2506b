/* SPDX-License-Identifier: Apache-2.0 */
/* meterstate_fuzz.c - a state file of any bytes: it admits no more than a fresh one, and never for
 * ever nobody.
 *
 * The input is laid over the sectors that the calls use, once as it is and once
 * with the checks put right: behind a right check anything may stand.
 */
#include "fuzz.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "policy/meter.h"
#include "policy/meterstore.h"

enum { NOW_MS = 1000000, CALLS = 3, TRIES = 5, SECTORS = 8 };

static struct rate rate = {.limit = CALLS, .per_ms = 60000, .burst = CALLS, .key = 3};
static const struct policy policy = {.rates.unlimited = true};
static const struct client client = {
	.name = "c",
	.rates.unlimited = true,
	.budget = {.per_ms = 60000, .calls = CALLS, .cpu_ms = 1000},
};
static const struct tool tool = {.name = "t", .rates = {.rate = &rate, .n = 1}, .concurrency = 1};

static char dir[] = "/dev/shm/belljar-fuzz-XXXXXX"; /* in memory: thousands of files */
static union sector fresh[SECTORS]; /* a file in use: its head, its buckets, its windows */
static uint32_t number[SECTORS];
static size_t n_sectors;

static int state_fd(int flags)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/meter", dir);
	fd = open(path, O_RDWR | O_CLOEXEC | flags, 0600);
	if (fd < 0)
		abort();
	return fd;
}

static unsigned admit_all(struct meter *m, uint64_t now_ms)
{
	unsigned n = 0;

	for (int i = 0; i < TRIES; i++) {
		struct remaining left;
		struct why why = {0};
		uint64_t ticket;

		if (meter_admit(m, &policy, &client, &tool, now_ms, &ticket, &left, &why) ==
		    ANSWER_ALLOW) {
			assert(left.calls < CALLS && left.rate_calls < CALLS);
			meter_leave(m, ticket, &client, now_ms, 1, 1, &left);
			n++;
		} else {
			assert(why.layer == WHY_LIMIT && why.rule[0] && !why.permanent);
		}
	}
	return n;
}

static void remove_dir(void)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "%s/meter", dir);
	(void)unlink(path);
	(void)rmdir(dir);
}

/* The sectors that the calls below use, as a call left them. */
static void learn(void)
{
	struct error err = {0};
	own_meter m = NULL;
	own_fd fd = -1;

	if (!mkdtemp(dir))
		abort();
	m = meter_open(dir, &err);
	if (!m || admit_all(m, NOW_MS) != CALLS)
		abort();
	fd = state_fd(0);
	for (uint32_t i = 0; i < STORE_SECTORS && n_sectors < SECTORS; i++) {
		union sector *x = &fresh[n_sectors];

		if (pread(fd, x, SECTOR_BYTES, (off_t)i * SECTOR_BYTES) != SECTOR_BYTES)
			abort();
		if (x->word[0])
			number[n_sectors++] = i;
	}
	if (n_sectors < 4)
		abort();
	remove_dir();
}

/* Over a good file: a zero leaves a byte as it is. */
static void lay(int fd, const uint8_t *data, size_t size, bool sealed)
{
	for (size_t i = 0; i < n_sectors; i++) {
		size_t from = i * SECTOR_BYTES;
		size_t n = from < size ? size - from : 0;
		union sector x = fresh[i];

		if (n > SECTOR_BYTES)
			n = SECTOR_BYTES;
		for (size_t k = 0; k < n; k++)
			((uint8_t *)&x)[k] ^= data[from + k];
		if (sealed) {
			if (i == 0) { /* what is refused at once is tried unsealed */
				x.head.magic = fresh[0].head.magic;
				x.head.version = fresh[0].head.version;
				x.head.sector_bytes = fresh[0].head.sector_bytes;
				x.head.bucket_sectors = fresh[0].head.bucket_sectors;
				x.head.window_sectors = fresh[0].head.window_sectors;
				memcpy(x.head.secret, fresh[0].head.secret, sizeof(x.head.secret));
			}
			x.word[0] = store_check(&x, number[i], fresh[0].head.secret);
		}
		if (pwrite(fd, &x, SECTOR_BYTES, (off_t)number[i] * SECTOR_BYTES) != SECTOR_BYTES)
			abort();
	}
}

static void try_file(const uint8_t *data, size_t size, bool sealed)
{
	own_fd fd = state_fd(O_CREAT | O_TRUNC);
	struct error err = {0};
	own_meter m = NULL;
	unsigned first, later;

	if (ftruncate(fd, (off_t)STORE_SECTORS * SECTOR_BYTES) < 0)
		abort();
	lay(fd, data, size, sealed);
	m = meter_open(dir, &err);
	if (!m) {
		assert(err.text[0]);
		return;
	}
	first = admit_all(m, NOW_MS);
	assert(first <= CALLS);
	later = admit_all(m, NOW_MS + 60000);
	/* One minute and its refill; a budget remembers a little longer. */
	assert(later <= CALLS);
	later = admit_all(m, NOW_MS + 200000);
	assert(later <= CALLS);
	/* Behind right checks nobody is shut out for ever, however it came to be. */
	if (sealed && err.kind == ERR_NONE && meter_error(m)->kind == ERR_NONE)
		assert(later == CALLS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (n_sectors == 0)
		learn();
	if (size > SECTORS * SECTOR_BYTES)
		return 0;
	if (mkdir(dir, 0700) < 0)
		abort();
	try_file(data, size, false);
	try_file(data, size, true);
	remove_dir(); /* not at exit: whoever runs us may just leave */
	return 0;
}
