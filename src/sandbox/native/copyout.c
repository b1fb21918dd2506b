/* SPDX-License-Identifier: Apache-2.0 */
/* copyout.c - takes files out of a box's /work after everything in it is dead.
 *
 * The tree was made by somebody who may want us to read or write elsewhere, to wait, or to fill the
 * host.  So: a stack of directory descriptors instead of recursion, one openat2() per file that
 * leaves the tree by no road, every fact taken from fstat() on what was opened, every byte counted
 * while it is read, and a ceiling on everything that is counted.  Names come out escaped: no byte
 * of theirs is special to a terminal or a script on the host.
 */
#include "sandbox/native/copyout.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/glob.h"
#include "base/own.h"
#include "base/sha256.h"
#include "base/text.h"
#include "sandbox/native/beneath.h"
#include "sandbox/native/outdir.h"
#include "sandbox/native/outname.h"
#include "sandbox/native/pour.h"

enum { FILES_MAX = 10000, NAMES_MAX = 1 << 20 };

/* A directory being read, and where in the name its entries begin. */
struct level {
	DIR *dir;
	size_t name_at;
};

struct walk {
	const char *glob;
	const struct copyout_caps *caps;
	struct account *account;
	struct trustdir *outdir; /* NULL: heap */
	int heap;
	struct level levels[COPYOUT_DEPTH_MAX];
	size_t depth;
	char name[PATH_MAX]; /* of the entry at hand, relative to /work */
	size_t entries;
	uint64_t total_bytes;
	uint64_t names_bytes; /* of the names in the account */
	bool matched;
	bool matched_directory;
	bool stopped; /* a ceiling was reached and the account says so */
};

static void walk_end(struct walk *w)
{
	while (w->depth > 0)
		(void)closedir(w->levels[--w->depth].dir);
}

void copyout_caps_for(const struct limits *limits, struct copyout_caps *ret)
{
	*ret = (struct copyout_caps){
		.file_bytes = limits->disk_bytes,
		.total_bytes = limits->disk_bytes,
		.files = FILES_MAX,
		.names_bytes = NAMES_MAX,
	};
}

/* The account owns a's name afterwards; on failure nobody does. */
static int keep(struct account *account, const struct artifact *a, struct error *err)
{
	size_t n = account->n_artifacts;

	if ((n & (n - 1)) == 0) { /* full: the room is the next power of two */
		struct artifact *more =
			reallocarray(account->artifacts, n ? 2 * n : 1, sizeof(*more));

		if (!more) {
			free(a->name);
			return fail_sys(err, "keep an account of %zu files", n + 1);
		}
		account->artifacts = more;
	}
	account->artifacts[account->n_artifacts++] = *a;
	return 0;
}

static int name_it(struct artifact *a, const char *name, struct error *err)
{
	a->name = strdup(name);
	return a->name ? 0 : fail_sys(err, "keep a file name");
}

/* The same for a name that the program chose. */
static int name_found(const struct walk *w, struct artifact *a, const char *name, struct error *err)
{
	if (name_it(a, name, err) < 0)
		return -1;
	if (outname_clean(w->caps->filter, a, err) == 0)
		return 0;
	free(a->name);
	return -1;
}

/* The last word about this glob, above the ceiling: the rest of the tree is not looked at. */
static int stop(struct walk *w, const char *why, struct error *err)
{
	struct artifact a = {0};

	w->stopped = true;
	artifact_refuse(&a, "%s", why);
	return name_it(&a, w->glob, err) < 0 ? -1 : keep(w->account, &a, err);
}

static bool account_is_full(const struct walk *w, const char *name)
{
	return w->account->n_artifacts >= w->caps->files ||
	       w->names_bytes + strlen(name) > w->caps->names_bytes;
}

static int stop_full(struct walk *w, struct error *err)
{
	if (w->account->n_artifacts < w->caps->files)
		return stop(w, "names too long in all: the rest was left, and is not listed", err);
	return stop(w, "too many files matched: the rest was left, and is not listed", err);
}

