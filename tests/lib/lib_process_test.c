/* SPDX-License-Identifier: Apache-2.0 */
/* lib_process_test.c - what libbelljar does to the process it is in, and that process to it. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "descriptors.h"
#include "lib_box.h"
#include "scratch.h"

#define SCRATCH __attribute__((cleanup(scratch_end))) struct scratch

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

/* In a process of its own: kills the launcher once the program has left a word outside. */
static pid_t start_killer(const char *word, pid_t launcher)
{
	uint64_t until = now_ms() + 60000;
	pid_t killer = fork();

	if (killer != 0)
		return killer;
	while (access(word, F_OK) < 0 && now_ms() < until)
		;
	(void)kill(launcher, SIGKILL);
	_exit(0);
}

/* A short program is not looked at before it ends; but that nothing ran is not said of it. */
TEST(what_began_is_not_called_unbegun_when_the_launcher_dies)
{
	char dir[] = "/tmp/lib-unseen-XXXXXX", word[64], grant[64];

	CHECK(mkdtemp(dir) && chmod(dir, 0777) == 0);
	(void)snprintf(word, sizeof(word), "%s/word", dir);
	(void)snprintf(grant, sizeof(grant), "%s:/grant", dir);
	for (int i = 0; i < 12; i++) {
		struct bj_box *box = make_box();
		struct bj_result *r;
		pid_t launcher = 0, killer;

		CHECK(bj_box_set(box, "write", grant) == 0 && bj_box_prepare(box) == 0);
		sleep_ms(40); /* somebody waits for it then */
		CHECK(children_of(helper_pid(), &launcher, 1) == 1);
		killer = start_killer(word, launcher);
		r = run(box, NULL, WORDS("sh", "-c", ": > /grant/word; while :; do :; done"));
		CHECK(waitpid(killer, NULL, 0) == killer && unlink(word) == 0);
		CHECK(r != NULL && r->status == BJ_UNKNOWN);
		bj_result_free(r);
		bj_box_free(box);
	}
	CHECK(rmdir(dir) == 0);
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

/* A zombie is gone: when whoever inherited it reaps it is not our business. */
static bool is_gone(pid_t pid)
{
	char path[64], text[512] = "";
	const char *state;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	(void)!read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	state = strrchr(text, ')');
	return !state || strncmp(state, ") Z", 3) == 0;
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
	for (int i = 0; i < 200 && n < (stray ? 6 : 5); i++) {
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

static bool is_null(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
}

/* As after closing everything and opening something else. */
TEST(what_took_the_number_of_our_null_device_is_not_handed_to_a_program)
{
	SCRATCH s = scratch_make();
	struct bj_box *box = make_box();
	int own = openat(s.fd, "own", O_CREAT | O_RDWR | O_CLOEXEC, 0666), taken = 0;

	CHECK(own >= 0 && write(own, "own\n", 4) == 4);
	for (int fd = 3; fd < 100; fd++)
		if (is_null(fd)) {
			CHECK(dup3(own, fd, O_CLOEXEC) == fd && lseek(fd, 0, SEEK_SET) == 0);
			taken++;
		}
	CHECK(taken > 0);
	CHECK(prints(box, NULL, "cat; echo end", "end\n"));
	(void)close(own);
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
	SCRATCH s = scratch_make();
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
