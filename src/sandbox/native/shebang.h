/* SPDX-License-Identifier: Apache-2.0 */
/* shebang.h - who runs a script: its first line. */
#ifndef NATIVE_SHEBANG_H
#define NATIVE_SHEBANG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { SHEBANG_BYTES = 256 }; /* as many as the kernel reads */

struct shebang {
	char interpreter[SHEBANG_BYTES]; /* an absolute path */
	char program[SHEBANG_BYTES];     /* what env(1) is asked to run; else empty */
};

/* head: the first bytes of the file, up to SHEBANG_BYTES of them; they begin with "#!". */
int shebang_parse(const char *head, size_t len, struct shebang *ret, struct error *err);

#endif
