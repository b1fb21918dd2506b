/* SPDX-License-Identifier: Apache-2.0 */
#include "call/why.h"

#include "base/own.h"
#include "tap.h"

TEST(a_refusal_says_which_rule_and_what)
{
	struct why w = {.retry_after_ms = 7, .hint = "old"};

	CHECK(why_deny(&w, WHY_POLICY, "tools.a", "no %s", "b") == ANSWER_DENY);
	CHECK(w.layer == WHY_POLICY && w.permanent && w.retry_after_ms == 0 && !w.hint[0]);
	CHECK_STR(w.rule, "tools.a");
	CHECK_STR(w.what, "no b");
	why_hint(&w, "try %d", 3);
	CHECK_STR(w.hint, "try 3");
	why_retry(&w, 500);
	CHECK(!w.permanent && w.retry_after_ms == 500);
}

TEST(foreign_text_in_a_refusal_is_escaped_and_cut)
{
	static char long_text[5000];
	struct why w;

	(void)why_deny(&w, WHY_POLICY, "a\nb", "\x1b[2J%s", "\n\xc2\x9b");
	CHECK(!strpbrk(w.what, "\n\x1b") && !strchr(w.rule, '\n'));
	CHECK(!strstr(w.what, "\xc2\x9b"));
	for (size_t i = 0; i + 3 < sizeof(long_text); i += 2)
		memcpy(long_text + i, "\xc3\xa9", 2);
	(void)why_deny(&w, WHY_POLICY, long_text, "x%s", long_text);
	CHECK(strlen(w.what) < sizeof(w.what) && strlen(w.rule) < sizeof(w.rule));
	CHECK(strlen(w.what) > 300 && strlen(w.what) % 2 == 1); /* whole characters */
}

TEST(our_own_failure_tells_nothing_of_the_host)
{
	struct error err = {0};
	struct why w;

	(void)fail(&err, ERR_SYSTEM, "open /srv/secret/place");
	CHECK(why_internal(&w, &err) == ANSWER_DENY);
	CHECK(w.layer == WHY_KERNEL && !w.permanent);
	CHECK(!strstr(w.what, "secret") && !strstr(w.hint, "secret"));
}

TEST(nothing_refused_is_null_and_a_refusal_is_an_object)
{
	struct error err = {0};
	struct why w = {0};
	own(buf) out;
	struct jsonout j;

	buf_init(&out, 4096);
	jsonout_start(&j, &out, &err);
	jsonout_object(&j, NULL);
	why_json(&w, &j, "none");
	(void)why_deny(&w, WHY_LIMIT, "r", "w");
	why_json(&w, &j, "why");
	why_retry(&w, 12);
	why_hint(&w, "h");
	why_json(&w, &j, "later");
	jsonout_object_end(&j);
	CHECK(jsonout_end(&j) == 0);
	CHECK_STR(buf_str(&out),
		  "{\"none\":null,\"why\":{\"layer\":\"limit\",\"rule\":\"r\",\"what\":\"w\","
		  "\"permanent\":true,\"retry_after_ms\":null,\"hint\":null},"
		  "\"later\":{\"layer\":\"limit\",\"rule\":\"r\",\"what\":\"w\","
		  "\"permanent\":false,\"retry_after_ms\":12,\"hint\":\"h\"}}");
}

TEST(every_layer_has_a_name)
{
	for (int i = 0; i < WHY_COUNT; i++)
		CHECK(why_layer_name((enum why_layer)i) && why_layer_name((enum why_layer)i)[0]);
	CHECK_STR(why_layer_name(WHY_COUNT), "none");
}
