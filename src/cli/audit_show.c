/* SPDX-License-Identifier: Apache-2.0 */
/* audit_show.c - belljar audit show: one call as a story, from its records alone. */
#include <ctype.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auditread/plain.h"
#include "base/buf.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "base/text.h"
#include "cli/auditcli.h"
#include "cli/cli.h"

enum { CALL_RECORDS_MAX = 64, STORY_TEXT = 16384, TITLE = 11 };

/* One record of the call, kept. */
struct chapter {
	uint64_t index;
	struct buf text;
	struct record_view v;
	json_t *json;
	char leaf[HASH_HEX];
};

struct story {
	struct chapter list[CALL_RECORDS_MAX];
	size_t n;
	uint64_t signed_size; /* 0: no checkpoint holds */
	int directory;        /* of the log */
};

static void story_end(struct story **s)
{
	for (size_t i = 0; *s && i < (*s)->n; i++) {
		buf_done(&(*s)->list[i].text);
		json_decref((*s)->list[i].json);
	}
	free(*s);
}

static int load_chapter(struct log_reader *r, struct story *s, uint64_t index, struct error *err)
{
	struct chapter *c = &s->list[s->n];
	struct log_line line;
	struct hash leaf;

	if (log_read(r, index, &line, err) < 0)
		return -1;
	*c = (struct chapter){.index = index};
	buf_init(&c->text, LOG_LINE_MAX);
	s->n++;
	if (buf_add(&c->text, line.data, line.len, err) < 0)
		return -1;
	hash_leaf(line.data, line.len, &leaf);
	hash_hex(&leaf, c->leaf);
	if (record_read(buf_str(&c->text), c->text.len, &c->v, err) < 0)
		return fail_in(err, "record %" PRIu64 " is none", index);
	c->json = jsonread(buf_str(&c->text), c->text.len, LOG_LINE_MAX, err);
	return c->json ? 0 : fail_in(err, "record %" PRIu64, index);
}

static bool is_number(const char *word)
{
	return word[0] && word[strspn(word, "0123456789")] == '\0';
}

