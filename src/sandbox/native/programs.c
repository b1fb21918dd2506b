/* SPDX-License-Identifier: Apache-2.0 */
/* programs.c - a list of programs becomes the list of files they need to load.
 *
 * Programs wait in a queue: a script puts its interpreter at the end of it.  What libraries an ELF
 * program needs is ldso.c's business; what else it opens while it runs comes from the table in
 * progdata.c.
 */
#include "sandbox/native/programs.h"

#include <assert.h>
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"
#include "sandbox/native/ldso.h"
#include "sandbox/native/needed.h"
#include "sandbox/native/progdata.h"
#include "sandbox/native/rootdir.h"
#include "sandbox/native/shebang.h"
#include "sandbox/native/searchwitness.h"

enum { QUEUE_MAX = 512, MODULE_DEPTH_MAX = 12, NAMES_MAX = 16384, LISTING_BYTES = 32768 };

/* As in the box's PATH. */
static const char *const program_dirs[] = {
	"/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin",
};

/* The box puts something of its own there. */
static const char *const box_dirs[] = {"/dev/", "/proc/", "/sys/", "/tmp/", "/work/"};

struct finder {
	struct rootdir root;
	struct ldso ldso;
	struct needed_list list;
	char *queue[QUEUE_MAX];
	size_t n_queue;
	char *listings[MODULE_DEPTH_MAX + 1]; /* a directory each, of those that are gone through */
};

/* A program that was found. */
struct program {
	const char *name; /* as it was asked for */
	char path[PATH_MAX];
	struct found file;
	const char *within; /* its real path, beneath the root */
};

static void finder_free(struct finder *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_queue; i++)
		free(f->queue[i]);
	for (size_t i = 0; i < ARRAY_LEN(f->listings); i++)
		free(f->listings[i]);
	needed_list_done(&f->list);
	ldso_done(&f->ldso);
	rootdir_close(&f->root);
	free(f);
}

static void finder_end(struct finder **f)
{
	finder_free(*f);
}
#define own_finder __attribute__((cleanup(finder_end))) struct finder *

static void program_end(struct program *p)
{
	found_done(&p->file);
}

static int enqueue(struct finder *f, const char *name, struct error *err)
{
	for (size_t i = 0; i < f->n_queue; i++)
		if (strcmp(f->queue[i], name) == 0)
			return 0;
	if (f->n_queue == QUEUE_MAX)
		return fail(err, ERR_CALLER, "more than %d programs", QUEUE_MAX);
	f->queue[f->n_queue] = strdup(name);
	if (!f->queue[f->n_queue])
		return fail_sys(err, "list programs");
	f->n_queue++;
	return 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void collect_names(const struct rootdir *root, const char *dir, char **names, size_t *n)
{
	own(found) f = {.fd = -1};
	struct dirent *entry;
	struct error ignored;
	int fd = -1;
	DIR *list;

	if (rootdir_find(root, dir, &f, &ignored) <= 0 || rootdir_read(&f, &fd, &ignored) < 0)
		return;
	list = fdopendir(fd);
	if (!list) {
		(void)close(fd);
		return;
	}
	while (*n + 1 < NAMES_MAX && (entry = readdir(list))) {
		names[*n] = strdup(entry->d_name);
		*n += names[*n] != NULL;
	}
	(void)closedir(list);
}

/* Only for the message: whatever fails here makes it shorter. */
static int say_not_found(const struct finder *f, const char *name, struct error *err)
{
	own_mem char **names = calloc(NAMES_MAX, sizeof(*names));
	const char *near = NULL;
	size_t n = 0;

	for (size_t i = 0; names && i < ARRAY_LEN(program_dirs); i++)
		collect_names(&f->root, program_dirs[i], names, &n);
	if (names)
		near = text_nearest(name, (const char *const *)names);
	(void)fail(err, ERR_NOT_FOUND, "there is no program '%s' in %s/usr/bin and its like%s%s%s",
		   name, f->root.real, near ? "; did you mean '" : "", near ? near : "",
		   near ? "'?" : "");
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	return -1;
}

static bool may_execute(const struct found *file)
{
	return S_ISREG(file->st.st_mode) && (file->st.st_mode & 0111);
}

/* A name without a slash, in the standard directories: 1 if it is there, 0 if not. */
static int search(const struct finder *f, struct program *p, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LEN(program_dirs); i++) {
		int there;

		if (snprintf(p->path, sizeof(p->path), "%s/%s", program_dirs[i], p->name) >=
		    (int)sizeof(p->path))
			break;
		there = rootdir_find(&f->root, p->path, &p->file, err);
		if (there < 0 || (there && may_execute(&p->file)))
			return there;
		if (there)
			found_done(&p->file);
	}
	return 0;
}

