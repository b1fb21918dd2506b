/* SPDX-License-Identifier: Apache-2.0 */
/* argpath.c - a file or directory of the host that a caller names.
 *
 * Compared part by part with the roots of its rule, so that /data is not the
 * beginning of /database; then opened by the kernel from the root on, through
 * no symbolic link and never upwards.  The descriptor is kept: what is mounted
 * must be the file that was judged, whatever the name means by then.
 *
 * Outside the roots nothing is looked at, so a refusal says nothing about what
 * is there.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/own.h"
#include "policy/argspot.h"

void path_grants_done(struct path_grants *g)
{
	for (size_t i = 0; i < g->n; i++) {
		own_fd_end(&g->list[i].fd);
		free((void *)g->list[i].path);
	}
	*g = (struct path_grants){0};
}

const char *path_complaint(const char *path)
{
	const char *end;

	if (path[0] != '/')
		return "is not absolute: it begins with '/'";
	if (strlen(path) > ARG_PATH_MAX)
		return "is longer than 1023 bytes";
	for (const char *part = path + 1;; part = end + 1) {
		size_t len;

		end = strchrnul(part, '/');
		len = (size_t)(end - part);
		if (len == 0)
			return "has an empty part: two slashes, or one at its end";
		if ((len == 1 && part[0] == '.') || (len == 2 && memcmp(part, "..", 2) == 0))
			return "has a '.' or '..' part";
		if (*end && part[len - 1] == ':') /* a grant is written SOURCE:INSIDE */
			return "has a part that ends in ':'";
		if (!*end)
			return NULL;
	}
}
static_assert(ARG_PATH_MAX == 1023, "path_complaint() says so in words");

/* What follows the root in path: "" for the root itself; NULL: it is not beneath it. */
static const char *rest_beneath(const char *path, const char *root)
{
	size_t len = strlen(root);

	if (strncmp(path, root, len) != 0)
		return NULL;
	if (path[len] == '/')
		return path + len + 1;
	return path[len] == '\0' ? path + len : NULL;
}

static bool matches_a_glob(const struct arg_rule *rule, const char *rest)
{
	for (size_t i = 0; i < rule->globs.n; i++)
		if (glob_match(rule->globs.word[i], rest))
			return true;
	return rule->globs.n == 0;
}

static int open_beneath(int dir, const char *path, uint64_t resolve)
{
	/* Not O_NOFOLLOW: together with O_PATH it would open a link instead of refusing it. */
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = resolve};

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

int path_open_root(const char *root)
{
	return open_beneath(AT_FDCWD, root, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

/* Why it cannot be opened, about a name beneath a root. */
static enum answer deny_open(struct judging *j, const struct spot *s, int error)
{
	switch (error) {
	case ELOOP:
		return spot_deny(j, s, WHY_FILE, "under",
				 "goes through a symbolic link; links are not followed here");
	case ENOENT:
	case ENOTDIR:
		(void)spot_deny(j, s, WHY_FILE, "under", "does not exist");
		why_retry(j->why, 0);
		return ANSWER_DENY;
	case EXDEV:
		return spot_deny(j, s, WHY_FILE, "under", "leaves its directory");
	default:
		(void)spot_deny(j, s, WHY_FILE, "under", "cannot be opened");
		why_retry(j->why, 0);
		return ANSWER_DENY;
	}
}

static enum answer check_kind(struct judging *j, const struct spot *s, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return deny_open(j, s, errno);
	if (S_ISREG(st.st_mode))
		return ANSWER_ALLOW;
	if (!S_ISDIR(st.st_mode))
		return spot_deny(j, s, WHY_FILE, "under", "is neither a file nor a directory");
	/* A mounted directory shows everything in it, whatever it is called. */
	if (s->rule->globs.n > 0)
		return spot_deny(j, s, WHY_FILE, "match", "is a directory; name a file in it");
	return ANSWER_ALLOW;
}

static enum answer keep_grant(struct judging *j, const struct spot *s, const char *path, int *fd)
{
	struct path_grants *g = j->grants;
	char *copy;

	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->list[i].path, path) == 0)
			return ANSWER_ALLOW;
	if (g->n == PATH_GRANTS_MAX)
		return spot_deny(j, s, WHY_POLICY, "type", "is one path too many; a call takes %d",
				 PATH_GRANTS_MAX);
	copy = strdup(path);
	if (!copy)
		return spot_give_up(j);
	g->list[g->n++] = (struct path_grant){.path = copy, .fd = take_fd(fd)};
	return ANSWER_ALLOW;
}

/* rest is beneath root, by its name. */
static enum answer judge_beneath(struct judging *j, const struct spot *s, const char *root,
				 const char *rest, const char *path)
{
	own_fd dir = -1, fd = -1;

	if (!matches_a_glob(s->rule, rest))
		return spot_deny(j, s, WHY_POLICY, "match", "is not a name that is allowed here");
	if (j->at_load)
		return ANSWER_ALLOW;
	dir = path_open_root(root);
	if (dir < 0) {
		(void)spot_deny(j, s, WHY_FILE, "under",
				"is beneath a directory that is not there");
		why_retry(j->why, 0);
		return ANSWER_DENY;
	}
	fd = open_beneath(dir, *rest ? rest : ".",
			  RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	if (fd < 0)
		return deny_open(j, s, errno);
	if (check_kind(j, s, fd) == ANSWER_DENY)
		return ANSWER_DENY;
	return keep_grant(j, s, path, &fd);
}

enum answer value_judge_path(struct judging *j, const struct spot *s, const json_t *value,
			     json_t **ret)
{
	const char *path = json_string_value(value), *wrong;
	bool beneath = false;

	if (value_check_text(j, s, value) == ANSWER_DENY)
		return ANSWER_DENY;
	wrong = path_complaint(path);
	if (wrong)
		return spot_deny(j, s, WHY_POLICY, "type", "%s", wrong);
	if (value_check_pattern(j, s, path, strlen(path)) == ANSWER_DENY)
		return ANSWER_DENY;
	for (size_t i = 0; i < s->rule->under.n; i++) {
		const char *root = s->rule->under.word[i], *rest = rest_beneath(path, root);

		if (!rest)
			continue;
		beneath = true;
		if (judge_beneath(j, s, root, rest, path) == ANSWER_DENY)
			continue; /* another root may have it; else the last refusal stands */
		*ret = json_string(path);
		return *ret ? ANSWER_ALLOW : spot_give_up(j);
	}
	return beneath ? ANSWER_DENY
		       : spot_deny(j, s, WHY_POLICY, "under",
				   "is outside the directories of this argument");
}
