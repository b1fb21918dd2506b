/* SPDX-License-Identifier: Apache-2.0 */
/* python_plain.h - code in which nothing can be found, told without a grammar. */
#ifndef SCREEN_PYTHON_PLAIN_H
#define SCREEN_PYTHON_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

/* true: it is Python, and no rule of ours could say anything about it.  Rules of the policy's owner
 * may. */
bool py_is_plain(const char *text, size_t len);

#endif
