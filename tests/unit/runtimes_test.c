/* SPDX-License-Identifier: Apache-2.0 */
/* runtimes_test.c - what runs code, as it is written in a policy. */
#include "policy/runtimes.h"

#include "policy/policy.h"
#include "tap.h"

static struct complaints complaints;

static struct policy *parse(const char *text)
{
	struct policy *p = policy_parse("t.yaml", text, strlen(text), &complaints);

	for (size_t i = 0; i < complaints.n; i++)
		printf("# %s: %s\n", complaints.list[i].path, complaints.list[i].text);
	return p;
}

static bool refused(const char *text, const char *path, const char *words)
{
	own_policy p = parse(text);

	for (size_t i = 0; i < complaints.n; i++)
		if (strcmp(complaints.list[i].path, path) == 0 &&
		    strstr(complaints.list[i].text, words))
			return !p;
	return false;
}

#define TOOL          "tools:\n  t: { kind: code, languages: [python, node, bash] }\n"
#define RUNTIME(what) "version: 1\nruntimes:\n  r: " what "\n" TOOL

TEST(python_and_node_exist_without_being_written)
{
	own_policy p = parse("version: 1\n" TOOL);
	struct warm warm = {0};

	CHECK(p && p->tools[0].warm && !p->tools[0].runtimes[WARM_NOT]);
	CHECK(strcmp(p->tools[0].runtimes[WARM_PYTHON]->program, "python3") == 0);
	CHECK(strcmp(p->tools[0].runtimes[WARM_NODE]->program, "node") == 0);
	runtime_warm(p->tools[0].runtimes[WARM_PYTHON], &warm);
	CHECK(warm.kind == WARM_PYTHON && strcmp(warm.modules[0], "json") == 0);
	CHECK(warm.n_modules > 4 && warm.n_env == 0 && warm.calls == 1000);
	CHECK(warm.age_ms == 600000);
	CHECK(p->serve.warm_node == 2);
	CHECK(runtime_kind("bash") == WARM_NOT && runtime_kind("no") == WARM_NOT);
}

TEST(a_tool_names_one_for_a_language_and_has_the_standard_ones_for_the_others)
{
	own_policy p = parse("version: 1\n"
			     "runtimes:\n"
			     "  science:\n"
			     "    language: python\n"
			     "    program: /opt/v/bin/python\n"
			     "    modules: [json, os.path]\n"
			     "    env: { TZ: UTC, N: 1 }\n"
			     "    calls: 7\n"
			     "    age: 5s\n"
			     "tools:\n"
			     "  t: { kind: code, languages: [python, node], runtimes: [science] }\n"
			     "  u: { kind: code, languages: [python], warm: false }\n");
	struct warm warm = {0};

	CHECK(p != NULL);
	CHECK(strcmp(p->tools[0].runtimes[WARM_PYTHON]->name, "science") == 0);
	CHECK(p->tools[0].runtimes[WARM_NODE] == runtime_builtin(WARM_NODE));
	CHECK(p->tools[1].runtimes[WARM_PYTHON] == runtime_builtin(WARM_PYTHON));
	CHECK(p->tools[0].warm && !p->tools[1].warm);
	runtime_warm(p->tools[0].runtimes[WARM_PYTHON], &warm);
	CHECK(strcmp(warm.program, "/opt/v/bin/python") == 0 && warm.n_modules == 2);
	CHECK(strcmp(warm.modules[1], "os.path") == 0 && warm.n_env == 2);
	CHECK(strcmp(warm.env[0], "TZ=UTC") == 0 && strcmp(warm.env[1], "N=1") == 0);
	CHECK(warm.calls == 7 && warm.age_ms == 5000);
}

TEST(one_called_python_takes_the_place_of_the_built_in_one)
{
	own_policy p = parse("version: 1\nruntimes: { python: { language: python, modules: "
			     "[numpy] } }\n" TOOL);

	CHECK(p && p->tools[0].runtimes[WARM_PYTHON]->modules.n == 1);
	CHECK(strcmp(p->tools[0].runtimes[WARM_PYTHON]->program, "python3") == 0);
	CHECK(refused("version: 1\nruntimes: { python: { language: node } }\n" TOOL,
		      "runtimes.python.language", "for the language python"));
}

TEST(what_is_wrong_is_named_with_its_field)
{
	CHECK(refused(RUNTIME("{}"), "runtimes.r.language", ""));
	CHECK(refused(RUNTIME("{ language: bash }"), "runtimes.r.language", "python or node"));
	CHECK(refused(RUNTIME("{ language: node, modules: [fs] }"), "runtimes.r.modules",
		      "only python"));
	CHECK(refused(RUNTIME("{ language: python, modules: [json, \"a-b\"] }"),
		      "runtimes.r.modules[1]", "no name of a module"));
	CHECK(refused(RUNTIME("{ language: python, modules: [\"os.\"] }"), "runtimes.r.modules[0]",
		      "no name of a module"));
	CHECK(refused(RUNTIME("{ language: python, modules: [\"json; x\"] }"),
		      "runtimes.r.modules[0]", "no name of a module"));
	CHECK(refused(RUNTIME("{ language: python, program: bin/python }"), "runtimes.r.program",
		      "absolute path"));
	CHECK(refused(RUNTIME("{ language: python, program: \"-c\" }"), "runtimes.r.program",
		      "absolute path"));
	CHECK(refused(RUNTIME("{ language: python, program: \"/a\\nslots 9\" }"),
		      "runtimes.r.program", "absolute path"));
	CHECK(refused(RUNTIME("{ language: python, env: { A: \"1\\nroot host\" } }"),
		      "runtimes.r.env.A", "one line"));
	CHECK(refused(RUNTIME("{ language: python, env: { 1A: x } }"), "runtimes.r.env.1A",
		      "name of a variable"));
	CHECK(refused(RUNTIME("{ language: python, calls: 0 }"), "runtimes.r.calls", "from 1"));
	CHECK(refused(RUNTIME("{ language: python, age: 1ms }"), "runtimes.r.age", ""));
	CHECK(refused(RUNTIME("{ language: python, secrets: {} }"), "runtimes.r.secrets",
		      "no setting"));
}

TEST(a_tool_cannot_have_what_does_not_fit_it)
{
	CHECK(refused("version: 1\ntools: { t: { kind: code, languages: [python], runtimes: "
		      "[pythn] } }\n",
		      "tools.t.runtimes[0]", "did you mean 'python'"));
	CHECK(refused("version: 1\ntools: { t: { kind: code, languages: [bash], runtimes: "
		      "[python] } }\n",
		      "tools.t.runtimes[0]", "which this tool has not"));
	CHECK(refused("version: 1\nruntimes: { r: { language: python } }\ntools: { t: { kind: "
		      "code, languages: [python], runtimes: [r, python] } }\n",
		      "tools.t.runtimes[1]", "second one"));
	CHECK(refused("version: 1\ntools: { t: { kind: command, programs: [ls], warm: true } }\n",
		      "tools.t.warm", "only kind code"));
	CHECK(refused("version: 1\ntools: { t: { kind: command, programs: [ls], runtimes: "
		      "[python] } }\n",
		      "tools.t.runtimes", "only kind code"));
}

TEST(a_language_that_may_be_missing_is_looked_for_as_its_runtimes_program)
{
	own_policy p = parse("version: 1\n"
			     "runtimes: { r: { language: python, program: /no/such/python } }\n"
			     "tools: { t: { kind: code, languages: [\"python?\"], runtimes: [r] "
			     "} }\n");

	CHECK(p && p->tools[0].languages.n == 0 && p->tools[0].decision == DECISION_DENY);
}
