/* SPDX-License-Identifier: Apache-2.0 */
/* startenv.c - variables that an interpreter reads when it starts, and never again.
 *
 * One that was started ahead is another one than the call asks for if it had others.
 */
#include "sandbox/native/startenv.h"

#include <string.h>

static bool is_read_at_start(const char *const *begins, const char *variable)
{
	for (; *begins; begins++)
		if (strncmp(variable, *begins, strlen(*begins)) == 0)
			return true;
	return false;
}

static bool has_variable(char *const *env, const char *variable)
{
	for (; *env; env++)
		if (strcmp(*env, variable) == 0)
			return true;
	return false;
}

static bool has_all(const char *const *begins, char *const *one, char *const *other)
{
	for (; *one; one++)
		if (is_read_at_start(begins, *one) && !has_variable(other, *one))
			return false;
	return true;
}

bool startenv_same(const char *const *begins, char *const *one, char *const *other)
{
	return has_all(begins, one, other) && has_all(begins, other, one);
}
