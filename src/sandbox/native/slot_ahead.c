/* SPDX-License-Identifier: Apache-2.0 */
/* slot_ahead.c - the warden's side of the process that waits in the box for the next call.
 *
 * It is born in the groups that were made for that call, with the limits of the
 * last one: a call with others finds the box empty.
 */
#include "base/fd.h"
#include "call/limits.h"
#include "sandbox/native/slot_state.h"

/* Descriptors of the groups, in the order of struct to_launcher. */
size_t slot_add_doors(const struct cgroup *group, struct to_launcher *order, int *fds)
{
	struct cgroup_doors doors;
	size_t n = 0;

	cgroup_doors(group, &doors);
	if (doors.v2 >= 0)
		fds[n++] = doors.v2;
	for (size_t i = 0; i < doors.n_v1; i++)
		fds[n++] = doors.v1[i];
	order->v2_door = doors.v2 >= 0;
	order->n_doors = (uint32_t)doors.n_v1;
	return n;
}

void slot_order_ahead(struct slot *s)
{
	const struct limits *limits = &s->watch.next_limits;
	struct to_launcher order = {.order = ORDER_AHEAD, .limits = *limits, .another = true};
	struct error err = {0};
	int fds[RUN_FDS_MAX];
	size_t n;

	if (!s->resident || s->dead || s->phase != PHASE_IDLE || !s->watch.next_open ||
	    limits->disk_bytes != s->box_limits.disk_bytes ||
	    limits->inodes != s->box_limits.inodes)
		return;
	order.beside = s->beside;
	order.memory_by_rlimit = s->board->layers[LAYER_MEMORY].state != LAYER_FULL;
	n = slot_add_doors(&s->watch.next, &order, fds);
	if (fd_send(s->socket, &order, sizeof(order), fds, n, &err) < 0)
		return; /* its end is seen elsewhere */
	s->ahead = true;
}

int slot_leave_ahead(struct slot *s, const struct limits *limits, struct error *err)
{
	const struct to_launcher order = {.order = ORDER_LEAVE};

	/* It is dead then: the launcher sees that. */
	if (s->ahead && s->profile.warm.kind == WARM_NODE)
		watch_drop_spoiled(&s->watch);
	if (!s->ahead || limits_same_seal(limits, &s->watch.next_limits))
		return 0;
	/* Who waits is in the groups that are about to go. */
	s->left = false;
	s->ahead = false;
	if (fd_send(s->socket, &order, sizeof(order), NULL, 0, err) < 0)
		return -1;
	return slot_wait_until(s, &s->left, err);
}
