/* SPDX-License-Identifier: Apache-2.0 */
/* aideseal.h - the aide gives up everything that cleaning text does not need. */
#ifndef CLI_AIDESEAL_H
#define CLI_AIDESEAL_H

#include "base/error.h"

/* What it has open stays open.  -1: this host does not offer it, and nothing is cleaned. */
int aide_seal(struct error *err);

#endif
