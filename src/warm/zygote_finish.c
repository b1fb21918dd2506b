/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_finish.c - the end of a program that ended as most do, without Python.
 *
 * The same as ending() of zygote_end.py for a script that raised nothing, step by step; what is
 * asked of Python costs a child a copy of each page that it writes to.  Where something turns out
 * to be otherwise, the driver goes on from there.  Nobody's frame is beneath what is called here.
 */
#include "warm/zygote_finish.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"

enum { STATUS_FLUSHING = 120 };

PyObject *finish_expect(struct finish *f, PyObject *args)
{
	if (!PyArg_ParseTuple(args, "OOOOOOOOnnn", &f->modules, &f->names_of_sys, &f->builtins,
			      &f->run_exit, &f->count_threads, &f->simple, &f->function, &f->sizes,
			      &f->n_modules, &f->n_sys, &f->n_builtins))
		return NULL;
	Py_INCREF(args);
	f->names_of_builtins = PyModule_GetDict(f->builtins);
	Py_INCREF(Py_None);
	return Py_None;
}

/* Whatever it raises: nobody is there to be told. */
static void call(PyObject *step)
{
	PyObject *result = step ? PyObject_CallObject(step, NULL) : NULL;

	Py_XDECREF(result);
	PyErr_Clear();
}

/* Borrowed; NULL: there is none, or it is None. */
static PyObject *stream_of(const struct finish *f, const char *name)
{
	PyObject *out = PyDict_GetItemString(f->names_of_sys, name);

	return out == Py_None ? NULL : out;
}

static void flush_quietly(const struct finish *f, const char *name)
{
	PyObject *out = stream_of(f, name), *flush;

	if (!out)
		return;
	Py_INCREF(out);
	flush = PyObject_GetAttrString(out, "flush");
	if (flush && flush != Py_None)
		call(flush);
	PyErr_Clear();
	Py_XDECREF(flush);
	Py_DECREF(out);
}

static bool is_closed(PyObject *out)
{
	PyObject *closed = PyObject_GetAttrString(out, "closed");
	bool is = closed && PyObject_IsTrue(closed) == 1;

	Py_XDECREF(closed);
	PyErr_Clear();
	return is;
}

/* Clears what is raised, and says it as the driver would. */
static void tell_raised(PyObject *driver, PyObject *what, const char *method)
{
	PyObject *type, *value, *traceback, *step;

	PyErr_Fetch(&type, &value, &traceback);
	PyErr_NormalizeException(&type, &value, &traceback);
	if (value && traceback)
		(void)PyException_SetTraceback(value, traceback);
	step = value ? PyObject_CallMethod(driver, method, "OO", what, value) : NULL;
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(traceback);
	if (step && step != Py_None)
		call(step);
	Py_XDECREF(step);
	PyErr_Clear();
}

/* False: it could not be. */
static bool flush_well(const struct finish *f, PyObject *driver, const char *name)
{
	PyObject *out = stream_of(f, name), *flush, *result;

	if (!out)
		return true;
	Py_INCREF(out);
	if (is_closed(out)) {
		Py_DECREF(out);
		return true;
	}
	flush = PyObject_GetAttrString(out, "flush");
	result = flush ? PyObject_CallObject(flush, NULL) : NULL;
	if (!result && strcmp(name, "stdout") == 0)
		tell_raised(driver, out, "flush_failed");
	PyErr_Clear(); /* of stderr's there is nobody to tell */
	Py_XDECREF(flush);
	Py_XDECREF(result);
	Py_DECREF(out);
	return result;
}

static void stop_threads(const struct finish *f, PyObject *driver)
{
	PyObject *threading = PyDict_GetItemString(f->modules, "threading"), *shutdown, *result;

	if (!threading)
		return;
	Py_INCREF(threading);
	shutdown = PyObject_GetAttrString(threading, "_shutdown");
	PyErr_Clear();
	result = shutdown && shutdown != Py_None ? PyObject_CallObject(shutdown, NULL) : NULL;
	if (PyErr_Occurred())
		tell_raised(driver, threading, "shutdown_failed");
	Py_XDECREF(result);
	Py_XDECREF(shutdown);
	Py_DECREF(threading);
}

