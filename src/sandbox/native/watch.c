/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c - what a running program uses, and which limit it passes.
 *
 * The cause of death comes from our own clock, the kernel's counters and
 * waitid; never from an exit code, which the program chooses.
 *
 * Memory has two limits.  To the kernel the files in /work are memory of the
 * box, so the group's limit is --memory plus --disk: it acts at once, but lets
 * a program without files have the space of both.  So we look as well, the
 * more often the less is left, and leave the files out.  Without a group there
 * is RLIMIT_DATA, which knows one process and no shared memory, and the look.
 */
#include "sandbox/native/watch.h"

#include <signal.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "sandbox/native/box.h"
#include "sandbox/native/procmem.h"

enum {
	LOOK_US = 20000,        /* how often in the first second */
	LOOK_LATER_US = 100000, /* and then */
	LOOK_IDLE_US = 500000,  /* and at a kept box that sleeps, in the end */
	LOOK_SOON_US = 3000,    /* at most so often for memory: a look takes some 40 us */
	FILL_PER_US = 4096,     /* bytes that a program can fill, with huge pages */
	FAMILY_SHARE = 10,      /* of the time, at most so much goes into looks at processes */
	FORKS_BASE = 1000,      /* so many refused forks and more than a program gets wrong */
	FORKS_PER_PROCESS = 20,
};

void watch_init(struct watch *w)
{
	*w = (struct watch){0};
}

/* Names are used once: a group that lingers must not be in the way of another. */
static int make_group(struct watch *w, const struct cgroup_slot *slot, const struct limits *limits,
		      struct cgroup *ret, struct error *err)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "box%u", ++w->serial);
	return cgroup_open(slot, name, limits, ret, err) < 0 ? fail_in(err, "control group") : 0;
}

static void drop(struct cgroup *group, bool *open)
{
	struct error err = {0};

	if (*open)
		(void)cgroup_close(group, &err);
	*open = false;
}

static bool same_groups(const struct limits *a, const struct limits *b)
{
	return a->memory_bytes == b->memory_bytes && a->disk_bytes == b->disk_bytes &&
	       a->processes == b->processes && a->cpu_percent == b->cpu_percent;
}

/* Those of the last box, if they are as good as new. */
static bool use_again(struct watch *w, const struct limits *limits)
{
	struct error err;

	if (!w->group_open || w->kept || !same_groups(&w->limits, limits) ||
	    cgroup_renew(&w->group, limits, &err) < 0)
		return false;
	w->next = w->group;
	w->group_open = false;
	return true;
}

void watch_prepare(struct watch *w, const struct cgroup_slot *slot, const struct limits *limits)
{
	bool have = w->next_open && same_groups(&w->next_limits, limits);
	bool again = !have && use_again(w, limits);
	struct error err;

	drop(&w->group, &w->group_open);
	if (have)
		return;
	if (!again)
		drop(&w->next, &w->next_open);
	w->next_limits = *limits;
	w->next_open = again || make_group(w, slot, limits, &w->next, &err) == 0;
}

void watch_relimit(struct watch *w, const struct limits *limits)
{
	struct error err;

	if (!w->next_open || same_groups(&w->next_limits, limits))
		return;
	if (cgroup_limit_anew(&w->next, limits, &err) == 0)
		w->next_limits = *limits;
	else
		drop(&w->next, &w->next_open);
}

void watch_ready_next(struct watch *w)
{
	if (w->next_open)
		cgroup_keep_counters(&w->next);
}

void watch_drop_spoiled(struct watch *w)
{
	uint64_t killed = 0;

	if (w->next_open && cgroup_oom_kills(&w->next, &killed) == 0 && killed > 0)
		drop(&w->next, &w->next_open);
}

int watch_open(struct watch *w, const struct cgroup_slot *slot, const struct limits *limits,
	       bool waited, struct error *err)
{
	struct watch fresh = {.limits = *limits};

	drop(&w->group, &w->group_open);
	if (w->next_open && same_groups(&w->next_limits, limits)) {
		fresh.group = w->next;
		w->next_open = false;
	} else {
		drop(&w->next, &w->next_open);
		if (make_group(w, slot, limits, &fresh.group, err) < 0)
			return -1;
	}
	fresh.group_open = true;
	if (waited && cgroup_cpu_us(&fresh.group, &fresh.cpu_before_us) < 0)
		fresh.cpu_before_us = 0;
	fresh.serial = w->serial;
	*w = fresh;
	return 0;
}

