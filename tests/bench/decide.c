/* SPDX-License-Identifier: Apache-2.0 */
/* decide.c - how long a decision takes: a call of 1 kB against a tool with ten rules.
 *
 *     decide [ROUNDS]
 *
 * A decision is everything between the bytes that came and yes or no: the JSON is read, the policy
 * judges, the rates are charged.  With ROUNDS it does nothing but that, for callgrind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/jsonread.h"
#include "base/own.h"
#include "policy/judge.h"
#include "policy/meter.h"

enum { ROUNDS = 20000, BAR_US = 50, CALL_MAX = 65536 };

static const char text[] =
	"version: 1\n"
	"clients: { bench: { uid: any, tools: [search, other], rate: 100000000/min } }\n"
	"tools:\n"
	"  other: { kind: code, languages: [python] }\n"
	"  search:\n"
	"    kind: command\n"
	"    exec: [/bin/echo, '--limit={limit}', '--mode={mode}', '--', '{query}']\n"
	"    rate: 100000000/min\n"
	"    args:\n"
	"      query: { type: string, max_len: 1000, pattern: '[\\w .,-]+' }\n"
	"      limit: { type: integer, min: 1, max: 100, default: 20 }\n"
	"      mode: { type: enum, enum: [fast, exact] }\n"
	"      score: { type: number, min: 0, max: 1 }\n"
	"      deep: { type: boolean, default: false }\n"
	"      tags: { type: list, max_len: 20, items: { type: string, max_len: 20 } }\n"
	"      where: { type: url, schemes: [https], hosts: [api.example.com, "
	"'*.data.example.com'] }\n"
	"      note: { type: string, max_len: 1000, multiline: true }\n"
	"      page: { type: object, fields: { from: { type: integer }, to: { type: integer } } }\n"
	"      lang: { type: string, pattern: '[a-z]{2}' }\n";

static const char call_form[] = "{\"query\": \"%s\", \"limit\": 7, \"mode\": \"fast\", \"score\": "
				"0.5, \"deep\": true, \"lang\": "
				"\"en\", \"tags\": [\"one\", \"two\", \"three\"], \"where\": "
				"\"https://a.data.example.com/v1/x\", "
				"\"note\": \"%s\", \"page\": {\"from\": 1, \"to\": 20}}";

struct bench {
	struct policy *policy;
	struct meter *meter;
	char call[2048];
	size_t len;
};

/* Of this process: on a machine that others use, too, the wall clock measures them. */
static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool decide(struct bench *b)
{
	struct error err = {0};
	own_json args = jsonread(b->call, b->len, CALL_MAX, &err);
	const struct tool_call call = {.client = "bench", .tool = "search", .args = args};
	struct remaining left;
	struct judged judged;
	uint64_t ticket;
	struct why why;
	bool yes;

	judged_init(&judged);
	yes = args && policy_judge(b->policy, &call, &judged) == ANSWER_ALLOW &&
	      meter_admit(b->meter, b->policy, judged.client, judged.tool, 1000, &ticket, &left,
			  &why) == ANSWER_ALLOW;
	if (yes)
		meter_leave(b->meter, ticket, judged.client, 1000, 1, 10, &left);
	else
		printf("refused: %s %s\n", err.text, judged.why.what);
	judged_done(&judged);
	return yes;
}

static int prepare(struct bench *b)
{
	static struct complaints wrong;
	struct error err = {0};
	char query[400], note[380];

	memset(query, 'q', sizeof(query) - 1);
	query[sizeof(query) - 1] = '\0';
	memset(note, 'n', sizeof(note) - 1);
	note[sizeof(note) - 1] = '\0';
	b->len = (size_t)snprintf(b->call, sizeof(b->call), call_form, query, note);
	b->policy = policy_parse("bench.yaml", text, strlen(text), &wrong);
	b->meter = meter_open_memory(&err);
	for (size_t i = 0; i < wrong.n; i++)
		printf("%u: %s: %s\n", wrong.list[i].place.line, wrong.list[i].path,
		       wrong.list[i].text);
	return b->policy && b->meter ? 0 : -1;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int measure(struct bench *b, const char *name, clockid_t clock)
{
	static uint64_t ns[ROUNDS];
	double median, p99;

	for (size_t i = 0; i < ROUNDS; i++) {
		uint64_t start = now_ns(clock);

		if (!decide(b))
			return 1;
		ns[i] = now_ns(clock) - start;
	}
	qsort(ns, ROUNDS, sizeof(ns[0]), by_size);
	median = (double)ns[ROUNDS / 2] / 1000;
	p99 = (double)ns[ROUNDS * 99 / 100] / 1000;
	printf("  %-14s median %5.1f us, p99 %5.1f us (bar %d us: %s)\n", name, median, p99, BAR_US,
	       p99 <= (double)BAR_US ? "reached" : "NOT reached");
	return 0;
}

static int measure_both(struct bench *b)
{
	printf("decision for a call of %zu bytes, 10 rules:\n", b->len);
	return measure(b, "processor time", CLOCK_PROCESS_CPUTIME_ID) ||
	       measure(b, "wall clock", CLOCK_MONOTONIC);
}

int main(int argc, char **argv)
{
	static struct bench b;
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	int code;

	if (prepare(&b) < 0)
		return 1;
	if (rounds == 0) {
		code = measure_both(&b);
	} else {
		while (rounds-- > 0 && decide(&b))
			;
		code = rounds >= 0;
	}
	meter_close(b.meter);
	policy_free(b.policy);
	return code;
}
