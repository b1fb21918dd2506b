/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_finish.h - the end of a program that ended as most do, without Python. */
#ifndef WARM_ZYGOTE_FINISH_H
#define WARM_ZYGOTE_FINISH_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* How things were before the program; all stay for ever. */
struct finish {
	PyObject *modules, *names_of_sys, *names_of_builtins; /* the dicts themselves */
	PyObject *builtins, *run_exit, *count_threads;
	PyObject *simple; /* types, of which no value runs anything when it is freed */
	PyObject *function, *sizes;
	Py_ssize_t n_modules, n_sys, n_builtins;
};

/* expect_end(modules, names of sys, builtins, run_exit, count, simple, function, sizes, lengths):
 * lengths of the three dicts. */
PyObject *finish_expect(struct finish *f, PyObject *args);

/* Ends the process, or returns the steps that are left, which the driver knows.  Only after a
 * script that raised nothing. */
PyObject *finish_usual(const struct finish *f, PyObject *driver);

#endif
