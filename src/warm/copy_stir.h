/* SPDX-License-Identifier: Apache-2.0 */
/* copy_stir.h - a process that will be asked for something in a moment is awake by then. */
#ifndef WARM_COPY_STIR_H
#define WARM_COPY_STIR_H

#include <stdint.h>

/* Who may be elsewhere than on this processor (counted from 1; 0: anywhere) is, until
 * copy_anywhere().  Where there is no other, nothing happens. */
void copy_apart(uint64_t place);
/* Where it was allowed to be before. */
void copy_anywhere(void);
/* Until there is something to read, or a signal.  A read would do; but whoever waits in one is also
 * woken when what it wrote is read. */
void copy_await(int fd);
/* Until there is something to read, without sleeping, and for so long at most. */
void copy_expect(int fd, uint64_t us);

#endif
