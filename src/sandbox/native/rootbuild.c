/* SPDX-License-Identifier: Apache-2.0 */
/* rootbuild.c - makes a private root: programs of the host, copied with all they need.
 *
 * What a program needs to load comes from programs_needed().  For programs that were asked for by
 * name the whole package goes along, by Debian's lists of files where there are any: no table of
 * ours knows every interpreter's data.  Each file is copied to its real place, and the names that
 * led there become links, as on the host: a program that looks around itself finds what it
 * expects.
 */
#include "sandbox/native/rootbuild.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/dpkg.h"
#include "sandbox/native/ldso.h"
#include "sandbox/native/manifest.h"
#include "sandbox/native/programs.h"
#include "sandbox/native/rootdir.h"
#include "sandbox/native/treewalk.h"

static const char package_lists[] = "/var/lib/dpkg/info";

/* What people and models expect to find; what the host lacks is left out. */
static const char *const usual_programs[] = {
	"[",      "awk",      "base64", "basename", "bash",   "bunzip2",  "bzip2",    "cat",
	"chmod",  "cksum",    "cmp",    "comm",     "cp",     "csplit",   "cut",      "date",
	"dd",     "df",       "diff",   "dirname",  "du",     "echo",     "egrep",    "env",
	"expand", "expr",     "factor", "false",    "fgrep",  "file",     "find",     "fmt",
	"fold",   "grep",     "gunzip", "gzip",     "head",   "hostname", "id",       "join",
	"jq",     "kill",     "link",   "ln",       "ls",     "md5sum",   "mkdir",    "mkfifo",
	"mktemp", "mv",       "nl",     "nproc",    "numfmt", "od",       "paste",    "patch",
	"pr",     "printenv", "printf", "ps",       "pwd",    "python3",  "readlink", "realpath",
	"rev",    "rm",       "rmdir",  "sed",      "seq",    "sh",       "sha1sum",  "sha256sum",
	"shuf",   "sleep",    "sort",   "split",    "stat",   "stdbuf",   "sum",      "sync",
	"tac",    "tail",     "tar",    "tee",      "test",   "timeout",  "touch",    "tr",
	"true",   "truncate", "tsort",  "uname",    "uniq",   "unlink",   "unxz",     "uptime",
	"wc",     "which",    "whoami", "xargs",    "xz",     "yes",      "zcat",     "sha512sum",
};

/* Parts of a package that a program may open while it runs. */
static const char *const package_parts[] = {"/usr/lib/", "/usr/libexec/", "/usr/share/"};

/* Parts of these that it does not. */
static const char *const package_rest[] = {
	"/usr/lib/debug/",     "/usr/lib/systemd/",        "/usr/lib/tmpfiles.d/",
	"/usr/share/appdata/", "/usr/share/applications/", "/usr/share/bash-completion/",
	"/usr/share/bug/",     "/usr/share/doc/",          "/usr/share/doc-base/",
	"/usr/share/fish/",    "/usr/share/gtk-doc/",      "/usr/share/icons/",
	"/usr/share/info/",    "/usr/share/lintian/",      "/usr/share/locale/",
	"/usr/share/man/",     "/usr/share/menu/",         "/usr/share/metainfo/",
	"/usr/share/pixmaps/", "/usr/share/zsh/",
};

static const char *const empty_dirs[] = {
	"/dev",     "/etc",       "/proc",     "/tmp",           "/usr/bin",
	"/usr/lib", "/usr/lib64", "/usr/sbin", "/usr/local/bin", "/work",
};

static const char *const top_links[][2] = {
	{"/usr/bin", "/bin"},
	{"/usr/lib", "/lib"},
	{"/usr/lib64", "/lib64"},
	{"/usr/sbin", "/sbin"},
};

struct maker {
	const struct rootbuild *b;
	struct rootbuild_result result;
	struct treecopy copy;
	struct rootdir host;
	struct ldso *ldso; /* for what comes with packages */
	char *parent;      /* the directory that dir is in */
	int parent_fd;
	char *temporary; /* name of the unfinished tree in it */
};

static void maker_end(struct maker *m)
{
	struct error ignored;

	if (m->copy.to >= 0)
		(void)close(m->copy.to);
	if (m->temporary)
		(void)treewalk_remove(m->parent_fd, m->temporary, &ignored);
	if (m->parent_fd >= 0)
		(void)close(m->parent_fd);
	if (m->ldso)
		ldso_done(m->ldso);
	free(m->ldso);
	rootdir_close(&m->host);
	free(m->temporary);
	free(m->parent);
}

static int is_free(const char *dir, struct error *err)
{
	own_fd fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent **names = NULL;
	int n;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		return fail(err, ERR_CALLER, "%s exists and is not a directory", dir);
	if (fd < 0)
		return fail_sys(err, "open %s", dir);
	n = scandirat(fd, ".", &names, NULL, NULL);
	if (n < 0)
		return fail_sys(err, "list %s", dir);
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return n <= 2 ? 0
		      : fail(err, ERR_CALLER,
			     "%s exists and is not empty: give a new name, or empty it", dir);
}

