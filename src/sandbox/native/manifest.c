/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.c - the list of what is in a private root, and whether it is still so.
 *
 * The manifest is JSON with one entry per line, and the same tree always gives the same lines.  So
 * a check needs no JSON parser: it makes the lines anew and compares them.
 */
#include "sandbox/native/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "base/sha256.h"
#include "base/text.h"
#include "sandbox/native/treewalk.h"

enum { MANIFEST_BYTES_MAX = 64 << 20 };

static const char first_words[] = "{\"version\":1,";
static const char entry_words[] = "{\"path\":";

/* The lines of a manifest that describe entries, and what they add up to. */
struct lines {
	char **items;
	size_t n;
	size_t room;
	uint64_t bytes;
};

static void lines_end(struct lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		free(lines->items[i]);
	free(lines->items);
}

static int add_line(struct lines *lines, const char *text, size_t len, struct error *err)
{
	if (lines->n == lines->room) {
		size_t room = lines->room ? lines->room * 2 : 1024;
		char **items = realloc(lines->items, room * sizeof(*items));

		if (!items)
			return fail_sys(err, "list the root");
		lines->items = items;
		lines->room = room;
	}
	lines->items[lines->n] = strndup(text, len);
	if (!lines->items[lines->n])
		return fail_sys(err, "list the root");
	lines->n++;
	return 0;
}

/* A name that is not UTF-8 is written with escapes, like everywhere in our JSON. */
static void put_name(struct jsonout *j, const char *key, const char *name)
{
	char escaped[4 * PATH_MAX];

	if (text_is_utf8(name, strlen(name))) {
		jsonout_str(j, key, name);
		return;
	}
	text_escape(name, strlen(name), escaped, sizeof(escaped));
	jsonout_str(j, key, escaped);
}

static const char *type_name(mode_t mode)
{
	if (S_ISREG(mode))
		return "file";
	if (S_ISDIR(mode))
		return "directory";
	return S_ISLNK(mode) ? "link" : "other";
}

