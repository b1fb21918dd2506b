/* SPDX-License-Identifier: Apache-2.0 */
/* verify_test.c - whatever is done to a log is found, and named. */
#include "tap.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "audit/log.h"
#include "audit/verify.h"
#include "auditlog.h"
#include "base/fd.h"
#include "base/own.h"
#include "scratch.h"

enum { RECORDS = 700, FILE_MAX = 1 << 20 };

static const char lines_file[] = "log/00000000.jsonl";
static struct error err;
static struct verify_report report;

struct bytes {
	char data[FILE_MAX];
	size_t len;
};

static struct bytes whole, changed;

static void get_bytes(const struct scratch *dir, const char *path, struct bytes *ret)
{
	own_fd fd = openat(dir->fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : fd_read_all(fd, ret->data, sizeof(ret->data), &err);

	CHECK(n >= 0);
	ret->len = n < 0 ? 0 : (size_t)n;
}

static void put_bytes(const struct scratch *dir, const char *path, const struct bytes *b)
{
	own_fd fd = openat(dir->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd_write_all(fd, b->data, b->len, &err) == 0);
}

static uint64_t findings(const struct scratch *dir, const struct anchor *anchors, size_t n)
{
	const struct verify_options options = {.anchors = anchors, .n_anchors = n};

	CHECK(verify_log(dir->path, &options, &report, &err) == 0);
	return report.findings;
}

/* The first finding is of this kind and about this record. */
static bool names(const struct scratch *dir, enum finding_kind kind, uint64_t index)
{
	if (findings(dir, NULL, 0) > 0 && report.list[0].kind == kind &&
	    report.list[0].index == index)
		return true;
	for (size_t i = 0; i < report.listed && i < 5; i++)
		printf("# found %s at %lld: %s\n", finding_kind_name(report.list[i].kind),
		       (long long)report.list[i].index, report.list[i].text);
	return false;
}

/* Where record i begins in whole; i may be the number of records. */
static size_t line_at(size_t i)
{
	const char *at = whole.data;

	while (i-- > 0)
		at = (const char *)memchr(at, '\n', whole.len - (size_t)(at - whole.data)) + 1;
	return (size_t)(at - whole.data);
}

/* whole with the bytes from a to b replaced. */
static void replace(size_t a, size_t b, const char *data, size_t len)
{
	memcpy(changed.data, whole.data, a);
	memcpy(changed.data + a, data, len);
	memcpy(changed.data + a + len, whole.data + b, whole.len - b);
	changed.len = whole.len - (b - a) + len;
}

static struct scratch sample(void)
{
	struct scratch dir = scratch_make();

	CHECK(auditlog_make(dir.path, RECORDS, &err) == 0);
	get_bytes(&dir, lines_file, &whole);
	CHECK(findings(&dir, NULL, 0) == 0 && report.records == RECORDS);
	return dir;
}

static void flip_some(const struct scratch *dir, const char *path, size_t step)
{
	static struct bytes good;

	get_bytes(dir, path, &good);
	for (size_t i = 0; i<good.len; i += step> 1 ? 1 + (i * 7919 + 13) % (2 * step) : 1) {
		memcpy(changed.data, good.data, good.len);
		changed.len = good.len;
		changed.data[i] = (char)(changed.data[i] ^ (1 << i % 8));
		put_bytes(dir, path, &changed);
		if (findings(dir, NULL, 0) == 0) {
			printf("# %s, byte %zu\n", path, i);
			CHECK(false);
		}
	}
	put_bytes(dir, path, &good);
}

TEST(any_changed_byte_is_found)
{
	own(scratch) dir = sample();

	flip_some(&dir, lines_file, 300);
	flip_some(&dir, "checkpoint", 1);
	flip_some(&dir, "tile/0/000", 120);
	flip_some(&dir, "tile/0/001", 120);
	flip_some(&dir, "tile/0/002.p/188", 120);
	flip_some(&dir, "tile/1/000.p/2", 3);
	flip_some(&dir, "key.pub", 1);
	flip_some(&dir, "log/00000000.offsets", 1);
	CHECK(findings(&dir, NULL, 0) == 0);
}

TEST(a_changed_record_is_named)
{
	static const size_t which[] = {0, 17, 255, 256, 511, 512, 699};
	own(scratch) dir = sample();

	for (size_t i = 0; i < ARRAY_LEN(which); i++) {
		/* A digit of its time: still a record. */
		size_t at = line_at(which[i]);
		const char *time = memmem(whole.data + at, whole.len - at, "2026-01-01", 10);

		replace((size_t)(time - whole.data) + 9, (size_t)(time - whole.data) + 10, "2", 1);
		put_bytes(&dir, lines_file, &changed);
		CHECK(names(&dir, FINDING_CHANGED, which[i]));
		CHECK(report.findings == 1);
	}
}

TEST(a_missing_record_is_named)
{
	static const size_t which[] = {0, 17, 255, 256, 511, 512, 698};
	own(scratch) dir = sample();

	for (size_t i = 0; i < ARRAY_LEN(which); i++) {
		replace(line_at(which[i]), line_at(which[i] + 1), "", 0);
		put_bytes(&dir, lines_file, &changed);
		CHECK(names(&dir, FINDING_MISSING, which[i]));
	}
	replace(line_at(699), line_at(700), "", 0);
	put_bytes(&dir, lines_file, &changed);
	CHECK(names(&dir, FINDING_TRUNCATED, 699));
}

TEST(records_that_changed_places_are_named)
{
	static const size_t which[] = {0, 16, 254, 256, 698};
	own(scratch) dir = sample();

	for (size_t i = 0; i < ARRAY_LEN(which); i++) {
		size_t a = line_at(which[i]), b = line_at(which[i] + 1), c = line_at(which[i] + 2);
		static char turned[65536];

		memcpy(turned, whole.data + b, c - b);
		memcpy(turned + (c - b), whole.data + a, b - a);
		replace(a, c, turned, c - a);
		put_bytes(&dir, lines_file, &changed);
		(void)findings(&dir, NULL, 0);
		CHECK(report.findings >= 2);
		for (size_t k = 0; k < report.listed; k++)
			CHECK(report.list[k].kind == FINDING_MOVED ||
			      report.list[k].kind == FINDING_PAIRING);
	}
	/* Across the border of two tiles. */
	{
		size_t a = line_at(255), b = line_at(256), c = line_at(257);
		static char turned[65536];

		memcpy(turned, whole.data + b, c - b);
		memcpy(turned + (c - b), whole.data + a, b - a);
		replace(a, c, turned, c - a);
		put_bytes(&dir, lines_file, &changed);
		(void)findings(&dir, NULL, 0);
		CHECK(report.list[0].kind == FINDING_MOVED && report.list[0].index == 255);
	}
}

TEST(a_line_that_was_put_in_is_named)
{
	own(scratch) dir = sample();
	size_t at = line_at(100);
	static const char line[] =
		"{\"kind\":\"denied\",\"time\":\"2026-01-01T00:00:00.123Z\",\"v\":1}\n";

	replace(at, at, line, sizeof(line) - 1);
	put_bytes(&dir, lines_file, &changed);
	CHECK(names(&dir, FINDING_ADDED, 100));
	replace(at, at, "garbage\n", 8);
	put_bytes(&dir, lines_file, &changed);
	CHECK(names(&dir, FINDING_LINE, 100));
	replace(whole.len, whole.len, "{\"kind", 6);
	put_bytes(&dir, lines_file, &changed);
	CHECK(names(&dir, FINDING_LINE, RECORDS));
	replace(whole.len, whole.len, "\0\0\0x", 4);
	put_bytes(&dir, lines_file, &changed);
	CHECK(names(&dir, FINDING_SEGMENT, RECORDS));
	/* Zeros are what the writer leaves. */
	replace(whole.len, whole.len, "\0\0\0", 3);
	put_bytes(&dir, lines_file, &changed);
	CHECK(findings(&dir, NULL, 0) == 0);
}

TEST(a_shortened_log_is_named)
{
	own(scratch) dir = sample();

	for (size_t size = 0; size < RECORDS; size += 1 + size / 3) {
		replace(line_at(size), whole.len, "", 0);
		put_bytes(&dir, lines_file, &changed);
		CHECK(names(&dir, FINDING_TRUNCATED, size));
	}
	CHECK(unlinkat(dir.fd, lines_file, 0) == 0);
	CHECK(names(&dir, FINDING_SEGMENT, 0));
}

static uint64_t chance;

static size_t below(size_t n)
{
	chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)((chance >> 33) % n);
}