static int keep_refused(struct walk *w, const char *name, const char *why, struct error *err)
{
	struct artifact a = {0};

	if (account_is_full(w, name))
		return stop_full(w, err);
	w->names_bytes += strlen(name);
	if (name_found(w, &a, name, err) < 0)
		return -1;
	artifact_refuse(&a, "%s", why);
	return keep(w->account, &a, err);
}

static const char *judge_kind(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return NULL;
	case S_IFDIR:
		return "a directory";
	case S_IFLNK:
		return "a symbolic link";
	case S_IFIFO:
		return "a FIFO";
	case S_IFSOCK:
		return "a socket";
	case S_IFCHR:
	case S_IFBLK:
		return "a device";
	}
	return "not a regular file";
}

static void refuse_size(const struct walk *w, struct artifact *a, uint64_t size)
{
	char most[32];
	bool alone = size > w->caps->file_bytes;

	text_human_bytes(alone ? w->caps->file_bytes : w->caps->total_bytes, most, sizeof(most));
	a->size = size;
	artifact_refuse(a,
			alone ? "larger than %s, the most for one file"
			      : "over %s, the most for all files together",
			most);
}

static bool fits(const struct walk *w, uint64_t size)
{
	return size <= w->caps->file_bytes && w->total_bytes <= w->caps->total_bytes &&
	       size <= w->caps->total_bytes - w->total_bytes;
}

/* What was opened decides, not what a name promised. */
static int judge_opened(const struct walk *w, int fd, struct artifact *a, struct stat *ret_st)
{
	const char *kind;

	if (fstat(fd, ret_st) < 0) {
		artifact_refuse(a, "cannot be looked at: %s", strerror(errno));
		return -1;
	}
	kind = judge_kind(ret_st->st_mode);
	if (kind)
		artifact_refuse(a, "%s", kind);
	else if (ret_st->st_nlink != 1)
		artifact_refuse(a, "a hard link: it has %ju names", (uintmax_t)ret_st->st_nlink);
	else if (!fits(w, (uint64_t)ret_st->st_size))
		refuse_size(w, a, (uint64_t)ret_st->st_size);
	return a->refused[0] ? -1 : 0;
}

static uint64_t room_left(const struct walk *w)
{
	uint64_t left =
		w->total_bytes < w->caps->total_bytes ? w->caps->total_bytes - w->total_bytes : 0;

	return left < w->caps->file_bytes ? left : w->caps->file_bytes;
}

static int copy(struct walk *w, int from, const struct stat *st, struct artifact *a,
		struct error *err)
{
	own(outfile) file = {.dir = -1, .fd = -1};
	struct pour what = {.from = from, .most = room_left(w), .filter = w->caps->filter};
	bool over;

	if (outdir_begin(w->outdir, a, &file, err) < 0)
		return -1;
	if (a->refused[0])
		return 0;
	what.to = file.fd;
	if (pour(&what, a, &over, err) < 0)
		return -1;
	if (over) /* it grew since it was judged, or what was replaced made it longer */
		refuse_size(w, a, a->size);
	if (a->refused[0])
		return 0;
	if (outdir_commit(&file, st->st_mode & S_IXUSR ? 0755 : 0644, a, err) < 0)
		return -1;
	if (!a->refused[0])
		w->total_bytes += a->size;
	return 0;
}

/* Half a file is not left there. */
static int copy_to_heap(struct walk *w, int from, struct artifact *a, struct error *err)
{
	/* Who takes them from there has them redacted. */
	const struct pour what = {.from = from, .to = w->heap, .most = room_left(w)};
	off_t at = lseek(w->heap, 0, SEEK_END);
	bool over;

	if (at < 0)
		return fail_sys(err, "memory for files");
	a->at = (uint64_t)at;
	if (pour(&what, a, &over, err) < 0)
		return -1;
	if (over)
		refuse_size(w, a, a->size);
	if (a->refused[0])
		return ftruncate(w->heap, at) < 0 ? fail_sys(err, "memory for files") : 0;
	w->total_bytes += a->size;
	return 0;
}

