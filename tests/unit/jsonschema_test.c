/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Schema: what is refused at load, what a refusal says, and that judging ends. */
#include "policy/jsonschema.h"

#include "base/clock.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "tap.h"

static void jsonschema_end(struct jsonschema **s)
{
	jsonschema_free(*s);
}
#define own_schema __attribute__((cleanup(jsonschema_end))) struct jsonschema *

static json_t *value_of(const char *text)
{
	struct error err = {0};
	json_t *v = jsonread(text, strlen(text), 1 << 24, &err);

	if (!v) {
		printf("# %s: %s\n", text, err.text);
		abort();
	}
	return v;
}

static struct jsonschema *load(const char *text, struct error *err)
{
	own_json document = value_of(text);

	return jsonschema_new(document, err);
}

static enum answer judge(const char *schema, const char *value, struct why *why)
{
	struct error err = {0};
	own_schema s = load(schema, &err);
	own_json v = value_of(value);

	if (!s) {
		printf("# %s: %s\n", schema, err.text);
		abort();
	}
	return jsonschema_judge(s, v, "tools.t.schema", why);
}

static bool allows(const char *schema, const char *value)
{
	struct why why;
	enum answer answer = judge(schema, value, &why);

	CHECK((answer == ANSWER_ALLOW) == (why.layer == WHY_NONE));
	return answer == ANSWER_ALLOW;
}

/* The schema does not load, and the error is exactly that. */
static void check_error(const char *schema, const char *text)
{
	struct error err = {0};
	own_schema s = load(schema, &err);

	CHECK(s == NULL);
	CHECK_STR(err.text, text);
}

static void check_refusal(const char *schema, const char *value, const char *rule, const char *what,
			  const char *hint)
{
	struct why why = {0};

	CHECK(judge(schema, value, &why) == ANSWER_DENY);
	CHECK(why.layer == WHY_POLICY && why.permanent);
	CHECK_STR(why.rule, rule);
	CHECK_STR(why.what, what);
	CHECK_STR(why.hint, hint);
}

TEST(an_unknown_keyword_is_a_load_error_with_its_place_and_a_near_match)
{
	check_error("{\"properties\": {\"a/b\": {\"maxium\": 3}}}",
		    "/properties/a~1b/maxium: not a keyword that is supported here; did you mean "
		    "'maximum'?");
	check_error("{\"definitions\": {}}",
		    "/definitions: not a keyword that is supported here; did you mean '$defs'?");
	check_error("{\"x-vendor-note\": 1}",
		    "/x-vendor-note: not a keyword that is supported here");
	check_error("{\"$vocabulary\": {}}", "/$vocabulary: not a keyword that is supported here");
}

TEST(a_keyword_with_a_wrong_value_is_a_load_error)
{
	check_error("{\"maximum\": \"3\"}", "/maximum: must be a number, not a string");
	check_error("{\"maxLength\": -1}", "/maxLength: must be a whole number of at least 0");
	check_error("{\"maxLength\": 1.5}", "/maxLength: must be a whole number of at least 0");
	check_error("{\"multipleOf\": 0}", "/multipleOf: must be a number greater than 0");
	check_error("{\"type\": \"int\"}", "/type: 'int' is no type; known: null, boolean, number, "
					   "string, array, object, integer");
	check_error("{\"type\": [\"null\", \"null\"]}", "/type: 'null' is there twice");
	check_error("{\"type\": []}", "/type: names no type");
	check_error("{\"required\": [\"a\", \"a\"]}", "/required: 'a' is there twice");
	check_error("{\"required\": true}",
		    "/required: must be a list of names, not true or false");
	check_error("{\"allOf\": []}", "/allOf: must be a list of at least one schema");
	check_error("{\"enum\": []}", "/enum: must be a list of at least one value");
	check_error("{\"items\": [{}]}", "/items: is one schema; did you mean 'prefixItems'?");
	check_error("{\"properties\": {\"a\": 1}}",
		    "/properties/a: a schema is an object, true or false");
	check_error("{\"then\": 1}", "/then: a schema is an object, true or false");
	check_error("{\"uniqueItems\": 1}", "/uniqueItems: must be true or false, not an integer");
	check_error("{\"title\": 1}", "/title: must be a string, not an integer");
	check_error("[]", "/: a schema is an object, true or false");
}