/* Are there others than before the program? */
static bool has_threads(const struct finish *f, PyObject *driver)
{
	PyObject *now = PyObject_CallObject(f->count_threads, NULL);
	PyObject *before = PyObject_GetAttrString(driver, "threads");
	bool has = !now || !before || PyLong_AsLong(now) > PyLong_AsLong(before);

	Py_XDECREF(now);
	Py_XDECREF(before);
	PyErr_Clear();
	return has;
}

/* Borrowed: the names of __main__, if it is a module as any other. */
static PyObject *names_of_main(const struct finish *f)
{
	PyObject *main = PyDict_GetItemString(f->modules, "__main__");

	return main && Py_TYPE(main) == &PyModule_Type ? PyModule_GetDict(main) : NULL;
}

static void forget_name(PyObject *names, const char *name)
{
	if (PyDict_GetItemString(names, name))
		(void)PyDict_DelItemString(names, name);
	PyErr_Clear();
}

static bool is_plain_function(PyObject *value)
{
	static const char *const parts[] = {"__closure__", "__defaults__", "__kwdefaults__",
					    "__dict__"};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		PyObject *part = PyObject_GetAttrString(value, parts[i]);
		bool has = !part || PyObject_IsTrue(part) != 0;

		Py_XDECREF(part);
		PyErr_Clear();
		if (has)
			return false;
	}
	return true;
}

/* One of ours, with as many names as it had. */
static bool is_plain_module(const struct finish *f, PyObject *value)
{
	PyObject *names = PyModule_GetDict(value);
	PyObject *name = PyDict_GetItemString(names, "__name__");
	PyObject *size =
		name && Py_TYPE(name) == &PyUnicode_Type ? PyDict_GetItem(f->sizes, name) : NULL;

	return size && PyLong_AsSsize_t(size) == PyDict_Size(names);
}

static bool is_simple_value(const struct finish *f, PyObject *value)
{
	Py_ssize_t n = PyTuple_Size(f->simple);

	for (Py_ssize_t i = 0; i < n; i++)
		if ((PyObject *)Py_TYPE(value) == PyTuple_GetItem(f->simple, i))
			return true;
	if ((PyObject *)Py_TYPE(value) == f->function)
		return is_plain_function(value);
	return Py_TYPE(value) == &PyModule_Type && is_plain_module(f, value);
}

/* is_simple() of zygote_end.py.  Nothing here runs anything of the program's. */
static bool is_simple(const struct finish *f)
{
	PyObject *names = names_of_main(f), *key, *value, *loader, *annotations;
	Py_ssize_t at = 0;

	if (!names || PyDict_Size(f->names_of_sys) != f->n_sys ||
	    PyDict_Size(f->names_of_builtins) != f->n_builtins ||
	    PyDict_Size(f->modules) != f->n_modules)
		return false;
	loader = PyDict_GetItemString(names, "__loader__");
	annotations = PyDict_GetItemString(names, "__annotations__");
	while (PyDict_Next(names, &at, &key, &value))
		if (value != f->builtins && value != loader && value != annotations &&
		    !is_simple_value(f, value))
			return false;
	return true;
}

PyObject *finish_usual(const struct finish *f, PyObject *driver)
{
	PyObject *names;
	int status = 0;

	flush_quietly(f, "stderr");
	flush_quietly(f, "stdout");
	names = names_of_main(f);
	if (!names)
		return PyObject_CallMethod(driver, "ending_flushed", NULL);
	forget_name(names, "__file__");
	forget_name(names, "__cached__");
	stop_threads(f, driver);
	call(f->run_exit);
	if (has_threads(f, driver))
		return PyObject_CallMethod(driver, "finish", NULL);
	if (!flush_well(f, driver, "stdout"))
		status = STATUS_FLUSHING;
	if (!flush_well(f, driver, "stderr"))
		status = STATUS_FLUSHING;
	(void)PyGC_Collect(); /* not where the program forbade it */
	if (!is_simple(f))
		return PyObject_CallMethod(driver, "forget", "i", status);
	flush_quietly(f, "stderr");
	flush_quietly(f, "stdout");
	(void)fflush(NULL);
	_exit(status);
}
