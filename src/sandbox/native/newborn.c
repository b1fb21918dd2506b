/* SPDX-License-Identifier: Apache-2.0 */
/* newborn.c - the process of the only program, born before its box is built. */
#include "sandbox/native/newborn.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/childstack.h"
#include "sandbox/native/rawcall.h"
#include "sandbox/native/spread.h"

/* Whoever builds the box uses libc meanwhile: we do not. */
static void sleep_until(const uint32_t *word)
{
	static const struct timespec moment = {.tv_nsec = 10000000}; /* should the call be lost */

	while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
		(void)raw_call(SYS_futex, (long)word, FUTEX_WAIT, 0, (long)&moment, 0);
}

static _Noreturn int wait_inside(void *arg)
{
	const struct newborn *n = arg;

	sleep_until(&n->board->built);
	sleep_until(&n->board->named);
	box_lend(n->box, &n->payload->seal.root, &n->payload->seal.rules);
	payload_inside(n->payload);
}

int newborn_bear(struct newborn *n, const struct box *box, struct board *board, struct error *err)
{
	long child;

	*n = (struct newborn){.box = box, .board = board};
	board->named = board->network = 0;
	board->program = 1;
	child = raw_clone(CLONE_VM | CLONE_FILES | CLONE_CHILD_CLEARTID | SIGCHLD,
			  childstack_top(CHILDSTACK_PROGRAM), NULL, &board->program, wait_inside,
			  n);
	if (child < 0)
		return fail(err, ERR_SYSTEM, "clone into the box: error %ld", -child);
	n->pid = (pid_t)child;
	return 0;
}

void newborn_drop(struct newborn *n)
{
	if (n->pid <= 0)
		return;
	(void)kill(n->pid, SIGKILL);
	while (waitpid(n->pid, NULL, 0) < 0 && errno == EINTR)
		;
	n->pid = 0;
}

void newborn_start(struct newborn *n, struct payload *p)
{
	payload_clear_board(n->board);
	n->payload = p;
	raw_post(&n->board->named, 1);
}

void newborn_network(struct newborn *n, int fd)
{
	raw_post(&n->board->network, (uint32_t)fd + 1);
}

/* Awake, if there is a processor for it: whoever execs would have to wake us up before it goes on.
 */
static void await_begin(const struct board *board)
{
	static const struct timespec moment = {.tv_nsec = 1000000}; /* should the call be lost */
	const uint32_t *word = &board->program;

	if (board->room)
		stay_awake_while(word);
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE))
		(void)raw_call(SYS_futex, (long)word, FUTEX_WAIT, 1, (long)&moment, 0);
}

int newborn_await(struct newborn *n, pid_t *ret_pid, struct error *err)
{
	*ret_pid = 0;
	await_begin(n->board);
	if (payload_has_begun(n->board, err) < 0) {
		newborn_drop(n);
		return -1;
	}
	*ret_pid = n->pid;
	n->pid = 0;
	return 0;
}
