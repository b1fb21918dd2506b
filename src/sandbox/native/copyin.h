/* SPDX-License-Identifier: Apache-2.0 */
/* copyin.h - puts files into a box's /work before the program starts. */
#ifndef NATIVE_COPYIN_H
#define NATIVE_COPYIN_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

enum { COPYIN_PATH_MAX = 1024, COPYIN_DEPTH_MAX = 32 };

/* Is it a name beneath /work: relative, no "." or "..", no empty part, not too long? */
int copyin_check_path(const char *inside, struct error *err);

/* Copies the regular file behind source (from its position on) to inside, beneath the directory
 * work.  Directories on the way are made; nothing that exists is replaced.  Files belong to uid
 * and gid; mode 0755 if the source's owner may execute it, else 0644. */
int copyin_file(int work, const char *inside, int source, uid_t uid, gid_t gid, struct error *err);

struct copyin_text {
	const void *data;
	size_t len;
	mode_t mode;
};

/* The same for bytes we have in memory. */
int copyin_bytes(int work, const char *inside, const struct copyin_text *text, uid_t uid, gid_t gid,
		 struct error *err);

#endif
