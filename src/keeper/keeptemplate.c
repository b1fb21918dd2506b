/* SPDX-License-Identifier: Apache-2.0 */
/* keeptemplate.c - whose interpreter may begin as a template, and how it is told to. */
#include "keeper/keeptemplate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "call/inside.h"
#include "gate/steps.h"

/* Before the key is a library, behind it what a box wrote: warm/copy_image.h. */
enum { TEMPLATE_KEY_AT = 60 << 10, TEMPLATE_BYTES = 256 << 20 };
enum { SEALS = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };
#define CONTENT_MOST (64LL << 20)

extern const char wake_library_start[], wake_library_end[];

bool template_is_known(void)
{
	return wake_library_end - wake_library_start > 0;
}

/* What an interpreter looks at when it starts: another value would have made another one.  The
 * rest it is given when it has become the template. */
static bool counts(const char *variable)
{
	static const char *const beginnings[] = {
		"PYTHON", "LC_",    "LANG=", "LANGUAGE=", "LD_",      "TZ=",     "MALLOC_",
		"GLIBC_", "TZDIR=", "HOME=", "PATH=",     "LOCPATH=", "NLSPATH", "GCONV_"};

	for (size_t i = 0; i < ARRAY_LEN(beginnings); i++)
		if (strncmp(variable, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

void template_keep_counting(char **env)
{
	char **to = env;

	for (; *env; env++)
		if (counts(*env))
			*to++ = *env;
	*to = NULL;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In one order, each with its NUL; -1: too long. */
static int write_key(char *const *argv, char *const *env, char ret[static TEMPLATE_KEY_MAX])
{
	const char *words[128];
	size_t n = 0, at = 0;

	for (; *env; env++) {
		if (!counts(*env))
			continue;
		if (n == ARRAY_LEN(words))
			return -1;
		words[n++] = *env;
	}
	qsort(words, n, sizeof(*words), by_text);
	for (size_t i = 0; i <= n; i++) {
		const char *word = i ? words[i - 1] : argv[0];

		if (strlen(word) + 1 > TEMPLATE_KEY_MAX - at)
			return -1;
		memcpy(ret + at, word, strlen(word) + 1);
		at += strlen(word) + 1;
	}
	return (int)at;
}

static bool loads_another(char *const *env)
{
	for (; *env; env++)
		if (strncmp(*env, "LD_PRELOAD=", 11) == 0)
			return true;
	return false;
}

bool template_fits(int file, char *const *argv, char *const *env, char *why, size_t room)
{
	char mine[TEMPLATE_KEY_MAX], theirs[TEMPLATE_KEY_MAX];
	int len = write_key(argv, env, mine);
	uint32_t their_len = 0;

	if (file < 0) {
		(void)snprintf(why, room, "there is no template yet");
		return false;
	}
	if (pread(file, &their_len, sizeof(their_len), TEMPLATE_KEY_AT) != sizeof(their_len) ||
	    len < 0 || their_len != (uint32_t)len || loads_another(env) ||
	    pread(file, theirs, their_len, TEMPLATE_KEY_AT + sizeof(their_len)) != len ||
	    memcmp(mine, theirs, (size_t)len) != 0) {
		(void)snprintf(why, room,
			       "its interpreter or its variables are not the template's");
		return false;
	}
	return true;
}

char **template_env(struct arena *a, char **env, struct error *err)
{
	char *load = arena_printf(a, err, "LD_PRELOAD=/proc/self/fd/%d", INSIDE_MORE_FD);

	return load ? environment_with(a, env, load, err) : NULL;
}

/* It may hold so much and no more, whoever writes into it. */
int template_begin(struct error *err)
{
	size_t len = (size_t)(wake_library_end - wake_library_start);
	own_fd fd = memfd_create("belljar-template", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return fail_sys(err, "make a template");
	if (len > TEMPLATE_KEY_AT)
		return fail(err, ERR_INTERNAL, "the library of templates is too large");
	if (fd_write_all(fd, wake_library_start, len, err) < 0)
		return -1;
	if (ftruncate(fd, TEMPLATE_BYTES) < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW) < 0)
		return fail_sys(err, "make a template");
	return take_fd(&fd);
}

/* What is to run before all else must be ours: it is written again. */
static int write_library(int file, struct error *err)
{
	size_t len = (size_t)(wake_library_end - wake_library_start);

	if (pwrite(file, wake_library_start, len, 0) != (ssize_t)len)
		return fail_sys(err, "write a template");
	return 0;
}

/* Where it is empty from: whoever maps and reads that would fill it with pages that nobody's limit
 * holds any more once he is gone. */
static off_t end_of(int file)
{
	off_t end = 0, data;

	while ((data = lseek(file, end, SEEK_DATA)) >= 0) {
		off_t hole = lseek(file, data, SEEK_HOLE);

		if (hole <= data)
			return -1;
		end = hole;
	}
	return errno == ENXIO ? end : -1;
}

/* The library and what is read of it are for all; nothing of it can be changed by anybody else than
 * its owner, not even what a seal does not cover: attributes, times. */
static int close_up(int file, struct error *err)
{
	off_t end = end_of(file);

	if (end < 0)
		return fail_sys(err, "measure a template");
	if (end > CONTENT_MOST)
		return fail(err, ERR_REFUSED, "the template is too large");
	if (ftruncate(file, end) < 0 || fchmod(file, 0444) < 0 ||
	    fcntl(file, F_ADD_SEALS, SEALS) < 0)
		return fail_sys(err, "seal a template");
	return 0;
}

int template_finish(int file, char *const *argv, char *const *env, struct error *err)
{
	char key[TEMPLATE_KEY_MAX];
	int len = write_key(argv, env, key);
	uint32_t prefix = (uint32_t)len;

	if (len < 0)
		return fail(err, ERR_CONFIG, "the variables of a session are too long");
	if (write_library(file, err) < 0)
		return -1;
	if (pwrite(file, &prefix, sizeof(prefix), TEMPLATE_KEY_AT) != sizeof(prefix) ||
	    pwrite(file, key, (size_t)len, TEMPLATE_KEY_AT + sizeof(prefix)) != len)
		return fail_sys(err, "write a template");
	return close_up(file, err);
}
