/* SPDX-License-Identifier: Apache-2.0 */
/* launcher_enter.c - a launcher comes into its slot.
 *
 * First it gives up what it does not need (the host's root, the caller's
 * environment and descriptors, the host's tree).  The order is made for time:
 * what needs no maps is done while the warden writes them, and the network
 * namespace is made beside the root and the box.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/devices.h"
#include "sandbox/native/filterready.h"
#include "sandbox/native/identity.h"
#include "sandbox/native/launcher_state.h"
#include "sandbox/native/loopback.h"
#include "sandbox/native/ownfds.h"
#include "sandbox/native/rootfs.h"
#include "sandbox/native/seal.h"
#include "sandbox/native/spread.h"

/* The caller's variables may hold secrets; nothing in a slot needs one. */
void launcher_forget_environment(void)
{
	for (char **v = environ; v && *v; v++)
		explicit_bzero(*v, strlen(*v));
	environ = NULL;
}

/* While we are the host's root and already pid 1 of the slot: inherited by its boxes. */
static int forbid_executable_memfds(const struct plan *plan, struct error *err)
{
	if (!plan->root_mode || plan->profile->n_programs == 0)
		return 0;
	/* The filter refuses memfds anyway; kernels before 6.3 have no such file. */
	if (access("/proc/sys/vm/memfd_noexec", F_OK) < 0)
		return 0;
	return fd_put_file(AT_FDCWD, "/proc/sys/vm/memfd_noexec", "2", err);
}

/* Only the host's root can make them: the last that it does here, and beside the warden, which has
 * more to do by then.  Before the network namespace is made, which takes the same locks. */
static int leave_root(struct plan *plan, struct error *err)
{
	if (!plan->root_mode)
		return 0;
	return devices_make(plan->init_uid, &plan->devices, err) < 0
		       ? -1
		       : identity_leave_root(plan, err);
}

static void ask_for_maps(struct launcher *l)
{
	struct to_warden news = {.news = NEWS_NEED_MAP};

	if (launcher_tell(l, &news, NULL, 0) < 0)
		_exit(1);
}

static int compile_filters(struct launcher *l, struct error *err)
{
	struct seccomp_options options = l->plan->filter;

	if (filter_ready(&options, SECCOMP_WHOLE, &l->filter, err) < 0)
		return -1;
	if (l->plan->profile->warm.kind == WARM_PYTHON &&
	    (filter_ready(&options, SECCOMP_FIRST, &l->filter_first, err) < 0 ||
	     filter_ready(&options, SECCOMP_SECOND, &l->filter_second, err) < 0))
		return -1;
	/* Whether it will be needed is not known yet, only whether it may be. */
	if (!(l->plan->profile->allow_degraded & 1u << LAYER_MEMORY))
		return 0;
	options.memory_by_rlimit = true;
	return seccomp_compile(&options, SECCOMP_WHOLE, &l->filter_by_rlimit, err);
}

/* What needs no maps is done while the warden writes them; whatever will be born here inherits it.
 */
static int work_unmapped(const struct plan *plan, struct error *err)
{
	if (seal_signals(err) < 0 ||
	    (plan->profile->warm.kind == WARM_PYTHON && seal_keep_inheritable(err) < 0) ||
	    seal_bounding_set(err) < 0)
		return -1;
	if (plan->root >= 0 && fchdir(plan->root) < 0) /* moves along into a mount namespace */
		return fail_sys(err, "--root %s", plan->profile->root);
	return plan_is_single(plan) ? box_enter_spaces(err) : 0;
}

static int get_mapped(struct launcher *l, struct error *err)
{
	struct plan *plan = l->plan;
	struct to_launcher order;
	int fds[MAPPED_FDS];
	size_t n = MAPPED_FDS;

	stay_awake(plan->socket);
	if (fd_receive(plan->socket, &order, sizeof(order), fds, &n, err) <= 0)
		_exit(1);
	if (order.order != ORDER_MAPPED || n <= MAPPED_INIT)
		return fail(err, ERR_INTERNAL, "order %d instead of the maps", (int)order.order);
	plan->init_program = fds[MAPPED_INIT];
	plan->etc = n > MAPPED_ETC ? fds[MAPPED_ETC] : -1;
	memcpy(plan->etc_path, order.cwd, sizeof(plan->etc_path)); /* as the warden's own has it */
	return 0;
}

/* Where there will be one box only, its mount namespace is made with it (box.c). */
static int enter_namespaces(const struct plan *plan, struct error *err)
{
	return !plan->once && unshare(CLONE_NEWNS) < 0
		       ? fail_sys(err, "mount namespace (is user.max_mnt_namespaces 0?)")
		       : 0;
}

/* It takes half a millisecond: it is made beside the root and the box.  For a single program we
 * make it ourselves, when its order is there (single.c). */
static int begin_network(struct launcher *l, struct error *err)
{
	return plan_is_single(l->plan) ? 0 : netspace_begin(&l->network, err);
}

/* Whoever dies from now on takes us along; the warden may have died before, and left an order. */
static bool is_orphan(int socket)
{
	struct pollfd fd = {.fd = socket};

	return poll(&fd, 1, 0) > 0 && fd.revents & POLLHUP;
}

int launcher_enter(struct launcher *l, struct error *err)
{
	struct plan *plan = l->plan;

	if (ownfds_keep(plan, err) < 0)
		return -1;
	(void)umask(022); /* the caller's may be stricter than a root can stand */
	if (forbid_executable_memfds(plan, err) < 0 || leave_root(plan, err) < 0)
		return -1;
	ask_for_maps(l);
	if (work_unmapped(plan, err) < 0 || get_mapped(l, err) < 0 || begin_network(l, err) < 0 ||
	    compile_filters(l, err) < 0 || identity_settle(plan, l->board, err) < 0 ||
	    enter_namespaces(plan, err) < 0)
		return -1;
	/* Again: a change of uid clears it.  The leash is the socket; this is the second, for when
	 * we wait for something else. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0)
		return fail_sys(err, "prctl");
	if (is_orphan(plan->socket))
		_exit(1);
	/* The rest is done by who builds the box: nobody waits for that one yet.  But where the
	 * payload may go on with the keyring that it was born with, that is to be ours. */
	if (plan_is_single(plan) && !(plan->profile->allow_degraded & 1u << LAYER_KEYRING))
		return 0;
	if (!plan_is_single(plan))
		identity_be_last(l->board);
	if (seal_keyring(err) < 0)
		*err = (struct error){0}; /* the payload renews it, and checks */
	return plan->once ? 0 : rootfs_build(plan, l->board, err);
}

int launcher_enter_network(struct launcher *l, struct error *err)
{
	bool loopback = l->plan->profile->loopback;

	if (netspace_enter(&l->network, err) < 0 || (loopback && loopback_up(err) < 0))
		return -1;
	layer_stands(l->board, LAYER_NETWORK, "%s",
		     loopback ? "own; loopback only" : "own; no interface is up");
	return 0;
}
