/* SPDX-License-Identifier: Apache-2.0 */
/* codefile.h - code becomes a file in /work, and the words that run it. */
#ifndef SANDBOX_CODEFILE_H
#define SANDBOX_CODEFILE_H

#include "call/language.h"
#include "sandbox/sandbox.h"

/* Belongs to the caller, and must outlive the request. */
struct codefile {
	char **argv;
	char script[264]; /* "/work/<name>" */
};

void codefile_done(struct codefile *c);
/* code: its bytes, which are borrowed; inside NULL: the language's own name for a file.  rest: the
 * code's own arguments, NULL-terminated; NULL: none. */
int codefile_add(struct codefile *c, struct request *r, const struct language *language,
		 struct put code, const char *const *rest, struct error *err);

#endif
