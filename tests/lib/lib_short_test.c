/* SPDX-License-Identifier: Apache-2.0 */
/* lib_short_test.c - short calls for which somebody waits, sealed: nobody looks before they end.
 *
 * Their begin and their end are one message, who takes part in them is called to
 * one processor, and their box is cleared away after the answer.
 */
#include <dirent.h>
#include <sched.h>
#include <signal.h>

#include "lib_box.h"

enum { REST_MS = 40, LONG_MS = 60000, ROUNDS = 4, HASTY_ROUNDS = 150, TIMED_ROUNDS = 20 };

/* Who waits is made a moment after the last answer; on a busy host the call may be too early. */
static struct bj_result *run_sealed(struct bj_box *box, const char *const *argv)
{
	uint64_t until = now_ms() + LONG_MS;
	struct bj_result *r = NULL;

	do {
		bj_result_free(r);
		sleep_ms(REST_MS); /* calls that come one after another are served otherwise */
		r = run(box, NULL, argv);
	} while (r && !strstr(bj_result_json(r), "\"how\":\"sealed\"") && now_ms() < until);
	return r;
}

static bool prints_sealed(struct bj_box *box, const char *line, const char *expected)
{
	struct bj_result *r = run_sealed(box, WORDS("sh", "-c", line));
	bool same = r && strstr(bj_result_json(r), "\"how\":\"sealed\"") &&
		    strcmp(r->out.data, expected) == 0;

	if (r && !same)
		printf("# '%s' printed '%s' and '%s'\n", line, r->out.data, r->err.data);
	bj_result_free(r);
	return same;
}

