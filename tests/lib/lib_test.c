/* SPDX-License-Identifier: Apache-2.0 */
/* lib_test.c - libbelljar with real boxes: calls, their input, their results, cancelling them. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "lib_box.h"
#include "scratch.h"

#define SCRATCH __attribute__((cleanup(scratch_end))) struct scratch

TEST(a_program_runs_and_the_result_is_whole)
{
	struct bj_box *box = make_box();
	struct bj_result *r = run(box, NULL, WORDS("sh", "-c", "echo out; echo err >&2; exit 3"));
	bool sealed = false;

	CHECK(r->status == BJ_ERROR && r->exit_code == 3 && r->signal == 0);
	CHECK(r->killed_for == BJ_KILL_NONE && !r->error);
	CHECK_STR(r->out.data, "out\n");
	CHECK_STR(r->err.data, "err\n");
	CHECK(r->out.size == 4 && r->out.seen == 4 && !r->out.truncated);
	CHECK(r->run_us > 0 && r->usage->memory_peak_bytes > 0);
	CHECK(strncmp(r->id, "bj-", 3) == 0);
	for (size_t i = 0; i < r->n_layers; i++)
		if (strcmp(r->layers[i].name, "seccomp") == 0)
			sealed = r->layers[i].state == BJ_LAYER_FULL;
	CHECK(sealed);
	CHECK(strstr(bj_result_json(r), "\"exit_code\":3") != NULL);
	CHECK(bj_result_json(r) == bj_result_json(r));
	bj_result_free(r);
	bj_box_free(box);
}

TEST(code_runs_in_each_language_with_arguments)
{
	static const char *const args[] = {"one", "two", NULL};
	struct bj_box *box = make_box();
	struct bj_input in = BJ_INPUT_INIT;
	struct bj_result *r = NULL;

	in.args = args;
	CHECK(bj_run_code(box, "python", "import sys; print(sys.argv)", &in, &r) == 0);
	CHECK_STR(r->out.data, "['/work/main.py', 'one', 'two']\n");
	bj_result_free(r);
	CHECK(bj_run_code(box, "bash", "echo \"$0 $2\"", &in, &r) == 0);
	CHECK_STR(r->out.data, "/work/main.sh two\n");
	bj_result_free(r);
	bj_box_free(box);
}

TEST(a_program_that_does_not_exist_is_a_result)
{
	struct bj_box *box = make_box();
	struct bj_result *r = run(box, NULL, WORDS("no-such-program"));

	CHECK(r && r->status == BJ_ERROR && r->exit_code == -1);
	CHECK(r && r->error && strstr(r->error, "no-such-program"));
	bj_result_free(r);
	CHECK(prints(box, NULL, "echo on", "on\n"));
	bj_box_free(box);
}

TEST(the_calls_environment_wins_over_the_boxs)
{
	static const char *const env[] = {"A=call", "HOME=/tmp", NULL};
	struct bj_box *box = make_box();
	struct bj_input in = BJ_INPUT_INIT;

	CHECK(setenv("SECRET", "host", 1) == 0);
	CHECK(bj_box_set(box, "env", "A=first") == 0 && bj_box_set(box, "env", "A=box") == 0);
	CHECK(bj_box_set(box, "env", "B=box") == 0);
	CHECK(prints(box, NULL, "echo $A $B $HOME $SECRET", "box box /work\n"));
	in.env = env;
	CHECK(prints(box, &in, "echo $A $B $HOME $SECRET", "call box /tmp\n"));
	CHECK(prints(box, NULL, "echo $A", "box\n"));
	bj_box_free(box);
}

TEST(standard_input_is_bytes_a_descriptor_or_nothing)
{
	struct bj_box *box = make_box();
	struct bj_input in = BJ_INPUT_INIT;
	int ends[2];

	CHECK(prints(box, NULL, "wc -c", "0\n"));
	in.stdin_data = "hello";
	in.stdin_size = 5;
	CHECK(prints(box, &in, "cat", "hello"));
	in.stdin_size = 0;
	CHECK(prints(box, &in, "wc -c", "0\n"));
	CHECK(pipe2(ends, O_CLOEXEC) == 0 && write(ends[1], "piped", 5) == 5);
	(void)close(ends[1]);
	in.stdin_data = NULL;
	in.stdin_fd = ends[0];
	CHECK(prints(box, &in, "cat", "piped"));
	bj_box_free(box);
}

TEST(much_input_arrives_and_input_that_nobody_reads_is_no_signal)
{
	enum { SIZE = 3 << 20 };
	char *much = calloc(1, SIZE);
	struct bj_box *box = make_box();
	struct bj_input in = BJ_INPUT_INIT;

	in.stdin_data = much;
	in.stdin_size = SIZE;
	CHECK(prints(box, &in, "wc -c", "3145728\n"));
	/* SIGPIPE would end this process here: nothing ignores it. */
	CHECK(prints(box, &in, "exec <&-; sleep 0.1; echo unread", "unread\n"));
	bj_box_free(box);
	free(much);
}

