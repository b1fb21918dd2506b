/* SPDX-License-Identifier: Apache-2.0 */
/* yamlbytes.h - is every byte of a policy file one that its reader sees? */
#ifndef POLICY_YAMLBYTES_H
#define POLICY_YAMLBYTES_H

#include "policy/policy.h"

/* Complains (once) about bytes that are not UTF-8, control characters, characters that are not
 * shown or turn the writing around, and directives.  Columns count characters. */
bool yamlbytes_check(const char *name, const char *data, size_t len, struct complaints *ret);

#endif
