/* SPDX-License-Identifier: Apache-2.0 */
/* plain.h - text of others, made harmless for a terminal.
 *
 * Names and arguments in the log are what a caller chose to send: they may move
 * the cursor, turn the direction of writing or hide between letters.  Shown is
 * what they are made of.
 */
#ifndef AUDITREAD_PLAIN_H
#define AUDITREAD_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Controls, bytes that are no UTF-8, and characters that change how others look become \xNN and
 * \u{NNNN}, a backslash becomes two.  What does not fit ends in "...".  Returns the length. */
size_t plain_text(const char *data, size_t len, char *ret, size_t room);
/* JSON for a terminal: the same characters become \\uNNNN, which is the same JSON. */
void plain_json(const char *data, size_t len, FILE *to);
/* Is it one of those that are not seen themselves? */
bool plain_is_hidden(uint32_t character);

#endif
