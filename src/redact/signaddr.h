/* SPDX-License-Identifier: Apache-2.0 */
/* signaddr.h - addresses, found at a "." or ":" in them. */
#ifndef REDACT_SIGNADDR_H
#define REDACT_SIGNADDR_H

#include <stdint.h>

#include "redact/redact_rule.h"

/* text[0 .. high).  Runs of their characters are done up to *done: asked in the order of the text,
 * nothing is read twice.  true: ret may be one, its check will tell. */

/* Around a "." at text[at], between digits. */
bool signaddr_ipv4(const char *text, size_t high, size_t at, size_t *done, struct found *ret);
/* Around a ":" at text[at], one of signaddr_colons(). */
bool signaddr_ipv6(const char *text, size_t high, size_t at, size_t *done, struct found *ret);
/* Of 64 bytes that have ":" and hexadecimal digits at these bits: some ":" that are in an address,
 * if one is there. */
uint64_t signaddr_colons(uint64_t colons, uint64_t hex);

#endif
