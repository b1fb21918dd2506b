/* SPDX-License-Identifier: Apache-2.0 */
/* owncompile.c - the owner's rules: compiled by belljar-patterns, kept in a cache.
 *
 * Starting the helper and compiling takes tens of milliseconds, so what came of it is kept in a
 * file named after the patterns and the library.  A cache that cannot be written is no error; one
 * that cannot be trusted (another owner, others may write) is not read.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "redact/patterns.h"

static int cache_name(const char *cache, uint64_t key, const char *more, char *ret, size_t room)
{
	return snprintf(ret, room, "%s/patterns-%016" PRIx64 "%s", cache, key, more) < (int)room
		       ? 0
		       : -1;
}

static int load_fd(int fd, uint64_t key, struct patterns *ret, struct error *err)
{
	struct stat st;
	void *data;
	int result;

	if (fstat(fd, &st) < 0)
		return fail_sys(err, "patterns");
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size > PATTERNS_BYTES_MAX * 2LL)
		return fail(err, ERR_CONFIG, "patterns: of impossible size");
	if (st.st_uid != geteuid() || (st.st_mode & 022))
		return fail(err, ERR_CONFIG, "patterns: others may write them");
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return fail_sys(err, "map patterns");
	result = patterns_load(data, (size_t)st.st_size, key, ret, err);
	(void)munmap(data, (size_t)st.st_size);
	return result;
}

static int load_cached(const char *cache, uint64_t key, struct patterns *ret)
{
	struct error err = {0};
	char name[PATH_MAX];
	own_fd fd = -1;

	if (!cache || cache_name(cache, key, "", name, sizeof(name)) < 0)
		return -1;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	return fd < 0 ? -1 : load_fd(fd, key, ret, &err);
}

/* The patterns, one in a line, in a file without a name. */
static int write_patterns(const char *const *finds, size_t n, struct error *err)
{
	own_fd fd = memfd_create("patterns", MFD_CLOEXEC);
	FILE *file;

	if (fd < 0)
		return fail_sys(err, "memfd for patterns");
	file = fdopen(dup(fd), "w");
	if (!file)
		return fail_sys(err, "write patterns");
	for (size_t i = 0; i < n; i++)
		(void)fprintf(file, "%s\n", finds[i]);
	if (fclose(file) != 0 || lseek(fd, 0, SEEK_SET) < 0)
		return fail_sys(err, "write patterns");
	return take_fd(&fd);
}

static void become_helper(const char *helper, int in, int out)
{
	static char *const no_environment[] = {NULL};
	char *const argv[] = {(char *)helper, NULL};

	if (dup2(in, 0) < 0 || dup2(out, 1) < 0)
		_exit(126);
	(void)execve(helper, argv, no_environment);
	_exit(127);
}

static int run_helper(const char *helper, int in, int out, struct error *err)
{
	int status = 0;
	pid_t child = fork();

	if (child < 0)
		return fail_sys(err, "start %s", helper);
	if (child == 0)
		become_helper(helper, in, out);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return fail_sys(err, "wait for %s", helper);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return fail(err, ERR_CONFIG, "the redaction rules cannot be compiled (%s says no)",
			    helper);
	return 0;
}

/* Whole or not at all: another process may be at it at the same time. */
static void keep_in_cache(const char *cache, uint64_t key, int from)
{
	char name[PATH_MAX], draft[PATH_MAX], more[32];
	own_fd fd = -1;
	struct stat st;
	off_t at = 0;

	(void)snprintf(more, sizeof(more), ".%ld", (long)getpid());
	if (!cache || cache_name(cache, key, "", name, sizeof(name)) < 0 ||
	    cache_name(cache, key, more, draft, sizeof(draft)) < 0 || fstat(from, &st) < 0)
		return;
	fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	while (at < st.st_size) {
		ssize_t n = copy_file_range(from, &at, fd, NULL, (size_t)(st.st_size - at), 0);
		char piece[65536];

		if (n <= 0) { /* another file system, and an old kernel */
			n = pread(from, piece, sizeof(piece), at);
			if (n <= 0 || write(fd, piece, (size_t)n) != n)
				break;
			at += n;
		}
	}
	if (at < st.st_size || rename(draft, name) < 0)
		(void)unlink(draft);
}

int patterns_own(const char *helper, const char *cache, const char *const *finds, size_t n,
		 struct patterns *ret, struct error *err)
{
	uint64_t key = patterns_key(finds, n);
	own_fd in = -1, out = -1;

	for (size_t i = 0; i < n; i++)
		if (strchr(finds[i], '\n'))
			return fail(err, ERR_CONFIG, "a redaction rule is one line");
	if (load_cached(cache, key, ret) == 0)
		return 0;
	if (!helper)
		return fail(err, ERR_CONFIG, "no belljar-patterns to compile redaction rules with");
	in = write_patterns(finds, n, err);
	if (in < 0)
		return -1;
	out = memfd_create("database", MFD_CLOEXEC);
	if (out < 0)
		return fail_sys(err, "memfd for patterns");
	(void)fchmod(out, 0600); /* load_fd() asks, and a memfd is 0777 */
	if (run_helper(helper, in, out, err) < 0 || load_fd(out, key, ret, err) < 0)
		return -1;
	keep_in_cache(cache, key, out);
	return 0;
}