/* One of the things that somebody might do to the lines; false: it did nothing. */
static bool tamper(unsigned how)
{
	size_t a = line_at(below(RECORDS)), b = line_at(below(RECORDS)), len = 1 + below(600);
	static char copy[FILE_MAX];
	size_t end =
		(size_t)((const char *)memchr(whole.data + a, '\n', whole.len - a) - whole.data) +
		1;

	memcpy(copy, whole.data + a, end - a);
	switch (how) {
	case 0: /* bytes are other ones */
		replace(a + 3, a + 4, "#", 1);
		break;
	case 1: /* bytes are gone */
		a = below(whole.len - 600);
		replace(a, a + len, "", 0);
		break;
	case 2: /* a line is there twice */
		replace(b, b, copy, end - a);
		break;
	case 3: /* several lines are gone */
		if (a >= b)
			return false;
		replace(a, b, "", 0);
		break;
	case 4: /* the end is gone */
		replace(below(whole.len), whole.len, "", 0);
		break;
	default: /* a line becomes another line */
		replace(b, b + (end - a), copy, end - a);
		break;
	}
	return changed.len != whole.len || memcmp(changed.data, whole.data, whole.len) != 0;
}

TEST(whatever_is_done_to_the_lines_is_found)
{
	own(scratch) dir = sample();

	for (unsigned round = 0; round < 400; round++) {
		if (!tamper(round % 6))
			continue;
		put_bytes(&dir, lines_file, &changed);
		if (findings(&dir, NULL, 0) == 0 || report.list[0].text[0] == '\0') {
			printf("# round %u\n", round);
			CHECK(false);
		}
	}
}

