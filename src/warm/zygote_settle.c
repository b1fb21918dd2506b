/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_settle.c - what a warm interpreter does before it bears anybody, so that its children
 * write to few pages of it.
 *
 * A child has a copy of each page that it writes to, made when it does: most of what it costs.
 * Nothing here can be noticed by a program; where something cannot be done, it is only slower.
 */
#include "warm/zygote_settle.h"

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum {
	BLOCK_STEP = 16, /* sizes of Python's small blocks */
	BLOCK_MAX = 512,
	PAGE = 4096, /* the first block of a pool lies behind its head in a page */
	HEAD = 48,
	FRESH = 2048,        /* so much in a row is a fresh one */
	HOLES_MAX = 1 << 20, /* of one size, in bytes */
};

/* All free blocks of a size that lie about, one here and one there, are taken and never given back:
 * what a child makes then lies side by side, in a pool that was never used. */
static void fill_holes(size_t size)
{
	uintptr_t last = 0;
	size_t run = 0;

	for (size_t taken = 0; taken < HOLES_MAX && run < FRESH; taken += size) {
		uintptr_t at = (uintptr_t)PyObject_Malloc(size);

		if (!at)
			return;
		if (run && at == last + size)
			run += size;
		else
			run = at % PAGE == HEAD ? size : 0;
		last = at;
	}
}

void settle_blocks(void)
{
	for (size_t size = BLOCK_STEP; size <= BLOCK_MAX; size += BLOCK_STEP)
		fill_holes(size);
}

/* Functions that only a child calls are looked up now. */
void settle_names(void)
{
	Py_tss_t *key = PyThread_tss_alloc();

	if (key && PyThread_tss_create(key) == 0)
		PyThread_tss_delete(key);
	PyThread_tss_free(key);
}

/* The kernel lays the words of the command line one behind another, and those of the environment
 * behind them. */
static char *behind_words(char *start)
{
	PyObject *words = PySys_GetObject("orig_argv"); /* borrowed; none before 3.10 */
	Py_ssize_t n = words && PyList_Check(words) ? PyList_Size(words) : 0;
	char *at = start;

	for (Py_ssize_t i = 0; i < n; i++)
		at += strlen(at) + 1;
	return n > 0 && environ && environ[0] == at ? at : NULL;
}

void settle_title(struct title *ret)
{
	char *start = program_invocation_name, *last = behind_words(start);

	*ret = (struct title){0};
	if (!last)
		return;
	*ret = (struct title){.start = start, .size = (size_t)(last - start)};
	start += strlen(start) + 1; /* its name stays */
	memset(start, 0, (size_t)(last - start));
}