TEST(files_go_in_and_do_not_stay_for_the_next_call)
{
	const struct bj_file files[] = {
		{"data/a.txt", "alpha", 5, 0},
		{"tool", "#!/bin/sh\necho tool\n", 20, 1},
		{"empty", NULL, 0, 0},
	};
	struct bj_box *box = make_box();
	struct bj_input in = BJ_INPUT_INIT;

	in.files = files;
	in.n_files = LEN(files);
	CHECK(prints(box, &in, "cat data/a.txt; ./tool; wc -c <empty; id -u; stat -c %u tool",
		     "alphatool\n0\n1000\n1000\n"));
	CHECK(prints(box, NULL, "ls -A | wc -l", "0\n"));
	bj_box_free(box);
}

TEST(files_of_a_call_that_could_not_start_are_gone)
{
	const struct bj_file twice[] = {{"secret", "x", 1, 0}, {"secret", "y", 1, 0}};
	const struct bj_file once[] = {{"secret", "x", 1, 0}};
	struct bj_box *box = make_box();
	struct bj_input in = BJ_INPUT_INIT;
	struct bj_result *r = NULL;

	in.files = twice;
	in.n_files = 2;
	CHECK(bj_run(box, WORDS("true"), &in, &r) < 0);
	CHECK(strstr(bj_error(box), "there already") != NULL);
	CHECK(prints(box, NULL, "ls -A | wc -l", "0\n"));
	in.files = once;
	in.n_files = 1;
	for (int i = 0; i < 10; i++) {
		r = run(box, &in, WORDS("no-such-program"));
		CHECK(r && r->error);
		bj_result_free(r);
	}
	CHECK(prints(box, NULL, "ls -A | wc -l", "0\n"));
	bj_box_free(box);
}

