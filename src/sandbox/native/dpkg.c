/* SPDX-License-Identifier: Apache-2.0 */
/* dpkg.c - which files belong together, by Debian's package database. */
#include "sandbox/native/dpkg.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/own.h"

enum { LIST_BYTES_MAX = 32 << 20 };

static void dir_end(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

/* The whole list; every path in it ends with a newline. */
static int load(int dir, const char *name, char **ret_text, struct error *err)
{
	own_fd fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	own_str text = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fail_sys(err, "open %s", name);
	if (st.st_size > LIST_BYTES_MAX)
		return fail(err, ERR_CONFIG, "%s is larger than %d bytes", name, LIST_BYTES_MAX);
	text = malloc((size_t)st.st_size + 2);
	if (!text)
		return fail_sys(err, "read %s", name);
	n = fd_read_all(fd, text, (size_t)st.st_size, err);
	if (n < 0)
		return fail_in(err, "%s", name);
	text[n] = '\n';
	text[n + 1] = '\0';
	*ret_text = TAKE(text);
	return 0;
}

/* Packages from before the merge of /bin into /usr/bin name the old place. */
static bool lists(const char *text, const char *path)
{
	static const char usr[] = "/usr/";
	bool merged = strncmp(path, usr, strlen(usr)) == 0;
	const char *const names[] = {path, merged ? path + strlen(usr) - 1 : path};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t len = strlen(names[i]);

		for (const char *at = text; (at = strstr(at, names[i])); at += len)
			if ((at == text || at[-1] == '\n') && at[len] == '\n')
				return true;
	}
	return false;
}

static int hand_out(char *text, dpkg_take *take, void *context, struct error *err)
{
	for (char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		bool more = line[len] != '\0';

		line[len] = '\0';
		if (line[0] == '/' && line[1] && take(context, line, err) < 0)
			return -1;
		line += len + more;
	}
	return 0;
}

static bool is_list(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && strcmp(name + len - 5, ".list") == 0;
}

int dpkg_siblings(const char *info, const char *path, dpkg_take *take, void *context,
		  struct error *err)
{
	__attribute__((cleanup(dir_end))) DIR *dir = opendir(info);
	struct dirent *entry;

	if (!dir)
		return errno == ENOENT ? 0 : fail_sys(err, "open %s", info);
	while ((entry = readdir(dir))) {
		own_str text = NULL;

		if (!is_list(entry->d_name))
			continue;
		if (load(dirfd(dir), entry->d_name, &text, err) < 0)
			return fail_in(err, "%s", info);
		if (lists(text, path))
			return hand_out(text, take, context, err) < 0 ? -1 : 1;
	}
	return 0;
}
