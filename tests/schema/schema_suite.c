/* SPDX-License-Identifier: Apache-2.0 */
/* schema_suite.c - the official JSON Schema Test Suite, draft 2020-12, against our validator.
 *
 * Every required file, and the optional ones of the formats that we check.  A
 * schema that is a load error here must be one for a reason that we have
 * promised (a keyword we do not claim, another document, another draft, an
 * unchecked format); each is listed.  Any other difference is a failure.
 *
 * A schema that refers to another document is tried once more with the suite's
 * other documents copied into its $defs, as the standard says to bundle them.
 */
#include <dirent.h>
#include <ftw.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonread.h"
#include "base/own.h"
#include "policy/jsonschema.h"

enum { SKIPPED = 77, FILES_MIN = 40, CASES_MIN = 1000 };

static const struct reason {
	const char *text; /* of the error */
	const char *name;
} reasons[] = {
	{"not a keyword that is supported here", "a keyword that is not claimed"},
	{"is not in this document", "a reference out of the document"},
	{"no other draft is read", "another meta-schema"},
	{"is not checked here", "a format that is not checked"},
};

struct counts {
	unsigned files, groups, right, wrong, refused_groups, refused_cases, strict, bundled;
};

static struct counts total;

static const struct reason *reason_of(const char *text)
{
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (strstr(text, reasons[i].text))
			return &reasons[i];
	return NULL;
}

/* format.json wants formats to be remarks; ours refuse, and that is said in the manual. */
static bool is_strict_format(const char *file, const struct why *why, bool expected)
{
	const char *keyword = strrchr(why->rule, '/');

	return strcmp(file, "format.json") == 0 && expected && keyword &&
	       strcmp(keyword, "/format") == 0;
}

static void run_case(const struct jsonschema *s, const char *file, const char *group,
		     const json_t *test, bool bundled, struct counts *c)
{
	bool expected = json_is_true(json_object_get(test, "valid"));
	struct why why;
	enum answer answer = jsonschema_judge(s, json_object_get(test, "data"), "schema", &why);

	if ((answer == ANSWER_ALLOW) == expected) {
		c->right += !bundled;
		return;
	}
	if (is_strict_format(file, &why, expected)) {
		c->strict++;
		return;
	}
	c->wrong++;
	printf("# wrong: %s: %s: %s: is %s; %s %s\n", file, group,
	       json_string_value(json_object_get(test, "description")),
	       expected ? "valid" : "invalid", why.rule, why.what);
}

static json_t *others; /* the suite's other documents, by name, each with its $id */
static size_t others_base;

static bool leaves_document(const char *text)
{
	return strstr(text, "is not in this document");
}

/* For nftw(). */
static int add_other(const char *path, const struct stat *info, int type, struct FTW *where)
{
	char uri[512];
	struct error err = {0};
	struct jsonschema *s;
	own_json document = NULL;

	(void)info, (void)where;
	if (type != FTW_F || !(document = json_load_file(path, 0, NULL)))
		return 0;
	(void)snprintf(uri, sizeof(uri), "http://localhost:1234/draft2020-12%s",
		       path + others_base);
	if (!json_object_get(document, "$id"))
		(void)json_object_set_new(document, "$id", json_string(uri));
	s = jsonschema_new(document, &err);
	if (s || leaves_document(err.text))
		(void)json_object_set(others, path + others_base, document);
	jsonschema_free(s);
	return 0;
}

static struct jsonschema *bundle(const json_t *schema, struct error *err)
{
	own_json whole = json_deep_copy(schema);
	json_t *defs = json_object_get(whole, "$defs");

	if (!defs) {
		defs = json_object();
		(void)json_object_set_new(whole, "$defs", defs);
	}
	(void)json_object_update(defs, others);
	return jsonschema_new(whole, err);
}

