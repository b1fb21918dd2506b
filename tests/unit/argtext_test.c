/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that are texts only are written as the library would write them, each cleaned. */
#include "gate/argtext.h"

#include "base/jsonread.h"
#include "base/own.h"
#include "tap.h"

static uint64_t seed = 88172645463325252u;

static unsigned chance(unsigned below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed % below);
}

/* Characters of every kind: plain, escaped, by name and by number, and of two to four bytes. */
static json_t *any_text(void)
{
	static const char *const rare[] = {"\xc3\xa4",         "\xc2\x85", "\xe2\x82\xac",
					   "\xf0\x9f\x98\x80", "\x7f",     "/"};
	char text[200];
	size_t n = 0, most = chance(60);

	while (n < most) {
		const char *one = rare[chance(ARRAY_LEN(rare))];

		if (chance(3)) {
			text[n++] = (char)(1 + chance(126));
			continue;
		}
		memcpy(text + n, one, strlen(one));
		n += strlen(one);
	}
	text[n] = '\0';
	return json_string(text);
}

static void check_same(json_t *args)
{
	static const struct cleaner nobody = {0};
	own_str want = json_dumps(args, JSON_COMPACT | JSON_SORT_KEYS);
	struct error err = {0};
	size_t len = 0;
	own_str got = argtext_write(args, &nobody, &len, &err);

	CHECK_STR(got, want);
	CHECK(got && len == strlen(got));
}

TEST(it_is_what_the_library_writes)
{
	for (int i = 0; i < 20000; i++) {
		own_json args = json_object();
		size_t n = chance(9);

		for (size_t k = 0; k < n; k++) {
			own_json key = any_text();

			CHECK(json_object_set_new(args, json_string_value(key), any_text()) == 0);
		}
		CHECK(argtext_fits(args));
		check_same(args);
	}
}

TEST(a_nul_is_written_by_its_number)
{
	own_json args = json_object();

	CHECK(json_object_set_new(args, "a", json_stringn("x\0y", 3)) == 0);
	check_same(args);
}

TEST(what_is_no_text_goes_the_general_way)
{
	static const char *const others[] = {
		"{\"a\":1}",
		"{\"a\":null}",
		"{\"a\":[\"b\"]}",
		"{\"a\":{}}",
		"[\"a\"]",
		("{\"a\":\"\",\"b\":\"\",\"c\":\"\",\"d\":\"\",\"e\":\"\","
		 "\"f\":\"\",\"g\":\"\",\"h\":\"\",\"i\":\"\"}")};

	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		own_json args = json_loads(others[i], 0, NULL);

		CHECK(args && !argtext_fits(args));
	}
}

static char *star(void *context, const char *text, size_t len, size_t *ret_len, struct error *err)
{
	int *times = context;

	(void)text;
	(void)err;
	++*times;
	*ret_len = len == 3 ? 1 : 2;
	return strdup(len == 3 ? "\xff" : "\"*");
}

TEST(each_text_is_cleaned_and_no_name)
{
	own_json args = json_loads("{\"b\":\"secret\",\"a\":\"other\"}", 0, NULL);
	own_json bad = json_loads("{\"b\":\"bad\"}", 0, NULL);
	int times = 0;
	const struct cleaner clean = {star, &times};
	struct error err = {0};
	size_t len = 0;
	own_str got = argtext_write(args, &clean, &len, &err);

	CHECK_STR(got, "{\"a\":\"\\\"*\",\"b\":\"\\\"*\"}");
	CHECK(times == 2 && len == strlen(got));
	/* What is no text any more is not written. */
	CHECK(argtext_write(bad, &clean, &len, &err) == NULL && err.kind == ERR_INTERNAL);
}
