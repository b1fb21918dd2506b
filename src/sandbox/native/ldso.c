/* SPDX-License-Identifier: Apache-2.0 */
/* ldso.c - which libraries ld.so would load for a program, and from where.
 *
 * The order is that of ld.so(8): DT_RPATH of the object and of those that asked for it, DT_RUNPATH
 * of the object, the directories of ld.so.conf, the built-in ones; a library of the wrong machine
 * is passed over.  Not taken into account: LD_LIBRARY_PATH and LD_PRELOAD (a box has neither) and
 * the variants in glibc-hwcaps (the plain library always works).
 *
 * A path has two sides: where the file is beneath the root, and where the box sees it.  They
 * differ for a program behind a link (the box has a file there, so its $ORIGIN is another one) and
 * for a directory that only ld.so.conf names (the box has no ld.so.cache, so the library goes to
 * a directory which the loader knows by itself).
 */
#include "sandbox/native/ldso.h"

#include <assert.h>
#include <elf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sandbox/native/ldconf.h"

struct machine {
	uint16_t number;
	const char *multiarch;
	const char *libs[3];      /* what $LIB may mean */
	const char *platforms[2]; /* older glibc says "haswell" on a processor that has AVX2 */
};

static const struct machine machines[] = {
	{
		.number = EM_X86_64,
		.multiarch = "x86_64-linux-gnu",
		.libs = {"lib/x86_64-linux-gnu", "lib64", "lib"},
		.platforms = {"x86_64", "haswell"},
	},
	{
		.number = EM_AARCH64,
		.multiarch = "aarch64-linux-gnu",
		.libs = {"lib/aarch64-linux-gnu", "lib64", "lib"},
		.platforms = {"aarch64", "aarch64"},
	},
};

/* Which directories the loaders of Debian, Fedora and others have built in. */
static const char *const builtin_dirs[] = {
	"/lib/x86_64-linux-gnu",
	"/usr/lib/x86_64-linux-gnu",
	"/lib/aarch64-linux-gnu",
	"/usr/lib/aarch64-linux-gnu",
	"/lib64",
	"/usr/lib64",
	"/lib",
	"/usr/lib",
};

/* One file or directory of the search, from both sides. */
struct place {
	char host[PATH_MAX];
	char inside[PATH_MAX];
};

/* A library that is searched for. */
struct wish {
	const char *name;
	uint16_t machine;
	bool by_default;
	const struct ldso_object *answer;
};

static const struct machine *find_machine(uint16_t number)
{
	for (size_t i = 0; i < ARRAY_LEN(machines); i++)
		if (machines[i].number == number)
			return &machines[i];
	return NULL;
}

static bool is_builtin(const char *dir)
{
	for (size_t i = 0; i < ARRAY_LEN(builtin_dirs); i++)
		if (strcmp(dir, builtin_dirs[i]) == 0)
			return true;
	return false;
}

/* Keeps a directory that exists and is not known yet under another name. */
static int take_dir(void *context, const char *dir, struct error *err)
{
	struct ldso *l = context;
	own(found) f = {.fd = -1};
	int there = rootdir_find(l->root, dir, &f, err);

	if (there <= 0 || !S_ISDIR(f.st.st_mode))
		return there < 0 ? -1 : 0;
	for (size_t i = 0; i < l->n_dirs; i++) {
		if (l->dirs[i].dev != f.st.st_dev || l->dirs[i].ino != f.st.st_ino)
			continue;
		l->dirs[i].builtin = l->dirs[i].builtin || is_builtin(dir);
		return 0;
	}
	if (l->n_dirs == LDSO_DIRS_MAX)
		return fail(err, ERR_CONFIG, "ld.so.conf names more than %d directories",
			    LDSO_DIRS_MAX);
	l->dirs[l->n_dirs] = (struct ldso_dir){
		.path = strdup(dir),
		.builtin = is_builtin(dir),
		.dev = f.st.st_dev,
		.ino = f.st.st_ino,
	};
	if (!l->dirs[l->n_dirs].path)
		return fail_sys(err, "keep a path");
	l->n_dirs++;
	return 0;
}

/* The built-in directory where libc lives: the loader looks there whatever else it knows. */
static int find_home(struct ldso *l, struct error *err)
{
	l->home = "/usr/lib";
	for (size_t i = 0; i < l->n_dirs; i++) {
		own(found) f = {.fd = -1};
		char path[PATH_MAX];
		int there;

		if (!l->dirs[i].builtin)
			continue;
		(void)snprintf(path, sizeof(path), "%s/libc.so.6", l->dirs[i].path);
		there = rootdir_find(l->root, path, &f, err);
		if (there < 0)
			return -1;
		if (there) {
			l->home = l->dirs[i].path;
			break;
		}
	}
	return 0;
}

