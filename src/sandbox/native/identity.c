/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c - who a launcher is: a uid of its own and a user namespace that belongs to it.
 *
 * Root mode: each slot has two host uids from a private range, one for the
 * program and one for pid 1 and the launcher.  The user namespace is made *as*
 * the program's uid, so that the kernel charges its per-user quotas (inotify,
 * keys, pending signals) to that uid and not to root's.  The host's uid 0 is
 * mapped nowhere.
 */
#include "sandbox/native/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"

enum {
	UID_FIRST = 2000000000, /* far above what distributions and subuid files hand out */
	SLOTS_MAX = 32768,
};

static const char lock_dir[] = IDENTITY_PLACE;
static const char lock_file[] = IDENTITY_PLACE "/slots.lock";

/* A number that is not mapped cannot be taken, not even for a moment; and what setfsuid returns is
 * the one before.  The map itself is a long way off, in /proc. */
static bool is_mapped(uid_t uid)
{
	uid_t before = (uid_t)setfsuid(uid);

	return (uid_t)setfsuid(before) == uid;
}

static bool ids_are_mapped(void)
{
	return is_mapped(UID_FIRST) && is_mapped(UID_FIRST + 2 * SLOTS_MAX - 1);
}

bool identity_is_root_mode(struct error *err)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[2] = {0};
	const unsigned need = 1u << CAP_SYS_ADMIN | 1u << CAP_SETUID | 1u << CAP_SETGID;

	if (geteuid() != 0)
		return (void)fail(err, ERR_CONFIG, "started by uid %u, not by root", geteuid()),
		       false;
	if (syscall(SYS_capget, &head, sets) < 0 || (sets[0].effective & need) != need)
		return (void)fail(err, ERR_CONFIG,
				  "uid 0 without CAP_SYS_ADMIN, CAP_SETUID or CAP_SETGID"),
		       false;
	if (!ids_are_mapped())
		return (void)fail(err, ERR_CONFIG,
				  "uids from %d on are not mapped in this user namespace",
				  UID_FIRST),
		       false;
	return true;
}

int identity_reserve(struct plan *plan, struct error *err)
{
	own_fd fd = -1;
	/* Start at a place of our own: a busy host has many low numbers taken. */
	unsigned first = (unsigned)getpid() % SLOTS_MAX;

	if (mkdir(lock_dir, 0755) < 0 && errno != EEXIST)
		return fail_sys(err, "create %s", lock_dir);
	fd = fd_lift(open(lock_file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
	if (fd < 0)
		return fail_sys(err, "open %s", lock_file);
	for (unsigned i = 0; i < SLOTS_MAX; i++) {
		unsigned slot = (first + i) % SLOTS_MAX;
		struct flock lock = {
			.l_type = F_WRLCK,
			.l_whence = SEEK_SET,
			.l_start = slot,
			.l_len = 1,
		};

		if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
			plan->payload_uid = UID_FIRST + 2 * slot;
			plan->init_uid = UID_FIRST + 2 * slot + 1;
			return take_fd(&fd);
		}
		if (errno != EAGAIN && errno != EACCES)
			return fail_sys(err, "lock %s", lock_file);
	}
	return fail(err, ERR_CONFIG, "all %d slots of this host are in use", SLOTS_MAX);
}

static int write_map(int proc, const char *file, const char *text, struct error *err)
{
	return fd_put_file(proc, file, text, err) < 0 ? fail_in(err, "user namespace") : 0;
}

int identity_write_maps(const struct plan *plan, pid_t launcher, struct error *err)
{
	char path[32], uids[64], gids[64];
	own_fd proc = -1;

	(void)snprintf(path, sizeof(path), "/proc/%d", launcher);
	proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return fail_sys(err, "open %s", path);
	/* Boxes are to die before anything of the host does.  Their own way into /proc is long. */
	if (fd_put_file(proc, "oom_score_adj", "500", err) < 0)
		return -1;
	if (plan->root_mode) {
		(void)snprintf(uids, sizeof(uids), "0 %u 1\n%d %u 1\n", plan->init_uid, INSIDE_UID,
			       plan->payload_uid);
		(void)snprintf(gids, sizeof(gids), "0 %u 1\n%d %u 1\n", plan->init_uid, INSIDE_GID,
			       plan->payload_uid);
	} else {
		(void)snprintf(uids, sizeof(uids), "%d %u 1\n", INSIDE_UID, geteuid());
		(void)snprintf(gids, sizeof(gids), "%d %u 1\n", INSIDE_GID, getegid());
		if (write_map(proc, "setgroups", "deny", err) < 0)
			return -1;
	}
	if (write_map(proc, "uid_map", uids, err) < 0)
		return -1;
	return write_map(proc, "gid_map", gids, err);
}

/* By number: libc would make other threads follow, and for that block signals for a while. */
static long become(uid_t uid)
{
	long result = syscall(SYS_setresgid, uid, uid, uid);

	return result < 0 ? result : syscall(SYS_setresuid, uid, uid, uid);
}

int identity_leave_root(const struct plan *plan, struct error *err)
{
	uid_t uid = plan->payload_uid;

	if (syscall(SYS_setgroups, 0, NULL) < 0)
		return fail_sys(err, "drop groups");
	if (become(uid) < 0)
		return fail_sys(err, "become uid %u", uid);
	if (unshare(CLONE_NEWUSER) < 0)
		return fail_sys(err, "user namespace as uid %u (is user.max_user_namespaces 0?)",
				uid);
	return 0;
}

int identity_settle(const struct plan *plan, struct board *board, struct error *err)
{
	if (plan->root_mode) {
		if (become(0) < 0)
			return fail_sys(err, "become root inside the user namespace");
		layer_stands(board, LAYER_OWN_UID, "host uid %u, init %u", plan->payload_uid,
			     plan->init_uid);
	} else {
		board->layers[LAYER_OWN_UID].state = LAYER_DEGRADED;
		(void)snprintf(board->layers[LAYER_OWN_UID].detail,
			       sizeof(board->layers[LAYER_OWN_UID].detail),
			       "the caller's uid; as root every slot has its own");
	}
	return 0;
}

void identity_be_last(struct board *board)
{
	struct error err = {0};

	/* The filter refuses namespaces as well; this counts for whatever gets past it.  Where
	 * /proc/sys is read-only (inside a container) the filter is alone, and we say so. */
	if (fd_put_file(AT_FDCWD, "/proc/sys/user/max_user_namespaces", "0", &err) < 0)
		layer_stands(board, LAYER_USER_NAMESPACE, "own; no further ones by filter only");
	else
		layer_stands(board, LAYER_USER_NAMESPACE, "own, no further ones");
}