TEST(a_pattern_that_is_none_is_a_load_error)
{
	struct error err = {0};
	own_schema s = load("{\"pattern\": \"a(\"}", &err);
	own_schema p = load("{\"patternProperties\": {\"[\": true}}", &err);

	CHECK(!s && !p);
	CHECK(strstr(err.text, "/patternProperties: '[' is no pattern: ") == err.text);
}

TEST(a_format_is_checked_or_a_load_error)
{
	check_error("{\"format\": \"email\"}",
		    "/format: 'email' is not checked here; known: date, time, date-time, "
		    "duration, ipv4, ipv6, uuid, uri, uri-reference, json-pointer, "
		    "relative-json-pointer");
	CHECK(allows("{\"format\": \"date\"}", "\"2024-02-29\""));
	CHECK(!allows("{\"format\": \"date\"}", "\"2023-02-29\""));
	CHECK(allows("{\"format\": \"date\"}", "7"));
}

TEST(references_stay_in_the_document)
{
	check_error("{\"$ref\": \"https://example.com/a\"}",
		    "/$ref: 'https://example.com/a' is not in this document, and nothing is "
		    "fetched");
	check_error("{\"$ref\": \"file:///etc/passwd\"}",
		    "/$ref: 'file:///etc/passwd' is not in this document, and nothing is fetched");
	check_error("{\"$ref\": \"#/$defs/a\"}", "/$ref: there is no schema at '#/$defs/a'");
	check_error("{\"$ref\": \"#/const\", \"const\": {}}",
		    "/$ref: there is no schema at '#/const'");
	check_error("{\"$ref\": \"#a\"}", "/$ref: there is no anchor 'a'");
	check_error("{\"$ref\": \"#%4\"}", "/$ref: a percent sign stands before two hex digits");
	check_error("{\"$ref\": 1}", "/$ref: must be a reference, not an integer");
}

TEST(names_are_given_once)
{
	check_error("{\"$defs\": {\"a\": {\"$anchor\": \"x\"}, \"b\": {\"$anchor\": \"x\"}}}",
		    "/$defs/b/$anchor: 'x' is there twice, first at /$defs/a");
	check_error("{\"$defs\": {\"a\": {\"$id\": \"x\"}, \"b\": {\"$id\": \"x\"}}}",
		    "/$defs/b/$id: 'json-schema:///x' is there twice");
	check_error("{\"$id\": \"a#b\"}",
		    "/$id: must not have a fragment; did you mean '$anchor'?");
	check_error("{\"$anchor\": \"1a\"}",
		    "/$anchor: must be a name: a letter or _, then letters, digits, - _ .");
}

TEST(only_one_draft_is_read)
{
	CHECK(allows("{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\"}", "1"));
	check_error("{\"$schema\": \"http://json-schema.org/draft-07/schema#\"}",
		    "/$schema: must be 'https://json-schema.org/draft/2020-12/schema': no other "
		    "draft is read");
	check_error("{\"not\": {\"$schema\": \"https://json-schema.org/draft/2020-12/schema\"}}",
		    "/not/$schema: stands only at the top of a document or beside $id");
}

TEST(a_loop_of_references_is_a_load_error)
{
	check_error("{\"$ref\": \"#\"}", "/: comes back to itself: judging would never end");
	check_error("{\"$defs\": {\"a\": {\"allOf\": [{\"$ref\": \"#/$defs/b\"}]}, \"b\": "
		    "{\"not\": {\"$ref\": \"#/$defs/a\"}}}}",
		    "/$defs/a: comes back to itself: judging would never end");
	check_error("{\"if\": true, \"then\": {\"$ref\": \"#\"}}",
		    "/: comes back to itself: judging would never end");
	check_error("{\"dependentSchemas\": {\"a\": {\"$ref\": \"#\"}}}",
		    "/: comes back to itself: judging would never end");
}

