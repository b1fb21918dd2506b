/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_large.h - a warm interpreter's memory, laid into huge pages. */
#ifndef WARM_ZYGOTE_LARGE_H
#define WARM_ZYGOTE_LARGE_H

#include <stdint.h>

#include "warm/zygote_maps.h"

/* Returns how many bytes it has of which nobody knows: what is left of huge pages.  Where other
 * threads than the main one run, only what nobody writes to is moved. */
uint64_t settle_memory(const struct own_memory *own);

#endif
