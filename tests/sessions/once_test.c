/* SPDX-License-Identifier: Apache-2.0 */
/* once_test.c - a slot for one call, also one that is at work before it hears which call that is.
 */
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/spawn.h"
#include "kept_box.h"

struct early {
	struct remote remote;
	pid_t pid;
	int fd;
	char words[64];
};

/* As belljar does it for belljar-call. */
static void start_early(struct early *e)
{
	char name[] = "belljar", command[] = "slot", fd[] = "--fd", number[] = "3",
	     once[] = "--once", later[] = "--later";
	char *argv[] = {name, command, fd, number, once, later, NULL};
	struct spawn how = {.program = helper(), .argv = argv, .n_fds = 1, .own_session = true};
	int ends[2];

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
	how.fds[0] = ends[1];
	CHECK(spawn_helper(&how, &e->pid) == 0);
	(void)close(ends[1]);
	e->fd = ends[0];
	(void)snprintf(e->words, sizeof(e->words), "%d:%d", ends[0], e->pid);
}

static void inherit(struct early *e)
{
	start_early(e);
	remote_inherit(&e->remote, e->words);
	CHECK(e->remote.pid == e->pid && e->remote.sock == e->fd);
}

static bool goes(int pidfd)
{
	struct pollfd fd = {.fd = pidfd, .events = POLLIN};

	return poll(&fd, 1, PATIENCE_MS) == 1;
}

static bool run_program(struct remote *r, const struct limits *limits, char *program,
			struct outcome *ret)
{
	char path[] = "PATH=/usr/bin:/bin", *argv[] = {program, NULL}, *env[] = {path, NULL};
	const struct job job = {.argv = argv, .env = env, .limits = *limits};
	int work, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct error err = {0};

	if (r->runner.ops->start(r, &job, (int[3]){null, null, null}, &err) < 0)
		return printf("# %s\n", err.text), false;
	while (!r->runner.ops->step(r))
		(void)poll(NULL, 0, 1);
	r->runner.ops->finish(r, ret, &work);
	(void)close(null);
	if (ret->error.kind != ERR_NONE)
		printf("# %s\n", ret->error.text);
	return true;
}

static void open_once(struct kept_box *b)
{
	struct error err = {0};

	if (remote_open_once(&b->remote, helper(), &b->profile, &b->limits, &err) == 0)
		return;
	printf("# %s\n", err.text);
	if (!host_has_boxes())
		SKIP("no box on this host");
	_exit(98);
}

static void list(struct kept_box *b, const char *program)
{
	b->profile.programs[b->profile.n_programs++] = program;
}

TEST(a_slot_for_one_call_goes_when_that_has_ended)
{
	char program[] = "true";
	struct outcome outcome;
	struct kept_box b;

	box_defaults(&b);
	open_once(&b);
	CHECK(run_program(&b.remote, &b.limits, program, &outcome));
	CHECK(outcome.end == END_EXITED && outcome.exit_code == 0);
	CHECK(goes(b.remote.pidfd)); /* and nobody has told it to */
	CHECK(!remote_is_ready(&b.remote));
	remote_close(&b.remote);
}

/* What is said to it then reaches nobody: its last words count. */
TEST(how_the_call_ended_is_heard_also_when_it_was_to_be_killed_too_late)
{
	char program[] = "true", path[] = "PATH=/usr/bin:/bin", *argv[] = {program, NULL},
	     *env[] = {path, NULL};
	struct error err = {0};
	struct outcome outcome;
	struct kept_box b;
	int work, null = open("/dev/null", O_RDWR | O_CLOEXEC);

	box_defaults(&b);
	open_once(&b);
	CHECK(b.remote.runner.ops->start(
		      &b.remote, &(struct job){.argv = argv, .env = env, .limits = b.limits},
		      (int[3]){null, null, null}, &err) == 0);
	CHECK(goes(b.remote.pidfd));
	b.remote.runner.ops->signal(&b.remote, SIGTERM);
	b.remote.runner.ops->kill(&b.remote, KILL_CANARY);
	while (!b.remote.runner.ops->step(&b.remote))
		(void)poll(NULL, 0, 1);
	b.remote.runner.ops->finish(&b.remote, &outcome, &work);
	CHECK(outcome.end == END_EXITED && outcome.exit_code == 0);
	CHECK(outcome.error.kind == ERR_NONE);
	remote_close(&b.remote);
	(void)close(null);
}

TEST(its_box_is_not_kept)
{
	struct error err = {0};
	struct kept_box b;

	box_defaults(&b);
	open_once(&b);
	CHECK(kept_open(&b.kept, &b.remote, &b.limits, &err) < 0);
	CHECK(strstr(err.text, "one program only"));
	remote_close(&b.remote);
}

TEST(one_that_nobody_asks_goes_with_its_socket)
{
	struct early e;
	int pidfd;

	inherit(&e);
	pidfd = pidfd_open(e.pid, 0);
	CHECK(pidfd >= 0 && remote_is_ready(&e.remote));
	remote_leave(&e.remote);
	CHECK(goes(pidfd));
	remote_close(&e.remote);
	(void)close(pidfd);
}

