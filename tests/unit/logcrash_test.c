/* SPDX-License-Identifier: Apache-2.0 */
/* logcrash_test.c - killed at any moment, without power at any block: nothing acknowledged is lost.
 */
#include "tap.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "audit/log.h"
#include "audit/tiles.h"
#include "audit/verify.h"
#include "auditlog.h"
#include "base/own.h"
#include "scratch.h"

enum { ACKNOWLEDGED_MAX = 400000 };

/* Shared with the child that is killed. */
struct ledger {
	uint64_t n;
	struct hash leaves[ACKNOWLEDGED_MAX];
};

static struct error err;

static struct ledger *ledger_make(void)
{
	void *map = mmap(NULL, sizeof(struct ledger), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

/* Batches of different sizes, signed now and then; each is acknowledged when it is appended. */
static void write_for_ever(const char *dir, struct ledger *ledger, unsigned round)
{
	struct log *l = log_open(dir, NULL, &err);
	struct receipt receipts[16];
	struct log_line in[16];
	struct buf lines[16];

	if (!l)
		_exit(3);
	for (size_t i = 0; i < 16; i++)
		buf_init(&lines[i], RECORD_MAX);
	for (unsigned turn = round;; turn++) {
		size_t n = 1 + turn % 16;
		ssize_t took;

		for (size_t i = 0; i < n; i++) {
			auditlog_line(log_size(l) + i, &lines[i]);
			in[i] = (struct log_line){lines[i].data, lines[i].len};
		}
		took = log_append(l, in, n, receipts, &err);
		if (took < 0)
			_exit(4);
		for (ssize_t i = 0; i < took; i++)
			ledger->leaves[receipts[i].index] = receipts[i].leaf;
		__atomic_store_n(&ledger->n, log_size(l), __ATOMIC_SEQ_CST);
		if (turn % 5 == 0 && log_sync(l, &err) < 0)
			_exit(5);
		if (turn % 7 == 0 && log_checkpoint(l, &err) < 0)
			_exit(6);
		if (ledger->n > ACKNOWLEDGED_MAX - 100)
			_exit(7);
	}
}

static bool all_there(const char *dir, const struct ledger *ledger)
{
	struct log_reader *r = log_reader_open(dir, &err);
	struct log_line line;
	const struct hash nothing = {0}; /* appended, but not acknowledged before the end */
	struct hash leaf;
	uint64_t index, n = 0;

	CHECK(r && log_seek(r, 0, &err) == 0);
	while (n < ledger->n && log_next(r, &line, &index, &err) > 0) {
		hash_leaf(line.data, line.len, &leaf);
		if (!hash_equal(&leaf, &ledger->leaves[index]) &&
		    !hash_equal(&nothing, &ledger->leaves[index])) {
			printf("# record %llu is another one: %.*s\n", (unsigned long long)index,
			       (int)line.len, line.data);
			break;
		}
		n++;
	}
	log_reader_close(r);
	if (n < ledger->n)
		printf("# %llu were acknowledged, %llu are there\n", (unsigned long long)ledger->n,
		       (unsigned long long)n);
	return n == ledger->n;
}

static bool is_whole(const char *dir)
{
	static const struct verify_options plain;
	static struct verify_report report;

	if (verify_log(dir, &plain, &report, &err) < 0)
		return false;
	for (size_t i = 0; i < report.listed; i++)
		printf("# %s: %s\n", finding_kind_name(report.list[i].kind), report.list[i].text);
	return report.findings == 0 && report.signed_records == report.records;
}

TEST(killed_at_any_moment_it_keeps_what_was_acknowledged)
{
	own(scratch) dir = scratch_make();
	struct ledger *ledger = ledger_make();

	if (!ledger)
		SKIP("no memory to share");
	for (unsigned round = 0; round < 40; round++) {
		struct timespec wait = {.tv_nsec = 500000 + round * 1977777 % 60000000};
		pid_t child = fork();
		struct log *l;
		int status = 0;

		if (child == 0)
			write_for_ever(dir.path, ledger, round);
		(void)nanosleep(&wait, NULL);
		(void)kill(child, SIGKILL);
		(void)waitpid(child, &status, 0);
		if (!WIFSIGNALED(status))
			printf("# round %u ended with %d: %s\n", round, WEXITSTATUS(status),
			       err.text);
		CHECK(WIFSIGNALED(status));
		/* Notes of the batch that it was about to acknowledge; the last may be half a hash.
		 */
		memset(&ledger->leaves[ledger->n], 0, 16 * sizeof(struct hash));
		l = log_open(dir.path, NULL, &err);
		if (!l)
			printf("# %s\n", err.text);
		CHECK(l && log_size(l) >= ledger->n);
		/* What was whole and not acknowledged was kept as well. */
		if (l)
			CHECK(auditlog_grow(l, log_size(l) + 1, &err) == 0);
		log_close(l);
	}
	CHECK(ledger->n > 300);
	CHECK(all_there(dir.path, ledger));
	CHECK(is_whole(dir.path));
}

static off_t size_of(const struct scratch *dir, const char *path)
{
	struct stat st;

	return fstatat(dir->fd, path, &st, 0) == 0 ? st.st_size : -1;
}

/* Writes that many and syncs, writes more, and dies; tells where the synced part ends. */
static off_t leave_unsynced(const struct scratch *dir, uint64_t synced, uint64_t more)
{
	pid_t child = fork();
	struct buf line;
	off_t end = 0;

	if (child == 0) {
		struct log *l = log_open(dir->path, NULL, &err);

		(void)auditlog_grow(l, synced, &err);
		(void)log_sync(l, &err);
		(void)auditlog_grow(l, synced + more, &err);
		(void)raise(SIGKILL);
	}
	(void)waitpid(child, NULL, 0);
	buf_init(&line, RECORD_MAX);
	for (uint64_t i = 0; i < synced; i++) {
		auditlog_line(i, &line);
		end += (off_t)line.len + 1;
	}
	buf_done(&line);
	return end;
}

TEST(blocks_that_power_loss_took_cost_only_what_was_not_synced)
{
	for (unsigned round = 0; round < 24; round++) {
		own(scratch) dir = scratch_make();
		off_t synced = leave_unsynced(&dir, 100, 200), at;
		char zeros[512] = "";
		own_fd fd = openat(dir.fd, "log/00000000.jsonl", O_RDWR | O_CLOEXEC);
		struct log *l;

		/* Some blocks of the unsynced part never came to the disk; none before it. */
		for (at = (synced + 511) / 512 * 512; at < size_of(&dir, "log/00000000.jsonl");
		     at += 512)
			if ((at / 512 * 2654435761U + round * 40503) % 7 < round % 7)
				CHECK(pwrite(fd, zeros, sizeof(zeros), at) == sizeof(zeros));
		if (round % 3 == 0)
			CHECK(ftruncate(fd, synced + (off_t)round * 37) == 0);
		l = log_open(dir.path, NULL, &err);
		CHECK(l && log_size(l) >= 100 && log_size(l) <= 300);
		log_close(l);
		CHECK(is_whole(dir.path));
	}
}

TEST(tiles_that_power_loss_took_are_made_again)
{
	own(scratch) dir = scratch_make();
	struct log *l = log_open(dir.path, NULL, &err);
	pid_t child;

	CHECK(auditlog_grow(l, 9000, &err) == 0);
	log_close(l);
	child = fork();
	if (child == 0) {
		l = log_open(dir.path, NULL, &err);
		(void)auditlog_grow(l, 11000, &err);
		(void)log_checkpoint(l, &err);
		(void)raise(SIGKILL);
	}
	(void)waitpid(child, NULL, 0);
	/* Never synced, so they may be empty or gone although the checkpoint is there. */
	CHECK(unlinkat(dir.fd, "tile/0/037", 0) == 0);
	{
		own_fd fd = openat(dir.fd, "tile/0/040", O_WRONLY | O_TRUNC | O_CLOEXEC);

		CHECK(fd >= 0);
	}
	CHECK(auditlog_make(dir.path, 11000, &err) == 0);
	CHECK(is_whole(dir.path));
}

TEST(a_log_of_more_than_one_segment_is_one_log)
{
	own(scratch) dir = scratch_make();
	struct log *l = log_open(dir.path, NULL, &err);
	struct log_reader *r;
	struct log_line line;
	uint64_t index = 0;

	CHECK(auditlog_grow(l, 2 * LOG_SEGMENT + 300, &err) == 0);
	log_close(l);
	CHECK(is_whole(dir.path));
	CHECK(auditlog_make(dir.path, 2 * LOG_SEGMENT + 301, &err) == 0);
	CHECK(is_whole(dir.path));
	r = log_reader_open(dir.path, &err);
	CHECK(log_seek(r, LOG_SEGMENT - 2, &err) == 0);
	for (uint64_t i = LOG_SEGMENT - 2; i < LOG_SEGMENT + 2; i++)
		CHECK(log_next(r, &line, &index, &err) == 1 && index == i);
	CHECK(log_read(r, 2 * LOG_SEGMENT + 299, &line, &err) == 0);
	log_reader_close(r);
	/* Exactly full, and an empty one behind it. */
	CHECK(unlinkat(dir.fd, "state", 0) == 0);
	CHECK(auditlog_make(dir.path, 2 * LOG_SEGMENT + 302, &err) == 0);
	CHECK(is_whole(dir.path));
}

TEST(a_segment_that_is_just_full_is_taken_up)
{
	own(scratch) dir = scratch_make();
	own_fd fd = -1;

	CHECK(auditlog_make(dir.path, LOG_SEGMENT, &err) == 0);
	CHECK(is_whole(dir.path));
	CHECK(auditlog_make(dir.path, LOG_SEGMENT, &err) == 0);
	fd = openat(dir.fd, "log/00000001.jsonl", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0 && auditlog_make(dir.path, LOG_SEGMENT + 1, &err) == 0);
	CHECK(is_whole(dir.path));
}
