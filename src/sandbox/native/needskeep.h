/* SPDX-License-Identifier: Apache-2.0 */
/* needskeep.h - what a list of programs needs, kept for whoever lists the same. */
#ifndef NATIVE_NEEDSKEEP_H
#define NATIVE_NEEDSKEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/native/programs.h"
#include "sandbox/native/searchwitness.h"

/* False: nothing was kept, or something that it was made from has changed. */
bool needskeep_find(const char *const *programs, size_t n, struct needed_list *ret);
/* Only saves time: whatever fails, the next one looks for itself. */
void needskeep_put(const char *const *programs, size_t n, struct witness *seen,
		   const struct needed_list *list);

struct kept_sight;
struct kept_needs {
	const char *texts;
	const struct kept_sight *sights;
	size_t n_sights;
};

/* What bytes (aligned for anything) say of these programs; false: they are not whole, or for
 * others.  Looks nothing up; ret_kept points into bytes. */
bool needskeep_read(const char *bytes, size_t len, const char *const *programs, size_t n,
		    struct kept_needs *ret_kept, struct needed_list *ret);

const char *needskeep_path(const struct kept_needs *kept, size_t i);

#endif
