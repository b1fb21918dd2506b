/* SPDX-License-Identifier: Apache-2.0 */
/* run_written.c - attacks the list of programs: write one and run it.
 *
 * exec DIR: a copy of this program.  loader DIR PATH: the copy, by ld.so.  script DIR: a copy
 * called by a #! line.  map DIR, protect DIR: executable pages of a written file.
 * other PATH: a program that is there for others but was not listed for us.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "escape.h"

static char *const nothing[] = {NULL};
static char copy_path[512];

static void copy_myself(int argc, char **argv)
{
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int out;

	(void)snprintf(copy_path, sizeof(copy_path), "%s/escape-copy",
		       need_arg(argc, argv, 2, "directory"));
	out = open(copy_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	if (in < 0 || out < 0)
		cannot("copy to %s: %m", copy_path);
	while (sendfile(out, in, NULL, 1 << 20) > 0)
		;
	(void)close(in);
	(void)close(out);
	tried("%s %s", argv[1], copy_path);
}

/* Runs it in a child and looks for the exit code that only "won" gives. */
static void run(const char *path, char *const *args)
{
	int status = 0;

	if (fork() == 0) {
		(void)execve(path, args, nothing);
		blocked("exec %s: %m", path);
	}
	if (wait(&status) < 0)
		cannot("wait: %m");
	(void)unlink(copy_path);
	if (WIFEXITED(status) && WEXITSTATUS(status) == ESCAPED)
		escaped("it ran");
	blocked("it did not run");
}

static void by_exec(int argc, char **argv)
{
	char *const args[] = {copy_path, (char *)"won", NULL};

	copy_myself(argc, argv);
	run(copy_path, args);
}

static void by_loader(int argc, char **argv)
{
	const char *loader = need_arg(argc, argv, 3, "ld.so");
	char *const args[] = {(char *)loader, copy_path, (char *)"won", NULL};

	copy_myself(argc, argv);
	run(loader, args);
}

static void by_script(int argc, char **argv)
{
	char path[600];
	char *const args[] = {path, NULL};
	FILE *script;

	copy_myself(argc, argv);
	(void)snprintf(path, sizeof(path), "%s.sh", copy_path);
	script = fopen(path, "we");
	if (!script || fprintf(script, "#!%s won\n", copy_path) < 0 || fclose(script) != 0 ||
	    chmod(path, 0755) < 0)
		cannot("write %s: %m", path);
	run(path, args);
}

static void by_map(int argc, char **argv)
{
	void *pages;

	copy_myself(argc, argv);
	pages = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
		     open(copy_path, O_RDONLY | O_CLOEXEC), 0);
	(void)unlink(copy_path);
	end_by(pages == MAP_FAILED ? -1 : 0, "mmap");
}

static void by_protect(int argc, char **argv)
{
	void *pages;

	copy_myself(argc, argv);
	pages = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, open(copy_path, O_RDONLY | O_CLOEXEC), 0);
	(void)unlink(copy_path);
	if (pages == MAP_FAILED)
		cannot("mmap: %m");
	end_by(mprotect(pages, 4096, PROT_READ | PROT_EXEC), "mprotect");
}

static void by_other(int argc, char **argv)
{
	const char *path = need_arg(argc, argv, 2, "program");
	char *const args[] = {(char *)path, NULL};

	tried("exec %s", path);
	run(path, args);
}

/* loader-other PROGRAM LD.SO: the loader is there for the listed programs; is it for others? */
static void by_loader_other(int argc, char **argv)
{
	const char *path = need_arg(argc, argv, 2, "program");
	const char *loader = need_arg(argc, argv, 3, "ld.so");
	char *const args[] = {(char *)loader, (char *)path, NULL};

	tried("%s %s", loader, path);
	run(loader, args);
}

static void say_won(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	escaped("a program that was not listed runs");
}

static const struct way ways[] = {
	{"exec", by_exec},                 /* plainly */
	{"loader", by_loader},             /* through ld.so */
	{"script", by_script},             /* through #! */
	{"map", by_map},                   /* as pages */
	{"protect", by_protect},           /* as pages, later */
	{"other", by_other},               /* somebody else's */
	{"loader-other", by_loader_other}, /* somebody else's, through ld.so */
	{"won", say_won},                  /* what then runs */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
