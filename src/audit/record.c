/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - writes what happened as one JSON line, keys sorted.
 *
 * The functions below write their fields in the order of the alphabet, one after
 * the other; recordread.c has the same order as a table and refuses any other.
 */
#include "audit/record.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/digits.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "base/text.h"
#include "call/limits.h"

enum { USUAL_BYTES = 2000, TEXT_MAX = 2048, PAIRS_MAX = RECORD_REDACTIONS_MAX };

static const char *const kind_names[] = {
	[RECORD_NONE] = "none",
	[RECORD_STARTED] = "started",
	[RECORD_FINISHED] = "finished",
	[RECORD_DENIED] = "denied",
	[RECORD_ABORTED] = "aborted",
	[RECORD_STARTED_UP] = "started_up",
	[RECORD_SHUT_DOWN] = "shut_down",
	[RECORD_POLICY_LOADED] = "policy_loaded",
	[RECORD_POLICY_REFUSED] = "policy_refused",
	[RECORD_KEY_CHANGED] = "key_changed",
	[RECORD_BODIES_DROPPED] = "bodies_dropped",
};
static_assert(ARRAY_LEN(kind_names) == RECORD_KIND_COUNT, "one name per kind");

const char *record_kind_name(enum record_kind kind)
{
	return kind < RECORD_KIND_COUNT ? kind_names[kind] : kind_names[RECORD_NONE];
}

/* A member of an object: a number, or a word. */
struct pair {
	const char *name;
	uint64_t number;
	const char *word;
};

/* Readers of JSON rarely know more than 63 bits; nothing that is counted here gets there. */
static void put_count(struct jsonout *j, const char *key, uint64_t n)
{
	jsonout_uint(j, key, n <= INT64_MAX ? n : INT64_MAX);
}

