/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_python.c - loaded into a warm Python: bears children that seal themselves and run a call.
 *
 * serve() is the body of a thread, so that nothing of ours is beneath the code
 * of a call: after the fork this thread is the interpreter's main one.  A child
 * is born of a process in between, which goes at once: so the launcher, pid 1
 * of the slot, becomes its parent and waits for it as for any other program.
 * fork() is the C library's, because libraries have handlers for it.
 *
 * Only what every Python from 3.9 on has is used (its limited API).
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/pages.h"
#include "call/pack.h"
#include "sandbox/native/door.h"
#include "sandbox/native/pidspace.h"
#include "sandbox/native/sealing.h"
#include "sandbox/native/zygotewire.h"
#include "warm/zygote_finish.h"
#include "warm/zygote_large.h"
#include "warm/zygote_settle.h"
#include "warm/zygote_usual.h"

enum {
	EX_OURS = 70,
	SCRIPT_MAX = 512,
	HURRY_US = 20000, /* between two children: calls come one upon the other */
};

struct zygote_self {
	int control;
	PyObject *driver;
	struct board *board;
	pid_t *born; /* shared with the process in between */
	struct zygote_order order;
	int fds[FD_PASS_MAX];
	size_t n_fds;
	struct title title;
	struct own_memory memory;
	struct usual usual;
	struct finish finish;
	uint64_t bore_us; /* when the last child was asked for */
	bool hurried;
};

static struct zygote_self self; /* one per process */

static PyObject *none(void)
{
	Py_INCREF(Py_None);
	return Py_None;
}

static int tell(int control, struct zygote_news *news)
{
	news->magic = ZYGOTE_MAGIC;
	return send(control, news, sizeof(*news), MSG_NOSIGNAL) == (ssize_t)sizeof(*news) ? 0 : -1;
}

/* The child. */

static void fill_sealing(struct zygote_self *z, struct sealing *ret)
{
	const struct zygote_order *o = &z->order;
	size_t n = ZYGOTE_FDS;

	*ret = (struct sealing){
		.root_mode = o->root_mode,
		.marks = o->marks,
		.pidfd = z->fds[ZYGOTE_PIDFD],
		.root = z->fds[ZYGOTE_ROOT],
		.door = z->fds[ZYGOTE_DOOR],
		.rules = -1,
		.library = -1,
		.more = -1,
		.v2_door = -1,
		.limits = &o->limits,
		.board = z->board,
		.memory_by_rlimit = o->memory_by_rlimit,
		.cwd = o->cwd[0] ? o->cwd : NULL,
	};
	if (o->has_rules)
		ret->rules = z->fds[n++];
	if (o->v2_door) /* born there */
		n++;
	for (ret->n_doors = 0; ret->n_doors < o->n_doors; ret->n_doors++)
		ret->doors[ret->n_doors] = z->fds[n++];
	ret->halves.first.len = (unsigned short)o->first_len;
	ret->halves.second = (struct seccomp_half){z->order.filter, (unsigned short)o->filter_len};
}

/* Where the zygote could not tell. */
static void find_title(struct title *ret)
{
	unsigned long start = 0, last = 0;
	char text[1024] = "", *at;
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);

	*ret = (struct title){0};
	if (fd < 0)
		return;
	if (read(fd, text, sizeof(text) - 1) <= 0)
		text[0] = '\0';
	(void)close(fd);
	at = strrchr(text, ')');
	/* The 48th and 49th of proc_pid_stat(5); behind the name is the 3rd. */
	for (int field = 3; at && field <= 48; field++)
		at = strchr(at + 1, ' ');
	if (!at || sscanf(at, "%lu %lu", &start, &last) != 2 || last <= start)
		return;
	*ret = (struct title){(char *)start, last - start};
	memset(ret->start, 0, ret->size); /* now, not when a call waits for it */
}

static void set_title(const struct title *title, char *const *argv)
{
	size_t at = 0;

	if (!title->start)
		return;
	for (; *argv && at < title->size; argv++) {
		size_t len = strlen(*argv);

		if (len >= title->size - at)
			return;
		memcpy(title->start + at, *argv, len);
		at += len + 1;
	}
}

static PyObject *list_of(char *const *words)
{
	PyObject *list = PyList_New(0);

	for (; list && *words; words++) {
		PyObject *word = PyUnicode_DecodeFSDefault(*words);

		if (!word || PyList_Append(list, word) < 0)
			_exit(EX_OURS);
		Py_DECREF(word);
	}
	return list;
}

