/* SPDX-License-Identifier: Apache-2.0 */
/* proctable.c - the processes of a living box, through its own /proc.
 *
 * A process is held by its directory there: that is a descriptor for this very
 * process and never for another that gets its number, and signals can be sent
 * to it.  Names are the program's choice and are cleaned.
 */
#include "sandbox/native/proctable.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"

struct visit {
	bool (*see)(int process, void *arg); /* -1: it is gone already.  False: enough */
	void *arg;
};

/* A fresh description: the position in a directory is the description's. */
static int walk(int proc, const struct visit *v, struct error *err)
{
	own_fd fd = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct dirent *entry;
	bool more = true;
	DIR *dir;

	if (fd < 0)
		return fail_sys(err, "open /proc of the box");
	dir = fdopendir(fd);
	if (!dir)
		return fail_sys(err, "read /proc of the box");
	fd = -1;
	while (more && (entry = readdir(dir))) {
		own_fd process = -1;
		int pid;

		if (sscanf(entry->d_name, "%d", &pid) != 1 || pid == 1)
			continue;
		process = openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		more = v->see(process, v->arg);
	}
	(void)closedir(dir);
	return 0;
}

static uint64_t mark_at(int process, const char *path)
{
	struct stat st;

	return fstatat(process, path, &st, 0) == 0 ? st.st_ino : 0;
}

/* The first thread of a process may have ended: then it has no namespaces any more, but the others
 * have.  0: none could be asked. */
