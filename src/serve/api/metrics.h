/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.h - counters of the service; nothing of what clients send becomes a label. */
#ifndef SERVE_API_METRICS_H
#define SERVE_API_METRICS_H

#include <stdint.h>

#include "base/buf.h"
#include "keeper/keeptalk.h"
#include "serve/api/histogram.h"
#include "serve/api/labels.h"
#include "serve/api/routes.h"

enum { METRIC_ROUTES = 64, METRIC_STATUSES = 24, METRIC_TOOLS = 128 };

struct metric_tool {
	char name[KEEP_NAME_ROOM];
	uint64_t runs[STATUS_COUNT];
};

struct metrics {
	/* By row of the table, the last: no row; by place in the list of statuses. */
	uint64_t requests[METRIC_ROUTES + 1][METRIC_STATUSES];
	struct histogram request_us, queue_us, run_us, setup_us, path_us, age_us;
	uint64_t starts[START_COUNT];
	uint64_t warm_hits, warm_misses, warm_refills, interpreters;
	struct metric_tool tools[METRIC_TOOLS]; /* [0]: all others */
	size_t n_tools;
	struct labels decisions[KEEP_DECISION_MAX + 1]; /* by rule; "none" refused nothing */
	struct labels refusals, redacted, found;
	uint64_t kills[KILL_COUNT];
	uint64_t cpu_us, output_bytes, cut_bytes;
	uint64_t bad_keys, throttled, overloaded, too_many, replays, gaps, cancelled;
	uint64_t records, last_record; /* of which answers told us */
};

/* What is read off when somebody asks. */
struct metric_gauges {
	uint64_t waiting, keepers, keepers_ready, keepers_busy, keeper_deaths;
	uint64_t sessions, connections, calls_running, calls_kept, calls_kept_bytes;
	uint64_t once_bytes, heap_bytes, resident_bytes, body_bytes, sending_bytes;
	uint64_t uptime_us, generation;
	const char *policy_sha256;
};

void metrics_init(struct metrics *m);
/* A tool of the policy, so that it has a label of its own. */
void metrics_tool(struct metrics *m, const char *name);
/* route: NULL for none. */
void metrics_request(struct metrics *m, const struct route *route, int status, uint64_t us);
/* What every answer of a keeper tells: findings and records. */
void metrics_answer(struct metrics *m, const struct keep_facts *facts);
/* And what one of a call does. */
void metrics_call(struct metrics *m, const struct keep_facts *facts);
int metrics_write(const struct metrics *m, const struct metric_gauges *g, struct buf *out,
		  struct error *err);

#endif
