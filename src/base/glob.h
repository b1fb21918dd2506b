/* SPDX-License-Identifier: Apache-2.0 */
/* glob.h - patterns for file names: bytes in, yes or no out.
 *
 *   *      any bytes but a slash
 *   ?      one byte but a slash
 *   [a-z]  one byte of a set, [!a-z] one that is not in it; never a slash
 *   **     any bytes, slashes too; as a whole part of the name with a slash behind it,
 *          any number of directories, none too
 *   \x     x itself
 *
 * A leading dot is a byte like any other.  The time is at most pattern times path, whatever
 * either of them says.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include <stdbool.h>

#include "base/error.h"

enum { GLOB_MAX = 1024 }; /* longest pattern */

/* Is it a pattern for relative names?  Says what is wrong with it if not. */
int glob_check(const char *pattern, struct error *err);
/* A pattern that glob_check() refuses matches nothing. */
bool glob_match(const char *pattern, const char *path);
/* Could something beneath this directory match?  "" is the directory where the names begin. */
bool glob_may_enter(const char *pattern, const char *directory);

#endif
