/* SPDX-License-Identifier: Apache-2.0 */
/* etcrace_test.c - several who make, use and remove the /etc that boxes share, at the worst moment.
 *
 * flock() is this program's own: just before a certain lock is taken, somebody else does
 * something.  In a mount namespace of each test's own, with a /run of its own.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/own.h"
#include "sandbox/native/etcshared.h"
#include "sandbox/native/treewalk.h"
#include "tap.h"

#define PLACE "/run/belljar"

static int parent;
static char shared[64];       /* its name */
static int wanted_op;         /* before this lock... */
static void (*deed)(int dir); /* ...once */

int flock(int fd, int op)
{
	void (*now)(int) = deed;

	if (now && (op & ~LOCK_NB) == wanted_op) {
		deed = NULL;
		now(fd);
	}
	return (int)syscall(SYS_flock, fd, op);
}

static void before(int op, void (*what)(int dir))
{
	wanted_op = op;
	deed = what;
}

static bool is_name(const char *name)
{
	struct stat st;

	return fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static void must(bool truth, const char *what)
{
	if (!truth) {
		perror(what);
		abort();
	}
}

static void remove_all(const char *name)
{
	struct error err = {0};

	must(treewalk_remove(parent, name, &err) == 0, name);
}

static ino_t inode_of(int fd)
{
	struct stat st;

	must(fstat(fd, &st) == 0, "fstat");
	return st.st_ino;
}

/* As slotbuild.c asks; 0: it has one, 1: its own files, -1. */
static int find(struct plan *plan)
{
	static const struct profile profile;
	struct error err = {0};
	int result;

	*plan = (struct plan){.profile = &profile, .root_mode = true, .etc = -1};
	result = etcshared_find(plan, &err);
	if (result < 0)
		printf("# %s\n", err.text);
	return result < 0 ? -1 : plan->etc < 0;
}

/* What it was told to use is whole, is the one that it has locked, and nobody may remove it. */
static bool is_good(const struct plan *plan)
{
	char path[128];
	own_fd dir = open(plan->etc_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)snprintf(path, sizeof(path), "%s/" ETCSHARED_NAME "/passwd", plan->etc_path);
	if (plan->etc < 0 || dir < 0 || inode_of(dir) != inode_of(plan->etc) ||
	    access(path, R_OK) < 0)
		return false;
	return flock(dir, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

/* One is there, and nobody has it; or else nothing. */
static void begin(bool with_one)
{
	struct plan plan;

	if (geteuid() != 0 || unshare(CLONE_NEWNS) < 0)
		SKIP("only the host's root shares an /etc between boxes");
	must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "mount");
	must(mount("tmpfs", "/run", "tmpfs", 0, "mode=0755") == 0, "mount");
	must(mkdir(PLACE, 0755) == 0 && chmod(PLACE, 0755) == 0, PLACE);
	parent = open(PLACE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(find(&plan) == 0, "find");
	(void)snprintf(shared, sizeof(shared), "%s", strrchr(plan.etc_path, '/') + 1);
	(void)close(plan.etc);
	if (!with_one)
		remove_all(shared);
}

/* etc-* and .etc-* */
static int count(void)
{
	DIR *all = opendir(PLACE);
	const struct dirent *entry;
	int n = 0;

	must(all != NULL, PLACE);
	while ((entry = readdir(all)) != NULL)
		n += strstr(entry->d_name, "etc-") != NULL;
	(void)closedir(all);
	return n;
}

TEST(without_anybody_else_it_is_found_again)
{
	struct plan one, two;

	begin(true);
	CHECK(find(&one) == 0 && is_good(&one));
	CHECK(find(&two) == 0 && is_good(&two) && inode_of(one.etc) == inode_of(two.etc));
	CHECK(count() == 1);
}

static void sweep_whole(int dir)
{
	(void)dir;
	remove_all(shared);
}

TEST(one_that_is_removed_while_it_is_opened_is_made_again)
{
	struct plan plan;

	begin(true);
	before(LOCK_SH, sweep_whole);
	CHECK(find(&plan) == 0 && is_good(&plan));
	CHECK(!deed && count() == 1);
}

static void sweep_and_die(int dir)
{
	(void)dir;
	must(renameat(parent, shared, parent, ".etc-going-1") == 0, "rename");
	must(unlinkat(parent, ".etc-going-1/" ETCSHARED_NAME "/passwd", 0) == 0, "unlink");
}

TEST(one_whose_remover_was_killed_half_way_is_made_again)
{
	struct plan plan;

	begin(true);
	before(LOCK_SH, sweep_and_die);
	CHECK(find(&plan) == 0 && is_good(&plan));
	CHECK(!deed && count() == 1); /* and what was left is gone */
}

/* Another one who had opened it has locked it since: it is not swept. */
static void sweep_and_make(int dir)
{
	struct plan plan;

	sweep_and_die(dir);
	dir = openat(parent, ".etc-going-1", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(flock(dir, LOCK_SH | LOCK_NB) == 0, "flock");
	must(find(&plan) == 0, "make another");
	(void)close(plan.etc);
}

TEST(a_lock_is_on_the_one_that_has_the_name)
{
	struct plan plan;

	begin(true);
	before(LOCK_SH, sweep_and_make);
	CHECK(find(&plan) == 0 && is_good(&plan));
	CHECK(!deed);
}

/* Of a maker who has not locked his yet. */
static void sweep_young(int dir)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	n = readlink(link, path, sizeof(path) - 1);
	must(n > 0, link);
	path[n] = '\0';
	must(strstr(path, PLACE "/.etc-") == path, path);
	remove_all(path + sizeof(PLACE));
}

TEST(one_that_is_taken_for_a_leftover_is_made_again)
{
	struct plan plan;

	begin(false);
	before(LOCK_EX, sweep_young);
	CHECK(find(&plan) == 0 && is_good(&plan));
	CHECK(!deed && count() == 1);
}

static void make_too(int dir)
{
	struct plan plan;

	(void)dir;
	must(find(&plan) == 0, "make another");
	(void)close(plan.etc);
}

TEST(two_makers_leave_one)
{
	struct plan plan;

	begin(false);
	before(LOCK_EX, make_too);
	CHECK(find(&plan) == 0 && is_good(&plan));
	CHECK(!deed && count() == 1);
}

TEST(a_leftover_of_somebody_with_our_number_is_no_hindrance)
{
	struct plan plan;
	char name[128];

	begin(false);
	(void)snprintf(name, sizeof(name), ".%s-%d", shared, (int)getpid());
	must(mkdirat(parent, name, 0700) == 0, name);
	CHECK(find(&plan) == 0 && is_good(&plan));
	CHECK(!is_name(name));
}

/* Sweeping. */

#define OLD "etc-0000000000000000"

static int held = -1;

static void begin_with_old(void)
{
	begin(false);
	must(mkdirat(parent, OLD, 0755) == 0 && mkdirat(parent, OLD "/x", 0755) == 0, OLD);
}

static bool is_old(int dir)
{
	own_fd old = openat(parent, OLD, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return old >= 0 && inode_of(old) == inode_of(dir);
}

/* The maker's own lock comes first; the deed is for the other. */
static void when_old(int dir, void (*what)(int dir), void (*again)(int dir))
{
	if (!is_old(dir))
		deed = again;
	else
		what(dir);
}

static void hold(int dir)
{
	(void)dir;
	held = openat(parent, OLD, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(flock(held, LOCK_SH | LOCK_NB) == 0, "flock");
}

static void hold_old(int dir)
{
	when_old(dir, hold, hold_old);
}

static void replace(int dir)
{
	(void)dir;
	remove_all(OLD);
	must(mkdirat(parent, OLD, 0755) == 0, OLD);
	held = openat(parent, OLD, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(flock(held, LOCK_SH | LOCK_NB) == 0, "flock");
}

static void replace_old(int dir)
{
	when_old(dir, replace, replace_old);
}

TEST(an_old_one_that_nobody_has_is_removed)
{
	struct plan plan;

	begin_with_old();
	CHECK(find(&plan) == 0 && is_good(&plan));
	CHECK(!is_name(OLD) && count() == 1);
}

TEST(an_old_one_that_somebody_takes_just_then_stays)
{
	struct plan plan;

	begin_with_old();
	before(LOCK_EX, hold_old);
	CHECK(find(&plan) == 0 && is_good(&plan));
	CHECK(held >= 0 && is_name(OLD "/x"));
}

TEST(one_that_has_the_name_of_an_old_one_stays)
{
	struct plan plan;

	begin_with_old();
	before(LOCK_EX, replace_old);
	CHECK(find(&plan) == 0 && is_good(&plan));
	CHECK(held >= 0 && is_name(OLD));
}

/* Its remover holds it, and does not come to an end: nobody uses it. */
TEST(one_that_is_going_is_not_used)
{
	struct plan plan;
	own_fd dir = -1;

	begin(true);
	dir = openat(parent, shared, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(flock(dir, LOCK_EX | LOCK_NB) == 0, "flock");
	CHECK(find(&plan) != 0 && plan.etc < 0);
	CHECK(count() == 1);
	(void)flock(dir, LOCK_UN);
	CHECK(find(&plan) == 0 && is_good(&plan)); /* the twin */
}