static int by_name(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static bool is_sorted(const struct pair *pairs, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (by_name(&pairs[i - 1], &pairs[i]) > 0)
			return false;
	return true;
}

static void put_pairs(struct jsonout *j, const char *key, struct pair *pairs, size_t n)
{
	if (n == 0)
		return;
	if (!is_sorted(pairs, n)) /* most are */
		qsort(pairs, n, sizeof(*pairs), by_name);
	jsonout_object(j, key);
	for (size_t i = 0; i < n; i++) {
		/* One name, one member: counts of the same rule are added up. */
		if (i + 1 < n && strcmp(pairs[i].name, pairs[i + 1].name) == 0) {
			pairs[i + 1].number += pairs[i].number;
			continue;
		}
		if (pairs[i].word)
			jsonout_str(j, pairs[i].name, pairs[i].word);
		else
			put_count(j, pairs[i].name, pairs[i].number);
	}
	jsonout_object_end(j);
}

/* Left out if there is none; cut, and visibly so, if it is no sensible length. */
static void put_text(struct jsonout *j, const char *key, const char *text)
{
	char cut[TEXT_MAX + 4];
	size_t len = text ? strlen(text) : 0;

	if (!text)
		return;
	if (len > TEXT_MAX) {
		len = text_utf8_floor(text, TEXT_MAX);
		(void)snprintf(cut, sizeof(cut), "%.*s...", (int)len, text);
		text = cut;
	}
	jsonout_str(j, key, text);
}

static void put_hash(struct jsonout *j, const char *key, const struct hash *h)
{
	char hex[HASH_HEX];

	hash_hex(h, hex);
	jsonout_str(j, key, hex);
}

static void put_args(struct jsonout *j, const struct record *r, bool with_text)
{
	struct hash h;

	if (!r->args)
		return;
	if (with_text)
		jsonout_bytes(j, "args", r->args, r->args_len);
	hash_bytes(r->args, r->args_len, &h);
	put_count(j, "args_bytes", r->args_len);
	put_hash(j, "args_sha256", &h);
}

/* One line "hash size name" per file, names with their control characters escaped. */
static int list_artifacts(const struct record *r, struct hash *ret, struct error *err)
{
	own(buf) list;
	char name[4096];

	buf_init(&list, SIZE_MAX / 2);
	for (size_t i = 0; i < r->n_artifacts; i++) {
		const struct artifact *a = &r->artifacts[i];

		text_escape(a->name, strlen(a->name), name, sizeof(name));
		if (buf_printf(&list, err, "%s %" PRIu64 " %s\n",
			       a->refused[0] ? "refused" : a->sha256, a->size, name) < 0)
			return -1;
	}
	hash_bytes(buf_str(&list), list.len, ret);
	return 0;
}

static void put_artifacts(struct jsonout *j, const struct record *r)
{
	struct hash h;

	if (!r->artifacts || r->n_artifacts == 0 || j->failed)
		return;
	if (list_artifacts(r, &h, j->err) < 0) {
		j->failed = true;
		return;
	}
	jsonout_object(j, "artifacts");
	put_count(j, "count", r->n_artifacts);
	put_hash(j, "list_sha256", &h);
	jsonout_object_end(j);
}

/* By name, so that nothing needs to be sorted. */
static const enum layer layer_order[] = {
	LAYER_CAPABILITIES,   LAYER_CGROUP_NAMESPACE, LAYER_CPU,           LAYER_DISK,
	LAYER_INIT,           LAYER_IPC_NAMESPACE,    LAYER_KEYRING,       LAYER_LANDLOCK,
	LAYER_MEMORY,         LAYER_MOUNT_NAMESPACE,  LAYER_NETWORK,       LAYER_NO_NEW_PRIVS,
	LAYER_OVERLAY,        LAYER_OWN_UID,          LAYER_PID_NAMESPACE, LAYER_PROC,
	LAYER_PROCESSES,      LAYER_PROGRAMS,         LAYER_RLIMITS,       LAYER_SECCOMP,
	LAYER_USER_NAMESPACE, LAYER_UTS_NAMESPACE,
};
static_assert(ARRAY_LEN(layer_order) == LAYER_COUNT, "each layer has its place");

static void put_layers(struct jsonout *j, const struct layer_report *layers)
{
	struct pair pairs[LAYER_COUNT];
	size_t n = 0;

	for (size_t i = 0; layers && i < LAYER_COUNT; i++) {
		enum layer layer = layer_order[i];

		if (layers[layer].state != LAYER_OFF)
			pairs[n++] = (struct pair){.name = layer_name(layer),
						   .word = layer_state_name(layers[layer].state)};
	}
	put_pairs(j, "layers", pairs, n);
}

static void put_limits(struct jsonout *j, const struct limits *limits)
{
	struct pair pairs[32];
	size_t n = 0;

	assert(limit_row_count <= ARRAY_LEN(pairs));
	for (size_t i = 0; limits && i < limit_row_count; i++) {
		const struct limit_row *row = limits_by_key(i);

		pairs[n++] = (struct pair){.name = row->key, .number = limits_get(limits, row)};
	}
	put_pairs(j, "limits", pairs, n);
}

static void put_redactions(struct jsonout *j, const struct record *r)
{
	struct pair pairs[PAIRS_MAX];
	size_t n = 0;

	for (size_t i = 0; r->redactions && i < r->n_redactions; i++) {
		/* Beyond the last place everything is one number: a count must not get lost. */
		bool last = n == PAIRS_MAX - 1;

		if (last && i + 1 < r->n_redactions) {
			uint64_t rest = 0;

			for (; i < r->n_redactions; i++)
				rest += r->redactions[i].count;
			pairs[n++] = (struct pair){.name = "~others", .number = rest};
			break;
		}
		if (r->redactions[i].count > 0)
			pairs[n++] = (struct pair){.name = r->redactions[i].rule,
						   .number = r->redactions[i].count};
	}
	put_pairs(j, "redactions", pairs, n);
}

static void put_output(struct jsonout *j, const char *key, const struct record_output *o)
{
	if (!o->set)
		return;
	jsonout_object(j, key);
	put_count(j, "bytes", o->bytes);
	put_hash(j, "sha256", &o->sha256);
	jsonout_bool(j, "truncated", o->truncated);
	jsonout_object_end(j);
}

static void put_usage(struct jsonout *j, const struct outcome *o)
{
	const struct usage *u = o ? &o->usage : NULL;

	if (!u)
		return;
	struct pair pairs[] = {
		{.name = "cpu_system_us", .number = u->cpu_system_us},
		{.name = "cpu_user_us", .number = u->cpu_user_us},
		{.name = "disk_peak_bytes", .number = u->disk_peak_bytes},
		{.name = "forks_refused", .number = u->forks_refused},
		{.name = "inodes_peak", .number = u->inodes_peak},
		{.name = "major_faults", .number = u->major_faults},
		{.name = "memory_limit_hits", .number = u->memory_limit_hits},
		{.name = "memory_peak_bytes", .number = u->memory_peak_bytes},
		{.name = "minor_faults", .number = u->minor_faults},
		{.name = "processes_peak", .number = u->processes_peak},
		{.name = "read_bytes", .number = u->read_bytes},
		{.name = "write_bytes", .number = u->write_bytes},
	};
	put_pairs(j, "usage", pairs, ARRAY_LEN(pairs));
}

static uint64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void record_time(uint64_t ms, char ret_text[static RECORD_TIME])
{
	time_t seconds = (time_t)(ms / 1000);
	struct tm t;

	/* The year has four digits: what is later than that is no time that a clock shows. */
	if (ms / 1000 > UINT64_C(253402300799) || !gmtime_r(&seconds, &t)) {
		(void)snprintf(ret_text, RECORD_TIME, "9999-12-31T23:59:59.999Z");
		return;
	}
	struct {
		int number;
		size_t digits;
		char behind;
	} parts[] = {{t.tm_year + 1900, 4, '-'}, {t.tm_mon + 1, 2, '-'}, {t.tm_mday, 2, 'T'},
		     {t.tm_hour, 2, ':'},        {t.tm_min, 2, ':'},     {t.tm_sec, 2, '.'},
		     {(int)(ms % 1000), 3, 'Z'}};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		char digits[DIGITS_ROOM];

		(void)digits_padded((uint64_t)parts[i].number, parts[i].digits, digits);
		memcpy(ret_text, digits, parts[i].digits);
		ret_text += parts[i].digits;
		*ret_text++ = parts[i].behind;
	}
	*ret_text = '\0';
}