static void run_group(const char *file, const json_t *group, struct counts *c)
{
	const char *name = json_string_value(json_object_get(group, "description"));
	json_t *schema = json_object_get(group, "schema");
	json_t *tests = json_object_get(group, "tests"), *test;
	struct error err = {0}, again = {0};
	struct jsonschema *s = jsonschema_new(schema, &err);
	const struct reason *reason = s ? NULL : reason_of(err.text);
	bool refused = !s;
	size_t i;

	c->groups++;
	if (refused) {
		printf("# %s: %s: %s (%zu cases): %s\n", reason ? "load error" : "wrong", file,
		       name, json_array_size(tests), err.text);
		c->wrong += !reason;
		c->refused_groups++;
		c->refused_cases += (unsigned)json_array_size(tests);
		if (leaves_document(err.text))
			s = bundle(schema, &again);
		c->bundled += s ? (unsigned)json_array_size(tests) : 0;
	}
	if (s)
		json_array_foreach(tests, i, test) run_case(s, file, name, test, refused, c);
	jsonschema_free(s);
}

static void run_file(const char *dir, const char *file)
{
	struct counts c = {.files = 1};
	own_str path = NULL;
	own_json groups = NULL;
	json_error_t why;
	json_t *group;
	size_t i;

	if (asprintf(&path, "%s/%s", dir, file) < 0)
		abort();
	groups = json_load_file(path, JSON_ALLOW_NUL, &why);
	if (!json_is_array(groups)) {
		printf("# wrong: %s: %s\n", path, why.text);
		c.wrong++;
	}
	json_array_foreach(groups, i, group) run_group(file, group, &c);
	total.files++;
	printf("%s %u - %s: %u cases right, %u in schemas that are load errors, %u stricter\n",
	       c.wrong ? "not ok" : "ok", total.files, file, c.right, c.refused_cases, c.strict);
	total.groups += c.groups;
	total.bundled += c.bundled;
	total.right += c.right;
	total.wrong += c.wrong;
	total.refused_groups += c.refused_groups;
	total.refused_cases += c.refused_cases;
	total.strict += c.strict;
}

static int is_json(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return len > 5 && strcmp(e->d_name + len - 5, ".json") == 0;
}

/* Is there a format of that file's name? */
static bool is_checked_format(const char *file)
{
	own_json schema = json_object();
	struct error err = {0};
	struct jsonschema *s;
	bool known;

	(void)json_object_set_new(schema, "format", json_stringn(file, strlen(file) - 5));
	s = jsonschema_new(schema, &err);
	known = s != NULL;
	jsonschema_free(s);
	return known;
}

static void run_directory(const char *dir, bool formats)
{
	struct dirent **entries = NULL;
	int n = scandir(dir, &entries, is_json, alphasort);

	for (int i = 0; i < n; i++) {
		if (!formats || is_checked_format(entries[i]->d_name))
			run_file(dir, entries[i]->d_name);
		else
			printf("# not run: %s: a format that is not checked\n", entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

int main(int argc, char **argv)
{
	struct counts required;
	own_str dir = NULL;
	own_str formats = NULL;
	own_str remotes = NULL;

	if (argc != 2 || asprintf(&dir, "%s/tests/draft2020-12", argv[1]) < 0 ||
	    asprintf(&formats, "%s/optional/format", dir) < 0 ||
	    asprintf(&remotes, "%s/remotes/draft2020-12", argv[1]) < 0)
		return 2;
	if (access(dir, R_OK) < 0) {
		printf("1..0 # SKIP %s is not there: install libtest-json-schema-acceptance-perl "
		       "(scripts/setup.sh test)\n",
		       dir);
		return SKIPPED;
	}
	others = json_object();
	others_base = strlen(remotes);
	(void)nftw(remotes, add_other, 8, FTW_PHYS);
	run_directory(dir, false);
	required = total;
	run_directory(formats, true);
	json_decref(others);
	printf("1..%u\n", total.files);
	printf("# required: %u files, %u schemas; %u cases right, %u wrong, %u stricter (format), "
	       "%u in %u schemas that are load errors (%u of them right when bundled)\n",
	       required.files, required.groups, required.right, required.wrong, required.strict,
	       required.refused_cases, required.refused_groups, required.bundled);
	printf("# formats: %u files, %u cases right, %u wrong\n", total.files - required.files,
	       total.right - required.right, total.wrong - required.wrong);
	if (required.files < FILES_MIN || required.right < CASES_MIN) {
		printf("Bail out! This is not the whole suite\n");
		return 1;
	}
	return total.wrong ? 1 : 0;
}
