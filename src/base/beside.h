/* SPDX-License-Identifier: Apache-2.0 */
/* beside.h - a process goes to the processor of whoever asks it, while nobody else does.
 *
 * Two processes that take turns gain nothing from two processors: the one that
 * is woken elsewhere waits until an idle processor has come to, and finds there
 * nothing of what the other has just written.  The kernel cannot know that they
 * take turns; whoever asks does, and says so with its question.
 */
#ifndef BASE_BESIDE_H
#define BASE_BESIDE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* Zeroed in the beginning: anywhere. */
struct beside {
	uint32_t place; /* where it is held; as beside_here() says */
	bool apart;     /* ... or where it is not */
	bool known;     /* all is what it may use */
	cpu_set_t all;
};

/* One more than the number of the processor that this runs on; 0: it cannot be told. */
uint32_t beside_here(void);
/* From now on there, or for 0 wherever it was allowed to be before.  What cannot be done is left:
 * nothing but time depends on it. */
void beside_stay(struct beside *b, uint32_t place);
/* May it be on more than one processor, when it is anywhere? */
bool beside_has_others(struct beside *b);
/* From now on anywhere else, until beside_stay(b, 0); 0, or no other: nothing happens. */
void beside_leave(struct beside *b, uint32_t place);

#endif
