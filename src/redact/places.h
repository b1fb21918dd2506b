/* SPDX-License-Identifier: Apache-2.0 */
/* places.h - names of directories behind which is a person's name or a temporary one. */
#ifndef REDACT_PLACES_H
#define REDACT_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "redact/stretch.h"

enum { PLACES_REACH = 16 }; /* from the begin of a match to its hit, at most */

enum place { PLACE_HOME, PLACE_TEMP, PLACE_COUNT };

/* text[at] is the "/" before a name.  false: enough. */
typedef bool places_hit(void *context, size_t at, enum place place);
/* Looks at what begins in the stretch.  false: hit() had enough. */
bool places_find(const struct stretch *in, places_hit *hit, void *context);

#endif