/* Fills in the artifact for the entry at hand, of which lstat said mode. */
static int examine(struct walk *w, const char *entry, mode_t mode, struct artifact *a,
		   struct error *err)
{
	const char *kind = judge_kind(mode);
	own_fd fd = -1;
	struct stat st;

	if (kind) { /* not even opened: a FIFO or a device notices that */
		artifact_refuse(a, "%s", kind);
		return 0;
	}
	fd = beneath_open(dirfd(w->levels[w->depth - 1].dir), entry,
			  O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY, 0);
	if (fd < 0) {
		artifact_refuse(a, "cannot be opened: %s", strerror(errno));
		return 0;
	}
	if (judge_opened(w, fd, a, &st) < 0)
		return 0;
	return w->outdir ? copy(w, fd, &st, a, err) : copy_to_heap(w, fd, a, err);
}

static int take(struct walk *w, const char *entry, mode_t mode, struct error *err)
{
	struct artifact a = {0};

	w->matched = true;
	if (account_is_full(w, w->name))
		return stop_full(w, err);
	w->names_bytes += strlen(w->name);
	if (name_found(w, &a, w->name, err) < 0)
		return -1;
	if (!a.refused[0] && examine(w, entry, mode, &a, err) < 0) {
		free(a.name);
		return fail_in(err, "copy out '%.100s'", w->glob);
	}
	return keep(w->account, &a, err);
}

/* Makes an open directory the one to read; takes the descriptor. */
static int push(struct walk *w, int *fd, size_t name_at, struct error *err)
{
	DIR *dir = fdopendir(*fd);

	if (!dir)
		return fail_sys(err, "read a directory of the box");
	(void)take_fd(fd);
	w->levels[w->depth++] = (struct level){.dir = dir, .name_at = name_at};
	return 0;
}

/* The entry is a directory, w->name its name, and something beneath it may match. */
static int go_down(struct walk *w, const char *entry, struct error *err)
{
	own_fd fd = -1;

	if (w->depth == COPYOUT_DEPTH_MAX)
		return keep_refused(w, w->name, "too deep: not looked into", err);
	fd = beneath_open(dirfd(w->levels[w->depth - 1].dir), entry,
			  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0 && errno == EXDEV)
		return keep_refused(w, w->name, "another mount: not looked into", err);
	if (fd < 0)
		return keep_refused(w, w->name, "a directory that cannot be opened", err);
	return push(w, &fd, strlen(w->name), err);
}

/* Writes the entry's name behind those of its directories. */
static bool compose_name(struct walk *w, const char *entry)
{
	size_t at = w->levels[w->depth - 1].name_at, len = strlen(entry);
	size_t slash = at > 0;

	w->name[at] = '\0';
	if (at + slash + len + 1 > sizeof(w->name))
		return false;
	if (slash)
		w->name[at] = '/';
	memcpy(w->name + at + slash, entry, len + 1);
	return true;
}

