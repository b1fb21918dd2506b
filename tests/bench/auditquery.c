/* SPDX-License-Identifier: Apache-2.0 */
/* auditquery.c - how long a question about a million records takes: auditquery [RECORDS]. */
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auditread/logindex.h"
#include "base/clock.h"
#include "base/own.h"
#include "base/text.h"

enum { RECORDS = 1000000, BATCH = 1024, ROUNDS = 21, LINE = 1024 };

/* The median of a hundred hits must not take longer than a person notices. */
enum { BAR_MS = 100 };

static uint64_t noise = 88172645463325252u;

/* Good enough to spread ids and tools; the same in every run. */
static uint64_t next_noise(void)
{
	noise ^= noise << 13;
	noise ^= noise >> 7;
	noise ^= noise << 17;
	return noise;
}

static size_t make_line(uint64_t call, bool begin, const char *id, char *ret)
{
	static const char *const tools[] = {"execute_code", "run_command", "read_report", "fetch"};
	static const char *const statuses[] = {"success", "success",          "success",
					       "success", "success",          "error",
					       "timeout", "resource_exceeded"};
	char time[RECORD_TIME];
	int n;

	record_time(1794700000000 + call * 40 + (begin ? 0 : 25), time);
	if (begin)
		n = snprintf(ret, LINE,
			     "{\"args\":\"{\\\"code\\\":\\\"print(%" PRIu64 ")\\\"}\",\"client\":"
			     "\"client-%" PRIu64 "\",\"decision\":\"allow\",\"id\":\"%s\",\"kind\":"
			     "\"started\",\"time\":\"%s\",\"tool\":\"%s\",\"uid\":1000,\"v\":1}",
			     call, call % 17, id, time, tools[call * 7 % 4]);
	else
		n = snprintf(ret, LINE,
			     "{\"client\":\"client-%" PRIu64 "\",\"exit_code\":0,\"id\":\"%s\","
			     "\"kind\":\"finished\",\"run_us\":25000,\"setup_us\":1100,\"status\":"
			     "\"%s\",\"time\":\"%s\",\"tool\":\"%s\",\"usage\":{\"cpu_user_us\":"
			     "9000,\"memory_peak_bytes\":9437184},\"v\":1}",
			     call % 17, id, statuses[call / 4 * 13 % 8], time, tools[call * 7 % 4]);
	return (size_t)n;
}

static int append_all(struct log *l, struct log_line *lines, size_t n, struct error *err)
{
	static struct receipt receipts[BATCH];

	while (n) {
		ssize_t taken = log_append(l, lines, n, receipts, err);

		if (taken < 0)
			return -1;
		lines += taken;
		n -= (size_t)taken;
	}
	return 0;
}

static int make_log(const char *path, uint64_t records, struct error *err)
{
	__attribute__((cleanup(log_end))) struct log *l = log_open(path, "bench", err);
	static char text[BATCH][LINE];
	static struct log_line lines[BATCH];

	for (uint64_t done = 0; l && done < records; done += BATCH) {
		for (size_t i = 0; i < BATCH; i += 2) {
			char id[40];

			(void)snprintf(id, sizeof(id), "bj-%016" PRIx64 "%08" PRIx64, next_noise(),
				       next_noise() & 0xffffffff);
			for (size_t k = 0; k < 2; k++)
				lines[i + k] = (struct log_line){
					text[i + k],
					make_line((done + i) / 2, k == 0, id, text[i + k])};
		}
		if (append_all(l, lines, BATCH, err) < 0)
			return -1;
	}
	return l ? log_checkpoint(l, err) : -1;
}

static int each(void *context, const struct index_hit *h, struct error *err)
{
	uint64_t *sum = context;

	(void)err;
	*sum += h->first;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The median, in microseconds; every question is asked of an index that is opened anew. */
static int ask(struct log_reader *r, const struct index_query *q, uint64_t *ret_us, uint64_t *ret_n,
	       struct error *err)
{
	static const struct index_options none = {0};
	uint64_t took[ROUNDS], sum = 0;

	for (size_t i = 0; i < ROUNDS; i++) {
		uint64_t start = clock_us();
		__attribute__((cleanup(logindex_end))) struct logindex *x =
			logindex_open(r, &none, err);

		if (!x || logindex_find(x, q, each, &sum, ret_n, err) < 0)
			return -1;
		took[i] = clock_us() - start;
	}
	qsort(took, ROUNDS, sizeof(took[0]), by_value);
	*ret_us = took[ROUNDS / 2];
	return 0;
}

static int measure(const char *path, uint64_t records, struct error *err)
{
	static const struct {
		const char *title;
		struct index_query q;
	} rows[] = {
		{"tool and status, latest 100",
		 {.tool = "execute_code", .status = "timeout", .limit = 100}},
		{"client, latest 100", {.client = "client-3", .limit = 100}},
		{"status, one hour",
		 {.status = "error",
		  .since_ms = 1794706000000,
		  .until_ms = 1794709600000,
		  .limit = 100}},
		{"a tool that nobody called", {.tool = "nothing", .limit = 100}},
	};
	static const struct index_options none = {0};
	__attribute__((cleanup(log_reader_end))) struct log_reader *r = NULL;
	uint64_t start, took, n, first = 0;

	start = clock_us();
	if (make_log(path, records, err) < 0)
		return -1;
	took = clock_us() - start;
	(void)printf("%-34s %9.0f ms  (%.0f records a second)\n", "making the log",
		     (double)took / 1e3, (double)records * 1e6 / (double)took);
	r = log_reader_open(path, err);
	if (!r)
		return -1;
	start = clock_us();
	logindex_close(logindex_open(r, &none, err));
	took = clock_us() - start;
	(void)printf("%-34s %9.0f ms  (%.0f records a second)\n", "index.db from nothing",
		     (double)took / 1e3, (double)records * 1e6 / (double)took);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (ask(r, &rows[i].q, &took, &n, err) < 0)
			return -1;
		(void)printf("%-34s %9.1f ms  (%" PRIu64 " hits)\n", rows[i].title,
			     (double)took / 1e3, n);
		if (i == 0)
			first = took;
	}
	(void)printf("%s: query by tool and status over %" PRIu64 " records: %.1f ms, bar %d ms\n",
		     first <= BAR_MS * 1000 ? "PASS" : "FAIL", records, (double)first / 1e3,
		     BAR_MS);
	return first <= BAR_MS * 1000 ? 0 : fail(err, ERR_SYSTEM, "slower than the bar");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

int main(int argc, char **argv)
{
	char path[] = "/var/tmp/belljar-auditquery-XXXXXX";
	struct error err = {0};
	uint64_t records = RECORDS;
	int result;

	if (argc > 1 && text_parse_uint(argv[1], &records, &err) < 0)
		return 1;
	if (!mkdtemp(path))
		return 1;
	result = measure(path, records, &err);
	if (result < 0)
		(void)fprintf(stderr, "auditquery: %s\n", err.text);
	(void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return result < 0;
}
