/* SPDX-License-Identifier: Apache-2.0 */
/* startenv.h - variables that an interpreter reads when it starts, and never again. */
#ifndef NATIVE_STARTENV_H
#define NATIVE_STARTENV_H

#include <stdbool.h>
#include <stddef.h>

/* Do both environments have the same variables of those that begin so?  begins ends with NULL.  If
 * not, ret_why says which is another: its name, never what is in it. */
bool startenv_same(const char *const *begins, char *const *one, char *const *other, char *ret_why,
		   size_t room);

#endif
