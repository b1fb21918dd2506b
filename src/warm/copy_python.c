/* SPDX-License-Identifier: Apache-2.0 */
/* copy_python.c - a module for a session's interpreter: it can be written down, and become another.
 *
 * Nothing but Python's stable interface is used, and no C library: the
 * interpreter's own is not known when this is built.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "warm/copy_stir.h"
#include "warm/copy_work.h"

/* Of a process that became a template: all of that, to be read; and how long it is. */
static struct copy_left left;

/* Where it is to become one, and what is open and no part of it; -1: nowhere. */
static int lay_into = -1, lay_without = -1;

static PyObject *write_it(int stream, int without, uint64_t at, bool whole)
{
	struct copy_work *w = copy_work_new();
	PyObject *env;

	if (!w)
		return PyErr_NoMemory();
	w->stream = stream;
	w->also = without;
	w->at = at;
	w->whole = whole;
	w->view = left.view;
	w->view_len = left.view_len;
	/* In the copy w is an address of the process that it was. */
	if (!copy_write(w, &left)) {
		PyErr_SetString(PyExc_RuntimeError, w->reason);
		copy_work_free(w);
		return NULL;
	}
	if (at)
		copy_reopen(without);
	env = PyBytes_FromStringAndSize(left.env, (Py_ssize_t)left.env_len);
	copy_left_free(&left);
	return env;
}

static PyObject *module_write(PyObject *self, PyObject *args)
{
	int stream, whole = 0;

	(void)self;
	if (!PyArg_ParseTuple(args, "i|i", &stream, &whole))
		return NULL;
	return write_it(stream, -1, 0, whole != 0);
}

/* Once somebody listens, nothing may be heard that a caller did not ask for.  Python tells nobody
 * whether there are such: whoever adds one comes by here. */
static PyObject *add_hook;
static int is_hooked;

static PyObject *sys_addaudithook(PyObject *self, PyObject *args, PyObject *named)
{
	(void)self;
	is_hooked = 1;
	return PyObject_Call(add_hook, args, named);
}

static PyMethodDef add_hook_method = {
	"addaudithook", (PyCFunction)(void (*)(void))sys_addaudithook, METH_VARARGS | METH_KEYWORDS,
	"addaudithook($module, /, hook)\n--\n\nAdds a new audit hook callback."};

/* In who becomes a template: nothing of a caller's has run there. */
static bool watch_hooks(void)
{
	PyObject *mine, *sys, *name;
	bool is;

	if (add_hook)
		return true;
	sys = PyImport_ImportModule("sys");
	name = sys ? PyUnicode_FromString("sys") : NULL;
	add_hook = name ? PyObject_GetAttrString(sys, "addaudithook") : NULL;
	mine = add_hook ? PyCFunction_NewEx(&add_hook_method, sys, name) : NULL;
	is = mine && PyObject_SetAttrString(sys, "addaudithook", mine) == 0;
	Py_XDECREF(mine);
	Py_XDECREF(name);
	Py_XDECREF(sys);
	return is;
}

static PyObject *module_hooked(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	return PyBool_FromLong(is_hooked || !add_hook);
}

static PyObject *module_lay(PyObject *self, PyObject *args)
{
	(void)self;
	if (!PyArg_ParseTuple(args, "ii", &lay_into, &lay_without) || !watch_hooks())
		return NULL;
	return Py_BuildValue("");
}

static PyObject *module_rest(PyObject *self, PyObject *args)
{
	int into = lay_into, until;

	(void)self;
	if (!PyArg_ParseTuple(args, "i", &until))
		return NULL;
	lay_into = -1;
	if (into >= 0)
		return write_it(into, lay_without, COPY_FILE_TABLES, false);
	if (until >= 0 && copy_doze(left.view, left.view_len, until))
		return Py_BuildValue("");
	if (copy_rest(left.view, left.view_len) >= 0 && until >= 0)
		copy_sleep(until);
	return Py_BuildValue("");
}

