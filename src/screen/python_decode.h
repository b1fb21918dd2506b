/* SPDX-License-Identifier: Apache-2.0 */
/* python_decode.h - strings under construction, for python_values.c. */
#ifndef SCREEN_PYTHON_DECODE_H
#define SCREEN_PYTHON_DECODE_H

#include "screen/python.h"

/* Has room for what was asked at the beginning, and fails if that was too much. */
struct py_maker {
	struct py *p;
	char *data;
	size_t len;
	bool failed;
};

void py_make(struct py_maker *m, struct py *p, size_t room);
bool py_made(struct py_maker *m, struct py_constant *ret, bool composed);
void py_put_char(struct py_maker *m, unsigned long c);
size_t py_read_digits(const char *text, size_t left, size_t most, int base, unsigned long *ret);
bool py_decode_escapes(struct py *p, const char *text, size_t len, bool raw,
		       struct py_constant *ret);
bool py_from_hex(struct py *p, const struct py_constant *in, struct py_constant *ret);
bool py_from_base64(struct py *p, const struct py_constant *in, struct py_constant *ret);
bool py_from_rot13(struct py *p, const struct py_constant *in, struct py_constant *ret);
bool py_to_lower(struct py *p, const struct py_constant *in, struct py_constant *ret);
bool py_to_upper(struct py *p, const struct py_constant *in, struct py_constant *ret);
bool py_to_swapped(struct py *p, const struct py_constant *in, struct py_constant *ret);
bool py_as_it_is(struct py *p, const struct py_constant *in, struct py_constant *ret);
bool py_to_stripped(struct py *p, const struct py_constant *in, struct py_constant *ret);

#endif