TEST(files_come_out_with_their_hash)
{
	SCRATCH s = scratch_make();
	struct bj_box *box = make_box();
	struct bj_result *r;
	char get[100], path[100];

	(void)snprintf(get, sizeof(get), "*.txt:%s/out", s.path);
	CHECK(bj_box_set(box, "get", get) == 0);
	r = run(box, NULL, WORDS("sh", "-c", "printf abc >a.txt; ln -s /etc/passwd b.txt"));
	CHECK(r->n_artifacts == 2);
	if (r->n_artifacts == 2) {
		CHECK_STR(r->artifacts[0].name, "a.txt");
		CHECK(r->artifacts[0].size == 3 && !r->artifacts[0].refused);
		CHECK_STR(r->artifacts[0].sha256,
			  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
		CHECK(!r->artifacts[1].sha256 && r->artifacts[1].refused);
	}
	(void)snprintf(path, sizeof(path), "%s/out/a.txt", s.path);
	CHECK(access(path, R_OK) == 0);
	bj_result_free(r);
	bj_box_free(box);
}

TEST(limits_hold_from_the_next_call_on)
{
	struct bj_box *box = make_box();
	struct bj_result *r;
	uint64_t started;

	CHECK(prints(box, NULL, "echo before", "before\n"));
	CHECK(bj_box_set(box, "wall", "300ms") == 0);
	started = now_ms();
	r = run(box, NULL, WORDS("sleep", "60"));
	CHECK(r->status == BJ_TIMEOUT && r->killed_for == BJ_KILL_WALL && r->exit_code == -1);
	CHECK(now_ms() - started < 5000);
	bj_result_free(r);
	CHECK(bj_box_set(box, "disk", "1m") == 0 && bj_box_set(box, "wall", "10s") == 0);
	r = run(box, NULL, WORDS("sh", "-c", "head -c 5000000 /dev/zero >big"));
	CHECK(r->status == BJ_ERROR || r->killed_for == BJ_KILL_DISK);
	CHECK(r->usage->disk_full || r->killed_for == BJ_KILL_DISK);
	bj_result_free(r);
	CHECK(prints(box, NULL, "echo after", "after\n"));
	bj_box_free(box);
}

TEST(a_permission_holds_from_the_next_call_on)
{
	SCRATCH s = scratch_make();
	struct bj_box *box = make_box();
	char path[100];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/note", s.path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	CHECK(fd >= 0 && write(fd, "granted\n", 8) == 8 && close(fd) == 0);
	CHECK(chmod(s.path, 0755) == 0 && chdir(s.path) == 0);
	CHECK(prints(box, NULL, "cat /note 2>/dev/null || echo no", "no\n"));
	/* A relative path means this directory, whatever the directory is later. */
	CHECK(bj_box_set(box, "read", "note:/note") == 0);
	CHECK(chdir("/") == 0);
	CHECK(prints(box, NULL, "cat /note", "granted\n"));
	bj_box_free(box);
}

TEST(output_over_the_limit_is_counted_and_a_flood_is_killed)
{
	struct bj_box *box = make_box();
	struct bj_result *r;

	CHECK(bj_box_set(box, "output", "100") == 0);
	r = run(box, NULL, WORDS("sh", "-c", "head -c 5000 /dev/zero"));
	CHECK(r->out.size == 100 && r->out.seen == 5000 && r->out.truncated);
	CHECK(r->status == BJ_SUCCESS);
	bj_result_free(r);
	r = run(box, NULL, WORDS("cat", "/dev/zero"));
	CHECK(r->killed_for == BJ_KILL_OUTPUT && r->status == BJ_RESOURCE_EXCEEDED);
	bj_result_free(r);
	bj_box_free(box);
}

TEST(output_is_heard_while_the_program_runs)
{
	struct bj_box *box = make_box();
	struct heard h = {.box = box};
	struct bj_input in = BJ_INPUT_INIT;
	struct bj_result *r;

	in.on_output = hear;
	in.context = &h;
	r = run(box, &in, WORDS("sh", "-c", "echo a; sleep 0.3; echo b >&2"));
	CHECK_STR(h.text, "1:a\n2:b\n");
	CHECK(now_ms() - h.first_ms >= 250);
	CHECK_STR(r->out.data, "a\n");
	bj_result_free(r);
	bj_box_free(box);
}

TEST(who_hears_enough_may_cancel)
{
	struct bj_box *box = make_box();
	struct heard h = {.box = box, .cancel = true};
	struct bj_input in = BJ_INPUT_INIT;
	uint64_t started = now_ms();
	struct bj_result *r;

	in.on_output = hear;
	in.context = &h;
	r = run(box, &in, WORDS("sh", "-c", "echo enough; exec sleep 20"));
	CHECK(r->killed_for == BJ_KILL_CANCELLED && r->status == BJ_ERROR);
	CHECK(now_ms() - started < 10000);
	bj_result_free(r);
	bj_box_free(box);
}

static void *cancel_later(void *box)
{
	sleep_ms(200);
	bj_cancel(box);
	return NULL;
}

TEST(another_thread_cancels_the_call_that_runs_and_no_other)
{
	struct bj_box *box = make_box();
	uint64_t started = now_ms();
	struct bj_result *r;
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, cancel_later, box) == 0);
	r = run(box, NULL, WORDS("sleep", "20"));
	CHECK(r->killed_for == BJ_KILL_CANCELLED && now_ms() - started < 10000);
	bj_result_free(r);
	CHECK(pthread_join(thread, NULL) == 0);
	bj_cancel(box); /* nothing runs */
	CHECK(prints(box, NULL, "echo next", "next\n"));
	bj_box_free(box);
}

