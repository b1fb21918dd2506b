/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup.h - limits and counters by control groups, found and made controller by controller.
 *
 * A host may have memory in version 1, pids in version 2 and cpu nowhere: each
 * controller has a place of its own, and one that is missing says why.  The
 * order of use: cgroup_find, cgroup_prepare, then per slot cgroup_slot_open,
 * then per call cgroup_open, the child enters by the doors, cgroup_account
 * after its death, cgroup_close.
 */
#ifndef NATIVE_CGROUP_H
#define NATIVE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "call/call.h"

enum controller {
	CONTROLLER_MEMORY,
	CONTROLLER_PIDS,
	CONTROLLER_CPU,     /* the share of the processor */
	CONTROLLER_CPUACCT, /* the time that was used; in version 2 every group counts it */
	CONTROLLER_COUNT
};

enum { CGROUP_PATH_MAX = 512, CGROUP_NAME_MAX = 96 };

/* Where groups for one controller are made. */
struct cgroup_place {
	int version;               /* 1 or 2; 0: not to be had */
	char dir[CGROUP_PATH_MAX]; /* the group beneath which ours are made */
	char why_not[160];         /* when version is 0: the reason, and what to do */
};

struct cgroup_host {
	struct cgroup_place places[CONTROLLER_COUNT];
	bool v2_needs_move;  /* cgroup_prepare must move us into a leaf first */
	bool v2_io;          /* the place in version 2 can count bytes read and written, too */
	bool ask_delegation; /* version 2 has what is missing, but not for the group we are in:
			      * a group of our own would do (delegate.h) */
};

const char *controller_name(enum controller controller);

/* Only looks.  parent: a directory beneath a mounted hierarchy (/sys/fs/cgroup/foo.slice); what
 * follows the mount point is used for every hierarchy.  NULL: the group that we are in.
 * mountinfo, self: "/proc/self/mountinfo" and "/proc/self/cgroup", except in tests.
 * A controller that is not to be had is no failure: its place says so. */
int cgroup_find(struct cgroup_host *ret, const char *parent, const char *mountinfo,
		const char *self, struct error *err);

/* The same for the usual version 1 host, and quickly: false says nothing but that cgroup_find is
 * needed.  Nothing is to be prepared then. */
bool cgroup_find_quick(struct cgroup_host *ret);

/* Version 2: turns the controllers on for the children of the place.  If that is our own group,
 * which then may hold no process, moves us into its child "supervisor" first; never moves anybody
 * else.  What turns out to be impossible becomes version 0 with a reason. */
int cgroup_prepare(struct cgroup_host *host, struct error *err);

/* Removes what a killed belljar left behind: groups of ours that are empty and whose maker is
 * dead.  Returns how many went; groups that cannot be judged are left alone. */
int cgroup_sweep(const struct cgroup_host *host);

/* One hierarchy in which groups are made. */
struct cgroup_tree {
	int dir;              /* version 1: the place; version 2: the slot's group */
	int version;          /* 1 or 2 */
	unsigned controllers; /* one bit per enum controller */
};

/* Version 2: a group <place>/belljar-... with a child "launcher", controllers on, owned by `owner`
 * as far as needed to start processes from one child in another.  Version 1 needs no slot. */
struct cgroup_slot {
	struct cgroup_tree trees[CONTROLLER_COUNT];
	size_t n_trees;
	int v2_place; /* -1: nothing in version 2 */
	int launcher; /* -1: nothing in version 2 */
	uid_t owner;
	bool sockets;                   /* its boxes can fill some: they have a loopback */
	void (*between)(void *context); /* called before each group of a box is made; NULL: nobody
					 */
	void *context;
	char name[CGROUP_NAME_MAX]; /* belljar-<pid>-<pid namespace>-<random>-<name> */
};

/* owner: the host uid of the process that starts the boxes.  name: [a-zA-Z0-9._-], at most 31. */
int cgroup_slot_open(const struct cgroup_host *host, const char *name, uid_t owner,
		     struct cgroup_slot *ret, struct error *err);
/* Directory for clone3(CLONE_INTO_CGROUP) of the launcher; -1 when only version 1 is in use. */
int cgroup_slot_launcher_fd(const struct cgroup_slot *slot);
/* Waits up to 2 s for the last process to be gone; says what is left.  Safe on a closed slot. */
int cgroup_slot_close(struct cgroup_slot *slot, struct error *err);

enum { CGROUP_KEPT_MAX = 12 };

/* The groups of one box: fresh for every call or as good as that (cgroup_renew), so that the peaks
 * are its own.  The slot must stay where it is and open for as long. */