static int visit(struct walk *w, const char *entry, struct error *err)
{
	bool wanted, below;
	struct stat st;

	if (++w->entries > COPYOUT_ENTRIES_MAX)
		return stop(w, "too many entries: the rest was not looked at", err);
	if (!compose_name(w, entry))
		return keep_refused(w, w->name, "longer names in it: not looked at", err);
	wanted = glob_match(w->glob, w->name);
	below = glob_may_enter(w->glob, w->name);
	if (!wanted && !below)
		return 0;
	if (fstatat(dirfd(w->levels[w->depth - 1].dir), entry, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return keep_refused(w, w->name, "it vanished", err);
	if (!S_ISDIR(st.st_mode))
		return wanted ? take(w, entry, st.st_mode, err) : 0;
	w->matched_directory = w->matched_directory || wanted;
	return below ? go_down(w, entry, err) : 0;
}

/* One step: the next entry of the deepest directory, or back up. */
static int step(struct walk *w, struct error *err)
{
	const struct dirent *entry;

	errno = 0;
	entry = readdir(w->levels[w->depth - 1].dir);
	if (!entry) {
		if (errno)
			return fail_sys(err, "read a directory of the box");
		(void)closedir(w->levels[--w->depth].dir);
		return 0;
	}
	if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
		return 0;
	return visit(w, entry->d_name, err);
}

static int by_name(const void *left, const void *right)
{
	const struct artifact *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static const char *judge_emptiness(const struct walk *w)
{
	size_t len = strlen(w->glob);

	if (!w->matched_directory)
		return "nothing matched";
	if (len >= 2 && strcmp(w->glob + len - 2, "**") == 0)
		return "only directories matched";
	return "only directories matched: add /** for the files in them";
}

static int walk_tree(struct walk *w, int work, struct error *err)
{
	own_fd root = beneath_open(work, ".", O_RDONLY | O_DIRECTORY, 0);
	size_t before = w->account->n_artifacts;

	if (root < 0)
		return fail_sys(err, "open /work of the box");
	if (push(w, &root, 0, err) < 0)
		return -1;
	while (w->depth > 0 && !w->stopped)
		if (step(w, err) < 0)
			return -1;
	if (!w->matched && !w->stopped && stop(w, judge_emptiness(w), err) < 0)
		return -1;
	/* Directories have no order; the account has one. */
	qsort(w->account->artifacts + before, w->account->n_artifacts - before,
	      sizeof(struct artifact), by_name);
	return 0;
}

int copyout_prepare(const char *glob, const char *dir, struct error *err)
{
	own(trustdir) found = {.fd = -1, .rest.dir = -1};

	if (glob_check(glob, err) < 0 || sha256_load(err) < 0)
		return -1;
	return outdir_open(dir, &found, err);
}

/* What is in the account already counts. */
static int collect(struct walk *w, int work, struct error *err)
{
	const struct account *account = w->account;

	if (glob_check(w->glob, err) < 0 || sha256_load(err) < 0)
		return -1;
	for (size_t i = 0; i < account->n_artifacts; i++) {
		w->names_bytes += strlen(account->artifacts[i].name);
		if (!account->artifacts[i].refused[0])
			w->total_bytes += account->artifacts[i].size;
	}
	return walk_tree(w, work, err);
}

int copyout_collect_into(int work, const char *glob, struct trustdir *outdir,
			 const struct copyout_caps *caps, struct account *account,
			 struct error *err)
{
	own(walk) w = {.glob = glob, .caps = caps, .account = account, .outdir = outdir};

	return collect(&w, work, err);
}

int copyout_into_heap(int work, const char *glob, int heap, const struct copyout_caps *caps,
		      struct account *account, struct error *err)
{
	own(walk) w = {.glob = glob, .caps = caps, .account = account, .heap = heap};

	return collect(&w, work, err);
}

int copyout_load(int heap, uint64_t there, struct artifact *a, struct error *err)
{
	size_t had = 0;

	if (a->at > there || a->size > there - a->at)
		return fail(err, ERR_INTERNAL, "the bytes of a file are not there");
	a->content = malloc(a->size + 1);
	if (!a->content)
		return fail_sys(err, "keep a file of %ju bytes", (uintmax_t)a->size);
	while (had < a->size) {
		ssize_t n = pread(heap, a->content + had, a->size - had, (off_t)(a->at + had));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail_sys(err, "read a file");
		had += (size_t)n;
	}
	a->content[had] = '\0';
	a->content_len = had;
	return 0;
}

int copyout_collect(int work, const char *glob, const char *dir, const struct copyout_caps *caps,
		    struct account *account, struct error *err)
{
	own(trustdir) outdir = {.fd = -1, .rest.dir = -1};

	if (glob_check(glob, err) < 0 || outdir_open(dir, &outdir, err) < 0)
		return -1;
	return copyout_collect_into(work, glob, &outdir, caps, account, err);
}