static int load_call(const struct audit_options *o, struct log_reader *r, struct story *s,
		     const char *id, struct error *err)
{
	own_index x = audit_open_index(o, r, false, err);
	uint64_t indices[CALL_RECORDS_MAX];
	size_t n;

	if (!x || logindex_call(x, id, indices, ARRAY_LEN(indices), &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct chapter *c = &s->list[s->n];

		if (load_chapter(r, s, indices[i], err) < 0)
			return -1;
		if (c->v.id.len != strlen(id) || memcmp(c->v.id.data, id, c->v.id.len) != 0)
			return fail(err, ERR_SYSTEM,
				    "index of the log: record %" PRIu64
				    " is another one than it says; make it anew: belljar audit "
				    "index",
				    indices[i]);
	}
	return 0;
}

/* By the number of any of its records, or by its id. */
static int load(const struct audit_options *o, struct log_reader *r, struct story *s,
		const char *word, struct error *err)
{
	char id[INDEX_ID_MAX];
	uint64_t index;

	if (is_number(word)) {
		if (audit_number(word, "show", &index, err) < 0 ||
		    load_chapter(r, s, index, err) < 0)
			return -1;
		if (!s->list[0].v.id.data)
			return 0;
		(void)snprintf(id, sizeof(id), "%.*s", (int)s->list[0].v.id.len,
			       s->list[0].v.id.data);
		buf_done(&s->list[0].text);
		json_decref(s->list[0].json);
		s->n = 0;
		word = id;
	}
	return load_call(o, r, s, word, err);
}

/* Telling it. */

static void say(const char *title, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(const char *title, const char *fmt, ...)
{
	va_list args;

	(void)printf("  %-*s", TITLE, title);
	va_start(args, fmt);
	(void)vprintf(fmt, args);
	va_end(args);
	(void)putchar('\n');
}

/* The field of the first record that has it. */
static const json_t *find(const struct story *s, const char *key)
{
	for (size_t i = 0; i < s->n; i++) {
		const json_t *value = json_object_get(s->list[i].json, key);

		if (value)
			return value;
	}
	return NULL;
}

/* Its text, harmless; NULL: no record has it. */
static const char *text_of(const struct story *s, const char *key, char *room, size_t size)
{
	const json_t *value = find(s, key);

	if (!json_is_string(value))
		return NULL;
	(void)plain_text(json_string_value(value), json_string_length(value), room, size);
	return room;
}

static void say_text(const struct story *s, const char *title, const char *key)
{
	char room[STORY_TEXT];
	const char *text = text_of(s, key, room, sizeof(room));

	if (text)
		say(title, "%s", text);
}

/* "cpu_user_us" and a number: "cpu user 12.0 ms". */
static void print_measure(const char *key, uint64_t value)
{
	static const char *const units[] = {"_bytes", "_us", "_ms"};
	size_t len = strlen(key), unit = 0;
	char text[40];

	for (; unit < ARRAY_LEN(units); unit++) {
		size_t n = strlen(units[unit]);

		if (len > n && strcmp(key + len - n, units[unit]) == 0) {
			len -= n;
			break;
		}
	}
	if (unit == 0)
		text_human_bytes(value, text, sizeof(text));
	else if (unit == 1 || unit == 2)
		audit_duration(unit == 1 ? value : value * 1000, text, sizeof(text));
	else
		(void)snprintf(text, sizeof(text), "%" PRIu64, value);
	for (size_t i = 0; i < len; i++)
		(void)putchar(key[i] == '_' ? ' ' : key[i]);
	(void)printf(" %s", text);
}

static void say_measures(const struct story *s, const char *title, const char *member)
{
	const json_t *object = find(s, member);
	const json_t *value;
	const char *key, *between = "";

	if (!json_is_object(object))
		return;
	(void)printf("  %-*s", TITLE, title);
	json_object_foreach((json_t *)object, key, value)
	{
		if (json_integer_value(value) == 0)
			continue;
		(void)fputs(between, stdout);
		print_measure(key, (uint64_t)json_integer_value(value));
		between = ", ";
	}
	(void)putchar('\n');
}

static void say_counts(const struct story *s, const char *title, const char *member)
{
	const json_t *object = find(s, member);
	const json_t *value;
	const char *key, *between = "";
	char rule[AUDIT_SHOWN];

	if (!json_is_object(object))
		return;
	(void)printf("  %-*s", TITLE, title);
	json_object_foreach((json_t *)object, key, value)
	{
		(void)plain_text(key, strlen(key), rule, sizeof(rule));
		(void)printf("%s%" JSON_INTEGER_FORMAT " x %s", between, json_integer_value(value),
			     rule);
		between = ", ";
	}
	(void)putchar('\n');
}

/* Those in full force are a number, the others are named. */
static void say_layers(const struct story *s)
{
	const json_t *object = find(s, "layers");
	const json_t *value;
	const char *key;
	char name[128];
	unsigned full = 0;

	if (!json_is_object(object))
		return;
	json_object_foreach((json_t *)object, key, value)
	{
		const char *state = json_string_value(value);

		full += state && strcmp(state, "full") == 0;
	}
	(void)printf("  %-*s%u layers in full force", TITLE, "walls", full);
	json_object_foreach((json_t *)object, key, value)
	{
		const char *state = json_string_value(value);

		if (state && strcmp(state, "full") == 0)
			continue;
		(void)plain_text(key, strlen(key), name, sizeof(name));
		(void)printf(", %s %s", name,
			     state && strcmp(state, "degraded") == 0 ? state : "?");
	}
	(void)putchar('\n');
}

/* Where the output itself is, if it was kept and nobody dropped it since. */
static void say_body(const struct story *s, const char *sha)
{
	struct hash h;
	char path[HASH_HEX + 16];

	if (!hash_from_hex(sha, strlen(sha), &h))
		return;
	(void)snprintf(path, sizeof(path), "blob/%.2s/%s", sha, sha + 2);
	if (faccessat(s->directory, path, F_OK, 0) == 0)
		say("", "it is kept in %s", path);
}

static void say_stream(const struct story *s, const char *member)
{
	const json_t *object = find(s, member);
	const char *sha = json_string_value(json_object_get(object, "sha256"));
	char plain[128] = "";

	if (!json_is_object(object))
		return;
	if (sha)
		(void)plain_text(sha, strlen(sha), plain, sizeof(plain));
	say(member, "%" JSON_INTEGER_FORMAT " bytes%s; what was handed on has SHA-256 %s",
	    json_integer_value(json_object_get(object, "bytes")),
	    json_is_true(json_object_get(object, "truncated")) ? ", cut" : "", plain);
	if (sha)
		say_body(s, sha);
}

static void say_who(const struct story *s)
{
	char time[RECORD_TIME], client[AUDIT_SHOWN], session[AUDIT_SHOWN], action[AUDIT_SHOWN];
	const json_t *uid = find(s, "uid");
	const char *name = text_of(s, "client", client, sizeof(client));
	const char *in = text_of(s, "session", session, sizeof(session));
	const char *done = text_of(s, "action", action, sizeof(action));

	record_time(s->list[0].v.time_ms, time);
	(void)printf("  %-*s%s, by %s", TITLE, "asked", time, name ? name : "nobody known");
	if (uid)
		(void)printf(" (uid %" JSON_INTEGER_FORMAT ")", json_integer_value(uid));
	if (in)
		(void)printf(", session %s", in);
	if (done)
		(void)printf(", %s", done);
	(void)putchar('\n');
}

static void say_decision(const struct story *s)
{
	char decision[128], layer[128], rule[AUDIT_SHOWN], reason[AUDIT_SHOWN];
	const char *said = text_of(s, "decision", decision, sizeof(decision));
	const char *by = text_of(s, "layer", layer, sizeof(layer));
	const char *which = text_of(s, "rule", rule, sizeof(rule));
	const char *why = text_of(s, "reason", reason, sizeof(reason));

	if (said || which)
		say("decided", "%s%s%s%s%s%s", said ? said : "", which ? ", by rule " : "",
		    which ? which : "", by ? " (" : "", by ? by : "", by ? ")" : "");
	if (why)
		say("because", "%s", why);
	say_text(s, "policy", "policy_sha256");
}

static void say_end(const struct chapter *c)
{
	char status[128], cause[128], start[32], run[32], setup[32], time[RECORD_TIME];
	const json_t *signal = json_object_get(c->json, "signal");
	const char *name = NULL;

	record_time(c->v.time_ms, time);
	if (c->v.kind == RECORD_ABORTED) {
		say("ended", "%s: aborted; nobody saw how it ended", time);
		return;
	}
	audit_duration(c->v.run_us, run, sizeof(run));
	audit_duration(c->v.setup_us, setup, sizeof(setup));
	(void)printf("  %-*s%s: %s after %s (and %s to set up%s%s)", TITLE, "ended", time,
		     audit_text(c->v.status, status, sizeof(status)), run, setup,
		     c->v.start.data ? ", " : "",
		     c->v.start.data ? audit_text(c->v.start, start, sizeof(start)) : "");
	if (c->v.has_exit_code)
		(void)printf(", exit code %" PRId64, c->v.exit_code);
	if (json_is_integer(signal)) {
		json_int_t number = json_integer_value(signal);

		if (number > 0 && number < 128)
			name = sigabbrev_np((int)number);
		(void)printf(", signal %" JSON_INTEGER_FORMAT "%s%s", number, name ? " SIG" : "",
			     name ? name : "");
	}
	if (c->v.cause.data)
		(void)printf(", killed for: %s", audit_text(c->v.cause, cause, sizeof(cause)));
	(void)putchar('\n');
}

static void say_ends(const struct story *s)
{
	bool ended = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct chapter *c = &s->list[i];

		if (c->v.kind == RECORD_FINISHED || c->v.kind == RECORD_ABORTED)
			say_end(c);
		ended |= c->v.kind != RECORD_STARTED;
	}
	if (!ended)
		say("ended", "not yet, or nobody wrote it down");
}

static void say_receipts(const struct story *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct chapter *c = &s->list[i];

		say(i ? "" : "receipts", "record %" PRIu64 " (%s), leaf %s, %s", c->index,
		    record_kind_name(c->v.kind), c->leaf,
		    c->index < s->signed_size ? "signed" : "not signed yet");
	}
}

