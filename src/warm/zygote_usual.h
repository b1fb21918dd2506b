/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_usual.h - whether a call is as most are, asked without Python. */
#ifndef WARM_ZYGOTE_USUAL_H
#define WARM_ZYGOTE_USUAL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stddef.h>

/* What the driver found where no call was yet; the bytes stay. */
struct usual {
	bool known;
	const char *environ; /* "K=V", each with its zero, in order */
	size_t environ_len;
	const char *stems; /* what no file beside the script may be called, a zero around each */
	size_t stems_len;
	const char *site;  /* that is not there; "": nobody would look */
	const char *kinds; /* of the streams, by the letters of stream_kind() */
};

struct usual_script {
	PyObject *name, *source;
	PyObject *first; /* the directory that comes first on sys.path */
	bool null;       /* stdin is /dev/null, where ours was something else */
};

/* expect(environ, stems, site, kinds) */
PyObject *usual_expect(struct usual *u, PyObject *args);

/* 'p'ipe or socket, /dev/'n'ull, 'o'ther, '-': none. */
char stream_kind(int fd);

bool usual_environ(const struct usual *u, char *const *env);

/* False, and nothing else: the driver is to look at it itself.  Nothing of the script's runs. */
bool usual_read(const struct usual *u, const char *path, struct usual_script *ret);

#endif
