/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/arguments.h"

#include <math.h>

#include "argrules.h"
#include "base/own.h"
#include "tap.h"

static const char prefix[] = "tools.t.args";

/* Judges the text args by the text rules; what comes out as text, or the refusal's rule. */
static const char *judge(const char *rules_text, const char *args_text)
{
	static char ret[1 << 16];
	struct policy *p = calloc(1, sizeof(*p));
	struct complaints complaints = {0};
	struct path_grants grants = {0};
	struct why why = {0};
	struct error err = {0};
	own_json args = NULL;
	own_json made = NULL;
	struct arg_rules rules = argrules_make(p, rules_text);

	arguments_check(&rules, prefix, p, &complaints);
	args = jsonread(args_text, strlen(args_text), 1 << 20, &err);
	if (complaints.n) {
		(void)snprintf(ret, sizeof(ret), "load: %s %s", complaints.list[0].path,
			       complaints.list[0].text);
	} else if (!args) {
		(void)snprintf(ret, sizeof(ret), "json: %s", err.text);
	} else if (arguments_judge(&rules, args, prefix, &grants, &made, &why) == ANSWER_ALLOW) {
		own_str text = jsonread_text(made);

		(void)snprintf(ret, sizeof(ret), "%s", text);
		CHECK(why.layer == WHY_NONE);
	} else {
		CHECK(!made && why.layer != WHY_NONE && why.what[0] && why.rule[0]);
		(void)snprintf(ret, sizeof(ret), "%s: %s (%s)", why.rule, why.what, why.hint);
	}
	path_grants_done(&grants);
	policy_free(p);
	return ret;
}

struct row {
	const char *rules, *args, *want; /* its beginning */
};

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *got = judge(rows[i].rules, rows[i].args);

		if (strncmp(got, rows[i].want, strlen(rows[i].want)) != 0) {
			printf("# %s by %s\n#   is   %.300s\n#   want %s\n", rows[i].args,
			       rows[i].rules, got, rows[i].want);
			tap_failures++;
		}
	}
}

