/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_libraries.h - which parts of a warm interpreter's libraries nobody writes to. */
#ifndef WARM_ZYGOTE_LIBRARIES_H
#define WARM_ZYGOTE_LIBRARIES_H

#include <stddef.h>
#include <stdint.h>

#include "warm/zygote_maps.h"

struct library {
	struct span span;
	uintptr_t fixed; /* where what was not even written to when it was loaded ends */
};

/* Returns how many there are, at most room.  Without the program itself, what the kernel mapped,
 * and those of more than most bytes. */
size_t libraries_list(struct library *ret, size_t room, size_t most);

#endif