int ldso_init(struct ldso *l, const struct rootdir *root, struct error *err)
{
	l->root = root;
	l->n_dirs = l->n_objects = l->n_process = 0;
	if (ldconf_read(root, take_dir, l, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(builtin_dirs); i++)
		if (take_dir(l, builtin_dirs[i], err) < 0)
			return -1;
	return find_home(l, err);
}

static void object_free(struct ldso_object *o)
{
	free(o->wanted);
	free(o->found);
	free(o->source);
	free(o->inside);
	elf_done(&o->elf);
	free(o);
}

void ldso_done(struct ldso *l)
{
	for (size_t i = 0; i < l->n_dirs; i++)
		free(l->dirs[i].path);
	for (size_t i = 0; i < l->n_objects; i++)
		object_free(l->objects[i]);
	l->n_dirs = l->n_objects = l->n_process = 0;
}

/* Takes over elf. */
static struct ldso_object *keep(struct ldso *l, const struct found *f, const struct wish *wish,
				const struct place *place, struct elf *elf, struct error *err)
{
	struct ldso_object *o;

	if (l->n_objects == LDSO_OBJECTS_MAX) {
		(void)fail(err, ERR_CONFIG, "more than %d libraries", LDSO_OBJECTS_MAX);
		return NULL;
	}
	o = calloc(1, sizeof(*o));
	if (!o) {
		(void)fail_sys(err, "keep a library");
		return NULL;
	}
	l->objects[l->n_objects++] = o;
	o->by_default = wish->by_default;
	o->wanted = strdup(wish->name);
	o->found = strdup(place->host);
	o->source = strdup(f->source);
	o->elf = *elf;
	*elf = (struct elf){0};
	if (!o->wanted || !o->found || !o->source) {
		(void)fail_sys(err, "keep a library");
		return NULL;
	}
	return rootdir_inside(place->inside, &o->inside, err) < 0 ? NULL : o;
}

/* The same file for the same place in the box, looked at before. */
static int find_known(const struct ldso *l, const struct place *place, struct wish *wish,
		      struct error *err)
{
	for (size_t i = 0; i < l->n_objects; i++) {
		own_str inside = NULL;

		if (strcmp(l->objects[i]->found, place->host) != 0)
			continue;
		if (rootdir_inside(place->inside, &inside, err) < 0)
			return -1;
		if (strcmp(l->objects[i]->inside, inside) != 0 ||
		    l->objects[i]->elf.machine != wish->machine)
			continue;
		wish->answer = l->objects[i];
		return 1;
	}
	return 0;
}

/* Looks at exactly this file.  1: taken, 0: absent or for another machine, -1: failed. */
static int try_file(struct ldso *l, struct wish *wish, const struct place *place, struct error *err)
{
	own(found) f = {.fd = -1};
	own(elf) elf = {0};
	own_fd fd = -1;
	int there = find_known(l, place, wish, err);

	if (there != 0)
		return there;
	there = rootdir_find(l->root, place->host, &f, err);
	if (there <= 0 || !S_ISREG(f.st.st_mode))
		return there < 0 ? -1 : 0;
	if (rootdir_read(&f, &fd, err) < 0 || elf_read_fd(fd, &elf, err) < 0)
		return fail_in(err, "%s", f.source);
	if (elf.foreign || elf.machine != wish->machine)
		return 0;
	wish->answer = keep(l, &f, wish, place, &elf, err);
	return wish->answer ? 1 : -1;
}

static int try_dir(struct ldso *l, struct wish *wish, const char *host, const char *inside,
		   struct error *err)
{
	struct place place;
	int a = snprintf(place.host, sizeof(place.host), "%s/%s", host, wish->name);
	int b = snprintf(place.inside, sizeof(place.inside), "%s/%s", inside, wish->name);

	if (a >= (int)sizeof(place.host) || b >= (int)sizeof(place.inside))
		return 0; /* the kernel would not open it either */
	return try_file(l, wish, &place, err);
}

static void dir_name(const char *path, char ret_dir[PATH_MAX])
{
	size_t len = (size_t)(strrchr(path, '/') - path);

	assert(len < PATH_MAX);
	memcpy(ret_dir, path, len);
	ret_dir[len] = '\0';
}

/* Text from an object's dynamic section, from both sides, with the n-th meaning of $LIB and
 * $PLATFORM.  0: no such meaning. */
static int expand(const struct ldso_object *o, const char *text, size_t len, size_t n,
		  struct place *ret, struct error *err)
{
	const struct machine *machine = find_machine(o->elf.machine);
	bool varies = memmem(text, len, "LIB", 3) || memmem(text, len, "PLATFORM", 8);
	struct elf_words words = {0};
	char origin[PATH_MAX];

	if (n >= (varies ? ARRAY_LEN(machine->libs) * ARRAY_LEN(machine->platforms) : 1))
		return 0;
	words.origin = origin;
	words.lib = machine->libs[n % ARRAY_LEN(machine->libs)];
	words.platform = machine->platforms[n / ARRAY_LEN(machine->libs)];
	dir_name(o->found, origin);
	if (elf_expand(text, len, &words, ret->host, sizeof(ret->host), err) < 0)
		return -1;
	dir_name(o->inside, origin);
	if (elf_expand(text, len, &words, ret->inside, sizeof(ret->inside), err) < 0)
		return -1;
	return 1;
}

/* An object's DT_RPATH or DT_RUNPATH. */
static int try_path(struct ldso *l, struct wish *wish, const struct ldso_object *o,
		    const char *path, struct error *err)
{
	while (path && *path) {
		size_t len = strcspn(path, ":");
		struct place dir;
		int result = 0;

		for (size_t n = 0; len && result == 0; n++) {
			int more = expand(o, path, len, n, &dir, err);

			if (more < 0)
				return -1;
			/* A relative one depends on a working directory that nobody knows yet. */
			if (more == 0 || dir.host[0] != '/')
				break;
			result = try_dir(l, wish, dir.host, dir.inside, err);
		}
		if (result != 0)
			return result;
		path += len + (path[len] == ':');
	}
	return 0;
}

static int try_default(struct ldso *l, struct wish *wish, struct error *err)
{
	int result = 0;

	wish->by_default = true;
	for (size_t i = 0; i < l->n_objects; i++) {
		struct ldso_object *o = l->objects[i];

		if (o->by_default && o->elf.machine == wish->machine &&
		    strcmp(o->wanted, wish->name) == 0) {
			wish->answer = o;
			return 1;
		}
	}
	for (size_t i = 0; result == 0 && i < l->n_dirs; i++) {
		const char *dir = l->dirs[i].path;

		result = try_dir(l, wish, dir, l->dirs[i].builtin ? dir : l->home, err);
	}
	return result;
}

/* A name with a slash is a path, not searched for. */
static int try_as_path(struct ldso *l, struct wish *wish, const struct ldso_object *o,
		       struct error *err)
{
	struct place place;
	int result = 0, more;

	for (size_t n = 0; result == 0; n++) {
		more = expand(o, wish->name, strlen(wish->name), n, &place, err);
		if (more <= 0 || place.host[0] != '/')
			return more < 0 ? -1 : 0;
		result = try_file(l, wish, &place, err);
	}
	return result;
}

/* In ld.so's order.  at: who needs it, in the process. */
static int search(struct ldso *l, struct wish *wish, size_t at, struct error *err)
{
	const struct ldso_object *o = l->process[at].object;
	int result = 0;

	if (strchr(wish->name, '/'))
		return try_as_path(l, wish, o, err);
	for (size_t i = at; result == 0 && !o->elf.runpath; i = l->process[i].parent) {
		const struct elf *elf = &l->process[i].object->elf;

		if (!elf->runpath)
			result = try_path(l, wish, l->process[i].object, elf->rpath, err);
		if (i == l->process[i].parent)
			break;
	}
	if (result == 0)
		result = try_path(l, wish, o, o->elf.runpath, err);
	return result == 0 ? try_default(l, wish, err) : result;
}

static bool is_loaded(const struct ldso *l, const char *name)
{
	for (size_t i = 0; i < l->n_process; i++) {
		const struct ldso_object *o = l->process[i].object;

		if (o->kind != LDSO_PROGRAM && (strcmp(o->wanted, name) == 0 ||
						(o->elf.soname && !strcmp(o->elf.soname, name))))
			return true;
	}
	return false;
}

static int load(struct ldso *l, const struct ldso_object *o, size_t parent, struct error *err)
{
	if (l->n_process == LDSO_OBJECTS_MAX)
		return fail(err, ERR_CONFIG, "more than %d libraries", LDSO_OBJECTS_MAX);
	l->process[l->n_process++] = (struct ldso_loaded){.object = o, .parent = parent};
	return 0;
}

/* Breadth first from the object at first, as ld.so goes. */
static int load_needed(struct ldso *l, size_t first, bool tolerant, struct error *err)
{
	for (size_t at = first; at < l->n_process; at++) {
		const struct elf *elf = &l->process[at].object->elf;

		for (size_t i = 0; i < elf->n_needed; i++) {
			struct wish wish = {.name = elf->needed[i], .machine = elf->machine};
			int result;

			if (is_loaded(l, wish.name))
				continue;
			result = search(l, &wish, at, err);
			if (result < 0)
				return -1;
			if (result == 0 && !tolerant)
				return fail(err, ERR_CONFIG, "%s needs %s, which is not installed",
					    l->process[at].object->found, wish.name);
			if (result > 0 && load(l, wish.answer, at, err) < 0)
				return -1;
		}
	}
	return 0;
}

static int load_loader(struct ldso *l, const struct ldso_object *program, struct error *err)
{
	struct wish wish = {.name = program->elf.interp, .machine = program->elf.machine};
	struct place place;
	int result;

	if (!wish.name)
		return 0;
	if (strlen(wish.name) >= sizeof(place.host))
		return fail(err, ERR_REFUSED, "the path of its loader is too long");
	(void)snprintf(place.host, sizeof(place.host), "%s", wish.name);
	(void)snprintf(place.inside, sizeof(place.inside), "%s", wish.name);
	result = try_file(l, &wish, &place, err);
	if (result == 0)
		return fail(err, ERR_CONFIG, "its loader %s is not installed", wish.name);
	if (result < 0)
		return -1;
	for (size_t i = 0; i < l->n_objects; i++)
		if (l->objects[i] == wish.answer)
			l->objects[i]->kind = LDSO_LOADER;
	return load(l, wish.answer, 0, err);
}

int ldso_add_program(struct ldso *l, const struct found *program, const char *inside,
		     struct error *err)
{
	const char *within = rootdir_within(l->root, program->source);
	struct wish wish = {.name = within};
	own(elf) elf = {0};
	struct ldso_object *o;
	struct place place;
	own_fd fd = -1;

	l->n_process = 0;
	if (rootdir_read(program, &fd, err) < 0 || elf_read_fd(fd, &elf, err) < 0)
		return -1;
	if (elf.foreign)
		return fail(err, ERR_REFUSED, "it is for another kind of machine");
	if (strlen(within) >= PATH_MAX || strlen(inside) >= PATH_MAX)
		return fail(err, ERR_REFUSED, "its path is too long");
	(void)snprintf(place.host, sizeof(place.host), "%s", within);
	(void)snprintf(place.inside, sizeof(place.inside), "%s", inside);
	o = keep(l, program, &wish, &place, &elf, err);
	if (!o || load(l, o, 0, err) < 0)
		return -1;
	o->kind = LDSO_PROGRAM;
	if (load_loader(l, o, err) < 0)
		return -1;
	return load_needed(l, 0, false, err);
}

void ldso_forget_program(struct ldso *l)
{
	l->n_process = 0;
}

int ldso_add_module(struct ldso *l, int fd, const char *path, struct error *err)
{
	own_str copy = strdup(path);
	struct ldso_object module = {.found = copy, .inside = copy, .wanted = copy};
	size_t before = l->n_process;
	struct error ignored;
	int result = 0;

	if (!copy)
		return fail_sys(err, "keep a path");
	/* What is no library, or for another machine, could not be loaded anyway. */
	if (before == 0 || elf_read_fd(fd, &module.elf, &ignored) < 0)
		return 0;
	if (module.elf.machine == l->process[0].object->elf.machine) {
		result = load(l, &module, 0, err);
		if (result == 0)
			result = load_needed(l, before, true, err);
	}
	l->n_process = before; /* another module may be loaded without this one */
	elf_done(&module.elf);
	return result;
}

int ldso_add_library(struct ldso *l, const char *name, struct error *err)
{
	struct wish wish = {.name = name};
	size_t before = l->n_process;
	int result;

	if (before == 0 || is_loaded(l, name))
		return 0;
	wish.machine = l->process[0].object->elf.machine;
	result = try_default(l, &wish, err);
	if (result <= 0)
		return result;
	if (load(l, wish.answer, 0, err) < 0 || load_needed(l, before, true, err) < 0)
		return -1;
	l->n_process = before;
	return 0;
}

const char *ldso_multiarch(const struct ldso *l)
{
	return l->n_process ? find_machine(l->process[0].object->elf.machine)->multiarch : "";
}
