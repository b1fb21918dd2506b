/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - counts, and writes the counters as Prometheus reads them.
 *
 * Labels are bounded: rows of the table of paths, names of tools that the policy
 * has, names of rules.  Whatever is more than its table is "other".
 */
#include "serve/api/metrics.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "call/rules.h"
#include "call/why.h"

static const int statuses[] = {0,   200, 201, 202, 206, 400, 401, 403, 404, 405, 406, 409,
			       410, 413, 415, 416, 421, 422, 429, 431, 500, 503, 504, 304};
static_assert(ARRAY_LEN(statuses) <= METRIC_STATUSES, "a place for each status");

void metrics_init(struct metrics *m)
{
	memset(m, 0, sizeof(*m));
	(void)snprintf(m->tools[0].name, sizeof(m->tools[0].name), "other");
	m->n_tools = 1;
}

static size_t tool_place(const struct metrics *m, const char *name)
{
	for (size_t i = 1; i < m->n_tools; i++)
		if (strcmp(m->tools[i].name, name) == 0)
			return i;
	return 0;
}

void metrics_tool(struct metrics *m, const char *name)
{
	if (tool_place(m, name) != 0 || m->n_tools == METRIC_TOOLS ||
	    strlen(name) >= KEEP_NAME_ROOM)
		return;
	(void)snprintf(m->tools[m->n_tools++].name, KEEP_NAME_ROOM, "%s", name);
}

void metrics_request(struct metrics *m, const struct route *route, int status, uint64_t us)
{
	size_t row = route ? routes_place(route) : METRIC_ROUTES, at = ARRAY_LEN(statuses) - 1;

	while (at > 0 && statuses[at] != status)
		at--;
	m->requests[row < METRIC_ROUTES ? row : METRIC_ROUTES][at]++;
	histogram_add(&m->request_us, us);
}

/* The part of a rule's path that is the policy's own: its first word; of a tool that the policy has
 * also the tool and what of it; of screening all of it, as its rules have names.  Further on there
 * may be words of the client. */
static void rule_label(const struct metrics *m, const struct keep_facts *f, char ret[LABEL_ROOM])
{
	size_t len = strcspn(f->rule, "."), known = strlen(f->tool);
	const char *rest = f->rule + len;

	if (f->rule[0] == '\0') {
		(void)snprintf(ret, LABEL_ROOM, "none");
		return;
	}
	if (f->layer == WHY_SCREEN) {
		len = strlen(f->rule);
	} else if (len == 5 && strncmp(f->rule, "tools", 5) == 0 && tool_place(m, f->tool) != 0 &&
		   strncmp(rest, ".", 1) == 0 && strncmp(rest + 1, f->tool, known) == 0 &&
		   rest[1 + known] == '.') {
		len += known + 2;
		len += strspn(f->rule + len, "abcdefghijklmnopqrstuvwxyz_");
	}
	(void)snprintf(ret, LABEL_ROOM, "%.*s", (int)(len < LABEL_ROOM ? len : 0), f->rule);
}

/* "tools.search.args" counts as "tools". */
static void count_refusal(struct metrics *m, const char *rule)
{
	char first[LABEL_ROOM];

	(void)snprintf(first, sizeof(first), "%.*s", (int)strcspn(rule, "."), rule);
	labels_add(&m->refusals, first, 1);
}

/* By name as far as names came; what is left of the sum has none. */
static void count_named(struct labels *l, const struct keep_count list[KEEP_COUNTS], uint64_t sum)
{
	for (size_t i = 0; i < KEEP_COUNTS && list[i].name[0]; i++) {
		labels_add(l, list[i].name, list[i].n);
		sum -= list[i].n < sum ? list[i].n : sum;
	}
	l->other += sum;
}

void metrics_answer(struct metrics *m, const struct keep_facts *f)
{
	count_named(&m->found, f->found, f->findings);
	count_named(&m->redacted, f->redacted, f->redactions);
	m->records += f->records;
	m->interpreters += f->interpreters;
	m->warm_refills += f->forked;
	if (f->records && f->last_index > m->last_record)
		m->last_record = f->last_index;
}

