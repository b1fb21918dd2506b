/* SPDX-License-Identifier: Apache-2.0 */
/* warden_test.c - what belljar warden gives to keepers, honest ones and others. */
#include "warden_rig.h"

TEST(a_keeper_gets_a_slot_and_runs_a_program)
{
	struct rig rig = start("slots 2\n");
	int pidfd, keeper = new_keeper(&rig), sock = ready_slot(keeper, &pidfd);

	CHECK(runs_true(sock));
	CHECK(runs_true(sock));
	(void)close(sock);
	CHECK(readable(pidfd));
	CHECK(end(&rig) == 0);
}

TEST(what_is_above_the_ceiling_is_refused_and_the_line_named)
{
	static const struct {
		const char *line;
		struct profile profile;
		uint64_t wall_ms;
		bool session;
	} rows[] = {
		{"limit wall_ms", {0}, 30001, false},
		{"session_wall_ms", {0}, 1, true},
		{"loopback", {.loopback = true}, 1, false},
		{"proc_full", {.proc_full = true}, 1, false},
		{"degraded seccomp", {.allow_degraded = 1u << LAYER_SECCOMP}, 1, false},
		{"root", {.root = "/usr"}, 1, false},
		{"cgroup", {.cgroup = "/sys/fs/cgroup"}, 1, false},
		{"read", {.n_grants = 1, .grants = {{.source = "/etc", .inside = "/x"}}}, 1, false},
		{"write",
		 {.n_grants = 1, .grants = {{.source = "/tmp", .inside = "/x", .write = true}}},
		 1,
		 false},
	};
	struct rig rig = start("slots 2\nread /tmp\n");
	int pidfd, keeper = new_keeper(&rig), sock;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct error err = {0};
		struct limits l;

		limits_default(&l);
		l.wall_ms = rows[i].wall_ms;
		CHECK(warden_slot(keeper, &rows[i].profile, &l, rows[i].session, &sock, &pidfd,
				  &err) < 0);
		if (err.kind != ERR_REFUSED || !strstr(err.text, rows[i].line)) {
			printf("# %s\n", err.text);
			CHECK(0 && "refused, and the line named");
		}
	}
	sock = ready_slot(keeper, &pidfd); /* it is heard as before */
	CHECK(runs_true(sock));
	CHECK(end(&rig) == 0);
}

TEST(what_the_ceiling_names_is_granted)
{
	struct rig rig = start("slots 2\nunder /etc\n");
	struct profile p = usual_profile();
	int pidfd, keeper = new_keeper(&rig), sock;
	struct error err = {0};
	struct limits l;
	char *argv[] = {(char *)(uintptr_t) "/usr/bin/test", (char *)(uintptr_t) "-s",
			(char *)(uintptr_t) "/seen", NULL};
	struct talk_reply reply;

	limits_default(&l);
	p.n_grants = 1;
	p.grants[0] = (struct grant){.source = "/etc/passwd", .inside = "/seen"};
	if (warden_slot(keeper, &p, &l, false, &sock, &pidfd, &err) < 0)
		give_up("a grant", &err);
	reply = hear_slot(sock);
	if (reply.head.kind == SAY_FAILED)
		SKIP("no box on this host");
	send_run(sock, argv, 30000);
	reply = hear_slot(sock);
	CHECK(reply.outcome.end == END_EXITED && reply.outcome.exit_code == 0);
	CHECK(end(&rig) == 0);
}

TEST(a_call_above_the_ceiling_is_refused_by_the_slot_itself)
{
	struct rig rig = start("slots 2\n");
	int pidfd, keeper = new_keeper(&rig), sock = ready_slot(keeper, &pidfd);
	struct talk_reply reply;

	send_run(sock, just_true, 30001);
	reply = hear_slot(sock);
	CHECK(reply.head.kind == SAY_FAILED && strstr(reply.error.text, "--wall"));
	CHECK(readable(pidfd));
	CHECK(end(&rig) == 0);
}

/* A session's slot: a box is kept in it; its ends are told on what this returns. */
static int keep_box(int sock, uint64_t wall_ms)
{
	struct talk_request request = {0};
	struct error err = {0};
	int ours, theirs;

	pair(&ours, &theirs);
	limits_default(&request.limits);
	request.limits.wall_ms = wall_ms;
	talk_begin(&request.head, ASK_KEEP, sizeof(request));
	if (fd_send(sock, &request, sizeof(request), &theirs, 1, &err) < 0)
		give_up("keep", &err);
	(void)close(theirs);
	CHECK(hear_slot(sock).head.kind == SAY_DONE);
	return ours;
}

static bool extend(int sock, uint64_t wall_ms)
{
	struct talk_request request = {.limits = {.wall_ms = wall_ms}};
	struct talk_reply reply;
	struct error err = {0};

	talk_begin(&request.head, ASK_EXTEND, sizeof(request));
	if (fd_send(sock, &request, sizeof(request), NULL, 0, &err) < 0)
		return false;
	if (recv(sock, &reply, 1, MSG_PEEK) <= 0)
		return false;
	return hear_slot(sock).head.kind == SAY_DONE;
}

