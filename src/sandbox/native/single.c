/* SPDX-License-Identifier: Apache-2.0 */
/* single.c - a launcher with one box and one program.
 *
 * Three processes in one memory work side by side: one builds the box and
 * becomes its pid 1, one seals itself and becomes the program, and we make the
 * network namespace.  The program's process waits for the other two; we wait
 * for it.
 */
#include "sandbox/native/single.h"

#include <sched.h>
#include <string.h>

#include "sandbox/native/ahead.h"
#include "sandbox/native/filterready.h"
#include "sandbox/native/foresee.h"
#include "sandbox/native/loopback.h"
#include "sandbox/native/rawcall.h"
#include "sandbox/native/spread.h"

/* The others are to begin here, and not where the warden is at work: it calls us there when it has
 * ended its own (slot.c).  If it was first, there is work for us already, and they begin elsewhere.
 * The program's process is bound to where the box is built, until it begins: woken where the
 * network is made, it would wait for that. */
static void share_work(const struct launcher *l)
{
	uint32_t *turn = &l->board->turn;

	if (!l->board->room)
		return;
	if (__atomic_load_n(turn, __ATOMIC_ACQUIRE) != TURN_ORDERED) {
		gather(l->box.init, false);
		if (l->newborn.pid)
			gather(l->newborn.pid, true);
	}
	if (l->plan->eager) /* the network is next, here: the warden has yet to hear what for */
		return;
	if (__atomic_exchange_n(turn, TURN_READY, __ATOMIC_ACQ_REL) != TURN_ORDERED)
		return;
	spread(l->box.init, false);
	if (l->newborn.pid)
		spread(l->newborn.pid, true);
}

/* Ours becomes a new one.  Returns its descriptor. */
static int become_network(struct launcher *l, int *ret_socket, struct error *err)
{
	int made = netspace_become(ret_socket);

	if (made < 0)
		return fail(err, ERR_CONFIG,
			    "no network namespace could be made: %s (is "
			    "user.max_net_namespaces 0?)",
			    strerror(-made));
	return l->plan->profile->loopback && loopback_up(err) < 0 ? -1 : made;
}

/* The one that was made ahead. */
static int use_network(const struct launcher *l, int *ret_socket)
{
	*ret_socket = l->network_socket;
	return l->network_fd;
}

int single_begin(struct launcher *l, struct error *err)
{
	l->untold = true;
	if (box_begin(&l->box, l->plan, &l->plan->first, l->board, err) < 0)
		return -1;
	if (plan_bears_early(l->plan) && newborn_bear(&l->newborn, &l->box, l->board, err) < 0) {
		struct error why = {0};

		/* Nobody can be born beside a pid 1 that has failed already. */
		if (box_await(&l->box, &why) < 0)
			*err = why;
		return -1;
	}
	share_work(l);
	/* Nobody has asked yet: then we have the time now that it takes. */
	if (!l->plan->eager)
		return 0;
	l->network_fd = become_network(l, &l->network_socket, err);
	if (l->board->room)
		__atomic_store_n(&l->board->turn, TURN_READY, __ATOMIC_RELEASE);
	return l->network_fd < 0 ? -1 : 0;
}

/* It is pid 1 by now, and sleeps until its end: not here then, where the warden will be at work,
 * but where the program was, as we (slot_news.c). */
static void free_init(const struct launcher *l)
{
	if (l->board->room)
		spread(l->box.init, true);
}

/* What is left to do, when nobody waits for us any more. */
static void settle_network(struct launcher *l, int socket)
{
	const struct plan *plan = l->plan;

	(void)raw_call(SYS_close, socket, 0, 0, 0, 0);
	if (CPU_COUNT(&plan->cpus) > 0) /* the warden changed it */
		(void)raw_call(SYS_sched_setaffinity, 0, sizeof(plan->cpus), (long)&plan->cpus, 0,
			       0);
	layer_stands(l->board, LAYER_NETWORK, "%s",
		     plan->profile->loopback ? "own; loopback only" : "own; no interface is up");
}

static void await_box(struct launcher *l)
{
	struct error err = {0};

	if (l->box.maker && box_await(&l->box, &err) < 0)
		launcher_give_up(l, &err);
}

/* A group of version 2 takes in only who is born in it. */
static int start_by_another(struct launcher *l, struct payload *p, int words, pid_t *ret_pid,
			    struct error *err)
{
	int socket;

	newborn_drop(&l->newborn);
	await_box(l);
	if ((l->plan->eager ? use_network(l, &socket) : become_network(l, &socket, err)) < 0)
		return -1;
	settle_network(l, socket);
	p->seal.root = l->box.root;
	p->seal.rules = l->box.rules;
	return ahead_start(l, p, words, ret_pid, err);
}

int single_start(struct launcher *l, struct payload *p, int words, pid_t *ret_pid,
		 struct error *err)
{
	int network, socket, result;

	if (l->newborn.pid == 0 || p->seal.v2_door >= 0)
		return start_by_another(l, p, words, ret_pid, err);
	ahead_note_cold(l);
	p->seal.newborn = true;
	p->seal.meanwhile = foresee_knows(l->plan) ? foresee_program : NULL;
	p->seal.program = p->words->argv[0];
	if (!p->seal.memory_by_rlimit)
		(void)filter_halves(&l->plan->filter, &p->seal.halves);
	newborn_start(&l->newborn, p);
	network = l->plan->eager ? use_network(l, &socket) : become_network(l, &socket, err);
	if (network < 0) {
		newborn_drop(&l->newborn);
		await_box(l);
		return -1;
	}
	newborn_network(&l->newborn, network); /* first: who built the box may take our place now */
	settle_network(l, socket);
	l->foresees = foresee_begin(l->plan, l->board, p->words->argv[0]);
	result = newborn_await(&l->newborn, ret_pid, err);
	free_init(l);
	await_box(l);
	return result;
}
