/* SPDX-License-Identifier: Apache-2.0 */
/* account.c - what happened, judged once and written down in one shape. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/json.h"
#include "base/own.h"
#include "base/text.h"
#include "call/call.h"
#include "call/limits.h"

void account_make_id(char *ret_id, size_t room)
{
	unsigned char noise[12] = {0};
	char hex[2 * sizeof(noise) + 1];

	/* An id names a call, it guards nothing: without entropy yet, a weak one will do. */
	(void)!getrandom(noise, sizeof(noise), GRND_NONBLOCK);
	for (size_t i = 0; i < sizeof(noise); i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", noise[i]);
	(void)snprintf(ret_id, room, "bj-%s", hex);
}

void account_init(struct account *a, const struct limits *limits)
{
	*a = (struct account){.limits = *limits};
	account_make_id(a->id, sizeof(a->id));
	buf_init(&a->out.kept, limits->output_bytes);
	buf_init(&a->err.kept, limits->output_bytes);
}

void account_done(struct account *a)
{
	buf_done(&a->out.kept);
	buf_done(&a->err.kept);
	for (size_t i = 0; i < a->n_artifacts; i++)
		free(a->artifacts[i].name);
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

static void write_stream(struct json *j, const char *name, const struct stream *s)
{
	const char *data = buf_str(&s->kept);
	bool text = text_is_utf8(data, s->kept.len);

	json_object(j, name);
	json_str(j, "encoding", text ? "utf-8" : "base64");
	if (text)
		json_bytes(j, "data", data, s->kept.len);
	else
		json_base64(j, "data", data, s->kept.len);
	json_uint(j, "bytes_seen", s->seen);
	json_uint(j, "bytes_kept", s->kept.len);
	json_bool(j, "truncated", s->truncated);
	json_object_end(j);
}

static void write_end(struct json *j, const struct outcome *o)
{
	const char *reason = kill_reason_name(o->killed_for);

	if (o->end == END_EXITED)
		json_int(j, "exit_code", o->exit_code);
	else
		json_null(j, "exit_code");
	if (o->end == END_SIGNALLED) {
		json_int(j, "signal", o->signal);
		json_str(j, "signal_name", sigabbrev_np(o->signal));
	} else {
		json_null(j, "signal");
		json_null(j, "signal_name");
	}
	json_bool(j, "was_killed", reason != NULL);
	json_str(j, "kill_reason", reason);
	json_ms(j, "execution_time_ms", o->run_us);
	json_ms(j, "setup_time_ms", o->setup_us);
}

static void write_usage(struct json *j, const struct account *a)
{
	const struct usage *u = &a->outcome.usage;

	json_object(j, "resource_usage");
	json_ms(j, "cpu_user_ms", u->cpu_user_us);
	json_ms(j, "cpu_system_ms", u->cpu_system_us);
	json_ms(j, "cpu_throttled_ms", u->cpu_throttled_us);
	json_uint(j, "memory_peak_bytes", u->memory_peak_bytes);
	json_uint(j, "processes_peak", u->processes_peak);
	json_uint(j, "disk_peak_bytes", u->disk_peak_bytes);
	json_uint(j, "inodes_peak", u->inodes_peak);
	json_uint(j, "output_bytes", a->out.seen + a->err.seen);
	json_uint(j, "minor_page_faults", u->minor_faults);
	json_uint(j, "major_page_faults", u->major_faults);
	json_uint(j, "io_read_bytes", u->read_bytes);
	json_uint(j, "io_write_bytes", u->write_bytes);
	json_object_end(j);
}

/* A limit that acts a moment late may have been passed: all of it is all of it. */
static double share(uint64_t used, uint64_t limit)
{
	if (used >= limit)
		return limit ? 1 : 0;
	return (double)used / (double)limit;
}

static void write_near_misses(struct json *j, const struct account *a)
{
	const struct usage *u = &a->outcome.usage;
	const struct limits *l = &a->limits;

	json_object(j, "near_misses");
	json_object(j, "shares");
	json_ratio(j, "wall", share(a->outcome.run_us / 1000, l->wall_ms));
	json_ratio(j, "cpu", share((u->cpu_user_us + u->cpu_system_us) / 1000, l->cpu_ms));
	json_ratio(j, "memory", share(u->memory_peak_bytes, l->memory_bytes));
	json_ratio(j, "disk", share(u->disk_peak_bytes, l->disk_bytes));
	json_ratio(j, "inodes", share(u->inodes_peak, l->inodes));
	json_ratio(j, "processes", share(u->processes_peak, l->processes));
	json_object_end(j);
	json_uint(j, "forks_refused", u->forks_refused);
	json_uint(j, "memory_limit_hits", u->memory_limit_hits);
	json_bool(j, "disk_writes_refused", u->disk_full);
	json_bool(j, "file_creations_refused", u->inodes_full);
	json_object_end(j);
}

static void write_layers(struct json *j, const struct outcome *o)
{
	json_object(j, "layers");
	for (int i = 0; i < LAYER_COUNT; i++) {
		json_object(j, layer_name((enum layer)i));
		json_str(j, "state", layer_state_name(o->layers[i].state));
		json_str(j, "detail", o->layers[i].detail);
		json_object_end(j);
	}
	json_object_end(j);
}

static void write_name(struct json *j, const char *name)
{
	char escaped[4 * 4096 + 1];
	size_t len = strlen(name);

	/* Names are the box's bytes: shown, never to be used as a path unseen. */
	text_escape(name, len, escaped, sizeof(escaped));
	json_str(j, "name", escaped);
}

static void write_artifacts(struct json *j, const struct account *a)
{
	json_array(j, "artifacts");
	for (size_t i = 0; i < a->n_artifacts; i++) {
		const struct artifact *f = &a->artifacts[i];
		bool refused = f->refused[0] != '\0';

		json_object(j, NULL);
		write_name(j, f->name);
		json_bool(j, "copied", !refused);
		json_uint(j, "size", f->size);
		json_str(j, "sha256", refused ? NULL : f->sha256);
		json_str(j, "refused", refused ? f->refused : NULL);
		json_object_end(j);
	}
	json_array_end(j);
}

static void write_limits(struct json *j, const struct limits *l)
{
	json_object(j, "limits");
	for (size_t i = 0; i < limit_row_count; i++)
		json_uint(j, limit_rows[i].key, limits_get(l, &limit_rows[i]));
	json_object_end(j);
}

static void write_error(struct json *j, const struct outcome *o)
{
	if (o->error.kind == ERR_NONE) {
		json_null(j, "error");
		return;
	}
	json_object(j, "error");
	json_str(j, "kind", error_kind_name(o->error.kind));
	json_str(j, "text", o->error.text);
	json_object_end(j);
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

int account_json(const struct account *a, struct buf *out, struct error *err)
{
	struct json j;

	json_start(&j, out, err);
	json_object(&j, NULL);
	json_int(&j, "schema", 1);
	json_str(&j, "id", a->id);
	json_str(&j, "status", status_name(a->status));
	json_bool(&j, "success", a->status == STATUS_SUCCESS);
	write_end(&j, &a->outcome);
	write_error(&j, &a->outcome);
	write_stream(&j, "stdout", &a->out);
	write_stream(&j, "stderr", &a->err);
	write_usage(&j, a);
	write_limits(&j, &a->limits);
	write_near_misses(&j, a);
	write_artifacts(&j, a);
	json_str(&j, "backend", "native");
	json_str(&j, "mode", a->root_mode ? "root" : "user");
	write_layers(&j, &a->outcome);
	json_object_end(&j);
	return json_end(&j);
}
