/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_settle.h - what a warm interpreter does before it bears anybody. */
#ifndef WARM_ZYGOTE_SETTLE_H
#define WARM_ZYGOTE_SETTLE_H

#include <stddef.h>

#include "warm/zygote_maps.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

enum { HUGE_PAGE = 2 << 20 };

/* The command line, as others see it: where the interpreter's own words lie. */
struct title {
	char *start; /* NULL: not known */
	size_t size;
};

/* Room for so many bytes, where huge pages could lie; NULL: there is none. */
void *huge_room(size_t size);

void settle_blocks(void);
void settle_code(const struct own_memory *own);
void settle_names(void);
/* Its words go, but for its name; so children need not take them away. */
void settle_title(struct title *ret);

#endif
