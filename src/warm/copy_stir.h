/* SPDX-License-Identifier: Apache-2.0 */
/* copy_stir.h - a process that will be asked for something in a moment is awake by then. */
#ifndef WARM_COPY_STIR_H
#define WARM_COPY_STIR_H

#include <stdbool.h>
#include <stdint.h>

/* Goes elsewhere than on this processor (counted from 1); with fd >= 0, it is nowhere but there
 * until there is something to read, or a signal.  Afterwards it may be where it could be before.
 * False: there is no other, and nothing happened. */
bool copy_apart(uint64_t place, int fd);
/* Until there is something to read, without sleeping, and for so long at most. */
void copy_expect(int fd, uint64_t us);

#endif
