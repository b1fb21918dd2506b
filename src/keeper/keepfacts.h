/* SPDX-License-Identifier: Apache-2.0 */
/* keepfacts.h - what the front counts of a call: numbers, and names that are bounded. */
#ifndef KEEPER_KEEPFACTS_H
#define KEEPER_KEEPFACTS_H

#include "gate/gate.h"
#include "keeper/keeptalk.h"

void facts_fill(const struct passage *p, struct keep_facts *ret);
/* What screening found, by rule. */
void facts_found(const struct findings *found, struct keep_facts *ret);

#endif
