/* SPDX-License-Identifier: Apache-2.0 */
/* sectionlist.h - every section that can be reached from the policy file's rows, once. */
#ifndef POLICY_SECTIONLIST_H
#define POLICY_SECTIONLIST_H

#include "policy/settings.h"

enum { SECTIONS_MAX = 40 };

struct sectionlist {
	const struct section *list[SECTIONS_MAX]; /* the file itself first */
	size_t n;
};

void sectionlist_fill(struct sectionlist *ret);

#endif
