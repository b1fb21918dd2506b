/* SPDX-License-Identifier: Apache-2.0 */
/* apitable_test.c - the rows of the API: whole, true to the limits, and precise about what is
 * wrong. */
#include "tap.h"

#include "api/apitable.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "call/limits.h"

static bool check(const char *object, const char *text, struct api_problems *ret)
{
	own_json value = json_loads(text, JSON_DECODE_ANY, NULL);

	*ret = (struct api_problems){0};
	return value && api_check(api_object(object), value, ret);
}

TEST(every_object_that_a_row_names_is_there_and_none_is_there_twice)
{
	for (size_t i = 0; api_object_at(i); i++) {
		const struct api_object *o = api_object_at(i);

		CHECK(api_object(o->name) == o);
		for (size_t k = 0; k < o->n_fields; k++) {
			const struct api_field *f = &o->fields[k];

			CHECK(f->name && f->help && f->type > API_NONE && f->type < API_TYPE_COUNT);
			CHECK(f->type != API_OBJECT || (f->of && api_object(f->of)));
			CHECK(f->type != API_LIST || f->items != API_OBJECT || api_object(f->of));
		}
	}
	CHECK(api_object("nothing") == NULL);
}

/* An example that the rows themselves refuse would be a lie. */
TEST(every_example_is_valid)
{
	for (size_t i = 0; api_object_at(i); i++)
		for (size_t k = 0; k < api_object_at(i)->n_fields; k++) {
			const struct api_field *f = &api_object_at(i)->fields[k];
			struct api_field lone = *f;
			const struct api_object alone = {
				.name = "alone", .help = "", .fields = &lone, .n_fields = 1};
			struct api_problems problems = {0};
			own_json value = NULL;

			if (!f->example)
				continue;
			value = json_loads(f->example, JSON_DECODE_ANY, NULL);
			CHECK(value != NULL);
			value = json_pack("{s:o}", f->name, value);
			CHECK(api_check(&alone, value, &problems));
			if (problems.n)
				printf("# %s.%s: %s\n", api_object_at(i)->name, f->name,
				       problems.list[0].detail);
		}
}

TEST(the_limits_are_those_of_the_program)
{
	const struct api_object *o = api_object("limits");

	CHECK(o->n_fields == limit_row_count);
	for (size_t i = 0; i < limit_row_count && i < o->n_fields; i++) {
		char name[40];

		(void)snprintf(name, sizeof(name), "%s", limit_rows[i].name);
		for (char *c = name; *c; c++)
			*c = *c == '-' ? '_' : *c;
		CHECK_STR(o->fields[i].name, name);
		CHECK(o->fields[i].min == limit_rows[i].min);
		CHECK(o->fields[i].max == limit_rows[i].max);
		CHECK((o->fields[i].type == API_DURATION) == (limit_rows[i].unit == UNIT_MS));
		CHECK((o->fields[i].type == API_SIZE) == (limit_rows[i].unit == UNIT_BYTES));
	}
}

TEST(every_object_has_a_schema)
{
	for (size_t i = 0; api_object_at(i); i++) {
		const struct api_object *o = api_object_at(i);
		own_json schema = api_schema(o);
		const json_t *properties = json_object_get(schema, "properties");

		CHECK(json_object_size(properties) == o->n_fields);
		CHECK((json_object_get(schema, "additionalProperties") == NULL) == o->open);
		for (size_t k = 0; k < o->n_fields; k++)
			CHECK(json_object_get(properties, o->fields[k].name) != NULL);
	}
}

/* Else the hint could never be seen. */
TEST(what_belongs_elsewhere_is_no_member)
{
	for (size_t i = 0; api_object_at(i); i++) {
		const struct api_object *o = api_object_at(i);

		for (const struct api_elsewhere *e = o->elsewhere; e && e->name; e++) {
			CHECK(e->where != NULL && !o->open);
			for (size_t k = 0; k < o->n_fields; k++)
				CHECK(strcmp(o->fields[k].name, e->name) != 0);
		}
	}
}

TEST(what_is_wrong_is_named_with_its_place)
{
	struct api_problems p;

	CHECK(check("execute", "{\"tool_name\": \"a\"}", &p) && p.n == 0);
	CHECK(!check("execute", "[]", &p) && p.n == 1);
	CHECK_STR(p.list[0].pointer, "");
	CHECK(!check("execute", "{\"tool_name\": \"a\", \"limits\": {\"waal\": 1}}", &p));
	CHECK_STR(p.list[0].pointer, "/limits/waal");
	CHECK_STR(p.list[0].detail, "there is no member 'waal' here; did you mean 'wall'?");
	CHECK(!check("execute", "{\"tool_name\": \"a\", \"limits\": {\"wall\": \"1x\"}}", &p));
	CHECK_STR(p.list[0].detail, "'x' is not a unit here; give 30s, 500ms or 2m");
	CHECK(!check("execute", "{}", &p) && p.n == 1);
	CHECK_STR(p.list[0].detail, "'tool_name' is missing");
	CHECK(!check("signal", "{\"signal\": \"SIGTERM\"}", &p));
	CHECK(check("signal", "{\"signal\": \"TERM\"}", &p));
	CHECK(check("signal", "{\"signal\": 9}", &p) && !check("signal", "{\"signal\": 65}", &p));
	CHECK(!check("extend", "{\"ttl\": null}", &p) && !check("extend", "{\"ttl\": true}", &p));
	CHECK(check("exec", "{\"argv\": [\"a\"]}", &p) && !check("exec", "{\"argv\": []}", &p));
	CHECK(!check("exec", "{}", &p) &&
	      !check("exec", "{\"argv\": [\"a\"], \"command\": \"b\"}", &p));
	CHECK(!check("exec", "{\"code\": \"1\"}", &p));
	CHECK_STR(p.list[0].pointer, "/code");
	CHECK_STR(p.list[0].detail, "there is no member 'code' here: code goes to POST "
				    "/v1/sessions/{session}/code");
	CHECK(check("file", "{\"path\": \"a\", \"content_base64\": \"\"}", &p));
	CHECK(!check("file", "{\"path\": \"a\", \"content_base64\": \"A===\"}", &p));
}

TEST(more_problems_than_fit_are_cut_and_long_names_too)
{
	own_json value = json_object();
	struct api_problems p = {0};
	char name[400];

	for (int i = 0; i < 40; i++) {
		memset(name, 'x', sizeof(name));
		(void)snprintf(name + 380, 20, "%d", i);
		(void)json_object_set_new(value, name, json_integer(i));
	}
	CHECK(!api_check(api_object("execute"), value, &p));
	CHECK(p.n == API_PROBLEMS_MAX && p.cut);
	CHECK(strlen(p.list[0].pointer) < sizeof(p.list[0].pointer));
}

TEST(text_is_counted_in_characters)
{
	static const struct api_field one = {.name = "a", .type = API_STRING, .max = 3, .help = ""};
	static const struct api_object o = {"o", "", &one, 1, {0}, false, NULL};
	own_json three = json_pack("{s:s}", "a", "\xc3\xa4\xc3\xb6\xc3\xbc");
	own_json four = json_pack("{s:s}", "a", "\xc3\xa4\xc3\xb6\xc3\xbc!");
	struct api_problems p = {0};

	CHECK(api_check(&o, three, &p));
	CHECK(!api_check(&o, four, &p));
}