static int look_up(const struct finder *f, struct program *p, struct error *err)
{
	int there = search(f, p, err);

	return there == 0 ? say_not_found(f, p->name, err) : there < 0 ? -1 : 0;
}

static bool has_dots(const char *path)
{
	return strstr(path, "/../") || strstr(path, "/./") ||
	       (strlen(path) > 2 && strcmp(path + strlen(path) - 3, "/..") == 0);
}

static int take_path(const struct finder *f, struct program *p, struct error *err)
{
	int there;

	if (p->name[0] != '/' || has_dots(p->name) || strlen(p->name) >= sizeof(p->path))
		return fail(err, ERR_CALLER,
			    "'%s' is not how a program is named: give a name like 'ls' or a full "
			    "path like '/usr/bin/ls'",
			    p->name);
	for (size_t i = 0; i < ARRAY_LEN(box_dirs); i++)
		if (strncmp(p->name, box_dirs[i], strlen(box_dirs[i])) == 0)
			return fail(err, ERR_CALLER,
				    "program '%s' cannot be shown in the box, which has a %.*s of "
				    "its own: copy it elsewhere",
				    p->name, (int)strlen(box_dirs[i]) - 1, box_dirs[i]);
	(void)snprintf(p->path, sizeof(p->path), "%s", p->name);
	there = rootdir_find(&f->root, p->path, &p->file, err);
	if (there == 0)
		return fail(err, ERR_NOT_FOUND, "there is no program '%s%s'", f->root.real,
			    p->name);
	return there < 0 ? -1 : 0;
}

static int find_program(const struct finder *f, struct program *p, struct error *err)
{
	mode_t mode;

	if (!p->name[0])
		return fail(err, ERR_CALLER, "a program without a name");
	if ((strchr(p->name, '/') ? take_path : look_up)(f, p, err) < 0)
		return -1;
	mode = p->file.st.st_mode;
	p->within = rootdir_within(&f->root, p->file.source);
	if (!may_execute(&p->file))
		return fail(err, ERR_REFUSED, "program '%s' (%s) is not an executable file",
			    p->name, p->file.source);
	if (mode & (S_ISUID | S_ISGID))
		return fail(err, ERR_CALLER,
			    "program '%s' (%s) is %s, and such programs do not go into a box",
			    p->name, p->file.source,
			    mode & S_ISUID ? "set-user-id" : "set-group-id");
	return 0;
}

static bool is_module(const char *name)
{
	const char *so = strstr(name, ".so");

	return so && (so[3] == '\0' || so[3] == '.');
}

/* What to open: a directory to go into, a regular file that may be a module. */
static bool is_worth_opening(int dir, const struct dirent *entry, unsigned depth, bool *ret_dir)
{
	unsigned char type = entry->d_type;
	struct stat st;

	if (type == DT_UNKNOWN) /* some file systems do not say */
		type = fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0
			       ? DT_UNKNOWN
			       : (unsigned char)IFTODT(st.st_mode);
	*ret_dir = type == DT_DIR;
	if (type == DT_DIR)
		return entry->d_name[0] != '.' && depth < MODULE_DEPTH_MAX &&
		       strcmp(entry->d_name, "__pycache__") != 0;
	return type == DT_REG && is_module(entry->d_name);
}

/* What is not for us to read nobody will load in the box either. */
static int open_entry(const struct finder *f, int dir, const char *name, const char *path)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);

	if (fd < 0)
		witness_miss(f->root.witness);
	else
		witness_note(f->root.witness, path, fd);
	return fd;
}

/* Adds what the modules in a tree need.  A library may have a thousand directories: each is read in
 * one call, not in pieces as small as libc's, and nothing is asked about it before. */
static int walk_modules(struct finder *f, int fd, const char *path, unsigned depth,
			struct error *err)
{
	char **list = &f->listings[depth], below[PATH_MAX];
	long n;

	if (!*list && !(*list = malloc(LISTING_BYTES)))
		return fail_sys(err, "list %s", path);
	while ((n = syscall(SYS_getdents64, fd, *list, LISTING_BYTES)) > 0) {
		const struct dirent *entry;

		for (long at = 0; at < n; at += entry->d_reclen) {
			own_fd child = -1;
			bool dir = false;

			entry = (const struct dirent *)(const void *)(*list + at);
			if (!is_worth_opening(fd, entry, depth, &dir) ||
			    snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) >=
				    (int)sizeof(below))
				continue;
			child = open_entry(f, fd, entry->d_name, below);
			if (child >= 0 && (dir ? walk_modules(f, child, below, depth + 1, err)
					       : ldso_add_module(&f->ldso, child, below, err)) < 0)
				return -1;
		}
	}
	return 0; /* also of one that was removed meanwhile: nobody will load what is not listed */
}

