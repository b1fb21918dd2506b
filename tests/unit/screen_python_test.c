/* SPDX-License-Identifier: Apache-2.0 */
/* screen_python_test.c - what is found in Python code, and what is not. */
#include "screen_data.h"

#include "base/own.h"

static enum answer python(const char *text)
{
	const struct screen_policy none = {0};

	return screen_text("python", &none, text, strlen(text));
}

static enum answer python_with_imports(const char *text)
{
	static const char *allowed[] = {"json", "math", "os", "urllib.parse", "requests"};
	const struct screen_policy rules = {.has_imports = true,
					    .imports = {.word = allowed, .n = ARRAY_LEN(allowed)}};

	return screen_text("python", &rules, text, strlen(text));
}

TEST(each_hidden_way_out_is_found)
{
	check_hostile("python", "python_hostile.txt", 60);
}

TEST(harmless_code_that_looks_like_something_else_passes)
{
	check_benign("python", "python_benign.txt", 60);
}

TEST(a_finding_says_where_in_lines_and_characters)
{
	CHECK(python("x = 1\nπ = 'ä'; eval(x)\n") == ANSWER_DENY);
	CHECK(found.n == 1);
	CHECK_STR(found.list[0].rule, "python.eval");
	CHECK_STR(found.list[0].label, "dynamic");
	CHECK(found.list[0].line == 2 && found.list[0].column == 10);
	CHECK_STR(found.list[0].what, "eval");
	CHECK(strncmp(why.what, "line 2, column 10: ", 19) == 0);
}

TEST(carriage_returns_end_lines_for_us_as_for_python)
{
	CHECK(python("# harmless\rimport os\ros.system('id')\r") == ANSWER_DENY);
	CHECK(found.n == 1 && found.list[0].line == 3);
	CHECK(python("x = 1\r\nimport os\r\nos.system('id')\r\n") == ANSWER_DENY);
	CHECK(found.n == 1 && found.list[0].line == 3 && found.list[0].column == 1);
}

TEST(an_import_outside_of_the_list_is_named_with_what_is_allowed)
{
	CHECK(python_with_imports("import json, numpy.linalg as la\n") == ANSWER_DENY);
	CHECK_STR(why.rule, "python.import");
	CHECK(strstr(why.what, "'numpy.linalg' is not importable here"));
	CHECK_STR(why.hint, "allowed: json, math, os, urllib.parse, requests");
}

TEST(a_listed_package_stands_for_what_is_beneath_it)
{
	CHECK(python_with_imports("import os.path, math\nfrom os import path\n") == ANSWER_ALLOW);
	CHECK(python_with_imports("from urllib.parse import quote\n") == ANSWER_ALLOW);
	CHECK(python_with_imports("from urllib import parse as p\n") == ANSWER_ALLOW);
	CHECK(python_with_imports("from __future__ import annotations\n") == ANSWER_ALLOW);
	CHECK(python_with_imports("import requests\n") == ANSWER_ALLOW); /* wished for */
	CHECK(python_with_imports("from urllib import parse, request\n") == ANSWER_DENY);
	CHECK(python_with_imports("import mathematics\n") == ANSWER_DENY);
	CHECK(python_with_imports("from . import json\n") == ANSWER_DENY);
	CHECK(python_with_imports("import os\nos.system('id')\n") == ANSWER_DENY);
	CHECK(blocks("python.process"));
}

TEST(the_list_holds_for_every_way_to_a_module)
{
	CHECK(python_with_imports("__import__('sys')\n") == ANSWER_DENY);
	CHECK(blocks("python.import"));
	CHECK(python_with_imports("import os\nos.sys.exit()\n") == ANSWER_DENY);
	CHECK(python_with_imports("import json\njson.codecs.sys.modules\n") == ANSWER_DENY);
	CHECK(python_with_imports("from os import sys\n") == ANSWER_DENY);
	CHECK(python_with_imports("import urllib.parse\nurllib.request.urlopen('x')\n") ==
	      ANSWER_DENY);
	CHECK(python_with_imports("name = input()\n__import__(name)\n") == ANSWER_DENY);
	CHECK(blocks("python.dynamic-import"));
}

TEST(the_reason_for_a_network_client_is_that_there_is_no_network)
{
	CHECK(python("import requests\n") == ANSWER_DENY);
	CHECK_STR(why.rule, "python.network");
	CHECK(strstr(why.what, "there is no network in the box"));
	CHECK(found.n == 1);
}

TEST(everyday_file_work_is_a_warning)
{
	CHECK(python("open('out.txt', 'w').write('x')\n") == ANSWER_ALLOW);
	CHECK(warns("python.write"));
	CHECK(python("import os, shutil\nos.remove('a')\nshutil.rmtree('b')\n") == ANSWER_ALLOW);
	CHECK(found.n == 2 && warns("python.write"));
	CHECK(python("open('in.txt')\nopen('in.bin', 'rb')\n") == ANSWER_ALLOW);
	CHECK(found.n == 0);
	CHECK(python("open('/proc/cpuinfo')\n") == ANSWER_ALLOW);
	CHECK(warns("python.paths"));
}

TEST(a_string_that_will_run_is_read_as_code)
{
	CHECK(python("print(eval('1 + 2'))\n") == ANSWER_ALLOW);
	CHECK(warns("python.eval-constant"));
	CHECK(python("exec('import socket')\n") == ANSWER_DENY);
	CHECK(blocks("python.network"));
	CHECK(python("exec('exec(\"import socket\")')\n") == ANSWER_DENY);
	CHECK(blocks("python.network"));
}

