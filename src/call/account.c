/* SPDX-License-Identifier: Apache-2.0 */
/* account.c - what happened, judged once and written down in one shape. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/digits.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "base/text.h"
#include "call/call.h"
#include "call/limits.h"

void account_make_id(char *ret_id, size_t room)
{
	unsigned char noise[12] = {0};
	char id[3 + 2 * sizeof(noise) + 1] = "bj-";

	/* An id names a call, it guards nothing: without entropy yet, a weak one will do. */
	(void)!getrandom(noise, sizeof(noise), GRND_NONBLOCK);
	(void)digits_hex(noise, sizeof(noise), id + 3);
	text_copy(id, ret_id, room);
}

void account_init(struct account *a, const struct limits *limits)
{
	char id[sizeof(a->id)];

	account_make_id(id, sizeof(id));
	account_init_of(a, limits, id);
}

void account_init_of(struct account *a, const struct limits *limits, const char *id)
{
	/* Whoever makes a box says better; of a call that was refused this is all there is to say.
	 */
	*a = (struct account){.limits = *limits, .root_mode = geteuid() == 0};
	text_copy(id, a->id, sizeof(a->id));
	buf_init(&a->out.kept, limits->output_bytes);
	buf_init(&a->err.kept, limits->output_bytes);
}

void account_done(struct account *a)
{
	buf_done(&a->out.kept);
	buf_done(&a->err.kept);
	for (size_t i = 0; i < a->n_artifacts; i++) {
		free(a->artifacts[i].name);
		free(a->artifacts[i].content);
	}
	free(a->artifacts);
	a->artifacts = NULL;
	a->n_artifacts = 0;
}

static enum status status_of_kill(enum kill_reason reason)
{
	switch (reason) {
	case KILL_WALL:
		return STATUS_TIMEOUT;
	case KILL_CPU:
	case KILL_MEMORY:
	case KILL_PROCESSES:
	case KILL_DISK:
	case KILL_OUTPUT:
		return STATUS_RESOURCE_EXCEEDED;
	case KILL_NONE:
	case KILL_SIGNAL:
	case KILL_VIOLATION:
	case KILL_CANCELLED:
	case KILL_CANARY:
	case KILL_COUNT:
		break;
	}
	return STATUS_ERROR;
}

void account_judge(struct account *a)
{
	const struct outcome *o = &a->outcome;

	switch (o->end) {
	case END_UNKNOWN:
		a->status = STATUS_UNKNOWN;
		return;
	case END_NOT_STARTED:
		a->status = o->error.kind == ERR_REFUSED ? STATUS_DENIED : STATUS_ERROR;
		return;
	case END_EXITED:
	case END_SIGNALLED:
		break;
	}
	if (o->killed_for != KILL_NONE)
		a->status = status_of_kill(o->killed_for);
	else if (o->end == END_EXITED && o->exit_code == 0 && o->error.kind == ERR_NONE)
		a->status = STATUS_SUCCESS; /* an error now is ours: output or files were lost */
	else
		a->status = STATUS_ERROR;
}

static void write_stream(struct jsonout *j, const char *name, const struct stream *s)
{
	const char *data = buf_str(&s->kept);
	bool text = text_is_utf8(data, s->kept.len);

	jsonout_object(j, name);
	jsonout_str(j, "encoding", text ? "utf-8" : "base64");
	if (text)
		jsonout_bytes(j, "data", data, s->kept.len);
	else
		jsonout_base64(j, "data", data, s->kept.len);
	jsonout_uint(j, "bytes_seen", s->seen);
	jsonout_uint(j, "bytes_kept", s->kept.len);
	jsonout_bool(j, "truncated", s->truncated);
	jsonout_object_end(j);
}