/* Splits dir (which is changed) into its parent, opened, and its name there. */
static int open_target(struct maker *m, char *dir, const char **ret_name, struct error *err)
{
	const char *parent = ".";
	char *slash;

	for (size_t len = strlen(dir); len > 1 && dir[len - 1] == '/'; len--)
		dir[len - 1] = '\0';
	slash = strrchr(dir, '/');
	*ret_name = slash ? slash + 1 : dir;
	if (!**ret_name || strcmp(*ret_name, ".") == 0 || strcmp(*ret_name, "..") == 0)
		return fail(err, ERR_CALLER,
			    "'%s' is no name for a new directory: give one like /srv/box-root",
			    m->b->dir);
	if (is_free(dir, err) < 0)
		return -1;
	if (slash) {
		*slash = '\0';
		parent = slash == dir ? "/" : dir;
	}
	m->parent = realpath(parent, NULL);
	if (!m->parent)
		return fail_sys(err, "the directory %s, where the root is to be made", parent);
	m->parent_fd = open(m->parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return m->parent_fd < 0 ? fail_sys(err, "open %s", m->parent) : 0;
}

/* A directory beside the target, so that a rename can put it in place. */
static int open_temporary(struct maker *m, const char *name, struct error *err)
{
	own_str path = NULL;

	if (asprintf(&path, "%s/.%.200s.XXXXXX", m->parent, name) < 0)
		return fail(err, ERR_SYSTEM, "name a directory: out of memory");
	if (!mkdtemp(path))
		return fail_sys(err, "make a directory in %s", m->parent);
	m->temporary = strdup(strrchr(path, '/') + 1);
	if (!m->temporary) {
		(void)rmdir(path);
		return fail(err, ERR_SYSTEM, "name a directory: out of memory");
	}
	m->copy.to = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (m->copy.to < 0 || fchmod(m->copy.to, 0755) < 0)
		return fail_sys(err, "open %s", path);
	return 0;
}

static int make_skeleton(struct maker *m, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LEN(empty_dirs); i++)
		if (treecopy_directory(&m->copy, empty_dirs[i], err) < 0)
			return -1;
	for (size_t i = 0; i < ARRAY_LEN(top_links); i++)
		if (treecopy_link(&m->copy, top_links[i][0], top_links[i][1], err) < 0)
			return -1;
	return 0;
}

static int add_name(struct maker *m, const char *name, struct error *err)
{
	for (size_t i = 0; i < m->result.n_programs; i++)
		if (strcmp(m->result.programs[i], name) == 0)
			return 0;
	if (m->result.n_programs == ROOT_PROGRAMS_MAX)
		return fail(err, ERR_CALLER, "more than %d programs", ROOT_PROGRAMS_MAX);
	m->result.programs[m->result.n_programs++] = name;
	return 0;
}

static bool is_installed(const char *name)
{
	static const char *const dirs[] = {"/usr/local/bin", "/usr/bin", "/bin"};
	char path[PATH_MAX];

	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", dirs[i], name);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

static int choose_programs(struct maker *m, struct error *err)
{
	for (size_t i = 0; !m->b->bare && i < ARRAY_LEN(usual_programs); i++)
		if (is_installed(usual_programs[i]) && add_name(m, usual_programs[i], err) < 0)
			return -1;
	for (size_t i = 0; i < m->b->n_with; i++)
		if (add_name(m, m->b->with[i], err) < 0)
			return -1;
	return 0;
}

/* One file or directory to its real place, and a link from where it is asked for. */
static int copy_needed(struct maker *m, const char *source, const char *inside, bool directory,
		       struct error *err)
{
	own_str real = NULL;

	if (rootdir_inside(source, &real, err) < 0)
		return -1;
	if ((directory ? treecopy_tree : treecopy_file)(&m->copy, source, real, err) < 0)
		return -1;
	return strcmp(real, inside) == 0 ? 0 : treecopy_link(&m->copy, real, inside, err);
}

static int copy_list(struct maker *m, const struct needed_list *list, struct error *err)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct needed *item = &list->items[i];

		if (copy_needed(m, item->source, item->inside, item->directory, err) < 0)
			return -1;
	}
	return 0;
}

static bool begins_with_any(const char *path, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(path, list[i], strlen(list[i])) == 0)
			return true;
	return false;
}

/* Notes the libraries of a library or helper that comes with a package; one that cannot be read
 * or lacks something is no worse off than on the host. */
static int note_libraries(struct maker *m, const char *path, struct error *err)
{
	own(found) f = {.fd = -1};
	char head[SELFMAG] = "";
	struct error ignored;
	own_fd fd = -1;
	int there = rootdir_find(&m->host, path, &f, err);

	if (there <= 0 || !S_ISREG(f.st.st_mode))
		return there < 0 ? -1 : 0;
	if (rootdir_read(&f, &fd, &ignored) < 0 ||
	    fd_read_all(fd, head, sizeof(head), &ignored) != SELFMAG ||
	    memcmp(head, ELFMAG, SELFMAG) != 0)
		return 0;
	(void)ldso_add_program(m->ldso, &f, rootdir_within(&m->host, f.source), &ignored);
	return 0;
}