static int digest(const struct treewalk_entry *entry, char ret_hex[static SHA256_HEX],
		  struct error *err)
{
	own_fd fd = openat(entry->dir, entry->name,
			   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	static char chunk[65536];
	own(sha256) hash = {0};
	ssize_t n;

	if (fd < 0)
		return fail_sys(err, "open %s", entry->path);
	if (sha256_init(&hash, err) < 0)
		return -1;
	while ((n = fd_read_all(fd, chunk, sizeof(chunk), err)) > 0)
		if (sha256_add(&hash, chunk, (size_t)n, err) < 0)
			return -1;
	return n < 0 ? fail_in(err, "%s", entry->path) : sha256_done(&hash, ret_hex, err);
}

static int describe(const struct treewalk_entry *entry, struct buf *out, struct error *err)
{
	char target[PATH_MAX], mode[16], hex[SHA256_HEX];
	struct jsonout j;
	ssize_t n;

	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	put_name(&j, "path", entry->path);
	jsonout_str(&j, "type", type_name(entry->st.st_mode));
	if (S_ISLNK(entry->st.st_mode)) {
		n = readlinkat(entry->dir, entry->name, target, sizeof(target) - 1);
		if (n < 0)
			return fail_sys(err, "read the link %s", entry->path);
		target[n] = '\0';
		put_name(&j, "target", target);
	} else {
		(void)snprintf(mode, sizeof(mode), "%04o", entry->st.st_mode & 07777);
		jsonout_str(&j, "mode", mode);
	}
	if (S_ISREG(entry->st.st_mode)) {
		if (digest(entry, hex, err) < 0)
			return -1;
		jsonout_uint(&j, "size", (uint64_t)entry->st.st_size);
		jsonout_str(&j, "sha256", hex);
	}
	jsonout_object_end(&j);
	return jsonout_end(&j);
}

static int take_entry(void *context, const struct treewalk_entry *entry, struct error *err)
{
	struct lines *lines = context;
	own(buf) line = {0};

	if (strcmp(entry->path, MANIFEST_NAME) == 0)
		return 0;
	buf_init(&line, MANIFEST_BYTES_MAX);
	if (describe(entry, &line, err) < 0)
		return -1;
	if (S_ISREG(entry->st.st_mode))
		lines->bytes += (uint64_t)entry->st.st_size;
	return add_line(lines, buf_str(&line), line.len, err);
}

static int put_together(const struct lines *lines, const char *const *programs, size_t n,
			struct buf *out, struct error *err)
{
	struct jsonout j;

	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	jsonout_uint(&j, "version", 1);
	jsonout_str(&j, "belljar", BELLJAR_VERSION);
	jsonout_array(&j, "programs");
	for (size_t i = 0; i < n; i++)
		put_name(&j, NULL, programs[i]);
	jsonout_array_end(&j);
	jsonout_uint(&j, "count", lines->n);
	jsonout_uint(&j, "bytes", lines->bytes);
	jsonout_array(&j, "files");
	if (buf_add_str(out, "\n", err) < 0)
		return -1;
	for (size_t i = 0; i < lines->n; i++)
		if (buf_add_str(out, lines->items[i], err) < 0 ||
		    buf_add_str(out, i + 1 < lines->n ? ",\n" : "\n", err) < 0)
			return -1;
	jsonout_array_end(&j);
	jsonout_object_end(&j);
	return buf_add_str(out, "\n", err) < 0 ? -1 : jsonout_end(&j);
}

int manifest_write(int root, const char *const *programs, size_t n, struct error *err)
{
	own(lines) lines = {0};
	own(buf) out = {0};
	own_fd fd = -1;

	buf_init(&out, MANIFEST_BYTES_MAX);
	if (sha256_load(err) < 0)
		return -1;
	if (treewalk_visit(root, take_entry, &lines, err) < 0 ||
	    put_together(&lines, programs, n, &out, err) < 0)
		return fail_in(err, "%s", MANIFEST_NAME);
	fd = openat(root, MANIFEST_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0 || fchmod(fd, 0644) < 0)
		return fail_sys(err, "create %s", MANIFEST_NAME);
	return fd_write_all(fd, buf_str(&out), out.len, err);
}

/* The lines of the manifest that is there. */
static int load(int root, struct lines *lines, struct error *err)
{
	own_fd fd = openat(root, MANIFEST_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	own_str text = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0 && errno == ENOENT)
		return fail(err, ERR_CALLER, "there is no %s: it was not made by root build",
			    MANIFEST_NAME);
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail_sys(err, "open %s", MANIFEST_NAME);
	if (!S_ISREG(st.st_mode) || st.st_size > MANIFEST_BYTES_MAX)
		return fail(err, ERR_CALLER, "%s is not a manifest", MANIFEST_NAME);
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return fail_sys(err, "read %s", MANIFEST_NAME);
	n = fd_read_all(fd, text, (size_t)st.st_size, err);
	if (n < 0)
		return -1;
	text[n] = '\0';
	if (strncmp(text, first_words, strlen(first_words)) != 0)
		return fail(err, ERR_CALLER, "%s has another version", MANIFEST_NAME);
	for (char *line = text; *line;) {
		size_t len = strcspn(line, "\n"), whole = len + (line[len] == '\n');

		len -= len > 0 && line[len - 1] == ',';
		if (strncmp(line, entry_words, strlen(entry_words)) == 0 &&
		    add_line(lines, line, len, err) < 0)
			return -1;
		line += whole;
	}
	return 0;
}

struct checker {
	struct lines lines;
	manifest_complain *complain;
	void *context;
	int found;
};

__attribute__((format(printf, 2, 3))) static void say(struct checker *c, const char *fmt, ...)
{
	char text[2 * PATH_MAX];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	c->complain(c->context, text);
	c->found++;
}

static bool has_capabilities(const struct treewalk_entry *entry)
{
	char path[NAME_MAX + 64];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", entry->dir, entry->name);
	return lgetxattr(path, "security.capability", NULL, 0) > 0;
}

static int examine(void *context, const struct treewalk_entry *entry, struct error *err)
{
	struct checker *c = context;
	mode_t mode = entry->st.st_mode;

	if (S_ISLNK(mode))
		return take_entry(&c->lines, entry, err);
	if (!S_ISREG(mode) && !S_ISDIR(mode))
		say(c, "%s is neither a file nor a directory", entry->path);
	if (mode & (S_ISUID | S_ISGID))
		say(c, "%s has a set-id bit", entry->path);
	if (mode & (S_IWGRP | S_IWOTH))
		say(c, "%s may be written by others than its owner", entry->path);
	if (has_capabilities(entry))
		say(c, "%s has file capabilities", entry->path);
	return take_entry(&c->lines, entry, err);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(struct lines *lines)
{
	if (lines->n)
		qsort(lines->items, lines->n, sizeof(lines->items[0]), by_text);
}

static void compare(struct checker *c, struct lines *listed)
{
	size_t i = 0, j = 0;

	sort(listed);
	sort(&c->lines);
	while (i < listed->n || j < c->lines.n) {
		int order = i == listed->n    ? 1
			    : j == c->lines.n ? -1
					      : strcmp(listed->items[i], c->lines.items[j]);

		if (order < 0)
			say(c, "listed, but changed or gone: %s", listed->items[i]);
		else if (order > 0)
			say(c, "there, but not listed so: %s", c->lines.items[j]);
		i += order <= 0;
		j += order >= 0;
	}
}

int manifest_check(int root, manifest_complain *complain, void *context, struct error *err)
{
	struct checker c = {.complain = complain, .context = context};
	own(lines) listed = {0};
	int result = -1;

	if (sha256_load(err) == 0 && load(root, &listed, err) == 0 &&
	    treewalk_visit(root, examine, &c, err) == 0) {
		compare(&c, &listed);
		result = c.found;
	}
	lines_end(&c.lines);
	return result;
}
