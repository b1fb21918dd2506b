/* SPDX-License-Identifier: Apache-2.0 */
/* kept_test.c - boxes that are kept: programs side by side, each with its own end. */
#include <glob.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "kept_box.h"

TEST(programs_follow_each_other_and_find_what_was_left)
{
	struct kept_box b;

	box_defaults(&b);
	box_open(&b);
	CHECK(prints(&b, "echo one > a; pwd", "/work\n"));
	CHECK(prints(&b, "cat a", "one\n"));
	CHECK(prints(&b, "id -u; exit 3", "1000\n"));
	box_close(&b);
}

TEST(programs_of_a_box_with_a_loopback_reach_each_other)
{
	struct error err = {0};
	struct kept_end end;
	struct kept_box b;
	uint64_t server;
	char text[8];
	int out;

	box_defaults(&b);
	b.profile.loopback = true;
	box_open(&b);
	server = start_line(
		&b,
		"exec python3 -c 'import socket\ns=socket.create_server((\"127.0.0.1\","
		"8000))\nprint(\"up\",flush=True)\nwhile True: s.accept()[0].send(b\"hi\")'",
		0, &out);
	CHECK(read(out, text, 3) == 3);
	CHECK(prints(&b,
		     "python3 -c 'import socket\n"
		     "print(socket.create_connection((\"127.0.0.1\",8000)).recv(9))'",
		     "b'hi'\n"));
	CHECK(kept_kill(&b.kept, server, KILL_CANCELLED, &err) == 0);
	CHECK(next_end(&b, &end) && end.exec == server && !end.box_over);
	CHECK(prints(&b, "echo on", "on\n"));
	(void)close(out);
	box_close(&b);
}

/* One more than the usual three, for whom it was meant for and for nobody else. */
TEST(a_program_can_be_given_a_descriptor)
{
	char sh[] = "sh", c[] = "-c",
	     line[] = "cat <&4; for n in /proc/self/fd/*; do test -e $n && echo ${n##*/}; done",
	     *argv[] = {sh, c, line, NULL}, *env[] = {NULL}, text[100];
	struct kept_job job = {.argv = argv, .env = env};
	int ends[2], out, more;
	struct kept_end end;
	struct kept_box b;

	box_defaults(&b);
	box_open(&b);
	CHECK(pipe(ends) == 0 && write(ends[1], "given\n", 6) == 6);
	(void)close(ends[1]);
	more = job.more = ends[0];
	CHECK(start_job(&b, &job, &out) > 0);
	read_text(out, text, sizeof(text));
	CHECK_STR(text, "given\n0\n1\n2\n4\n");
	CHECK(next_end(&b, &end));
	(void)close(more);
	CHECK(prints(&b, "test -e /proc/self/fd/4 || echo none", "none\n"));
	box_close(&b);
}

TEST(each_is_told_how_it_ended)
{
	struct kept_end end;
	struct kept_box b;
	uint64_t exec;

	box_defaults(&b);
	box_open(&b);
	exec = start_line(&b, "exit 7", 0, NULL);
	CHECK(next_end(&b, &end) && end.exec == exec && !end.box_over);
	CHECK(end.outcome.end == END_EXITED && end.outcome.exit_code == 7);
	CHECK(end.outcome.layers[LAYER_SECCOMP].state == LAYER_FULL);
	exec = start_line(&b, "kill -SEGV $$", 0, NULL);
	CHECK(next_end(&b, &end) && end.exec == exec);
	CHECK(end.outcome.end == END_SIGNALLED && end.outcome.signal == SIGSEGV &&
	      end.outcome.killed_for == KILL_SIGNAL);
	box_close(&b);
}

