/* SPDX-License-Identifier: Apache-2.0 */
/* python_checks.h - one function for each kind of node that may be a finding. */
#ifndef SCREEN_PYTHON_CHECKS_H
#define SCREEN_PYTHON_CHECKS_H

#include "screen/python.h"

void py_found(struct py *p, enum py_rule rule, TSNode node);

/* python_import.c */
void py_check_import(struct py *p, TSNode node);
/* A module that is reached, in whichever way. */
void py_check_module(struct py *p, const char *module, TSNode node);
/* An expression stands for name: is that a module, and may it be had? */
void py_check_module_use(struct py *p, const char *name, TSNode node);

/* python_use.c */
void py_check_identifier(struct py *p, const struct visit *v);
void py_check_attribute(struct py *p, const struct visit *v);
void py_check_subscript(struct py *p, const struct visit *v);
void py_check_definition(struct py *p, TSNode node);
/* v stands for name: is there a rule? */
void py_check_name(struct py *p, const struct visit *v, const char *name);
/* Is it a module of those that lead everywhere? */
bool py_is_powerful(const char *module);
/* v is the value of some of them: is it handed around? */
void py_check_escape(struct py *p, const struct visit *v, const struct py_values *values);

/* python_call.c */
void py_check_call(struct py *p, const struct visit *v);
/* node is a name for eval and the like, and may be called right here. */
void py_check_runner(struct py *p, const struct visit *v, const char *name);

/* python_text.c */
void py_check_string(struct py *p, const struct visit *v);
/* The same as a file that is opened. */
void py_check_file(struct py *p, TSNode node);
void py_check_constant(struct py *p, const struct visit *v, const struct py_constant *c);

/* python.c */
void py_screen_text(struct sieve *s, struct syntax_budget *budget, struct py *outer,
		    enum syntax_end *ret_end);

#endif
