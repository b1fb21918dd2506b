/* SPDX-License-Identifier: Apache-2.0 */
/* api_test.c - libbelljar without a box: options, and helpers that are not what they should be. */
#include "descriptors.h"
#include "tap.h"

#include <belljar.h>
#include <errno.h>

#include "lib/talk.h"

static const char *const program[] = {"true", NULL};

/* A box whose helper acts as the word says (fake_helper.c). */
static struct bj_box *box_with(const char *act)
{
	const char *fake = getenv("FAKE_HELPER");
	struct bj_box *box = bj_box_new();
	char word[64];

	if (!fake)
		SKIP("FAKE_HELPER is not set: meson test does it");
	(void)snprintf(word, sizeof(word), "/%s", act);
	CHECK(bj_box_set(box, "helper", fake) == 0);
	CHECK(bj_box_set(box, "cgroup", word) == 0);
	return box;
}

static bool says(const struct bj_box *box, const char *words)
{
	if (strstr(bj_error(box), words))
		return true;
	printf("# it says '%s', not '%s'\n", bj_error(box), words);
	return false;
}

TEST(options_are_checked_at_once_and_by_name)
{
	struct bj_box *box = bj_box_new();

	CHECK_STR(bj_error(box), "");
	CHECK(bj_box_set(box, "memory", "64m") == 0);
	CHECK(bj_box_set(box, "memory", "lots") < 0 && says(box, "--memory"));
	CHECK(bj_box_set(box, "memory", "1") < 0 && says(box, "--memory must be from"));
	CHECK(bj_box_set(box, "memroy", "64m") < 0 && says(box, "did you mean --memory"));
	CHECK(bj_box_set(box, "memory", NULL) < 0 && says(box, "needs a value"));
	CHECK(bj_box_set(box, "memory", "") < 0 && says(box, "needs a value"));
	CHECK(bj_box_set(box, "loopback", NULL) == 0);
	CHECK(bj_box_set(box, "loopback", "yes") < 0 && says(box, "takes no value"));
	CHECK(bj_box_set(box, "allow-degraded", "gravity") < 0 && says(box, "no such layer"));
	CHECK(bj_box_set(box, "env", "=x") < 0 && says(box, "NAME=VALUE"));
	CHECK(bj_box_set(box, NULL, "x") < 0);
	CHECK(bj_box_set(box, "helper", "belljar") < 0 && says(box, "absolute"));
	bj_box_free(box);
}

TEST(options_of_the_command_are_not_options_of_a_box)
{
	static const char *const words[] = {"json", "quiet", "explain", "help", "stdin"};
	struct bj_box *box = bj_box_new();

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		CHECK(bj_box_set(box, words[i], NULL) < 0 && says(box, "belljar run only"));
	CHECK(bj_box_set(box, "status-fd", "1") < 0 && says(box, "belljar run only"));
	CHECK(bj_box_set(box, "lang", "python") < 0 && says(box, "belljar run only"));
	bj_box_free(box);
}

TEST(an_option_may_be_set_many_times)
{
	struct bj_box *box = bj_box_new();

	for (int i = 0; i < 2000; i++) {
		CHECK(bj_box_set(box, "env", i % 2 ? "A=1" : "A=2") == 0);
		CHECK(bj_box_set(box, "root", i % 2 ? "/usr" : "host") == 0);
	}
	bj_box_free(box);
}

TEST(a_null_box_can_be_freed)
{
	bj_box_free(NULL);
	bj_result_free(NULL);
}

TEST(a_missing_helper_is_named)
{
	struct bj_box *box = bj_box_new();
	struct bj_result *result = NULL;

	CHECK(bj_box_set(box, "helper", "/nowhere/belljar") == 0);
	CHECK(bj_box_prepare(box) < 0 && says(box, "/nowhere/belljar"));
	CHECK(bj_run(box, program, NULL, &result) < 0 && says(box, "No such file"));
	CHECK(!result);
	bj_box_free(box);
}

TEST(a_program_that_is_no_helper_is_named)
{
	struct bj_box *box = box_with("silent");

	CHECK(bj_box_prepare(box) < 0 && says(box, "fake_helper: the helper is gone"));
	bj_box_free(box);
}

