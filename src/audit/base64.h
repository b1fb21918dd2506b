/* SPDX-License-Identifier: Apache-2.0 */
/* base64.h - RFC 4648, section 4: with padding, one way to write each thing. */
#ifndef AUDIT_BASE64_H
#define AUDIT_BASE64_H

#include <stddef.h>
#include <sys/types.h>

#define BASE64_LEN(n) (((n) + 2) / 3 * 4)

/* NUL-terminated: ret has room for BASE64_LEN(len) + 1. */
void base64_put(const void *data, size_t len, char *ret);
/* Returns the bytes; -1: not base64, bits left over, or more than room. */
ssize_t base64_get(const char *text, size_t len, void *ret, size_t room);

#endif
