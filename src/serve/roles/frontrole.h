/* SPDX-License-Identifier: Apache-2.0 */
/* frontrole.h - the process that clients talk to. */
#ifndef SERVE_ROLES_FRONTROLE_H
#define SERVE_ROLES_FRONTROLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { FRONT_DOORS_MAX = 16 };

struct front_config {
	int control; /* to the supervisor */
	struct {
		int fd;
		bool tls;
	} doors[FRONT_DOORS_MAX];
	size_t n_doors;
	const char *directory;   /* its own, for what must survive it */
	uint32_t allow_degraded; /* seals that may be missing, one bit per enum layer */
};

/* Until the supervisor is gone.  argv behind the word "front". */
int front_parse(char **argv, struct front_config *ret, struct error *err);
int front_run(const struct front_config *c, struct error *err);

/* frontseal.c: enters the directory (as another user, if we are root: makes it that one's and
 * changes the root to it) and gives up everything else.  ret_directory: by which name it is there
 * now. */
int front_seal(const struct front_config *c, const char **ret_directory, struct error *err);

#endif
