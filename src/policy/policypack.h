/* SPDX-License-Identifier: Apache-2.0 */
/* policypack.h - the files of a policy that was read, so that it can be read again as it was.
 *
 * The service reads a policy when it is told to, and starts processes that need
 * it long after: what the files say by then may be something else, or wrong.
 */
#ifndef POLICY_POLICYPACK_H
#define POLICY_POLICYPACK_H

#include "policy/policy.h"

enum { POLICYPACK_MAX = 64 << 20, POLICYPACK_FILES_MAX = 4096 };

struct policypack {
	char *data;
	struct policy_file *files; /* in the order in which they were read; the main file first */
	size_t n;                  /* 0: the built-in policy, which has none */
};

/* fd: a file in memory that nobody can change any more. */
int policypack_open(int fd, struct policypack *ret, struct error *err);
void policypack_done(struct policypack *p);
void policypack_end(struct policypack *p); /* for own(policypack) */
const struct policy_file *policypack_find(const struct policypack *p, const char *name);
/* Writes what p was read from. */
int policypack_write(const struct policy *p, int fd, struct error *err);
/* "pack:5" -> 5; -1: it is the name of a file. */
int policypack_word(const char *word);

#endif