static PyObject *module_apart(PyObject *self, PyObject *args)
{
	PyThreadState *state;
	enum copy_apart how;
	unsigned place;
	int fd;

	(void)self;
	if (!PyArg_ParseTuple(args, "Ii", &place, &fd))
		return NULL;
	state = PyEval_SaveThread();
	how = copy_apart(place, fd);
	PyEval_RestoreThread(state);
	return PyLong_FromLong(how);
}

/* Whatever of Python's runs here, a caller's handler may end it: what has come is taken only when
 * the channel has the message. */
static bool hand_over(const struct copy_snippet *s, PyObject *channel, PyObject *message)
{
	PyObject *one = PyObject_CallFunction(message, "Iy#y#", s->number, s->nonce, s->nonce_len,
					      s->code, s->code_len);
	PyObject *state = one ? Py_BuildValue("(N[])", one) : NULL;
	bool is = state && PyObject_SetAttrString(channel, "state", state) == 0;

	Py_XDECREF(state);
	return is;
}

static PyObject *module_expect(PyObject *self, PyObject *args)
{
	PyObject *channel, *message;
	struct copy_snippet snippet;
	PyThreadState *state;
	unsigned us;
	bool whole;
	int fd;

	(void)self;
	if (!PyArg_ParseTuple(args, "iIOO", &fd, &us, &channel, &message))
		return NULL;
	state = PyEval_SaveThread();
	copy_expect(fd, us);
	whole = copy_see(fd, &snippet);
	PyEval_RestoreThread(state);
	if (whole && !hand_over(&snippet, channel, message))
		return NULL;
	if (whole)
		copy_take(fd, &snippet);
	return Py_BuildValue("");
}

static PyObject *module_check(PyObject *self, PyObject *args)
{
	struct copy_work *w;
	int stream, also, whole = 0;
	bool fine;

	(void)self;
	if (!PyArg_ParseTuple(args, "ii|i", &stream, &also, &whole))
		return NULL;
	w = copy_work_new();
	if (!w)
		return PyErr_NoMemory();
	w->stream = stream;
	w->also = also;
	w->whole = whole != 0;
	w->view = left.view;
	w->view_len = left.view_len;
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
	int stream, template = -1;
	struct copy_work *w;

	(void)self;
	if (!PyArg_ParseTuple(args, "i|i", &stream, &template))
		return NULL;
	w = copy_work_new();
	if (!w)
		return PyErr_NoMemory();
	w->stream = stream;
	w->template = template;
	copy_become(w);
	PyErr_SetString(PyExc_RuntimeError, w->reason);
	return NULL;
}

static PyMethodDef methods[] = {
	{"check", module_check, METH_VARARGS,
	 "check(fd, also, whole=0): could write(fd, whole) do it?  also: may be open"},
	{"write", module_write, METH_VARARGS,
	 "write(fd, whole=0): this process as an image, and its end; returns in the copy.  whole: "
	 "also what is as in the template"},
	{"lay", module_lay, METH_VARARGS,
	 "lay(fd, without): the next rest() makes a template of this process, and ends it"},
	{"rest", module_rest, METH_VARARGS,
	 "rest(fd): pages that are as in the template go back, and nothing is touched until there "
	 "is "
	 "something to read (fd -1: at once).  In who becomes one: its environment"},
	{"apart", module_apart, METH_VARARGS,
	 "apart(place, fd): elsewhere than on that processor, counted from 1; fd >= 0: until there "
	 "is something to read.  0: there is no other; 2: a snippet may come in a moment, from "
	 "there"},
	{"hooked", module_hooked, METH_NOARGS,
	 "hooked(): has anybody added an audit hook, or could have, unseen?"},
	{"expect", module_expect, METH_VARARGS,
	 "expect(fd, us, channel, message): until there is something to read, awake, for so long "
	 "at most.  A short snippet is read then, and is channel.state[0]"},
	{"become", module_become, METH_VARARGS,
	 "become(fd, template=-1): the process of which this is the image"},
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
