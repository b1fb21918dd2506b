/* SPDX-License-Identifier: Apache-2.0 */
/* audit_bench.c - how fast the log takes records, keeps them, and is verified.
 *
 *     audit_bench [DIRECTORY]        default: a new one in /tmp
 *
 * Sixteen writers that each wait for their record are batches of sixteen here.  In "group" a
 * record is acknowledged when it is written, and all are synced and signed every 100 ms; in
 * "always" each batch is on disk before it is acknowledged.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/log.h"
#include "audit/proof.h"
#include "audit/verify.h"
#include "auditlog.h"
#include "base/clock.h"
#include "base/own.h"
#include "scratch.h"

enum {
	WRITERS = 16,
	RUN_US = 3000000,
	SIGN_US = 100000,
	BATCHES_MAX = 1 << 20,
	LARGE = 400000,
	BAR_DURABLE = 10000,
	BAR_VERIFY = 300000,
};

static struct error err;
static uint32_t times[BATCHES_MAX];

struct writers {
	struct buf lines[WRITERS];
	struct log_line in[WRITERS];
	struct receipt receipts[WRITERS];
	size_t bytes;
};

static void writers_fill(struct writers *w)
{
	w->bytes = 0;
	for (size_t i = 0; i < WRITERS; i++) {
		buf_init(&w->lines[i], RECORD_MAX);
		auditlog_line(i, &w->lines[i]);
		w->in[i] = (struct log_line){w->lines[i].data, w->lines[i].len};
		w->bytes += w->lines[i].len;
	}
}

static int append_all(struct log *l, struct writers *w)
{
	for (size_t done = 0; done < WRITERS;) {
		ssize_t n = log_append(l, w->in + done, WRITERS - done, w->receipts + done, &err);

		if (n < 0)
			return -1;
		done += (size_t)n;
	}
	return 0;
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static bool verdict(const char *what, double rate, double bar)
{
	bool ok = rate >= bar;

	printf("%-34s %10.0f records/s   bar %7.0f   %s\n", what, rate, bar, ok ? "ok" : "MISSED");
	return ok;
}

/* Records a second that are on disk at the end, and how long a batch took. */
static int run_writers(const char *dir, struct writers *w, bool always, double *ret_rate)
{
	uint64_t start, now, signed_at, before;
	struct log *l = log_open(dir, NULL, &err);
	size_t n = 0;

	if (!l)
		return -1;
	before = log_size(l);
	start = signed_at = now = clock_us();
	while (now - start < RUN_US && n < BATCHES_MAX) {
		uint64_t batch = now;

		if (append_all(l, w) < 0 || (always && log_sync(l, &err) < 0))
			return -1;
		if (now - signed_at >= SIGN_US) {
			if (log_checkpoint(l, &err) < 0)
				return -1;
			signed_at = now;
		}
		now = clock_us();
		times[n++] = (uint32_t)(now - batch);
	}
	if (log_checkpoint(l, &err) < 0)
		return -1;
	*ret_rate = (double)(log_size(l) - before) / (double)(clock_us() - start) * 1e6;
	qsort(times, n, sizeof(times[0]), by_size);
	printf("  %s: a batch of %d takes p50 %.3f ms, p99 %.3f ms, most %.3f ms\n",
	       always ? "always" : "group", WRITERS, times[n / 2] / 1e3, times[n * 99 / 100] / 1e3,
	       times[n - 1] / 1e3);
	log_close(l);
	return 0;
}

static int fill_large(const char *dir, uint64_t size)
{
	uint64_t start = clock_us();
	struct log *l = log_open(dir, NULL, &err);

	if (!l || auditlog_grow(l, size, &err) < 0)
		return -1;
	log_close(l);
	printf("  one by one, synced as seldom as possible: %.0f records/s\n",
	       (double)size / (double)(clock_us() - start) * 1e6);
	start = clock_us();
	l = log_open(dir, NULL, &err);
	if (!l)
		return -1;
	printf("  opening a log of %llu records: %.2f ms\n", (unsigned long long)size,
	       (double)(clock_us() - start) / 1e3);
	log_close(l);
	return 0;
}

static int verify_large(const char *dir, double *ret_rate)
{
	static const struct verify_options plain;
	static struct verify_report report;
	uint64_t start = clock_us();

	if (verify_log(dir, &plain, &report, &err) < 0)
		return -1;
	*ret_rate = (double)report.records / (double)(clock_us() - start) * 1e6;
	if (report.findings > 0)
		return fail(&err, ERR_INTERNAL, "%s", report.list[0].text);
	return 0;
}

static int prove_some(const char *dir)
{
	struct log_reader *r = log_reader_open(dir, &err);
	uint64_t start = clock_us();
	int ret = 0;
	own(buf) text;

	buf_init(&text, PROOF_MAX);
	for (uint64_t i = 0; r && ret == 0 && i < 200; i++)
		ret = proof_make(r, i * 1999 % LARGE, true, &text, &err);
	printf("  a proof: %.3f ms\n", (double)(clock_us() - start) / 200e3);
	log_reader_close(r);
	return ret;
}

static int bench(const char *dir)
{
	static struct writers w;
	double group = 0, always = 0, verified = 0;
	char path[4096];
	bool ok;

	writers_fill(&w);
	printf("records of %zu bytes, %d writers\n", w.bytes / WRITERS, WRITERS);
	(void)snprintf(path, sizeof(path), "%s/small", dir);
	if (run_writers(path, &w, false, &group) < 0 || run_writers(path, &w, true, &always) < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "%s/large", dir);
	if (fill_large(path, LARGE) < 0 || verify_large(path, &verified) < 0 ||
	    prove_some(path) < 0)
		return -1;
	ok = verdict("durable, group of 100 ms", group, BAR_DURABLE);
	ok &= verdict("durable before each answer", always, 0);
	ok &= verdict("verified", verified, BAR_VERIFY);
	return ok ? 0 : fail(&err, ERR_CONFIG, "a bar was missed");
}

int main(int argc, char **argv)
{
	own(scratch) dir = scratch_make();

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (bench(argc > 1 ? argv[1] : dir.path) == 0)
		return 0;
	printf("audit_bench: %s\n", err.text);
	return 1;
}
