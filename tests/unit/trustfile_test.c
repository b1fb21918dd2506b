/* SPDX-License-Identifier: Apache-2.0 */
#include "base/trustfile.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/own.h"
#include "scratch.h"
#include "tap.h"

static const char *in(const struct scratch *s, const char *name)
{
	static char paths[4][160];
	static size_t at;
	char *path = paths[at++ % 4];

	(void)snprintf(path, sizeof(paths[0]), "%s/%s", s->path, name);
	return path;
}

static void put(const struct scratch *s, const char *name, mode_t mode)
{
	own_fd fd = open(in(s, name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	CHECK(fd >= 0 && write(fd, "x", 1) == 1 && fchmod(fd, mode) == 0);
}

static bool opens(const char *path)
{
	struct error err = {0};
	own_fd fd = trustfile_open(path, &err);
	char c = 0;

	if (fd < 0)
		printf("# %s\n", err.text);
	return fd >= 0 && read(fd, &c, 1) == 1 && c == 'x';
}

static bool refuses(const char *path, enum error_kind kind, const char *words)
{
	struct error err = {0};
	own_fd fd = trustfile_open(path, &err);

	if (fd < 0 && err.kind == kind && strstr(err.text, words))
		return true;
	printf("# %s: %s\n", path, fd < 0 ? err.text : "opened");
	return false;
}

TEST(a_file_of_ours_is_opened)
{
	own(scratch) s = scratch_make();

	put(&s, "f", 0644);
	CHECK(opens(in(&s, "f")));
	CHECK(fchdir(s.fd) == 0 && opens("f") && opens("./f"));
}

TEST(a_file_that_is_not_there_is_not_found)
{
	own(scratch) s = scratch_make();

	CHECK(refuses(in(&s, "f"), ERR_NOT_FOUND, "No such file"));
	CHECK(refuses("", ERR_NOT_FOUND, "No such file"));
}

TEST(a_file_that_others_may_write_is_refused)
{
	own(scratch) s = scratch_make();

	put(&s, "g", 0664);
	put(&s, "o", 0646);
	CHECK(refuses(in(&s, "g"), ERR_CONFIG, "chmod go-w"));
	CHECK(refuses(in(&s, "o"), ERR_CONFIG, "chmod go-w"));
}

TEST(a_file_of_somebody_else_is_refused)
{
	own(scratch) s = scratch_make();

	if (geteuid() != 0)
		SKIP("only root can give a file away");
	put(&s, "f", 0644);
	CHECK(chown(in(&s, "f"), 4711, 4711) == 0);
	CHECK(refuses(in(&s, "f"), ERR_CONFIG, "belongs to user 4711"));
}

TEST(a_directory_that_others_may_write_is_refused_unless_it_is_sticky)
{
	own(scratch) s = scratch_make();

	CHECK(mkdir(in(&s, "d"), 0700) == 0);
	put(&s, "d/f", 0644);
	CHECK(chmod(in(&s, "d"), 0777) == 0);
	CHECK(refuses(in(&s, "d/f"), ERR_CONFIG, "directory on the way"));
	CHECK(chmod(in(&s, "d"), 01777) == 0 && opens(in(&s, "d/f")));
}

TEST(a_directory_of_somebody_else_is_refused_however_it_is_reached)
{
	own(scratch) s = scratch_make();

	if (geteuid() != 0)
		SKIP("only root can give a directory away");
	CHECK(mkdir(in(&s, "d"), 0755) == 0);
	put(&s, "d/f", 0644);
	put(&s, "f", 0644);
	CHECK(chown(in(&s, "d"), 4711, 4711) == 0);
	CHECK(refuses(in(&s, "d/f"), ERR_CONFIG, "belongs to user 4711"));
	CHECK(refuses(in(&s, "d/../f"), ERR_CONFIG, "belongs to user 4711"));
	CHECK(symlink("d/f", in(&s, "link")) == 0);
	CHECK(refuses(in(&s, "link"), ERR_CONFIG, "belongs to user 4711"));
}

TEST(links_of_ours_are_followed_and_those_of_others_are_not)
{
	own(scratch) s = scratch_make();

	put(&s, "f", 0644);
	CHECK(symlink("f", in(&s, "link")) == 0 && opens(in(&s, "link")));
	CHECK(symlink(in(&s, "f"), in(&s, "long")) == 0 && opens(in(&s, "long")));
	CHECK(symlink("round", in(&s, "round")) == 0);
	CHECK(refuses(in(&s, "round"), ERR_CONFIG, "Too many levels"));
	if (geteuid() != 0)
		return;
	CHECK(lchown(in(&s, "link"), 4711, 4711) == 0);
	CHECK(refuses(in(&s, "link"), ERR_CONFIG, "link on the way belongs to user 4711"));
}

TEST(only_regular_files_are_opened)
{
	own(scratch) s = scratch_make();

	CHECK(mkfifo(in(&s, "fifo"), 0600) == 0);
	CHECK(refuses(in(&s, "fifo"), ERR_CONFIG, "not a regular file"));
	CHECK(refuses(s.path, ERR_CONFIG, "not a regular file"));
	CHECK(refuses("/dev/zero", ERR_CONFIG, "not a regular file"));
}

TEST(a_directory_is_opened_by_the_same_rules)
{
	own(scratch) s = scratch_make();
	own_fd fd = -1;
	struct error err;

	put(&s, "f", 0644);
	CHECK(trustfile_open_directory(in(&s, "f"), &err) < 0 && strstr(err.text, "not a dir"));
	CHECK(trustfile_open_directory(in(&s, "no"), &err) < 0 && err.kind == ERR_NOT_FOUND);
	CHECK(mkdir(in(&s, "d"), 0700) == 0 && chmod(in(&s, "d"), 0777) == 0);
	CHECK(trustfile_open_directory(in(&s, "d"), &err) < 0 && strstr(err.text, "chmod go-w"));
	CHECK(chmod(in(&s, "d"), 0755) == 0);
	fd = trustfile_open_directory(in(&s, "d"), &err);
	CHECK(fd >= 0);
}
