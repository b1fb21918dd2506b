/* SPDX-License-Identifier: Apache-2.0 */
/* heap.c - memory that is about to be needed: glibc's heap has its own ways (musl/heaproom.c). */
#include "base/heap.h"

void heap_expect(size_t bytes)
{
	(void)bytes;
}