/* It had a launcher and perhaps a network before it heard of the program. */
TEST(the_walls_of_one_that_hears_later_are_the_same)
{
	char program[] = "true";
	struct error err = {0};
	struct outcome alone, later;
	struct kept_box b;
	struct early e;

	box_defaults(&b);
	list(&b, "true");
	b.limits.memory_bytes = 64 << 20; /* not what it may have expected */
	b.limits.processes = 7;
	open_once(&b);
	CHECK(run_program(&b.remote, &b.limits, program, &alone) && alone.end == END_EXITED);
	remote_close(&b.remote);
	for (int pause_ms = 0; pause_ms <= 50; pause_ms += 50) { /* also one that had time */
		inherit(&e);
		(void)poll(NULL, 0, pause_ms);
		CHECK(remote_ask_open(&e.remote, &b.profile, &b.limits, &err) == 0);
		CHECK(remote_await_open(&e.remote, &err) == 0);
		CHECK(run_program(&e.remote, &b.limits, program, &later));
		CHECK(later.end == END_EXITED && later.exit_code == 0);
		for (int i = 0; i < LAYER_COUNT; i++) {
			CHECK(later.layers[i].state == alone.layers[i].state);
			if (i != LAYER_OWN_UID)
				CHECK_STR(later.layers[i].detail, alone.layers[i].detail);
		}
		CHECK(goes(e.remote.pidfd));
		remote_close(&e.remote);
	}
}

TEST(its_limits_are_those_that_it_heard_of)
{
	char program[] = "sh";
	char c[] = "-c", line[] = "head -c 40000000 /dev/zero | tail | wc -c >/dev/null; exit 3";
	char path[] = "PATH=/usr/bin:/bin", *argv[] = {program, c, line, NULL},
	     *env[] = {path, NULL};
	struct error err = {0};
	struct outcome outcome;
	struct kept_box b;
	struct early e;
	int work, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct job job = {.argv = argv, .env = env};

	if (geteuid() != 0)
		SKIP("without groups it is not the kernel that counts");
	box_defaults(&b);
	list(&b, "sh");
	list(&b, "head");
	list(&b, "tail");
	list(&b, "wc");
	b.limits.memory_bytes = 16 << 20;
	b.limits.disk_bytes = 1 << 20;
	job.limits = b.limits;
	inherit(&e);
	(void)poll(NULL, 0, 50);
	CHECK(remote_ask_open(&e.remote, &b.profile, &b.limits, &err) == 0);
	CHECK(remote_await_open(&e.remote, &err) == 0);
	CHECK(e.remote.runner.ops->start(&e.remote, &job, (int[3]){null, null, null}, &err) == 0);
	while (!e.remote.runner.ops->step(&e.remote))
		(void)poll(NULL, 0, 1);
	e.remote.runner.ops->finish(&e.remote, &outcome, &work);
	CHECK(outcome.killed_for == KILL_MEMORY);
	remote_close(&e.remote);
	(void)close(null);
}

TEST(what_it_does_not_list_is_not_there)
{
	char other[] = "id";
	struct error err = {0};
	struct outcome outcome;
	struct kept_box b;
	struct early e;

	box_defaults(&b);
	list(&b, "true");
	inherit(&e);
	CHECK(remote_ask_open(&e.remote, &b.profile, &b.limits, &err) == 0);
	CHECK(remote_await_open(&e.remote, &err) == 0);
	CHECK(run_program(&e.remote, &b.limits, other, &outcome));
	CHECK(outcome.end == END_NOT_STARTED && outcome.error.kind == ERR_NOT_FOUND);
	remote_close(&e.remote);
}

/* Of the helper: its launcher. */
static pid_t child_of(pid_t parent)
{
	uint64_t until = clock_us() + PATIENCE_MS * 1000ULL;
	char path[64], text[32] = "";

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", parent, parent);
	while (text[0] == '\0' && clock_us() < until) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			SKIP("this kernel does not list children");
		read_text(fd, text, sizeof(text));
		(void)poll(NULL, 0, 50);
	}
	return (pid_t)strtol(text, NULL, 10);
}

static void kill_launcher(pid_t parent)
{
	pid_t launcher = child_of(parent);

	CHECK(launcher > 0 && kill(launcher, SIGKILL) == 0);
	(void)poll(NULL, 0, 50);
}

TEST(a_launcher_that_died_before_it_was_needed_is_replaced)
{
	char program[] = "true";
	struct error err = {0};
	struct outcome outcome;
	struct kept_box b;
	struct early e;

	box_defaults(&b);
	b.profile.allow_degraded = 0; /* else it makes another one in any case */
	if (geteuid() != 0)
		SKIP("without groups none waits");
	list(&b, "true");
	inherit(&e);
	kill_launcher(e.pid);
	CHECK(remote_ask_open(&e.remote, &b.profile, &b.limits, &err) == 0);
	CHECK(remote_await_open(&e.remote, &err) == 0);
	CHECK(run_program(&e.remote, &b.limits, program, &outcome));
	CHECK(outcome.end == END_EXITED && outcome.exit_code == 0);
	remote_close(&e.remote);
}