/* "K=V"; as in Python, the first of two with one name counts. */
static PyObject *dictionary_of(char *const *words)
{
	PyObject *all = PyDict_New();

	for (; all && *words; words++) {
		const char *at = strchr(*words, '=');
		PyObject *key, *value;

		if (!at || at == *words)
			continue;
		key = PyUnicode_DecodeFSDefaultAndSize(*words, at - *words);
		value = PyUnicode_DecodeFSDefault(at + 1);
		if (!key || !value ||
		    (!PyDict_GetItem(all, key) && PyDict_SetItem(all, key, value) < 0))
			_exit(EX_OURS);
		Py_DECREF(key);
		Py_DECREF(value);
	}
	return all;
}

struct call {
	PyObject *argv, *env;    /* env may be None: what it was here */
	char script[SCRIPT_MAX]; /* "": it is not for zygote_usual.c */
};

static void take_words(const struct zygote_self *z, int fd, struct call *ret)
{
	struct few_words room;
	own(pages) more = {0};
	own(words) words = {0};
	struct error err = {0};
	bool usual;

	if (words_read_few(fd, &room, &more, &words, &err) < 0)
		_exit(EX_OURS);
	set_title(&z->title, words.argv);
	usual = usual_environ(&z->usual, words.env);
	ret->script[0] = '\0';
	if (usual && words.argv[0] && words.argv[1] && strlen(words.argv[1]) < SCRIPT_MAX)
		(void)snprintf(ret->script, SCRIPT_MAX, "%s", words.argv[1]);
	ret->argv = list_of(words.argv);
	ret->env = usual ? none() : dictionary_of(words.env);
	if (!ret->argv || !ret->env)
		_exit(EX_OURS);
}

/* The exception that is raised, with its traceback, or None. */
static PyObject *take_exception(void)
{
	PyObject *type = NULL, *value = NULL, *traceback = NULL;

	PyErr_Fetch(&type, &value, &traceback);
	if (!type)
		return none();
	PyErr_NormalizeException(&type, &value, &traceback);
	if (value && traceback)
		(void)PyException_SetTraceback(value, traceback);
	Py_XDECREF(type);
	Py_XDECREF(traceback);
	return value;
}

/* Each step of the end is called from here, so that there is nothing of ours beneath it either. */
static void end(PyObject *driver, PyObject *steps)
{
	PyObject *step, *result;

	while (steps && (step = PyIter_Next(steps))) {
		result = PyObject_CallObject(step, NULL);
		Py_DECREF(step);
		if (!result) {
			PyObject *raised = take_exception();

			(void)PyObject_SetAttrString(driver, "raised", raised);
			Py_DECREF(raised);
		}
		Py_XDECREF(result);
	}
	/* The last one does not come back; if something else went wrong, nobody is left to tell. */
	_exit(EX_OURS);
}

static PyObject *begin(const struct zygote_self *z, struct call *call, bool *ret_usual)
{
	struct usual_script usual;
	PyObject *begun;

	*ret_usual = call->script[0] && usual_read(&z->usual, call->script, &usual);
	if (*ret_usual)
		begun = PyObject_CallMethod(z->driver, "begin_usual", "ONNNi", call->argv,
					    usual.name, usual.source, usual.first, usual.null);
	else
		begun = PyObject_CallMethod(z->driver, "begin", "OO", call->argv, call->env);
	Py_DECREF(call->argv);
	Py_DECREF(call->env);
	return begun;
}

/* The board stays until the driver knows whether it can run this as a cold start does: until then
 * the words are only read. */
static void run(struct zygote_self *z, struct call *call)
{
	bool usual, well = false;
	PyObject *driver = z->driver, *begun = begin(z, call, &usual), *result;

	(void)munmap(z->board, sizeof(*z->board));
	z->board = NULL;
	if (begun) {
		PyObject *code = PyTuple_GetItem(begun, 0), *space = PyTuple_GetItem(begun, 1);

		if (code && space) {
			Py_INCREF(code);
			Py_INCREF(space);
			Py_DECREF(begun);
			/* serve() counts as one level, which a program of its own has not. */
			Py_LeaveRecursiveCall();
			result = PyEval_EvalCode(code, space, space);
			well = result != NULL;
			Py_XDECREF(result);
			Py_DECREF(code);
			Py_DECREF(space);
		}
	}
	end(driver, usual && well ? finish_usual(&z->finish, driver)
				  : PyObject_CallMethod(driver, "ending", "N", take_exception()));
}

/* The call is there already: what would be done to be quick for it takes as long as it saves.  So
 * it does where there are always some: the processor is what they wait for. */
static int is_awaited(const struct zygote_self *z)
{
	struct pollfd fd = {.fd = DOOR_FD, .events = POLLIN};

	return z->hurried || poll(&fd, 1, 0) > 0;
}

