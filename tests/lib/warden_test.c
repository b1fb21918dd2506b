/* SPDX-License-Identifier: Apache-2.0 */
/* warden_test.c - belljar warden as the supervisor and keepers meet it, honest and others. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "call/limits.h"
#include "call/pack.h"
#include "lib/talk.h"
#include "lib/wardentalk.h"
#include "tap.h"

enum { PATIENCE_MS = 60000, CONTROL = 3, CEILING = 4 };

static const char limits_lines[] = "limit wall_ms 30000\n"
				   "limit cpu_ms 10000\n"
				   "limit memory_bytes 268435456\n"
				   "limit disk_bytes 104857600\n"
				   "limit inodes 12800\n"
				   "limit processes 64\n"
				   "limit files 1024\n"
				   "limit output_bytes 10000\n"
				   "limit cpu_percent 100\n"
				   "degraded memory\ndegraded processes\ndegraded cpu\n"
				   "root host\n";

struct rig {
	pid_t warden;
	int control;
};

static _Noreturn void give_up(const char *what, const struct error *err)
{
	printf("# %s: %s\n", what, err ? err->text : strerror(errno));
	_exit(1);
}

static int text_fd(const char *text)
{
	int fd = memfd_create("ceiling", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		give_up("memfd", NULL);
	return fd;
}

static void pair(int *ret_ours, int *ret_theirs)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		give_up("socketpair", NULL);
	*ret_ours = ends[0];
	*ret_theirs = ends[1];
}

static struct rig start_with(const char *text, const char *slots)
{
	const char *belljar = getenv("BELLJAR_HELPER");
	struct rig rig;
	int theirs, ceiling = text_fd(text);

	pair(&rig.control, &theirs);
	(void)fflush(stdout);
	rig.warden = fork();
	if (rig.warden == 0) {
		int high = fcntl(ceiling, F_DUPFD, 20);

		(void)dup2(theirs, CONTROL);
		(void)dup2(high, CEILING);
		(void)execl(belljar, "belljar", "warden", "--control", "3", "--ceiling", "4",
			    slots ? "--slots" : NULL, slots, (char *)NULL);
		_exit(99);
	}
	(void)close(theirs);
	(void)close(ceiling);
	return rig;
}

static bool readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, PATIENCE_MS) > 0;
}

static bool hear_control(const struct rig *rig, struct error *ret_why)
{
	struct warden_control_answer answer;
	struct error err = {0};

	if (!readable(rig->control) || warden_control_heard(rig->control, &answer, &err) != 1)
		give_up("the warden's answer", &err);
	*ret_why = answer.error;
	return answer.taken;
}

static struct rig start(const char *lines)
{
	char text[2048];
	struct error why;
	struct rig rig;

	(void)snprintf(text, sizeof(text), "%s%s", limits_lines, lines);
	rig = start_with(text, NULL);
	if (!hear_control(&rig, &why))
		give_up("the ceiling", &why);
	return rig;
}

static int end(struct rig *rig)
{
	int status = -1;

	(void)close(rig->control);
	(void)waitpid(rig->warden, &status, 0);
	return status;
}

static int new_keeper(const struct rig *rig)
{
	struct error err = {0};
	int ours, theirs;

	pair(&ours, &theirs);
	if (warden_control_keeper(rig->control, theirs, &err) < 0)
		give_up("a keeper", &err);
	(void)close(theirs);
	return ours;
}

static struct profile usual_profile(void)
{
	struct profile p = {0};

	if (geteuid() != 0)
		p.allow_degraded = 1u << LAYER_MEMORY | 1u << LAYER_PROCESSES | 1u << LAYER_CPU;
	return p;
}

/* Asked for as anybody would. */
static int ask(int keeper, int *ret_sock, int *ret_pidfd, struct error *err)
{
	struct profile p = usual_profile();
	struct limits l;

	limits_default(&l);
	return warden_slot(keeper, &p, &l, false, ret_sock, ret_pidfd, err);
}

static struct talk_reply hear_slot(int sock)
{
	struct talk_reply reply = {0};
	struct error err = {0};
	int fds[FD_PASS_MAX];
	size_t n = FD_PASS_MAX;

	if (!readable(sock) || talk_take_reply(sock, &reply, fds, &n, &err) <= 0)
		give_up("the slot's answer", &err);
	while (n)
		(void)close(fds[--n]);
	return reply;
}

/* A slot that is ready, or the test ends here. */
static int ready_slot(int keeper, int *ret_pidfd)
{
	struct error err = {0};
	struct talk_reply reply;
	int sock;

	if (ask(keeper, &sock, ret_pidfd, &err) < 0)
		give_up("ask for a slot", &err);
	reply = hear_slot(sock);
	if (reply.head.kind == SAY_FAILED) {
		printf("# %s\n", reply.error.text);
		SKIP("no box on this host");
	}
	CHECK(reply.head.kind == SAY_READY);
	return sock;
}

