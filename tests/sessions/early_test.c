/* SPDX-License-Identifier: Apache-2.0 */
/* early_test.c - a slot that is begun before it is known what for, as belljar call has one. */
#include "base/own.h"
#include "kept_box.h"
#include "sandbox/native/slot.h"

/* What the call turns out to want. */
static void want(struct kept_box *b, const char *program)
{
	box_defaults(b);
	b->profile.programs[b->profile.n_programs++] = program;
}

static struct slot *begin(void)
{
	struct slot *slot = NULL;
	struct error err = {0};

	if (geteuid() != 0)
		SKIP("without groups none is begun early");
	if (slot_open_early(&slot, &err) == 0)
		return slot;
	printf("# %s\n", err.text);
	if (!host_has_boxes())
		SKIP("no box on this host");
	_exit(98);
}

static struct slot *begin_for(const struct kept_box *b)
{
	struct slot *slot = begin();
	struct error err = {0};

	CHECK(slot_suits(slot, &b->profile));
	if (slot_open_rest(slot, &b->profile, &b->limits, &err) < 0)
		printf("# %s\n", err.text);
	CHECK(err.kind == ERR_NONE);
	return slot;
}

static void run_words(struct slot *slot, const struct limits *limits, char **argv,
		      struct outcome *ret)
{
	char path[] = "PATH=/usr/bin:/bin", *env[] = {path, NULL};
	const struct job job = {.argv = argv, .env = env, .limits = *limits};
	int work, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct error err = {0};

	if (slot_start(slot, &job, (int[3]){null, null, null}, &err) < 0)
		printf("# %s\n", err.text);
	while (!slot_step(slot))
		(void)poll(NULL, 0, 1);
	slot_finish(slot, ret, &work);
	(void)close(null);
	if (ret->error.kind != ERR_NONE)
		printf("# %s\n", ret->error.text);
}

static void run_program(struct slot *slot, const struct limits *limits, char *program,
			struct outcome *ret)
{
	char *argv[] = {program, NULL};

	run_words(slot, limits, argv, ret);
}

/* It had a launcher and perhaps a network before it heard of the program. */
TEST(its_walls_are_those_of_any_other)
{
	char program[] = "true";
	struct outcome alone, early;
	struct slot *slot = NULL;
	struct error err = {0};
	struct kept_box b;

	if (geteuid() != 0)
		SKIP("without groups none is begun early");
	want(&b, "true");
	b.limits.memory_bytes = 64 << 20; /* not what it may have expected */
	b.limits.processes = 7;
	CHECK(slot_open(&b.profile, &b.limits, SLOT_ONCE, &slot, &err) == 0);
	run_program(slot, &b.limits, program, &alone);
	slot_close(slot);
	CHECK(alone.end == END_EXITED);
	for (int pause_ms = 0; pause_ms <= 50; pause_ms += 50) { /* also one that had time */
		slot = begin();
		(void)poll(NULL, 0, pause_ms);
		CHECK(slot_suits(slot, &b.profile));
		CHECK(slot_open_rest(slot, &b.profile, &b.limits, &err) == 0);
		run_program(slot, &b.limits, program, &early);
		CHECK(early.end == END_EXITED && early.exit_code == 0);
		for (int i = 0; i < LAYER_COUNT; i++) {
			CHECK(early.layers[i].state == alone.layers[i].state);
			if (i != LAYER_OWN_UID)
				CHECK_STR(early.layers[i].detail, alone.layers[i].detail);
		}
		slot_close(slot);
	}
}

