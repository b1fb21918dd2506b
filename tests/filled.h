/* SPDX-License-Identifier: Apache-2.0 */
/* filled.h - a request in a box that was filled before it came. */
#ifndef TESTS_FILLED_H
#define TESTS_FILLED_H

#include "sandbox/sandbox.h"

/* As the variable BOX_WARM says: "sealed", a bare process waits; "python", the child of a warm
 * Python, which becomes the command by exec.  false: it says nothing. */
bool filled_wanted(void);
/* For a command that Python is to become: its words and its language's variables. */
bool filled_by_python(const struct request *r);
char **filled_words(char **command);
int filled_run(struct request *r, struct account *ret, struct error *err);

#endif
