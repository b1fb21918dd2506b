/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.h - the faces that the answer to a call has. */
#ifndef KEEPER_SHAPES_H
#define KEEPER_SHAPES_H

#include "gate/gate.h"
#include "keeper/keeptalk.h"

/* A ceiling for what shape_write() writes. */
size_t shape_room(const struct passage *p);
int shape_write(const struct passage *p, const struct keep_request *r, struct buf *out,
		struct error *err);
/* The HTTP status, when to come back, and the facts. */
void shape_head(const struct passage *p, struct keep_reply *ret);
/* What went wrong, in one sentence; NULL: nothing. */
const char *shape_error(const struct passage *p, char *room, size_t size);

#endif