TEST(its_limits_are_those_that_it_heard_of)
{
	char program[] = "sh", c[] = "-c",
	     line[] = "head -c 40000000 /dev/zero | tail | wc -c >/dev/null; exit 3";
	char *argv[] = {program, c, line, NULL};
	struct outcome outcome;
	struct kept_box b;
	struct slot *slot;

	want(&b, "sh");
	b.profile.programs[b.profile.n_programs++] = "head";
	b.profile.programs[b.profile.n_programs++] = "tail";
	b.profile.programs[b.profile.n_programs++] = "wc";
	slot = begin_for(&b);
	run_words(slot, &b.limits, argv, &outcome); /* the twin: by default there is room */
	CHECK(outcome.end == END_EXITED && outcome.exit_code == 3);
	slot_close(slot);
	b.limits.memory_bytes = 16 << 20;
	b.limits.disk_bytes = 1 << 20;
	slot = begin_for(&b);
	run_words(slot, &b.limits, argv, &outcome);
	CHECK(outcome.killed_for == KILL_MEMORY);
	slot_close(slot);
}

TEST(what_it_does_not_list_is_not_there)
{
	char other[] = "id";
	struct outcome outcome;
	struct kept_box b;
	struct slot *slot;

	want(&b, "true");
	slot = begin_for(&b);
	run_program(slot, &b.limits, other, &outcome);
	CHECK(outcome.end == END_NOT_STARTED && outcome.error.kind == ERR_NOT_FOUND);
	slot_close(slot);
}

/* Our only child so far. */
static pid_t launcher(void)
{
	char path[64], text[32] = "";
	own_fd fd = -1;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		SKIP("this kernel does not list children");
	CHECK(read(fd, text, sizeof(text) - 1) > 0);
	return (pid_t)strtol(text, NULL, 10);
}

TEST(one_whose_launcher_has_died_suits_nobody)
{
	struct kept_box b;
	struct slot *slot;

	want(&b, "true");
	slot = begin();
	CHECK(slot_suits(slot, &b.profile));
	CHECK(kill(launcher(), SIGKILL) == 0);
	(void)poll(NULL, 0, 50);
	CHECK(!slot_suits(slot, &b.profile));
	slot_close(slot);
}

TEST(a_launcher_that_dies_before_the_start_starts_nothing)
{
	char program[] = "true", *argv[] = {program, NULL}, *env[] = {NULL};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct error err = {0};
	struct kept_box b;
	struct slot *slot;
	struct job job;

	want(&b, "true");
	job = (struct job){.argv = argv, .env = env, .limits = b.limits};
	slot = begin_for(&b);
	CHECK(kill(launcher(), SIGKILL) == 0);
	(void)poll(NULL, 0, 50);
	CHECK(slot_start(slot, &job, (int[3]){null, null, null}, &err) < 0);
	CHECK(err.kind == ERR_SYSTEM || err.kind == ERR_INTERNAL); /* another one may have it */
	slot_close(slot);
	(void)close(null);
}

TEST(it_suits_nobody_who_wants_something_of_the_host)
{
	struct slot *slot = begin();
	struct kept_box b;

	want(&b, "true");
	CHECK(slot_suits(slot, &b.profile)); /* the twin */
	b.profile.grants[b.profile.n_grants++] =
		(struct grant){.source = "/usr/share", .inside = "/data"};
	CHECK(!slot_suits(slot, &b.profile));
	want(&b, "true");
	b.profile.n_programs = 0;
	CHECK(!slot_suits(slot, &b.profile));
	want(&b, "true");
	b.profile.root = "/";
	CHECK(!slot_suits(slot, &b.profile));
	want(&b, "true");
	b.profile.loopback = true;
	CHECK(!slot_suits(slot, &b.profile));
	want(&b, "true");
	b.profile.allow_degraded = 1u << LAYER_PROC;
	CHECK(!slot_suits(slot, &b.profile));
	slot_close(slot);
}

TEST(a_program_that_is_not_there_is_said)
{
	struct slot *slot = begin();
	struct error err = {0};
	struct kept_box b;

	want(&b, "no-such-program-anywhere");
	CHECK(slot_open_rest(slot, &b.profile, &b.limits, &err) < 0);
	CHECK(err.kind == ERR_CALLER);
	CHECK(strstr(err.text, "no-such-program-anywhere"));
	slot_close(slot);
}

TEST(one_that_nobody_wants_leaves_nothing)
{
	struct slot *slot = begin();
	pid_t child = launcher();

	slot_close(slot);
	CHECK(kill(child, 0) < 0);
}
