/* SPDX-License-Identifier: Apache-2.0 */
/* jsonnum.h - JSON numbers by what they are worth: 1 and 1.0 are one number, 2^53 and 2^53+1 two.
 *
 * jansson keeps an integer exactly and any other number as a double; nothing
 * here rounds one to the other.
 */
#ifndef BASE_JSONNUM_H
#define BASE_JSONNUM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* All of these want numbers. */

/* Below, at or above 0, as a is less than, equal to or more than b. */
int jsonnum_compare(const json_t *a, const json_t *b);
/* Has it no fraction? */
bool jsonnum_is_whole(const json_t *n);
/* A whole number of at least 0, up to UINT64_MAX (what is more becomes that); false: it is not. */
bool jsonnum_count(const json_t *n, uint64_t *ret_count);
/* Is it a whole multiple of step (more than 0)?  By the decimal digits that were written, so that
 * 0.0075 is a multiple of 0.0001. */
bool jsonnum_is_multiple(const json_t *n, const json_t *step);

#endif
