/* SPDX-License-Identifier: Apache-2.0 */
/* scribeseal.h - the scribe gives up everything that writing one log does not need. */
#ifndef SCRIBE_SCRIBESEAL_H
#define SCRIBE_SCRIBESEAL_H

#include "call/call.h"

/* Before anything is read from anybody.  directory is the log's.  A seal that this host does not
 * offer is an error unless its bit is in allow_degraded; ret_layers (LAYER_COUNT of them) says what
 * is in force. */
int scribe_seal(int directory, uint32_t allow_degraded, struct layer_report *ret_layers,
		struct error *err);

#endif