static uint64_t mark_of(int process)
{
	uint64_t mark = mark_at(process, "ns/cgroup");
	const struct dirent *entry;
	char path[64];
	DIR *threads;
	int fd;

	if (mark)
		return mark;
	fd = openat(process, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	threads = fd < 0 ? NULL : fdopendir(fd);
	if (!threads) {
		own_fd_end(&fd);
		return 0;
	}
	while (!mark && (entry = readdir(threads)))
		if (snprintf(path, sizeof(path), "task/%.20s/ns/cgroup", entry->d_name) > 0 &&
		    entry->d_name[0] != '.')
			mark = mark_at(process, path);
	(void)closedir(threads);
	return mark;
}

/* And is it a /proc at all? */
bool proctable_sees(int proc)
{
	struct statfs fs;

	return fstatfs(proc, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC &&
	       mark_at(proc, "1/ns/cgroup") != 0;
}

uint64_t proctable_own_mark(void)
{
	return mark_at(AT_FDCWD, "/proc/self/ns/cgroup");
}

struct hunt {
	uint64_t mark;
	int found;
};

static void clean(const char *name, size_t len, char *ret, size_t room)
{
	size_t n = 0;

	for (; n < len && n + 1 < room; n++)
		ret[n] = name[n] > 0x20 && name[n] < 0x7f ? name[n] : (name[n] == ' ' ? ' ' : '?');
	ret[n] = '\0';
}

static uint64_t ticks_to_ms(uint64_t ticks)
{
	long per_second = sysconf(_SC_CLK_TCK);

	return ticks * 1000 / (uint64_t)(per_second > 0 ? per_second : 100);
}

static int parse(const char *line, struct kept_process *ret, uint64_t *ret_threads)
{
	/* pid (name) state ppid ...; the last bracket ends the name, whatever it contains. */
	const char *open = strchr(line, '('), *close = strrchr(line, ')');
	uint64_t own[2], children[2], threads, pages;
	struct kept_process p = {0};
	int32_t pid, parent;
	char state;

	if (!open || !close || close < open || sscanf(line, "%" SCNd32, &pid) != 1 ||
	    sscanf(close + 1,
		   " %c %" SCNd32 " %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %*s %*s %" SCNu64 " %*s %*s %*s %" SCNu64,
		   &state, &parent, &own[0], &own[1], &children[0], &children[1], &threads,
		   &pages) != 8)
		return -1;
	p.pid = pid;
	p.parent = parent;
	p.state = (state >= 'A' && state <= 'Z') || state == 't' ? state : '?';
	clean(open + 1, (size_t)(close - open - 1), p.name, sizeof(p.name));
	p.cpu_ms = ticks_to_ms(own[0] + own[1] + children[0] + children[1]);
	p.memory_bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	*ret = p;
	*ret_threads = threads;
	return 0;
}

int proctable_parse(const char *line, struct kept_process *ret)
{
	uint64_t threads;

	return parse(line, ret, &threads);
}

static bool describe(int process, struct kept_process *ret)
{
	struct error ignored;
	char line[1024];

	return fd_get_file(process, "stat", line, sizeof(line), &ignored) == 0 &&
	       proctable_parse(line, ret) == 0;
}

/* All its threads have ended: it can do nothing any more. */
static bool is_zombie(int process)
{
	struct kept_process p;
	struct error ignored;
	char line[1024];
	uint64_t threads;

	return fd_get_file(process, "stat", line, sizeof(line), &ignored) == 0 &&
	       parse(line, &p, &threads) == 0 && (p.state == 'Z' || p.state == 'X') && threads <= 1;
}

/* One that is gone before we could look may have borne another: it counts as found. */
static bool kill_marked(int process, void *arg)
{
	struct hunt *hunt = arg;
	uint64_t mark = process < 0 ? 0 : mark_of(process);

	if (mark == hunt->mark) {
		hunt->found++;
		(void)pidfd_send_signal(process, SIGKILL, NULL, 0);
	} else if (mark == 0 && (process < 0 || !is_zombie(process))) {
		hunt->found++;
	}
	return true;
}

int proctable_kill(int proc, uint64_t mark, struct error *err)
{
	struct hunt hunt = {.mark = mark};
	const struct visit v = {kill_marked, &hunt};

	if (proc < 0 || mark == 0)
		return fail(err, ERR_CONFIG, "the box has no /proc or no cgroup namespace");
	return walk(proc, &v, err) < 0 ? -1 : hunt.found;
}

static bool sum_cpu(int process, void *arg)
{
	struct kept_process p;
	struct proctable_row *sum = arg;

	if (process >= 0 && mark_of(process) == sum->mark && describe(process, &p))
		sum->process.cpu_ms += p.cpu_ms;
	return true;
}

uint64_t proctable_cpu_us(int proc, uint64_t mark)
{
	struct proctable_row sum = {.mark = mark};
	const struct visit v = {sum_cpu, &sum};
	struct error ignored;

	if (proc < 0 || mark == 0 || walk(proc, &v, &ignored) < 0)
		return 0;
	return sum.process.cpu_ms * 1000;
}

static bool sum_all_cpu(int process, void *arg)
{
	struct kept_process p;
	uint64_t *ms = arg;

	if (process >= 0 && describe(process, &p))
		*ms += p.cpu_ms;
	return true;
}

uint64_t proctable_all_cpu_us(int proc)
{
	uint64_t ms = 0;
	const struct visit v = {sum_all_cpu, &ms};
	struct error ignored;

	if (proc < 0 || walk(proc, &v, &ignored) < 0)
		return 0;
	return ms * 1000;
}

struct table {
	struct proctable_row *rows;
	size_t room, n;
};

static bool list_one(int process, void *arg)
{
	struct table *t = arg;
	struct proctable_row *row = &t->rows[t->n];

	if (process >= 0 && describe(process, &row->process)) {
		row->mark = mark_of(process);
		t->n++;
	}
	return t->n < t->room;
}

int proctable_list(int proc, struct proctable_row *ret, size_t room, size_t *ret_n,
		   struct error *err)
{
	struct table t = {.rows = ret, .room = room};
	const struct visit v = {list_one, &t};

	if (proc < 0)
		return fail(err, ERR_CONFIG, "the box has no /proc");
	if (walk(proc, &v, err) < 0)
		return -1;
	*ret_n = t.n;
	return 0;
}
