/* SPDX-License-Identifier: Apache-2.0 */
/* digits.h - numbers and bytes as digits, as printf would write them.
 *
 * An answer has a hundred of them: printf is most of what it costs, and brings
 * most of the memory that is touched for it.
 */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stddef.h>
#include <stdint.h>

enum { DIGITS_ROOM = 32 };

/* All of these end with a NUL, and return how many characters come before it. */
size_t digits_uint(uint64_t value, char ret[static DIGITS_ROOM]);
size_t digits_int(int64_t value, char ret[static DIGITS_ROOM]);
/* At least so many, with zeros in front; at most 20. */
size_t digits_padded(uint64_t value, size_t least, char ret[static DIGITS_ROOM]);
/* Four places, rounded as printf rounds; 0: it is below zero, not a number or too large for this.
 */
size_t digits_ratio(double value, char ret[static DIGITS_ROOM]);
/* Two small ones for each byte. */
size_t digits_hex(const void *bytes, size_t n, char *ret);

#endif
