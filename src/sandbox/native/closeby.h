/* SPDX-License-Identifier: Apache-2.0 */
/* closeby.h - who takes part in a short call takes turns on one processor. */
#ifndef NATIVE_CLOSEBY_H
#define NATIVE_CLOSEBY_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

/* A process that sleeps and is about to be woken by us comes here for it; what it begins there is
 * its own business: closeby_free() before anything of a caller's runs. */
void closeby_call(pid_t pid, const cpu_set_t *cpus);
/* We, or who was born of us, may be on every processor again. */
void closeby_free(const cpu_set_t *cpus);
/* The same for who was called and is about to exec: it goes on where it is. */
void closeby_leave(const cpu_set_t *cpus);

#endif
