/* SPDX-License-Identifier: Apache-2.0 */
/* log_maker.c - log_maker DIR ORIGIN: makes a log from what standard input says, line by line.
 *
 *     {"kind": "started", "id": ..., ...}   a record, as the scribe would write it
 *     checkpoint                            signs what is there
 *     wait                                  says "waiting", and goes on at the next line
 *
 * For each line of the log it prints its number and leaf hash.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/log.h"
#include "audit/record.h"
#include "base/own.h"

static const char *text_of(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static uint64_t number_of(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

static enum record_kind kind_of(const char *name)
{
	for (int i = 0; name && i < RECORD_KIND_COUNT; i++)
		if (strcmp(name, record_kind_name((enum record_kind)i)) == 0)
			return (enum record_kind)i;
	return RECORD_NONE;
}

static void fill_texts(struct record *r, const json_t *o)
{
	r->id = text_of(o, "id");
	r->client = text_of(o, "client");
	r->session = text_of(o, "session");
	r->action = text_of(o, "action");
	r->tool = text_of(o, "tool");
	r->args = text_of(o, "args");
	r->args_len = r->args ? strlen(r->args) : 0;
	r->args_inline = true;
	r->decision = text_of(o, "decision");
	r->layer = text_of(o, "layer");
	r->rule = text_of(o, "rule");
	r->reason = text_of(o, "reason");
	r->backend = text_of(o, "backend");
	r->status = text_of(o, "status");
	r->cause = text_of(o, "cause");
	r->detail = text_of(o, "detail");
	r->version = text_of(o, "version");
}

static void fill_numbers(struct record *r, const json_t *o, struct outcome *outcome)
{
	r->time_ms = number_of(o, "time_ms");
	r->has_uid = json_object_get(o, "uid") != NULL;
	r->uid = (uint32_t)number_of(o, "uid");
	r->has_exit_code = json_object_get(o, "exit_code") != NULL;
	r->exit_code = (int)number_of(o, "exit_code");
	r->signal = (int)number_of(o, "signal");
	r->canary = json_is_true(json_object_get(o, "canary"));
	if (json_object_get(o, "run_us")) {
		outcome->run_us = number_of(o, "run_us");
		outcome->setup_us = 1200;
		outcome->usage.memory_peak_bytes = 12 << 20;
		outcome->usage.cpu_user_us = 3000;
		r->outcome = outcome;
		hash_bytes("out", 3, &r->out.sha256);
		r->out.set = true;
		r->out.bytes = 3;
	}
}

static int write_record(const json_t *o, struct buf *line, struct error *err)
{
	static const struct limits limits = {.wall_ms = 30000, .memory_bytes = 256 << 20};
	static struct layer_report layers[LAYER_COUNT];
	struct record_redaction redactions[64];
	struct outcome outcome = {0};
	struct hash policy;
	struct record r = {.kind = kind_of(text_of(o, "kind"))};
	const char *rule;
	json_t *count;

	fill_texts(&r, o);
	fill_numbers(&r, o, &outcome);
	hash_bytes("policy", 6, &policy);
	if (r.kind == RECORD_STARTED || r.kind == RECORD_POLICY_LOADED)
		r.policy = &policy;
	if (r.kind == RECORD_STARTED) {
		layers[LAYER_SECCOMP].state = LAYER_FULL;
		layers[LAYER_OWN_UID].state = LAYER_DEGRADED;
		r.limits = &limits;
		r.layers = layers;
	}
	json_object_foreach(json_object_get(o, "redactions"), rule, count)
		redactions[r.n_redactions++] =
			(struct record_redaction){rule, (uint64_t)json_integer_value(count)};
	r.redactions = redactions;
	return record_write(&r, line, err);
}

static int append(struct log *l, const char *data, size_t len, struct error *err)
{
	struct log_line line = {data, len};
	struct receipt receipt;
	char hex[HASH_HEX];

	if (log_append(l, &line, 1, &receipt, err) != 1)
		return -1;
	hash_hex(&receipt.leaf, hex);
	(void)printf("%llu %s\n", (unsigned long long)receipt.index, hex);
	return 0;
}

static int obey(struct log *l, const char *text, size_t len, struct error *err)
{
	own(buf) line;
	json_t *o;
	int result;

	buf_init(&line, RECORD_MAX);
	if (strcmp(text, "checkpoint") == 0)
		return log_checkpoint(l, err);
	if (strcmp(text, "wait") == 0) {
		(void)puts("waiting");
		return fflush(stdout);
	}
	o = json_loadb(text, len, JSON_ALLOW_NUL, NULL);
	if (!o)
		return fail(err, ERR_CALLER, "no JSON: %.80s", text);
	result = write_record(o, &line, err);
	json_decref(o);
	return result < 0 ? -1 : append(l, buf_str(&line), line.len, err);
}

int main(int argc, char **argv)
{
	struct error err = {0};
	struct log *l = argc == 3 ? log_open(argv[1], argv[2], &err) : NULL;
	own_str text = NULL;
	size_t room = 0;
	ssize_t len = 0;
	int result = 0;

	while (l && result == 0 && (len = getline(&text, &room, stdin)) > 0) {
		text[--len] = '\0'; /* the newline */
		result = obey(l, text, (size_t)len, &err);
	}
	if (!l || result < 0)
		(void)fprintf(stderr, "log_maker: %s\n", err.text);
	log_close(l);
	return !l || result < 0;
}