/* Opening looks at what is new, not at everything; but what it signs is the history of the tiles.
 */
TEST(a_log_that_went_on_after_a_change_still_tells)
{
	own(scratch) dir = sample();
	size_t at = line_at(3);
	const char *time = memmem(whole.data + at, whole.len - at, "2026-01-01", 10);

	replace((size_t)(time - whole.data) + 9, (size_t)(time - whole.data) + 10, "2", 1);
	put_bytes(&dir, lines_file, &changed);
	CHECK(auditlog_make(dir.path, RECORDS + 400, &err) == 0);
	CHECK(names(&dir, FINDING_CHANGED, 3));
	CHECK(report.findings == 1);
}

TEST(damaged_tiles_are_told_from_damaged_records)
{
	own(scratch) dir = sample();
	struct bytes *tile = &changed;

	get_bytes(&dir, "tile/0/001", tile);
	tile->data[100] = (char)(tile->data[100] ^ 1);
	put_bytes(&dir, "tile/0/001", tile);
	CHECK(names(&dir, FINDING_TILE, UINT64_MAX) && report.findings == 1);
	CHECK_STR(report.list[0].text, "tile/0/001 is not made from the records");
	CHECK(unlinkat(dir.fd, "tile/0/001", 0) == 0);
	CHECK(names(&dir, FINDING_TILE, UINT64_MAX) && report.findings == 1);
	CHECK_STR(report.list[0].text, "tile/0/001 is missing");
}

TEST(records_changed_together_with_their_tiles_do_not_give_the_signed_root)
{
	own(scratch) dir = sample(), other = scratch_make();
	struct log *l = log_open(other.path, NULL, &err);
	static const char *const copied[] = {lines_file,       "tile/0/000",
					     "tile/0/001",     "tile/0/002.p/188",
					     "tile/1/000.p/2", "log/00000000.offsets"};
	struct receipt receipt;
	static const char line[] =
		"{\"kind\":\"denied\",\"time\":\"2026-01-01T00:00:00.123Z\",\"v\":1}";

	/* The same length, another history. */
	CHECK(auditlog_grow(l, 100, &err) == 0);
	for (int i = 0; i < 2; i++)
		CHECK(log_append(l, &(struct log_line){line, sizeof(line) - 1}, 1, &receipt,
				 &err) == 1);
	CHECK(auditlog_grow(l, RECORDS, &err) == 0);
	log_close(l);
	for (size_t i = 0; i < ARRAY_LEN(copied); i++) {
		get_bytes(&other, copied[i], &changed);
		put_bytes(&dir, copied[i], &changed);
	}
	CHECK(names(&dir, FINDING_CHECKPOINT, UINT64_MAX));
}

/* Somebody with the key writes another history: only what was put elsewhere tells. */
/* The checkpoint was read, and a moment later the writer goes on. */
TEST(a_tile_that_was_filled_meanwhile_is_not_missing)
{
	own(scratch) dir = sample();
	own_mem struct bytes *tile = calloc(1, sizeof(*tile));

	get_bytes(&dir, "tile/0/002.p/188", tile);
	CHECK(unlinkat(dir.fd, "tile/0/002.p/188", 0) == 0);
	CHECK(findings(&dir, NULL, 0) == 1 && report.list[0].kind == FINDING_TILE);
	tile->len = 256 * HASH_BYTES;
	put_bytes(&dir, "tile/0/002", tile);
	CHECK(findings(&dir, NULL, 0) == 0);
	tile->data[100 * HASH_BYTES] ^= 1;
	put_bytes(&dir, "tile/0/002", tile);
	CHECK(findings(&dir, NULL, 0) == 1 && report.list[0].kind == FINDING_TILE);
}

