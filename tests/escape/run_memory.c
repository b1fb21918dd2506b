/* SPDX-License-Identifier: Apache-2.0 */
/* run_memory.c - attacks the list of programs: run one that was never a file.
 *
 * A copy of this program goes into a memfd and is executed with the word "won".
 * execveat, path: by the kernel.  loader PATH: by ld.so, which maps instead of executing.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "escape.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

static char *const won[] = {(char *)"run_memory", (char *)"won", NULL};
static char *const nothing[] = {NULL};

static int fill_memory(void)
{
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int out = memfd_create("escape", MFD_EXEC);

	if (out < 0 && errno == EINVAL)
		out = memfd_create("escape", 0);
	if (out < 0)
		out = memfd_create("escape", 8U /* MFD_NOEXEC_SEAL */);
	if (out < 0)
		blocked("memfd_create: %m");
	if (in < 0)
		cannot("/proc/self/exe: %m");
	while (sendfile(out, in, NULL, 1 << 20) > 0)
		;
	(void)fchmod(out, 0777);
	return out;
}

static void by_execveat(int argc, char **argv)
{
	int fd;

	(void)argc;
	tried("%s", argv[1]);
	fd = fill_memory();
	end_by(syscall(SYS_execveat, fd, "", won, nothing, AT_EMPTY_PATH), "execveat");
}

static void by_path(int argc, char **argv)
{
	char path[64];

	(void)argc;
	tried("%s", argv[1]);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fill_memory());
	end_by(execve(path, won, nothing), "execve");
}

/* ld.so reports what it could not do and exits; what counts is whether "won" was said. */
static void by_loader(int argc, char **argv)
{
	const char *loader = need_arg(argc, argv, 2, "ld.so");
	char path[64];
	char *const args[] = {(char *)loader, path, (char *)"won", NULL};
	int status = 0;

	tried("%s, of a memfd", loader);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fill_memory());
	if (fork() == 0) {
		(void)execve(loader, args, nothing);
		blocked("exec %s: %m", loader);
	}
	if (wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == ESCAPED)
		escaped("the loader ran it");
	blocked("the loader did not run it");
}

static void say_won(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	escaped("a program that was never a file runs");
}

static const struct way ways[] = {
	{"execveat", by_execveat}, /* by descriptor */
	{"path", by_path},         /* through /proc */
	{"loader", by_loader},     /* through ld.so */
	{"won", say_won},          /* what then runs */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
