/* SPDX-License-Identifier: Apache-2.0 */
/* wardenlife_test.c - what ends when keepers, the supervisor or the warden itself end. */
#include <dirent.h>
#include <ftw.h>
#include <signal.h>

#include "warden_rig.h"

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