TEST(noise_is_not_an_answer)
{
	struct bj_box *box = box_with("babble");

	CHECK(bj_box_prepare(box) < 0 && says(box, "not belljar's"));
	CHECK(bj_box_set(box, "cgroup", "/brief") == 0);
	CHECK(bj_box_prepare(box) < 0 && says(box, "not belljar's"));
	CHECK(bj_box_set(box, "cgroup", "/short") == 0);
	CHECK(bj_box_prepare(box) < 0 && says(box, "were due"));
	bj_box_free(box);
}

TEST(another_version_is_an_error_that_says_so)
{
	struct bj_box *box = box_with("newer");
	char newer[64], older[64];

	(void)snprintf(newer, sizeof(newer), "different versions: they speak %d and %d",
		       TALK_VERSION, TALK_VERSION + 1);
	(void)snprintf(older, sizeof(older), "different versions: they speak %d and %d",
		       TALK_VERSION, TALK_VERSION - 1);
	CHECK(bj_box_prepare(box) < 0 && says(box, newer));
	CHECK(bj_box_set(box, "cgroup", "/older") == 0);
	CHECK(bj_box_prepare(box) < 0 && says(box, older));
	bj_box_free(box);
}

TEST(what_the_helper_cannot_do_is_said_in_its_words)
{
	struct bj_box *box = box_with("fail");
	struct bj_result *result = NULL;

	CHECK(bj_run(box, program, NULL, &result) < 0);
	CHECK_STR(bj_error(box), "layer tea: there is no kettle");
	bj_box_free(box);
}

static void check_unknown(const char *act)
{
	struct bj_box *box = box_with(act);
	struct bj_result *result = NULL;

	CHECK(bj_run(box, program, NULL, &result) == 0);
	if (!result)
		return;
	CHECK(result->status == BJ_UNKNOWN);
	CHECK(result->exit_code == -1 && result->signal == 0);
	CHECK(result->killed_for == BJ_KILL_NONE);
	CHECK(result->error != NULL);
	CHECK(strstr(bj_result_json(result), "\"status\":\"unknown\"") != NULL);
	bj_result_free(result);
	/* And the box is good for another one. */
	CHECK(bj_box_set(box, "cgroup", "/serve") == 0);
	CHECK(bj_run(box, program, NULL, &result) == 0);
	CHECK(result->exit_code == 3);
	bj_result_free(result);
	bj_box_free(box);
}

TEST(a_helper_that_dies_in_a_call_leaves_it_unknown)
{
	check_unknown("die-in-call");
}

TEST(a_helper_that_talks_nonsense_in_a_call_leaves_it_unknown)
{
	check_unknown("babble-in-call");
}

TEST(what_is_out_of_range_does_no_harm)
{
	struct bj_box *box = box_with("exaggerate");
	struct bj_result *result = NULL;

	CHECK(bj_run(box, program, NULL, &result) == 0);
	CHECK(result->status == BJ_UNKNOWN);
	CHECK(bj_result_json(result) != NULL);
	for (size_t i = 0; i < result->n_layers; i++)
		CHECK(result->layers[i].state == BJ_LAYER_OFF && strlen(result->layers[i].detail));
	bj_result_free(result);
	bj_box_free(box);
}

TEST(a_helper_that_left_is_replaced)
{
	struct bj_box *box = box_with("leave");
	struct bj_result *result;

	for (int i = 0; i < 3; i++) {
		int ran = bj_run(box, program, NULL, &result);

		/* It may go between two looks: then nothing is known of that call. */
		CHECK(ran == 0 && (result->exit_code == 3 || result->status == BJ_UNKNOWN));
		if (ran == 0)
			bj_result_free(result);
	}
	CHECK(bj_box_set(box, "cgroup", "/give-up") == 0);
	for (int i = 0; i < 3; i++) {
		CHECK(bj_run(box, program, NULL, &result) == 0);
		CHECK(result->exit_code == 3);
		bj_result_free(result);
	}
	bj_box_free(box);
}

