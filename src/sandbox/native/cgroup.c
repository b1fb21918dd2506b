/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup.c - the groups of slots and boxes: made, limited, entered, removed.
 *
 * In version 2 a slot is a group with a child for its launcher and one per box:
 * a process can be born in a sibling group, and need not be moved there.  In
 * version 1 there is no such call, so the box's groups are made beside each
 * other and the new process moves itself.
 *
 * Everything is named belljar-<pid>-<pid namespace>-<random>-<name>, so that a
 * later belljar can tell what a killed one left behind (cgroup_sweep.c).
 */
#include "sandbox/native/cgroup.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/cgroup_name.h"

enum {
	PERIOD_US = 100000,  /* the kernel's own default */
	QUOTA_MIN_US = 1000, /* the kernel takes no less */
	SOCKETS_PART = 8,    /* of memory, on top of it: for what is on its way to oneself */
	SOCKETS_LEAST = 1 << 20,
	REMOVE_WAIT_US = 2000000, /* for the last process of a group to be gone */
	FILE_PATH_MAX = CGROUP_NAME_MAX + 32 + 48,
};

static uint64_t quota_us(const struct limits *l)
{
	uint64_t quota = l->cpu_percent * PERIOD_US / 100;

	return quota < QUOTA_MIN_US ? QUOTA_MIN_US : quota;
}

/* Files in /work and /tmp are pages of the box's tmpfs and are charged to it: a full disk must
 * end in "no space left", not in a kill. */
uint64_t cgroup_memory_ceiling(const struct limits *l)
{
	uint64_t sum;

	return __builtin_add_overflow(l->memory_bytes, l->disk_bytes, &sum) ? UINT64_MAX : sum;
}

/* Where one file of a new group is: beneath tree, in group. */
struct target {
	int tree;
	const char *group;
};

static int put(const struct target *at, const char *file, const char *text, struct error *err)
{
	char path[FILE_PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", at->group, file);
	return fd_put_file(at->tree, path, text, err);
}

static int put_number(const struct target *at, const char *file, uint64_t value, struct error *err)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRIu64, value);
	return put(at, file, text, err);
}

/* What lies in sockets of TCP and UDP is not among it in version 1, and is counted only if it has a
 * limit of its own.  Whoever is at it gets small buffers, and waits. */
static int limit_sockets_v1(const struct target *at, const struct limits *l, struct error *err)
{
	uint64_t most = l->memory_bytes / SOCKETS_PART;

	return put_number(at, "memory.kmem.tcp.limit_in_bytes",
			  most < SOCKETS_LEAST ? SOCKETS_LEAST : most, err);
}

static int limit_memory_v1(const struct target *at, const struct limits *l, struct error *err)
{
	struct error absent;

	if (put_number(at, "memory.limit_in_bytes", cgroup_memory_ceiling(l), err) < 0)
		return -1;
	/* Memory and swap together may never be less than memory, hence the order.  A kernel that
	 * does not count swap has no such file: then nothing of the group is swapped out. */
	if (put_number(at, "memory.memsw.limit_in_bytes", cgroup_memory_ceiling(l), &absent) == 0)
		return 0;
	if (absent.sys == ENOENT || absent.sys == EOPNOTSUPP)
		return put(at, "memory.swappiness", "0", err);
	*err = absent;
	return -1;
}

static int limit_memory_v2(const struct target *at, const struct limits *l, struct error *err)
{
	struct error absent;

	if (put_number(at, "memory.max", cgroup_memory_ceiling(l), err) < 0)
		return -1;
	if (put(at, "memory.swap.max", "0", &absent) < 0 && absent.sys != ENOENT) {
		*err = absent; /* ENOENT: a kernel without swap */
		return -1;
	}
	return put(at, "memory.oom.group", "1", err);
}

static int limit_pids(const struct target *at, const struct limits *l, struct error *err)
{
	return put_number(at, "pids.max", l->processes, err);
}

static int limit_cpu_v1(const struct target *at, const struct limits *l, struct error *err)
{
	/* A new group's period is PERIOD_US already.  A quota above that of the groups above is
	 * refused as invalid: they bind the box then, and more tightly than we were asked to. */
	if (put_number(at, "cpu.cfs_quota_us", quota_us(l), err) < 0 && err->sys != EINVAL)
		return -1;
	return 0;
}

static int limit_cpu_v2(const struct target *at, const struct limits *l, struct error *err)
{
	char text[48];

	(void)snprintf(text, sizeof(text), "%" PRIu64 " %d", quota_us(l), PERIOD_US);
	return put(at, "cpu.max", text, err);
}