static void write_end(struct jsonout *j, const struct outcome *o)
{
	const char *reason = kill_reason_name(o->killed_for);

	if (o->end == END_EXITED)
		jsonout_int(j, "exit_code", o->exit_code);
	else
		jsonout_null(j, "exit_code");
	if (o->end == END_SIGNALLED) {
		jsonout_int(j, "signal", o->signal);
		jsonout_str(j, "signal_name", sigabbrev_np(o->signal));
	} else {
		jsonout_null(j, "signal");
		jsonout_null(j, "signal_name");
	}
	jsonout_bool(j, "was_killed", reason != NULL);
	jsonout_str(j, "kill_reason", reason);
	jsonout_ms(j, "execution_time_ms", o->run_us);
	jsonout_ms(j, "setup_time_ms", o->setup_us);
}

/* Before the program's first instruction: none of it is in resource_usage.  What took no time to
 * begin is a snippet for an interpreter that is there: nothing was started for it. */
static void write_start(struct jsonout *j, const struct outcome *o)
{
	if ((o->end != END_EXITED && o->end != END_SIGNALLED) || o->setup_us == 0) {
		jsonout_null(j, "start");
		return;
	}
	jsonout_object(j, "start");
	jsonout_str(j, "how", start_how_name(o->start.how));
	jsonout_str(j, "why_cold", o->start.why_cold[0] ? o->start.why_cold : NULL);
	jsonout_uint(j, "baseline_bytes", o->start.baseline_bytes);
	jsonout_uint(j, "interpreter_age_ms", o->start.interpreter_age_ms);
	jsonout_uint(j, "interpreter_calls", o->start.interpreter_calls);
	jsonout_object_end(j);
}

static void write_usage(struct jsonout *j, const struct account *a)
{
	const struct usage *u = &a->outcome.usage;

	jsonout_object(j, "resource_usage");
	jsonout_ms(j, "cpu_user_ms", u->cpu_user_us);
	jsonout_ms(j, "cpu_system_ms", u->cpu_system_us);
	jsonout_ms(j, "cpu_throttled_ms", u->cpu_throttled_us);
	jsonout_uint(j, "memory_peak_bytes", u->memory_peak_bytes);
	jsonout_uint(j, "processes_peak", u->processes_peak);
	jsonout_uint(j, "disk_peak_bytes", u->disk_peak_bytes);
	jsonout_uint(j, "inodes_peak", u->inodes_peak);
	jsonout_uint(j, "output_bytes", a->out.seen + a->err.seen);
	jsonout_uint(j, "minor_page_faults", u->minor_faults);
	jsonout_uint(j, "major_page_faults", u->major_faults);
	jsonout_uint(j, "io_read_bytes", u->read_bytes);
	jsonout_uint(j, "io_write_bytes", u->write_bytes);
	jsonout_object_end(j);
}

/* A limit that acts a moment late may have been passed: all of it is all of it. */
static double share(uint64_t used, uint64_t limit)
{
	if (used >= limit)
		return limit ? 1 : 0;
	return (double)used / (double)limit;
}

static void write_near_misses(struct jsonout *j, const struct account *a)
{
	const struct usage *u = &a->outcome.usage;
	const struct limits *l = &a->limits;

	jsonout_object(j, "near_misses");
	jsonout_object(j, "shares");
	jsonout_ratio(j, "wall", share(a->outcome.run_us / 1000, l->wall_ms));
	jsonout_ratio(j, "cpu", share((u->cpu_user_us + u->cpu_system_us) / 1000, l->cpu_ms));
	jsonout_ratio(j, "memory", share(u->memory_peak_bytes, l->memory_bytes));
	jsonout_ratio(j, "disk", share(u->disk_peak_bytes, l->disk_bytes));
	jsonout_ratio(j, "inodes", share(u->inodes_peak, l->inodes));
	jsonout_ratio(j, "processes", share(u->processes_peak, l->processes));
	jsonout_object_end(j);
	jsonout_uint(j, "forks_refused", u->forks_refused);
	jsonout_uint(j, "memory_limit_hits", u->memory_limit_hits);
	jsonout_bool(j, "disk_writes_refused", u->disk_full);
	jsonout_bool(j, "file_creations_refused", u->inodes_full);
	jsonout_object_end(j);
}