/* One that waited, or a reason why it was none that did. */
static void count_start(struct metrics *m, const struct keep_facts *f)
{
	if (f->start >= START_COUNT)
		return;
	m->starts[f->start]++;
	m->warm_hits += f->start == START_WAITING;
	m->warm_misses += f->wanted && f->start != START_WAITING;
	if (f->start == START_WAITING || f->start == START_FORKED)
		histogram_add(&m->age_us, f->interpreter_age_us);
}

void metrics_call(struct metrics *m, const struct keep_facts *f)
{
	char rule[LABEL_ROOM];

	m->tools[tool_place(m, f->tool)].runs[f->status < STATUS_COUNT ? f->status : 0]++;
	if (f->judged && f->decision <= KEEP_DECISION_MAX) {
		rule_label(m, f, rule);
		labels_add(&m->decisions[f->decision], rule, 1);
	}
	if (f->kill_reason < KILL_COUNT)
		m->kills[f->kill_reason]++;
	if (f->rule[0])
		count_refusal(m, f->rule);
	if (f->ran)
		histogram_add(&m->run_us, f->run_us);
	/* A snippet starts nothing. */
	if (f->ran && f->setup_us) {
		histogram_add(&m->setup_us, f->setup_us);
		count_start(m, f);
	}
	histogram_add(&m->path_us, f->path_us);
	m->cpu_us += f->cpu_us;
	m->output_bytes += f->output_bytes;
	m->cut_bytes += f->cut_bytes;
}