/* Looks through dir/below, if it is a directory. */
static int take_modules(struct finder *f, const char *dir, const char *below, struct error *err)
{
	own(found) found = {.fd = -1};
	char path[PATH_MAX];
	own_fd fd = -1;
	int there;

	if (snprintf(path, sizeof(path), "%s/%s", dir, below) >= (int)sizeof(path))
		return 0;
	there = rootdir_find(&f->root, path, &found, err);
	if (there <= 0 || !S_ISDIR(found.st.st_mode))
		return there < 0 ? -1 : 0;
	if (rootdir_read(&found, &fd, err) < 0)
		return -1;
	return walk_modules(f, fd, rootdir_within(&f->root, found.source), 0, err);
}

/* What the letters in a row's path stand for; NULL: unknown, the row does not apply. */
struct letters {
	const char *p, *i, *v, *m;
};

static const char *letter_value(const struct letters *letters, char letter)
{
	switch (letter) {
	case 'p':
		return letters->p;
	case 'i':
		return letters->i;
	case 'v':
		return letters->v;
	case 'm':
		return letters->m;
	}
	return NULL;
}

static bool fill_in(const char *template, const struct letters *letters, char ret_path[PATH_MAX])
{
	size_t used = 0;

	for (; *template; template ++) {
		const char *piece = template;
		size_t len = 1;

		if (*template == '%') {
			piece = letter_value(letters, *++template);
			if (!piece)
				return false;
			len = strlen(piece);
		}
		if (used + len >= PATH_MAX)
			return false;
		memcpy(ret_path + used, piece, len);
		used += len;
	}
	ret_path[used] = '\0';
	return true;
}

/* A program behind a link looks for its data around the place where it thinks it is. */
static int show_at_link(struct finder *f, const struct progdata_row *row, const char *source,
			const struct letters *letters, struct error *err)
{
	struct letters moved = *letters;
	own(found) taken = {.fd = -1};
	char inside[PATH_MAX];
	int there;

	moved.p = letters->i;
	if (strncmp(row->path, "%p", 2) != 0 || strcmp(letters->p, letters->i) == 0 ||
	    !fill_in(row->path, &moved, inside))
		return 0;
	there = rootdir_find(&f->root, inside, &taken, err);
	if (there != 0)
		return there < 0 ? -1 : 0; /* something else is there */
	return needed_add(&f->list,
			  &(struct needed){
				  .source = (char *)(uintptr_t)source,
				  .inside = inside,
				  .directory = true,
				  .execute = row->execute,
			  },
			  err);
}

static int take_row(struct finder *f, const struct progdata_row *row, const struct letters *letters,
		    struct error *err)
{
	own(found) found = {.fd = -1};
	char path[PATH_MAX];
	struct needed item;
	int there;

	if (!strchr(row->path, '/'))
		return ldso_add_library(&f->ldso, row->path, err);
	if (!fill_in(row->path, letters, path))
		return 0;
	there = rootdir_find(&f->root, path, &found, err);
	if (there <= 0 || (!S_ISDIR(found.st.st_mode) && !S_ISREG(found.st.st_mode)))
		return there < 0 ? -1 : 0;
	item = (struct needed){
		.source = found.source,
		.inside = path,
		.directory = S_ISDIR(found.st.st_mode),
		.execute = row->execute,
	};
	if (needed_add(&f->list, &item, err) < 0)
		return -1;
	if (item.directory && show_at_link(f, row, found.source, letters, err) < 0)
		return -1;
	return row->modules ? take_modules(f, path, row->modules, err) : 0;
}

/* "/usr" for "/usr/bin/x". */
static void prefix_of(const char *path, char ret_prefix[PATH_MAX])
{
	(void)snprintf(ret_prefix, PATH_MAX, "%s", path);
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(ret_prefix, '/');

		if (slash)
			*slash = '\0';
	}
}

/* "3.11" for "python3.11"; NULL if it does not end in a number. */
static const char *version_of(const char *name)
{
	const char *at = name + strlen(name);

	while (at > name && strchr("0123456789.", at[-1]))
		at--;
	return *at ? at : NULL;
}

/* inside: where the box sees the program. */
static int take_data(struct finder *f, const struct program *p, const char *inside,
		     struct error *err)
{
	const char *name = base_name(p->path), *real = base_name(p->within);
	char prefix[PATH_MAX], inside_prefix[PATH_MAX];
	struct letters letters = {
		.p = prefix,
		.i = inside_prefix,
		.v = version_of(real),
		.m = ldso_multiarch(&f->ldso),
	};