TEST(a_descriptor_cancels_too_also_before_the_call_begins)
{
	struct bj_box *box = make_box();
	struct bj_input in = BJ_INPUT_INIT;
	uint64_t started = now_ms();
	struct bj_result *r;
	int ends[2];

	CHECK(pipe2(ends, O_CLOEXEC) == 0);
	in.cancel_fd = ends[0];
	CHECK(prints(box, &in, "echo quiet", "quiet\n"));
	CHECK(write(ends[1], "x", 1) == 1);
	r = run(box, &in, WORDS("sleep", "20"));
	CHECK(r->killed_for == BJ_KILL_CANCELLED && now_ms() - started < 10000);
	bj_result_free(r);
	bj_box_free(box);
}

static atomic_int good_calls;

static void *call_often(void *unused)
{
	const struct bj_file file = {"in/put", "x", 1, 0};
	SCRATCH s = scratch_make();
	struct bj_input in = BJ_INPUT_INIT;
	struct bj_box *box = make_box();
	char get[100];

	(void)unused;
	in.files = &file;
	in.n_files = 1;
	(void)snprintf(get, sizeof(get), "in/*:%s", s.path);
	CHECK(bj_box_set(box, "get", get) == 0);
	for (int i = 0; i < 10; i++) {
		char line[40], expected[40];

		(void)snprintf(expected, sizeof(expected), "%d %d\n", i, (int)gettid());
		(void)snprintf(line, sizeof(line), "echo %d %d", i, (int)gettid());
		good_calls += prints(box, &in, line, expected);
	}
	bj_box_free(box);
	return NULL;
}

TEST(threads_run_boxes_of_their_own_at_the_same_time)
{
	pthread_t threads[4];
	pthread_attr_t small;

	/* No more stack than the manual says is needed. */
	CHECK(pthread_attr_init(&small) == 0);
	CHECK(pthread_attr_setstacksize(&small, 256 << 10) == 0);
	for (size_t i = 0; i < LEN(threads); i++)
		CHECK(pthread_create(&threads[i], &small, call_often, NULL) == 0);
	for (size_t i = 0; i < LEN(threads); i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	CHECK(good_calls == 40);
}

TEST(a_loopback_that_carried_packets_is_not_used_again)
{
	static const char talk[] = "import socket\n"
				   "server = socket.create_server(('127.0.0.1', 0))\n"
				   "client = socket.create_connection(server.getsockname())\n"
				   "server.accept()[0].close()\n"
				   "print('talked')\n";
	static const char count[] =
		"line = [l for l in open('/proc/self/net/dev') if ' lo:' in l][0]\n"
		"print(line.split()[1])\n";
	struct bj_box *box = make_box();
	struct bj_result *r = NULL;

	CHECK(bj_box_set(box, "loopback", NULL) == 0);
	CHECK(bj_run_code(box, "python", talk, NULL, &r) == 0);
	CHECK_STR(r->out.data, "talked\n");
	bj_result_free(r);
	CHECK(bj_run_code(box, "python", count, NULL, &r) == 0);
	CHECK_STR(r->out.data, "0\n");
	bj_result_free(r);
	bj_box_free(box);
}
