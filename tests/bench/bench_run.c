/* SPDX-License-Identifier: Apache-2.0 */
/* bench_run.c - one run, timed: from before the start until it was reaped.
 *
 * This process stays small and starts others by posix_spawn(), which does not copy it: what is
 * measured is the other program.  Output goes to memory, so nobody waits for a reader.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"

enum { SECONDS_MAX = 30 };

static void ignore_alarm(int number)
{
	(void)number; /* that waitpid() returns is all we want of it */
}

/* The next mount of type cgroup2 in a list like /proc/mounts, or false. */
static bool next_cgroup2(FILE *mounts, char *ret_path, size_t room)
{
	char line[512], source[128], path[256], type[64];

	while (fgets(line, sizeof(line), mounts)) {
		if (sscanf(line, "%127s %255s %63s", source, path, type) != 3)
			continue;
		if (strcmp(type, "cgroup2") != 0)
			continue;
		(void)snprintf(ret_path, room, "%s", path);
		return true;
	}
	return false;
}

static bool host_is_hybrid(void)
{
	own_file mounts = fopen("/proc/self/mounts", "re");
	char path[256];

	/* A pure v2 host has it at the top; there it must stay. */
	return mounts && next_cgroup2(mounts, path, sizeof(path)) &&
	       strcmp(path, "/sys/fs/cgroup") != 0;
}

/* In a child of its own: the host's mounts but for cgroup2. */
static void take_cgroup2_off(int ready)
{
	own_file mounts = NULL;
	char path[256];

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		_exit(1);
	mounts = fopen("/proc/self/mounts", "re");
	while (mounts && next_cgroup2(mounts, path, sizeof(path)))
		(void)umount2(path, MNT_DETACH);
	(void)!write(ready, "", 1);
	(void)pause();
	_exit(0);
}

static int make_v1_mounts(int *ret_ns, struct error *err)
{
	char path[64], byte;
	int ready[2], ns = -1;
	pid_t child;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return fail_sys(err, "pipe");
	child = fork();
	if (child == 0)
		take_cgroup2_off(ready[1]);
	(void)close(ready[1]);
	if (child > 0 && read(ready[0], &byte, 1) == 1) {
		(void)snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)child);
		ns = open(path, O_RDONLY | O_CLOEXEC);
	}
	(void)close(ready[0]);
	if (child > 0) {
		(void)kill(child, SIGKILL);
		(void)waitpid(child, NULL, 0);
	}
	*ret_ns = ns;
	return ns < 0 ? fail(err, ERR_SYSTEM, "no mount namespace without cgroup2") : 0;
}

/* One tool for each job, and nothing that slows it down but what every call has. */
static int write_policy(const struct bench *b, struct error *err)
{
	own_fd fd = openat(b->scratch.fd, "policy.yaml", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	char text[2048];
	size_t len = (size_t)snprintf(text, sizeof(text),
				      "version: 1\nclients:\n  all: { uid: any, "
				      "tools: [\"job_*\"] }\ntools:\n");

	if (fd < 0)
		return fail_sys(err, "write a policy");
	for (size_t i = 0; i < bench_job_count; i++) {
		const struct bench_job *job = &bench_jobs[i];

		len += (size_t)snprintf(
			text + len, sizeof(text) - len,
			"  job_%s:\n    kind: command\n    rate: 100000/s\n    exec: [",
			strrchr(job->argv[0], '/') + 1);
		for (size_t k = 0; job->argv[k]; k++)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "\"%s\", ",
						job->argv[k]);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "]\n");
	}
	return fd_write_all(fd, text, len, err);
}

int bench_start(struct bench *b, struct error *err)
{
	struct sigaction action = {.sa_handler = ignore_alarm}; /* no SA_RESTART */

	b->scratch = scratch_make();
	(void)snprintf(b->state, sizeof(b->state), "BELLJAR_STATE=%s/state", b->scratch.path);
	if (write_policy(b, err) < 0)
		return -1;
	b->own_mounts = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	b->v1_mounts = -1;
	b->out = memfd_create("bench-out", MFD_CLOEXEC);
	b->err = memfd_create("bench-err", MFD_CLOEXEC);
	if (b->own_mounts < 0 || b->out < 0 || b->err < 0)
		return fail_sys(err, "start the benchmark");
	(void)sigaction(SIGALRM, &action, NULL);
	for (size_t i = 0; i < bench_job_count; i++) {
		char path[128];

		bundle_path(b, &bench_jobs[i], path, sizeof(path));
		if (bundle_make(path, &bench_jobs[i], err) < 0)
			return -1;
	}
	if (geteuid() == 0 && host_is_hybrid())
		return make_v1_mounts(&b->v1_mounts, err);
	return 0;
}

/* A mount beneath our directory would show the host's own /usr to whoever removes it. */
static bool something_is_mounted(const struct bench *b)
{
	own_file mounts = fopen("/proc/self/mounts", "re");
	char line[1024];

	if (!mounts)
		return true;
	while (fgets(line, sizeof(line), mounts))
		if (strstr(line, b->scratch.path))
			return true;
	return false;
}

