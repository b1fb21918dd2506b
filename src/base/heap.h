/* SPDX-License-Identifier: Apache-2.0 */
/* heap.h - memory that is about to be needed is had at once. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stddef.h>

/* About so many bytes will be asked for, in small pieces.  Only saves time, and only with musl:
 * each page that is first touched later costs a fault.  After whoever is cloned without it: else
 * each is copied once more. */
void heap_expect(size_t bytes);

#endif