	if (!letters.m[0])
		letters.m = NULL;
	prefix_of(p->within, prefix);
	prefix_of(inside, inside_prefix);
	for (size_t i = 0; i < progdata_row_count; i++) {
		const struct progdata_row *row = &progdata_rows[i];

		if (fnmatch(row->programs, name, 0) != 0 && fnmatch(row->programs, real, 0) != 0)
			continue;
		if (take_row(f, row, &letters, err) < 0)
			return -1;
	}
	return 0;
}

static int take_script(struct finder *f, const char *head, size_t len, struct error *err)
{
	struct shebang line;

	ldso_forget_program(&f->ldso);
	if (shebang_parse(head, len, &line, err) < 0 || enqueue(f, line.interpreter, err) < 0)
		return -1;
	return line.program[0] ? enqueue(f, line.program, err) : 0;
}

static int take_contents(struct finder *f, const struct program *p, struct error *err)
{
	char head[SHEBANG_BYTES];
	own_str inside = NULL;
	own_fd fd = -1;
	ssize_t n;
	int result;

	if (rootdir_inside(p->path, &inside, err) < 0 || rootdir_read(&p->file, &fd, err) < 0)
		return -1;
	n = fd_read_all(fd, head, sizeof(head), err);
	if (n < 0)
		return -1;
	if (n >= SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0)
		result = ldso_add_program(&f->ldso, &p->file, inside, err);
	else if (n >= 2 && memcmp(head, "#!", 2) == 0)
		result = take_script(f, head, (size_t)n, err);
	else
		return fail(err, ERR_REFUSED, "neither an ELF file nor a script with a #! line");
	return result < 0 ? -1 : take_data(f, p, inside, err);
}

static int take_program(struct finder *f, const char *name, struct error *err)
{
	own(program) p = {.name = name, .file = {.fd = -1}};
	struct needed item;

	if (find_program(f, &p, err) < 0)
		return -1;
	item = (struct needed){.source = p.file.source, .inside = p.path, .execute = true};
	if (needed_add(&f->list, &item, err) < 0)
		return -1;
	if (progdata_is_interpreter(base_name(p.path)) ||
	    progdata_is_interpreter(base_name(p.within)))
		f->list.has_interpreter = true;
	if (take_contents(f, &p, err) < 0)
		return fail_in(err, "program '%s' (%s)", name, p.file.source);
	return 0;
}

static int take_objects(struct finder *f, struct error *err)
{
	for (size_t i = 0; i < f->ldso.n_objects; i++) {
		const struct ldso_object *o = f->ldso.objects[i];
		struct needed item = {
			.source = o->source,
			.inside = o->inside,
			.execute = o->kind != LDSO_LIBRARY,
		};

		if (needed_add(&f->list, &item, err) < 0)
			return -1;
	}
	return 0;
}

static int find_all(struct finder *f, const char *const *programs, size_t n, struct error *err)
{
	for (size_t i = 0; i < n; i++)
		if (enqueue(f, programs[i], err) < 0)
			return -1;
	for (size_t i = 0; i < f->n_queue; i++)
		if (take_program(f, f->queue[i], err) < 0)
			return -1;
	if (take_objects(f, err) < 0)
		return -1;
	needed_tidy(&f->list);
	for (size_t i = 0; i < f->list.n; i++)
		f->list.items[i].prefix = strlen(f->root.real);
	return 0;
}

int programs_needed(const char *root, const char *const *programs, size_t n, struct witness *seen,
		    struct needed_list *ret, struct error *err)
{
	own_finder f = calloc(1, sizeof(*f));

	if (!f)
		return fail_sys(err, "list programs");
	f->root.fd = -1;
	if (rootdir_open(root, &f->root, err) < 0)
		return -1;
	assert(!seen || !f->root.real[0]);
	f->root.witness = seen;
	if (ldso_init(&f->ldso, &f->root, err) < 0 || find_all(f, programs, n, err) < 0)
		return -1;
	*ret = f->list;
	f->list = (struct needed_list){0};
	return 0;
}

bool programs_exist(const char *root, const char *name)
{
	own_finder f = calloc(1, sizeof(*f));
	own(program) p = {.name = name, .file.fd = -1};
	struct error ignored;

	if (!f)
		return false;
	f->root.fd = -1;
	if (rootdir_open(root, &f->root, &ignored) < 0)
		return false;
	return strchr(name, '/') ? find_program(f, &p, &ignored) == 0 : search(f, &p, &ignored) > 0;
}