static void tell(const struct story *s)
{
	const json_t *files = find(s, "artifacts");
	char id[AUDIT_SHOWN];
	const char *name = text_of(s, "id", id, sizeof(id));

	(void)printf("%s %s\n", name ? "call" : "record",
		     name ? name : record_kind_name(s->list[0].v.kind));
	if (name) {
		say_who(s);
	} else {
		char time[RECORD_TIME];

		record_time(s->list[0].v.time_ms, time);
		say("time", "%s", time);
	}
	say_text(s, "tool", "tool");
	say_text(s, "arguments", "args");
	say_text(s, "", "args_sha256");
	say_decision(s);
	say_text(s, "ran in", "backend");
	say_measures(s, "limits", "limits");
	say_layers(s);
	if (name)
		say_ends(s);
	say_measures(s, "used", "usage");
	say_counts(s, "redacted", "redactions");
	if (json_is_true(find(s, "canary")))
		say("CANARY", "a planted secret came out; the call was killed for it");
	say_stream(s, "stdout");
	say_stream(s, "stderr");
	if (json_is_object(files))
		say("files", "%" JSON_INTEGER_FORMAT " came out",
		    json_integer_value(json_object_get(files, "count")));
	say_text(s, "detail", "detail");
	say_text(s, "version", "version");
	say_receipts(s);
}

static void tell_json(const struct story *s)
{
	(void)printf("{\"signed_size\":%" PRIu64 ",\"records\":[", s->signed_size);
	for (size_t i = 0; i < s->n; i++) {
		struct log_line line = {buf_str(&s->list[i].text), s->list[i].text.len};

		if (i)
			(void)putchar(',');
		audit_json_record(s->list[i].index, &line, stdout);
	}
	(void)puts("]}");
}

int audit_show(const struct audit_options *o, const struct word_list *rest)
{
	__attribute__((cleanup(story_end))) struct story *s = calloc(1, sizeof(*s));
	struct error err = {0};
	own_reader r = s ? audit_open_log(o, &err) : NULL;

	if (!s)
		(void)fail_sys(&err, "show");
	if (!r || load(o, r, s, rest->word[0], &err) < 0) {
		if (err.kind == ERR_NOT_FOUND && strncmp(rest->word[0], "bjs-", 4) == 0)
			(void)fail(&err, ERR_NOT_FOUND,
				   "this is a session, not a call: belljar audit query --session "
				   "%.80s",
				   rest->word[0]);
		(void)cli_complain(&err);
		return err.kind == ERR_NOT_FOUND ? AUDIT_WRONG : EXIT_BELLJAR;
	}
	s->directory = log_reader_directory(r);
	s->signed_size = audit_signed_size(r);
	if (o->json)
		tell_json(s);
	else
		tell(s);
	return audit_printed(0);
}
