/* SPDX-License-Identifier: Apache-2.0 */
/* ldconf.c - reads ld.so.conf: the directories that ldconfig was told about.
 *
 * A line is a directory, "include PATTERN" (relative to the including file; a pattern may stand
 * in its last component, as everywhere in practice), or "hwcap ...", which means nothing any
 * more.  Files that are still to be read form a stack, so that an included file is read where
 * its line stands, and a file that includes itself ends at the ceiling and not in the stack of
 * this process.
 */
#include "sandbox/native/ldconf.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/own.h"

enum { CONF_BYTES_MAX = 65536, CONF_FILES_MAX = 256 };

struct conf_file {
	char *path;
	char *text; /* NULL until it is on top */
	char *next; /* the line to read next */
};

struct conf_reader {
	const struct rootdir *root;
	struct conf_file stack[CONF_FILES_MAX];
	size_t n;
	size_t seen;
};

static void conf_reader_end(struct conf_reader *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->stack[i].path);
		free(r->stack[i].text);
	}
}

static int push(struct conf_reader *r, char *path, struct error *err)
{
	if (!path)
		return fail_sys(err, "read ld.so.conf");
	if (r->n == CONF_FILES_MAX || r->seen++ == CONF_FILES_MAX) {
		free(path);
		return fail(err, ERR_CONFIG, "ld.so.conf includes more than %d files",
			    CONF_FILES_MAX);
	}
	r->stack[r->n++] = (struct conf_file){.path = path};
	return 0;
}

static void pop(struct conf_reader *r)
{
	r->n--;
	free(r->stack[r->n].path);
	free(r->stack[r->n].text);
}

/* Fills in the text of the topmost file; one that does not exist is empty. */
static int load(const struct rootdir *root, struct conf_file *file, struct error *err)
{
	own(found) f = {.fd = -1};
	own_fd fd = -1;
	ssize_t n = 0;
	int there = rootdir_find(root, file->path, &f, err);

	if (there < 0 || (there && rootdir_read(&f, &fd, err) < 0))
		return -1;
	file->text = file->next = malloc(CONF_BYTES_MAX + 1);
	if (!file->text)
		return fail_sys(err, "read %s", file->path);
	if (there)
		n = fd_read_all(fd, file->text, CONF_BYTES_MAX + 1, err);
	if (n < 0)
		return fail_in(err, "%s", file->path);
	if (n > CONF_BYTES_MAX)
		return fail(err, ERR_CONFIG, "%s is larger than %d bytes", file->path,
			    CONF_BYTES_MAX);
	file->text[n] = '\0';
	return 0;
}

static int open_dir(const struct rootdir *root, const char *path, DIR **ret, struct error *err)
{
	own(found) f = {.fd = -1};
	own_fd fd = -1;
	int there = rootdir_find(root, path, &f, err);

	*ret = NULL;
	if (there <= 0 || !S_ISDIR(f.st.st_mode))
		return there < 0 ? -1 : 0;
	if (rootdir_read(&f, &fd, err) < 0)
		return -1;
	*ret = fdopendir(fd);
	if (!*ret)
		return fail_sys(err, "list %s", path);
	(void)take_fd(&fd);
	return 0;
}

static int from_last_to_first(const void *a, const void *b)
{
	return -strcmp(*(char *const *)a, *(char *const *)b);
}

/* Pushes dir/name for all names that match, so that the first in order comes on top. */
static int push_matches(struct conf_reader *r, const char *dir, const char *pattern,
			struct error *err)
{
	char *names[CONF_FILES_MAX];
	struct dirent *entry;
	size_t n = 0;
	int result = 0;
	DIR *list;

	if (open_dir(r->root, dir, &list, err) < 0 || !list)
		return list ? -1 : 0;
	while (n < CONF_FILES_MAX && (entry = readdir(list)))
		if (fnmatch(pattern, entry->d_name, FNM_PERIOD) == 0 &&
		    asprintf(&names[n], "%s/%s", dir, entry->d_name) >= 0)
			n++;
	(void)closedir(list);
	qsort(names, n, sizeof(names[0]), from_last_to_first);
	for (size_t i = 0; i < n; i++) {
		if (result == 0)
			result = push(r, names[i], err);
		else
			free(names[i]);
	}
	return result;
}

static int include(struct conf_reader *r, const char *from, const char *pattern, struct error *err)
{
	size_t from_dir = (size_t)(strrchr(from, '/') - from);
	own_str path = NULL;
	char *last;

	if (asprintf(&path, "%.*s%s%s", pattern[0] == '/' ? 0 : (int)from_dir, from,
		     pattern[0] == '/' ? "" : "/", pattern) < 0)
		return fail(err, ERR_SYSTEM, "read ld.so.conf: out of memory");
	last = strrchr(path, '/');
	*last++ = '\0';
	if (strpbrk(last, "*?["))
		return push_matches(r, path, last, err);
	last[-1] = '/';
	return push(r, strdup(path), err);
}

/* The next line, without comment and blanks around it; NULL at the end. */
static char *next_line(struct conf_file *file)
{
	char *line = file->next, *end;

	if (!*line)
		return NULL;
	end = line + strcspn(line, "\n");
	file->next = *end ? end + 1 : end;
	*end = '\0';
	line[strcspn(line, "#")] = '\0';
	line += strspn(line, " \t\r");
	for (end = line + strlen(line); end > line && strchr(" \t\r", end[-1]); end--)
		end[-1] = '\0';
	return line;
}

int ldconf_read(const struct rootdir *root, ldconf_take *take, void *context, struct error *err)
{
	own(conf_reader) r = {.root = root};

	if (push(&r, strdup("/etc/ld.so.conf"), err) < 0)
		return -1;
	while (r.n > 0) {
		struct conf_file *top = &r.stack[r.n - 1];
		char *line;

		if (!top->text && load(root, top, err) < 0)
			return -1;
		line = next_line(top);
		if (!line)
			pop(&r);
		else if (strncmp(line, "include", 7) == 0 && strchr(" \t", line[7]) && line[7]) {
			if (include(&r, top->path, line + 7 + strspn(line + 7, " \t"), err) < 0)
				return -1;
		} else if (line[0] == '/' && take(context, line, err) < 0)
			return -1;
	}
	return 0;
}