void watch_close(struct watch *w)
{
	drop(&w->group, &w->group_open);
	drop(&w->next, &w->next_open);
}

static void raise_to(uint64_t *peak, uint64_t value)
{
	if (value > *peak)
		*peak = value;
}

static uint64_t above(uint64_t value, uint64_t floor)
{
	return value > floor ? value - floor : 0;
}

static void look_at_processes(struct watch *w)
{
	uint64_t alive;

	if (w->group_open && cgroup_processes(&w->group, &alive) == 0)
		raise_to(&w->seen.processes_peak, alive);
}

static void look_at_disk(struct watch *w, int work)
{
	struct statvfs fs;

	if (work < 0 || fstatvfs(work, &fs) < 0)
		return;
	w->disk_now = (fs.f_blocks - fs.f_bfree) * fs.f_frsize;
	raise_to(&w->seen.disk_peak_bytes, w->disk_now);
	if (fs.f_files - fs.f_ffree > BOX_OWN_INODES)
		raise_to(&w->seen.inodes_peak, fs.f_files - fs.f_ffree - BOX_OWN_INODES);
	w->seen.disk_full |= fs.f_bfree == 0;
	w->seen.inodes_full |= fs.f_ffree == 0;
}

/* When the processor time could be used up at the earliest, all cores busy. */
static uint64_t earliest_cpu_end(const struct watch *w, uint64_t now, uint64_t used)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t left = above(w->limits.cpu_ms * 1000, used);

	return now + left / (uint64_t)(cores > 0 ? cores : 1) + 500;
}

/* The same for memory, bounded by what looking costs. */
static uint64_t earliest_memory_end(const struct watch *w, uint64_t now)
{
	uint64_t limit = w->limits.memory_bytes;
	uint64_t soon = above(limit, w->memory_now) / FILL_PER_US;

	if (soon < LOOK_SOON_US)
		soon = LOOK_SOON_US;
	raise_to(&soon, FAMILY_SHARE * w->family_cost_us);
	return now + soon;
}

/* Who has used no processor time since the last look has used nothing else either.  A box that is
 * kept is looked at half as often as before then, down to twice a second: thousands of them may
 * sleep at once.  When it wakes up, the kernel's own limits hold, and the looks come back. */
static void note_idle(struct watch *w, uint64_t used, bool known)
{
	bool idle = w->kept && known && used == w->cpu_us;
	uint64_t twice = w->idle_us ? 2 * w->idle_us : LOOK_LATER_US;

	w->cpu_us = used;
	w->idle_us = !idle ? 0 : twice < LOOK_IDLE_US ? twice : LOOK_IDLE_US;
}

static void set_next(struct watch *w, uint64_t now, uint64_t used)
{
	uint64_t wall = w->start_us + w->limits.wall_ms * 1000;
	uint64_t cpu = earliest_cpu_end(w, now, used);
	uint64_t memory = earliest_memory_end(w, now);

	w->next_us = now + (now - w->start_us < 1000000 ? LOOK_US : LOOK_LATER_US);
	if (wall < w->next_us)
		w->next_us = wall;
	if (cpu < w->next_us)
		w->next_us = cpu;
	if (memory < w->next_us)
		w->next_us = memory;
	if (w->idle_us && w->next_us < now + w->idle_us)
		w->next_us = now + w->idle_us < wall ? now + w->idle_us : wall;
}

void watch_note_files(struct watch *w, int work)
{
	look_at_disk(w, work);
	w->disk_at_start = w->disk_now;
	w->files_noted = true;
}

void watch_begin(struct watch *w, int work)
{
	if (!w->files_noted)
		watch_note_files(w, work);
	set_next(w, w->start_us, 0);
}

void watch_ready(struct watch *w)
{
	if (w->group_open)
		cgroup_keep_counters(&w->group);
}

void watch_ready_kept(struct watch *w)
{
	if (w->group_open)
		cgroup_keep_cpu(&w->group);
}

/* No group: the processes are asked one by one.  They count what they share each for itself, so
 * before it costs the program its life we ask for exact figures. */
static bool family_is_over(struct watch *w, int work)
{
	uint64_t before = clock_us(), limit = w->limits.memory_bytes, files = w->disk_now;
	struct procmem m;

	if (!procmem_sum(w->family, false, &m))
		return false;
	w->memory_now = m.private + above(m.shared, files);
	if (w->memory_now > limit && procmem_sum(w->family, true, &m)) {
		look_at_disk(w, work);
		raise_to(&files, w->disk_now);
		w->memory_now = m.private + above(m.shared, files);
	}
	w->family_cost_us = clock_us() - before;
	raise_to(&w->seen.memory_peak_bytes, w->memory_now);
	return w->memory_now > limit;
}

