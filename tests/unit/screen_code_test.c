/* SPDX-License-Identifier: Apache-2.0 */
/* screen_code_test.c - what is found in JavaScript and in bash scripts. */
#include "screen_data.h"

#include "base/match.h"
#include "base/own.h"

TEST(ways_out_of_javascript_are_found)
{
	check_hostile("node", "node_hostile.txt", 40);
}

TEST(ordinary_javascript_passes)
{
	check_benign("node", "node_benign.txt", 20);
}

TEST(commands_in_bash_scripts_are_found_however_they_are_quoted)
{
	check_hostile("bash", "bash_hostile.txt", 30);
}

TEST(ordinary_bash_scripts_pass)
{
	check_benign("bash", "bash_benign.txt", 20);
}

TEST(modules_outside_of_the_list_are_refused_in_javascript)
{
	const char *allowed[] = {"fs", "lodash"};
	const struct screen_policy rules = {.has_imports = true, .imports = {allowed, 2}};
	const char *good = "import _ from 'lodash/fp'; const fs = require('node:fs')\n";
	const char *bad = "const os = require('os')\n";

	CHECK(screen_text("node", &rules, good, strlen(good)) == ANSWER_ALLOW);
	CHECK(screen_text("node", &rules, bad, strlen(bad)) == ANSWER_DENY);
	CHECK_STR(why.rule, "node.import");
	CHECK_STR(why.hint, "allowed: fs, lodash");
}

TEST(line_separators_end_a_comment_in_javascript)
{
	const char *text = "// x\xe2\x80\xa8"
			   "eval('1')\n",
		   *other = "// x\reval('1')\n";

	CHECK(screen_text("node", &(struct screen_policy){0}, text, strlen(text)) == ANSWER_DENY);
	CHECK(screen_text("node", &(struct screen_policy){0}, other, strlen(other)) == ANSWER_DENY);
}

TEST(the_owners_rules_reach_each_language_they_name)
{
	const char *calls[] = {"sleep"};
	struct error err;
	struct match *word = match_new("needle[0-9]", &err);
	struct screen_own_rule own[] = {
		{.id = "own.sleep", .language = "bash", .calls = {calls, 1}},
		{.id = "own.needle", .language = "bash", .match = word},
		{.id = "own.needle-js", .language = "node", .match = word},
		{.id = "own.needle-py", .language = "python", .match = word},
	};
	struct screen_policy rules = {.own = own, .n_own = ARRAY_LEN(own)};

	CHECK(word != NULL);
	CHECK(screen_text("bash", &rules, "sleep 1\n", 8) == ANSWER_DENY);
	CHECK_STR(why.rule, "own.sleep");
	CHECK(screen_text("bash", &rules, "echo 'a needle7'\n", 17) == ANSWER_DENY);
	CHECK_STR(why.rule, "own.needle");
	CHECK(screen_text("node", &rules, "f('needle7')\n", 13) == ANSWER_DENY);
	CHECK_STR(why.rule, "own.needle-js");
	CHECK(screen_text("python", &rules, "f('need' 'le7')\n", 16) == ANSWER_DENY);
	CHECK_STR(why.rule, "own.needle-py");
	CHECK(screen_text("python", &rules, "f('needlex')\n", 13) == ANSWER_ALLOW);
	match_free(word);
}
