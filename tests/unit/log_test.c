/* SPDX-License-Identifier: Apache-2.0 */
/* log_test.c - what was appended stays, is read by number, and goes on after any end. */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "audit/log.h"
#include "audit/pairing.h"
#include "audit/verify.h"
#include "auditlog.h"
#include "base/own.h"
#include "scratch.h"

static struct error err;

/* No finding, and that many records, all signed. */
static bool is_whole(const char *dir, uint64_t records)
{
	static const struct verify_options plain;
	static struct verify_report report;

	if (verify_log(dir, &plain, &report, &err) < 0) {
		printf("# %s\n", err.text);
		return false;
	}
	for (size_t i = 0; i < report.listed; i++)
		printf("# %s: %s\n", finding_kind_name(report.list[i].kind), report.list[i].text);
	if (report.records != records || report.signed_records != records)
		printf("# %llu records, %llu signed, not %llu\n",
		       (unsigned long long)report.records,
		       (unsigned long long)report.signed_records, (unsigned long long)records);
	return report.findings == 0 && report.records == records &&
	       report.signed_records == records;
}

static bool reads_right(const char *dir, uint64_t index)
{
	struct log_reader *r = log_reader_open(dir, &err);
	struct log_line line;
	own(buf) want;
	bool same;

	buf_init(&want, RECORD_MAX);
	auditlog_line(index, &want);
	same = r && log_read(r, index, &line, &err) == 0 && line.len == want.len &&
	       memcmp(line.data, want.data, want.len) == 0;
	log_reader_close(r);
	return same;
}

static off_t size_of(const struct scratch *dir, const char *path)
{
	struct stat st;

	return fstatat(dir->fd, path, &st, 0) == 0 ? st.st_size : -1;
}

static void put_bytes(const struct scratch *dir, const char *path, off_t at, const void *data,
		      size_t len)
{
	own_fd fd = openat(dir->fd, path, O_WRONLY | O_CLOEXEC);

	CHECK(pwrite(fd, data, len, at) == (ssize_t)len);
}

/* Runs the body in a child that dies without closing anything. */
#define DIES(body)                              \
	do {                                    \
		pid_t child_ = fork();          \
		if (child_ == 0) {              \
			body;                   \
			(void)raise(SIGKILL);   \
		}                               \
		(void)waitpid(child_, NULL, 0); \
	} while (0)

TEST(a_new_log_is_empty_and_signed)
{
	own(scratch) dir = scratch_make();
	struct log *l = log_open(dir.path, NULL, &err);

	CHECK(l && log_size(l) == 0 && log_signed_size(l) == 0);
	CHECK(l && strncmp(log_checkpoint_text(l), "belljar/", 8) == 0);
	log_close(l);
	CHECK(is_whole(dir.path, 0));
}

TEST(records_are_read_by_number_before_and_after_the_next_opening)
{
	static const uint64_t sizes[] = {1, 2, 255, 256, 257, 600, 1024, 1025};
	own(scratch) dir = scratch_make();

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		CHECK(auditlog_make(dir.path, sizes[i], &err) == 0);
		CHECK(is_whole(dir.path, sizes[i]));
		CHECK(reads_right(dir.path, 0) && reads_right(dir.path, sizes[i] - 1));
		CHECK(reads_right(dir.path, sizes[i] / 2));
		CHECK(!reads_right(dir.path, sizes[i]));
	}
}

TEST(receipts_name_the_record_and_its_hash)
{
	own(scratch) dir = scratch_make();
	struct log *l = log_open(dir.path, NULL, &err);
	struct buf lines[3];
	struct log_line in[3];
	struct receipt out[3];
	struct hash h;

	for (uint64_t i = 0; i < 3; i++) {
		buf_init(&lines[i], RECORD_MAX);
		auditlog_line(i, &lines[i]);
		in[i] = (struct log_line){lines[i].data, lines[i].len};
	}
	CHECK(log_append(l, in, 3, out, &err) == 3);
	for (uint64_t i = 0; i < 3; i++) {
		hash_leaf(in[i].data, in[i].len, &h);
		CHECK(out[i].index == i && hash_equal(&out[i].leaf, &h));
	}
	CHECK(log_size(l) == 3 && log_synced_size(l) == 0 && log_signed_size(l) == 0);
	CHECK(log_sync(l, &err) == 0 && log_synced_size(l) == 3);
	CHECK(log_checkpoint(l, &err) == 0 && log_signed_size(l) == 3);
	log_close(l);
}

TEST(what_is_no_record_is_not_appended)
{
	own(scratch) dir = scratch_make();
	struct log *l = log_open(dir.path, NULL, &err);
	struct receipt out;

	CHECK(auditlog_grow(l, 1, &err) == 0);
	CHECK(log_append(l, &(struct log_line){"{}", 2}, 1, &out, &err) < 0);
	CHECK(log_append(l, &(struct log_line){"", 0}, 1, &out, &err) < 0);
	CHECK(log_append(l, NULL, 0, &out, &err) < 0);
	CHECK(auditlog_grow(l, 2, &err) == 0);
	log_close(l);
	CHECK(is_whole(dir.path, 2));
}