TEST(a_reference_that_goes_deeper_into_the_value_is_no_loop)
{
	static const char tree[] = "{\"properties\": {\"next\": {\"$ref\": \"#\"}}, "
				   "\"additionalProperties\": false}";

	CHECK(allows(tree, "{\"next\": {\"next\": {}}}"));
	check_refusal(tree, "{\"next\": {\"next\": {\"x\": 1}}}",
		      "tools.t.schema#/additionalProperties", "args/next/next/x is not known here",
		      "known: next");
}

TEST(a_dynamic_loop_ends_in_a_refusal)
{
	check_refusal("{\"$dynamicAnchor\": \"n\", \"not\": {\"$dynamicRef\": \"#n\"}}", "1",
		      "tools.t.schema.budget",
		      "the arguments take too long to check (limit of depth)",
		      "send less: shorter lists and texts, less nesting");
}

TEST(a_long_chain_of_references_is_a_load_error)
{
	own_json document = json_object();
	own_json defs = json_object();
	struct error err = {0};
	own_schema s = NULL;

	for (int i = 0; i < 5000; i++) {
		char name[16], next[32];

		(void)snprintf(name, sizeof(name), "d%d", i);
		(void)snprintf(next, sizeof(next), "#/$defs/d%d", i + 1);
		(void)json_object_set_new(defs, name, json_pack("{s:s}", "$ref", next));
	}
	(void)json_object_set_new(defs, "d5000", json_true());
	(void)json_object_set(document, "$defs", defs);
	s = jsonschema_new(document, &err);
	CHECK(!s && strstr(err.text, "references in a row"));
}

TEST(a_schema_that_doubles_at_every_step_runs_out_of_steps)
{
	own_json document = json_object();
	own_json defs = json_object();
	own_json one = json_integer(1);
	struct error err = {0};
	struct why why;
	own_schema s = NULL;
	uint64_t start;

	for (int i = 0; i < 60; i++) {
		char name[16], next[32];

		(void)snprintf(name, sizeof(name), "d%d", i);
		(void)snprintf(next, sizeof(next), "#/$defs/d%d", i + 1);
		(void)json_object_set_new(
			defs, name,
			json_pack("{s:[{s:s},{s:s}]}", "allOf", "$ref", next, "$ref", next));
	}
	(void)json_object_set_new(defs, "d60", json_true());
	(void)json_object_set(document, "$defs", defs);
	(void)json_object_set_new(document, "not",
				  json_pack("{s:{s:s}}", "not", "$ref", "#/$defs/d0"));
	s = jsonschema_new(document, &err);
	CHECK(s != NULL);
	start = clock_us();
	CHECK(s && jsonschema_judge(s, one, "p", &why) == ANSWER_DENY);
	CHECK(clock_us() - start < 2000000);
	CHECK_STR(why.rule, "p.budget");
}

static json_t *many_items(size_t n, bool repeat)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(list, json_pack("{s:i}", "n", (int)i));
	if (repeat)
		(void)json_array_append_new(list, json_pack("{s:f}", "n", 77.0));
	return list;
}

TEST(unique_items_of_a_long_list_are_found_without_comparing_all_pairs)
{
	struct error err = {0};
	own_schema s = load("{\"uniqueItems\": true}", &err);
	own_json unique = many_items(50000, false);
	own_json repeats = many_items(50000, true);
	own_json huge = many_items(1000000, false);
	struct why why;

	CHECK(jsonschema_judge(s, unique, "p", &why) == ANSWER_ALLOW);
	CHECK(jsonschema_judge(s, repeats, "p", &why) == ANSWER_DENY);
	CHECK_STR(why.what, "args holds the same value twice, as items 77 and 50000");
	CHECK(jsonschema_judge(s, huge, "p", &why) == ANSWER_DENY);
	CHECK_STR(why.rule, "p.budget");
}

/* Integers that one double stands for share a hash: all pairs are compared, as long as there are
 * steps. */
