/* SPDX-License-Identifier: Apache-2.0 */
/* lib_test.c - libbelljar with real boxes, and what it does to the process it is in. */
#include "tap.h"

#include <belljar.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "scratch.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

#define DEGRADED "memory,processes,cpu"

/* The command line is the judge: where it makes boxes, the library has to. */
static bool host_has_boxes(void)
{
	const char *belljar = getenv("BELLJAR_HELPER");
	int status = -1;
	pid_t child;

	if (!belljar)
		return true;
	child = fork();
	if (child == 0) {
		if (geteuid() == 0)
			(void)execl(belljar, "belljar", "run", "--", "true", (char *)NULL);
		else
			(void)execl(belljar, "belljar", "run", "--allow-degraded", DEGRADED, "--",
				    "true", (char *)NULL);
		_exit(1);
	}
	(void)waitpid(child, &status, 0);
	return !(WIFEXITED(status) && WEXITSTATUS(status) == 125);
}

/* A box, or the test ends here. */
static struct bj_box *make_box(void)
{
	struct bj_box *box = bj_box_new();

	if (!box || (geteuid() != 0 && bj_box_set(box, "allow-degraded", DEGRADED) < 0))
		_exit(99);
	if (bj_box_prepare(box) == 0)
		return box;
	printf("# %s\n", bj_error(box));
	if (!host_has_boxes())
		SKIP("no box on this host");
	_exit(98);
}

/* argv is given as words; NULL if it could not run. */
static struct bj_result *run(struct bj_box *box, const struct bj_input *in, const char *const *argv)
{
	struct bj_result *result = NULL;

