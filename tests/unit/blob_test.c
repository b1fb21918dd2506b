/* SPDX-License-Identifier: Apache-2.0 */
/* blob_test.c - bodies are found by their hash until they are dropped. */
#include "tap.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "audit/blob.h"
#include "base/own.h"
#include "scratch.h"

static struct error err;

TEST(a_body_comes_back_by_its_hash)
{
	own(scratch) dir = scratch_make();
	struct hash h, again, other;
	struct blobs b;
	own(buf) body;

	buf_init(&body, 1000);
	CHECK(blobs_open(&b, dir.fd, &err) == 0);
	CHECK(blob_put(&b, "hello", 5, &h, &err) == 0);
	CHECK(blob_put(&b, "hello", 5, &again, &err) == 0 && hash_equal(&h, &again));
	CHECK(blob_get(&b, &h, &body, &err) == 0);
	CHECK_STR(buf_str(&body), "hello");
	hash_bytes("x", 1, &other);
	CHECK(blob_get(&b, &other, &body, &err) < 0 && err.kind == ERR_NOT_FOUND);
	CHECK(blob_put(&b, "", 0, &h, &err) == 0 && blob_get(&b, &h, &body, &err) == 0);
	CHECK(body.len == 0);
	body.limit = 3;
	CHECK(blob_get(&b, &again, &body, &err) < 0);
	blobs_close(&b);
}

TEST(a_changed_body_is_refused_and_a_torn_one_is_replaced)
{
	static const char path[] =
		"blob/2c/f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
	own(scratch) dir = scratch_make();
	own_fd fd = -1;
	struct hash h;
	struct blobs b;
	own(buf) body;

	buf_init(&body, 1000);
	CHECK(blobs_open(&b, dir.fd, &err) == 0);
	CHECK(blob_put(&b, "hello", 5, &h, &err) == 0);
	fd = openat(dir.fd, path, O_WRONLY | O_CLOEXEC);
	CHECK(pwrite(fd, "j", 1, 0) == 1);
	CHECK(blob_get(&b, &h, &body, &err) < 0 && err.kind == ERR_CONFIG);
	CHECK(ftruncate(fd, 0) == 0);
	CHECK(blob_put(&b, "hello", 5, &h, &err) == 0);
	CHECK(blob_get(&b, &h, &body, &err) == 0);
	blobs_close(&b);
}

/* Calls with the same output that end together. */
static int put_again_and_again(int dir, char *body, size_t len)
{
	struct blobs b;
	struct hash h;
	int failed = blobs_open(&b, dir, &err) < 0;

	for (char i = 0; i < 40 && !failed; i++) {
		body[0] = i;
		failed = blob_put(&b, body, len, &h, &err) < 0;
	}
	return failed;
}

TEST(many_may_put_the_same_body_at_once)
{
	enum { AT_ONCE = 6, LEN = 400000 };
	own(scratch) dir = scratch_make();
	own_mem char *body = calloc(1, LEN);
	pid_t children[AT_ONCE];
	int status, failed = 0;

	for (int i = 0; i < AT_ONCE; i++) {
		children[i] = fork();
		if (children[i] == 0)
			_exit(put_again_and_again(dir.fd, body, LEN));
	}
	for (int i = 0; i < AT_ONCE; i++)
		failed += waitpid(children[i], &status, 0) != children[i] || status != 0;
	CHECK(failed == 0);
}

TEST(old_bodies_are_dropped_and_used_ones_stay)
{
	own(scratch) dir = scratch_make();
	const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	uint64_t dropped = 0, bytes = 0;
	struct hash a, c;
	struct blobs b;
	own(buf) body;

	buf_init(&body, 1000);
	CHECK(blobs_open(&b, dir.fd, &err) == 0);
	CHECK(blob_put(&b, "hello", 5, &a, &err) == 0);
	CHECK(utimensat(dir.fd,
			"blob/2c/f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
			old, 0) == 0);
	CHECK(blob_put(&b, "other", 5, &c, &err) == 0);
	CHECK(blob_expire(&b, 999, &dropped, &bytes, &err) == 0 && dropped == 0);
	CHECK(blob_expire(&b, 2000, &dropped, &bytes, &err) == 0);
	CHECK(dropped == 1 && bytes == 5);
	CHECK(blob_get(&b, &a, &body, &err) < 0 && err.kind == ERR_NOT_FOUND);
	CHECK(blob_get(&b, &c, &body, &err) == 0);
	blobs_close(&b);
}

TEST(modes_have_names)
{
	for (int i = 0; i < BLOB_MODE_COUNT; i++)
		CHECK(blob_mode_by_name(blob_mode_name((enum blob_mode)i)) == i);
	CHECK(blob_mode_by_name("all") < 0);
}
