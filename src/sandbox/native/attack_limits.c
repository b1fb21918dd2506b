/* SPDX-License-Identifier: Apache-2.0 */
/* attack_limits.c - attempts to use more than was granted, each a little and no more. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/attack_parts.h"

enum { BEYOND = 8, KIDS_MAX = 1024, SPIN_S = 3, SLEEP_S = 3 };

/* Stops shortly after the limit: a wall that has fallen is seen by then. */
ATTACK(fork_bomb)
{
	static pid_t kids[KIDS_MAX];
	size_t n = 0, most = bait->processes + BEYOND;
	int why = 0;

	(void)self;
	while (n < most && n < KIDS_MAX) {
		pid_t kid = fork();

		if (kid == 0)
			for (;;)
				(void)pause();
		if (kid < 0) {
			why = errno;
			break;
		}
		kids[n++] = kid;
	}
	for (size_t i = 0; i < n; i++) {
		(void)kill(kids[i], SIGKILL);
		(void)waitpid(kids[i], NULL, 0);
	}
	if (why == EAGAIN && n <= bait->processes)
		held(r, "fork %zu was refused, %zu processes are allowed", n + 1,
		     (size_t)bait->processes);
	else
		fell(r, "%zu children, %zu processes are allowed", n, (size_t)bait->processes);
}

static uint64_t fill_one(uint64_t most, int *ret_why)
{
	static const char name[] = "belljar-attack-fill", page[4096] = "full";
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	uint64_t done = 0;
	ssize_t n = 0;

	(void)unlink(name);
	while (done < most && (n = write(fd, page, sizeof(page))) > 0)
		done += (uint64_t)n;
	*ret_why = n < 0 ? errno : 0;
	return done; /* fd stays open: the bytes must stay where they are */
}

/* Three files of half the limit each: the size of one file has a limit of its own. */
ATTACK(fill_disk)
{
	uint64_t done = 0;
	int why = 0;

	(void)self;
	for (int i = 0; i < 3 && why == 0; i++)
		done += fill_one(bait->disk_bytes / 2, &why);
	if (done > 0 && done <= bait->disk_bytes && (why == ENOSPC || why == EDQUOT))
		held(r, "%s after %zu KiB of %zu KiB", strerrorname_np(why), (size_t)(done >> 10),
		     (size_t)(bait->disk_bytes >> 10));
	else
		fell(r, "%zu KiB were written, %zu KiB are allowed; %s", (size_t)(done >> 10),
		     (size_t)(bait->disk_bytes >> 10), strerrorname_np(why));
}

ATTACK(fill_inodes)
{
	static const char dir[] = "belljar-attack-inodes";
	uint64_t n = 0;
	char name[64];
	int why = 0;

	(void)self;
	if (mkdir(dir, 0700) < 0) {
		fell(r, "no directory to try it in: %s", strerrorname_np(errno));
		return;
	}
	for (; n <= bait->inodes; n++) {
		(void)snprintf(name, sizeof(name), "%s/%zu", dir, (size_t)n);
		if (mknod(name, S_IFREG | 0600, 0) < 0) {
			why = errno;
			break;
		}
	}
	for (uint64_t i = 0; i < n; i++) {
		(void)snprintf(name, sizeof(name), "%s/%zu", dir, (size_t)i);
		(void)unlink(name);
	}
	(void)rmdir(dir);
	if (n > 0 && (why == ENOSPC || why == EDQUOT))
		held(r, "ENOSPC after %zu files, %zu are allowed", (size_t)n, (size_t)bait->inodes);
	else
		fell(r, "%zu files were made, %zu are allowed", (size_t)n, (size_t)bait->inodes);
}

/* A hole costs nothing, but tells whether anything watches sizes. */
ATTACK(grow_file)
{
	own_fd fd = open("belljar-attack-grow", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	(void)self;
	(void)unlink("belljar-attack-grow");
	(void)sigaction(SIGXFSZ, &ignore, NULL);
	(void)judge(r, pwrite(fd, "x", 1, (off_t)bait->disk_bytes + 4096), "EFBIG ENOSPC");
}

ATTACK(open_many)
{
	static const char name[] = "/dev/null";
	uint64_t n = 0;

	(void)self;
	errno = 0;
	while (n < bait->files + BEYOND && open(name, O_RDONLY | O_CLOEXEC) >= 0)
		n++;
	if (errno == EMFILE && n <= bait->files)
		held(r, "EMFILE after %zu, %zu are allowed", (size_t)n, (size_t)bait->files);
	else
		fell(r, "%zu opened, %zu are allowed", (size_t)n, (size_t)bait->files);
}

enum { LOCK_BYTES = 16 << 20 };

ATTACK(lock_memory)
{
	void *p =
		mmap(NULL, LOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)self, (void)bait;
	if (p == MAP_FAILED)
		fell(r, "no memory to try it on");
	else
		(void)judge(r, mlock(p, LOCK_BYTES), "ENOMEM EPERM EAGAIN");
}

ATTACK(raise_limits)
{
	struct rlimit limit;

	(void)self, (void)bait;
	if (getrlimit(RLIMIT_CORE, &limit) < 0 || limit.rlim_max == RLIM_INFINITY) {
		fell(r, "core dumps are not limited");
		return;
	}
	limit.rlim_max++;
	(void)judge(r, setrlimit(RLIMIT_CORE, &limit), "EPERM");
}

enum { MEMORY_STEP = 1 << 20, MEMORY_BEYOND = 32 };

/* Anonymous memory, every page touched, to well beyond what memory and disk may take together. */
ATTACK(eat_memory)
{
	uint64_t most = (bait->memory_bytes + bait->disk_bytes) / MEMORY_STEP + MEMORY_BEYOND;

	(void)self;
	for (uint64_t i = 0; i < most; i++) {
		char *p = mmap(NULL, MEMORY_STEP, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED) {
			held(r, "no memory after %zu MiB", (size_t)i);
			return;
		}
		memset(p, 0x5a, MEMORY_STEP);
	}
	fell(r, "%zu MiB were used, %zu MiB are allowed", (size_t)most,
	     (size_t)(bait->memory_bytes >> 20));
}

/* By the processor's clock: on a busy machine the other one runs ahead. */
ATTACK(spin)
{
	struct timespec used = {0};

	(void)self, (void)bait;
	while (used.tv_sec < SPIN_S)
		(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	fell(r, "computed for %d s and nobody minded", SPIN_S);
}

ATTACK(sleep_on)
{
	struct timespec left = {.tv_sec = SLEEP_S};

	(void)self, (void)bait;
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
	fell(r, "slept for %d s and nobody minded", SLEEP_S);
}

enum { FLOOD_BYTES = 64 << 20 };

/* Onto stderr: stdout carries the reports. */
ATTACK(flood)
{
	static char page[65536];

	(void)self, (void)bait;
	memset(page, 'x', sizeof(page));
	for (int done = 0; done < FLOOD_BYTES; done += (int)sizeof(page))
		if (write(STDERR_FILENO, page, sizeof(page)) < 0)
			break;
	fell(r, "%d MiB of output and nobody minded", FLOOD_BYTES >> 20);
}
