/* SPDX-License-Identifier: Apache-2.0 */
/* toolschema.h - what a tool may be sent, as JSON Schema. */
#ifndef KEEPER_TOOLSCHEMA_H
#define KEEPER_TOOLSCHEMA_H

#include <jansson.h>

#include "call/rules.h"

/* Of its arguments, 2020-12.  What the policy says beyond it (roots of paths, patterns that other
 * readers understand otherwise) is left out or in words: the policy decides, this explains.  NULL:
 * no memory. */
json_t *tool_schema(const struct tool *t);

#endif
