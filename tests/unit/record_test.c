/* SPDX-License-Identifier: Apache-2.0 */
/* record_test.c - records come out sorted and whole, and only such are read. */
#include "tap.h"

#include "audit/pairing.h"
#include "audit/record.h"
#include "base/own.h"
#include "call/limits.h"

static struct record_view view;

static int read_line(const char *line)
{
	struct error err;

	return record_read(line, strlen(line), &view, &err);
}

static char *text_of(struct record_text t)
{
	static char room[4096];

	(void)record_text_get(t, room, sizeof(room));
	return room;
}

TEST(a_denied_call_is_one_line)
{
	own(buf) line;
	struct error err = {0};
	const struct record r = {
		.kind = RECORD_DENIED,
		.time_ms = UINT64_C(1767225600123),
		.id = "bj-1",
		.client = "a\"b\\c\nd\x01\xc2\x85",
		.has_uid = true,
		.uid = 1000,
		.tool = "search",
		.decision = "deny",
		.layer = "policy",
		.rule = "tools.search",
		.reason = "no",
	};

	buf_init(&line, RECORD_MAX);
	CHECK(record_write(&r, &line, &err) == 0);
	CHECK_STR(
		buf_str(&line),
		"{\"client\":\"a\\\"b\\\\c\\nd\\u0001\\u0085\",\"decision\":\"deny\",\"id\":\"bj-"
		"1\","
		"\"kind\":\"denied\",\"layer\":\"policy\",\"reason\":\"no\",\"rule\":\"tools."
		"search\","
		"\"time\":\"2026-01-01T00:00:00.123Z\",\"tool\":\"search\",\"uid\":1000,\"v\":1}");
	CHECK(read_line(buf_str(&line)) == 0);
	CHECK(view.kind == RECORD_DENIED && view.time_ms == r.time_ms && view.uid == 1000);
	CHECK_STR(text_of(view.client), r.client);
	CHECK_STR(text_of(view.rule), "tools.search");
	CHECK(view.status.data == NULL);
}

TEST(everything_that_a_call_can_say_is_read_again)
{
	own(buf) line;
	struct error err = {0};
	struct limits limits;
	struct layer_report layers[LAYER_COUNT] = {
		[LAYER_SECCOMP] = {.state = LAYER_FULL}, [LAYER_CPU] = {.state = LAYER_DEGRADED}};
	const struct record_redaction redactions[] = {{"z.last", 1}, {"a.first", 2}, {"z.last", 3}};
	const struct artifact artifacts[] = {{.name = (char *)"a\nb", .size = 3}};
	struct outcome outcome = {.run_us = 5, .setup_us = 6};
	struct hash policy;
	struct record r = {.kind = RECORD_FINISHED,
			   .id = "bj-1",
			   .session = "s",
			   .args = "{}",
			   .args_len = 2,
			   .args_inline = true,
			   .policy = &policy,
			   .limits = &limits,
			   .layers = layers,
			   .backend = "native",
			   .status = "timeout",
			   .cause = "wall",
			   .has_exit_code = true,
			   .exit_code = -1,
			   .signal = 9,
			   .outcome = &outcome,
			   .start = "waiting",
			   .redactions = redactions,
			   .n_redactions = 3,
			   .out = {.set = true, .bytes = 7, .truncated = true},
			   .err = {.set = true},
			   .artifacts = artifacts,
			   .n_artifacts = 1,
			   .canary = true,
			   .version = "0.1",
			   .detail = "x"};

	limits_default(&limits);
	hash_bytes("p", 1, &policy);
	buf_init(&line, RECORD_MAX);
	CHECK(record_write(&r, &line, &err) == 0);
	CHECK(record_read(line.data, line.len, &view, &err) == 0);
	CHECK(view.exit_code == -1 && view.run_us == 5 && view.setup_us == 6);
	CHECK(view.start.len == 7 && strncmp(view.start.data, "waiting", 7) == 0);
	CHECK(view.redactions.len == strlen("{\"a.first\":2,\"z.last\":4}"));
	CHECK(view.layers.data && !strncmp(view.layers.data, "{\"cpu\":\"degraded\",", 18));
	CHECK(view.policy_sha256.len == 64 && view.args_sha256.len == 64);
}

