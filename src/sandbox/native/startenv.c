/* SPDX-License-Identifier: Apache-2.0 */
/* startenv.c - variables that an interpreter reads when it starts, and never again.
 *
 * One that was started ahead is another one than the call asks for if it had others.
 */
#include "sandbox/native/startenv.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 30 };

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

/* NULL: the other has all of them. */
static const char *missing(const char *const *begins, char *const *one, char *const *other)
{
	for (; *one; one++)
		if (is_read_at_start(begins, *one) && !has_variable(other, *one))
			return *one;
	return NULL;
}

bool startenv_same(const char *const *begins, char *const *one, char *const *other, char *ret_why,
		   size_t room)
{
	const char *which = missing(begins, other, one);
	size_t len;

	if (!which)
		which = missing(begins, one, other);
	if (!which)
		return true;
	len = strcspn(which, "=");
	(void)snprintf(ret_why, room, "%.*s, which is read once, when an interpreter starts",
		       (int)(len < NAME_MOST ? len : NAME_MOST), which);
	return false;
}