TEST(what_cannot_start_leaves_the_box_alone)
{
	char nothing[] = "no-such-program", sh[] = "true", *argv[] = {nothing, NULL},
	     *fine[] = {sh, NULL}, *env[] = {NULL};
	struct kept_job job = {.argv = argv, .env = env};
	struct error err = {0};
	struct kept_box b;
	uint64_t exec;

	box_defaults(&b);
	box_open(&b);
	CHECK(kept_start(&b.kept, &job, (int[3]){0, 1, 2}, &exec, &err) < 0);
	CHECK(err.kind == ERR_NOT_FOUND);
	job = (struct kept_job){.argv = fine, .env = env, .cwd = "/nowhere"};
	CHECK(kept_start(&b.kept, &job, (int[3]){0, 1, 2}, &exec, &err) < 0);
	CHECK(err.kind == ERR_CALLER);
	job.cwd = "work";
	CHECK(kept_start(&b.kept, &job, (int[3]){0, 1, 2}, &exec, &err) < 0);
	CHECK(err.kind == ERR_CALLER);
	CHECK(prints(&b, "echo on", "on\n"));
	box_close(&b);
}

TEST(a_program_begins_where_it_is_asked_to)
{
	char pwd[] = "/bin/pwd", *argv[] = {pwd, NULL}, *env[] = {NULL}, text[100];
	const struct kept_job job = {.argv = argv, .env = env, .cwd = "/work/deep"};
	struct kept_end end;
	struct kept_box b;
	int out;

	box_defaults(&b);
	box_open(&b);
	CHECK(prints(&b, "mkdir deep", ""));
	CHECK(start_job(&b, &job, &out) > 0);
	read_text(out, text, sizeof(text));
	CHECK_STR(text, "/work/deep\n");
	CHECK(next_end(&b, &end));
	box_close(&b);
}

TEST(as_many_run_at_once_as_are_promised_and_no_more)
{
	char t[] = "true", *argv[] = {t, NULL}, *env[] = {NULL};
	const struct kept_job job = {.argv = argv, .env = env};
	uint64_t execs[KEPT_EXECS_MAX], one_more;
	struct error err = {0};
	struct kept_end end;
	struct kept_box b;

	box_defaults(&b);
	b.limits.processes = 128;
	box_open(&b);
	for (int i = 0; i < KEPT_EXECS_MAX; i++) {
		execs[i] = start_line(&b, "exec sleep 1000", 0, NULL);
		CHECK(execs[i] == (uint64_t)i + 1);
	}
	CHECK(kept_start(&b.kept, &job, (int[3]){0, 1, 2}, &one_more, &err) < 0);
	CHECK(err.kind == ERR_CALLER);
	CHECK(await_named(&b, "sleep", KEPT_EXECS_MAX));
	CHECK(kept_kill(&b.kept, execs[5], KILL_CANCELLED, &err) == 0);
	CHECK(next_end(&b, &end) && end.exec == execs[5] && !end.box_over);
	CHECK(end.outcome.killed_for == KILL_CANCELLED);
	CHECK(await_named(&b, "sleep", KEPT_EXECS_MAX - 1));
	CHECK(prints(&b, "echo room again", "room again\n"));
	box_close(&b);
}

#define DAEMON "setsid sh -c 'setsid sh -c \"exec sleep 1000\" & exit' & exit"

TEST(a_daemon_dies_with_its_program_and_no_other)
{
	struct error err = {0};
	struct kept_end end;
	struct kept_box b;
	uint64_t first, second;

	box_defaults(&b);
	box_open(&b);
	first = start_line(&b, "setsid setsid sleep 1000 & sleep 2000", 0, NULL);
	second = start_line(&b, "setsid setsid sleep 1000 & exec sleep 2000", 0, NULL);
	CHECK(await_named(&b, "sleep", 4));
	CHECK(kept_kill(&b.kept, first, KILL_CANCELLED, &err) == 0);
	CHECK(count_named(&b, "sleep") == 2);
	CHECK(next_end(&b, &end) && end.exec == first);
	CHECK(kept_kill(&b.kept, second, KILL_CANCELLED, &err) == 0);
	CHECK(count_named(&b, "sleep") == 0);
	CHECK(next_end(&b, &end) && end.exec == second && !end.box_over);
	box_close(&b);
}

