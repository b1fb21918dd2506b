/* SPDX-License-Identifier: Apache-2.0 */
/* fakeserve.c - the zygote's extension without a box: it forks and runs, but seals nothing.
 *
 * So that what src/warm/zygote.py does can be compared with a plain python3, of any version,
 * without privileges.  One message on the control socket is one call: descriptors 0, 1, 2, and as
 * text the directory, the number of arguments, the arguments, the environment, each ended by a zero
 * byte.
 */
#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE_MAX = 256 << 10, FDS = 3 };

static char message[MESSAGE_MAX];

static ssize_t take(int control, int fds[FDS])
{
	union {
		char room[CMSG_SPACE(sizeof(int) * FDS)];
		struct cmsghdr align;
	} ancillary;
	struct iovec iov = {.iov_base = message, .iov_len = sizeof(message) - 1};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = ancillary.room,
			     .msg_controllen = sizeof(ancillary.room)};
	ssize_t n = recvmsg(control, &msg, 0);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;

	if (!c || c->cmsg_len != CMSG_LEN(sizeof(int) * FDS))
		return -1;
	memcpy(fds, CMSG_DATA(c), sizeof(int) * FDS);
	message[n] = 0;
	return n;
}

static PyObject *words(ssize_t n)
{
	const char *at = message, *end = message + n;
	PyObject *argv = PyList_New(0), *env = PyDict_New();
	long argc;

	if (chdir(at) < 0)
		_exit(99);
	at += strlen(at) + 1;
	argc = strtol(at, NULL, 10);
	for (at += strlen(at) + 1; at < end; at += strlen(at) + 1, argc--) {
		const char *is = strchr(at, '=');

		if (argc > 0) {
			PyList_Append(argv, PyUnicode_DecodeFSDefault(at));
			continue;
		}
		PyDict_SetItem(env, PyUnicode_DecodeFSDefaultAndSize(at, is - at),
			       PyUnicode_DecodeFSDefault(is + 1));
	}
	return Py_BuildValue("(NN)", argv, env);
}

static PyObject *taken(void)
{
	PyObject *type, *value, *tb;

	PyErr_Fetch(&type, &value, &tb);
	PyErr_NormalizeException(&type, &value, &tb);
	if (tb)
		PyException_SetTraceback(value, tb);
	Py_XDECREF(type);
	Py_XDECREF(tb);
	return value;
}

static void go_through(PyObject *driver, PyObject *steps)
{
	PyObject *step, *answer, *raised;

	while ((step = PyIter_Next(steps))) {
		answer = PyObject_CallObject(step, NULL);
		Py_DECREF(step);
		if (!answer) {
			raised = taken();
			PyObject_SetAttrString(driver, "raised", raised);
			Py_DECREF(raised);
		}
		Py_XDECREF(answer);
	}
	PyErr_Print();
	_exit(98);
}

static void run(PyObject *driver, PyObject *argv_env)
{
	PyObject *begun = PyObject_CallMethod(driver, "begin", "OO", PyTuple_GetItem(argv_env, 0),
					      PyTuple_GetItem(argv_env, 1));
	PyObject *result = NULL, *exc = NULL, *steps;

	Py_DECREF(argv_env);
	Py_LeaveRecursiveCall(); /* serve() itself is one level */
	if (begun)
		result = PyEval_EvalCode(PyTuple_GetItem(begun, 0), PyTuple_GetItem(begun, 1),
					 PyTuple_GetItem(begun, 1));
	if (!result)
		exc = taken();
	Py_XDECREF(result);
	Py_XDECREF(begun);
	steps = PyObject_CallMethod(driver, "ending", "O", exc ? exc : Py_None);
	Py_XDECREF(exc);
	go_through(driver, steps);
}

static void child(int control, int fds[FDS], ssize_t n, PyObject *driver)
{
	PyObject *done;

	PyOS_AfterFork_Child();
	close(control);
	done = PyObject_CallMethod(driver, "ahead", NULL);
	if (!done) {
		PyErr_Print();
		_exit(97);
	}
	Py_DECREF(done);
	for (int i = 0; i < FDS; i++)
		dup2(fds[i], i);
	for (int i = 0; i < FDS; i++)
		close(fds[i]);
	run(driver, words(n));
}

static PyObject *serve(PyObject *self, PyObject *args)
{
	int control, fds[FDS], status;
	PyObject *driver;
	ssize_t n;
	pid_t pid;

	(void)self;
	if (!PyArg_ParseTuple(args, "iO", &control, &driver))
		return NULL;
	for (;;) {
		Py_BEGIN_ALLOW_THREADS n = take(control, fds);
		Py_END_ALLOW_THREADS if (n < 0) _exit(0);
		PyOS_BeforeFork();
		pid = fork();
		if (pid == 0)
			child(control, fds, n, driver);
		PyOS_AfterFork_Parent();
		for (int i = 0; i < FDS; i++)
			close(fds[i]);
		Py_BEGIN_ALLOW_THREADS while (waitpid(pid, &status, 0) < 0 &&
					      errno == EINTR) continue;
		(void)!write(control, &status, sizeof(status));
		Py_END_ALLOW_THREADS
	}
}

static PyObject *tell_failure(PyObject *self, PyObject *args)
{
	int control;
	const char *text;

	(void)self;
	if (!PyArg_ParseTuple(args, "is", &control, &text))
		return NULL;
	(void)!write(control, text, strlen(text));
	Py_RETURN_NONE;
}

static PyObject *leave(PyObject *self, PyObject *status)
{
	(void)self;
	exit((int)PyLong_AsLong(status));
}

static PyObject *finalize(PyObject *self, PyObject *status)
{
	(void)self;
	Py_Exit((int)PyLong_AsLong(status));
}

static PyMethodDef methods[] = {
	{"serve", serve, METH_VARARGS, NULL},
	{"fail", tell_failure, METH_VARARGS, NULL},
	{"leave", leave, METH_O, NULL},
	{"finalize", finalize, METH_O, NULL},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT, "zygote_python", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_zygote_python(void);
PyMODINIT_FUNC PyInit_zygote_python(void)
{
	return PyModule_Create(&module);
}