TEST(an_exact_id_beats_a_glob_and_the_strictest_of_a_kind_counts)
{
	struct screen_rule_mode modes[] = {{.rule = "python.*", .mode = SCREEN_OFF},
					   {.rule = "python.e*", .mode = SCREEN_BLOCK},
					   {.rule = "python.eval", .mode = SCREEN_WARN}};
	struct screen_policy rules = {.modes = modes, .n_modes = 2};
	const char *text = "eval(x)\n", *other = "import socket\n";

	CHECK(screen_text("python", &rules, text, strlen(text)) == ANSWER_DENY);
	CHECK(screen_text("python", &rules, other, strlen(other)) == ANSWER_ALLOW);
	CHECK(found.n == 0);
	rules.n_modes = 3;
	CHECK(screen_text("python", &rules, text, strlen(text)) == ANSWER_ALLOW);
	CHECK(warns("python.eval"));
}

TEST(a_mode_for_all_reaches_the_rules_that_nobody_names)
{
	struct screen_policy rules = {.mode = SCREEN_WARN};
	const char *text = "eval(x)\nopen('x', 'w')\n";

	CHECK(screen_text("python", &rules, text, strlen(text)) == ANSWER_ALLOW);
	CHECK(warns("python.eval"));
	rules.mode = SCREEN_BLOCK;
	CHECK(screen_text("python", &rules, text, strlen(text)) == ANSWER_DENY);
	CHECK(blocks("python.write"));
	rules.mode = SCREEN_OFF;
	CHECK(screen_text("python", &rules, text, strlen(text)) == ANSWER_ALLOW);
	CHECK(found.n == 0);
}

TEST(the_owner_adds_rules)
{
	const char *imports[] = {"turtle"}, *calls[] = {"time.sleep", "print"};
	struct screen_own_rule own[] = {
		{.id = "own.turtle", .language = "python", .imports = {imports, 1}},
		{.id = "own.sleep",
		 .language = "python",
		 .calls = {calls, 1},
		 .reason = "nobody waits here",
		 .mode = SCREEN_WARN},
		{.id = "own.other", .language = "node", .calls = {calls, 2}},
	};
	struct screen_policy rules = {.own = own, .n_own = ARRAY_LEN(own)};
	const char *text = "import turtle\n", *sleep = "from time import sleep as s\ns(1)\n";

	CHECK(screen_text("python", &rules, text, strlen(text)) == ANSWER_DENY);
	CHECK_STR(why.rule, "own.turtle");
	CHECK(screen_text("python", &rules, sleep, strlen(sleep)) == ANSWER_ALLOW);
	CHECK(warns("own.sleep"));
	CHECK_STR(found.list[0].reason, "nobody waits here");
	CHECK(screen_text("python", &rules, "print(1)\n", 9) == ANSWER_ALLOW);
	CHECK(found.n == 0);
}

TEST(too_much_is_denied)
{
	struct screen_policy small = {.max_bytes = 10}, hasty = {.budget_ms = 1};
	size_t size = 200 << 10;
	own_str text = malloc(size);

	CHECK(screen_text("python", &small, "x = 1  # and more\n", 18) == ANSWER_DENY);
	CHECK_STR(why.rule, "screen.max_bytes");
	for (size_t i = 0; i < size; i++)
		text[i] = "a = b.c\n"[i % 8];
	CHECK(screen_text("python", &hasty, text, size) == ANSWER_DENY);
	CHECK_STR(why.rule, "screen.budget");
	memset(text, '(', 5000);
	memset(text + 5000, ')', 5000);
	CHECK(screen_text("python", &(struct screen_policy){0}, text, 10000) == ANSWER_DENY);
	CHECK(screen_text("python", &(struct screen_policy){0}, "x\0y", 3) == ANSWER_DENY);
	CHECK_STR(why.rule, "screen.text");
	CHECK(screen_text("python", &(struct screen_policy){0}, "\xff", 1) == ANSWER_DENY);
	CHECK(screen_text("cobol", &(struct screen_policy){0}, "x", 1) == ANSWER_DENY);
	CHECK_STR(why.rule, "screen.language");
}

TEST(with_too_many_findings_the_ones_that_block_are_kept)
{
	static char text[16384];
	size_t n = 0;

	for (unsigned i = 0; i < 100; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "open('%u', 'w')\n", i);
	(void)snprintf(text + n, sizeof(text) - n, "import os\nos.system('id')\n");
	CHECK(python(text) == ANSWER_DENY);
	CHECK(found.cut && found.n == FINDINGS_MAX);
	CHECK(blocks("python.process"));
}

TEST(every_rule_has_an_id_a_label_with_help_a_mode_and_a_reason)
{
	size_t n;
	const struct screen_row *rows = screen_rows(&n);

	CHECK(n > 20);
	for (size_t i = 0; i < n; i++) {
		CHECK(rows[i].id && strchr(rows[i].id, '.'));
		CHECK(rows[i].label && screen_label_help(rows[i].label));
		CHECK(rows[i].mode == SCREEN_BLOCK || rows[i].mode == SCREEN_WARN);
		CHECK(rows[i].reason && rows[i].reason[0]);
		for (size_t j = 0; j < i; j++)
			CHECK(strcmp(rows[i].id, rows[j].id) != 0);
	}
	CHECK(screen_label_help("nonsense") == NULL);
}