typedef int limit_writer(const struct target *at, const struct limits *l, struct error *err);

static limit_writer *const limit_writers[CONTROLLER_COUNT][2] = {
	[CONTROLLER_MEMORY] = {limit_memory_v1, limit_memory_v2},
	[CONTROLLER_PIDS] = {limit_pids, limit_pids},
	[CONTROLLER_CPU] = {limit_cpu_v1, limit_cpu_v2},
	[CONTROLLER_CPUACCT] = {NULL, NULL}, /* only counts */
};

static bool is_fit_name(const char *name)
{
	static const char fit[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t len = strlen(name);

	return len > 0 && len <= CGROUP_PART_MAX && strspn(name, fit) == len;
}

/* rmdir, while the kernel still sees a process off.  There is no event that both versions give
 * when the last one has left, so short waits must do. */
static int remove_group(int dir, const char *name, uint64_t deadline_us)
{
	int wait_ms = 1;

	while (unlinkat(dir, name, AT_REMOVEDIR) < 0) {
		if (errno == ENOENT)
			return 0;
		if (errno != EBUSY || clock_us() >= deadline_us)
			return -1;
		(void)poll(NULL, 0, wait_ms);
		wait_ms = wait_ms < 20 ? wait_ms * 2 : 20;
	}
	return 0;
}

/* Slots. */

static int open_dir(int at, const char *path, struct error *err)
{
	int fd = openat(at, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? fail_sys(err, "open %s", path) : fd;
}

/* May start processes in this group: that is asked of cgroup.procs, and of nothing else. */
static int hand_over(int dir, const char *procs, uid_t owner, struct error *err)
{
	if (owner == geteuid())
		return 0;
	if (fchownat(dir, procs, owner, (gid_t)-1, AT_SYMLINK_NOFOLLOW) < 0)
		return fail_sys(err, "give %s to uid %u", procs, owner);
	return 0;
}

static int name_slot(struct cgroup_slot *slot, const char *name, struct error *err)
{
	uint32_t random;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return fail_sys(err, "getrandom");
	(void)snprintf(slot->name, sizeof(slot->name), CGROUP_PREFIX "%d-%" PRIx64 "-%08x-%s",
		       (int)getpid(), cgroup_pid_namespace(), random, name);
	return 0;
}

static int turn_on_controllers(const struct cgroup_tree *tree, bool io, struct error *err)
{
	char text[64] = "";
	size_t n = 0;

	for (unsigned c = 0; c < CONTROLLER_COUNT; c++)
		if ((tree->controllers & 1U << c) && c != CONTROLLER_CPUACCT)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "+%s ",
					      controller_name((enum controller)c));
	if (io)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "+io ");
	assert(n < sizeof(text));
	return n ? fd_put_file(tree->dir, "cgroup.subtree_control", text, err) : 0;
}

static int make_v2_slot(struct cgroup_slot *slot, struct cgroup_tree *tree, bool io,
			struct error *err)
{
	slot->v2_place = tree->dir;
	tree->dir = -1;
	if (mkdirat(slot->v2_place, slot->name, 0755) < 0)
		return fail_sys(err, "make the group %s", slot->name);
	tree->dir = open_dir(slot->v2_place, slot->name, err);
	if (tree->dir < 0 || turn_on_controllers(tree, io, err) < 0)
		return -1;
	if (mkdirat(tree->dir, "launcher", 0755) < 0)
		return fail_sys(err, "make the group %s/launcher", slot->name);
	slot->launcher = open_dir(tree->dir, "launcher", err);
	if (slot->launcher < 0)
		return -1;
	if (hand_over(tree->dir, "cgroup.procs", slot->owner, err) < 0)
		return -1;
	return hand_over(slot->launcher, "cgroup.procs", slot->owner, err);
}

/* Controllers that share a directory share a tree: all of version 2, often cpu and cpuacct. */
static int add_tree(struct cgroup_slot *slot, const struct cgroup_host *host, enum controller c,
		    struct error *err)
{
	const struct cgroup_place *place = &host->places[c];
	struct cgroup_tree *tree = &slot->trees[slot->n_trees];
	int dir;

