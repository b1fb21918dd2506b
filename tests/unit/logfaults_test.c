/* SPDX-License-Identifier: Apache-2.0 */
/* logfaults_test.c - each system call of the log fails in turn, or is its last one.
 *
 * The functions below stand before those of libc, so that the library under
 * test calls them.  (Offsets have 64 bits everywhere: pwrite is pwrite64, and so on.)
 */
#include "tap.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "audit/log.h"
#include "audit/verify.h"
#include "auditlog.h"
#include "base/own.h"
#include "scratch.h"

enum fault { FAULT_NONE = 0, FAULT_FAIL, FAULT_SHORT, FAULT_DIE, FAULT_DIE_HALFWAY };

static enum fault fault;
static long countdown;
static bool struck;
static struct error err;

/* Is it this call's turn? */
static bool turn(void)
{
	if (fault == FAULT_NONE || --countdown != 0)
		return false;
	struck = true;
	if (fault == FAULT_DIE)
		(void)raise(SIGKILL);
	return true;
}

static int give_up(void)
{
	if (fault == FAULT_DIE_HALFWAY)
		(void)raise(SIGKILL);
	errno = EIO;
	return -1;
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t at)
{
	if (turn()) {
		if (fault == FAULT_SHORT || fault == FAULT_DIE_HALFWAY)
			(void)syscall(SYS_pwrite64, fd, data, len / 2, at);
		return give_up();
	}
	return syscall(SYS_pwrite64, fd, data, len, at);
}

ssize_t write(int fd, const void *data, size_t len)
{
	if (fd > 2 && turn()) {
		if (fault == FAULT_SHORT || fault == FAULT_DIE_HALFWAY)
			(void)syscall(SYS_write, fd, data, len / 2);
		return give_up();
	}
	return syscall(SYS_write, fd, data, len);
}

/* Nobody cuts the power here: syncing in earnest would only take its time. */
int fdatasync(int fd)
{
	(void)fd;
	return turn() ? give_up() : 0;
}

int fsync(int fd)
{
	return fdatasync(fd);
}

int ftruncate(int fd, off_t len)
{
	return turn() ? give_up() : (int)syscall(SYS_ftruncate, fd, len);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return turn() ? give_up() : (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, 0);
}

int mkdirat(int dir, const char *path, mode_t mode)
{
	return turn() ? give_up() : (int)syscall(SYS_mkdirat, dir, path, mode);
}

/* How many records were acknowledged; survives the child. */
static uint64_t *acknowledged;

/* One batch. */
static int step(struct log *l, size_t more)
{
	static struct receipt receipts[LOG_BATCH_MAX];
	static struct log_line in[LOG_BATCH_MAX];
	static struct buf lines[LOG_BATCH_MAX];
	ssize_t took;

	for (size_t i = 0; i < more; i++) {
		lines[i].limit = RECORD_MAX;
		auditlog_line(log_size(l) + i, &lines[i]);
		in[i] = (struct log_line){lines[i].data, lines[i].len};
	}
	took = log_append(l, in, more, receipts, &err);
	*acknowledged = log_size(l);
	return took == (ssize_t)more ? 0 : -1;
}

/* Opens, appends, syncs, signs, over the border of a tile; what fails is tried once more. */
static bool live(const char *dir)
{
	struct log *l = log_open(dir, NULL, &err);
	bool fine;

	if (!l && struck)
		l = log_open(dir, NULL, &err);
	if (!l)
		return false;
	fine = step(l, 3) == 0 || step(l, 3) == 0;
	fine &= log_sync(l, &err) == 0 || log_sync(l, &err) == 0;
	fine &= step(l, 250) == 0 || step(l, 250) == 0;
	fine &= log_checkpoint(l, &err) == 0 || log_checkpoint(l, &err) == 0;
	fine &= step(l, 20) == 0 || step(l, 20) == 0;
	fine &= log_sync(l, &err) == 0 || log_sync(l, &err) == 0;
	log_close(l);
	return fine;
}

