/* SPDX-License-Identifier: Apache-2.0 */
/* innocent_test.c - what has something in it is never innocent; ordinary text is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "redact/innocent.h"
#include "redact/redact.h"
#include "redact/redact_rule.h"
#include "redacting.h"
#include "tap.h"

/* An example without the marks around what is to be replaced. */
static size_t plain(const char *example, char *ret, size_t room)
{
	size_t len = 0;

	for (; *example && len + 1 < room; example++) {
		if ((example[0] == '{' && example[1] == '{') ||
		    (example[0] == '}' && example[1] == '}')) {
			example++;
			continue;
		}
		ret[len++] = *example;
	}
	ret[len] = '\0';
	return len;
}

TEST(no_positive_example_of_any_standard_rule_is_innocent)
{
	size_t n = 0;

	for (size_t i = 0; i < redact_rule_count(); i++) {
		const struct redact_rule *rule = redact_rule_at(i);

		for (size_t j = 0; j < REDACT_EXAMPLES && rule->yes[j]; j++) {
			char text[2048];
			size_t len = plain(rule->yes[j], text, sizeof(text));

			if (!(rule->group & REDACT_STANDARD))
				continue;
			n++;
			if (redact_innocent(text, len)) {
				printf("# %s: %s\n", rule->id, text);
				CHECK(false);
			}
		}
	}
	printf("# %zu examples\n", n);
	CHECK(n >= 150);
}

TEST(nor_is_one_among_other_lines_or_words)
{
	static const char *const around[][2] = {
		{"all is well\n", "\nand goes on"},
		{"x=1; ", ";"},
		{"\\n", "\\n"},
		{"a%20", "%0a"},
		{"{\"k\":\"", "\"}"},
		{"- ", " -"},
		{"(", ")"},
	};

	for (size_t i = 0; i < redact_rule_count(); i++) {
		const struct redact_rule *rule = redact_rule_at(i);
		struct redact_set *set = NULL;

		if (!(rule->group & REDACT_STANDARD))
			continue;
		set = redacting_set(REDACT_STANDARD);
		for (size_t k = 0; k < ARRAY_LEN(around); k++) {
			char middle[2048], text[2200];
			struct error err = {0};
			own_str clean = NULL;
			size_t len, clean_len = 0;

			(void)plain(rule->yes[0], middle, sizeof(middle));
			len = (size_t)snprintf(text, sizeof(text), "%s%s%s", around[k][0], middle,
					       around[k][1]);
			clean = redact_text(set, text, len, &clean_len, &err);
			CHECK(clean);
			if ((clean_len != len || memcmp(clean, text, len) != 0) &&
			    redact_innocent(text, len)) {
				printf("# %s: %s\n", rule->id, text);
				CHECK(false);
			}
		}
		redact_set_free(set);
	}
}

TEST(what_the_redactor_neutralises_is_not_innocent)
{
	static const char *const texts[] = {
		"a\033[31mb",
		"a\rb",
		"a\x7f",
		"\xc3\xa9",
		"\xe2\x80\xae",
		"a\x01",
		"\x9b",
		"p-a-s-s_w-o-r-d = hunter22",
		"\"pass_word\" => 'x y z 1 2 3'",
		"db_pass:=abcdef",
		"fe80::1",
		"1.2.3.4",
		"10.20.30.40:80",
		"a:b:c:d:e:f:0:1",
		"PassWord: \"a b\"",
		"api-key: abcdefghij",
		"token ==abcdefghi",
		("\\\"t_oken\\\": \\\"x8Jq"
		 "2mPz7L\\\""),
		"\\\\\\\"p-wd\\\\\\\":\\\\\\\"a b c d\\\\\\\"",
		"\\u0022pass\\u0022 => \\u0022abcdef",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (redact_innocent(texts[i], strlen(texts[i])))
			printf("# %s\n", texts[i]);
		CHECK(!redact_innocent(texts[i], strlen(texts[i])));
	}
	CHECK(!redact_innocent("a\0b", 3));
}

TEST(ordinary_text_is)
{
	static const char *const texts[] = {
		"",
		"4\n",
		"hello, world\n",
		"/usr/bin/python3",
		"print(2+2)",
		"import json, math\nfor i in range(10):\n\tprint(i, math.sqrt(i))\n",
		"x = [1, 2, 3]; print(sum(x) / len(x))",
		"sorted(rows, key=lambda r: r[1])",
		"Traceback (most recent call last):\n  File \"/work/main.py\", line 1, in "
		"<module>\n"
		"ZeroDivisionError: division by zero\n",
		"console.log([1,2,3].map(x => x * 2))",
		"total 8\n-rw-r--r-- 1 box box 12 Jan  1 00:00 a.txt\n",
		"2026-01-31T23:59:59Z INFO started worker 3 of 8 (pid 42)\n",
		"name,value\nalpha,1.25\nbeta,2.5\n",
		"{\"ok\": true, \"items\": [1, 2.5, null]}\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (!redact_innocent(texts[i], strlen(texts[i])))
			printf("# %s\n", texts[i]);
		CHECK(redact_innocent(texts[i], strlen(texts[i])));
	}
}

/* Pieces of rules put together at random: whatever is innocent comes through as it is. */
TEST(what_is_innocent_the_redactor_leaves_alone)
{
	static const char *const glue[] = {" ", "=",  ":", "\n", "",  "/",
					   ".", "\"", "@", "-",  "_", "\\n"};
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	size_t innocent = 0, rules = redact_rule_count();
	unsigned seed = 7;

	for (unsigned round = 0; round < 20000; round++) {
		char text[512], example[2048];
		size_t len = 0;

		for (int piece = 0; piece < 5; piece++) {
			const struct redact_rule *rule;
			const char *from;
			size_t n, at, room;

			seed = seed * 1103515245u + 12345u;
			rule = redact_rule_at((seed >> 8) % rules);
			from = seed & 64 ? rule->no[0] : rule->yes[0];
			n = plain(from, example, sizeof(example));
			seed = seed * 1103515245u + 12345u;
			at = (seed >> 8) % (n + 1);
			room = 1 + (seed >> 20) % 60;
			n = n - at < room ? n - at : room;
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%.*s%s", (int)n,
						example + at, glue[(seed >> 4) % ARRAY_LEN(glue)]);
		}
		if (redact_innocent(text, len)) {
			struct error err = {0};
			size_t clean_len = 0;
			own_str clean = redact_text(set, text, len, &clean_len, &err);

			innocent++;
			if (clean_len != len || memcmp(clean, text, len) != 0) {
				printf("# %s\n", text);
				CHECK(false);
			}
		}
	}
	printf("# %zu of 20000 were innocent\n", innocent);
	CHECK(innocent > 500);
	redact_set_free(set);
}

/* No byte is read for every sign or word before it: lines of 64 KiB would take minutes. */
TEST(long_lines_are_read_once)
{
	static const char *const all[] = {"a=", "PRIVATE ", "curl PRIVATE ", "x:// "};
	enum { LINE = 64 << 10, LINES = 128 };
	static char text[LINE * LINES];

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		size_t len = strlen(all[i]);

		for (size_t at = 0; at < sizeof(text); at++)
			text[at] = at % LINE == LINE - 1 ? '\n' : all[i][at % LINE % len];
		CHECK(redact_innocent(text, sizeof(text)));
		/* What is at the end counts for all of the line. */
		memcpy(text + sizeof(text) - 20,
		       " KEY: @key="
		       "x8Jq2mPz7",
		       20);
		CHECK(!redact_innocent(text, sizeof(text)));
	}
}