TEST(there_may_be_thousands_of_anchors)
{
	enum { MANY = 3000 };
	own(scratch) dir = sample();
	own_mem struct anchor *anchors = calloc(MANY, sizeof(*anchors));
	struct bytes text;

	get_bytes(&dir, "checkpoint", &text);
	for (size_t i = 0; i < MANY; i++)
		anchors[i] = (struct anchor){"file", text.data, text.len};
	CHECK(findings(&dir, anchors, MANY) == 0);
}

TEST(anchors_find_what_the_owner_of_the_key_did)
{
	own(scratch) dir = sample(), other = scratch_make();
	struct bytes key, anchor_text;
	struct anchor anchor = {.name = "syslog", .text = anchor_text.data};
	struct log *l;

	get_bytes(&dir, "checkpoint", &anchor_text);
	anchor.len = anchor_text.len;
	CHECK(findings(&dir, &anchor, 1) == 0);
	CHECK(auditlog_make(dir.path, RECORDS + 100, &err) == 0);
	CHECK(findings(&dir, &anchor, 1) == 0); /* grown since */

	get_bytes(&dir, "key", &key);
	put_bytes(&other, "key", &key);
	get_bytes(&dir, "key.pub", &key);
	put_bytes(&other, "key.pub", &key);
	CHECK(auditlog_make(other.path, RECORDS - 1, &err) == 0);
	CHECK(findings(&other, NULL, 0) == 0); /* by itself it is a fine log */
	CHECK(findings(&other, &anchor, 1) == 1 && report.list[0].kind == FINDING_TRUNCATED);
	CHECK_STR(report.list[0].text, "syslog: 700 records were anchored, but the log has 699");

	l = log_open(other.path, NULL, &err);
	{
		struct receipt receipt;
		static const char line[] =
			"{\"kind\":\"denied\",\"time\":\"2026-01-01T00:00:00.123Z\",\"v\":1}";

		CHECK(log_append(l, &(struct log_line){line, sizeof(line) - 1}, 1, &receipt,
				 &err) == 1);
	}
	log_close(l);
	CHECK(findings(&other, &anchor, 1) == 1 && report.list[0].kind == FINDING_ANCHOR);
	anchor_text.data[3] ^= 1;
	CHECK(findings(&dir, &anchor, 1) == 1 && report.list[0].kind == FINDING_ANCHOR);
}

TEST(calls_without_beginning_or_end_are_told)
{
	own(scratch) dir = scratch_make();
	struct log *l = log_open(dir.path, NULL, &err);
	struct record r = {.kind = RECORD_FINISHED, .id = "bj-nobody", .time_ms = 5};
	struct receipt receipt;
	own(buf) line;

	CHECK(auditlog_grow(l, 3, &err) == 0);
	buf_init(&line, RECORD_MAX);
	CHECK(record_write(&r, &line, &err) == 0);
	CHECK(log_append(l, &(struct log_line){line.data, line.len}, 1, &receipt, &err) == 1);
	log_close(l);
	CHECK(names(&dir, FINDING_PAIRING, 3));
	CHECK(report.open == 1 && report.backward == 1 && report.findings == 1);
}

/* Each record has its writer's time, and writers wait for each other. */
TEST(a_moment_earlier_is_no_clock_that_went_backward)
{
	own(scratch) dir = scratch_make();
	struct log *l = log_open(dir.path, NULL, &err);
	static const uint64_t times[] = {1700000009000, 1700000000000, 1700000009000,
					 1699999990000};

	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		struct record r = {.kind = RECORD_POLICY_LOADED, .time_ms = times[i]};
		struct receipt receipt;
		own(buf) line;

		buf_init(&line, RECORD_MAX);
		CHECK(record_write(&r, &line, &err) == 0);
		CHECK(log_append(l, &(struct log_line){line.data, line.len}, 1, &receipt, &err) ==
		      1);
	}
	log_close(l);
	CHECK(findings(&dir, NULL, 0) == 0 && report.backward == 1);
}

static uint64_t told;

static void progress(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	CHECK(done <= total);
	told++;
}

TEST(a_log_that_grows_meanwhile_is_fine_and_progress_is_told)
{
	own(scratch) dir = scratch_make();
	struct log *l = log_open(dir.path, NULL, &err);
	const struct verify_options options = {.progress = progress};

	CHECK(auditlog_grow(l, 9000, &err) == 0 && log_checkpoint(l, &err) == 0);
	CHECK(auditlog_grow(l, 9100, &err) == 0);
	CHECK(verify_log(dir.path, &options, &report, &err) == 0);
	CHECK(report.findings == 0 && report.records == 9100 && report.signed_records == 9000);
	CHECK(told == 3);
	log_close(l);
}