static void send_run(int sock, char *const *argv, uint64_t wall_ms)
{
	static char *const nothing[] = {NULL};
	struct talk_request request = {0};
	struct error err = {0};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int fds[ASK_FDS] = {null, null, null, -1};

	limits_default(&request.limits);
	request.limits.wall_ms = wall_ms;
	fds[ASK_WORDS] = pack_words_fd(argv, nothing, &err);
	talk_begin(&request.head, ASK_RUN, sizeof(request));
	if (fd_send(sock, &request, sizeof(request), fds, ASK_FDS, &err) < 0)
		give_up("run", &err);
	(void)close(fds[ASK_WORDS]);
	(void)close(null);
}

static char *const just_true[] = {(char *)(uintptr_t) "/bin/true", NULL};

static bool runs_true(int sock)
{
	struct talk_reply reply;

	send_run(sock, just_true, 30000);
	reply = hear_slot(sock);
	if (reply.head.kind == SAY_ENDED && reply.outcome.end == END_EXITED)
		return reply.outcome.exit_code == 0;
	printf("# %s%s\n", reply.error.text, reply.outcome.error.text);
	return false;
}

static pid_t pid_of(int pidfd)
{
	char path[64], text[512];
	struct error err = {0};
	const char *at;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	if (fd_get_file(AT_FDCWD, path, text, sizeof(text), &err) < 0 ||
	    !(at = strstr(text, "\nPid:")))
		give_up("pid of a slot", &err);
	return (pid_t)strtol(at + 5, NULL, 10);
}

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
			CHECK(!"refused, and the line named");
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

static void send_words(int keeper, int words)
{
	struct warden_request r = {WARDEN_MAGIC, WARDEN_VERSION, WARDEN_SLOT, 0, {0}};
	struct error err = {0};

	limits_default(&r.limits);
	if (fd_send(keeper, &r, sizeof(r), &words, 1, &err) < 0)
		give_up("send words", &err);
}

static bool is_closed(int sock)
{
	char byte;

	return readable(sock) && recv(sock, &byte, 1, 0) <= 0;
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
			CHECK(!"refused");
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

/* Somebody has this word on their command line? */
static bool is_running(const char *word)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	bool found = false;

	while (proc && !found && (entry = readdir(proc))) {
		char path[300], text[4096] = "";
		int fd;

		(void)snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (read(fd, text, sizeof(text)) > 0)
			found = memmem(text, sizeof(text), word, strlen(word)) != NULL;
		(void)close(fd);
	}
	if (proc)
		(void)closedir(proc);
	return found;
}

static bool comes_to(bool running, const char *word)
{
	for (int i = 0; i < PATIENCE_MS / 20; i++) {
		if (is_running(word) == running)
			return true;
		(void)poll(NULL, 0, 20);
	}
	return false;
}

/* A program that would go on for half a minute; word is on its command line only. */
static void start_sleeper(int sock, char *word, size_t room)
{
	char *argv[] = {(char *)(uintptr_t) "/bin/sleep", word, NULL};

	(void)snprintf(word, room, "29.%d", getpid());
	send_run(sock, argv, 30000);
	CHECK(comes_to(true, word));
}

TEST(the_end_of_a_keeper_is_the_end_of_its_slot)
{
	struct rig rig = start("slots 2\n");
	int pidfd, keeper = new_keeper(&rig), sock = ready_slot(keeper, &pidfd);
	char word[32];

	start_sleeper(sock, word, sizeof(word));
	(void)close(keeper); /* its slot's socket is open still: it is the leash that counts */
	CHECK(readable(pidfd));
	CHECK(comes_to(false, word));
	CHECK(end(&rig) == 0);
}

TEST(asking_again_ends_the_slot_before)
{
	struct rig rig = start("slots 1\n");
	int first, second, keeper = new_keeper(&rig);
	struct pollfd gone = {.events = POLLIN};

	(void)ready_slot(keeper, &first);
	CHECK(runs_true(ready_slot(keeper, &second)));
	gone.fd = first;
	CHECK(poll(&gone, 1, 0) == 1);
	gone.fd = second;
	CHECK(poll(&gone, 1, 0) == 0);
	CHECK(end(&rig) == 0);
}

TEST(no_more_slots_than_the_ceiling_has)
{
	struct rig rig = start("slots 1\n");
	int pidfd, one = new_keeper(&rig), other = new_keeper(&rig), sock;
	struct error err = {0};

	(void)ready_slot(one, &pidfd);
	CHECK(ask(other, &sock, &pidfd, &err) < 0 && err.sys == EAGAIN);
	(void)close(one);
	CHECK(runs_true(ready_slot(other, &pidfd))); /* waits for the one that goes */
	CHECK(end(&rig) == 0);
}