TEST(a_daemon_outlives_its_program_and_is_killed_by_its_number)
{
	struct error err = {0};
	struct kept_end end;
	struct kept_box b;
	uint64_t exec;

	box_defaults(&b);
	box_open(&b);
	exec = start_line(&b, DAEMON, 0, NULL);
	CHECK(next_end(&b, &end) && end.exec == exec && end.outcome.end == END_EXITED);
	CHECK(await_named(&b, "sleep", 1));
	CHECK(prints(&b, "echo the box goes on", "the box goes on\n"));
	CHECK(kept_kill(&b.kept, exec, KILL_CANCELLED, &err) == 0);
	CHECK(count_named(&b, "sleep") == 0);
	CHECK(kept_kill(&b.kept, 4711, KILL_CANCELLED, &err) < 0 && err.kind == ERR_NOT_FOUND);
	box_close(&b);
}

TEST(one_that_never_stops_forking_is_caught_or_costs_the_box)
{
	struct error err = {0};
	struct kept_end end;
	struct kept_box b;
	uint64_t exec;
	int left;

	box_defaults(&b);
	b.limits.cpu_ms = 60000;
	box_open(&b);
	(void)start_line(&b, "exec sleep 1000", 0, NULL);
	/* Each process lives for a moment: it forks the next and goes. */
	exec = start_line(&b,
			  "exec python3 -c 'import os\nos.setsid()\nwhile True:\n"
			  " if os.fork(): os._exit(0)'",
			  0, NULL);
	CHECK(next_end(&b, &end) && end.exec == exec); /* the first of them went, too */
	CHECK(kept_kill(&b.kept, exec, KILL_CANCELLED, &err) == 0);
	/* With a group it is caught for sure; without one the box may have ended for it. */
	for (left = 1; left > 0; left = count_named(&b, "python3"))
		;
	CHECK(left == 0 || geteuid() != 0);
	if (left == 0) {
		CHECK(count_named(&b, "sleep") == 1);
		CHECK(prints(&b, "echo the box goes on", "the box goes on\n"));
	}
	box_close(&b);
}

TEST(a_process_without_its_first_thread_is_found)
{
	struct error err = {0};
	struct kept_end end;
	struct kept_box b;
	uint64_t exec;
	int out;
	char text[64];

	box_defaults(&b);
	box_open(&b);
	exec = start_line(&b,
			  "python3 -c 'import os,threading,time,ctypes\nif os.fork(): os._exit(0)\n"
			  "os.setsid()\nthreading.Thread(target=time.sleep,args=(1000,)).start()\n"
			  "print(1,flush=True)\nos.close(1)\nos.close(2)\n"
			  "ctypes.CDLL(None).syscall(60,0)'",
			  0, &out);
	read_text(out, text, sizeof(text));
	if (strcmp(text, "1\n") != 0)
		SKIP("no python3 with ctypes in the box");
	CHECK(next_end(&b, &end) && end.exec == exec);
	CHECK(kept_kill(&b.kept, exec, KILL_CANCELLED, &err) == 0);
	CHECK(await_named(&b, "python3", 0));
	CHECK(prints(&b, "ls /proc | grep -c '^[0-9]' >/dev/null; echo on", "on\n"));
	box_close(&b);
}

TEST(a_program_has_a_wall_time_of_its_own)
{
	struct kept_end end;
	struct kept_box b;
	uint64_t exec;

	box_defaults(&b);
	box_open(&b);
	exec = start_line(&b, "setsid sleep 1000 & sleep 1000", 100, NULL);
	CHECK(next_end(&b, &end) && end.exec == exec && !end.box_over);
	CHECK(end.outcome.end == END_SIGNALLED && end.outcome.killed_for == KILL_WALL);
	CHECK(count_named(&b, "sleep") == 0);
	CHECK(prints(&b, "echo on", "on\n"));
	box_close(&b);
}

TEST(a_program_has_a_cpu_time_of_its_own)
{
	char sh[] = "sh", c[] = "-c", line[] = "while :; do :; done", *argv[] = {sh, c, line, NULL},
	     *env[] = {NULL};
	const struct kept_job job = {.argv = argv, .env = env, .cpu_ms = 300};
	struct kept_end end;
	struct kept_box b;
	uint64_t exec;

	box_defaults(&b);
	b.limits.cpu_ms = 60000;
	box_open(&b);
	exec = start_job(&b, &job, NULL);
	CHECK(next_end(&b, &end) && end.exec == exec && !end.box_over);
	CHECK(end.outcome.killed_for == KILL_CPU);
	CHECK(prints(&b, "echo on", "on\n"));
	box_close(&b);
}