/* Then whoever has the call knows that another slot may have it. */
TEST(a_launcher_that_died_before_the_call_leaves_that_unread)
{
	char program[] = "true", path[] = "PATH=/usr/bin:/bin";
	char *argv[] = {program, NULL}, *env[] = {path, NULL};
	struct error err = {0};
	struct outcome outcome;
	struct kept_box b;
	struct early e;
	int work, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct job job = {.argv = argv, .env = env};

	if (geteuid() != 0)
		SKIP("without groups none waits");
	box_defaults(&b);
	list(&b, "true");
	job.limits = b.limits;
	inherit(&e);
	CHECK(remote_ask_open(&e.remote, &b.profile, &b.limits, &err) == 0);
	CHECK(remote_await_open(&e.remote, &err) == 0);
	(void)poll(NULL, 0, 50);
	CHECK(kill(e.pid, SIGSTOP) == 0); /* it hears of both at once */
	kill_launcher(e.pid);
	CHECK(e.remote.runner.ops->start(&e.remote, &job, (int[3]){null, null, null}, &err) == 0);
	CHECK(kill(e.pid, SIGCONT) == 0);
	while (!e.remote.runner.ops->step(&e.remote))
		(void)poll(NULL, 0, 1);
	e.remote.runner.ops->finish(&e.remote, &outcome, &work);
	CHECK(outcome.end == END_NOT_STARTED && outcome.error.kind == ERR_SYSTEM);
	CHECK(e.remote.lost && e.remote.unread);
	remote_close(&e.remote);
	(void)close(null);
}

/* What it prepared does not suit these: a slot is made as ever. */
TEST(one_that_wants_something_of_the_host_runs_as_well)
{
	char program[] = "true";
	struct error err = {0};
	struct outcome outcome;
	struct kept_box b;
	struct early e;

	for (int round = 0; round < 2; round++) {
		box_defaults(&b);
		if (round == 0) {
			list(&b, "true");
			b.profile.grants[b.profile.n_grants++] =
				(struct grant){.source = "/usr/share", .inside = "/data"};
		}
		inherit(&e);
		CHECK(remote_ask_open(&e.remote, &b.profile, &b.limits, &err) == 0);
		CHECK(remote_await_open(&e.remote, &err) == 0);
		CHECK(run_program(&e.remote, &b.limits, program, &outcome));
		CHECK(outcome.end == END_EXITED && outcome.exit_code == 0);
		remote_close(&e.remote);
	}
}

TEST(a_program_that_is_not_there_is_said_to_whoever_starts_it)
{
	char program[] = "true";
	struct error err = {0};
	struct outcome outcome = {0};
	struct kept_box b;
	struct early e;

	box_defaults(&b);
	list(&b, "no-such-program-anywhere");
	inherit(&e);
	CHECK(remote_ask_open(&e.remote, &b.profile, &b.limits, &err) == 0);
	if (remote_await_open(&e.remote, &err) == 0) {
		CHECK(run_program(&e.remote, &b.limits, program, &outcome));
		CHECK(outcome.end == END_NOT_STARTED);
		err = outcome.error;
	}
	CHECK(err.kind == ERR_CALLER);
	CHECK(strstr(err.text, "no-such-program-anywhere"));
	remote_close(&e.remote);
}

TEST(only_an_own_child_is_inherited)
{
	char words[64];
	struct remote r;
	struct early e;
	int other, null = open("/dev/null", O_RDWR | O_CLOEXEC);

	remote_inherit(&r, NULL);
	CHECK(r.pid == 0 && r.sock < 0);
	remote_inherit(&r, "3");
	CHECK(r.pid == 0 && r.sock < 0);
	start_early(&e);
	other = fcntl(e.fd, F_DUPFD, 0);
	(void)snprintf(words, sizeof(words), "%d:%d", other, getppid());
	remote_inherit(&r, words);
	CHECK(r.pid == 0 && r.sock < 0);
	CHECK(other > 0 && fcntl(other, F_GETFD) < 0); /* and it is nobody else's to find */
	(void)snprintf(words, sizeof(words), "%d:%d", null, e.pid);
	remote_inherit(&r, words);
	CHECK(r.pid == 0 && r.sock < 0);
	CHECK(fcntl(null, F_GETFD) >= 0);
	CHECK(fcntl(e.fd, F_SETFD, 0) == 0);
	remote_inherit(&r, e.words);
	CHECK(r.pid == e.pid && fcntl(e.fd, F_GETFD) == FD_CLOEXEC);
	remote_close(&r);
	(void)close(null);
}