/* The tables that say in which order they come have each of them. */
TEST(every_layer_and_every_limit_is_there_once)
{
	own(buf) line;
	struct error err = {0};
	struct layer_report layers[LAYER_COUNT];
	struct limits limits;
	struct record r = {.kind = RECORD_FINISHED, .layers = layers, .limits = &limits};
	char name[80], before[80] = "";

	for (int i = 0; i < LAYER_COUNT; i++)
		layers[i] = (struct layer_report){.state = LAYER_FULL};
	limits_default(&limits);
	buf_init(&line, RECORD_MAX);
	CHECK(record_write(&r, &line, &err) == 0);
	for (int i = 0; i < LAYER_COUNT; i++) {
		const char *at;

		(void)snprintf(name, sizeof(name), "\"%s\":\"full\"", layer_name((enum layer)i));
		at = strstr(buf_str(&line), name);
		CHECK(at && !strstr(at + 1, name));
	}
	for (size_t i = 0; i < limit_row_count; i++) {
		const char *key = limits_by_key(i)->key;

		CHECK(strcmp(before, key) < 0);
		(void)snprintf(before, sizeof(before), "%s", key);
		(void)snprintf(name, sizeof(name), "\"%s\":", limit_rows[i].key);
		CHECK(strstr(buf_str(&line), name));
	}
}

TEST(arguments_that_have_no_room_leave_their_hash)
{
	own(buf) line;
	struct error err = {0};
	char *big = malloc(RECORD_MAX);
	struct record r = {.kind = RECORD_STARTED, .args = big, .args_inline = true};

	memset(big, '\n', RECORD_MAX); /* twice as long in the line */
	r.args_len = RECORD_MAX / 2 + 10;
	buf_init(&line, RECORD_MAX);
	CHECK(record_write(&r, &line, &err) == 0 && line.len < 300);
	CHECK(record_read(line.data, line.len, &view, &err) == 0);
	CHECK(!view.args.data && view.args_sha256.data);
	r.args_len = 10000;
	CHECK(record_write(&r, &line, &err) == 0);
	CHECK(record_read(line.data, line.len, &view, &err) == 0 && view.args.len == 20000);
	big[3] = '\0';
	CHECK(record_write(&r, &line, &err) == 0 && line.len < 300);
	free(big);
}

TEST(text_of_any_length_and_any_bytes_gives_a_record)
{
	own(buf) line;
	struct error err = {0};
	char *big = malloc(100000);
	struct record r = {
		.kind = RECORD_DENIED, .reason = big, .client = "\xff\xfe", .detail = big};

	memset(big, 0xc3, 100000);
	big[99999] = '\0';
	buf_init(&line, RECORD_MAX);
	CHECK(record_write(&r, &line, &err) == 0);
	CHECK(record_read(line.data, line.len, &view, &err) == 0);
	free(big);
}

#define TAIL ",\"kind\":\"denied\",\"time\":\"2026-01-01T00:00:00.123Z\",\"v\":1}"