/* As sched_setscheduler(2) counts them: 0 is the usual class. */
TEST(a_short_program_has_every_processor_and_the_usual_class)
{
	static const char line[] = "import os; print(len(os.sched_getaffinity(0)), "
				   "os.sched_getscheduler(0))";
	struct bj_box *box = make_box();
	char expected[32];
	cpu_set_t cpus;

	CHECK(sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
	(void)snprintf(expected, sizeof(expected), "%d %d\n", CPU_COUNT(&cpus),
		       sched_getscheduler(0));
	for (int i = 0; i < ROUNDS; i++) {
		struct bj_result *r = run_sealed(box, WORDS("/usr/bin/python3", "-c", line));

		CHECK_STR(r->out.data, expected);
		bj_result_free(r);
	}
	bj_box_free(box);
}

/* The only child that we have: the helper. */
static pid_t find_helper(void)
{
	char path[64], text[32] = "";
	FILE *in;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	in = fopen(path, "r");
	if (in) {
		text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
		(void)fclose(in);
	}
	return atoi(text);
}

static int count_processors(pid_t pid)
{
	cpu_set_t cpus;

	return sched_getaffinity(pid, sizeof(cpus), &cpus) < 0 ? -1 : CPU_COUNT(&cpus);
}

struct seen {
	pid_t helper;
	int processors; /* that it had when something was printed */
};

static void look_at_helper(void *context, enum bj_stream stream, const char *data, size_t size)
{
	struct seen *seen = context;

	(void)stream;
	(void)data;
	(void)size;
	seen->processors = count_processors(seen->helper);
}

static int processors_during(struct bj_box *box, struct seen *seen, const char *line)
{
	struct bj_input in = BJ_INPUT_INIT;

	in.on_output = look_at_helper;
	in.context = seen;
	seen->processors = -1;
	sleep_ms(REST_MS);
	bj_result_free(run(box, &in, WORDS("sh", "-c", line)));
	return seen->processors;
}

/* It comes to our processor for a call that comes alone, and is not kept there. */
TEST(the_helper_is_called_here_for_a_moment_only)
{
	int all = count_processors(0);
	struct bj_box *box = make_box();
	struct seen seen = {.helper = find_helper()};
	uint64_t until = now_ms() + LONG_MS;

	if (all < 2)
		SKIP("one processor");
	CHECK(seen.helper > 0 && count_processors(seen.helper) == all);
	while (processors_during(box, &seen, "echo soon") != 1 && now_ms() < until)
		;
	CHECK(seen.processors == 1);
	for (int i = 0; i < ROUNDS; i++) {
		CHECK(processors_during(box, &seen, "sleep 0.1; echo late") == all);
		CHECK(count_processors(seen.helper) == all);
		bj_result_free(run(box, NULL, WORDS("/no/such/program")));
		sleep_ms(REST_MS);
		bj_result_free(run(box, NULL, WORDS("/no/such/program")));
		for (until = now_ms() + LONG_MS;
		     count_processors(seen.helper) != all && now_ms() < until;)
			sleep_ms(1);
		CHECK(count_processors(seen.helper) == all);
	}
	bj_box_free(box);
}

TEST(the_account_of_a_short_program_is_whole)
{
	struct bj_box *box = make_box();
	struct bj_result *r = run_sealed(box, WORDS("sh", "-c", "echo out; echo err >&2; exit 3"));
	bool sealed = false;

	CHECK(r->status == BJ_ERROR && r->exit_code == 3 && r->signal == 0);
	CHECK_STR(r->out.data, "out\n");
	CHECK_STR(r->err.data, "err\n");
	CHECK(r->setup_us > 0 && r->run_us > 0 && r->usage->memory_peak_bytes > 0);
	for (size_t i = 0; i < r->n_layers; i++)
		if (strcmp(r->layers[i].name, "seccomp") == 0)
			sealed = r->layers[i].state == BJ_LAYER_FULL;
	CHECK(sealed);
	bj_result_free(r);
	r = run_sealed(box, WORDS("sh", "-c", "kill -TERM $$"));
	CHECK(r->signal == 15 && r->killed_for == BJ_KILL_SIGNAL);
	bj_result_free(r);
	bj_box_free(box);
}

TEST(files_of_a_short_program_are_counted_and_gone)
{
	struct bj_box *box = make_box();
	struct bj_result *r =
		run_sealed(box, WORDS("sh", "-c", "head -c 300000 /dev/zero > /work/f"));

	CHECK(r->status == BJ_SUCCESS && r->usage->disk_peak_bytes >= 300000);
	bj_result_free(r);
	CHECK(prints_sealed(box, "ls -A /work /tmp", "/tmp:\n\n/work:\n"));
	bj_box_free(box);
}

TEST(one_that_cannot_begin_is_told_and_the_next_one_does)
{
	struct bj_box *box = make_box();
	struct bj_result *r;

	CHECK(prints_sealed(box, "echo one", "one\n"));
	sleep_ms(REST_MS);
	r = run(box, NULL, WORDS("/no/such/program"));
	CHECK(r && r->status == BJ_ERROR && r->exit_code == -1 && r->error);
	bj_result_free(r);
	CHECK(prints_sealed(box, "echo two", "two\n"));
	bj_box_free(box);
}

static int count_timeouts(struct bj_box *box)
{
	int killed = 0;

	for (int i = 0; i < TIMED_ROUNDS; i++) {
		struct bj_result *r = run_sealed(box, WORDS("sleep", "0.0015"));

		CHECK(r != NULL);
		killed += r->killed_for == BJ_KILL_WALL && r->status == BJ_TIMEOUT;
		bj_result_free(r);
	}
	return killed;
}

/* On a busy host it may have ended before the warden had its turn: but not again and again. */
TEST(a_limit_of_a_millisecond_is_kept)
{
	uint64_t until = now_ms() + LONG_MS;
	struct bj_box *box = make_box();
	int killed;

	CHECK(bj_box_set(box, "wall", "1ms") == 0);
	while ((killed = count_timeouts(box)) <= TIMED_ROUNDS / 2 && now_ms() < until)
		printf("# %d of %d\n", killed, TIMED_ROUNDS);
	CHECK(killed > TIMED_ROUNDS / 2);
	bj_box_free(box);
}

static unsigned run_hastily(struct bj_box *box, unsigned times)
{
	unsigned failed = 0;

	for (unsigned i = 0; i < times; i++) {
		struct bj_result *r = run(box, NULL, WORDS("true"));

		failed += !r || r->status != BJ_SUCCESS;
		bj_result_free(r);
	}
	return failed;
}

/* Such a call is asked for before its box is announced, and that box is not the next call's. */
TEST(files_come_into_their_own_box_after_calls_in_haste)
{
	static const struct bj_file file = {"word", "here\n", 5, 0};
	static const char *const sizes[] = {"60m", "70m", "70m"};
	struct bj_input in = BJ_INPUT_INIT;
	struct bj_box *box = make_box();
	unsigned failed = 0;

	in.files = &file;
	in.n_files = 1;
	for (unsigned i = 0; i < HASTY_ROUNDS; i++) {
		failed += run_hastily(box, 1 + i % 4);
		CHECK(bj_box_set(box, "disk", sizes[i % LEN(sizes)]) == 0);
		failed += !prints(box, &in, "cat word", "here\n");
	}
	CHECK(failed == 0);
	bj_box_free(box);
}

static bool host_has(const char *words, size_t len)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	bool found = false;

	while (proc && (entry = readdir(proc))) {
		char path[300], text[256] = "";
		FILE *in;

		(void)snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		in = fopen(path, "r");
		if (!in)
			continue;
		found = (fread(text, 1, sizeof(text), in) == len &&
			 memcmp(text, words, len) == 0) ||
			found;
		(void)fclose(in);
	}
	if (proc)
		(void)closedir(proc);
	return found;
}

