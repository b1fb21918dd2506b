/* SPDX-License-Identifier: Apache-2.0 */
/* frontparts_test.c - routes, forms, ranges, names, windows and events, each for itself. */
#include "base/own.h"
#include "base/text.h"
#include "keeper/keeptalk.h"
#include "serve/api/accept.h"
#include "serve/api/byterange.h"
#include "serve/api/events.h"
#include "serve/api/frontview.h"
#include "serve/api/histogram.h"
#include "serve/api/labels.h"
#include "serve/api/problem.h"
#include "serve/api/requestid.h"
#include "serve/api/routes.h"
#include "serve/api/window.h"
#include "tap.h"

static const char *found(enum http_method method, const char *path)
{
	struct route_match m;

	routes_find(method, path, &m);
	return m.route ? m.route->name : m.methods ? "405" : "404";
}

TEST(paths_find_their_rows)
{
	CHECK_STR(found(HTTP_POST, "/execute"), "execute");
	CHECK_STR(found(HTTP_GET, "/execute"), "405");
	CHECK_STR(found(HTTP_POST, "/execute/"), "404");
	CHECK_STR(found(HTTP_POST, "/v1/tools/a.b/call"), "callTool");
	CHECK_STR(found(HTTP_POST, "/v1/tools//call"), "404");
	CHECK_STR(found(HTTP_GET, "/v1/audit/checkpoint"), "getCheckpoint");
	CHECK_STR(found(HTTP_GET, "/v1/audit/17"), "getAuditedCall");
	CHECK_STR(found(HTTP_GET, "/v1/audit/17/proof"), "proveRecord");
	CHECK_STR(found(HTTP_HEAD, "/healthz"), "health");
	CHECK_STR(found(HTTP_GET, "/v1/sessions/s/files"), "listFiles");
	CHECK_STR(found(HTTP_GET, "/v1/sessions/s/files/a/b/c"), "getFile");
	CHECK_STR(found(HTTP_GET, "/v1/sessions/s/files/"), "404");
	CHECK_STR(found(HTTP_OTHER, "/healthz"), "405");
	CHECK_STR(found(HTTP_GET, ""), "404");
}

TEST(parameters_are_cut_out_of_the_path)
{
	struct route_match m;

	routes_find(HTTP_PUT, "/v1/sessions/bjs-1/files/dir/x y", &m);
	CHECK(m.route != NULL);
	CHECK(m.params[0].len == 5 && memcmp(m.params[0].text, "bjs-1", 5) == 0);
	CHECK(m.params[1].len == 7 && memcmp(m.params[1].text, "dir/x y", 7) == 0);
}

TEST(every_row_is_whole)
{
	size_t n;
	const struct route *all = routes_all(&n);

	CHECK(n < 64); /* METRIC_ROUTES */
	for (size_t i = 0; i < n; i++) {
		const struct route *r = &all[i];
		char path[256];
		size_t at = 0;
		struct route_match m;

		CHECK(r->name && r->summary && r->answer && r->status >= 200 && r->to);
		/* Nobody but health checks comes in without a name. */
		if (r->flags & ROUTE_OPEN)
			CHECK(r->to == TO_SELF && r->method == HTTP_GET);
		if (r->to == TO_POOL || r->to == TO_OPEN || r->to == TO_SESSION || r->to == TO_FORK)
			CHECK(r->keep > KEEP_ASK_NONE && r->keep < KEEP_ASK_COUNT && r->scopes);
		if (r->to == TO_READER)
			CHECK(r->read && r->scopes == MAY_AUDIT);
		if (r->flags & ROUTE_RUNS)
			CHECK(r->scopes == MAY_EXECUTE && r->method == HTTP_POST);
		/* What is in the table can be found, and nothing before it is in its way. */
		for (const char *p = r->pattern; *p; p++)
			if (*p != '{' && *p != '}')
				path[at++] = *p;
		path[at] = '\0';
		routes_find(r->method, path, &m);
		CHECK(m.route == r);
		for (size_t k = i + 1; k < n; k++)
			CHECK(strcmp(r->name, all[k].name) != 0);
	}
}

TEST(accept_is_obeyed)
{
	CHECK(accept_form(NULL) == FORM_JSON);
	CHECK(accept_form("") == FORM_JSON);
	CHECK(accept_form("*/*") == FORM_JSON);
	CHECK(accept_form("application/json") == FORM_JSON);
	CHECK(accept_form("text/event-stream") == FORM_SSE);
	CHECK(accept_form("TEXT/Event-Stream; charset=utf-8") == FORM_SSE);
	CHECK(accept_form("application/x-ndjson, */*;q=0.1") == FORM_NDJSON);
	CHECK(accept_form("application/json;q=0.5, text/event-stream") == FORM_SSE);
	CHECK(accept_form("application/json, text/event-stream") == FORM_JSON);
	CHECK(accept_form("text/event-stream;q=0") == FORM_NONE);
	CHECK(accept_form("text/event-stream;q=0.000, application/json;q=0.001") == FORM_JSON);
	CHECK(accept_form("text/html") == FORM_NONE);
	CHECK(accept_form("text/*") == FORM_NONE);
	CHECK(accept_form(",,, ;q=1") == FORM_NONE);
	CHECK(accept_form("text/event-stream;q=x") == FORM_NONE);
}

