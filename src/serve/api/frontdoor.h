/* SPDX-License-Identifier: Apache-2.0 */
/* frontdoor.h - whether a request may come in at all. */
#ifndef SERVE_API_FRONTDOOR_H
#define SERVE_API_FRONTDOOR_H

#include "serve/api/front.h"

/* Names the visit, finds its row and who asks.  False: it was answered. */
bool frontdoor_pass(struct visit *v);
/* Another policy counts now: is it still the same client, with the same right to this?  Its scopes
 * are those of now afterwards. */
bool frontdoor_still(struct visit *v);

#endif