/* Each of them is within the ceiling, and their sum is not. */
TEST(a_kept_box_ends_at_its_ceiling_however_often_it_is_extended)
{
	struct rig rig = start("slots 2\nsession_wall_ms 2000\n");
	int keeper = new_keeper(&rig), sock, pidfd, events, n = 0;
	struct profile p = usual_profile();
	struct error err = {0};
	struct limits l;

	limits_default(&l);
	l.wall_ms = 2000;
	if (warden_slot(keeper, &p, &l, true, &sock, &pidfd, &err) < 0)
		give_up("ask for a slot", &err);
	if (hear_slot(sock).head.kind == SAY_FAILED)
		SKIP("no box on this host");
	events = keep_box(sock, 2000);
	while (n < PATIENCE_MS / 100 && extend(sock, 2000)) {
		n++;
		(void)poll(NULL, 0, 100);
	}
	CHECK(n > 0 && n < PATIENCE_MS / 100);
	CHECK(readable(events));
	CHECK(readable(pidfd));
	(void)close(events);
	CHECK(end(&rig) == 0);
}

static void send_words(int keeper, int words)
{
	struct warden_request r = {WARDEN_MAGIC, WARDEN_VERSION, WARDEN_SLOT, 0, {0}};
	struct error err = {0};

	limits_default(&r.limits);
	if (fd_send(keeper, &r, sizeof(r), &words, 1, &err) < 0)
		give_up("send words", &err);
}

TEST(garbage_throws_a_keeper_out_and_disturbs_no_other)
{
	struct rig rig = start("slots 4\n");
	int pidfd, honest = new_keeper(&rig), keeper, pipes[2];
	struct warden_request r = {WARDEN_MAGIC, WARDEN_VERSION + 1, WARDEN_SLOT, 0, {0}};

	for (size_t len = 1; len <= sizeof(r); len += len < 8 ? 1 : sizeof(r) - 8) {
		keeper = new_keeper(&rig);
		CHECK(send(keeper, &r, len, MSG_NOSIGNAL) == (ssize_t)len);
		CHECK(is_closed(keeper));
		(void)close(keeper);
	}
	/* Words in a pipe that nobody writes to would make it wait. */
	if (pipe2(pipes, O_CLOEXEC) < 0)
		give_up("pipe", NULL);
	keeper = new_keeper(&rig);
	send_words(keeper, pipes[0]);
	CHECK(is_closed(keeper));
	CHECK(runs_true(ready_slot(honest, &pidfd)));
	CHECK(end(&rig) == 0);
}

/* Packed words as a captured keeper might send them; each refused, none obeyed. */
TEST(words_that_decide_no_slot_are_refused)
{
	static const char *const bad[] = {
		"--",
		"/bin/sh",
		"-c",
		"--put=/etc/passwd:x",
		"--env=A=B",
		"--wall=1h",
		"--read=/etc",
		"--read=/etc:/tmp:/x",
		"--read",
		"--help",
		"--root=/",
		"--root=/tmp/..",
		"--fd=0",
		"--leash=3",
		"--most=1",
		"--loopback=yes",
		"--read=/tmp/../etc:/x",
		"--same-file=1:1",
	};
	static char *const nothing[] = {NULL};
	struct rig rig = start("slots 4\nread /tmp\n");
	int pidfd, keeper = new_keeper(&rig);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *argv[] = {(char *)(uintptr_t) "belljar", (char *)(uintptr_t)bad[i], NULL};
		struct warden_reply reply = {0};
		struct error err = {0};
		int words = pack_words_fd(argv, nothing, &err);

		send_words(keeper, words);
		(void)close(words);
		CHECK(readable(keeper) && recv(keeper, &reply, sizeof(reply), 0) == sizeof(reply));
		if (reply.kind != WARDEN_REFUSED || reply.error.kind != ERR_REFUSED) {
			printf("# %s: %s\n", bad[i], reply.error.text);
			CHECK(0 && "refused");
		}
	}
	CHECK(runs_true(ready_slot(keeper, &pidfd)));
	CHECK(end(&rig) == 0);
}

TEST(a_keeper_that_does_not_listen_is_thrown_out)
{
	struct rig rig = start("slots 2\n");
	int pidfd, deaf = new_keeper(&rig), honest = new_keeper(&rig);
	int words = memfd_create("nothing", MFD_CLOEXEC);
	struct warden_request r = {WARDEN_MAGIC, WARDEN_VERSION, WARDEN_SLOT, 0, {0}};
	struct pollfd p = {.fd = deaf, .events = POLLOUT};
	struct error err = {0};
	int sent = 0;

	while (sent < 100000 && poll(&p, 1, PATIENCE_MS) > 0 && !(p.revents & POLLHUP) &&
	       fd_send(deaf, &r, sizeof(r), &words, 1, &err) == 0)
		sent++;
	CHECK(sent < 100000);
	CHECK(runs_true(ready_slot(honest, &pidfd)));
	CHECK(end(&rig) == 0);
}
