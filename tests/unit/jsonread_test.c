/* SPDX-License-Identifier: Apache-2.0 */
#include "base/jsonread.h"

#include "base/own.h"
#include "tap.h"

static bool reads(const char *text, size_t len, size_t limit, const char *word)
{
	struct error err = {0};
	own_json value = jsonread(text, len, limit, &err);

	if (!word)
		return value != NULL;
	if (value || !strstr(err.text, word))
		printf("# %s: %s\n", text, value ? "was read" : err.text);
	return !value && err.kind == ERR_CALLER && strstr(err.text, word);
}

TEST(json_is_read_strictly)
{
	static const struct {
		const char *text, *word;
	} rows[] = {
		{"{}", NULL},
		{" [1, 2.5, \"a\", true, null] ", NULL},
		{"7", NULL},
		{"{\"a\":{\"b\":1},\"c\":{\"b\":2}}", NULL},
		{"", "line 1"},
		{"{\"path\":\"/a\",\"path\":\"/b\"}", "duplicate"},
		{"{\"path\":1,\"\\u0070ath\":2}", "duplicate"},
		{"{\"a\":{\"b\":1,\"b\":1}}", "duplicate"},
		{"{} {}", "end of file"},
		{"{}x", "end of file"},
		{"{\"a\":1,}", "line 1"},
		{"{'a':1}", "line 1"},
		{"[1,]", "line 1"},
		{"// x\n{}", "line 1"},
		{"\"\\u0000\"", "line 1"},
		{"{\"a\\u0000\":1}", "line 1"},
		{"\"\xff\"", "decode"},
		{"\"\xc0\xaf\"", "decode"},
		{"\"\xed\xa0\x80\"", "decode"},
		{"\"\\ud800\"", "line 1"},
		{"\xef\xbb\xbf{}", "line 1"},
		{"9223372036854775808", "line 1"},
		{"1e999", "line 1"},
		{"NaN", "line 1"},
		{"-Infinity", "line 1"},
		{"01", "line 1"},
		{"+1", "line 1"},
		{"0x10", "line 1"},
		{"\"a\nb\"", "line 1"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		CHECK(reads(rows[i].text, strlen(rows[i].text), 1000, rows[i].word));
	CHECK(reads("{}\0", 3, 1000, "line 1"));
	CHECK(reads("\"a\0b\"", 5, 1000, "line 1"));
}

TEST(json_has_a_size_and_a_depth)
{
	char text[300];

	CHECK(reads("[1]", 3, 3, NULL));
	CHECK(reads("[1]", 3, 2, "at most 2"));
	for (size_t depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		text[2 * depth] = '\0';
		CHECK(reads(text, 2 * depth, 1000, depth > JSON_DEPTH_MAX ? "levels" : NULL));
	}
	/* Brackets in strings are no nesting, whatever is escaped there. */
	(void)snprintf(text, sizeof(text), "[\"\\\"%0*d\"]", 10, 0);
	memset(text + 4, '[', 10);
	CHECK(reads(text, strlen(text), 1000, NULL));
}

TEST(json_text_has_one_form)
{
	struct error err = {0};
	static const char given[] = " { \"b\" : 1.0 , \"a\" : [ true , \"\\u00e9\\/\" ] } ";
	own_json value = jsonread(given, strlen(given), 1000, &err);
	own_str text = jsonread_text(value);

	CHECK_STR(text, "{\"a\":[true,\"\xc3\xa9/\"],\"b\":1.0}");
}

TEST(every_kind_has_a_name)
{
	static const char *const pairs[][2] = {{"{}", "an object"},  {"[]", "a list"},
					       {"\"\"", "a string"}, {"1", "an integer"},
					       {"1.5", "a number"},  {"true", "true or false"},
					       {"null", "null"},     {"false", "true or false"}};

	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		struct error err = {0};
		own_json value = jsonread(pairs[i][0], strlen(pairs[i][0]), 10, &err);

		CHECK_STR(jsonread_kind(value), pairs[i][1]);
	}
	CHECK_STR(jsonread_kind(NULL), "nothing");
}
