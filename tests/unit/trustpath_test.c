/* SPDX-License-Identifier: Apache-2.0 */
/* Which links count on the way to a file of the host. */
#include "sandbox/native/trustpath.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/own.h"
#include "scratch.h"
#include "tap.h"

static const char *in(const struct scratch *s, const char *name)
{
	static char path[4][256];
	static unsigned next;
	char *ret = path[next++ % 4];

	(void)snprintf(ret, sizeof(path[0]), "%s/%s", s->path, name);
	return ret;
}

static void put(const struct scratch *s, const char *name, const char *text)
{
	own_fd fd = openat(s->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	struct error err;

	CHECK(fd >= 0 && fd_write_all(fd, text, strlen(text), &err) == 0);
}

static bool reads(const char *path, const char *text)
{
	struct error err = {0};
	own_fd fd = trustpath_open(path, O_RDONLY, &err);
	char got[64] = "";

	return fd >= 0 && fd_read_all(fd, got, sizeof(got) - 1, &err) >= 0 &&
	       strcmp(got, text) == 0;
}

static bool refuses(const char *path, int flags, const char *words)
{
	struct error err = {0};
	own_fd fd = trustpath_open(path, flags, &err);

	if (fd < 0 && err.kind == ERR_CALLER && strstr(err.text, words))
		return true;
	printf("# %s: %d, %s\n", path, fd, err.text);
	return false;
}

TEST(a_plain_path_opens)
{
	own(scratch) s = scratch_make();

	CHECK(mkdirat(s.fd, "dir", 0755) == 0);
	put(&s, "dir/file", "hello");
	CHECK(reads(in(&s, "dir/file"), "hello"));
	CHECK(reads(in(&s, "dir/../dir//./file"), "hello"));
	CHECK(fchdir(s.fd) == 0);
	CHECK(reads("dir/file", "hello"));
	CHECK(reads("./dir/../dir/file", "hello"));
}

TEST(what_is_not_there_is_named)
{
	own(scratch) s = scratch_make();

	put(&s, "file", "");
	CHECK(refuses(in(&s, "none"), O_RDONLY, "none: No such file"));
	CHECK(refuses(in(&s, "none/file"), O_PATH, "No such file"));
	CHECK(refuses(in(&s, "file/x"), O_PATH, "Not a directory"));
	CHECK(refuses(in(&s, "file/"), O_PATH, "Not a directory"));
	CHECK(refuses("", O_PATH, "No such file"));
}

/* As root this link is root's, in a directory of root's: just what a box leaves in a grant. */
TEST(a_link_is_refused_and_named_with_its_target)
{
	own(scratch) s = scratch_make();

	CHECK(symlinkat("/etc/hostname", s.fd, "link") == 0);
	CHECK(refuses(in(&s, "link"), O_RDONLY, "link is a symbolic link to /etc/hostname"));
	CHECK(refuses(in(&s, "link"), O_PATH, "name /etc/hostname instead"));
}

TEST(a_link_on_the_way_is_refused)
{
	own(scratch) s = scratch_make();

	CHECK(symlinkat("/etc", s.fd, "sub") == 0);
	CHECK(refuses(in(&s, "sub/hostname"), O_RDONLY, "sub is a symbolic link to /etc"));
	CHECK(refuses(in(&s, "sub/"), O_PATH | O_DIRECTORY, "sub is a symbolic link"));
	CHECK(refuses(in(&s, "sub/.."), O_PATH, "sub is a symbolic link"));
	CHECK(fchdir(s.fd) == 0);
	CHECK(refuses("sub/hostname", O_RDONLY, "sub is a symbolic link to /etc"));
}

TEST(links_in_a_circle_and_to_nowhere_are_refused)
{
	own(scratch) s = scratch_make();

	CHECK(symlinkat("circle", s.fd, "circle") == 0);
	CHECK(symlinkat("nowhere", s.fd, "dangling") == 0);
	CHECK(refuses(in(&s, "circle"), O_PATH, "circle is a symbolic link"));
	CHECK(refuses(in(&s, "dangling"), O_PATH, "dangling is a symbolic link"));
}

TEST(control_characters_of_a_link_do_not_reach_the_terminal)
{
	own(scratch) s = scratch_make();

	CHECK(symlinkat("/a\033[2Jb", s.fd, "link") == 0);
	CHECK(refuses(in(&s, "link"), O_PATH, "/a\\x1b[2Jb"));
}

TEST(magic_links_are_refused)
{
	CHECK(refuses("/proc/self/root", O_PATH, "symbolic link"));
	CHECK(refuses("/proc/self/fd/0", O_PATH, "symbolic link"));
}

static bool is_system_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid == 0;
}