TEST(signals_reach_the_program_or_its_group)
{
	struct error err = {0};
	struct kept_end end;
	struct kept_box b;
	uint64_t exec;
	char text[100];
	int out;

	box_defaults(&b);
	box_open(&b);
	exec = start_line(&b,
			  "trap 'echo got it; exit 5' TERM; echo up; while :; do sleep 0.05; done",
			  0, &out);
	CHECK(read(out, text, 3) == 3);
	CHECK(kept_signal(&b.kept, exec, SIGTERM, &err) == 0);
	read_text(out, text, sizeof(text));
	CHECK_STR(text, "got it\n");
	CHECK(next_end(&b, &end) && end.outcome.exit_code == 5);
	CHECK(kept_signal(&b.kept, exec, SIGTERM, &err) < 0 && err.kind == ERR_NOT_FOUND);
	exec = start_line(&b, "sleep 1000; true", 0, NULL);
	CHECK(await_named(&b, "sleep", 1));
	CHECK(kept_signal(&b.kept, exec, SIGTERM | KEPT_GROUP, &err) == 0);
	CHECK(next_end(&b, &end) && end.exec == exec && end.outcome.signal == SIGTERM);
	CHECK(await_named(&b, "sleep", 0));
	CHECK(kept_signal(&b.kept, exec, 4000, &err) < 0 && err.kind == ERR_CALLER);
	box_close(&b);
}

static bool box_ends(struct kept_box *b, enum kill_reason reason)
{
	struct kept_end end = {0};

	do
		if (!next_end(b, &end))
			return false;
	while (end.exec != 0);
	if (end.outcome.killed_for != reason)
		printf("# killed for %d: %s\n", (int)end.outcome.killed_for,
		       end.outcome.error.text);
	return end.box_over && end.outcome.killed_for == reason;
}

/* The same program in a box of its own, and its layers. */
static bool run_alone(struct kept_box *b, struct outcome *ret)
{
	char t[] = "true", *argv[] = {t, NULL}, path[] = "PATH=/usr/bin:/bin",
	     *env[] = {path, NULL};
	const struct job job = {.argv = argv, .env = env, .limits = b->limits};
	int work, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct error err = {0};
	struct remote r;

	remote_init(&r);
	if (remote_open(&r, helper(), &b->profile, &b->limits, &err) < 0 ||
	    r.runner.ops->start(&r, &job, (int[3]){null, null, null}, &err) < 0)
		return printf("# %s\n", err.text), false;
	while (!r.runner.ops->step(&r))
		(void)poll(NULL, 0, 1);
	r.runner.ops->finish(&r, ret, &work);
	remote_close(&r);
	(void)close(null);
	return ret->end == END_EXITED;
}

TEST(the_walls_are_those_of_a_box_for_one_program)
{
	struct outcome alone;
	struct kept_end end;
	struct kept_box b;

	box_defaults(&b);
	CHECK(run_alone(&b, &alone));
	box_open(&b);
	for (int round = 0; round < 2; round++) { /* the second program as the first */
		CHECK(start_line(&b, "true", 0, NULL) > 0);
		CHECK(next_end(&b, &end));
		for (int i = 0; i < LAYER_COUNT; i++) {
			CHECK(end.outcome.layers[i].state == alone.layers[i].state);
			if (i != LAYER_OWN_UID) /* every slot has another */
				CHECK_STR(end.outcome.layers[i].detail, alone.layers[i].detail);
		}
		CHECK(prints(&b,
			     "grep -E '^(NoNewPrivs|Seccomp|CapEff|CapBnd):' /proc/self/status |"
			     "tr '\\t\\n' '  '; ls /proc/self/fd | wc -l; echo $PPID",
			     "CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 "
			     "Seccomp: 2 4\n0\n"));
	}
	box_close(&b);
}