TEST(input_that_was_not_begun_is_refused)
{
	struct bj_box *box = box_with("serve");
	struct bj_input in = BJ_INPUT_INIT;
	struct bj_result *result = NULL;

	in.struct_size = 0;
	CHECK(bj_run(box, program, &in, &result) < 0 && says(box, "BJ_INPUT_INIT"));
	in.struct_size = sizeof(in) + 8;
	CHECK(bj_run(box, program, &in, &result) < 0 && says(box, "BJ_INPUT_INIT"));
	CHECK(!result);
	bj_box_free(box);
}

TEST(bad_words_are_refused_before_anything_runs)
{
	static const char *const variables[] = {"GOOD=1", "not a variable", NULL};
	static const char *const nothing[] = {NULL};
	const struct bj_file outside = {"../x", "x", 1, 0}, nameless = {NULL, "x", 1, 0};
	struct bj_box *box = box_with("silent");
	struct bj_input in = BJ_INPUT_INIT;
	struct bj_result *result = NULL;

	CHECK(bj_run(box, NULL, NULL, &result) < 0 && says(box, "no program"));
	CHECK(bj_run(box, nothing, NULL, &result) < 0 && says(box, "no program"));
	CHECK(bj_run(box, program, NULL, NULL) < 0);
	CHECK(bj_run_code(box, "cobol", "x", NULL, &result) < 0 && says(box, "python"));
	CHECK(bj_run_code(box, NULL, "x", NULL, &result) < 0);
	CHECK(bj_run_code(box, "python", NULL, NULL, &result) < 0);
	in.env = variables;
	CHECK(bj_run(box, program, &in, &result) < 0 && says(box, "not a variable"));
	in.env = NULL;
	in.files = &outside;
	in.n_files = 1;
	CHECK(bj_run(box, program, &in, &result) < 0 && says(box, "beneath /work"));
	in.files = &nameless;
	CHECK(bj_run(box, program, &in, &result) < 0 && says(box, "beneath /work"));
	CHECK(!result);
	bj_box_free(box);
}

TEST(too_many_files_are_refused)
{
	struct bj_box *box = box_with("serve");
	struct bj_input in = BJ_INPUT_INIT;
	struct bj_file files[100];
	struct bj_result *result = NULL;

	for (size_t i = 0; i < 100; i++)
		files[i] = (struct bj_file){"a", "x", 1, 0};
	in.files = files;
	in.n_files = 100;
	CHECK(bj_run(box, program, &in, &result) < 0 && says(box, "more than 64 files"));
	bj_box_free(box);
}

TEST(a_forked_child_does_not_use_its_parents_box)
{
	struct bj_box *box = box_with("serve");
	struct bj_result *result = NULL;
	int status = 0;
	pid_t child;

	CHECK(bj_box_prepare(box) == 0);
	child = fork();
	if (child == 0) {
		bool refused = bj_run(box, program, NULL, &result) < 0 && says(box, "fork()");

		bj_box_free(box);
		_exit(refused ? 0 : 1);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(bj_run(box, program, NULL, &result) == 0);
	bj_result_free(result);
	bj_box_free(box);
}

TEST(no_descriptor_and_no_child_is_left_whatever_the_helper_did)
{
	static const char *const all[] = {"silent",      "babble", "newer",   "fail",
					  "die-in-call", "leave",  "give-up", "serve"};
	size_t before = count_descriptors();

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct bj_box *box = box_with(all[i]);
		struct bj_result *result = NULL;

		if (bj_run(box, program, NULL, &result) == 0)
			bj_result_free(result);
		bj_box_free(box);
	}
	CHECK(count_descriptors() == before);
	errno = 0;
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

TEST(names_are_those_of_the_account)
{
	CHECK_STR(bj_status_name(BJ_RESOURCE_EXCEEDED), "resource_exceeded");
	CHECK_STR(bj_status_name((enum bj_status)99), "unknown");
	CHECK_STR(bj_kill_reason_name(BJ_KILL_CANCELLED), "cancelled");
	CHECK(bj_kill_reason_name(BJ_KILL_NONE) == NULL);
	CHECK(strlen(bj_version()) >= 5);
}