static void write_layers(struct jsonout *j, const struct outcome *o)
{
	jsonout_object(j, "layers");
	for (int i = 0; i < LAYER_COUNT; i++) {
		jsonout_object(j, layer_name((enum layer)i));
		jsonout_str(j, "state", layer_state_name(o->layers[i].state));
		jsonout_str(j, "detail", o->layers[i].detail);
		jsonout_object_end(j);
	}
	jsonout_object_end(j);
}

void artifact_json(const struct artifact *f, struct jsonout *j)
{
	bool refused = f->refused[0] != '\0';
	char escaped[4 * 4096 + 1];

	/* Names are the box's bytes: shown, never to be used as a path unseen. */
	text_escape(f->name, strlen(f->name), escaped, sizeof(escaped));
	jsonout_str(j, "name", escaped);
	jsonout_bool(j, "copied", !refused);
	jsonout_uint(j, "size", f->size);
	jsonout_str(j, "sha256", refused ? NULL : f->sha256);
	jsonout_str(j, "refused", refused ? f->refused : NULL);
}

static void write_artifacts(struct jsonout *j, const struct account *a)
{
	jsonout_array(j, "artifacts");
	for (size_t i = 0; i < a->n_artifacts; i++) {
		jsonout_object(j, NULL);
		artifact_json(&a->artifacts[i], j);
		jsonout_bool(j, "redacted", a->artifacts[i].redacted);
		jsonout_object_end(j);
	}
	jsonout_array_end(j);
}

static void write_limits(struct jsonout *j, const struct limits *l)
{
	jsonout_object(j, "limits");
	for (size_t i = 0; i < limit_row_count; i++)
		jsonout_uint(j, limit_rows[i].key, limits_get(l, &limit_rows[i]));
	jsonout_object_end(j);
}

static void write_error(struct jsonout *j, const struct outcome *o)
{
	if (o->error.kind == ERR_NONE) {
		jsonout_null(j, "error");
		return;
	}
	jsonout_object(j, "error");
	jsonout_str(j, "kind", error_kind_name(o->error.kind));
	jsonout_str(j, "text", o->error.text);
	jsonout_object_end(j);
}

size_t account_json_room(const struct account *a)
{
	/* A byte of output is at most \\u0000, one of a name \\\\x00; the rest is ours, and short.
	 */
	size_t room = 8 * (a->out.kept.len + a->err.kept.len) + (1 << 20);

	for (size_t i = 0; i < a->n_artifacts; i++)
		room += 8 * strlen(a->artifacts[i].name) + 1024;
	return room;
}

void account_write_facts(const struct account *a, struct jsonout *j)
{
	jsonout_int(j, "schema", 1);
	jsonout_str(j, "id", a->id);
	jsonout_str(j, "status", status_name(a->status));
	jsonout_bool(j, "success", a->status == STATUS_SUCCESS);
	write_end(j, &a->outcome);
	write_start(j, &a->outcome);
	write_stream(j, "stdout", &a->out);
	write_stream(j, "stderr", &a->err);
	write_usage(j, a);
	write_limits(j, &a->limits);
	write_near_misses(j, a);
	jsonout_str(j, "backend", "native");
	jsonout_str(j, "mode", a->root_mode ? "root" : "user");
	write_layers(j, &a->outcome);
}

void account_write(const struct account *a, struct jsonout *j)
{
	account_write_facts(a, j);
	write_error(j, &a->outcome);
	write_artifacts(j, a);
}

int account_json(const struct account *a, struct buf *out, struct error *err)
{
	struct jsonout j;

	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	account_write(a, &j);
	jsonout_object_end(&j);
	return jsonout_end(&j);
}
