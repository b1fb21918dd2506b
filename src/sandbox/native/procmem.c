/* SPDX-License-Identifier: Apache-2.0 */
/* procmem.c - the memory of a family of processes, for hosts where no control group counts it.
 *
 * Everything in a slot descends from its launcher, whose pid namespace takes
 * in orphans; so the family is found by going down from there.  Processes come
 * and go meanwhile: one that is gone has given its memory back.
 */
#include "sandbox/native/procmem.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"

enum { FAMILY_MAX = 4096, FILE_MAX = 32768 };

struct member {
	pid_t pid, parent;
};

struct family {
	struct member members[FAMILY_MAX];
	size_t n;
	char text[FILE_MAX];
};

struct figure {
	const char *name;
	bool shared;
};

/* In /proc/PID/status. */
static const struct figure rough[] = {
	{"\nRssAnon:", false}, {"\nRssShmem:", true}, {"\nVmSwap:", false}};
/* In /proc/PID/smaps_rollup. */
static const struct figure exact[] = {
	{"\nPss_Anon:", false}, {"\nPss_Shmem:", true}, {"\nSwapPss:", false}};

/* A thread has a directory of its own, although /proc does not list it. */
static bool read_of(pid_t thread, const char *name, char *ret, size_t room)
{
	struct error ignored = {0};
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", thread, name);
	return fd_get_file(AT_FDCWD, path, ret, room, &ignored) == 0;
}

static void add_children(struct family *f, pid_t parent, pid_t thread)
{
	const char *p = f->text;
	char name[40];
	int pid, len;

	(void)snprintf(name, sizeof(name), "task/%d/children", thread);
	if (!read_of(parent, name, f->text, sizeof(f->text)))
		return;
	for (; f->n < FAMILY_MAX && sscanf(p, "%d%n", &pid, &len) == 1; p += len)
		f->members[f->n++] = (struct member){.pid = pid, .parent = parent};
}

static uint64_t value_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	uint64_t kib = 0;

	if (at)
		(void)sscanf(at + strlen(name), " %" SCNu64, &kib);
	return kib << 10;
}

/* False if this thread has no memory any more; another one of its process may. */
static bool add_memory(struct procmem *sum, pid_t thread, bool exactly)
{
	const struct figure *figures = exact;
	char text[4096];

	/* What the kernel does not tell us exactly we count roughly, that is, not too low. */
	if (!exactly || !read_of(thread, "smaps_rollup", text, sizeof(text)) ||
	    !strstr(text, exact[0].name)) {
		figures = rough;
		if (!read_of(thread, "status", text, sizeof(text)) || !strstr(text, rough[0].name))
			return false;
	}
	sum->processes++;
	for (size_t i = 0; i < ARRAY_LEN(rough); i++)
		*(figures[i].shared ? &sum->shared : &sum->private) +=
			value_of(text, figures[i].name);
	return true;
}

/* After vfork: the memory is the parent's, and was counted there. */
static bool uses_parents_memory(const struct member *m)
{
	return syscall(SYS_kcmp, m->parent, m->pid, KCMP_VM, 0, 0) == 0;
}

static void add_process(struct procmem *sum, struct family *f, const struct member *m, bool exactly)
{
	bool counted = !sum || (exactly && uses_parents_memory(m));
	struct dirent *entry;
	char path[64];
	DIR *threads;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", m->pid);
	threads = opendir(path);
	if (!threads)
		return;
	while ((entry = readdir(threads))) {
		pid_t thread;

		if (sscanf(entry->d_name, "%d", &thread) != 1)
			continue;
		counted = counted || add_memory(sum, thread, exactly);
		add_children(f, m->pid, thread);
	}
	(void)closedir(threads);
}

bool procmem_sum(pid_t ancestor, bool exactly, struct procmem *ret)
{
	own_mem struct family *family = malloc(sizeof(*family)); /* too large for a small stack */
	const struct member first = {.pid = ancestor};

	*ret = (struct procmem){0};
	if (!family)
		return false;
	family->n = 0;
	add_process(NULL, family, &first, false);
	for (size_t i = 0; i < family->n; i++)
		add_process(ret, family, &family->members[i], exactly);
	return ret->processes > 0;
}