TEST(items_made_to_collide_run_out_of_steps)
{
	struct error err = {0};
	own_schema s = load("{\"uniqueItems\": true}", &err);
	own_json list = json_array();
	struct why why;

	for (json_int_t i = 0; i < 10000; i++)
		(void)json_array_append_new(list, json_integer(9223372036854770000 - i));
	CHECK(jsonschema_judge(s, list, "p", &why) == ANSWER_DENY);
	CHECK_STR(why.rule, "p.budget");
}

TEST(a_pattern_that_takes_too_long_refuses_even_beneath_not)
{
	char value[200];

	memset(value, 'a', sizeof(value));
	value[0] = '"';
	memcpy(value + sizeof(value) - 3, "!\"", 3);
	check_refusal("{\"not\": {\"pattern\": \"^(a+)+$\"}}", value, "tools.t.schema.budget",
		      "the arguments take too long to check (limit of pattern)",
		      "send less: shorter lists and texts, less nesting");
}

TEST(a_refusal_says_where_and_by_which_keyword)
{
	static const char schema[] =
		"{\"type\": \"object\", \"properties\": {\"limit\": {\"type\": \"integer\", "
		"\"minimum\": 1, \"maximum\": 100}, \"tags\": {\"items\": {\"enum\": [\"a\", 2]}, "
		"\"maxItems\": 2}}, \"required\": [\"limit\"], \"additionalProperties\": false}";

	check_refusal(schema, "{\"limit\": 101}", "tools.t.schema#/properties/limit/maximum",
		      "args/limit must be at most 100", "");
	check_refusal(schema, "{\"limit\": \"7\"}", "tools.t.schema#/properties/limit/type",
		      "args/limit must be an integer, not a string", "");
	check_refusal(schema, "{\"limit\": 1.5}", "tools.t.schema#/properties/limit/type",
		      "args/limit must be an integer, not a number", "");
	check_refusal(schema, "{}", "tools.t.schema#/required",
		      "args lacks 'limit', which is required", "");
	check_refusal(schema, "{\"limit\": 1, \"limits\": 2}",
		      "tools.t.schema#/additionalProperties", "args/limits is not known here",
		      "did you mean 'limit'? known: limit, tags");
	check_refusal(schema, "{\"limit\": 1, \"tags\": [2.0, \"b\"]}",
		      "tools.t.schema#/properties/tags/items/enum",
		      "args/tags/1 is not one of the values that are allowed", "allowed: \"a\", 2");
	check_refusal(schema, "{\"limit\": 1, \"tags\": [2, 2, 2]}",
		      "tools.t.schema#/properties/tags/maxItems",
		      "args/tags has 3 items; it may have at most 2", "");
}

TEST(alternatives_that_all_fail_name_the_nearest)
{
	check_refusal("{\"anyOf\": [{\"type\": \"null\"}, {\"properties\": {\"a\": {\"maximum\": "
		      "3}}, \"type\": \"object\"}]}",
		      "{\"a\": 4}", "tools.t.schema#/anyOf", "args fits none of 2 alternatives",
		      "nearest: args/a must be at most 3");
	check_refusal("{\"oneOf\": [{\"type\": \"integer\"}, {\"minimum\": 3}]}", "4",
		      "tools.t.schema#/oneOf",
		      "args fits alternatives 0 and 1; it must fit exactly one", "");
	check_refusal("{\"not\": {\"type\": \"integer\"}}", "4", "tools.t.schema#/not",
		      "args is one of the values that are excluded here", "");
	check_refusal("{\"propertyNames\": {\"maxLength\": 2}}", "{\"abc\": 4}",
		      "tools.t.schema#/propertyNames",
		      "args/abc has a name that is not allowed here",
		      "nearest: args/abc has 3 characters; it may have at most 2");
	check_refusal("{\"properties\": {\"a\": false}}", "{\"a\": 4}",
		      "tools.t.schema#/properties/a", "args/a is not allowed", "");
}