TEST(what_a_program_is_known_by_cannot_be_shed)
{
	struct error err = {0};
	struct kept_end end;
	struct kept_box b;
	uint64_t exec;
	char text[100];
	int out;

	box_defaults(&b);
	box_open(&b);
	/* unshare(CLONE_NEWCGROUP), setns to pid 1's, clone with a new one. */
	exec = start_line(&b,
			  "exec python3 -c 'import ctypes,os,time\nl=ctypes.CDLL(None)\n"
			  "print(l.unshare(0x02000000), l.setns(0,0x02000000),"
			  "l.syscall(56,0x02000011,0,0,0,0),flush=True)\nos.close(1)\nos.close(2)\n"
			  "time.sleep(1000)'",
			  0, &out);
	read_text(out, text, sizeof(text));
	if (strncmp(text, "-1", 2) != 0)
		SKIP("no python3 with ctypes in the box");
	CHECK_STR(text, "-1 -1 -1\n");
	CHECK(kept_kill(&b.kept, exec, KILL_CANCELLED, &err) == 0);
	CHECK(count_named(&b, "python3") == 0);
	CHECK(next_end(&b, &end) && end.exec == exec && !end.box_over);
	box_close(&b);
}

TEST(memory_is_limited_for_all_together_and_ends_the_box)
{
	char t[] = "true", *argv[] = {t, NULL}, *env[] = {NULL};
	const struct kept_job job = {.argv = argv, .env = env};
	struct error err = {0};
	struct kept_box b;
	uint64_t exec;

	box_defaults(&b);
	b.limits.memory_bytes = 64 << 20;
	box_open(&b);
	/* Three of 30 MiB each: none is too large by itself. */
	for (int i = 0; i < 3; i++)
		(void)start_line(
			&b, "exec python3 -c 'import time\nx=b\"x\"*(30<<20)\ntime.sleep(1000)'", 0,
			NULL);
	CHECK(box_ends(&b, KILL_MEMORY));
	CHECK(kept_start(&b.kept, &job, (int[3]){0, 1, 2}, &exec, &err) < 0);
	box_close(&b);
}

TEST(a_box_lives_for_its_wall_time_and_can_live_longer)
{
	struct error err = {0};
	struct kept_box b;

	box_defaults(&b);
	b.limits.wall_ms = 400;
	box_open(&b);
	(void)start_line(&b, "exec sleep 1000", 0, NULL);
	CHECK(box_ends(&b, KILL_WALL));
	box_close(&b);
	box_defaults(&b);
	b.limits.wall_ms = 10000;
	box_open(&b);
	CHECK(kept_extend(&b.kept, 3600 * 1000, &err) == 0);
	CHECK(kept_extend(&b.kept, 0, &err) < 0);
	CHECK(prints(&b, "echo on", "on\n"));
	CHECK(kept_extend(&b.kept, 1, &err) == 0);
	CHECK(box_ends(&b, KILL_WALL));
	box_close(&b);
}

