/* SPDX-License-Identifier: Apache-2.0 */
/* ldso.h - which libraries ld.so would load for a program, and from where. */
#ifndef NATIVE_LDSO_H
#define NATIVE_LDSO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sandbox/native/elf.h"
#include "sandbox/native/rootdir.h"

enum { LDSO_OBJECTS_MAX = 1024, LDSO_DIRS_MAX = 256 };

/* A program, its loader, or a library. */
struct ldso_object {
	enum { LDSO_LIBRARY = 0, LDSO_LOADER, LDSO_PROGRAM } kind;
	bool by_default; /* found in the directories that every program searches */
	char *wanted;    /* the name it was asked for by */
	char *found;     /* path beneath the root, links in it not followed */
	char *source;    /* real path on the host */
	char *inside;    /* where the box must see it */
	struct elf elf;
};

/* One of the directories that every program searches. */
struct ldso_dir {
	char *path;
	bool builtin; /* compiled into the loader: works without ld.so.conf and its cache */
	dev_t dev;
	ino_t ino;
};

/* An object in a process, and who asked for it. */
struct ldso_loaded {
	const struct ldso_object *object;
	size_t parent;
};

struct ldso {
	const struct rootdir *root;
	struct ldso_dir dirs[LDSO_DIRS_MAX];
	size_t n_dirs;
	const char *home;                              /* the built-in directory that libc is in */
	struct ldso_object *objects[LDSO_OBJECTS_MAX]; /* everything found so far */
	size_t n_objects;
	struct ldso_loaded process[LDSO_OBJECTS_MAX]; /* the program that was added last */
	size_t n_process;
};

/* Reads ld.so.conf.  root must outlive it. */
int ldso_init(struct ldso *l, const struct rootdir *root, struct error *err);
void ldso_done(struct ldso *l);

/* Adds a program, its loader and its libraries to the objects.  inside: where the box sees it,
 * which decides what $ORIGIN means there. */
int ldso_add_program(struct ldso *l, const struct found *program, const char *inside,
		     struct error *err);
/* What follows is not about a program: modules and libraries are not added. */
void ldso_forget_program(struct ldso *l);
/* Adds what a module (python's, perl's …) at this path beneath the root needs when the last
 * program loads it.  A library that is missing on the host is missing there, too: no error. */
int ldso_add_module(struct ldso *l, int fd, const char *path, struct error *err);
/* Adds a library by its name, if there is one. */
int ldso_add_library(struct ldso *l, const char *name, struct error *err);

/* "x86_64-linux-gnu" for the last program; "" before there was one. */
const char *ldso_multiarch(const struct ldso *l);

#endif