TEST(foreign_names_cannot_write_control_characters_into_a_refusal)
{
	struct why why;

	CHECK(judge("{\"additionalProperties\": false}", "{\"a\\u001b[2J\\n\": 1}", &why) ==
	      ANSWER_DENY);
	CHECK(!strchr(why.what, '\033') && !strchr(why.what, '\n'));
}

TEST(a_very_long_name_is_cut_not_refused_in_another_way)
{
	own_json object = json_object();
	struct error err = {0};
	own_schema s = load("{\"additionalProperties\": false}", &err);
	char name[5000];
	struct why why;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	(void)json_object_set_new(object, name, json_null());
	CHECK(jsonschema_judge(s, object, "p", &why) == ANSWER_DENY);
	CHECK_STR(why.rule, "p#/additionalProperties");
}

TEST(numbers_are_what_they_are_worth)
{
	CHECK(allows("{\"type\": \"integer\"}", "1.0"));
	CHECK(!allows("{\"type\": \"integer\"}", "true"));
	CHECK(!allows("{\"const\": 1}", "true"));
	CHECK(!allows("{\"enum\": [0]}", "false"));
	CHECK(allows("{\"const\": 1}", "1.0"));
	CHECK(!allows("{\"const\": 9007199254740993}", "9007199254740992"));
	CHECK(!allows("{\"maximum\": 9007199254740992}", "9007199254740993"));
	CHECK(allows("{\"exclusiveMaximum\": 9007199254740993}", "9007199254740992.0"));
	CHECK(!allows("{\"uniqueItems\": true}", "[1, 1.0]"));
	CHECK(!allows("{\"uniqueItems\": true}", "[{\"a\": 0}, {\"a\": -0.0}]"));
	CHECK(allows("{\"uniqueItems\": true}", "[9007199254740992, 9007199254740993, true, 1]"));
}

TEST(more_than_64_members_are_told_apart)
{
	own_json object = json_object();
	own_json properties = json_object();
	own_json document = json_object();
	struct error err = {0};
	struct why why;
	own_schema s = NULL;

	for (int i = 0; i < 200; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "p%d", i);
		(void)json_object_set_new(object, name, json_integer(i));
		if (i != 150)
			(void)json_object_set_new(properties, name, json_true());
	}
	(void)json_object_set_new(document, "allOf",
				  json_pack("[{s:O}]", "properties", properties));
	(void)json_object_set_new(document, "unevaluatedProperties", json_false());
	s = jsonschema_new(document, &err);
	CHECK(s && jsonschema_judge(s, object, "p", &why) == ANSWER_DENY);
	CHECK_STR(why.what, "args/p150 is not known here");
	(void)json_object_del(object, "p150");
	CHECK(s && jsonschema_judge(s, object, "p", &why) == ANSWER_ALLOW);
}

TEST(every_keyword_of_the_list_is_known)
{
	for (size_t i = 0; jsonschema_keywords[i]; i++) {
		own_json document = json_pack("{s:n}", jsonschema_keywords[i]);
		struct error err = {0};
		own_schema s = jsonschema_new(document, &err);

		CHECK(s || !strstr(err.text, "not a keyword"));
	}
}

TEST(a_file_is_read_or_named_in_the_error)
{
	char name[] = "/tmp/jsonschema-test-XXXXXX";
	int fd = mkstemp(name);
	struct error err = {0};
	own_schema none = jsonschema_read("/nonexistent/schema.json", &err);
	own_schema s = NULL;
	own_schema bad = NULL;

	CHECK(!none && strstr(err.text, "/nonexistent/schema.json"));
	CHECK(write(fd, "{\"type\": 1}", 11) == 11);
	bad = jsonschema_read(name, &err);
	CHECK(!bad && strstr(err.text, name) == err.text && strstr(err.text, "/type: "));
	CHECK(pwrite(fd, "{\"title\":\"\"}", 12, 0) == 12);
	s = jsonschema_read(name, &err);
	CHECK(s && json_object_get(jsonschema_document(s), "title"));
	(void)close(fd);
	(void)unlink(name);
}
