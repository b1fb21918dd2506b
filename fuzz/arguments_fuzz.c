/* SPDX-License-Identifier: Apache-2.0 */
/* arguments_fuzz.c - any bytes as the arguments of a call: what is accepted was declared.
 *
 * The first byte picks a tool, the rest is JSON.  Whatever comes out is looked
 * at again here, with plain code that knows nothing of how it was judged.
 */
#include "fuzz.h"

#include <assert.h>
#include <math.h>

#include "../tests/argrules.h"
#include "base/own.h"
#include "base/text.h"
#include "policy/url.h"

struct sample {
	const char *rules;
	const char *exec[6];
};

static const struct sample samples[] = {
	{"{\"n\":{\"type\":\"integer\",\"min\":-3,\"max\":100},"
	 "\"x\":{\"type\":\"number\",\"min\":0.5,\"default\":1.5},"
	 "\"b\":{\"type\":\"boolean\",\"default\":false}}",
	 {"prog", "{n}", "--x={x}", "{b}{n}"}},
	{"{\"q\":{\"type\":\"string\",\"min_len\":1,\"max_len\":20,\"pattern\":\"[\\\\w .,-]+\"},"
	 "\"m\":{\"type\":\"enum\",\"enum\":[\"fast\",\"exact\"]},"
	 "\"t\":{\"type\":\"string\",\"multiline\":true,\"default\":\"\"}}",
	 {"prog", "{q}", "{t}", "--", "{q}{m}"}},
	{"{\"u\":{\"type\":\"url\",\"schemes\":[\"https\"],\"hosts\":[\"a.example\","
	 "\"*.b.example\"],\"ports\":[\"443\",\"8443\"]}}",
	 {"prog", "{u}"}},
	{"{\"p\":{\"type\":\"path\",\"under\":[\"/etc\",\"/usr/share\"]}}", {"prog", "{p}"}},
	{"{\"o\":{\"type\":\"object\",\"fields\":{\"l\":{\"type\":\"list\",\"max_len\":4,"
	 "\"items\":{\"type\":\"object\",\"fields\":{\"k\":{\"type\":\"string\",\"max_len\":5},"
	 "\"v\":{\"type\":\"integer\",\"enum\":[1,2],\"required\":false}}}}}}}",
	 {"prog"}},
};

static struct policy policies[ARRAY_LEN(samples)];
static struct arg_rules all_rules[ARRAY_LEN(samples)];

static void prepare(void)
{
	static bool done;
	static struct complaints complaints;

	for (size_t i = 0; !done && i < ARRAY_LEN(samples); i++) {
		all_rules[i] = argrules_make(&policies[i], samples[i].rules);
		arguments_check(&all_rules[i], "tools.t.args", &policies[i], &complaints);
		assert(complaints.n == 0);
	}
	done = true;
}

static const char *text_of(const json_t *args, const char *name)
{
	const char *text = json_string_value(json_object_get(args, name));

	assert(text && strlen(text) == json_string_length(json_object_get(args, name)));
	assert(text_is_utf8(text, strlen(text)));
	return text;
}

static void check_numbers(const json_t *args)
{
	const json_t *n = json_object_get(args, "n"), *x = json_object_get(args, "x");

	assert(json_object_size(args) == 3);
	assert(json_is_integer(n) && json_integer_value(n) >= -3 && json_integer_value(n) <= 100);
	assert(json_is_number(x) && isfinite(json_number_value(x)) && json_number_value(x) >= 0.5);
	assert(json_is_boolean(json_object_get(args, "b")));
}

static void check_strings(const json_t *args)
{
	const char *q = text_of(args, "q"), *m = text_of(args, "m"), *t = text_of(args, "t");

	assert(json_object_size(args) == 3);
	assert(*q && strlen(q) <= 20);
	for (; *q; q++) /* \w is ASCII here, so characters are bytes */
		assert((*q >= 'a' && *q <= 'z') || (*q >= 'A' && *q <= 'Z') ||
		       (*q >= '0' && *q <= '9') || strchr("_ .,-", *q));
	assert(strcmp(m, "fast") == 0 || strcmp(m, "exact") == 0);
	for (; *t; t++)
		assert((unsigned char)*t >= 0x20 || *t == '\n' || *t == '\t');
}

static void check_url(const json_t *args)
{
	const char *u = text_of(args, "u"), *host = u + strlen("https://");
	size_t len;

	assert(strncmp(u, "https://", 8) == 0);
	len = strcspn(host, "/:?");
	assert(host[len] == '/' || strncmp(host + len, ":8443/", 6) == 0);
	assert((len == 9 && memcmp(host, "a.example", 9) == 0) ||
	       (len > 10 && memcmp(host + len - 10, ".b.example", 10) == 0));
	assert(strspn(host, "abcdefghijklmnopqrstuvwxyz0123456789.-") == len);
}

static void check_path(const json_t *args)
{
	const char *p = text_of(args, "p");

	assert(strcmp(p, "/etc") == 0 || strncmp(p, "/etc/", 5) == 0 ||
	       strcmp(p, "/usr/share") == 0 || strncmp(p, "/usr/share/", 11) == 0);
	assert(!strstr(p, "/../") && !strstr(p, "//"));
}

static void check_nested(const json_t *args)
{
	const json_t *list = json_object_get(json_object_get(args, "o"), "l");

	assert(json_is_array(list) && json_array_size(list) <= 4);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *item = json_array_get(list, i), *v = json_object_get(item, "v");

		assert(strlen(text_of(item, "k")) <= 5 * 4);
		assert(!v || (json_is_integer(v) && json_integer_value(v) >= 1 &&
			      json_integer_value(v) <= 2));
		assert(json_object_size(item) == (v ? 2 : 1));
	}
}

static void (*const checks[])(const json_t *) = {check_numbers, check_strings, check_url,
						 check_path, check_nested};
static_assert(ARRAY_LEN(checks) == ARRAY_LEN(samples), "one look per tool");

static void check_command(size_t i, const json_t *args)
{
	struct tool tool = {.name = "t",
			    .exec = {.word = (const char **)samples[i].exec},
			    .args = all_rules[i]};
	struct why why = {0};
	char **argv = NULL;
	own(arena) a;
	size_t n = 0;

	arena_init(&a, 1 << 20);
	while (tool.exec.n < ARRAY_LEN(samples[i].exec) && tool.exec.word[tool.exec.n])
		tool.exec.n++;
	if (template_fill(&tool, args, &a, &argv, &why) == ANSWER_DENY) {
		assert(why.layer != WHY_NONE && why.what[0] && !argv);
		return;
	}
	while (argv[n])
		n++;
	assert(n == tool.exec.n && strcmp(argv[0], "prog") == 0);
	/* A string in front of "--" never is an option; only n may have a minus. */
	assert(i != 1 || (argv[1][0] != '-' && argv[2][0] != '-'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct path_grants grants = {0};
	struct why why = {0};
	struct error err = {0};
	own_json args = NULL;
	own_json made = NULL;
	size_t i;

	prepare();
	if (size < 1)
		return 0;
	i = data[0] % ARRAY_LEN(samples);
	args = jsonread((const char *)data + 1, size - 1, 1 << 16, &err);
	if (!args)
		return 0;
	if (arguments_judge(&all_rules[i], args, "tools.t.args", &grants, &made, &why) ==
	    ANSWER_ALLOW) {
		checks[i](made);
		check_command(i, made);
	} else {
		assert(!made && why.layer != WHY_NONE && why.rule[0] && why.what[0]);
		assert(text_is_utf8(why.what, strlen(why.what)));
	}
	path_grants_done(&grants);
	return 0;
}