static int head(struct buf *out, const char *name, const char *type, const char *help,
		struct error *err)
{
	return buf_printf(out, err, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static int write_requests(const struct metrics *m, struct buf *out, struct error *err)
{
	size_t n;
	const struct route *routes = routes_all(&n);

	if (head(out, "belljar_http_requests_total", "counter", "Requests that were answered.",
		 err) < 0)
		return -1;
	for (size_t row = 0; row <= METRIC_ROUTES; row++)
		for (size_t at = 0; at < ARRAY_LEN(statuses); at++) {
			if (m->requests[row][at] == 0)
				continue;
			if (buf_printf(out, err,
				       "belljar_http_requests_total{method=\"%s\",route=\"%s\","
				       "status=\"%d\"} %" PRIu64 "\n",
				       row < n ? routes_method_name(routes[row].method) : "other",
				       row < n ? routes[row].pattern : "other", statuses[at],
				       m->requests[row][at]) < 0)
				return -1;
		}
	return 0;
}

/* Names of the policy are plain; a quote or backslash would break the line. */
static const char *label(const char *name)
{
	return name[strcspn(name, "\"\\\n")] ? "other" : name;
}

static int write_runs(const struct metrics *m, struct buf *out, struct error *err)
{
	if (head(out, "belljar_runs_total", "counter", "Calls by tool and verdict.", err) < 0)
		return -1;
	for (size_t i = 0; i < m->n_tools; i++)
		for (size_t s = 0; s < STATUS_COUNT; s++)
			if (m->tools[i].runs[s] > 0 &&
			    buf_printf(out, err,
				       "belljar_runs_total{tool=\"%s\",verdict=\"%s\",backend="
				       "\"native\"} %" PRIu64 "\n",
				       label(m->tools[i].name), status_name((enum status)s),
				       m->tools[i].runs[s]) < 0)
				return -1;
	return 0;
}

static int write_decisions(const struct metrics *m, struct buf *out, struct error *err)
{
	static const char name[] = "belljar_policy_decisions_total";
	char before[64];

	if (head(out, name, "counter", "What the policy said, and by which rule.", err) < 0)
		return -1;
	for (size_t i = 0; i <= KEEP_DECISION_MAX; i++) {
		(void)snprintf(before, sizeof(before), "decision=\"%s\",",
			       decision_name((enum decision)i));
		if (labels_write(&m->decisions[i], name, before, "rule", out, err) < 0)
			return -1;
	}
	return 0;
}

static int write_named(const struct metrics *m, struct buf *out, struct error *err)
{
	const struct {
		const struct labels *labels;
		const char *name, *key, *help;
	} rows[] = {
		{&m->refusals, "belljar_refusals_total", "rule",
		 "Refused calls, by what refused them."},
		{&m->redacted, "belljar_redactions_total", "kind", "Secrets cut out of output."},
		{&m->found, "belljar_screen_findings_total", "rule", "What screening found."},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (head(out, rows[i].name, "counter", rows[i].help, err) < 0 ||
		    labels_write(rows[i].labels, rows[i].name, "", rows[i].key, out, err) < 0)
			return -1;
	return 0;
}

static int write_limits(const struct metrics *m, struct buf *out, struct error *err)
{
	if (head(out, "belljar_limits_hit_total", "counter", "Calls that were killed, and why.",
		 err) < 0)
		return -1;
	for (size_t i = KILL_NONE + 1; i < KILL_COUNT; i++)
		if (buf_printf(out, err, "belljar_limits_hit_total{limit=\"%s\"} %" PRIu64 "\n",
			       kill_reason_name((enum kill_reason)i), m->kills[i]) < 0)
			return -1;
	return 0;
}

static int write_starts(const struct metrics *m, struct buf *out, struct error *err)
{
	if (head(out, "belljar_starts_total", "counter",
		 "Programs, by how their process came to be.", err) < 0)
		return -1;
	for (size_t i = 0; i < START_COUNT; i++)
		if (buf_printf(out, err, "belljar_starts_total{how=\"%s\"} %" PRIu64 "\n",
			       start_how_name((enum start_how)i), m->starts[i]) < 0)
			return -1;
	return 0;
}

struct plain {
	const char *name, *help, *type;
	uint64_t value;
};

static int write_plain(const struct plain *rows, size_t n, struct buf *out, struct error *err)
{
	for (size_t i = 0; i < n; i++)
		if (head(out, rows[i].name, rows[i].type, rows[i].help, err) < 0 ||
		    buf_printf(out, err, "%s %" PRIu64 "\n", rows[i].name, rows[i].value) < 0)
			return -1;
	return 0;
}

static int write_counters(const struct metrics *m, const struct metric_gauges *g, struct buf *out,
			  struct error *err)
{
	const struct plain rows[] = {
		{"belljar_output_bytes_total", "Bytes that programs wrote.", "counter",
		 m->output_bytes},
		{"belljar_output_truncated_bytes_total", "Bytes of output that were cut.",
		 "counter", m->cut_bytes},
		{"belljar_audit_records_total", "Records of the log that answers told of.",
		 "counter", m->records},
		{"belljar_audit_last_seq", "The last of them.", "gauge", m->last_record},
		{"belljar_warm_hits_total", "Calls that an interpreter waited for.", "counter",
		 m->warm_hits},
		{"belljar_warm_misses_total", "Calls that one should have waited for.", "counter",
		 m->warm_misses},
		{"belljar_warm_refills_total", "Processes made out of interpreters that wait.",
		 "counter", m->warm_refills},
		{"belljar_warm_interpreters_started_total", "Interpreters started to wait.",
		 "counter", m->interpreters},
		{"belljar_http_bad_keys_total", "Requests with a wrong key.", "counter",
		 m->bad_keys},
		{"belljar_http_throttled_total", "Requests not looked at after wrong keys.",
		 "counter", m->throttled},
		{"belljar_overloaded_total", "Calls turned away because too many waited.",
		 "counter", m->overloaded},
		{"belljar_too_many_total", "Calls turned away by a client's own cap.", "counter",
		 m->too_many},
		{"belljar_cancelled_total", "Calls whose client went away or cancelled them.",
		 "counter", m->cancelled},
		{"belljar_idempotent_replays_total", "Answers that were given again.", "counter",
		 m->replays},
		{"belljar_stream_gaps_total", "Streams whose reader was too slow.", "counter",
		 m->gaps},
		{"belljar_keeper_deaths_total", "Keepers that ended unasked.", "counter",
		 g->keeper_deaths},
	};

	return write_plain(rows, ARRAY_LEN(rows), out, err);
}

static int write_gauges(const struct metric_gauges *g, struct buf *out, struct error *err)
{
	const struct plain rows[] = {
		{"belljar_queue_length", "Calls that wait for a keeper.", "gauge", g->waiting},
		{"belljar_keepers", "Keepers for single calls.", "gauge", g->keepers},
		{"belljar_keepers_ready", "Of those, ready for calls.", "gauge", g->keepers_ready},
		{"belljar_keepers_busy", "Of those, with a call.", "gauge", g->keepers_busy},
		{"belljar_sessions", "Sessions.", "gauge", g->sessions},
		{"belljar_connections", "Connections.", "gauge", g->connections},
		{"belljar_calls_running", "Calls that run.", "gauge", g->calls_running},
		{"belljar_calls_kept", "Calls that ended and are remembered.", "gauge",
		 g->calls_kept},
		{"belljar_calls_kept_bytes", "What those take.", "gauge", g->calls_kept_bytes},
		{"belljar_idempotency_bytes", "Answers kept for their keys.", "gauge",
		 g->once_bytes},
		{"belljar_request_body_bytes", "Bodies that are being taken.", "gauge",
		 g->body_bytes},
		{"belljar_answer_bytes", "Answers that are being sent.", "gauge", g->sending_bytes},
		{"belljar_policy_generation", "How often a policy was loaded.", "gauge",
		 g->generation},
		{"belljar_heap_bytes", "Memory that the front has asked for.", "gauge",
		 g->heap_bytes},
		{"process_resident_memory_bytes", "Memory of the front.", "gauge",
		 g->resident_bytes},
	};

	/* The last only where there is a /proc to ask. */
	return write_plain(rows, ARRAY_LEN(rows) - (g->resident_bytes == 0), out, err);
}

static int write_seconds(const struct metrics *m, const struct metric_gauges *g, struct buf *out,
			 struct error *err)
{
	if (head(out, "belljar_cpu_seconds_total", "counter", "Processor time of programs.", err) <
		    0 ||
	    buf_printf(out, err, "belljar_cpu_seconds_total %.6f\n", (double)m->cpu_us / 1e6) < 0 ||
	    head(out, "belljar_uptime_seconds", "gauge", "How long the front has been up.", err) <
		    0 ||
	    buf_printf(out, err, "belljar_uptime_seconds %.3f\n", (double)g->uptime_us / 1e6) < 0 ||
	    head(out, "belljar_build_info", "gauge", "Which belljar, and which policy.", err) < 0)
		return -1;
	return buf_printf(out, err, "belljar_build_info{version=\"%s\",policy_sha256=\"%s\"} 1\n",
			  BELLJAR_VERSION, g->policy_sha256);
}

int metrics_write(const struct metrics *m, const struct metric_gauges *g, struct buf *out,
		  struct error *err)
{
	const struct {
		const struct histogram *h;
		const char *name, *help;
	} histograms[] = {
		{&m->request_us, "belljar_http_request_duration_seconds",
		 "From a request's head to the end of its answer."},
		{&m->queue_us, "belljar_queue_wait_seconds", "How long calls waited for a keeper."},
		{&m->run_us, "belljar_run_duration_seconds", "How long programs ran."},
		{&m->setup_us, "belljar_sandbox_start_seconds",
		 "From the request for a box to the program's first instruction."},
		{&m->path_us, "belljar_call_path_seconds", "A call from its keeper's view."},
		{&m->age_us, "belljar_warm_interpreter_age_seconds",
		 "How old the interpreter was that a call came out of."},
	};

	if (write_requests(m, out, err) < 0 || write_runs(m, out, err) < 0 ||
	    write_decisions(m, out, err) < 0 || write_named(m, out, err) < 0 ||
	    write_limits(m, out, err) < 0 || write_starts(m, out, err) < 0 ||
	    write_counters(m, g, out, err) < 0 || write_gauges(g, out, err) < 0 ||
	    write_seconds(m, g, out, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(histograms); i++)
		if (histogram_write(histograms[i].h, histograms[i].name, histograms[i].help, out,
				    err) < 0)
			return -1;
	return 0;
}
