/* SPDX-License-Identifier: Apache-2.0 */
/* frontdoor.h - whether a request may come in at all. */
#ifndef SERVE_API_FRONTDOOR_H
#define SERVE_API_FRONTDOOR_H

#include "serve/api/front.h"

/* Names the visit, finds its row and who asks.  False: it was answered. */
bool frontdoor_pass(struct visit *v);

#endif
