/* SPDX-License-Identifier: Apache-2.0 */
/* etcshared.c - one made-up /etc on the host, which every box lays its own overlay over.
 *
 * What is in it is the same for all boxes that show the host's programs: a few
 * small files, the loader's cache, the links of /etc/alternatives.  As files of
 * each box's own they take 64 KiB and a tenth of a millisecond.  Through an overlay a box has
 * inodes of its own, so that no lock and no watch crosses from one to another (a futex does).  That
 * overlay is the one of /usr, where it is the upper of two layers: one more
 * file system in each box is dear (devices.c).
 *
 * Its name says what it was made from, so that a change of the host's makes
 * another one.  Whoever uses one has it locked; one that nobody has is removed
 * when the next is made.
 */
#include "sandbox/native/etcshared.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/etcfiles.h"
#include "sandbox/native/filemark.h"
#include "sandbox/native/identity.h"
#include "sandbox/native/treewalk.h"

enum {
	LINKS_MAX = 4096,
	TRIES = 4,  /* while others make and remove the same one */
	LAYOUT = 2, /* another one when what is where changes */
};

static const char place[] = IDENTITY_PLACE;
static const char prefix[] = "etc-";

static void own_dir_end(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}
#define own_dir __attribute__((cleanup(own_dir_end))) DIR *

/* Its name. */

static int stir_file(uint64_t *hash, const char *path, struct error *err)
{
	struct filemark mark = {0};
	struct stat st;

	if (lstat(path, &st) == 0)
		mark = filemark_of(&st);
	else if (errno != ENOENT)
		return fail_sys(err, "look at %s", path);
	*hash = filemark_hash(*hash, &mark, sizeof(mark));
	return 0;
}

static int choose_name(char *ret, size_t room, struct error *err)
{
	const uint64_t what[] = {etcfiles_texts_hash(), LAYOUT};
	uint64_t hash = filemark_hash(filemark_hash_begin(), what, sizeof(what));

	if (stir_file(&hash, "/etc/ld.so.cache", err) < 0 ||
	    stir_file(&hash, "/etc/alternatives", err) < 0)
		return -1;
	(void)snprintf(ret, room, "%s%016" PRIx64, prefix, hash);
	return 0;
}

/* Using it. */

enum found { FOUND_NOT = 0, FOUND_FOREIGN, FOUND };

/* Nobody but root has written to it or may, and everybody may look into it. */
static bool is_ours(const struct stat *st)
{
	return S_ISDIR(st->st_mode) && st->st_uid == 0 &&
	       (st->st_mode & (S_IWGRP | S_IWOTH)) == 0 && (st->st_mode & S_IXOTH) != 0;
}