	for (unsigned other = 0; other < c; other++) {
		if (host->places[other].version != place->version ||
		    strcmp(host->places[other].dir, place->dir) != 0)
			continue;
		for (size_t i = 0; i < slot->n_trees; i++)
			if (slot->trees[i].controllers & 1U << other)
				slot->trees[i].controllers |= 1U << c;
		return 0;
	}
	dir = open_dir(AT_FDCWD, place->dir, err);
	if (dir < 0)
		return -1;
	*tree = (struct cgroup_tree){.dir = dir, .version = place->version, .controllers = 1U << c};
	slot->n_trees++;
	return 0;
}

static int fill_slot(const struct cgroup_host *host, struct cgroup_slot *slot, struct error *err)
{
	for (unsigned c = 0; c < CONTROLLER_COUNT; c++)
		if (host->places[c].version && add_tree(slot, host, (enum controller)c, err) < 0)
			return -1;
	for (size_t i = 0; i < slot->n_trees; i++)
		if (slot->trees[i].version == 2 &&
		    make_v2_slot(slot, &slot->trees[i], host->v2_io, err) < 0)
			return -1;
	return 0;
}

int cgroup_slot_open(const struct cgroup_host *host, const char *name, uid_t owner,
		     struct cgroup_slot *ret, struct error *err)
{
	struct cgroup_slot slot = {.v2_place = -1, .launcher = -1, .owner = owner};
	struct error later;

	if (!is_fit_name(name))
		return fail(err, ERR_INTERNAL, "'%.40s' is no name for a group", name);
	if (name_slot(&slot, name, err) < 0)
		return -1;
	if (fill_slot(host, &slot, err) < 0) {
		(void)cgroup_slot_close(&slot, &later);
		return fail_in(err, "cgroup");
	}
	*ret = slot;
	return 0;
}

int cgroup_slot_launcher_fd(const struct cgroup_slot *slot)
{
	return slot->launcher;
}

static void close_slot_fds(struct cgroup_slot *slot)
{
	for (size_t i = 0; i < slot->n_trees; i++)
		own_fd_end(&slot->trees[i].dir);
	own_fd_end(&slot->v2_place);
	own_fd_end(&slot->launcher);
	*slot = (struct cgroup_slot){.v2_place = -1, .launcher = -1};
}

static int remove_slot(const struct cgroup_slot *slot, struct error *err)
{
	uint64_t deadline_us = clock_us() + REMOVE_WAIT_US;

	if (slot->v2_place < 0)
		return 0;
	for (size_t i = 0; i < slot->n_trees; i++)
		if (slot->trees[i].version == 2 && slot->trees[i].dir >= 0 &&
		    remove_group(slot->trees[i].dir, "launcher", deadline_us) < 0)
			return fail_sys(err, "remove the group %s/launcher", slot->name);
	if (remove_group(slot->v2_place, slot->name, deadline_us) < 0)
		return fail_sys(err, "remove the group %s", slot->name);
	return 0;
}

int cgroup_slot_close(struct cgroup_slot *slot, struct error *err)
{
	int result = remove_slot(slot, err);

	close_slot_fds(slot);
	return result;
}

/* Boxes. */

static int write_limits(const struct cgroup *group, size_t i, const struct limits *limits,
			struct error *err)
{
	const struct cgroup_tree *tree = &group->slot->trees[i];
	struct target at = {tree->dir, group->name};

	for (unsigned c = 0; c < CONTROLLER_COUNT; c++) {
		limit_writer *write_limit = limit_writers[c][tree->version - 1];

		if ((tree->controllers & 1U << c) && write_limit &&
		    write_limit(&at, limits, err) < 0)
			return -1;
	}
	if (group->slot->sockets && tree->version == 1 &&
	    (tree->controllers & 1U << CONTROLLER_MEMORY))
		return limit_sockets_v1(&at, limits, err);
	return 0;
}

static int make_group(struct cgroup *group, size_t i, const struct limits *limits,
		      struct error *err)
{
	const struct cgroup_tree *tree = &group->slot->trees[i];

	if (mkdirat(tree->dir, group->name, 0755) < 0)
		return fail_sys(err, "make the group %s", group->name);
	group->made |= 1U << i;
	return write_limits(group, i, limits, err);
}

int cgroup_limit_anew(const struct cgroup *group, const struct limits *limits, struct error *err)
{
	struct error ignored;

	for (size_t i = 0; i < group->slot->n_trees; i++) {
		const struct cgroup_tree *tree = &group->slot->trees[i];
		struct target at = {tree->dir, group->name};

		/* Else more memory than that would be refused. */
		if (tree->version == 1 && tree->controllers & 1U << CONTROLLER_MEMORY)
			(void)put(&at, "memory.memsw.limit_in_bytes", "-1", &ignored);
		/* A new group has none, and keeps that where ours is refused. */
		if (tree->version == 1 && tree->controllers & 1U << CONTROLLER_CPU &&
		    put(&at, "cpu.cfs_quota_us", "-1", err) < 0)
			return -1;
		if (write_limits(group, i, limits, err) < 0)
			return -1;
	}
	return 0;
}