/* Of a program that goes on the same search finds it: else it could find nobody, ever. */
TEST(whoever_a_short_program_leaves_behind_is_dead_before_the_answer)
{
	char number[32], line[128], words[64];
	struct bj_box *box = make_box();
	struct bj_result *r;
	pid_t twin;
	int len;

	(void)snprintf(number, sizeof(number), "%d", 7000000 + (int)getpid());
	len = snprintf(words, sizeof(words), "sleep%c%s", 0, number) + 1;
	twin = fork();
	if (twin == 0) {
		(void)execlp("sleep", "sleep", number, (char *)NULL);
		_exit(1);
	}
	for (uint64_t until = now_ms() + LONG_MS;
	     !host_has(words, (size_t)len) && now_ms() < until;)
		sleep_ms(1);
	CHECK(host_has(words, (size_t)len));
	CHECK(kill(twin, SIGKILL) == 0 && waitpid(twin, NULL, 0) == twin);
	CHECK(!host_has(words, (size_t)len));
	(void)snprintf(line, sizeof(line), "sleep %s & exit 5", number);
	for (int i = 0; i < ROUNDS; i++) {
		r = run_sealed(box, WORDS("sh", "-c", line));
		CHECK(r->exit_code == 5 && !host_has(words, (size_t)len));
		bj_result_free(r);
	}
	bj_box_free(box);
}

/* More than one message holds, and than the room that most calls need. */
TEST(long_words_reach_who_waits)
{
	struct bj_box *box = make_box();
	char *text = malloc(100001);
	struct bj_result *r;

	CHECK(text != NULL);
	memset(text, 'x', 100000);
	text[100000] = '\0';
	r = run_sealed(box, WORDS("sh", "-c", "echo ${#0} ${#1} $2", text, text + 98000, "end"));
	CHECK_STR(r->out.data, "100000 2000 end\n");
	bj_result_free(r);
	r = run_sealed(box, WORDS("sh", "-c", "echo ${#0} $1", text + 97900, "end"));
	CHECK_STR(r->out.data, "2100 end\n");
	bj_result_free(r);
	free(text);
	bj_box_free(box);
}
