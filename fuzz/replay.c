/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - runs a fuzz target over its corpus, then over changed copies of it for a second.
 *
 * No engine, any compiler: what was found once stays found.  The changes come
 * from a fixed seed, so that a failure comes back.  The target runs in a child
 * while the input lies in shared memory: when the child dies, the input that
 * killed it is still here and is written to a file.
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"

enum { INPUT_MAX = 1 << 16, CORPUS_MAX = 1024, MUTATE_US = 1000000 };

struct input {
	size_t size;
	uint8_t data[INPUT_MAX];
};

static struct input *shared; /* what the target sees now */
static struct input *corpus; /* CORPUS_MAX of them */
static size_t corpus_size;
static uint64_t noise_state = 0x9e3779b97f4a7c15;

static uint64_t noise(void) /* xorshift64 */
{
	noise_state ^= noise_state << 13;
	noise_state ^= noise_state >> 7;
	noise_state ^= noise_state << 17;
	return noise_state;
}

/* A copy of exactly that size, so that a sanitizer sees one byte too far. */
static void run_shared(void)
{
	uint8_t *copy = malloc(shared->size ? shared->size : 1);

	if (!copy)
		abort();
	memcpy(copy, shared->data, shared->size);
	(void)LLVMFuzzerTestOneInput(copy, shared->size);
	free(copy);
}

static int load(int dir, const char *name)
{
	own_fd fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	struct input *in = &corpus[corpus_size];
	ssize_t n;

	if (fd < 0 || corpus_size == CORPUS_MAX)
		return -1;
	n = read(fd, in->data, INPUT_MAX);
	if (n < 0)
		return -1;
	in->size = (size_t)n;
	corpus_size++;
	return 0;
}

static int skip_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int load_corpus(const char *path)
{
	own_fd dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent **names;
	int n, failed = 0;

	n = dir < 0 ? -1 : scandir(path, &names, skip_hidden, alphasort);
	if (n < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		failed |= load(dir, names[i]->d_name) < 0;
		free(names[i]);
	}
	free(names);
	return failed ? -1 : 0;
}

static void change_one_place(struct input *in)
{
	size_t at = in->size ? noise() % in->size : 0;
	size_t length = in->size ? noise() % (in->size - at) + 1 : 0;

	switch (noise() % 6) {
	case 0: /* one bit */
		in->data[at] ^= (uint8_t)(1u << (noise() % 8));
		break;
	case 1: /* one byte */
		in->data[at] = (uint8_t)noise();
		break;
	case 2: /* the edges of integers */
		memset(in->data + at, noise() & 1 ? 0xff : 0, length < 8 ? length : 8);
		break;
	case 3: /* shorter */
		in->size = at;
		break;
	case 4: /* a piece left out */
		memmove(in->data + at, in->data + at + length, in->size - at - length);
		in->size -= length;
		break;
	default: /* a piece twice */
		if (length > INPUT_MAX - in->size)
			break;
		memmove(in->data + at + length, in->data + at, in->size - at);
		in->size += length;
	}
	if (in->size == 0)
		in->size = 1;
}

static size_t run_changed_copies(void)
{
	uint64_t end = clock_us() + MUTATE_US;
	size_t runs = 0;

	while (corpus_size && clock_us() < end) {
		const struct input *in = &corpus[noise() % corpus_size];

		shared->size = in->size;
		memcpy(shared->data, in->data, in->size);
		for (uint64_t n = noise() % 4 + 1; n > 0; n--)
			change_one_place(shared);
		run_shared();
		runs++;
	}
	return runs;
}

static void run_everything(void)
{
	size_t runs;

	shared->size = 0;
	run_shared();
	for (size_t i = 0; i < corpus_size; i++) {
		shared->size = corpus[i].size;
		memcpy(shared->data, corpus[i].data, corpus[i].size);
		run_shared();
	}
	runs = run_changed_copies();
	printf("%zu inputs, %zu changed copies\n", corpus_size, runs);
	fflush(stdout);
}

static void keep_finding(const char *program)
{
	char name[256];
	own_fd fd = -1;

	(void)snprintf(name, sizeof(name), "%s.crash", program);
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd >= 0 && write(fd, shared->data, shared->size) == (ssize_t)shared->size)
		printf("the input that did it (%zu bytes) is in %s\n", shared->size, name);
	else
		printf("the input that did it could not be written to %s\n", name);
}

int main(int argc, char **argv)
{
	size_t room = CORPUS_MAX * sizeof(struct input);
	int status = 0;
	pid_t child;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	corpus = mmap(NULL, room, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shared == MAP_FAILED || corpus == MAP_FAILED)
		return 1;
	if (argc != 2 || load_corpus(argv[1]) < 0 || corpus_size == 0) {
		fprintf(stderr, "usage: %s CORPUS (a directory with at least one input)\n",
			argv[0]);
		return 1;
	}
	child = fork();
	if (child == 0) {
		run_everything();
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	keep_finding(argv[0]);
	return 1;
}
