/* SPDX-License-Identifier: Apache-2.0 */
/* log_text.h - ordinary log text, drawn by a seeded generator, and how fast it is cleaned. */
#ifndef TESTS_LOG_TEXT_H
#define TESTS_LOG_TEXT_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/own.h"
#include "pattern_sample.h"
#include "redact/redact.h"

enum { CHUNK = 65536 };

struct text {
	char *data;
	size_t len, room;
	struct sample draw;
};

static inline const char *pick(struct text *t, const char *const *from, size_t n)
{
	return from[sample_below(&t->draw, n)];
}

static inline void add(struct text *t, const char *word)
{
	size_t n = strlen(word);

	if (t->len + n < t->room) {
		memcpy(t->data + t->len, word, n);
		t->len += n;
	}
}

__attribute__((format(printf, 2, 3))) static inline void add_format(struct text *t,
								    const char *format, ...)
{
	char number[128];
	va_list list;

	va_start(list, format);
	(void)vsnprintf(number, sizeof(number), format, list);
	va_end(list);
	add(t, number);
}

static const char *const words[] = {
	"request",  "handler", "started",  "worker",   "completed", "cache",  "miss",
	"for",      "item",    "user",     "session",  "opened",    "closed", "connection",
	"database", "query",   "took",     "rows",     "returned",  "retry",  "scheduled",
	"backend",  "service", "upstream", "response", "bytes",     "sent",   "status",
	"config",   "loaded",  "module",   "thread",   "pool",      "queue",  "depth",
	"key",      "token",   "from",     "to",
};

static inline void add_words(struct text *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		add(t, " ");
		add(t, pick(t, words, ARRAY_LEN(words)));
	}
}

static inline void add_time(struct text *t)
{
	add(t, "2026-11-15T");
	add_format(t, "%02zu:", sample_below(&t->draw, 24));
	add_format(t, "%02zu:", sample_below(&t->draw, 60));
	add_format(t, "%02zu.", sample_below(&t->draw, 60));
	add_format(t, "%03zuZ ", sample_below(&t->draw, 1000));
}

/* Service logs, a web server's, tracebacks, a compiler's: one line in ten has an address. */
static inline void ordinary_line(struct text *t)
{
	static const char *const levels[] = {"INFO", "DEBUG", "WARN", "ERROR"};
	size_t kind = sample_below(&t->draw, 10);

	if (kind == 0) {
		add_format(t, "203.0.%zu.", sample_below(&t->draw, 256));
		add_format(t, "%zu - - [15/Nov/2026:10:00:00 +0000] ", sample_below(&t->draw, 256));
		add_format(t, "\"GET /api/v1/items/%zu HTTP/1.1\" 200 ",
			   sample_below(&t->draw, 100000));
		add_format(t, "%zu \"-\" \"Mozilla/5.0 (X11; Linux x86_64)\"\n",
			   sample_below(&t->draw, 100000));
	} else if (kind == 1) {
		add(t, "  File \"/usr/lib/python3/dist-packages/app/");
		add(t, pick(t, words, ARRAY_LEN(words)));
		add_format(t, ".py\", line %zu, in run\n", sample_below(&t->draw, 900));
	} else if (kind == 2) {
		add_format(t, "[%zu/900] Compiling C object src/core.p/",
			   sample_below(&t->draw, 900));
		add(t, pick(t, words, ARRAY_LEN(words)));
		add(t, ".c.o\n");
	} else {
		add_time(t);
		add(t, pick(t, levels, ARRAY_LEN(levels)));
		add_format(t, " [worker-%zu]", sample_below(&t->draw, 16));
		add_words(t, 4 + sample_below(&t->draw, 10));
		add_format(t, " id=%08zx", sample_below(&t->draw, 0xffffffff));
		add_format(t, " time=%zums\n", sample_below(&t->draw, 900));
	}
}

static inline void count_out(void *context, const char *data, size_t len)
{
	(void)data;
	*(size_t *)context += len;
}

static inline double cpu_s(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* One round over the text, in chunks as the sandbox reads them; ret_found: how much was replaced.
 */
static inline double round_s(struct redact_set *set, const struct text *t, uint64_t *ret_found)
{
	struct error err = {0};
	size_t out = 0;
	struct redactor *r = redactor_new(set, count_out, &out, &err);
	double start = cpu_s();

	for (size_t i = 0; i < t->len; i += CHUNK)
		redactor_feed(r, t->data + i, t->len - i < CHUNK ? t->len - i : CHUNK);
	redactor_finish(r);
	start = cpu_s() - start;
	*ret_found = redactor_total(r);
	redactor_free(r);
	return start;
}

/* MB/s, the best of some rounds. */
static inline double speed_of(struct redact_set *set, const struct text *t, int rounds,
			      uint64_t *ret_found)
{
	double best = 1e9;

	for (int i = 0; i < rounds; i++) {
		double s = round_s(set, t, ret_found);

		best = s < best ? s : best;
	}
	return (double)t->len / best / 1e6;
}

#endif
