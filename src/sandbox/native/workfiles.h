/* SPDX-License-Identifier: Apache-2.0 */
/* workfiles.h - files beneath /work of a box that lives, and whose programs may be after us.
 *
 * path: beneath /work (copyin_check_path).  The caller has taken on the box's
 * file system ids: nothing is possible here that the box's user could not do.
 * Errors: ERR_NOT_FOUND, ERR_REFUSED, ERR_CALLER.
 */
#ifndef NATIVE_WORKFILES_H
#define NATIVE_WORKFILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "call/inside.h"
#include "sandbox/native/copyin.h"

/* Makes directories on the way; the file is there whole or not at all, and replaces a regular one.
 */
int workfiles_put(int work, const char *path, const struct copyin_text *text, struct error *err);
struct workpiece {
	uint64_t from, most; /* at most KEPT_PIECE_MAX */
	int to;              /* where the bytes go */
};
/* ret_total: the size of the file. */
int workfiles_get(int work, const char *path, const struct workpiece *piece, uint64_t *ret_total,
		  struct error *err);
/* "." too. */
int workfiles_stat(int work, const char *path, struct kept_entry *ret, struct error *err);

struct worklist {
	struct kept_entry *entries;
	size_t room, n;
	bool cut;
};
/* "." too.  By name. */
int workfiles_list(int work, const char *path, struct worklist *list, struct error *err);
int workfiles_mkdir(int work, const char *path, struct error *err);
int workfiles_remove(int work, const char *path, bool recursive, struct error *err);

#endif