TEST(what_the_box_used_can_be_asked_for)
{
	struct usage before = {0}, after = {0};
	struct error err = {0};
	struct kept_box b;

	box_defaults(&b);
	box_open(&b);
	CHECK(kept_usage(&b.kept, &before, &err) == 0);
	CHECK(prints(&b, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", ""));
	CHECK(kept_usage(&b.kept, &after, &err) == 0);
	CHECK(after.cpu_user_us + after.cpu_system_us > before.cpu_user_us + before.cpu_system_us);
	box_close(&b);
}

/* Files are the disk's, and take none of it. */
TEST(the_memory_that_it_may_still_take_can_be_asked_for)
{
	const uint64_t mib = 1 << 20;
	struct error err = {0};
	struct kept_box b;
	uint64_t room;
	char text[4];
	int out;

	box_defaults(&b);
	b.limits.memory_bytes = 64 * mib;
	b.limits.disk_bytes = 32 * mib;
	box_open(&b);
	CHECK(prints(&b, "head -c 30000000 /dev/zero >file", ""));
	CHECK(kept_room(&b.kept, &room, &err) == 0);
	CHECK(room <= 64 * mib && room > 48 * mib);
	/* Who is asked for the end keeps it all. */
	CHECK(start_line(&b,
			 "(head -c 20971520 /dev/zero; echo up >&2; sleep 1000) | tail -c 20971520",
			 0, &out) > 0);
	CHECK(read(out, text, 3) == 3);
	CHECK(kept_room(&b.kept, &room, &err) == 0);
	CHECK(room < 46 * mib && room > 24 * mib); /* what is counted lags behind a little */
	(void)close(out);
	box_close(&b);
	CHECK(kept_room(&b.kept, &room, &err) < 0);
}

/* Where the kernel counts for the box: without a word to the slot, and the same. */
TEST(its_processor_time_can_be_read_without_asking)
{
	struct usage u = {0};
	struct error err = {0};
	struct kept_box b;
	uint64_t before, after;

	box_defaults(&b);
	box_open(&b);
	if (b.kept.cpu < 0) {
		CHECK(kept_cpu_us(&b.kept, &before) == -1);
		box_close(&b);
		SKIP("nothing counts the processor time of a box here");
	}
	CHECK(kept_cpu_us(&b.kept, &before) == 0);
	CHECK(prints(&b, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", ""));
	CHECK(kept_cpu_us(&b.kept, &after) == 0 && after > before);
	CHECK(kept_usage(&b.kept, &u, &err) == 0);
	/* What waited for its first program is in the counter, and not in the usage. */
	CHECK(u.cpu_user_us + u.cpu_system_us >= after - before);
	CHECK(write(b.kept.cpu, "0", 1) < 0);
	box_close(&b);
	CHECK(kept_cpu_us(&b.kept, &after) == -1);
}

/* Groups that a slot's process has made. */
static size_t count_groups(pid_t slot)
{
	static const char *const places[] = {"/sys/fs/cgroup/", "/sys/fs/cgroup/*/",
					     "/sys/fs/cgroup/*/*/", "/sys/fs/cgroup/*/*/*/"};
	size_t found = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char pattern[100];
		glob_t list;

		(void)snprintf(pattern, sizeof(pattern), "%sbelljar-%d-*", places[i], (int)slot);
		if (glob(pattern, GLOB_NOSORT, NULL, &list) == 0) {
			found += list.gl_pathc;
			globfree(&list);
		}
	}
	return found;
}

TEST(nothing_of_a_box_is_left_when_it_is_closed)
{
	struct pollfd helper_end;
	struct kept_box b;
	struct stat st;
	char text[32], path[64];
	int fd, out;
	pid_t slot;

	box_defaults(&b);
	box_open(&b);
	slot = b.remote.pid;
	CHECK(geteuid() != 0 || count_groups(slot) > 0);
	(void)start_line(&b, DAEMON, 0, NULL);
	/* The writing end of this pipe is in the box only. */
	CHECK(start_line(&b, "setsid setsid sh -c 'echo up; exec sleep 1000' & wait", 0, &out) > 0);
	CHECK(read(out, text, 3) == 3);
	helper_end = (struct pollfd){.fd = b.remote.pidfd, .events = POLLIN};
	(void)snprintf(path, sizeof(path), "/proc/%d", b.remote.pid);
	fd = out;
	kept_close(&b.kept);
	CHECK(read(fd, text, sizeof(text)) == 0); /* nobody holds it any more */
	CHECK(poll(&helper_end, 1, PATIENCE_MS) > 0);
	remote_close(&b.remote);
	CHECK(stat(path, &st) < 0);
	CHECK(count_groups(slot) == 0);
	(void)close(fd);
}

TEST(the_slot_goes_with_its_peer)
{
	struct kept_box b;
	char text[32];
	int out;

	box_defaults(&b);
	box_open(&b);
	CHECK(start_line(&b, "setsid setsid sh -c 'echo up; exec sleep 1000' & wait", 0, &out) > 0);
	CHECK(read(out, text, 3) == 3);
	(void)shutdown(b.remote.sock, SHUT_RDWR);
	CHECK(read(out, text, sizeof(text)) == 0);
	(void)close(out);
	remote_close(&b.remote);
}