/* One path of a package. */
static int take_path(void *context, const char *path, struct error *err)
{
	struct maker *m = context;
	own_str inside = NULL;
	struct stat st;

	if (rootdir_inside(path, &inside, err) < 0)
		return -1;
	if (lstat(path, &st) < 0 || S_ISDIR(st.st_mode))
		return 0; /* directories come with what is in them */
	/* Other names in bin (npm beside node) only if they lead to something that is copied. */
	if (strncmp(inside, "/usr/bin/", 9) == 0 && S_ISLNK(st.st_mode))
		return treecopy_entry(&m->copy, path, inside, err);
	if (!begins_with_any(inside, package_parts, ARRAY_LEN(package_parts)) ||
	    begins_with_any(inside, package_rest, ARRAY_LEN(package_rest)))
		return 0;
	if (treecopy_entry(&m->copy, path, inside, err) < 0)
		return -1;
	return S_ISREG(st.st_mode) ? note_libraries(m, path, err) : 0;
}

static int copy_objects(struct maker *m, struct error *err)
{
	for (size_t i = 0; i < m->ldso->n_objects; i++) {
		const struct ldso_object *o = m->ldso->objects[i];

		if (o->inside && copy_needed(m, o->source, o->inside, false, err) < 0)
			return -1;
	}
	return 0;
}

/* The rest of the package that a program belongs to. */
static int copy_package(struct maker *m, const struct needed_list *list, const char *name,
			struct error *err)
{
	const char *slash = strrchr(name, '/');
	const char *base = slash ? slash + 1 : name;

	for (size_t i = 0; i < list->n; i++) {
		const struct needed *item = &list->items[i];

		if (!item->execute || strcmp(strrchr(item->inside, '/') + 1, base) != 0)
			continue;
		if (dpkg_siblings(package_lists, item->source, take_path, m, err) < 0)
			return fail_in(err, "the package of '%s'", name);
	}
	return 0;
}

static int copy_packages(struct maker *m, const struct needed_list *list, struct error *err)
{
	if (rootdir_open("", &m->host, err) < 0)
		return -1;
	m->ldso = calloc(1, sizeof(*m->ldso));
	if (!m->ldso)
		return fail_sys(err, "find libraries");
	if (ldso_init(m->ldso, &m->host, err) < 0)
		return -1;
	for (size_t i = 0; i < m->b->n_with; i++)
		if (copy_package(m, list, m->b->with[i], err) < 0)
			return -1;
	return copy_objects(m, err);
}

static int fill(struct maker *m, struct error *err)
{
	own(needed_list) list = {0};

	if (choose_programs(m, err) < 0)
		return -1;
	/* The usual ones were looked for before: what fails now was asked for. */
	if (programs_needed("", m->result.programs, m->result.n_programs, NULL, &list, err) < 0)
		return m->b->n_with ? fail_in(err, "--with") : -1;
	if (make_skeleton(m, err) < 0 || copy_list(m, &list, err) < 0 ||
	    copy_packages(m, &list, err) < 0)
		return -1;
	return manifest_write(m->copy.to, m->result.programs, m->result.n_programs, err);
}

/* Everything that was promised is found in the finished tree, and a box starts from it. */
static int verify(const struct maker *m, struct error *err)
{
	own(needed_list) list = {0};
	own_str path = NULL;

	if (asprintf(&path, "%s/%s", m->parent, m->temporary) < 0)
		return fail(err, ERR_SYSTEM, "name a directory: out of memory");
	if (programs_needed(path, m->result.programs, m->result.n_programs, NULL, &list, err) < 0)
		return fail_in(err, "the new root is not complete");
	return m->b->verify ? m->b->verify(path, m->b->context, err) : 0;
}

static int put_in_place(struct maker *m, const char *name, struct error *err)
{
	if (renameat(m->parent_fd, m->temporary, m->parent_fd, name) < 0)
		return fail_sys(err, "rename the finished root to %s", m->b->dir);
	free(m->temporary); /* there is nothing left to remove */
	m->temporary = NULL;
	return 0;
}

int rootbuild_run(const struct rootbuild *b, struct rootbuild_result *ret, struct error *err)
{
	own(maker) m = {.b = b, .copy = {.to = -1}, .host = {.fd = -1}, .parent_fd = -1};
	own_str dir = strdup(b->dir);
	const char *name;

	m.copy.look = b->look;
	m.copy.context = b->context;
	if (!dir)
		return fail_sys(err, "keep a path");
	if (open_target(&m, dir, &name, err) < 0 || open_temporary(&m, name, err) < 0 ||
	    fill(&m, err) < 0 || verify(&m, err) < 0 || put_in_place(&m, name, err) < 0)
		return -1;
	m.result.files = m.copy.files;
	m.result.links = m.copy.links;
	m.result.directories = m.copy.directories;
	m.result.bytes = m.copy.bytes;
	m.result.skipped = m.copy.skipped;
	*ret = m.result;
	return 0;
}
