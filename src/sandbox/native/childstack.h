/* SPDX-License-Identifier: Apache-2.0 */
/* childstack.h - where children that share their maker's memory have their stacks. */
#ifndef NATIVE_CHILDSTACK_H
#define NATIVE_CHILDSTACK_H

/* One of each at a time. */
enum childstack {
	CHILDSTACK_BOX,     /* who makes a box and becomes its pid 1 */
	CHILDSTACK_PROGRAM, /* who seals itself and becomes a program */
	CHILDSTACK_BETWEEN, /* who bears that one in another pid namespace */
	CHILDSTACK_NETWORK, /* who makes a network namespace */
	CHILDSTACK_MAP,     /* who stands for a map of uids */
	CHILDSTACK_COUNT
};

/* It grows down from here. */
char *childstack_top(enum childstack which);
/* None of them lives: the memory goes back, until the next one does. */
void childstacks_forget(void);

#endif