static bool is_there(int dir)
{
	struct stat st;

	return fstat(dir, &st) == 0 && st.st_nlink > 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Locked as long as somebody has the descriptor open.  One that is going is not there: who removes
 * it has it locked or, if he was killed on the way, has taken its name away. */
static int use(int parent, const char *name, int *ret, struct error *err)
{
	own_fd dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st, named;

	if (dir < 0)
		return errno == ENOENT ? FOUND_NOT : fail_sys(err, "open %s/%s", place, name);
	if (flock(dir, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? FOUND_NOT : fail_sys(err, "lock %s", name);
	if (fstat(dir, &st) < 0)
		return fail_sys(err, "look at %s", name);
	if (fstatat(parent, name, &named, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? FOUND_NOT : fail_sys(err, "look at %s", name);
	if (!is_same(&st, &named))
		return FOUND_NOT;
	/* What a box will have as its /etc is by name in there: no link leads elsewhere. */
	if (!is_ours(&st))
		return FOUND_FOREIGN;
	if (fstatat(dir, ETCSHARED_NAME, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? FOUND_FOREIGN : fail_sys(err, "look into %s", name);
	if (!is_ours(&st))
		return FOUND_FOREIGN;
	*ret = take_fd(&dir);
	return FOUND;
}

/* Making it. */

static int copy_link(int from, int to, const char *name)
{
	char where[PATH_MAX];
	ssize_t n = readlinkat(from, name, where, sizeof(where) - 1);

	if (n < 0)
		return errno == EINVAL ? 0 : -1; /* no link: nobody needs it to find a program */
	where[n] = '\0';
	return symlinkat(where, to, name);
}

static int copy_alternatives(int to, struct error *err)
{
	own_dir from = opendir("/etc/alternatives");
	own_fd dir = -1;
	const struct dirent *entry;
	int n = 0;

	if (!from)
		return errno == ENOENT ? 0 : fail_sys(err, "open /etc/alternatives");
	if (mkdirat(to, "alternatives", 0755) < 0)
		return fail_sys(err, "make alternatives");
	dir = openat(to, "alternatives", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 || fchmod(dir, 0755) < 0)
		return fail_sys(err, "open alternatives");
	while ((entry = readdir(from)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		if (++n > LINKS_MAX || copy_link(dirfd(from), dir, entry->d_name) < 0)
			return fail_sys(err, "copy /etc/alternatives");
	}
	return 0;
}

static int fill(int top, struct error *err)
{
	own_fd dir = -1;

	if (mkdirat(top, ETCSHARED_NAME, 0755) < 0)
		return fail_sys(err, "make %s", ETCSHARED_NAME);
	dir = openat(top, ETCSHARED_NAME, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 || etcfiles_write(dir, err) < 0 || etcfiles_copy_cache(dir, err) < 0 ||
	    copy_alternatives(dir, err) < 0)
		return -1;
	return fchmod(dir, 0755) < 0 || fchmod(top, 0755) < 0 ? fail_sys(err, "open it for all")
							      : 0;
}

/* Under another name until it is whole; locked, so that nobody takes it for a leftover.  A number
 * of ours may be somebody else's, in another pid namespace or a while ago. */
static int make(int parent, const char *name, struct error *err)
{
	char young[NAME_MAX];
	struct error ignored = {0};
	uint64_t any;
	own_fd dir = -1;
	int result = -1;

	if (getrandom(&any, sizeof(any), 0) != sizeof(any))
		return fail_sys(err, "draw a name");
	(void)snprintf(young, sizeof(young), ".%s-%016" PRIx64, name, any);
	if (mkdirat(parent, young, 0700) < 0)
		return fail_sys(err, "make %s/%s", place, young);
	dir = openat(parent, young, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 || flock(dir, LOCK_EX | LOCK_NB) < 0)
		(void)fail_sys(err, "open %s/%s", place, young);
	else if (fill(dir, err) == 0)
		result = renameat(parent, young, parent, name) < 0 ? fail_sys(err, "name %s", name)
								   : 0;
	if (result < 0)
		(void)treewalk_remove(parent, young, &ignored);
	/* Another one was quicker: that is as good. */
	return result < 0 && (err->sys == EEXIST || err->sys == ENOTEMPTY) ? 0 : result;
}

static bool is_one(const char *name)
{
	return strncmp(name[0] == '.' ? name + 1 : name, prefix, sizeof(prefix) - 1) == 0;
}

/* Under a name that nobody takes for a whole one: who removes it may be killed on the way. */
static void take_away(int parent, const char *name)
{
	char going[NAME_MAX + 16];
	struct error ignored = {0};

	(void)snprintf(going, sizeof(going), ".%s-%d", name, (int)getpid());
	if (name[0] != '.' && renameat(parent, name, parent, going) < 0)
		return;
	(void)treewalk_remove(parent, name[0] != '.' ? going : name, &ignored);
}

/* What was made from files that have changed since, and who was killed while making one. */
static void sweep(int parent, const char *but)
{
	own_dir all = NULL;
	const struct dirent *entry;
	int copy = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	all = copy < 0 ? NULL : fdopendir(copy);
	if (!all) {
		own_fd_end(&copy);
		return;
	}
	while ((entry = readdir(all)) != NULL) {
		own_fd dir = -1;

		if (!is_one(entry->d_name) || strcmp(entry->d_name, but) == 0)
			continue;
		dir = openat(parent, entry->d_name,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		/* One that is gone already has left its name to another. */
		if (dir >= 0 && flock(dir, LOCK_EX | LOCK_NB) == 0 && is_there(dir))
			take_away(parent, entry->d_name);
	}
}

static bool has_grant_there(const struct profile *p)
{
	for (size_t i = 0; i < p->n_grants; i++)
		if (strncmp(p->grants[i].inside, "/etc", 4) == 0)
			return true;
	return false;
}

/* The host's programs, and nothing of this box's own beneath /etc. */
static bool fits(const struct plan *plan)
{
	const struct profile *p = plan->profile;

	return plan->root_mode && !p->root && p->warm.kind != WARM_NODE && !has_grant_there(p);
}

/* Whoever sweeps may take one for a leftover that its maker has not locked yet. */
static int find_or_make(int parent, const char *name, int *ret, struct error *err)
{
	int found = use(parent, name, ret, err), made = 0;

	for (int i = 0; i < TRIES && found == FOUND_NOT; i++) {
		made = make(parent, name, err);
		if (made < 0)
			continue;
		sweep(parent, name);
		found = use(parent, name, ret, err);
	}
	if (found != FOUND_NOT || made < 0)
		return found != FOUND_NOT ? found : -1;
	return fail(err, ERR_SYSTEM, "%s/%s goes as soon as it is made", place, name);
}

int etcshared_find(struct plan *plan, struct error *err)
{
	own_fd parent = -1;
	struct stat st;
	char name[32];
	int found;

	if (!fits(plan))
		return 0;
	parent = open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (parent < 0 || fstat(parent, &st) < 0)
		return fail_sys(err, "open %s", place);
	if (!is_ours(&st))
		return 0;
	if (choose_name(name, sizeof(name), err) < 0)
		return fail_in(err, "an /etc for boxes");
	found = find_or_make(parent, name, &plan->etc, err);
	if (found < 0)
		return fail_in(err, "an /etc for boxes");
	if (found == FOUND)
		(void)snprintf(plan->etc_path, sizeof(plan->etc_path), "%s/%s", place, name);
	return 0;
}
