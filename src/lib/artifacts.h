/* SPDX-License-Identifier: Apache-2.0 */
/* artifacts.h - files of a box that travel as bytes, in descriptors that cannot change. */
#ifndef LIB_ARTIFACTS_H
#define LIB_ARTIFACTS_H

#include "base/error.h"
#include "call/call.h"
#include "lib/talk.h"
#include "sandbox/sandbox.h"

/* A name as a request carries it; one that is too long is refused. */
int artifacts_path(char ret[KEPT_PATH_MAX], const char *path, struct error *err);
/* A sealed memfd. */
int artifacts_pack(const void *data, size_t len, struct error *err);
/* The same for what is to be put into a box; source: a file that is read from, or -1. */
int artifacts_bytes(const struct put *put, int source, struct error *err);
/* The answer to ASK_COLLECT becomes artifacts of the account.  Strict: one that does not add up
 * or is larger than asked for is refused as a whole. */
int artifacts_take(const int fds[SAY_FDS], uint32_t count, const struct get_caps *caps,
		   struct account *account, struct error *err);
/* The other end of it: writes the list of an account's artifacts. */
int artifacts_list(const struct account *account, struct error *err);

#endif