TEST(links_of_the_system_count)
{
	static const char *const links[] = {"/bin", "/lib", "/sbin", "/var/run", "/var/lock"};
	size_t seen = 0;

	for (size_t i = 0; i < ARRAY_LEN(links); i++) {
		struct error err = {0};
		struct stat by_us, by_kernel;
		own_fd fd = -1;

		if (!is_system_link(links[i]) || stat(links[i], &by_kernel) < 0)
			continue;
		seen++;
		fd = trustpath_open(links[i], O_PATH, &err);
		CHECK(fd >= 0 && fstat(fd, &by_us) == 0);
		CHECK(by_us.st_ino == by_kernel.st_ino && by_us.st_dev == by_kernel.st_dev);
	}
	if (!seen)
		SKIP("no links in / or /var here");
}

TEST(a_file_behind_a_link_of_the_system_opens)
{
	struct error err = {0};
	own_str name = NULL;
	own_fd fd = -1;

	if (!is_system_link("/bin") || is_system_link("/bin/cat"))
		SKIP("/bin is no link here");
	fd = trustpath_open("/bin/../bin/cat", O_RDONLY, &err);
	CHECK(fd >= 0 && fd_name(fd, &name, &err) == 0);
	CHECK_STR(name, "/usr/bin/cat");
}

TEST(directories_are_made)
{
	own(scratch) s = scratch_make();
	struct error err = {0};
	own(trustdir) d = {.fd = -1, .rest.dir = -1}, again = d;
	struct stat there, opened;

	CHECK(mkdirat(s.fd, "a", 0755) == 0);
	CHECK(trustdir_find(in(&s, "a/b/c/"), &d, &err) == 0 && d.fd < 0);
	CHECK(faccessat(s.fd, "a/b", F_OK, 0) < 0 && errno == ENOENT);
	CHECK(trustdir_make(&d, &err) >= 0 && fstat(d.fd, &opened) == 0);
	CHECK(trustdir_find(in(&s, "a/b/c/"), &again, &err) == 0 && again.fd >= 0);
	CHECK(trustdir_make(&d, &err) == d.fd);
	CHECK(fstatat(s.fd, "a/b/c", &there, 0) == 0 && there.st_ino == opened.st_ino);
}

TEST(no_directory_is_made_behind_a_link)
{
	own(scratch) s = scratch_make();
	own(trustdir) d = {.fd = -1, .rest.dir = -1};
	struct error err = {0};

	CHECK(mkdirat(s.fd, "other", 0755) == 0 && symlinkat("other", s.fd, "link") == 0);
	CHECK(trustdir_find(in(&s, "link/a"), &d, &err) < 0);
	CHECK(err.kind == ERR_CALLER && strstr(err.text, "link is a symbolic link to other"));
	CHECK(faccessat(s.fd, "other/a", F_OK, 0) < 0 && errno == ENOENT);
	CHECK(trustdir_find(in(&s, "link"), &d, &err) < 0);
}

TEST(what_becomes_a_link_meanwhile_is_not_followed)
{
	own(scratch) s = scratch_make();
	own(trustdir) d = {.fd = -1, .rest.dir = -1}, moved = d;
	struct error err = {0};

	CHECK(mkdirat(s.fd, "other", 0755) == 0 && mkdirat(s.fd, "up", 0755) == 0);
	CHECK(trustdir_find(in(&s, "up/new"), &d, &err) == 0);
	CHECK(symlinkat("../other", s.fd, "up/new") == 0);
	CHECK(trustdir_make(&d, &err) < 0 && strstr(err.text, "symbolic link"));
	CHECK(trustdir_make(&d, &err) < 0); /* and not something half way */
	/* A directory above that is another now: what was there counts. */
	CHECK(trustdir_find(in(&s, "up/more/deep"), &moved, &err) == 0);
	CHECK(renameat(s.fd, "up", s.fd, "old") == 0 && symlinkat("other", s.fd, "up") == 0);
	CHECK(trustdir_make(&moved, &err) >= 0);
	CHECK(faccessat(s.fd, "old/more/deep", F_OK, 0) == 0);
	CHECK(faccessat(s.fd, "other/more", F_OK, 0) < 0);
}

TEST(where_nothing_can_be_made_is_said_before)
{
	own(scratch) s = scratch_make();
	own(trustdir) d = {.fd = -1, .rest.dir = -1};
	struct error err = {0};
	int file = openat(s.fd, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	CHECK(file >= 0 && close(file) == 0);
	CHECK(trustdir_find(in(&s, "file"), &d, &err) < 0);
	CHECK(trustdir_find(in(&s, "file/a/b"), &d, &err) < 0);
	CHECK(trustdir_find("", &d, &err) < 0);
	CHECK(mkdirat(s.fd, "closed", 0555) == 0);
	if (geteuid() == 0)
		CHECK(seteuid(65534) == 0);
	CHECK(trustdir_find(in(&s, "closed/new"), &d, &err) < 0 && strstr(err.text, "closed/new"));
	CHECK(trustdir_find(in(&s, "closed"), &d, &err) < 0);
	if (getuid() == 0)
		CHECK(seteuid(0) == 0);
}