static int open_door(struct cgroup *group, size_t i, struct error *err)
{
	const struct cgroup_tree *tree = &group->slot->trees[i];
	char path[FILE_PATH_MAX];

	if (tree->version == 2) {
		group->v2 = open_dir(tree->dir, group->name, err);
		if (group->v2 < 0)
			return -1;
		return hand_over(group->v2, "cgroup.procs", group->slot->owner, err);
	}
	(void)snprintf(path, sizeof(path), "%s/tasks", group->name);
	group->tasks[i] = openat(tree->dir, path, O_WRONLY | O_CLOEXEC);
	return group->tasks[i] < 0 ? fail_sys(err, "open %s", path) : 0;
}

int cgroup_open(const struct cgroup_slot *slot, const char *name, const struct limits *limits,
		struct cgroup *ret, struct error *err)
{
	struct cgroup group = {.slot = slot, .v2 = -1, .tasks = {-1, -1, -1, -1}};
	struct error later;

	static_assert(CONTROLLER_COUNT == 4, "one initialiser per tree");
	if (!is_fit_name(name))
		return fail(err, ERR_INTERNAL, "'%.40s' is no name for a group", name);
	(void)snprintf(group.name, sizeof(group.name), "%s-%s", slot->name, name);
	/* That of memory first: for as long as it is made nobody gets a mount namespace, and who
	 * comes into the slot beside us wants one in a moment. */
	for (size_t i = 0; i < slot->n_trees; i++) {
		if (slot->between)
			slot->between(slot->context);
		if (make_group(&group, i, limits, err) < 0 || open_door(&group, i, err) < 0) {
			(void)cgroup_close(&group, &later);
			return fail_in(err, "cgroup");
		}
	}
	*ret = group;
	return 0;
}

void cgroup_doors(const struct cgroup *group, struct cgroup_doors *ret)
{
	*ret = (struct cgroup_doors){.v2 = group->v2};
	for (size_t i = 0; i < CONTROLLER_COUNT; i++)
		if (group->tasks[i] >= 0)
			ret->v1[ret->n_v1++] = group->tasks[i];
}

/* -1: no group of ours has it. */
static int version_of(const struct cgroup *group, enum controller c, struct target *ret)
{
	for (size_t i = 0; group->made >> i; i++) {
		const struct cgroup_tree *tree = &group->slot->trees[i];

		*ret = (struct target){tree->dir, group->name};
		if ((group->made & 1U << i) && (tree->controllers & 1U << c))
			return tree->version;
	}
	return -1;
}

int cgroup_limit_processes(const struct cgroup *group, uint64_t most, struct error *err)
{
	struct target at;

	if (version_of(group, CONTROLLER_PIDS, &at) < 0)
		return fail(err, ERR_CONFIG, "no group counts processes");
	return put_number(&at, "pids.max", most, err);
}

int cgroup_limit_cpu(const struct cgroup *group, const struct limits *limits, struct error *err)
{
	struct target at;
	int version = version_of(group, CONTROLLER_CPU, &at);

	if (version < 0)
		return fail(err, ERR_CONFIG, "no group limits the processor");
	return limit_writers[CONTROLLER_CPU][version - 1](&at, limits, err);
}

void cgroup_close_doors(struct cgroup *group)
{
	for (size_t i = 0; i < CONTROLLER_COUNT; i++) {
		own_fd_end(&group->tasks[i]);
		group->tasks[i] = -1;
	}
}

int cgroup_close(struct cgroup *group, struct error *err)
{
	uint64_t deadline_us = clock_us() + REMOVE_WAIT_US;
	int result = 0;

	cgroup_close_doors(group);
	own_fd_end(&group->v2);
	cgroup_drop_counters(group);
	for (size_t i = 0; group->made >> i; i++)
		if ((group->made & 1U << i) &&
		    remove_group(group->slot->trees[i].dir, group->name, deadline_us) < 0)
			result = fail_sys(err, "remove the group %s (version %d)", group->name,
					  group->slot->trees[i].version);
	*group = (struct cgroup){.v2 = -1, .tasks = {-1, -1, -1, -1}};
	return result;
}