static void put_a_to_k(struct jsonout *j, const struct record *r, bool with_args)
{
	put_text(j, "action", r->action);
	put_args(j, r, with_args);
	put_artifacts(j, r);
	put_text(j, "backend", r->backend);
	if (r->canary)
		jsonout_bool(j, "canary", true);
	put_text(j, "cause", r->cause);
	put_text(j, "client", r->client);
	put_text(j, "decision", r->decision);
	put_text(j, "detail", r->detail);
	if (r->has_exit_code)
		jsonout_int(j, "exit_code", r->exit_code);
	put_text(j, "id", r->id);
	jsonout_str(j, "kind", record_kind_name(r->kind));
}

static void put_l_to_r(struct jsonout *j, const struct record *r)
{
	put_text(j, "layer", r->layer);
	put_layers(j, r->layers);
	put_limits(j, r->limits);
	if (r->policy)
		put_hash(j, "policy_sha256", r->policy);
	put_text(j, "reason", r->reason);
	put_redactions(j, r);
	put_text(j, "rule", r->rule);
	if (r->outcome)
		put_count(j, "run_us", r->outcome->run_us);
}

static void put_s_to_z(struct jsonout *j, const struct record *r)
{
	char time[RECORD_TIME];

	record_time(r->time_ms ? r->time_ms : now_ms(), time);
	put_text(j, "session", r->session);
	if (r->outcome)
		put_count(j, "setup_us", r->outcome->setup_us);
	if (r->signal)
		jsonout_int(j, "signal", r->signal);
	put_text(j, "start", r->start);
	put_text(j, "status", r->status);
	put_output(j, "stderr", &r->err);
	put_output(j, "stdout", &r->out);
	jsonout_str(j, "time", time);
	put_text(j, "tool", r->tool);
	if (r->has_uid)
		put_count(j, "uid", r->uid);
	put_usage(j, r->outcome);
	put_count(j, "v", RECORD_VERSION);
	put_text(j, "version", r->version);
}

static int put_all(const struct record *r, bool with_args, struct buf *out, struct error *err)
{
	struct jsonout j;

	out->len = 0;
	out->cut = false;
	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	put_a_to_k(&j, r, with_args);
	put_l_to_r(&j, r);
	put_s_to_z(&j, r);
	jsonout_object_end(&j);
	return j.failed ? -1 : 0;
}

void record_take_end(struct record *r, const struct account *a)
{
	const struct outcome *o = &a->outcome;

	r->layers = o->layers;
	r->outcome = o;
	r->has_exit_code = o->end == END_EXITED;
	r->exit_code = o->exit_code;
	r->signal = o->end == END_SIGNALLED ? o->signal : 0;
	r->artifacts = a->artifacts;
	r->n_artifacts = a->n_artifacts;
}

int record_write(const struct record *r, struct buf *out, struct error *err)
{
	/* JSON text has no NUL in it; what has one is not written out. */
	bool with_args = r->args_inline && r->args && r->args_len < RECORD_MAX &&
			 !memchr(r->args, '\0', r->args_len);

	if (r->kind == RECORD_NONE || r->kind >= RECORD_KIND_COUNT)
		return fail(err, ERR_INTERNAL, "a record of no kind");
	out->limit = RECORD_MAX;
	if (buf_expect(out, USUAL_BYTES, err) < 0)
		return -1;
	if (put_all(r, with_args, out, err) < 0)
		return -1;
	if (out->cut && with_args && put_all(r, false, out, err) < 0)
		return -1;
	return out->cut ? fail(err, ERR_INTERNAL, "the record is longer than %d bytes", RECORD_MAX)
			: 0;
}