/* Memory is what no file holds.  The parts lag behind a little, and a file may grow or go between
 * two questions: before it costs the program its life we ask again, and ask for the sum of all
 * that is charged to the group, which is exact.  Files that were there at the start are not. */
static bool memory_is_over(struct watch *w, int work)
{
	uint64_t private, shared, all, files = w->disk_now, limit = w->limits.memory_bytes;
	uint64_t sockets;

	if (w->family > 0)
		return family_is_over(w, work);
	if (!w->group_open || cgroup_memory_held(&w->group, &private, &shared) < 0)
		return false;
	sockets = cgroup_memory_in_sockets(&w->group);
	w->memory_now = private + above(shared, files) + sockets;
	if (w->memory_now > limit && cgroup_memory_charged(&w->group, &all) == 0) {
		look_at_disk(w, work);
		raise_to(&files, w->disk_now);
		w->memory_now = private + above(shared, files) + sockets;
		all = above(all, above(files, w->disk_at_start)) + sockets;
		if (all < w->memory_now)
			w->memory_now = all;
	}
	raise_to(&w->seen.memory_peak_bytes, w->memory_now);
	return w->memory_now > limit;
}

enum kill_reason watch_look(struct watch *w, uint64_t now, int work)
{
	uint64_t used = 0, refused = 0;
	bool known;

	if (now - w->start_us >= w->limits.wall_ms * 1000)
		return KILL_WALL;
	if (now < w->next_us)
		return KILL_NONE;
	look_at_disk(w, work);
	look_at_processes(w);
	known = w->group_open && cgroup_cpu_us(&w->group, &used) == 0;
	if (known)
		used = above(used, w->cpu_before_us);
	if (known && used >= w->limits.cpu_ms * 1000)
		return KILL_CPU;
	/* v1 kills one process for memory where v2 kills the group: here the rest follows. */
	if (memory_is_over(w, work) || watch_oom(w))
		return KILL_MEMORY;
	if (w->group_open && cgroup_forks_refused(&w->group, &refused) == 0 &&
	    refused > FORKS_BASE + FORKS_PER_PROCESS * w->limits.processes)
		return KILL_PROCESSES;
	note_idle(w, used, known);
	set_next(w, now, used);
	return KILL_NONE;
}

