/* SPDX-License-Identifier: Apache-2.0 */
/* sibling.h - belljar and its other programs find each other from where they are themselves. */
#ifndef CLI_SIBLING_H
#define CLI_SIBLING_H

#include <stddef.h>

#include "base/error.h"

/* The first of the places, relative to the directory of this very program, where there is one. */
int sibling_find(const char *const *places, size_t n, char *ret, size_t room, struct error *err);

#endif