TEST(only_json_is_json)
{
	CHECK(accept_is_json("application/json"));
	CHECK(accept_is_json(" application/JSON ; charset=UTF-8 "));
	CHECK(accept_is_json("application/json;charset=\"utf-8\""));
	CHECK(!accept_is_json(NULL));
	CHECK(!accept_is_json(""));
	CHECK(!accept_is_json("text/plain"));
	CHECK(!accept_is_json("application/jsonp"));
	CHECK(!accept_is_json("application/json; charset=utf-16"));
	CHECK(!accept_is_json("text/plain; application/json"));
}

static bool range_is(const char *header, enum range_kind kind, uint64_t from, uint64_t len)
{
	struct byte_range r;

	range_read(header, &r);
	return r.kind == kind && r.from == from && r.len == len;
}

TEST(one_range_is_understood)
{
	CHECK(range_is("bytes=0-0", RANGE_FROM, 0, 1));
	CHECK(range_is("Bytes=5-", RANGE_FROM, 5, 0));
	CHECK(range_is("bytes=-7", RANGE_LAST, 0, 7));
	CHECK(range_is("bytes=0-999999999999999999", RANGE_FROM, 0, 1000000000000000000));
	CHECK(range_is(NULL, RANGE_WHOLE, 0, 0));
	CHECK(range_is("bytes=", RANGE_WHOLE, 0, 0));
	CHECK(range_is("bytes=-", RANGE_WHOLE, 0, 0));
	CHECK(range_is("bytes=-0", RANGE_WHOLE, 0, 0));
	CHECK(range_is("bytes=3-2", RANGE_WHOLE, 0, 0));
	CHECK(range_is("bytes=1-2,4-5", RANGE_WHOLE, 0, 0));
	CHECK(range_is("bytes= 1-2", RANGE_WHOLE, 0, 0));
	CHECK(range_is("bytes=1-2 ", RANGE_WHOLE, 0, 0));
	CHECK(range_is("bytes=+1-2", RANGE_WHOLE, 0, 0));
	CHECK(range_is("bytes=0-99999999999999999999", RANGE_WHOLE, 0, 0));
	CHECK(range_is("items=0-1", RANGE_WHOLE, 0, 0));
}

TEST(names_that_fit)
{
	char long_one[80], id[40];

	memset(long_one, 'a', sizeof(long_one));
	long_one[64] = '\0';
	CHECK(request_id_fits("a.B-9_"));
	CHECK(request_id_fits(long_one));
	long_one[64] = 'a';
	long_one[65] = '\0';
	CHECK(!request_id_fits(long_one));
	CHECK(!request_id_fits(""));
	CHECK(!request_id_fits("a b"));
	CHECK(!request_id_fits("a\n"));
	CHECK(once_key_fits("\"with quotes and spaces\""));
	CHECK(!once_key_fits("\x7f"));
	CHECK(!once_key_fits("\xc3\xa9"));
	id_make("bjs-", id, sizeof(id));
	CHECK(strlen(id) == 28 && id_fits(id, strlen(id)));
	CHECK(!id_fits("../x", 4));
	CHECK(!id_fits("", 0));
}

TEST(a_window_keeps_the_end)
{
	struct error err;
	struct window w;
	uint64_t total = 0;

	window_init(&w, 100);
	for (int i = 0; i < 1000; i++) {
		char c = (char)('a' + i % 26);

		CHECK(window_add(&w, &c, 1, &err) == 0);
		total++;
		CHECK(window_end(&w) == total && w.len <= 100 && w.room <= 100);
		CHECK(w.data[w.len - 1] == c);
		CHECK(w.data[0] == (char)('a' + w.base % 26));
	}
	CHECK(window_add(&w, "0123456789", 10, &err) == 0);
	window_skip(&w, 5000);
	CHECK(w.base == 5000 && w.len == 0);
	window_skip(&w, 10);
	CHECK(window_end(&w) == 5000);
	window_done(&w);
}

TEST(a_window_swallows_more_than_it_holds)
{
	struct error err;
	struct window w;
	char big[300];

	for (size_t i = 0; i < sizeof(big); i++)
		big[i] = (char)i;
	window_init(&w, 100);
	CHECK(window_add(&w, "xx", 2, &err) == 0);
	CHECK(window_add(&w, big, sizeof(big), &err) == 0);
	CHECK(window_end(&w) == 302 && w.base == 202 && w.len == 100);
	CHECK(memcmp(w.data, big + 200, 100) == 0);
	CHECK(window_add(&w, big, 99, &err) == 0);
	CHECK(window_end(&w) == 401 && w.len <= 100);
	CHECK(memcmp(w.data + w.len - 99, big, 99) == 0);
	window_done(&w);
}

