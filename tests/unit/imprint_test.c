/* SPDX-License-Identifier: Apache-2.0 */
/* imprint_test.c - copies of a process that sleep: what they have of their own, and that nothing is
 * lost. */
#include "keeper/imprint.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "tap.h"

enum { BLOCKS = 64, BLOCK = 6000, PAGE = 4096 };

static struct imprint imprint;
static bool laid;
static char variables[20 * PAGE], untouched[20 * PAGE];
static char *blocks[BLOCKS];

static bool is_laid(void)
{
	struct error err = {0};

	for (size_t i = 0; i < BLOCKS && !laid; i++) {
		blocks[i] = malloc(BLOCK);
		memset(blocks[i], (int)i, BLOCK);
		memset(variables, 7, sizeof(variables));
	}
	laid = laid || imprint_take(&imprint, &err) == 0;
	if (!laid)
		printf("# SKIP %s\n", err.text);
	return laid;
}

/* KiB that nobody else has. */
static long own_kib(void)
{
	char text[4096];
	int fd = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	const char *at;

	(void)close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, "Anonymous:");
	return at ? strtol(at + 10, NULL, 10) : -1;
}

static long own_kib_of(pid_t pid)
{
	char path[64], text[4096];
	int fd;
	ssize_t n;
	const char *at;

	(void)snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, "Anonymous:");
	return at ? strtol(at + 10, NULL, 10) : -1;
}

/* A little in each page, and some that is new. */
static char *change(int by)
{
	char *fresh = malloc(3 * PAGE);

	for (size_t i = 0; i < BLOCKS; i++)
		blocks[i][i] = (char)by;
	for (size_t i = 0; i < sizeof(variables); i += PAGE)
		variables[i + 5] = (char)by;
	for (size_t i = 0; i < sizeof(untouched); i += PAGE)
		untouched[i + 9] = (char)by;
	memset(fresh, by, 3 * PAGE);
	return fresh;
}

static bool is_as_changed(int by, const char *fresh)
{
	for (size_t i = 0; i < BLOCKS; i++)
		for (size_t j = 0; j < BLOCK; j++)
			if (blocks[i][j] != (char)(j == i ? by : (int)i))
				return false;
	for (size_t i = 0; i < sizeof(variables); i++)
		if (variables[i] != (char)(i % PAGE == 5 ? by : 7) ||
		    untouched[i] != (char)(i % PAGE == 9 ? by : 0))
			return false;
	for (size_t i = 0; i < 3 * PAGE; i++)
		if (fresh[i] != (char)by)
			return false;
	return true;
}

static int wait_for(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + status;
}

/* As whoever is made after it. */
static int live(int by, int from, int to)
{
	char *fresh = change(by), byte;
	struct pollfd one = {.fd = from, .events = POLLIN};

	for (int i = 0; i < 50; i++) {
		if (imprint_poll(&imprint, &one, 1, i == 49 ? -1 : 1) < 0)
			return 1;
		if (!is_as_changed(by, fresh))
			return 2;
		free(malloc(100 * (size_t)i));
	}
	if (one.revents != POLLIN || read(from, &byte, 1) != 1 || byte != (char)by)
		return 3;
	/* And again: somebody looks meanwhile. */
	if (write(to, &byte, 1) != 1 || imprint_poll(&imprint, &one, 1, -1) != 1)
		return 4;
	return is_as_changed(by, fresh) ? 0 : 5;
}

struct copy {
	pid_t pid;
	int in, out;
};

static struct copy begin(int by)
{
	int in[2], out[2];
	struct copy c = {-1, -1, -1};

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		return c;
	c.pid = fork();
	if (c.pid == 0) {
		(void)close(in[1]);
		_exit(live(by, in[0], out[1]));
	}
	c.in = in[1];
	c.out = out[0];
	(void)close(in[0]);
	(void)close(out[1]);
	return c;
}

TEST(two_copies_sleep_and_each_has_its_own)
{
	char byte;
	struct copy c[2];

	if (!is_laid())
		return;
	for (int i = 0; i < 2; i++)
		c[i] = begin(40 + i);
	for (int i = 0; i < 2; i++) {
		byte = (char)(40 + i);
		CHECK(write(c[i].in, &byte, 1) == 1);
		CHECK(read(c[i].out, &byte, 1) == 1 && byte == 40 + i);
	}
	/* They sleep now, or will in a moment. */
	for (int i = 0; i < 2; i++) {
		long own = 1000;

		for (int tries = 0; tries < 1500 && own > 200; tries++) {
			own = own_kib_of(c[i].pid);
			(void)usleep(10000);
		}
		printf("# own %ld KiB\n", own);
		CHECK(own > 0 && own <= 200);
		CHECK(write(c[i].in, &byte, 1) == 1);
		CHECK(wait_for(c[i].pid) == 0);
		(void)close(c[i].in);
		(void)close(c[i].out);
	}
}

/* The same without it: what a copy changes it has for itself. */
TEST(one_that_waits_otherwise_keeps_its_pages)
{
	pid_t pid;

	if (!is_laid())
		return;
	pid = fork();
	if (pid == 0) {
		struct pollfd none = {.fd = -1};

		(void)change(3);
		(void)poll(&none, 1, 1);
		_exit(own_kib() > 300 ? 0 : 1);
	}
	CHECK(wait_for(pid) == 0);
}

TEST(without_one_it_is_poll)
{
	struct imprint none = {0};
	struct pollfd one = {.fd = -1};

	CHECK(imprint_poll(NULL, &one, 1, 0) == 0);
	CHECK(imprint_poll(&none, &one, 1, 1) == 0);
	CHECK(imprint_poll(&none, (struct pollfd *)1, 1, 0) == -1 && errno == EFAULT);
	if (is_laid())
		CHECK(imprint_poll(&imprint, (struct pollfd *)1, 1, 0) == -1 && errno == EFAULT);
}

/* Whoever captures a keeper has what it maps. */
TEST(nobody_can_write_what_all_have)
{
	int fd = memfd_create("twin", MFD_CLOEXEC);
	char *twin;

	if (!is_laid())
		return;
	CHECK(mprotect((void *)imprint.view, PAGE, PROT_READ | PROT_WRITE) < 0 && errno == EACCES);
	CHECK(ftruncate(fd, PAGE) == 0);
	twin = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(twin != MAP_FAILED && mprotect(twin, PAGE, PROT_READ | PROT_WRITE) == 0);
	(void)close(fd);
}

TEST(what_was_freed_and_more_is_used_again)
{
	pid_t pid;

	if (!is_laid())
		return;
	pid = fork();
	if (pid == 0) {
		struct pollfd none = {.fd = -1};
		char *many[200];

		for (int round = 0; round < 20; round++) {
			for (size_t i = 0; i < 200; i++) {
				many[i] = calloc(1, 1000 + 37 * i);
				for (size_t j = 0; j < 1000 + 37 * i; j++)
					if (many[i][j] != 0)
						_exit(1);
				memset(many[i], (int)i + round, 1000 + 37 * i);
			}
			(void)imprint_poll(&imprint, &none, 1, 1);
			for (size_t i = 0; i < 200; i++) {
				for (size_t j = 0; j < 1000 + 37 * i; j++)
					if (many[i][j] != (char)((int)i + round))
						_exit(2);
				free(many[i]);
			}
			(void)malloc_trim(0);
			(void)imprint_poll(&imprint, &none, 1, 1);
		}
		_exit(0);
	}
	CHECK(wait_for(pid) == 0);
}
