/* SPDX-License-Identifier: Apache-2.0 */
/* language.h - what code needs to run, and the environment that every program gets. */
#ifndef CALL_LANGUAGE_H
#define CALL_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct language {
	const char *name;
	const char *program;
	const char *file;     /* the name of code that came without one */
	const char *variable; /* one more for its environment; NULL: none */
};

/* NULL: there is no such language; err says which there are. */
const struct language *language_find(const char *name, struct error *err);

/* Room for the standard variables, a language's own and the NULL at the end. */
enum { ENVIRONMENT_OWN = 8 };

/* The whole environment of a program: the standard one, the language's (NULL: none), and own, a
 * NULL-terminated list that wins.  ret has room for own's variables and ENVIRONMENT_OWN more; it
 * points at the words of own. */
void environment_build(const struct language *language, char *const *own, char **ret);
/* Is it NAME=VALUE with a name that a shell accepts? */
int environment_check(const char *variable, struct error *err);

/* Do two NAME=VALUE have the same NAME? */
bool environment_same_name(const char *one, const char *other);

#endif