TEST(one_process_writes)
{
	own(scratch) dir = scratch_make();
	struct log *l = log_open(dir.path, NULL, &err), *second;

	second = log_open(dir.path, NULL, &err);
	CHECK(!second && err.sys == EAGAIN);
	log_close(l);
	second = log_open(dir.path, NULL, &err);
	CHECK(second != NULL);
	log_close(second);
}

TEST(a_torn_last_line_is_cut_off_and_whole_ones_before_it_stay)
{
	static const char *const torn[] = {"{\"kind\":\"den", "\0\0\0{\"kind\"", "x\n", "\n"};
	static const size_t lengths[] = {12, 10, 2, 1};
	uint64_t size = 10;

	for (size_t i = 0; i < ARRAY_LEN(torn); i++) {
		own(scratch) dir = scratch_make();
		own_fd fd = -1;

		DIES({
			struct log *l = log_open(dir.path, NULL, &err);

			(void)auditlog_grow(l, size, &err);
			/* As if nothing had been written ahead. */
			fd = openat(dir.fd, "log/00000000.jsonl", O_WRONLY | O_CLOEXEC);
			off_t end = 0;
			struct buf line;

			buf_init(&line, RECORD_MAX);
			for (uint64_t k = 0; k < size; k++) {
				auditlog_line(k, &line);
				end += (off_t)line.len + 1;
			}
			(void)!pwrite(fd, torn[i], lengths[i], end);
		});
		CHECK(auditlog_make(dir.path, size, &err) == 0);
		CHECK(is_whole(dir.path, size));
		CHECK(auditlog_make(dir.path, size + 5, &err) == 0);
		CHECK(is_whole(dir.path, size + 5));
	}
}

TEST(tiles_offsets_and_state_are_made_again)
{
	own(scratch) dir = scratch_make();
	char command[200];

	CHECK(auditlog_make(dir.path, 5000, &err) == 0);
	CHECK(unlinkat(dir.fd, "state", 0) == 0);
	CHECK(unlinkat(dir.fd, "log/00000000.offsets", 0) == 0);
	(void)snprintf(command, sizeof(command), "rm -r '%s/tile'", dir.path);
	CHECK(system(command) == 0);
	CHECK(auditlog_make(dir.path, 5001, &err) == 0);
	CHECK(is_whole(dir.path, 5001));
	/* A state that lies, and one that is no state. */
	put_bytes(&dir, "state", 0, "tiled 9999", 10);
	CHECK(auditlog_make(dir.path, 5002, &err) == 0);
	put_bytes(&dir, "state", 0, "\0\0\0\0\0\0\0\0", 8);
	CHECK(auditlog_make(dir.path, 5003, &err) == 0);
	put_bytes(&dir, "tile/0/003", 0, "damaged", 7);
	CHECK(unlinkat(dir.fd, "tile/1/000.p/19", 0) == 0);
	CHECK(auditlog_make(dir.path, 5004, &err) == 0);
	CHECK(is_whole(dir.path, 5004));
	/* Lost after the log was closed in order. */
	CHECK(unlinkat(dir.fd, "tile/1/000.p/19", 0) == 0);
	CHECK(auditlog_make(dir.path, 5004, &err) == 0 && is_whole(dir.path, 5004));
	put_bytes(&dir, "tile/0/019.p/140", 0, "\0\0\0\0", 4);
	CHECK(auditlog_make(dir.path, 5004, &err) == 0 && is_whole(dir.path, 5004));
}

TEST(a_changed_log_is_not_opened_and_not_touched)
{
	own(scratch) dir = scratch_make();
	off_t before;

	CHECK(auditlog_make(dir.path, 300, &err) == 0);
	before = size_of(&dir, "log/00000000.jsonl");
	put_bytes(&dir, "log/00000000.jsonl", before - 40, "7", 1);
	CHECK(!log_open(dir.path, NULL, &err));
	CHECK(strstr(err.text, "was changed"));
	CHECK(size_of(&dir, "log/00000000.jsonl") == before);
	CHECK(auditlog_make(dir.path, 301, &err) < 0);
}

TEST(a_shortened_log_and_one_without_its_checkpoint_are_not_opened)
{
	own(scratch) dir = scratch_make();
	own_fd fd = -1;

	CHECK(auditlog_make(dir.path, 300, &err) == 0);
	fd = openat(dir.fd, "log/00000000.jsonl", O_WRONLY | O_CLOEXEC);
	CHECK(ftruncate(fd, size_of(&dir, "log/00000000.jsonl") - 1) == 0);
	CHECK(!log_open(dir.path, NULL, &err) && strstr(err.text, "300 were signed"));
	CHECK(unlinkat(dir.fd, "checkpoint", 0) == 0);
	CHECK(!log_open(dir.path, NULL, &err) && strstr(err.text, "no checkpoint"));
}

