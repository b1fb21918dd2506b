/* SPDX-License-Identifier: Apache-2.0 */
/* payload.c - fills a box: a child joins it, seals itself and becomes the program.
 *
 * The child shares the launcher's memory until it execs, and the launcher waits
 * for that: an error is simply left on the board.  Or it has a copy, seals
 * itself before there is a call, and waits at the door for it.  A failed step
 * ends in _exit, never in exec.
 */
#include "sandbox/native/payload.h"

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/childstack.h"
#include "sandbox/native/closeby.h"
#include "sandbox/native/door.h"
#include "sandbox/native/execute.h"
#include "sandbox/native/nodewire.h"
#include "sandbox/native/pidspace.h"

struct door {
	struct payload *p;
	bool ahead;
	pid_t child;
};

void payload_inside(struct payload *p)
{
	struct error err = {0};

	if (sealing_take(&p->seal) < 0)
		_exit(1);
	if (p->seal.newborn && p->seal.board->room)
		closeby_free(p->seal.cpus);
	execute(p->words->argv, p->words->env, &p->seal.board->start_us, &err);
	p->seal.board->error = err;
	_exit(1);
}

static _Noreturn int run_inside(void *arg)
{
	payload_inside(arg);
}

/* Above what a program opens for itself when it starts. */
static int lift_door(struct error *err)
{
	if (dup2(DOOR_FD, NODE_DOOR_FD) < 0 || dup2(DOOR_LIBRARY_FD, NODE_LIBRARY_FD) < 0 ||
	    close(DOOR_FD) < 0 || close(DOOR_LIBRARY_FD) < 0)
		return fail_sys(err, "place the door");
	return 0;
}

/* The same with the door between the two. */
__attribute__((noreturn)) static void wait_inside(struct payload *p)
{
	struct board *board = p->seal.board;
	struct error err = {0};
	struct few_words room = {0}; /* touched before there is a call */
	struct pages more = {0};
	struct words words = {0};
	int fd;

	if (sealing_take(&p->seal) < 0)
		_exit(1);
	if (p->words) {
		uint64_t ignored;

		if (lift_door(&err) == 0)
			execute(p->words->argv, p->words->env, &ignored, &err);
	} else if (sealing_wait(&p->seal, &fd) < 0) {
		_exit(1);
	} else if (words_read_few(fd, &room, &more, &words, &err) == 0) {
		if (p->seal.called)
			closeby_leave(p->seal.cpus);
		execute(words.argv, words.env, &board->start_us, &err);
	}
	board->error = err;
	_exit(1);
}

/* Born in a v2 group: clone3 has no wrapper that brings a stack along, so this child gets a copy
 * of our memory instead; CLONE_VFORK makes us wait just the same. */
static pid_t clone_into(struct payload *p, bool ahead)
{
	struct clone_args args = {
		.flags = CLONE_INTO_CGROUP | (ahead ? 0 : CLONE_VFORK),
		.exit_signal = p->last ? SIGCHLD : 0,
		.cgroup = (unsigned)p->seal.v2_door,
	};
	long child;

	if (!p->last)
		args.flags |= CLONE_PARENT;
	child = syscall(SYS_clone3, &args, sizeof(args));
	if (child == 0 && ahead)
		wait_inside(p);
	if (child == 0)
		payload_inside(p);
	return (pid_t)child;
}

/* The launcher goes on, so this one needs memory of its own. */
static pid_t fork_here(struct payload *p)
{
	long child = syscall(SYS_clone, SIGCHLD | (p->last ? 0 : CLONE_PARENT), 0, 0, 0, 0);

	if (child == 0)
		wait_inside(p);
	return (pid_t)child;
}

static pid_t clone_here(struct payload *p)
{
	return clone(run_inside, childstack_top(CHILDSTACK_PROGRAM),
		     CLONE_VM | CLONE_VFORK | SIGCHLD | (p->last ? 0 : CLONE_PARENT), p);
}

static void bear(struct door *door)
{
	struct payload *p = door->p;

	if (p->seal.pidfd >= 0 && pidspace_join(p->seal.pidfd) < 0) {
		(void)fail_sys(&p->seal.board->error, "the box's pid namespace");
		return;
	}
	if (p->seal.v2_door >= 0)
		door->child = clone_into(p, door->ahead);
	else
		door->child = door->ahead ? fork_here(p) : clone_here(p);
	if (door->child < 0)
		(void)fail_sys(&p->seal.board->error, "clone into the box");
}

static int open_door(void *arg)
{
	bear(arg);
	_exit(0);
}

/* Joining a pid namespace is for one's children, and a launcher may not come back from it (its own
 * belongs to the host).  So a child in between goes, and bears the program as its own sibling. */
static int bear_by_another(struct door *door, struct error *err)
{
	pid_t between = clone(open_door, childstack_top(CHILDSTACK_BETWEEN),
			      CLONE_VM | CLONE_VFORK | SIGCHLD, door);

	if (between < 0)
		return fail_sys(err, "clone");
	while (waitpid(between, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

void payload_clear_board(struct board *board)
{
	board->error = (struct error){0};
	board->start_us = board->mark = board->used_user_us = board->used_system_us = 0;
	board->became_cold = 0;
}

int payload_has_begun(struct board *board, struct error *err)
{
	if (board->error.kind != ERR_NONE) {
		*err = board->error;
		return -1;
	}
	/* Killed on its way: by the death of pid 1, or from outside.  Nothing of the program ran.
	 */
	if (board->start_us == 0)
		return fail(err, ERR_SYSTEM, "the process died before it was sealed");
	return 0;
}

static int bear_child(struct door *door, pid_t *ret_pid, struct error *err)
{
	struct board *board = door->p->seal.board;

	*ret_pid = 0;
	payload_clear_board(board);
	if (door->p->last)
		bear(door);
	else if (bear_by_another(door, err) < 0)
		return -1;
	if (door->child > 0)
		*ret_pid = door->child;
	if (!door->ahead && board->error.kind != ERR_NONE) {
		*err = board->error;
		return -1;
	}
	return door->child <= 0 ? fail(err, ERR_INTERNAL, "no child was born") : 0;
}

int payload_start(struct payload *p, pid_t *ret_pid, struct error *err)
{
	struct door door = {.p = p, .child = -1};

	return bear_child(&door, ret_pid, err) < 0 ? -1 : payload_has_begun(p->seal.board, err);
}

int payload_ahead(struct payload *p, pid_t *ret_pid, struct error *err)
{
	struct door door = {.p = p, .ahead = true, .child = -1};

	return bear_child(&door, ret_pid, err);
}