TEST(no_more_slots_than_the_command_line_says)
{
	char text[2048];
	struct error why, err = {0};
	struct rig rig;
	int pidfd, sock, one, other;

	(void)snprintf(text, sizeof(text), "%sslots 9\n", limits_lines);
	rig = start_with(text, "1");
	CHECK(hear_control(&rig, &why));
	one = new_keeper(&rig);
	other = new_keeper(&rig);
	(void)ready_slot(one, &pidfd);
	CHECK(ask(other, &sock, &pidfd, &err) < 0 && err.sys == EAGAIN);
	CHECK(end(&rig) == 0);
}

TEST(when_the_supervisor_goes_everything_goes)
{
	struct rig rig = start("slots 2\n");
	int pidfd, keeper = new_keeper(&rig), sock = ready_slot(keeper, &pidfd);
	char word[32];

	start_sleeper(sock, word, sizeof(word));
	CHECK(end(&rig) == 0);
	CHECK(readable(pidfd));
	CHECK(!is_running(word));
	CHECK(is_closed(keeper));
}

static char group_prefix[64];
static int groups_found;

static int look_at_group(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	if (kind == FTW_D && strncmp(path + at->base, group_prefix, strlen(group_prefix)) == 0)
		groups_found++;
	return 0;
}

static int groups_of(pid_t pid)
{
	(void)snprintf(group_prefix, sizeof(group_prefix), "belljar-%d-", (int)pid);
	groups_found = 0;
	(void)nftw("/sys/fs/cgroup", look_at_group, 16, FTW_PHYS);
	return groups_found;
}

/* Any belljar that starts clears away what a killed one left. */
static void run_once(void)
{
	const char *belljar = getenv("BELLJAR_HELPER");
	const char *degraded = geteuid() ? "--allow-degraded=memory,processes,cpu" : "--quiet";
	pid_t child;

	(void)fflush(stdout);
	child = fork();
	if (child == 0) {
		(void)execl(belljar, "belljar", "run", degraded, "--", "true", (char *)NULL);
		_exit(99);
	}
	(void)waitpid(child, NULL, 0);
}

TEST(a_killed_warden_leaves_nothing)
{
	struct rig rig = start("slots 2\n");
	int pidfd, keeper = new_keeper(&rig), sock = ready_slot(keeper, &pidfd);
	pid_t slot = pid_of(pidfd);
	char word[32];

	start_sleeper(sock, word, sizeof(word));
	if (geteuid() == 0)
		CHECK(groups_of(slot) > 0);
	CHECK(kill(rig.warden, SIGKILL) == 0);
	CHECK(readable(pidfd));
	CHECK(comes_to(false, word));
	CHECK(is_closed(keeper));
	run_once();
	CHECK(groups_of(slot) == 0);
	CHECK(WIFSIGNALED(end(&rig)));
}

TEST(a_new_ceiling_counts_from_then_on)
{
	struct rig rig = start("slots 2\n");
	int keeper = new_keeper(&rig), sock, pidfd, fd = text_fd("slots 2\n"), bad;
	struct error err = {0}, why;

	(void)close(ready_slot(keeper, &pidfd));
	if (warden_control_ceiling(rig.control, fd, &err) < 0)
		give_up("ceiling", &err);
	CHECK(hear_control(&rig, &why));
	CHECK(ask(keeper, &sock, &pidfd, &err) < 0 && err.kind == ERR_REFUSED);
	bad = text_fd("root host\nnonsense\n");
	if (warden_control_ceiling(rig.control, bad, &err) < 0)
		give_up("ceiling", &err);
	CHECK(!hear_control(&rig, &why) && strstr(why.text, "line 2"));
	CHECK(ask(keeper, &sock, &pidfd, &err) < 0 && strstr(err.text, "limit"));
	CHECK(end(&rig) == 0);
}

TEST(a_bad_ceiling_is_no_start)
{
	struct rig rig = start_with("slots all\n", NULL);
	struct error why;
	int status = -1;

	CHECK(!hear_control(&rig, &why) && strstr(why.text, "line 1"));
	(void)waitpid(rig.warden, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 125);
}

TEST(an_empty_ceiling_starts_and_gives_nothing)
{
	struct rig rig = start_with("", NULL);
	struct error why, err = {0};
	int sock, pidfd;

	CHECK(hear_control(&rig, &why));
	CHECK(ask(new_keeper(&rig), &sock, &pidfd, &err) < 0 && err.kind == ERR_REFUSED);
	CHECK(end(&rig) == 0);
}

TEST(a_slot_has_no_environment_and_nothing_of_ours_open)
{
	struct rig rig = start("slots 1\n");
	int pidfd, keeper = new_keeper(&rig), fd;
	char path[64], text[64];

	(void)ready_slot(keeper, &pidfd);
	(void)snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid_of(pidfd));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && geteuid() != 0)
		SKIP("its environment is not for us to read");
	CHECK(read(fd, text, sizeof(text)) == 0);
	CHECK(end(&rig) == 0);
}