TEST(a_log_whose_lines_are_gone_behind_whole_tiles_is_not_opened)
{
	own(scratch) dir = scratch_make();
	own_fd fd = -1;

	CHECK(auditlog_make(dir.path, 512, &err) == 0);
	fd = openat(dir.fd, "log/00000000.jsonl", O_WRONLY | O_CLOEXEC);
	CHECK(ftruncate(fd, 1000) == 0);
	CHECK(!log_open(dir.path, NULL, &err) && strstr(err.text, "512 were signed"));
	CHECK(unlinkat(dir.fd, "log/00000000.jsonl", 0) == 0);
	CHECK(!log_open(dir.path, NULL, &err));
	CHECK(size_of(&dir, "log/00000000.jsonl") < 0);
}

TEST(a_full_disk_acknowledges_nothing_and_it_goes_on_by_itself)
{
	own(scratch) dir = scratch_make();
	struct rlimit small = {.rlim_cur = 100000}, before;
	struct log *l = log_open(dir.path, NULL, &err);
	uint64_t size;

	CHECK(sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, NULL) == 0);
	CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
	small.rlim_max = before.rlim_max;
	CHECK(auditlog_grow(l, 20, &err) == 0);
	CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
	CHECK(auditlog_grow(l, 10000, &err) < 0 && err.sys == EFBIG);
	size = log_size(l);
	CHECK(size > 20 && size < 10000);
	CHECK(auditlog_grow(l, 10000, &err) < 0 && log_size(l) == size);
	CHECK(log_checkpoint(l, &err) == 0); /* what was acknowledged can still be signed */
	CHECK(is_whole(dir.path, size));
	CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
	CHECK(auditlog_grow(l, 2000, &err) == 0);
	log_close(l);
	CHECK(is_whole(dir.path, 2000));
}

TEST(tiles_that_cannot_be_written_are_written_later)
{
	own(scratch) dir = scratch_make();
	struct log *l = log_open(dir.path, NULL, &err);
	own_fd fd = -1;

	CHECK(auditlog_grow(l, 700, &err) == 0);
	/* A file where the directory should be. */
	fd = openat(dir.fd, "tile", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(log_checkpoint(l, &err) < 0 && log_signed_size(l) == 0);
	CHECK(auditlog_grow(l, 900, &err) == 0);
	CHECK(log_checkpoint(l, &err) < 0);
	CHECK(unlinkat(dir.fd, "tile", 0) == 0);
	CHECK(log_checkpoint(l, &err) == 0 && log_signed_size(l) == 900);
	log_close(l);
	CHECK(is_whole(dir.path, 900));
}

TEST(calls_that_never_ended_are_found_at_the_next_start)
{
	own(scratch) dir = scratch_make();
	const struct open_call *call;
	struct log_reader *r;
	struct pairing calls;
	size_t at = 0;

	CHECK(auditlog_make(dir.path, 1001, &err) == 0);
	r = log_reader_open(dir.path, &err);
	pairing_init(&calls);
	CHECK(pairing_scan(&calls, r, 301, &err) == 0); /* begins with an end */
	call = pairing_next(&calls, &at);
	CHECK(call && call->index == 1000 && calls.n == 1);
	CHECK_STR(call ? call->id : NULL, "bj-0000000000000000000001f4");
	pairing_done(&calls);
	log_reader_close(r);
}

TEST(a_number_is_kept_with_the_log)
{
	own(scratch) dir = scratch_make();
	struct log *l = log_open(dir.path, NULL, &err);

	log_set_since(l, 77);
	CHECK(log_checkpoint(l, &err) == 0);
	log_close(l);
	l = log_open(dir.path, NULL, &err);
	CHECK(log_since(l) == 77);
	log_close(l);
}

TEST(a_reader_beside_the_writer_sees_whole_lines_as_they_come)
{
	own(scratch) dir = scratch_make();
	struct log *l = log_open(dir.path, NULL, &err);
	struct log_reader *r = log_reader_open(dir.path, &err);
	struct log_line line;
	uint64_t index = 0, seen = 0;

	CHECK(log_seek(r, 3, &err) == 0);
	CHECK(log_next(r, &line, &index, &err) == 0);
	for (uint64_t size = 1; size < 700; size += 7) {
		CHECK(auditlog_grow(l, size, &err) == 0);
		while (log_next(r, &line, &index, &err) > 0) {
			struct record_view view;

			CHECK(index == 3 + seen++);
			CHECK(record_read(line.data, line.len, &view, &err) == 0);
		}
	}
	CHECK(seen == log_size(l) - 3);
	log_reader_close(r);
	log_close(l);
}
