/* SPDX-License-Identifier: Apache-2.0 */
/* once_test.c - a slot for one call. */
#include "kept_box.h"

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