static uint64_t timeval_us(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

void watch_rusage(struct watch *w, const struct rusage *r, struct outcome *o)
{
	struct usage *u = &o->usage;

	(void)w;
	u->cpu_user_us = timeval_us(&r->ru_utime);
	u->cpu_system_us = timeval_us(&r->ru_stime);
	u->minor_faults = (uint64_t)r->ru_minflt;
	u->major_faults = (uint64_t)r->ru_majflt;
	u->read_bytes = (uint64_t)r->ru_inblock * 512;
	u->write_bytes = (uint64_t)r->ru_oublock * 512;
	u->memory_peak_bytes = (uint64_t)r->ru_maxrss * 1024;
	u->processes_peak = 1;
}

enum kill_reason watch_cause(const struct watch *w, uint64_t cpu_ms, const struct outcome *o)
{
	uint64_t cpu_us = o->usage.cpu_user_us + o->usage.cpu_system_us;
	bool cpu_spent = cpu_us >= cpu_ms * 1000;

	switch (o->signal) {
	case SIGSYS: /* the kernel does not tell the filter's from one that was sent */
		return KILL_VIOLATION;
	case SIGXFSZ: /* anybody may send it: the disk must tell the same */
		return w->seen.disk_full ? KILL_DISK : KILL_SIGNAL;
	case SIGXCPU:
	case SIGKILL:
		return cpu_spent ? KILL_CPU : KILL_SIGNAL; /* RLIMIT_CPU where no group counts */
	default:
		return KILL_SIGNAL;
	}
}

static enum kill_reason cause_of_death(const struct watch *w, const struct outcome *o)
{
	bool ours = w->killed_for != KILL_NONE && o->end == END_SIGNALLED && o->signal == SIGKILL;

	if (ours)
		return w->killed_for;
	if (w->oom_kills > 0)
		return KILL_MEMORY;
	return o->end == END_SIGNALLED ? watch_cause(w, w->limits.cpu_ms, o) : KILL_NONE;
}

bool watch_oom(const struct watch *w)
{
	uint64_t killed = 0;

	return w->group_open && cgroup_oom_kills(&w->group, &killed) == 0 && killed > 0;
}

/* The most that was seen; or, for what came and went between two looks, the smaller of two marks
 * that the kernel keeps, each of which counts something more: the largest process (with the files
 * it has mapped), and the most that was charged to the group (with kernel memory, page cache and
 * files that are deleted; those still there are taken off). */
static uint64_t peak_of_memory(const struct watch *w, uint64_t largest_process)
{
	uint64_t charged, peak = largest_process;

	if (w->group_open && cgroup_memory_peak(&w->group, &charged) == 0) {
		charged = above(charged, above(w->disk_now, w->disk_at_start));
		if (charged < peak)
			peak = charged;
	}
	raise_to(&peak, w->seen.memory_peak_bytes);
	return peak;
}

/* What the groups counted is more than the call's: its parts in proportion. */
static void leave_out_waiting(const struct watch *w, struct usage *u)
{
	uint64_t all = u->cpu_user_us + u->cpu_system_us, own = above(all, w->cpu_before_us);

	if (w->cpu_before_us == 0 || all == 0)
		return;
	u->cpu_user_us = (uint64_t)((double)u->cpu_user_us * (double)own / (double)all);
	u->cpu_system_us = own - u->cpu_user_us;
}

/* Without a group that counts it, wait has told, and what was before is off already. */
static void count_groups(struct watch *w, struct usage *u, uint64_t *oom_kills)
{
	uint64_t ignored;

	(void)cgroup_account(&w->group, u, oom_kills);
	if (cgroup_cpu_us(&w->group, &ignored) == 0)
		leave_out_waiting(w, u);
}

static void count(struct watch *w, int work, struct outcome *o)
{
	look_at_disk(w, work);
	o->usage.memory_peak_bytes = peak_of_memory(w, o->usage.memory_peak_bytes);
	if (w->group_open)
		count_groups(w, &o->usage, &w->oom_kills);
	w->counted = true;
}

void watch_now(struct watch *w, int work, struct usage *u)
{
	uint64_t ignored;

	look_at_disk(w, work);
	look_at_processes(w);
	(void)memory_is_over(w, work); /* the next look acts on it */
	u->memory_peak_bytes = peak_of_memory(w, u->memory_peak_bytes);
	if (w->group_open)
		count_groups(w, u, &ignored);
	raise_to(&u->processes_peak, w->seen.processes_peak);
	u->disk_peak_bytes = w->seen.disk_peak_bytes;
	u->inodes_peak = w->seen.inodes_peak;
	u->disk_full = w->seen.disk_full;
	u->inodes_full = w->seen.inodes_full;
}

uint64_t watch_room(struct watch *w, int work)
{
	uint64_t room, left, charged;

	look_at_disk(w, work);
	if (memory_is_over(w, work))
		return 0;
	room = above(w->limits.memory_bytes, w->memory_now);
	if (w->group_open && cgroup_memory_charged(&w->group, &charged) == 0) {
		left = above(cgroup_memory_ceiling(&w->limits), charged);
		room = left < room ? left : room;
	}
	return room;
}

bool watch_is_last(const struct watch *w)
{
	uint64_t alive;

	return w->group_open && cgroup_processes(&w->group, &alive) == 0 && alive == 0;
}

void watch_settle(struct watch *w, int work, struct outcome *o)
{
	if (w->counted || !watch_is_last(w))
		return;
	count(w, work, o);
	drop(&w->group, &w->group_open);
}

void watch_finish(struct watch *w, int work, struct outcome *o)
{
	if (!w->counted)
		count(w, work, o);
	if (w->killed_for == KILL_MEMORY)
		raise_to(&o->usage.memory_limit_hits, 1);
	/* Kernels before 6.11 do not count it; then what we saw is what we know. */
	raise_to(&o->usage.processes_peak, w->seen.processes_peak);
	o->usage.disk_peak_bytes = w->seen.disk_peak_bytes;
	o->usage.inodes_peak = w->seen.inodes_peak;
	o->usage.disk_full = w->seen.disk_full;
	o->usage.inodes_full = w->seen.inodes_full;
	if (o->end == END_UNKNOWN)
		o->killed_for = w->killed_for;
	else if (o->end != END_NOT_STARTED)
		o->killed_for = cause_of_death(w, o);
}
