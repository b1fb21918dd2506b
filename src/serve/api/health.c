/* SPDX-License-Identifier: Apache-2.0 */
/* health.c - what the front says of itself: alive, ready, which version, how much of everything. */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "serve/api/front.h"

enum { SMALL = 4096, METRICS_BYTES = 1 << 20, OPENAPI_BYTES = 4 << 20 };

static const struct {
	uint64_t bit;
	const char *name, *missing;
} roles[] = {
	{ROLE_UP_SELF_TEST, "self_test", "no box has passed the self-test"},
	{ROLE_UP_WARDEN, "warden", "the process that makes boxes is not there, or does not answer"},
	{ROLE_UP_SCRIBE, "audit_log", "the audit log cannot be written"},
};

static void write_check(struct jsonout *j, const char *name, bool fine, const char *missing)
{
	jsonout_object(j, name);
	jsonout_bool(j, "ok", fine);
	if (!fine)
		jsonout_str(j, "why", missing);
	jsonout_object_end(j);
}

/* Is the role there, and does it do its work, as far as calls have seen? */
static bool is_fine(const struct front *f, uint64_t bit)
{
	if (bit == ROLE_UP_SCRIBE && f->log_fails_us &&
	    clock_us() - f->log_fails_us < LOG_FAILS_S * UINT64_C(1000000))
		return false;
	return f->state & bit;
}

static void ready(struct visit *v)
{
	struct front *f = v->front;
	size_t keepers = pool_ready(&f->pool);
	bool stuck = pool_is_stuck(&f->pool, clock_us());
	bool all = keepers > 0 && !stuck && !f->draining;
	struct error err = {0};
	struct jsonout j;
	own(buf) out;

	for (size_t i = 0; i < ARRAY_LEN(roles); i++)
		all = all && is_fine(f, roles[i].bit);
	buf_init(&out, SMALL);
	jsonout_start(&j, &out, &err);
	jsonout_object(&j, NULL);
	jsonout_bool(&j, "ready", all);
	jsonout_object(&j, "checks");
	for (size_t i = 0; i < ARRAY_LEN(roles); i++)
		write_check(&j, roles[i].name, is_fine(f, roles[i].bit), roles[i].missing);
	write_check(&j, "keepers", keepers > 0, "no process for calls is ready");
	write_check(&j, "slots", !stuck, "calls wait for boxes that do not answer");
	write_check(&j, "serving", !f->draining, "the service is being stopped");
	jsonout_object_end(&j);
	/* Not needed for calls. */
	jsonout_bool(&j, "audit_reader", f->reader.ready);
	jsonout_bool(&j, "idempotency_survives_restart", f->config.directory != NULL);
	jsonout_object_end(&j);
	(void)jsonout_end(&j);
	if (all)
		respond_json(v, 200, &out);
	else
		respond(v, &(struct response){.status = 503,
					      .body = buf_str(&out),
					      .len = out.len,
					      .retry_after_s = 1});
}

static uint64_t resident_bytes(const struct front *f)
{
	char text[128] = "";
	uint64_t pages = 0;
	ssize_t n = f->statm >= 0 ? pread(f->statm, text, sizeof(text) - 1, 0) : -1;

	if (n <= 0 || sscanf(text, "%*u %" SCNu64, &pages) != 1)
		return 0;
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void metrics(struct visit *v)
{
	const struct front *f = v->front;
	struct metric_gauges g = {
		.waiting = f->pool.n_waiting + f->pool.n_opening,
		.keepers = f->pool.n_keepers,
		.keepers_ready = pool_ready(&f->pool),
		.keepers_busy = f->pool.n_busy,
		.keeper_deaths = f->pool.deaths,
		.sessions = f->sessions.n_live,
		.connections = f->http ? http_connections(f->http) : 0,
		.calls_running = f->book.n_running,
		.calls_kept = f->book.n_kept,
		.calls_kept_bytes = f->book.bytes,
		.once_bytes = once_bytes(f->once),
		.resident_bytes = resident_bytes(f),
		.body_bytes = f->body_bytes,
		.sending_bytes = f->sending_bytes,
		.uptime_us = clock_us() - f->started_us,
		.generation = f->view->generation,
		.policy_sha256 = f->view->policy_sha256,
	};
	struct mallinfo2 heap = mallinfo2();
	struct error err = {0};
	own(buf) out;

	g.heap_bytes = heap.uordblks + heap.hblkhd;
	buf_init(&out, METRICS_BYTES);
	if (metrics_write(&f->metrics, &g, &out, &err) < 0 || out.cut)
		respond_problem(v, PROBLEM_OVERLOADED, "out of memory");
	else
		respond(v, &(struct response){.status = 200,
					      .type = "text/plain; version=0.0.4; charset=utf-8",
					      .body = buf_str(&out),
					      .len = out.len});
}

static void version(struct visit *v)
{
	const struct view *view = v->front->view;
	struct error err = {0};
	struct jsonout j;
	own(buf) out;

	buf_init(&out, SMALL);
	jsonout_start(&j, &out, &err);
	jsonout_object(&j, NULL);
	jsonout_str(&j, "name", "belljar");
	jsonout_str(&j, "version", BELLJAR_VERSION);
	jsonout_str(&j, "api", "v1");
	jsonout_str(&j, "policy_sha256", view->policy_sha256);
	jsonout_uint(&j, "policy_generation", view->generation);
	jsonout_object_end(&j);
	(void)jsonout_end(&j);
	respond_json(v, 200, &out);
}

static void say(struct visit *v, int status, const char *object)
{
	respond(v, &(struct response){.status = status, .body = object, .len = strlen(object)});
}

/* The same for all, and not quickly made. */
static void openapi(struct visit *v)
{
	struct buf *text = &v->front->openapi;
	struct error err = {0};

	if (!text->data) {
		buf_init(text, OPENAPI_BYTES);
		if (openapi_write(text, &err) < 0) {
			buf_done(text);
			respond_problem(v, PROBLEM_OVERLOADED, "out of memory");
			return;
		}
	}
	respond_json(v, 200, text);
}

void health_serve(struct visit *v)
{
	switch (v->match.route->does) {
	case DOES_HEALTH:
		say(v, 200, "{\"ok\":true}");
		break;
	case DOES_READY:
		ready(v);
		break;
	case DOES_VERSION:
		version(v);
		break;
	case DOES_METRICS:
		metrics(v);
		break;
	case DOES_OPENAPI:
		openapi(v);
		break;
	case DOES_RELOAD:
		reloading_serve(v);
		break;
	case DOES_ASK:
	case DOES_LIST:
	case DOES_SHOW:
	case DOES_OUTPUT:
	case DOES_CANCEL:
		respond_problem(v, PROBLEM_INTERNAL, "nobody serves this path");
		break;
	}
}
