/* SPDX-License-Identifier: Apache-2.0 */
/* sharing_test.c - what a process would have in common with those that it forks. */
#include "sandbox/native/sharing.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "tap.h"

TEST(a_line_says_whether_it_is_shared)
{
	static const struct {
		const char *line;
		enum sharing is;
		const char *name;
	} rows[] = {
		{"7f0-7f1 rw-p 00000000 00:00 0", SHARING_NOT, ""},
		{"7f0-7f1 rw-p 00000000 00:00 0                          [heap]", SHARING_NOT,
		 "[heap]"},
		{"7f0-7f1 rw-s 00000000 00:01 78                     /dev/zero (deleted)",
		 SHARING_WRITES, "/dev/zero (deleted)"},
		{"7f0-7f1 r--s 00000000 fe:00 12                     /usr/a b", SHARING_READS,
		 "/usr/a b"},
		{"7f0-7f1 ---s 00000000 00:01 12 ", SHARING_READS, ""},
		{"7f0-7f1 rw-S 00000000 00:00 0", SHARING_UNKNOWN, NULL},
		{"7f0-7f1 rw- 00000000 00:00 0", SHARING_UNKNOWN, NULL},
		{"7f0-7f1 rw-p 00000000", SHARING_UNKNOWN, NULL},
		{"", SHARING_UNKNOWN, NULL},
		{"rw-p", SHARING_UNKNOWN, NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *name = NULL;
		uint64_t start = 0;

		CHECK(sharing_of_line(rows[i].line, &start, &name) == rows[i].is);
		if (!rows[i].name)
			continue;
		CHECK_STR(name, rows[i].name);
		CHECK(start == 0x7f0);
	}
}

/* A child that stands still, with one page mapped like this. */
static pid_t child_with(int flags, int protection, int fd, uint64_t *ret_at)
{
	void *page = mmap(NULL, 4096, protection, flags, fd, 0);
	pid_t child;

	CHECK(page != MAP_FAILED);
	child = fork();
	if (child == 0)
		for (;;)
			(void)pause();
	*ret_at = (uintptr_t)page;
	(void)munmap(page, 4096);
	return child;
}

static int check(pid_t child, const uint64_t *ours, size_t n, struct error *err)
{
	int result;

	*err = (struct error){0};
	result = sharing_check(child, ours, n, err);
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	return result;
}

TEST(what_a_child_shares_is_seen)
{
	const int write = PROT_READ | PROT_WRITE;
	char name[] = "/tmp/belljar-sharing-XXXXXX";
	own_fd file = mkostemp(name, O_CLOEXEC), read_only = -1;
	struct error err;
	uint64_t at;

	CHECK(file >= 0 && ftruncate(file, 4096) == 0);
	read_only = open(name, O_RDONLY | O_CLOEXEC);
	CHECK(check(child_with(MAP_PRIVATE | MAP_ANONYMOUS, write, -1, &at), NULL, 0, &err) == 0);
	CHECK(check(child_with(MAP_PRIVATE, write, file, &at), NULL, 0, &err) == 0);
	CHECK(check(child_with(MAP_SHARED | MAP_ANONYMOUS, write, -1, &at), NULL, 0, &err) < 0);
	CHECK(strstr(err.text, "share memory between calls"));
	CHECK(check(child_with(MAP_SHARED, PROT_READ, file, &at), NULL, 0, &err) < 0);
	/* Somebody else may write to it: its file system lets them. */
	CHECK(check(child_with(MAP_SHARED, PROT_READ, read_only, &at), NULL, 0, &err) < 0);
	(void)unlink(name);
}

TEST(what_is_ours_is_known)
{
	const int write = PROT_READ | PROT_WRITE;
	struct error err;
	uint64_t at = 0, other = 4096;
	pid_t child = child_with(MAP_SHARED | MAP_ANONYMOUS, write, -1, &at);

	CHECK(sharing_check(child, &other, 1, &err) < 0);
	err = (struct error){0};
	CHECK(check(child, &at, 1, &err) == 0);
	/* Of nobody nothing is known. */
	CHECK(sharing_check(child, &at, 1, &err) < 0);
}