struct cgroup {
	const struct cgroup_slot *slot;
	int v2;                      /* the group's directory; -1: nothing in version 2 */
	int tasks[CONTROLLER_COUNT]; /* version 1: by tree; -1: none */
	unsigned made;               /* one bit per tree */
	unsigned renewed;            /* how often */
	struct {
		const char *file; /* NULL: the list ends before */
		int tree, fd;
	} kept[CGROUP_KEPT_MAX]; /* counters that are open already */
	char name[CGROUP_NAME_MAX + 32];
};

/* Limits are in place before any process is.  name: as for the slot, unlike that of every other
 * open box of the slot. */
int cgroup_open(const struct cgroup_slot *slot, const char *name, const struct limits *limits,
		struct cgroup *ret, struct error *err);

/* How a process gets in.  The descriptors stay the group's. */
struct cgroup_doors {
	int v2;                   /* for clone3(CLONE_INTO_CGROUP), or -1 */
	int v1[CONTROLLER_COUNT]; /* "tasks" files: the new process, while it has one thread,
				   * writes "0" to each.  Moving oneself so does not wait for a
				   * grace period; writing a pid to cgroup.procs takes 5-16 ms. */
	size_t n_v1;
};

void cgroup_doors(const struct cgroup *group, struct cgroup_doors *ret);
/* Those of version 1, when the process is in: one of version 2 is needed to count. */
void cgroup_close_doors(struct cgroup *group);

/* From now on at most so many processes; those above stay, but nobody can fork.  -1 also where no
 * group counts them. */
int cgroup_limit_processes(const struct cgroup *group, uint64_t most, struct error *err);
/* Other limits than it was made with: before anybody is in it. */
int cgroup_limit_anew(const struct cgroup *group, const struct limits *limits, struct error *err);
/* Its share of the processor again: what was used of it in this period is forgotten. */
int cgroup_limit_cpu(const struct cgroup *group, const struct limits *limits, struct error *err);

/* Their box is gone: makes them as new ones are, for the same limits.  -1: that is not possible,
 * and they must be closed.  The doors must still be open, and the counters kept. */
int cgroup_renew(struct cgroup *group, const struct limits *limits, struct error *err);

/* Opens the counters that are read when the program has ended: to be done while nobody waits. */
void cgroup_keep_counters(struct cgroup *group);
/* Of these only the processor time. */
void cgroup_keep_cpu(struct cgroup *group);
void cgroup_drop_counters(struct cgroup *group);

/* Each returns -1 when this host has no such counter.  Cheap enough to be asked while it runs. */
int cgroup_cpu_us(const struct cgroup *group, uint64_t *ret_us);
/* The counter of that, open for reading, if it is kept (cgroup_keep_counters); -1: it is not.  It
 * stays the group's. */
int cgroup_cpu_counter(const struct cgroup *group);
int cgroup_forks_refused(const struct cgroup *group, uint64_t *ret);
int cgroup_oom_kills(const struct cgroup *group, uint64_t *ret);
int cgroup_processes(const struct cgroup *group, uint64_t *ret); /* alive now */
/* Memory now: private, and shared.  Shared memory and the files of a tmpfs are one thing to the
 * kernel: the files are in ret_shared, too.  Up to 64 pages per processor lag behind. */
int cgroup_memory_held(const struct cgroup *group, uint64_t *ret_private, uint64_t *ret_shared);
/* What lies in sockets of the box and is in none of the other figures: version 1 only. */
uint64_t cgroup_memory_in_sockets(const struct cgroup *group);
/* Everything that is charged to the group now, page cache and kernel memory too.  Exact. */
int cgroup_memory_charged(const struct cgroup *group, uint64_t *ret);
/* How much that may be: more cannot be had, and whoever wants it is killed. */
uint64_t cgroup_memory_ceiling(const struct limits *limits);
/* The most there was of it, counted in steps of 64 pages.  -1 also before 5.19 in version 2. */
int cgroup_memory_peak(const struct cgroup *group, uint64_t *ret);

/* Fills in what the groups counted and leaves the other members alone: cpu_user_us,
 * cpu_system_us, cpu_throttled_us, memory_limit_hits, forks_refused, processes_peak, read_bytes
 * and write_bytes (version 2 only).  Kernels before 6.11 keep no peak of processes: then what the
 * caller sampled into usage stays, and is raised if more is known.
 * -1: a counter that should be there is not. */
int cgroup_account(const struct cgroup *group, struct usage *usage, uint64_t *ret_oom_kills);

/* Removes the groups.  The last process may take a moment to be gone: waits up to 2 s, then says
 * which group is left.  Always closes the descriptors; safe on a closed group. */
int cgroup_close(struct cgroup *group, struct error *err);

#endif