TEST(events_cut_between_characters)
{
	bool text;

	CHECK(event_cut("abc", 3, false, &text) == 3 && text);
	CHECK(event_cut("ab\xc3", 3, false, &text) == 2 && text);
	CHECK(event_cut("\xe2\x82", 2, false, &text) == 0);
	CHECK(event_cut("\xe2\x82", 2, true, &text) == 2 && !text);
	CHECK(event_cut("a\xff", 2, true, &text) == 2 && !text);
	CHECK(event_cut("\xe2\x82\xac", 3, false, &text) == 3 && text);
	CHECK(event_cut("\xff\xff\xff\xff\xff", 5, false, &text) > 0 && !text);
}

TEST(events_are_one_line_each)
{
	struct error err = {0};
	own(buf) out;
	const char *json = "{\n \"a\": 1,\r\n \"b\": \"x\"}\n";

	buf_init(&out, 4096);
	CHECK(event_object(FORM_SSE, "result", json, strlen(json), &out, &err) == 0);
	CHECK_STR(buf_str(&out), "event: result\ndata: {  \"a\": 1,   \"b\": \"x\"} \n\n");
	buf_done(&out);
	buf_init(&out, 4096);
	CHECK(event_object(FORM_NDJSON, "result", json, strlen(json), &out, &err) == 0);
	CHECK_STR(buf_str(&out), "{\"event\":\"result\",\"a\": 1,   \"b\": \"x\"} \n");
	buf_done(&out);
	buf_init(&out, 4096);
	CHECK(event_object(FORM_NDJSON, "result", "{}", 2, &out, &err) == 0);
	CHECK_STR(buf_str(&out), "{\"event\":\"result\"}\n");
	buf_done(&out);
	buf_init(&out, 4096);
	CHECK(event_object(FORM_NDJSON, "result", "", 0, &out, &err) == 0);
	CHECK_STR(buf_str(&out), "{\"event\":\"result\"}\n");
}

TEST(the_worst_piece_fits_in_its_event)
{
	struct error err = {0};
	static char worst[EVENT_DATA_MAX];
	struct event_piece p = {"stdout", worst, sizeof(worst), UINT64_MAX, true};
	own(buf) out;

	memset(worst, 1, sizeof(worst)); /* each becomes six characters */
	buf_init(&out, EVENT_DATA_MAX * 8 + 256);
	CHECK(event_output(FORM_SSE, &p, &out, &err) == 0);
	CHECK(!out.cut);
}

TEST(every_problem_has_its_words)
{
	for (int p = PROBLEM_NONE; p < PROBLEM_COUNT; p++) {
		CHECK(problem_code((enum problem)p) != NULL);
		CHECK(problem_status((enum problem)p) >= 400);
	}
}

TEST(a_histogram_counts_upwards)
{
	struct error err = {0};
	struct histogram h = {0};
	own(buf) out;

	buf_init(&out, 8192);
	histogram_add(&h, 0);
	histogram_add(&h, 1500);
	histogram_add(&h, UINT64_C(1) << 40);
	CHECK(histogram_write(&h, "x", "words", &out, &err) == 0);
	CHECK(strstr(buf_str(&out), "x_bucket{le=\"0.0005\"} 1\n"));
	CHECK(strstr(buf_str(&out), "x_bucket{le=\"0.002\"} 2\n"));
	CHECK(strstr(buf_str(&out), "x_bucket{le=\"300\"} 2\n"));
	CHECK(strstr(buf_str(&out), "x_bucket{le=\"+Inf\"} 3\n"));
	CHECK(strstr(buf_str(&out), "x_count 3\n"));
}

TEST(labels_have_an_end)
{
	struct error err = {0};
	struct labels l = {0};
	char name[LABEL_ROOM + 1];
	own(buf) out;

	buf_init(&out, 64 << 10);
	for (unsigned i = 0; i < LABELS_MAX + 5; i++) {
		(void)snprintf(name, sizeof(name), "rule.%u", i);
		labels_add(&l, name, 2);
	}
	labels_add(&l, "rule.0", 1);
	labels_add(&l, "quote\"", 1);
	labels_add(&l, "", 1);
	memset(name, 'x', LABEL_ROOM);
	name[LABEL_ROOM] = '\0';
	labels_add(&l, name, 1);
	CHECK(l.n == LABELS_MAX);
	CHECK(l.other == 13);
	CHECK(labels_write(&l, "m", "a=\"b\",", "k", &out, &err) == 0);
	CHECK(strstr(buf_str(&out), "m{a=\"b\",k=\"rule.0\"} 3\n"));
	CHECK(strstr(buf_str(&out), "m{a=\"b\",k=\"other\"} 13\n"));
	CHECK(!strstr(buf_str(&out), "quote"));
}
