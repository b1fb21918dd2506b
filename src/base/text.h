/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - small questions about strings: sizes, durations, UTF-8, near matches. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* "4096", "100k", "256m", "2g" (binary; a trailing b or ib is fine). */
int text_parse_bytes(const char *text, uint64_t *ret_bytes, struct error *err);
/* "30s", "500ms", "2m", "1h"; a bare number is seconds, a fraction is fine ("1.5s"). */
int text_parse_ms(const char *text, uint64_t *ret_ms, struct error *err);
/* Decimal digits only, no sign. */
int text_parse_uint(const char *text, uint64_t *ret_value, struct error *err);

/* The length of the UTF-8 character at data, 0 if there is none. */
size_t text_utf8_char(const char *data, size_t left);
bool text_is_utf8(const char *data, size_t len);
/* A byte below a space, or DEL? */
bool text_has_control(const char *data, size_t len);
/* How many of the first len bytes to keep so that no UTF-8 character is cut in two. */
size_t text_utf8_floor(const char *data, size_t len);
/* Control characters, backslashes and non-ASCII become \xNN; always terminated. */
void text_escape(const char *data, size_t len, char *ret_out, size_t room);
/* For a terminal: control characters (U+0080 to U+009F too) and what is not UTF-8 become \xNN. */
void text_one_line(const char *text, char *ret_out, size_t room);
/* As much of it as there is room for, terminated: what printf makes of "%s", without its weight. */
void text_copy(const char *text, char *ret_out, size_t room);
/* The name in the NULL-terminated list that is closest to word, or NULL if none is close. */
const char *text_nearest(const char *word, const char *const *names);
/* The shortest decimal digits that are this number and no other: "0.1", "1e+21". */
void text_real(double value, char *ret_out, size_t room);
/* "256 MiB", "1.5 KiB": for people. */
void text_human_bytes(uint64_t bytes, char *ret_out, size_t room);

#endif
