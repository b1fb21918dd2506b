/* SPDX-License-Identifier: Apache-2.0 */
/* execute.c - a process becomes a program, found as a shell finds it. */
#include "sandbox/native/execute.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

/* Says why exec failed; not on the board, where an error means that nothing runs: the next
 * directory may have it. */
static void note_exec_error(const char *name, const char *path, struct error *err)
{
	struct stat st;

	if (errno == ENOENT && lstat(path, &st) == 0)
		(void)fail(err, ERR_NOT_FOUND,
			   "%.200s: its interpreter or loader is not in the box", path);
	else if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG)
		(void)fail(err, ERR_NOT_FOUND, "%.200s: no such program in the box", name);
	else if (errno == ENOEXEC)
		(void)fail(err, ERR_REFUSED,
			   "%.200s: not executable (neither a binary of this machine nor #!)",
			   path);
	else if (errno == EACCES || errno == EPERM || errno == EISDIR)
		(void)fail(err, ERR_REFUSED, "%.200s: may not be executed", path);
	else
		(void)fail_sys(err, "execute %.200s", path);
}

struct attempt {
	char *const *argv;
	char *const *env;
	uint64_t *start_us;
};

/* The first refusal counts for more than a later "no such program". */
static void try_exec(const struct attempt *a, const char *path, struct error *err)
{
	*a->start_us = clock_us();
	(void)execve(path, a->argv, a->env);
	if (err->kind == ERR_NONE || err->kind == ERR_NOT_FOUND)
		note_exec_error(a->argv[0], path, err);
}

static const char *path_variable(char *const *env)
{
	for (; *env; env++)
		if (strncmp(*env, "PATH=", 5) == 0)
			return *env + 5;
	return "/usr/local/bin:/usr/bin:/bin";
}

void execute(char *const *argv, char *const *env, uint64_t *start_us, struct error *err)
{
	const struct attempt a = {argv, env, start_us};
	const char *name = argv[0];
	const char *dirs = path_variable(env);

	if (strchr(name, '/') || name[0] == '\0') {
		try_exec(&a, name, err);
		return;
	}
	for (;;) {
		size_t len = strcspn(dirs, ":");
		char path[4096];

		if (snprintf(path, sizeof(path), "%.*s/%s", (int)len, dirs, name) <
		    (int)sizeof(path))
			try_exec(&a, path, err);
		if (dirs[len] == '\0')
			return;
		dirs += len + 1;
	}
}
