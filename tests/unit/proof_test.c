/* SPDX-License-Identifier: Apache-2.0 */
/* proof_test.c - a proof holds by itself, and no other does. */
#include "tap.h"

#include "audit/proof.h"
#include "auditlog.h"
#include "base/own.h"
#include "scratch.h"

static struct error err;
static char room[PROOF_MAX];

static void check_every(const struct scratch *dir, uint64_t size, uint64_t step)
{
	struct log_reader *r = log_reader_open(dir->path, &err);
	const struct note_key key = *log_reader_key(r);
	struct proof p;
	own(buf) text, line;

	buf_init(&text, PROOF_MAX);
	buf_init(&line, RECORD_MAX);
	for (uint64_t i = 0; i < size; i += step) {
		CHECK(proof_make(r, i, true, &text, &err) == 0);
		CHECK(proof_verify(&key, text.data, text.len, &p, room, &err) == 0);
		auditlog_line(i, &line);
		CHECK(p.index == i && p.line.len == line.len &&
		      memcmp(p.line.data, line.data, line.len) == 0);
		CHECK(proof_make(r, i, false, &text, &err) == 0);
		CHECK(proof_verify(&key, text.data, text.len, &p, room, &err) == 0);
		CHECK(!p.line.data && p.checkpoint.size == size);
	}
	CHECK(proof_make(r, size, true, &text, &err) < 0 && err.kind == ERR_NOT_FOUND);
	log_reader_close(r);
}

TEST(every_record_of_logs_of_many_sizes_is_proved)
{
	static const uint64_t sizes[] = {1, 2, 3, 255, 256, 257, 511, 513, 1000};
	own(scratch) dir = scratch_make();

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		CHECK(auditlog_make(dir.path, sizes[i], &err) == 0);
		check_every(&dir, sizes[i], 1 + sizes[i] / 100);
	}
}

TEST(proofs_do_not_need_partial_tiles)
{
	own(scratch) dir = scratch_make();
	char command[200];

	CHECK(auditlog_make(dir.path, 70000, &err) == 0);
	(void)snprintf(command, sizeof(command), "rm -r '%s'/tile/*/*.p", dir.path);
	CHECK(system(command) == 0);
	check_every(&dir, 70000, 9973);
}

TEST(the_growth_of_a_log_is_proved_from_its_tiles)
{
	static const uint64_t sizes[] = {1, 100, 256, 300, 512, 700, 66000};
	own(scratch) dir = scratch_make();
	struct checkpoint at[ARRAY_LEN(sizes)];
	struct log_reader *r = NULL;
	struct tree_path path;

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct tree_source hashes;

		CHECK(auditlog_make(dir.path, sizes[i], &err) == 0);
		log_reader_close(r);
		r = log_reader_open(dir.path, &err);
		hashes = log_reader_hashes(r);
		CHECK(log_reader_checkpoint(r, &at[i], NULL, &err) == 0);
		for (size_t k = 0; k <= i; k++) {
			CHECK(tree_prove_growth(sizes[k], sizes[i], &hashes, &path, &err) == 0);
			CHECK(tree_extends(sizes[k], &at[k].root, sizes[i], &at[i].root, &path));
		}
	}
	log_reader_close(r);
}

TEST(no_changed_byte_of_a_proof_holds)
{
	own(scratch) dir = scratch_make();
	struct log_reader *r;
	struct proof p;
	own(buf) text;

	buf_init(&text, PROOF_MAX);
	CHECK(auditlog_make(dir.path, 300, &err) == 0);
	r = log_reader_open(dir.path, &err);
	CHECK(proof_make(r, 77, true, &text, &err) == 0);
	for (size_t i = 0; i < text.len; i++)
		for (int bit = 0; bit < 8; bit++) {
			text.data[i] = (char)(text.data[i] ^ 1 << bit);
			if (proof_verify(log_reader_key(r), text.data, text.len, &p, room, &err) ==
			    0) {
				printf("# byte %zu, bit %d\n", i, bit);
				CHECK(false);
			}
			text.data[i] = (char)(text.data[i] ^ 1 << bit);
		}
	for (size_t i = 0; i < text.len; i++)
		CHECK(proof_verify(log_reader_key(r), text.data, i, &p, room, &err) < 0);
	log_reader_close(r);
}

TEST(a_changed_record_gets_no_proof)
{
	own(scratch) dir = scratch_make();
	struct log_reader *r;
	own_fd fd = -1;
	own(buf) text;

	buf_init(&text, PROOF_MAX);
	CHECK(auditlog_make(dir.path, 300, &err) == 0);
	fd = openat(dir.fd, "log/00000000.jsonl", O_WRONLY | O_CLOEXEC);
	CHECK(pwrite(fd, "X", 1, 12) == 1);
	r = log_reader_open(dir.path, &err);
	CHECK(proof_make(r, 0, true, &text, &err) < 0);
	CHECK(proof_make(r, 1, true, &text, &err) == 0);
	log_reader_close(r);
}
