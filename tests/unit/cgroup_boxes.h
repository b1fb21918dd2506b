/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_boxes.h - groups to test with, and who lives in them. */
#ifndef TESTS_CGROUP_BOXES_H
#define TESTS_CGROUP_BOXES_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/fd.h"
#include "sandbox/native/cgroup.h"
#include "tap.h"

#define MIB (1ULL << 20)

static const struct limits standard = {
	.memory_bytes = 32 * MIB,
	.disk_bytes = 4 * MIB,
	.processes = 8,
	.cpu_percent = 100,
};

static struct cgroup_host host;
static struct cgroup_slot slot;

static const char *parent(void)
{
	return secure_getenv("BELLJAR_TEST_CGROUP");
}

static inline void need_host(void)
{
	struct error err;

	if (cgroup_find(&host, parent(), "/proc/self/mountinfo", "/proc/self/cgroup", &err) < 0 ||
	    cgroup_prepare(&host, &err) < 0) {
		printf("# %s\n", err.text);
		abort();
	}
}

static inline void need(enum controller c)
{
	struct error err;

	need_host();
	if (host.places[c].version == 0)
		SKIP(host.places[c].why_not);
	if (cgroup_slot_open(&host, "test", geteuid(), &slot, &err) < 0) {
		printf("# %s\n", err.text);
		abort();
	}
}

static inline void open_box(struct cgroup *group, const struct limits *limits)
{
	struct error err;

	if (cgroup_open(&slot, "box", limits, group, &err) < 0) {
		printf("# %s\n", err.text);
		abort();
	}
}

static inline bool close_all(struct cgroup *group)
{
	struct error err;
	bool good = cgroup_close(group, &err) == 0 && cgroup_slot_close(&slot, &err) == 0;

	if (!good)
		printf("# %s\n", err.text);
	return good;
}

static inline pid_t fork_into(int dir)
{
	struct clone_args args = {.flags = dir >= 0 ? CLONE_INTO_CGROUP : 0,
				  .exit_signal = SIGCHLD,
				  .cgroup = dir >= 0 ? (unsigned)dir : 0};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

/* A process that is in the box before body runs. */
static inline pid_t enter(const struct cgroup *group, void (*body)(void))
{
	struct cgroup_doors doors;
	pid_t child;

	cgroup_doors(group, &doors);
	child = fork_into(doors.v2);
	if (child != 0)
		return child;
	for (size_t i = 0; i < doors.n_v1; i++)
		if (write(doors.v1[i], "0", 1) != 1)
			_exit(99);
	body();
	_exit(0);
}

static inline int end_of(pid_t child)
{
	int status = -1;

	if (child > 0)
		(void)waitpid(child, &status, 0);
	return status;
}

static inline bool file_says(enum controller c, const struct cgroup *group, const char *file,
			     const char *want)
{
	char path[2 * PATH_MAX], text[128] = "";
	struct error err;

	(void)snprintf(path, sizeof(path), "%s/%s%s%s/%s", host.places[c].dir,
		       host.places[c].version == 2 ? slot.name : "",
		       host.places[c].version == 2 ? "/" : "", group->name, file);
	if (fd_get_file(AT_FDCWD, path, text, sizeof(text), &err) < 0)
		printf("# %s\n", err.text);
	text[strcspn(text, "\n")] = '\0';
	if (strcmp(text, want) == 0)
		return true;
	printf("# %s is '%s', not '%s'\n", path, text, want);
	return false;
}

static inline void touch_64_mib(void)
{
	char *at = mmap(NULL, 64 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		_exit(98);
	for (size_t i = 0; i < 64 * MIB; i += 4096)
		((volatile char *)at)[i] = 1;
}

static inline void fork_three(void)
{
	pid_t children[3];
	int refused = 0;

	for (size_t i = 0; i < 3; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			(void)pause();
			_exit(0);
		}
		refused += children[i] < 0 && errno == EAGAIN;
	}
	for (size_t i = 0; i < 3; i++)
		if (children[i] > 0)
			(void)kill(children[i], SIGKILL), (void)waitpid(children[i], NULL, 0);
	_exit(refused);
}

static inline void spin_300_ms(void)
{
	uint64_t end_us = clock_us() + 300000;

	while (clock_us() < end_us)
		;
}

static inline size_t groups_of(pid_t maker)
{
	char mark[32];
	size_t n = 0;

	(void)snprintf(mark, sizeof(mark), "belljar-%d-", (int)maker);
	for (size_t c = 0; c < CONTROLLER_COUNT; c++) {
		DIR *dir = host.places[c].version ? opendir(host.places[c].dir) : NULL;
		struct dirent *entry;

		while (dir && (entry = readdir(dir)))
			n += strncmp(entry->d_name, mark, strlen(mark)) == 0;
		if (dir)
			(void)closedir(dir);
	}
	return n;
}

static int inside[2]; /* a pipe: the process has entered */

static inline void wait_for_death(void)
{
	if (write(inside[1], "", 1) == 1)
		(void)pause();
}

static inline void do_nothing(void)
{
}

#endif