TEST(integers_are_json_integers_within_their_bounds)
{
	static const char any[] = "{\"n\":{\"type\":\"integer\"}}";
	static const char some[] = "{\"n\":{\"type\":\"integer\",\"min\":1,\"max\":100}}";
	static const struct row rows[] = {
		{any, "{\"n\":1}", "{\"n\":1}"},
		{any, "{\"n\":-9223372036854775808}", "{\"n\":-9223372036854775808}"},
		{any, "{\"n\":9223372036854775807}", "{\"n\":9223372036854775807}"},
		{any, "{\"n\":9223372036854775808}", "json: "},
		{any, "{\"n\":1.0}", "tools.t.args.n.type: 'n' is a number, not an integer"},
		{any, "{\"n\":1e3}", "tools.t.args.n.type"},
		{any, "{\"n\":true}", "tools.t.args.n.type: 'n' is true or false, not an integer"},
		{any, "{\"n\":\"1\"}", "tools.t.args.n.type: 'n' is a string"},
		{any, "{\"n\":null}", "tools.t.args.n.type: 'n' is null, not an integer; leave it"},
		{any, "{\"n\":[1]}", "tools.t.args.n.type: 'n' is a list"},
		{any, "{\"n\":{}}", "tools.t.args.n.type: 'n' is an object"},
		{any, "{}", "tools.t.args.n.required: 'n' is missing (an integer)"},
		{some, "{\"n\":1}", "{\"n\":1}"},
		{some, "{\"n\":100}", "{\"n\":100}"},
		{some, "{\"n\":0}",
		 "tools.t.args.n.min: 'n' is 0, which is too small (an integer from 1 to 100)"},
		{some, "{\"n\":101}", "tools.t.args.n.max: 'n' is 101, which is too large"},
		{some, "{\"n\":-1}", "tools.t.args.n.min"},
		{some, "{\"n\":1.5}", "tools.t.args.n.type"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

TEST(numbers_are_integers_or_reals_compared_exactly)
{
	static const char half[] =
		"{\"n\":{\"type\":\"number\",\"min\":0.5,\"max\":9007199254740992}}";
	static const struct row rows[] = {
		{half, "{\"n\":0.5}", "{\"n\":0.5}"},
		{half, "{\"n\":1}", "{\"n\":1}"},
		{half, "{\"n\":0.49999}", "tools.t.args.n.min"},
		{half, "{\"n\":0}",
		 "tools.t.args.n.min: 'n' is 0, which is too small (a number from 0.5"},
		{half, "{\"n\":9007199254740992}", "{\"n\":9007199254740992}"},
		{half, "{\"n\":9007199254740993}", "tools.t.args.n.max"}, /* not a double */
		{half, "{\"n\":1e400}", "json: "},
		{half, "{\"n\":false}", "tools.t.args.n.type"},
		{half, "{\"n\":\"1\"}", "tools.t.args.n.type"},
		{half, "{\"n\":NaN}", "json: "},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

TEST(nan_and_infinity_are_no_numbers_wherever_they_come_from)
{
	struct policy p = {0};
	struct arg_rules rules = argrules_make(&p, "{\"n\":{\"type\":\"number\"}}");
	struct path_grants grants = {0};
	struct why why = {0};
	own_json args = json_object();
	own_json made = NULL;
	json_t *real = json_real(0);

	CHECK(json_object_set_new(args, "n", real) == 0);
	if (json_real_set(real, (double)NAN) == 0) /* the library may refuse it itself */
		CHECK(arguments_judge(&rules, args, prefix, &grants, &made, &why) == ANSWER_DENY);
	if (json_real_set(real, (double)INFINITY) == 0)
		CHECK(arguments_judge(&rules, args, prefix, &grants, &made, &why) == ANSWER_DENY);
}

TEST(booleans_are_true_or_false)
{
	static const char b[] = "{\"b\":{\"type\":\"boolean\"}}";
	static const struct row rows[] = {
		{b, "{\"b\":true}", "{\"b\":true}"},
		{b, "{\"b\":false}", "{\"b\":false}"},
		{b, "{\"b\":1}", "tools.t.args.b.type: 'b' is an integer, not true or false"},
		{b, "{\"b\":0}", "tools.t.args.b.type"},
		{b, "{\"b\":\"true\"}", "tools.t.args.b.type"},
		{b, "{\"b\":null}", "tools.t.args.b.type"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

TEST(strings_have_lengths_in_characters_and_full_patterns)
{
	static const char len[] = "{\"s\":{\"type\":\"string\",\"min_len\":2,\"max_len\":3}}";
	static const char pat[] = "{\"s\":{\"type\":\"string\",\"pattern\":\"[a-z]+|x y\"}}";
	static const char slow[] = "{\"s\":{\"type\":\"string\",\"pattern\":\"(a+)+[bc]\"}}";
	static const struct row rows[] = {
		{len, "{\"s\":\"ab\"}", "{\"s\":\"ab\"}"},
		{len, "{\"s\":\"\\u00e9\\u20ac\\ud83d\\ude00\"}",
		 "{\"s\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"}"},
		{len, "{\"s\":\"a\"}",
		 "tools.t.args.s.min_len: 's' has 1 characters, which is too short (a string of 2 "
		 "to 3"},
		{len, "{\"s\":\"abcd\"}", "tools.t.args.s.max_len"},
		{len, "{\"s\":\"\\u00e9\\u00e9\\u00e9\\u00e9\"}", "tools.t.args.s.max_len"},
		{len, "{\"s\":12}", "tools.t.args.s.type"},
		{len, "{\"s\":[\"ab\"]}", "tools.t.args.s.type"},
		{pat, "{\"s\":\"abc\"}", "{\"s\":\"abc\"}"},
		{pat, "{\"s\":\"x y\"}", "{\"s\":\"x y\"}"},
		{pat, "{\"s\":\"abc1\"}",
		 "tools.t.args.s.pattern: 's' does not match its pattern (a string of at most "
		 "65536 characters; the whole of it matches [a-z]+|x y)"},
		{pat, "{\"s\":\"1abc\"}", "tools.t.args.s.pattern"},
		{pat, "{\"s\":\"abc;x y\"}", "tools.t.args.s.pattern"},
		{pat, "{\"s\":\"\"}", "tools.t.args.s.pattern"},
		{pat, "{\"s\":\"abc\\n\"}", "tools.t.args.s.multiline"},
		{slow, "{\"s\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"}",
		 "tools.t.args.s.pattern: 's' takes too long"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

TEST(characters_that_deceive_are_refused)
{
	static const char one[] = "{\"s\":{\"type\":\"string\"}}";
	static const char many[] = "{\"s\":{\"type\":\"string\",\"multiline\":true}}";
	static const struct row rows[] = {
		{one, "{\"s\":\"a\\nb\"}",
		 "tools.t.args.s.multiline: 's' has a newline at character 2"},
		{one, "{\"s\":\"a\\tb\"}", "tools.t.args.s.multiline: 's' has a tab"},
		{one, "{\"s\":\"\\u001b[2J\"}",
		 "tools.t.args.s.multiline: 's' has a control character"},
		{one, "{\"s\":\"\\u007f\"}", "tools.t.args.s.multiline"},
		{one, "{\"s\":\"\\u009b\"}", "tools.t.args.s.multiline"},
		{one, "{\"s\":\"\\u0000\"}", "json: "},
		{one, "{\"s\":\"\\u202e\"}",
		 "tools.t.args.s.multiline: 's' has a character that turns"},
		{one, "{\"s\":\"\\u2066\"}", "tools.t.args.s.multiline"},
		{one, "{\"s\":\"\\u200b\"}", "tools.t.args.s.multiline: 's' has an invisible"},
		{one, "{\"s\":\"\\ufeff\"}", "tools.t.args.s.multiline"},
		{one, "{\"s\":\"\\u2028\"}", "tools.t.args.s.multiline"},
		{one, "{\"s\":\"\\udb40\\udc41\"}", "tools.t.args.s.multiline"}, /* U+E0041 */
		{one, "{\"s\":\"\\ud800\"}", "json: "},
		{one, "{\"s\":\"\\u200d\\u200c\\u200f\"}", "{"}, /* parts of words */
		{one, "{\"s\":\"\"}", "{\"s\":\"\"}"},
		{many, "{\"s\":\"a\\n\\tb\"}", "{\"s\":\"a\\n\\tb\"}"},
		{many, "{\"s\":\"a\\rb\"}",
		 "tools.t.args.s.multiline: 's' has a control character"},
		{many, "{\"s\":\"\\u001b\"}", "tools.t.args.s.multiline"},
		{many, "{\"s\":\"\\u0085\"}", "tools.t.args.s.multiline"},
		{many, "{\"s\":\"\\u202e\"}", "{"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

TEST(bytes_that_no_parser_let_in_are_refused_here_too)
{
	struct policy p = {0};
	struct arg_rules rules =
		argrules_make(&p, "{\"s\":{\"type\":\"string\",\"multiline\":true}}");
	struct path_grants grants = {0};
	static const struct {
		const char *text;
		size_t len;
	} bad[] = {{"a\0b", 3}, {"\xff", 1}, {"\xc0\x80", 2}, {"\xed\xa0\x80", 3}};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		own_json args = json_object();
		own_json made = NULL;
		struct why why = {0};

		CHECK(json_object_set_new(args, "s",
					  json_stringn_nocheck(bad[i].text, bad[i].len)) == 0);
		CHECK(arguments_judge(&rules, args, prefix, &grants, &made, &why) == ANSWER_DENY);
	}
}

TEST(a_string_has_a_ceiling_even_if_nobody_wrote_one)
{
	static char args[70000];

	memset(args, 'a', sizeof(args));
	memcpy(args, "{\"s\":\"", 6);
	memcpy(args + 6 + 65536, "\"}", 3);
	CHECK(judge("{\"s\":{\"type\":\"string\"}}", args)[0] == '{');
	memset(args + 6, 'a', sizeof(args) - 7);
	memcpy(args + 6 + 65537, "\"}", 3);
	CHECK(strstr(judge("{\"s\":{\"type\":\"string\"}}", args), "max_len"));
	CHECK(judge("{\"s\":{\"type\":\"string\",\"max_len\":65537}}", args)[0] == '{');
}

TEST(allowed_values_are_equal_in_type_and_value)
{
	static const char ints[] = "{\"n\":{\"type\":\"integer\",\"enum\":[123,456]}}";
	static const char nums[] = "{\"n\":{\"type\":\"number\",\"enum\":[1,2.5]}}";
	static const char words[] = "{\"m\":{\"type\":\"enum\",\"enum\":[\"fast\",\"exact\"]}}";
	static const struct row rows[] = {
		{ints, "{\"n\":123}", "{\"n\":123}"},
		{ints, "{\"n\":999}",
		 "tools.t.args.n.enum: 'n' is not one of the allowed values (one of 123, 456)"},
		{ints, "{\"n\":123.0}", "tools.t.args.n.type"},
		{ints, "{\"n\":\"123\"}", "tools.t.args.n.type"},
		{nums, "{\"n\":1}", "{\"n\":1}"},
		{nums, "{\"n\":1.0}", "tools.t.args.n.enum"},
		{nums, "{\"n\":2.5}", "{\"n\":2.5}"},
		{nums, "{\"n\":true}", "tools.t.args.n.type"},
		{words, "{\"m\":\"fast\"}", "{\"m\":\"fast\"}"},
		{words, "{\"m\":\"FAST\"}", "tools.t.args.m.enum"},
		{words, "{\"m\":\"fast \"}", "tools.t.args.m.enum"},
		{words, "{\"m\":1}", "tools.t.args.m.type"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

TEST(what_nobody_declared_is_refused_with_the_nearest_name)
{
	static const char some[] = "{\"limit\":{\"type\":\"integer\",\"default\":20},"
				   "\"query\":{\"type\":\"string\"},"
				   "\"mode\":{\"type\":\"string\",\"required\":false}}";
	static const struct row rows[] = {
		{some, "{\"query\":\"a\"}", "{\"limit\":20,\"query\":\"a\"}"},
		{some, "{\"query\":\"a\",\"limit\":3,\"mode\":\"x\"}",
		 "{\"limit\":3,\"mode\":\"x\",\"query\":\"a\"}"},
		{some, "{\"limit\":3}", "tools.t.args.query.required: 'query' is missing"},
		{some, "{\"query\":\"a\",\"limti\":3}",
		 "tools.t.args: there is no argument 'limti' (did you mean 'limit'?)"},
		{some, "{\"query\":\"a\",\"zzzzzzz\":3}",
		 "tools.t.args: there is no argument 'zzzzzzz' (leave out 'zzzzzzz'; it takes: "
		 "limit, query, mode)"},
		{some, "{\"query\":\"a\",\"Query\":\"b\"}",
		 "tools.t.args: there is no argument 'Query'"},
		{some, "{\"query\":\"a\",\"\":1}", "tools.t.args: there is no argument ''"},
		{some, "{\"query\":\"a\",\"query\":\"b\"}", "json: "}, /* the same key twice */
		{some, "{\"query\":\"a\",\"quer\\u0079\":\"b\"}", "json: "},
		{some, "{\"query\":\"a\",\"limit\":null}", "tools.t.args.limit.type"},
		{some, "[]", "tools.t.args: the arguments are a list, not an object"},
		{some, "null", "tools.t.args: the arguments are null"},
		{"{}", "{}", "{}"},
		{"{}", "{\"a\":1}",
		 "tools.t.args: there is no argument 'a' (leave out 'a'; it takes nothing)"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

TEST(lists_and_objects_are_judged_to_their_leaves)
{
	static const char list[] = "{\"l\":{\"type\":\"list\",\"min_len\":1,\"max_len\":2,"
				   "\"items\":{\"type\":\"integer\",\"max\":9}}}";
	static const char deep[] =
		"{\"o\":{\"type\":\"object\",\"fields\":{"
		"\"tags\":{\"type\":\"list\",\"items\":{\"type\":\"object\",\"fields\":{"
		"\"name\":{\"type\":\"string\",\"max_len\":3},"
		"\"n\":{\"type\":\"integer\",\"default\":7}}}}}}}";
	static const struct row rows[] = {
		{list, "{\"l\":[1,9]}", "{\"l\":[1,9]}"},
		{list, "{\"l\":[]}", "tools.t.args.l.min_len: 'l' has 0 items"},
		{list, "{\"l\":[1,2,3]}",
		 "tools.t.args.l.max_len: 'l' has 3 items, which are too many (a list of 1 to 2 "
		 "items)"},
		{list, "{\"l\":[1,10]}", "tools.t.args.l.items.max: 'l[1]' is 10"},
		{list, "{\"l\":[1,\"2\"]}", "tools.t.args.l.items.type: 'l[1]' is a string"},
		{list, "{\"l\":1}", "tools.t.args.l.type: 'l' is an integer, not a list"},
		{list, "{\"l\":[[1]]}", "tools.t.args.l.items.type"},
		{deep, "{\"o\":{\"tags\":[{\"name\":\"abc\"}]}}",
		 "{\"o\":{\"tags\":[{\"n\":7,\"name\":\"abc\"}]}}"},
		{deep, "{\"o\":{\"tags\":[]}}", "{\"o\":{\"tags\":[]}}"},
		{deep, "{\"o\":{\"tags\":[{\"name\":\"abc\"},{\"name\":\"abcd\"}]}}",
		 "tools.t.args.o.fields.tags.items.fields.name.max_len: 'o.tags[1].name' has 4"},
		{deep, "{\"o\":{\"tags\":[{}]}}",
		 "tools.t.args.o.fields.tags.items.fields.name.required: 'o.tags[0].name' is "
		 "missing"},
		{deep, "{\"o\":{\"tags\":[{\"name\":\"a\",\"x\":1}]}}",
		 "tools.t.args.o.fields.tags.items.fields: 'o.tags[0]' has 'x', which is not "
		 "declared"},
		{deep, "{\"o\":{}}", "tools.t.args.o.fields.tags.required"},
		{deep, "{\"o\":[]}", "tools.t.args.o.type: 'o' is a list, not an object"},
		{deep, "{}", "tools.t.args.o.required: 'o' is missing (an object of tags)"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

TEST(values_are_counted_through_all_lists)
{
	static const char rules[] =
		"{\"l\":{\"type\":\"list\",\"items\":{\"type\":\"list\",\"items\":"
		"{\"type\":\"integer\"}}}}";
	own_json inner = json_array();
	own_json outer = json_array();
	own_json args = json_object();
	own_json made = NULL;
	struct policy p = {0};
	struct arg_rules r = argrules_make(&p, rules);
	struct path_grants grants = {0};
	struct why why = {0};

	for (int i = 0; i < 1000; i++)
		CHECK(json_array_append_new(inner, json_integer(i)) == 0);
	for (int i = 0; i < 60; i++)
		CHECK(json_array_append(outer, inner) == 0);
	CHECK(json_object_set(args, "l", outer) == 0);
	CHECK(arguments_judge(&r, args, prefix, &grants, &made, &why) == ANSWER_ALLOW);
	for (int i = 0; i < 10; i++)
		CHECK(json_array_append(outer, inner) == 0);
	json_decref(made);
	made = NULL;
	CHECK(arguments_judge(&r, args, prefix, &grants, &made, &why) == ANSWER_DENY);
	CHECK(strstr(why.what, "more than 65536 values"));
	CHECK(json_array_append_new(inner, json_integer(1)) == 0);
	CHECK(arguments_judge(&r, args, prefix, &grants, &made, &why) == ANSWER_DENY);
	CHECK_STR(why.rule, "tools.t.args.l.items.max_len");
}

TEST(urls_are_judged_by_scheme_host_and_port_and_come_out_in_one_form)
{
	static const char u[] =
		"{\"u\":{\"type\":\"url\",\"hosts\":[\"api.example.com\",\"*.data.example.com\"]}}";
	static const char p[] =
		"{\"u\":{\"type\":\"url\",\"schemes\":[\"http\",\"https\"],\"ports\":[\"443\","
		"\"8080\"],\"hosts\":[\"a.b\"],\"pattern\":\".*/v1/.*\"}}";
	static const struct row rows[] = {
		{u, "{\"u\":\"https://api.example.com\"}", "{\"u\":\"https://api.example.com/\"}"},
		{u, "{\"u\":\"HTTPS://API.EXAMPLE.COM:443/x\"}",
		 "{\"u\":\"https://api.example.com/x\"}"},
		{u, "{\"u\":\"https://a.b.data.example.com/\"}", "{"},
		{u, "{\"u\":\"http://api.example.com\"}",
		 "tools.t.args.u.schemes: 'u' has the scheme 'http'"},
		{u, "{\"u\":\"https://api.example.com.evil.example/\"}",
		 "tools.t.args.u.hosts: 'u' has the host 'api.example.com.evil.example'"},
		{u, "{\"u\":\"https://api.example.com@evil.example/\"}", "tools.t.args.u.type"},
		{u, "{\"u\":\"https://evildata.example.com/\"}", "tools.t.args.u.hosts"},
		{u, "{\"u\":\"https://data.example.com/\"}", "tools.t.args.u.hosts"},
		{u, "{\"u\":\"https://api.example.com:8443/\"}",
		 "tools.t.args.u.ports: 'u' has the port 8443"},
		{u, "{\"u\":\"https://127.0.0.1/\"}", "tools.t.args.u.hosts"},
		{u, "{\"u\":\"file:///etc/passwd\"}", "tools.t.args.u.type"},
		{u, "{\"u\":\" https://api.example.com\"}", "tools.t.args.u.type"},
		{u, "{\"u\":\"https://api.example.com/\\n\"}", "tools.t.args.u.multiline"},
		{u, "{\"u\":7}", "tools.t.args.u.type: 'u' is an integer, not a string"},
		{p, "{\"u\":\"https://a.b/v1/x\"}", "{"},
		{p, "{\"u\":\"http://a.b:8080/v1/x\"}", "{"},
		{p, "{\"u\":\"http://a.b/v1/x\"}", "tools.t.args.u.ports"},
		{p, "{\"u\":\"https://a.b/v2/x\"}", "tools.t.args.u.pattern"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

TEST(rules_that_cannot_be_are_found_at_load)
{
	static const struct row rows[] = {
		{"{\"a\":{}}", "{}", "load: tools.t.args.a.type is missing"},
		{"{\"a b\":{\"type\":\"integer\"}}", "{}", "load: tools.t.args.a b a name is"},
		{"{\"1\":{\"type\":\"integer\"}}", "{}", "load: tools.t.args.1 a name is"},
		{"{\"a\":{\"type\":\"integer\",\"min\":2,\"max\":1}}", "{}",
		 "load: tools.t.args.a.max is less than min"},
		{"{\"a\":{\"type\":\"integer\",\"min\":1.5}}", "{}",
		 "load: tools.t.args.a.min is a number, not an integer"},
		{"{\"a\":{\"type\":\"number\",\"min\":\"1\"}}", "{}",
		 "load: tools.t.args.a.min is a string"},
		{"{\"a\":{\"type\":\"string\",\"min\":1}}", "{}",
		 "load: tools.t.args.a.min means nothing for the type string; for lengths"},
		{"{\"a\":{\"type\":\"integer\",\"pattern\":\"x\"}}", "{}",
		 "load: tools.t.args.a.pattern means nothing"},
		{"{\"a\":{\"type\":\"integer\",\"hosts\":[\"a.b\"]}}", "{}",
		 "load: tools.t.args.a.hosts means nothing"},
		{"{\"a\":{\"type\":\"string\",\"min_len\":5,\"max_len\":4}}", "{}",
		 "load: tools.t.args.a.min_len is more"},
		{"{\"a\":{\"type\":\"list\",\"min_len\":1001,\"items\":{\"type\":\"integer\"}}}",
		 "{}", "load: tools.t.args.a.min_len is more"},
		{"{\"a\":{\"type\":\"string\",\"pattern\":\"(\"}}", "{}",
		 "load: tools.t.args.a.pattern pattern, character 2"},
		{"{\"a\":{\"type\":\"enum\"}}", "{}", "load: tools.t.args.a.enum is missing"},
		{"{\"a\":{\"type\":\"enum\",\"enum\":[]}}", "{}",
		 "load: tools.t.args.a.enum is no list"},
		{"{\"a\":{\"type\":\"enum\",\"enum\":[1]}}", "{}",
		 "load: tools.t.args.a.enum its own rule refuses it"},
		{"{\"a\":{\"type\":\"integer\",\"enum\":[1,2.0]}}", "{}",
		 "load: tools.t.args.a.enum its own"},
		{"{\"a\":{\"type\":\"integer\",\"max\":5,\"default\":6}}", "{}",
		 "load: tools.t.args.a.default its own rule refuses it: 'a' is 6"},
		{"{\"a\":{\"type\":\"string\",\"pattern\":\"b\",\"default\":\"c\"}}", "{}",
		 "load: tools.t.args.a.default"},
		{"{\"a\":{\"type\":\"list\"}}", "{}", "load: tools.t.args.a.items is missing"},
		{"{\"a\":{\"type\":\"object\"}}", "{}", "load: tools.t.args.a.fields is missing"},
		{"{\"a\":{\"type\":\"list\",\"items\":{\"type\":\"integer\",\"max\":\"x\"}}}", "{}",
		 "load: tools.t.args.a.items.max is a string"},
		{"{\"a\":{\"type\":\"object\",\"fields\":{\"b\":{\"type\":\"url\"}}}}", "{}",
		 "load: tools.t.args.a.fields.b.hosts is missing"},
		{"{\"a\":{\"type\":\"url\",\"hosts\":[\"*\"]}}", "{}",
		 "load: tools.t.args.a.hosts '*'"},
		{"{\"a\":{\"type\":\"url\",\"hosts\":[\"*.com\"]}}", "{}",
		 "load: tools.t.args.a.hosts '*.com' is too wide"},
		{"{\"a\":{\"type\":\"url\",\"hosts\":[\"a.b\"],\"schemes\":[\"ftp\"]}}", "{}",
		 "load: tools.t.args.a.schemes 'ftp'"},
		{"{\"a\":{\"type\":\"url\",\"hosts\":[\"a.b\"],\"ports\":[\"0443\"]}}", "{}",
		 "load: tools.t.args.a.ports"},
		{"{\"a\":{\"type\":\"url\",\"hosts\":[\"a.b\"],\"ports\":[\"65536\"]}}", "{}",
		 "load: tools.t.args.a.ports"},
		{"{\"a\":{\"type\":\"path\"}}", "{}", "load: tools.t.args.a.under is missing"},
		{"{\"a\":{\"type\":\"path\",\"under\":[\"/\"]}}", "{}",
		 "load: tools.t.args.a.under '/' is the whole host"},
		{"{\"a\":{\"type\":\"path\",\"under\":[\"data\"]}}", "{}",
		 "load: tools.t.args.a.under 'data' is not absolute"},
		{"{\"a\":{\"type\":\"path\",\"under\":[\"/a/../b\"]}}", "{}",
		 "load: tools.t.args.a.under"},
		{"{\"a\":{\"type\":\"path\",\"under\":[\"/data/\"]}}", "{}",
		 "load: tools.t.args.a.under"},
		{"{\"a\":{\"type\":\"path\",\"under\":[\"/proc/self\"]}}", "{}",
		 "load: tools.t.args.a.under"},
		{"{\"a\":{\"type\":\"path\",\"under\":[\"/dev\"]}}", "{}",
		 "load: tools.t.args.a.under"},
		{"{\"a\":{\"type\":\"path\",\"under\":[\"/bin\"]}}", "{}",
		 "load: tools.t.args.a.under '/bin' goes through a symbolic link"},
		{"{\"a\":{\"type\":\"path\",\"under\":[\"/d\"],\"match\":[\"../x\"]}}", "{}",
		 "load: tools.t.args.a.match"},
		{"{\"a\":{\"type\":\"path\",\"under\":[\"/d\"],\"default\":\"/e\"}}", "{}",
		 "load: tools.t.args.a.default"},
		{"{\"a\":{\"type\":\"path\",\"under\":[\"/d\"],\"enum\":[\"/d/e\"]}}", "{}",
		 "load: tools.t.args.a.enum means nothing"},
		{"{\"a\":{\"type\":\"path\",\"under\":[\"/not/there\"],\"default\":\"/not/there/"
		 "x\"}}",
		 "{}", "tools.t.args.a.under: 'a' is beneath a directory that is not there"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

TEST(rules_nest_only_so_deep)
{
	char rules[4096] = "{\"a\":", *at = rules + 5;

	for (int i = 0; i < 12; i++)
		at += sprintf(at, "{\"type\":\"list\",\"items\":");
	at += sprintf(at, "{\"type\":\"integer\"}");
	for (int i = 0; i < 12; i++)
		*at++ = '}';
	memcpy(at, "}", 2);
	CHECK(strstr(judge(rules, "{}"), "nested more than 8 deep"));
}