	if (bj_run(box, argv, in, &result) < 0)
		printf("# %s\n", bj_error(box));
	return result;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Runs a line of sh and compares what it printed. */
static bool prints(struct bj_box *box, const struct bj_input *in, const char *line,
		   const char *expected)
{
	struct bj_result *result = run(box, in, WORDS("sh", "-c", line));
	bool same;

	if (!result)
		return false;
	same = strcmp(result->out.data, expected) == 0 && result->out.size == strlen(expected);
	if (!same)
		printf("# '%s' printed '%s' and '%s'%s%s\n", line, result->out.data,
		       result->err.data, result->error ? "; " : "",
		       result->error ? result->error : "");
	bj_result_free(result);
	return same;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void sleep_ms(long ms)
{
	const struct timespec time = {ms / 1000, ms % 1000 * 1000000};

	(void)nanosleep(&time, NULL);
}

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
	__attribute__((cleanup(scratch_end))) struct scratch s = scratch_make();
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
	__attribute__((cleanup(scratch_end))) struct scratch s = scratch_make();
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

struct heard {
	struct bj_box *box;
	char text[256];
	uint64_t first_ms;
	bool cancel;
};

static void hear(void *context, enum bj_stream stream, const char *data, size_t size)
{
	struct heard *h = context;
	size_t used = strlen(h->text);

	if (!h->first_ms)
		h->first_ms = now_ms();
	(void)snprintf(h->text + used, sizeof(h->text) - used, "%d:%.*s", (int)stream, (int)size,
		       data);
	if (h->cancel)
		bj_cancel(h->box);
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
	struct bj_box *box = make_box();

	(void)unused;
	for (int i = 0; i < 10; i++) {
		char line[40], expected[40];

		(void)snprintf(expected, sizeof(expected), "%d %d\n", i, (int)gettid());
		(void)snprintf(line, sizeof(line), "echo %d %d", i, (int)gettid());
		good_calls += prints(box, NULL, line, expected);
	}
	bj_box_free(box);
	return NULL;
}

TEST(threads_run_boxes_of_their_own_at_the_same_time)
{
	pthread_t threads[4];

	for (size_t i = 0; i < LEN(threads); i++)
		CHECK(pthread_create(&threads[i], NULL, call_often, NULL) == 0);
	for (size_t i = 0; i < LEN(threads); i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	CHECK(good_calls == 40);
}

static void *prepare_and_end(void *box)
{
	CHECK(bj_box_prepare(box) == 0);
	return NULL;
}

TEST(the_helper_outlives_the_thread_that_started_it)
{
	struct bj_box *box = make_box();
	pthread_t thread;

	CHECK(bj_box_set(box, "loopback", NULL) == 0); /* another helper */
	CHECK(pthread_create(&thread, NULL, prepare_and_end, box) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	sleep_ms(50);
	CHECK(prints(box, NULL, "echo alive", "alive\n"));
	bj_box_free(box);
}

/* What /proc knows. */

static size_t children_of(pid_t pid, pid_t *ret, size_t room)
{
	char path[64], text[4096] = "";
	size_t n = 0;
	char *at = text;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	(void)!read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	while (n < room) {
		long child = strtol(at, &at, 10);

		if (child <= 0)
			break;
		ret[n++] = (pid_t)child;
	}
	return n;
}

static size_t descendants_of(pid_t pid, pid_t *ret, size_t room)
{
	size_t n = children_of(pid, ret, room);

	for (size_t i = 0; i < n; i++)
		n += children_of(ret[i], ret + n, room - n);
	return n;
}

static pid_t helper_pid(void)
{
	pid_t child = 0;

	return children_of(getpid(), &child, 1) == 1 ? child : 0;
}

static size_t count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static void *kill_helper_later(void *unused)
{
	(void)unused;
	sleep_ms(200);
	CHECK(kill(helper_pid(), SIGKILL) == 0);
	return NULL;
}

TEST(a_helper_killed_in_a_call_leaves_it_unknown_and_the_next_one_works)
{
	struct bj_box *box = make_box();
	uint64_t started = now_ms();
	struct bj_result *r;
	pthread_t thread;

	CHECK(helper_pid() > 0);
	CHECK(pthread_create(&thread, NULL, kill_helper_later, NULL) == 0);
	r = run(box, NULL, WORDS("sh", "-c", "echo started; exec sleep 20"));
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(r->status == BJ_UNKNOWN && r->exit_code == -1 && r->signal == 0 && r->error);
	CHECK_STR(r->out.data, "started\n");
	CHECK(now_ms() - started < 10000);
	bj_result_free(r);
	CHECK(prints(box, NULL, "echo next", "next\n"));
	bj_box_free(box);
}

TEST(a_helper_killed_between_calls_is_replaced)
{
	struct bj_box *box = make_box();
	pid_t first = helper_pid();

	CHECK(prints(box, NULL, "echo one", "one\n"));
	CHECK(helper_pid() == first); /* a resident one */
	CHECK(kill(first, SIGKILL) == 0);
	sleep_ms(100);
	CHECK(prints(box, NULL, "echo two", "two\n"));
	CHECK(helper_pid() > 0 && helper_pid() != first);
	bj_box_free(box);
	CHECK(helper_pid() == 0);
}

TEST(two_hundred_calls_leave_no_descriptor_and_no_process)
{
	struct bj_box *box = make_box();
	size_t before, after;
	pid_t helper = helper_pid();
	char path[64];

	CHECK(prints(box, NULL, "true", ""));
	before = count_descriptors();
	for (int i = 0; i < 200; i++) {
		struct bj_result *r = run(box, NULL, WORDS("/bin/true"));

		CHECK(r && r->status == BJ_SUCCESS);
		bj_result_free(r);
	}
	after = count_descriptors();
	CHECK(after == before);
	CHECK(helper_pid() == helper);
	(void)snprintf(path, sizeof(path), "/proc/%d", (int)helper);
	bj_box_free(box);
	CHECK(access(path, F_OK) < 0);
}

static bool is_gone(pid_t pid)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return access(path, F_OK) < 0;
}

static bool all_gone_within(const pid_t *pids, size_t n, uint64_t ms)
{
	uint64_t until = now_ms() + ms;
	size_t gone;

	do {
		gone = 0;
		for (size_t i = 0; i < n; i++)
			gone += is_gone(pids[i]);
		if (gone == n)
			return true;
		sleep_ms(10);
	} while (now_ms() < until);
	return false;
}

/* The life of a process that is killed while its call runs.  stray: it has forked a child before,
 * which keeps all its descriptors. */
static void be_killed(int ready, bool stray)
{
	struct bj_box *box = make_box();
	struct heard h = {.box = box};
	struct bj_input in = BJ_INPUT_INIT;

	if (stray && fork() == 0) {
		sleep_ms(20000);
		_exit(0);
	}
	in.on_output = hear;
	in.context = &h;
	(void)!write(ready, "x", 1);
	(void)run(box, &in, WORDS("sh", "-c", "sleep 30 & sleep 30"));
	_exit(1);
}

static void check_killed_caller(bool stray)
{
	pid_t all[64], strays[2] = {0};
	size_t n = 0, n_strays = 0;
	int ends[2];
	char byte;
	pid_t child;

	bj_box_free(make_box()); /* or SKIP */
	CHECK(pipe2(ends, O_CLOEXEC) == 0);
	child = fork();
	if (child == 0)
		be_killed(ends[1], stray);
	(void)close(ends[1]);
	CHECK(read(ends[0], &byte, 1) == 1);
	for (int i = 0; i < 200 && n < (stray ? 7 : 6); i++) {
		sleep_ms(10);
		n = descendants_of(child, all, LEN(all));
	}
	n_strays = stray ? children_of(child, strays, 2) : 0;
	CHECK(n >= 5); /* the helper, the launcher, pid 1, sh, sleep */
	CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
	/* Helper first, stray child second: the order they were started in. */
	for (size_t i = 0; i < n; i++)
		if (n_strays == 2 && all[i] == strays[1])
			all[i] = all[--n];
	CHECK(all_gone_within(all, n, 5000));
	if (n_strays == 2)
		(void)kill(strays[1], SIGKILL);
}

TEST(when_the_caller_is_killed_everything_is_gone)
{
	check_killed_caller(false);
}

TEST(also_when_a_child_of_its_holds_the_descriptors)
{
	check_killed_caller(true);
}

TEST(other_children_of_the_caller_are_not_touched)
{
	struct bj_box *box = make_box();
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(7);
	sleep_ms(50);
	CHECK(prints(box, NULL, "true", ""));
	bj_box_free(box);
	CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
}

TEST(a_caller_that_reaps_everybody_does_no_harm)
{
	struct bj_box *box = make_box();
	pid_t helper = helper_pid();

	CHECK(kill(helper, SIGKILL) == 0);
	CHECK(waitpid(-1, NULL, 0) == helper);
	CHECK(prints(box, NULL, "echo on", "on\n"));
	bj_box_free(box);
}

TEST(ignored_and_blocked_signals_and_no_standard_descriptors_are_fine)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, now = {0};
	int saved = fcntl(1, F_DUPFD_CLOEXEC, 10);
	struct bj_box *box;
	sigset_t all;
	bool good;

	bj_box_free(make_box()); /* or SKIP */
	(void)sigfillset(&all);
	CHECK(sigaction(SIGCHLD, &ignore, NULL) == 0);
	CHECK(sigaction(SIGPIPE, &ignore, NULL) == 0);
	CHECK(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
	for (int fd = 0; fd < 3; fd++)
		(void)close(fd);
	box = make_box();
	good = prints(box, NULL, "kill -PIPE $$; echo still here", "") &&
	       prints(box, NULL, "true & wait; echo waited", "waited\n");
	bj_box_free(box);
	CHECK(dup2(saved, 1) == 1);
	CHECK(good);
	CHECK(sigaction(SIGCHLD, NULL, &now) == 0 && now.sa_handler == SIG_IGN);
}

TEST(nothing_is_printed_and_no_disposition_changes)
{
	static const int numbers[] = {SIGINT, SIGPIPE, SIGCHLD, SIGTERM, SIGSYS};
	__attribute__((cleanup(scratch_end))) struct scratch s = scratch_make();
	struct sigaction before[LEN(numbers)], after[LEN(numbers)];
	int saved = fcntl(1, F_DUPFD_CLOEXEC, 10),
	    said = openat(s.fd, "said", O_CREAT | O_RDWR, 0600);
	struct bj_box *box;
	struct bj_result *r = NULL;

	bj_box_free(make_box()); /* or SKIP */
	for (size_t i = 0; i < LEN(numbers); i++)
		CHECK(sigaction(numbers[i], NULL, &before[i]) == 0);
	(void)fflush(stdout);
	CHECK(dup2(said, 1) == 1 && dup2(said, 2) == 2);
	box = make_box();
	(void)bj_box_set(box, "memory", "nonsense");
	(void)bj_run(box, WORDS("sh", "-c", "echo out; echo err >&2"), NULL, &r);
	bj_result_free(r);
	(void)bj_run(box, WORDS("no-such-program"), NULL, &r);
	bj_result_free(r);
	(void)bj_box_set(box, "helper", "/nowhere");
	(void)bj_run(box, WORDS("true"), NULL, &r);
	bj_box_free(box);
	(void)fflush(stdout);
	CHECK(dup2(saved, 1) == 1);
	CHECK(lseek(said, 0, SEEK_END) == 0);
	for (size_t i = 0; i < LEN(numbers); i++)
		CHECK(sigaction(numbers[i], NULL, &after[i]) == 0 &&
		      after[i].sa_handler == before[i].sa_handler);
}

TEST(the_helper_has_nothing_of_ours)
{
	struct bj_box *box;
	char path[64], text[4096] = "";
	int fd, leak = open("/dev/zero", O_RDONLY); /* no O_CLOEXEC: a caller may be careless */

	CHECK(setenv("SECRET", "host", 1) == 0);
	box = make_box();
	for (fd = 4; fd < 64; fd++) {
		char target[64] = "";

		(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)helper_pid(), fd);
		(void)!readlink(path, target, sizeof(target) - 1);
		CHECK(strcmp(target, "/dev/zero") != 0);
	}
	(void)snprintf(path, sizeof(path), "/proc/%d/environ", (int)helper_pid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0 && read(fd, text, sizeof(text)) == 0);
	CHECK(getsid(helper_pid()) == helper_pid()); /* Ctrl-C is not for it */
	bj_box_free(box);
	(void)close(fd);
	(void)close(leak);
}