/* It stays for some idle seconds, and writes when it goes. */
static void await_scribe(const struct bench *b)
{
	const struct timespec pause = {.tv_nsec = 100000000};

	for (int i = 0; i < 300; i++) {
		if (faccessat(b->scratch.fd, "state/audit/scribe.socket", F_OK,
			      AT_SYMLINK_NOFOLLOW) < 0)
			return;
		(void)nanosleep(&pause, NULL);
	}
}

void bench_stop(struct bench *b)
{
	resident_close(b);
	own_fd_end(&b->own_mounts);
	own_fd_end(&b->v1_mounts);
	own_fd_end(&b->out);
	own_fd_end(&b->err);
	await_scribe(b);
	if (something_is_mounted(b))
		(void)fprintf(stderr, "bench: %s has a mount in it and was left\n",
			      b->scratch.path);
	else
		scratch_end(&b->scratch);
}

static void rewind_file(int fd)
{
	(void)!ftruncate(fd, 0);
	(void)lseek(fd, 0, SEEK_SET);
}

static int spawn(const struct bench *b, const struct command *c, pid_t *ret_pid, struct error *err)
{
	/* The log of this host is not for measures. */
	char *const environment[] = {
		(char[]){"PATH=/usr/local/bin:/usr/bin:/bin"},
		(char[]){"HOME=/tmp"},
		(char[]){"LANG=C.UTF-8"},
		(char *)(uintptr_t)b->state,
		NULL,
	};
	posix_spawn_file_actions_t actions;
	int result;

	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	(void)posix_spawn_file_actions_adddup2(&actions, b->out, 1);
	(void)posix_spawn_file_actions_adddup2(&actions, b->err, 2);
	/* The words are ours and nobody writes to them: posix_spawn() only forgot to say const. */
	result = posix_spawn(ret_pid, c->argv[0], &actions, NULL, (char *const *)c->argv,
			     environment);
	(void)posix_spawn_file_actions_destroy(&actions);
	if (result == 0)
		return 0;
	errno = result;
	return fail_sys(err, "start %s", c->argv[0]);
}

static int wait_for(pid_t child, int *ret_status, struct error *err)
{
	if (waitpid(child, ret_status, 0) == child)
		return 0;
	(void)kill(child, SIGKILL);
	(void)waitpid(child, ret_status, 0);
	return fail(err, ERR_SYSTEM, "no end after %d seconds", SECONDS_MAX);
}

static void read_back(int fd, char *ret_text, size_t room)
{
	ssize_t n = pread(fd, ret_text, room - 1, 0);

	ret_text[n > 0 ? n : 0] = '\0';
}

void bench_output(const struct bench *b, char *ret_text, size_t room)
{
	read_back(b->out, ret_text, room);
}

static int time_command(struct bench *b, const struct command *c, double *ret_ms, struct error *err)
{
	uint64_t before, after;
	char complaint[200];
	int status = 0;
	pid_t child;

	rewind_file(b->out);
	rewind_file(b->err);
	(void)alarm(SECONDS_MAX);
	before = clock_us();
	if (spawn(b, c, &child, err) < 0 || wait_for(child, &status, err) < 0)
		return -1;
	after = clock_us();
	(void)alarm(0);
	*ret_ms = (double)(after - before) / 1000;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	read_back(b->err, complaint, sizeof(complaint));
	return fail(err, ERR_SYSTEM, "status 0x%x: %s", (unsigned)status, complaint);
}

/* The way into another mount namespace and back is not part of the time. */
int bench_time(struct bench *b, const struct command *c, double *ret_ms, struct error *err)
{
	int result;

	if (c->mounts < 0)
		return time_command(b, c, ret_ms, err);
	if (setns(c->mounts, CLONE_NEWNS) < 0)
		return fail_sys(err, "enter a mount namespace");
	result = time_command(b, c, ret_ms, err);
	if (setns(b->own_mounts, CLONE_NEWNS) < 0)
		return fail_sys(err, "leave a mount namespace");
	return result;
}

void bench_spawn_quietly(struct bench *b, const struct command *c)
{
	struct error err;
	double ms;

	(void)bench_time(b, c, &ms, &err);
}

static int run_command(struct bench *b, const struct contender *c, const struct bench_job *job,
		       double *ret_ms, struct error *err)
{
	struct command command = {.mounts = -1};

	c->compose(b, job, &command);
	if (bench_time(b, &command, ret_ms, err) == 0)
		return 0;
	if (c->clean)
		c->clean(b, &command);
	return -1;
}

static int run_call(struct bench *b, const struct contender *c, const struct bench_job *job,
		    double *ret_ms, struct error *err)
{
	uint64_t before;

	rewind_file(b->out);
	rewind_file(b->err);
	before = clock_us();
	if (c->call(b, job, err) < 0)
		return -1;
	*ret_ms = (double)(clock_us() - before) / 1000;
	return 0;
}

int bench_run(struct bench *b, const struct contender *c, const struct bench_job *job,
	      double *ret_ms, struct error *err)
{
	char output[64];
	int result =
		c->compose ? run_command(b, c, job, ret_ms, err) : run_call(b, c, job, ret_ms, err);

	if (result < 0)
		return -1;
	bench_output(b, output, sizeof(output));
	if (strcmp(output, job->expect) != 0)
		return fail(err, ERR_SYSTEM, "it wrote '%.40s'", output);
	return 0;
}
