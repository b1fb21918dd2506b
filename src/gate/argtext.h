/* SPDX-License-Identifier: Apache-2.0 */
/* argtext.h - arguments that are texts and nothing else, as the JSON that is written down. */
#ifndef GATE_ARGTEXT_H
#define GATE_ARGTEXT_H

#include <jansson.h>

#include "gate/gate.h"

/* Is it an object with a few texts, and nothing else?  Most are. */
bool argtext_fits(const json_t *args);
/* One that fits, byte for byte as jansson writes it, compact and sorted, with each text cleaned
 * before (clean->clean NULL: as it is).  The caller frees it.  NULL: err. */
char *argtext_write(const json_t *args, const struct cleaner *clean, size_t *ret_len,
		    struct error *err);

#endif