static bool is_whole(const char *dir, uint64_t at_least)
{
	static const struct verify_options plain;
	static struct verify_report report;

	if (verify_log(dir, &plain, &report, &err) < 0) {
		printf("# %s\n", err.text);
		return false;
	}
	for (size_t i = 0; i < report.listed; i++)
		printf("# %s: %s\n", finding_kind_name(report.list[i].kind), report.list[i].text);
	if (report.records < at_least)
		printf("# %llu records, not %llu\n", (unsigned long long)report.records,
		       (unsigned long long)at_least);
	return report.findings == 0 && report.records >= at_least &&
	       report.signed_records == report.records;
}

/* In memory, if there is such a place: some hundred lives are lived here. */
static struct scratch make_directory(void)
{
	struct scratch s = {.path = "/dev/shm/belljar-test-XXXXXX"};

	if (!mkdtemp(s.path))
		return scratch_make();
	s.fd = open(s.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return s;
}

/* One life with that fault at that call, in a child, then one without. */
static bool survives(enum fault kind, long at, bool second_life)
{
	own(scratch) dir = make_directory();
	int status = 0;
	bool hit;
	pid_t child;

	*acknowledged = 0;
	if (second_life)
		(void)live(dir.path);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		fault = kind;
		countdown = at;
		hit = !live(dir.path);
		_exit(hit ? 2 : struck);
	}
	(void)waitpid(child, &status, 0);
	hit = WIFSIGNALED(status) || WEXITSTATUS(status) > 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
		printf("# call %ld: did not go on\n", at);
		CHECK(false);
	}
	{
		uint64_t before = *acknowledged;
		bool opened = live(dir.path);

		if (!opened || !is_whole(dir.path, before)) {
			printf("# call %ld, fault %d: %s\n", at, (int)kind, opened ? "" : err.text);
			CHECK(false);
		}
	}
	return hit;
}

static void try_all(enum fault kind, bool second_life)
{
	long at = 1;

	acknowledged = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	while (at < 2000 && survives(kind, at, second_life))
		at++;
	CHECK(at > 20 && at < 2000);
	printf("# %ld calls\n", at - 1);
}

TEST(every_call_may_fail_once)
{
	try_all(FAULT_FAIL, false);
}

TEST(every_call_may_fail_once_in_a_log_that_exists)
{
	try_all(FAULT_FAIL, true);
}

TEST(every_write_may_stop_halfway)
{
	try_all(FAULT_SHORT, true);
}

TEST(every_call_may_be_the_last)
{
	try_all(FAULT_DIE, false);
}

TEST(every_call_may_be_the_last_in_a_log_that_exists)
{
	try_all(FAULT_DIE, true);
}

TEST(every_write_may_be_the_last_and_half)
{
	try_all(FAULT_DIE_HALFWAY, true);
}

TEST(a_really_full_disk_refuses_and_goes_on_when_there_is_room)
{
	own(scratch) dir = scratch_make();
	char path[128], stuff[128], zeros[4096] = "";
	struct log *l;
	uint64_t size;
	own_fd fd = -1;

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", dir.path, "tmpfs", 0, "size=3m") < 0)
		SKIP("no right to mount a small disk");
	(void)snprintf(path, sizeof(path), "%s/log", dir.path);
	(void)snprintf(stuff, sizeof(stuff), "%s/stuff", dir.path);
	l = log_open(path, NULL, &err);
	CHECK(auditlog_grow(l, 600, &err) == 0 && log_checkpoint(l, &err) == 0);
	fd = open(stuff, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	while (syscall(SYS_write, fd, zeros, sizeof(zeros)) > 0)
		;
	CHECK(auditlog_grow(l, 100000, &err) < 0 && err.sys == ENOSPC);
	size = log_size(l);
	CHECK(auditlog_grow(l, 100000, &err) < 0 && log_size(l) == size);
	CHECK(log_checkpoint(l, &err) < 0);
	CHECK(ftruncate(fd, 0) == 0);
	CHECK(auditlog_grow(l, size + 300, &err) == 0);
	CHECK(log_checkpoint(l, &err) == 0);
	CHECK(is_whole(path, size + 300));
	log_close(l);
	(void)umount2(dir.path, MNT_DETACH);
}