TEST(what_the_writer_would_not_write_is_no_record)
{
	static const char *const bad[] = {
		"",
		"{}",
		"[]",
		"{\"kind\":\"denied\",\"time\":\"2026-01-01T00:00:00.123Z\"}",
		"{\"kind\":\"denied\",\"time\":\"2026-01-01T00:00:00.123Z\",\"v\":2}",
		"{\"kind\":\"denied\",\"time\":\"2026-02-29T00:00:00.123Z\",\"v\":1}",
		"{\"kind\":\"denied\",\"time\":\"2026-01-01T24:00:00.123Z\",\"v\":1}",
		"{\"kind\":\"denied\",\"time\":\"2026-01-01T00:00:00.123Z\",\"v\":1} ",
		"{\"kind\":\"denied\",\"time\":\"2026-01-01T00:00:00.123Z\",\"v\":1",
		"{\"kind\":\"none\",\"time\":\"2026-01-01T00:00:00.123Z\",\"v\":1}",
		"{\"kind\":\"denied\",\"kind\":\"denied\",\"time\":\"2026-01-01T00:00:00.123Z\","
		"\"v\":1}",
		"{\"time\":\"2026-01-01T00:00:00.123Z\",\"kind\":\"denied\",\"v\":1}",
		"{ \"client\":\"a\"" TAIL,
		"{\"client\":\"a\x01\"" TAIL,
		"{\"client\":\"\\u0041\"" TAIL,
		"{\"client\":\"\\u000a\"" TAIL,
		"{\"client\":\"\\u0000\"" TAIL,
		"{\"client\":\"\\u001F\"" TAIL,
		"{\"client\":\"\\/\"" TAIL,
		"{\"client\":\"\x80\"" TAIL,
		"{\"client\":\"\xc2\x80\"" TAIL,
		"{\"client\":\"\xed\xa0\x80\"" TAIL,
		"{\"client\":null" TAIL,
		"{\"nobody\":\"a\"" TAIL,
		"{\"args_sha256\":\"aa\"" TAIL,
		"{\"exit_code\":1.0" TAIL,
		"{\"exit_code\":1e3" TAIL,
		"{\"exit_code\":01" TAIL,
		"{\"exit_code\":-0" TAIL,
		"{\"exit_code\":9223372036854775808" TAIL,
		"{\"canary\":false" TAIL,
		"{\"artifacts\":{\"b\":1,\"a\":1}" TAIL,
		"{\"artifacts\":{\"a\":1,\"a\":1}" TAIL,
		"{\"artifacts\":{\"a\":[1]}" TAIL,
		"{\"artifacts\":{\"a\":{\"a\":{\"a\":{}}}}" TAIL,
		"{\"artifacts\":{\"a\":1,}" TAIL,
	};

	CHECK(read_line("{\"client\":\"a\"" TAIL) == 0);
	CHECK(read_line("{\"artifacts\":{\"a\":{\"a\":{}}}" TAIL) == 0);
	CHECK(read_line("{\"exit_code\":-9223372036854775807" TAIL) == 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (read_line(bad[i]) == 0) {
			printf("# read: %s\n", bad[i]);
			CHECK(false);
		}
}

TEST(times_are_the_same_both_ways)
{
	char line[256], time[RECORD_TIME];

	for (uint64_t ms = 1; ms < UINT64_C(253402300799000); ms += UINT64_C(86399123457)) {
		record_time(ms, time);
		(void)snprintf(line, sizeof(line), "{\"kind\":\"denied\",\"time\":\"%s\",\"v\":1}",
			       time);
		CHECK(read_line(line) == 0 && view.time_ms == ms);
	}
}

static enum pairing_result pair(struct pairing *p, enum record_kind kind, const char *id)
{
	struct record_view v = {.kind = kind, .id = {.data = id, .len = strlen(id)}};

	return pairing_add(p, &v, 7);
}

TEST(calls_are_open_from_their_start_to_their_end)
{
	struct pairing p;
	char id[20];
	size_t at = 0, left = 0;

	pairing_init(&p);
	CHECK(pair(&p, RECORD_FINISHED, "a") == PAIRING_NO_START);
	CHECK(pair(&p, RECORD_STARTED, "") == PAIRING_NO_ID);
	for (int i = 0; i < 5000; i++) {
		(void)snprintf(id, sizeof(id), "bj-%d", i);
		CHECK(pair(&p, RECORD_STARTED, id) == PAIRING_FINE);
	}
	CHECK(pair(&p, RECORD_STARTED, "bj-4711") == PAIRING_TWICE);
	for (int i = 0; i < 5000; i += 2) {
		(void)snprintf(id, sizeof(id), "bj-%d", i);
		if (i % 4 == 0) {
			CHECK(pair(&p, RECORD_ABORTED, id) == PAIRING_FINE);
			CHECK(pair(&p, RECORD_ABORTED, id) == PAIRING_NO_START);
		}
		if (i % 16 == 0)
			CHECK(pair(&p, RECORD_STARTED, id) == PAIRING_FINE);
		CHECK(pair(&p, RECORD_FINISHED, id) == PAIRING_FINE);
		CHECK(pair(&p, RECORD_FINISHED, id) == PAIRING_NO_START);
	}
	while (pairing_next(&p, &at))
		left++;
	CHECK(left == 2500 && p.n == 2500 && p.aborted == 0);
	CHECK(pair(&p, RECORD_ABORTED, "bj-1") == PAIRING_FINE && p.aborted == 1);
	for (at = left = 0; pairing_next(&p, &at); left++)
		;
	CHECK(left == 2499);
	CHECK(pair(&p, RECORD_DENIED, "bj-1") == PAIRING_FINE);
	pairing_done(&p);
}
