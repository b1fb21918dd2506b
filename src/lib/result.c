/* SPDX-License-Identifier: Apache-2.0 */
/* result.c - an account becomes what belljar.h shows of it.
 *
 * The public struct points into the account, which stays behind it: nothing
 * is copied, and bj_result_json() writes what the command line would.
 */
#include "lib/result.h"

#include <assert.h>
#include <stdlib.h>

#include "base/own.h"

#define EXPORT __attribute__((visibility("default")))

struct result {
	struct bj_result shown; /* first: a pointer to it is a pointer to us */
	struct account account;
	struct bj_usage usage;
	struct bj_layer layers[LAYER_COUNT];
	struct bj_artifact *artifacts;
	struct buf json;
};

static_assert(offsetof(struct result, shown) == 0, "cast by bj_result_free()");
static_assert((int)BJ_UNKNOWN == (int)STATUS_UNKNOWN && (int)BJ_DENIED == (int)STATUS_DENIED &&
		      (int)BJ_SUCCESS == (int)STATUS_SUCCESS &&
		      (int)BJ_ERROR == (int)STATUS_ERROR &&
		      (int)BJ_TIMEOUT == (int)STATUS_TIMEOUT &&
		      (int)BJ_RESOURCE_EXCEEDED == (int)STATUS_RESOURCE_EXCEEDED &&
		      (int)STATUS_COUNT == 6,
	      "belljar.h has the same statuses");
static_assert((int)BJ_KILL_NONE == (int)KILL_NONE && (int)BJ_KILL_WALL == (int)KILL_WALL &&
		      (int)BJ_KILL_CPU == (int)KILL_CPU &&
		      (int)BJ_KILL_MEMORY == (int)KILL_MEMORY &&
		      (int)BJ_KILL_PROCESSES == (int)KILL_PROCESSES &&
		      (int)BJ_KILL_DISK == (int)KILL_DISK &&
		      (int)BJ_KILL_OUTPUT == (int)KILL_OUTPUT &&
		      (int)BJ_KILL_SIGNAL == (int)KILL_SIGNAL &&
		      (int)BJ_KILL_VIOLATION == (int)KILL_VIOLATION &&
		      (int)BJ_KILL_CANCELLED == (int)KILL_CANCELLED &&
		      (int)BJ_KILL_CANARY == (int)KILL_CANARY && (int)KILL_COUNT == 11,
	      "belljar.h has the same reasons");
static_assert((int)BJ_LAYER_OFF == (int)LAYER_OFF &&
		      (int)BJ_LAYER_DEGRADED == (int)LAYER_DEGRADED &&
		      (int)BJ_LAYER_FULL == (int)LAYER_FULL,
	      "belljar.h has the same states");

static void show_usage(const struct usage *u, struct bj_usage *ret)
{
	*ret = (struct bj_usage){
		.cpu_user_us = u->cpu_user_us,
		.cpu_system_us = u->cpu_system_us,
		.cpu_throttled_us = u->cpu_throttled_us,
		.memory_peak_bytes = u->memory_peak_bytes,
		.processes_peak = u->processes_peak,
		.disk_peak_bytes = u->disk_peak_bytes,
		.inodes_peak = u->inodes_peak,
		.minor_faults = u->minor_faults,
		.major_faults = u->major_faults,
		.read_bytes = u->read_bytes,
		.write_bytes = u->write_bytes,
		.forks_refused = u->forks_refused,
		.memory_limit_hits = u->memory_limit_hits,
		.disk_full = u->disk_full,
		.inodes_full = u->inodes_full,
	};
}

static void show_layers(struct result *r)
{
	for (int i = 0; i < LAYER_COUNT; i++) {
		const struct layer_report *report = &r->account.outcome.layers[i];

		r->layers[i] = (struct bj_layer){
			.name = layer_name((enum layer)i),
			.state = (enum bj_layer_state)report->state,
			.detail = report->detail,
		};
	}
}

static int show_artifacts(struct result *r, struct error *err)
{
	size_t n = r->account.n_artifacts;

	r->artifacts = n ? calloc(n, sizeof(*r->artifacts)) : NULL;
	if (n && !r->artifacts)
		return fail_sys(err, "allocate a result");
	for (size_t i = 0; i < n; i++) {
		const struct artifact *a = &r->account.artifacts[i];
		bool refused = a->refused[0] != '\0';

		r->artifacts[i] = (struct bj_artifact){
			.name = a->name,
			.size = a->size,
			.sha256 = refused ? NULL : a->sha256,
			.refused = refused ? a->refused : NULL,
		};
	}
	return 0;
}

static struct bj_output show_stream(const struct stream *s)
{
	return (struct bj_output){
		.data = buf_str(&s->kept),
		.size = s->kept.len,
		.seen = s->seen,
		.truncated = s->truncated,
	};
}

static void show(struct result *r)
{
	const struct account *a = &r->account;
	const struct outcome *o = &a->outcome;

	r->shown = (struct bj_result){
		.id = a->id,
		.status = (enum bj_status)a->status,
		.killed_for = (enum bj_kill_reason)o->killed_for,
		.exit_code = o->end == END_EXITED ? o->exit_code : -1,
		.signal = o->end == END_SIGNALLED ? o->signal : 0,
		.error = o->error.kind == ERR_NONE ? NULL : o->error.text,
		.out = show_stream(&a->out),
		.err = show_stream(&a->err),
		.setup_us = o->setup_us,
		.run_us = o->run_us,
		.usage = &r->usage,
		.layers = r->layers,
		.n_layers = LAYER_COUNT,
		.artifacts = r->artifacts,
		.n_artifacts = a->n_artifacts,
	};
}

int result_new(struct account *account, struct bj_result **ret, struct error *err)
{
	struct result *r = calloc(1, sizeof(*r));

	if (!r) {
		account_done(account);
		return fail_sys(err, "allocate a result");
	}
	r->account = *account;
	if (show_artifacts(r, err) < 0) {
		bj_result_free(&r->shown);
		return -1;
	}
	show_usage(&r->account.outcome.usage, &r->usage);
	show_layers(r);
	show(r);
	*ret = &r->shown;
	return 0;
}

EXPORT void bj_result_free(struct bj_result *result)
{
	struct result *r = (struct result *)result;

	if (!r)
		return;
	account_done(&r->account);
	buf_done(&r->json);
	free(r->artifacts);
	free(r);
}

EXPORT const char *bj_result_json(struct bj_result *result)
{
	struct result *r = (struct result *)result;
	struct error err;

	if (r->json.data)
		return r->json.data;
	buf_init(&r->json, account_json_room(&r->account));
	if (account_json(&r->account, &r->json, &err) == 0)
		return r->json.data;
	buf_done(&r->json);
	return NULL;
}

EXPORT const char *bj_status_name(enum bj_status status)
{
	return status_name((enum status)status);
}

EXPORT const char *bj_kill_reason_name(enum bj_kill_reason reason)
{
	return kill_reason_name((enum kill_reason)reason);
}
