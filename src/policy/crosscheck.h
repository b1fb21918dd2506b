/* SPDX-License-Identifier: Apache-2.0 */
/* crosscheck.h - do the clients and tools of all files fit together? */
#ifndef POLICY_CROSSCHECK_H
#define POLICY_CROSSCHECK_H

#include "policy/reader.h"

/* list: the tools that clients name. */
void crosscheck(const struct policy *p, const struct reference *list, struct complaints *ret);

#endif
