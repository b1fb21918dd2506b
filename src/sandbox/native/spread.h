/* SPDX-License-Identifier: Apache-2.0 */
/* spread.h - two processes that work side by side belong on two processors. */
#ifndef NATIVE_SPREAD_H
#define NATIVE_SPREAD_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The kernel tends to keep a new process on the processor of its parent, where the two then wait
 * for each other.  Sent to another one it may come back whenever that is better, unless for_good:
 * then its mask, and that of its children, is what is left.  Only saves time. */
void spread(pid_t pid, bool for_good);
/* The other way: it begins here, or goes on here when it wakes up, and not where somebody else is
 * at work. */
void gather(pid_t pid, bool for_good);
/* As spread for good, of cpus, by who may be bound itself. */
void spread_apart(pid_t pid, const cpu_set_t *cpus);
/* Is there a processor that nobody uses now, beside ours and however many run of our own?  Where
 * there is none, whoever is sent away waits. */
bool spread_has_room(const cpu_set_t *cpus, int own);
/* The same, by who can let another have a turn if that would make room. */
bool spread_finds_room(const cpu_set_t *cpus, int own);
/* Is somebody at work here who must not be disturbed?  Then we go on elsewhere. */
void spread_from(unsigned cpu);
/* The other way: a process that sleeps is to wake up here, where somebody is about to go to sleep.
 * Its own mask, which cpus is, it must set again. */
void spread_here(pid_t pid, const cpu_set_t *cpus);
/* Waits for a message that is about to come, for half a millisecond at most, without giving the
 * processor away: to wake a processor that sleeps takes long, above all in a virtual machine. */
void stay_awake(int sock);
/* Without libc's errno: until the word is 0. */
void stay_awake_while(const uint32_t *word);
/* The same until *word, which another process writes, is not 0 any more. */
void stay_awake_for(const uint32_t *word);

#endif