/* In this order: nothing of a caller's is here before every wall stands, and nothing of ours is
 * left when it comes. */
__attribute__((noreturn)) static void live(struct zygote_self *z)
{
	struct sealing seal;
	struct call call;
	PyObject *done;
	int fd;

	z->bore_us = 0; /* when others called is not its affair */
	fill_sealing(z, &seal);
	if (sealing_take(&seal) < 0)
		_exit(EX_OURS);
	/* Modules have hooks for this: they run behind the walls. */
	PyOS_AfterFork_Child();
	/* A change of uid took it away; an exec would have given it back. */
	(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	done = PyObject_CallMethod(z->driver, "ahead", "i", is_awaited(z));
	if (!done)
		_exit(EX_OURS);
	Py_DECREF(done);
	if (!z->title.start)
		find_title(&z->title);
	if (sealing_wait(&seal, &fd) < 0)
		_exit(EX_OURS);
	take_words(z, fd, &call);
	z->board->start_us = clock_us();
	(void)munmap(z->born, sizeof(*z->born));
	(void)close_range(3, ~0u, 0); /* the door, which tells that it begins, and the words */
	run(z, &call);
	_exit(EX_OURS);
}

/* The birth. */

/* With a version 2 group: born in there, with a copy of our memory; else in ours, as vfork does. */
static pid_t go_between(const struct zygote_self *z)
{
	struct clone_args args = {
		.flags = CLONE_VFORK | CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
	};

	args.cgroup = (unsigned)z->fds[ZYGOTE_FDS + (z->order.has_rules ? 1 : 0)];
	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

/* What became of it: the launcher says it to whoever asks why a call was cold. */
static pid_t pid_or_error(pid_t pid)
{
	return pid < 0 ? -errno : pid;
}

/* Returns twice: in the child with true. */
static bool bear(struct zygote_self *z)
{
	pid_t between;

	*z->born = -ECHILD;
	PyOS_BeforeFork();
	between = z->order.v2_door ? go_between(z) : vfork();
	if (between == 0) {
		pid_t child = pidspace_join(z->fds[ZYGOTE_PIDFD]) < 0 ? -1 : fork();

		if (child == 0)
			return true;
		*z->born = pid_or_error(child);
		_exit(0);
	}
	if (between < 0)
		*z->born = pid_or_error(between);
	/* When it is gone, and not before, its child is the launcher's. */
	while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
		;
	PyOS_AfterFork_Parent();
	return false;
}

static bool fits(const struct zygote_self *z, ssize_t n)
{
	const struct zygote_order *o = &z->order;
	size_t need = ZYGOTE_FDS + (size_t)o->has_rules + (size_t)o->v2_door + o->n_doors;

	return n >= (ssize_t)offsetof(struct zygote_order, filter) && o->magic == ZYGOTE_MAGIC &&
	       o->n_doors <= SEALING_DOORS && o->first_len > 0 && o->first_len <= SECCOMP_MAX &&
	       o->filter_len <= SECCOMP_MAX && z->n_fds == need &&
	       n == (ssize_t)zygote_order_size(o);
}

static void obey(struct zygote_self *z)
{
	struct zygote_news news = {.says = ZYGOTE_BORN};
	uint64_t now = clock_us();

	z->hurried = now - z->bore_us < HURRY_US;
	z->bore_us = now;
	if (bear(z))
		live(z);
	for (size_t i = 0; i < z->n_fds; i++)
		(void)close(z->fds[i]);
	news.pid = *z->born;
	if (tell(z->control, &news) < 0)
		_exit(0);
}

/* Where nobody tells, the most that it had is what it has: it gives little back. */
static uint64_t resident(const struct own_memory *own)
{
	struct own_status now;
	struct rusage use;

	if (own_memory_status(own, &now))
		return now.resident;
	return getrusage(RUSAGE_SELF, &use) < 0 ? 0 : (uint64_t)use.ru_maxrss * 1024;
}

static int open_self(struct zygote_self *z)
{
	z->board = mmap(NULL, sizeof(*z->board), PROT_READ | PROT_WRITE, MAP_SHARED,
			ZYGOTE_BOARD_FD, 0);
	z->born = mmap(NULL, sizeof(*z->born), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	(void)close(ZYGOTE_BOARD_FD);
	return z->board == MAP_FAILED || z->born == MAP_FAILED ? -1 : 0;
}

/* serve(control, driver): does not return. */
static PyObject *serve(PyObject *module, PyObject *args)
{
	struct zygote_news news = {.says = ZYGOTE_READY};
	struct error err = {0};
	PyThreadState *state;
	ssize_t n;

	(void)module;
	if (!PyArg_ParseTuple(args, "iO", &self.control, &self.driver))
		return NULL;
	Py_INCREF(self.driver);
	if (open_self(&self) < 0)
		_exit(EX_OURS);
	(void)fcntl(self.control, F_SETFD, FD_CLOEXEC);
	settle_names();
	settle_code(&self.memory);
	settle_blocks();
	news.resident = settle_memory(&self.memory);
	news.resident += resident(&self.memory);
	own_memory_end(&self.memory);
	news.maps[ZYGOTE_BOARD_MAP] = (uintptr_t)self.board;
	news.maps[ZYGOTE_BORN_MAP] = (uintptr_t)self.born;
	if (tell(self.control, &news) < 0)
		_exit(0);
	for (;;) {
		self.n_fds = FD_PASS_MAX;
		state = PyEval_SaveThread();
		n = fd_receive_any(self.control, &self.order, sizeof(self.order), self.fds,
				   &self.n_fds, &err);
		PyEval_RestoreThread(state);
		if (n <= 0 || !fits(&self, n))
			_exit(n == 0 ? 0 : EX_OURS);
		obey(&self);
	}
	return NULL;
}

/* fail(control, text): what is wrong with this interpreter. */
static PyObject *say_failure(PyObject *module, PyObject *args)
{
	struct zygote_news news = {.says = ZYGOTE_FAILED};
	const char *text;
	int control;

	(void)module;
	if (!PyArg_ParseTuple(args, "is", &control, &text))
		return NULL;
	(void)snprintf(news.text, sizeof(news.text), "%s", text);
	(void)tell(control, &news);
	return none();
}

/* cold(): an exec follows, and another interpreter. */
static PyObject *note_cold(PyObject *module, PyObject *args)
{
	(void)module;
	(void)args;
	if (self.board)
		self.board->became_cold = 1;
	return none();
}

/* leave(status): what C's own streams hold is written; its other affairs are not worth their time.
 */
static PyObject *leave(PyObject *module, PyObject *args)
{
	int status;

	(void)module;
	if (!PyArg_ParseTuple(args, "i", &status))
		return NULL;
	(void)fflush(NULL);
	_exit(status);
}

/* finalize(status): the interpreter's whole end, for who left threads running. */
static PyObject *finalize(PyObject *module, PyObject *args)
{
	int status;

	(void)module;
	if (!PyArg_ParseTuple(args, "i", &status))
		return NULL;
	Py_Exit(status);
	return none();
}

/* kind(fd): kind() of zygote.py, without an object of twenty members. */
static PyObject *kind(PyObject *module, PyObject *args)
{
	int fd;

	(void)module;
	if (!PyArg_ParseTuple(args, "i", &fd))
		return NULL;
	switch (stream_kind(fd)) {
	case 'p':
		return PyUnicode_InternFromString("pipe");
	case 'n':
		return PyUnicode_InternFromString("null");
	case 'o':
		return PyUnicode_InternFromString("other");
	default:
		return none();
	}
}

/* expect(environ, stems, site, kinds): what a usual call finds as it is now. */
static PyObject *expect(PyObject *module, PyObject *args)
{
	(void)module;
	return usual_expect(&self.usual, args);
}

/* size(fd): size() of zygote.py. */
static PyObject *size(PyObject *module, PyObject *args)
{
	struct stat st;
	int fd;

	(void)module;
	if (!PyArg_ParseTuple(args, "i", &fd))
		return NULL;
	return PyLong_FromLongLong(fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : -1);
}

/* expect_end(...): what the end of a usual program finds as it is now. */
static PyObject *expect_end(PyObject *module, PyObject *args)
{
	(void)module;
	return finish_expect(&self.finish, args);
}

static PyMethodDef methods[] = {
	{"size", size, METH_VARARGS, NULL},
	{"kind", kind, METH_VARARGS, NULL},
	{"cold", note_cold, METH_NOARGS, NULL},
	{"leave", leave, METH_VARARGS, NULL},
	{"finalize", finalize, METH_VARARGS, NULL},
	{"serve", serve, METH_VARARGS, NULL},
	{"fail", say_failure, METH_VARARGS, NULL},
	{"expect", expect, METH_VARARGS, NULL},
	{"expect_end", expect_end, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "zygote_python",
	.m_size = -1,
	.m_methods = methods,
};

PyMODINIT_FUNC PyInit_zygote_python(void);
PyMODINIT_FUNC PyInit_zygote_python(void)
{
	settle_title(&self.title);       /* before anybody changes what Python knows of it */
	self.memory = own_memory_take(); /* and before any other module */
	return PyModule_Create(&definition);
}
