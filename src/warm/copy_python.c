/* SPDX-License-Identifier: Apache-2.0 */
/* copy_python.c - a module for a session's interpreter: it can be written down, and become another.
 *
 * Nothing but Python's stable interface is used, and no C library: the
 * interpreter's own is not known when this is built.
 */
#include <Python.h>

#include "warm/copy_work.h"

static PyObject *module_write(PyObject *self, PyObject *args)
{
	struct copy_work *w;
	int stream;

	(void)self;
	if (!PyArg_ParseTuple(args, "i", &stream))
		return NULL;
	w = copy_work_new();
	if (!w)
		return PyErr_NoMemory();
	w->stream = stream;
	/* In the copy w is an address of the process that it was. */
	if (copy_write(w))
		return Py_BuildValue("");
	PyErr_SetString(PyExc_RuntimeError, w->reason);
	copy_work_free(w);
	return NULL;
}

static PyObject *module_check(PyObject *self, PyObject *args)
{
	struct copy_work *w;
	int stream, also;
	bool fine;

	(void)self;
	if (!PyArg_ParseTuple(args, "ii", &stream, &also))
		return NULL;
	w = copy_work_new();
	if (!w)
		return PyErr_NoMemory();
	w->stream = stream;
	w->also = also;
	fine = copy_check(w);
	if (!fine)
		PyErr_SetString(PyExc_RuntimeError, w->reason);
	copy_work_free(w);
	if (!fine)
		return NULL;
	return Py_BuildValue("");
}

static PyObject *module_become(PyObject *self, PyObject *args)
{
	struct copy_work *w;
	int stream;

	(void)self;
	if (!PyArg_ParseTuple(args, "i", &stream))
		return NULL;
	w = copy_work_new();
	if (!w)
		return PyErr_NoMemory();
	w->stream = stream;
	copy_become(w);
	PyErr_SetString(PyExc_RuntimeError, w->reason);
	return NULL;
}

static PyMethodDef methods[] = {
	{"check", module_check, METH_VARARGS,
	 "check(fd, also): could write(fd) do it?  also: may be open"},
	{"write", module_write, METH_VARARGS,
	 "write(fd): this process as an image, and its end; returns in the copy"},
	{"become", module_become, METH_VARARGS,
	 "become(fd): the process of which this is the image"},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT, "belljar_copy", NULL, -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_belljar_copy(void);
PyMODINIT_FUNC PyInit_belljar_copy(void)
{
	return PyModule_Create(&definition);
}
