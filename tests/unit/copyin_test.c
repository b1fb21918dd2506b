/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/native/copyin.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/own.h"
#include "scratch.h"
#include "tap.h"

static bool path_refused(const char *path, const char *word)
{
	struct error err = {0};

	return copyin_check_path(path, &err) < 0 && err.kind == ERR_CALLER &&
	       strstr(err.text, word);
}

static int put_text(int work, const char *inside, const char *text, struct error *err)
{
	struct copyin_text t = {.data = text, .len = strlen(text), .mode = 0644};

	return copyin_bytes(work, inside, &t, geteuid(), getegid(), err);
}

static int put_file(int work, const char *inside, int source, struct error *err)
{
	return copyin_file(work, inside, source, geteuid(), getegid(), err);
}

static bool holds(int work, const char *inside, const char *text)
{
	char got[256] = "";
	struct error err;

	return fd_get_file(work, inside, got, sizeof(got), &err) == 0 && strcmp(got, text) == 0;
}

static mode_t mode_of(int work, const char *inside)
{
	struct stat st = {0};

	CHECK(fstatat(work, inside, &st, AT_SYMLINK_NOFOLLOW) == 0);
	return st.st_mode & 07777;
}

TEST(names_that_leave_work_are_refused)
{
	char deep[200] = "", longest[COPYIN_PATH_MAX + 1], part[300];
	struct error err;

	CHECK(path_refused("", "empty part"));
	CHECK(path_refused("/etc/passwd", "absolute"));
	CHECK(path_refused("a//b", "empty part"));
	CHECK(path_refused("a/", "empty part"));
	CHECK(path_refused("..", "'..'"));
	CHECK(path_refused("a/../../b", "'..'"));
	CHECK(path_refused("./a", "'.'"));
	for (size_t i = 0; i < 33; i++)
		memcpy(deep + 2 * i, "a/", 2);
	memcpy(deep + 66, "b", 2);
	CHECK(path_refused(deep, "deep"));
	CHECK(copyin_check_path(deep + 2, &err) == 0);
	memset(longest, 'a', sizeof(longest));
	longest[COPYIN_PATH_MAX] = '\0';
	CHECK(path_refused(longest, "longer"));
	memset(part, 'a', sizeof(part));
	part[256] = '\0';
	CHECK(path_refused(part, "255"));
	part[255] = '\0';
	CHECK(copyin_check_path(part, &err) == 0);
	CHECK(copyin_check_path("..a/b..", &err) == 0);
	CHECK(copyin_check_path("a\nb/\xff", &err) == 0);
}

TEST(bytes_arrive_with_their_directories)
{
	own(scratch) s = scratch_make();
	struct error err = {0};

	CHECK(put_text(s.fd, "main.py", "print(1)", &err) == 0);
	CHECK(put_text(s.fd, "data/in/x.csv", "1,2", &err) == 0);
	CHECK(put_text(s.fd, "data/in/y.csv", "", &err) == 0);
	CHECK(holds(s.fd, "main.py", "print(1)"));
	CHECK(holds(s.fd, "data/in/x.csv", "1,2"));
	CHECK(holds(s.fd, "data/in/y.csv", ""));
	CHECK(mode_of(s.fd, "data/in") == 0755);
}

TEST(the_umask_of_the_host_does_not_matter)
{
	own(scratch) s = scratch_make();
	struct error err;

	(void)umask(0777);
	CHECK(put_text(s.fd, "a/b", "x", &err) == 0);
	CHECK(mode_of(s.fd, "a") == 0755);
	CHECK(mode_of(s.fd, "a/b") == 0644);
	(void)umask(022);
}

TEST(a_file_keeps_its_bytes_and_its_execute_bit)
{
	own(scratch) s = scratch_make();
	own_fd source = -1;
	static char big[300000];
	struct stat st = {0};
	struct error err;

	memset(big, 'x', sizeof(big));
	source = openat(s.fd, "source", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd_write_all(source, big, sizeof(big), &err) == 0);
	CHECK(lseek(source, 0, SEEK_SET) == 0);
	CHECK(put_file(s.fd, "plain", source, &err) == 0);
	CHECK(fstatat(s.fd, "plain", &st, 0) == 0 && st.st_size == sizeof(big));
	CHECK(mode_of(s.fd, "plain") == 0644);
	CHECK(fchmod(source, 04711) == 0); /* set-uid does not travel */
	CHECK(lseek(source, 0, SEEK_SET) == 0);
	CHECK(put_file(s.fd, "tool", source, &err) == 0);
	CHECK(mode_of(s.fd, "tool") == 0755);
}

TEST(a_file_of_proc_without_a_size_arrives_whole)
{
	own(scratch) s = scratch_make();
	own_fd source = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	struct stat st = {0};
	struct error err;

	CHECK(put_file(s.fd, "status", source, &err) == 0);
	CHECK(fstatat(s.fd, "status", &st, 0) == 0 && st.st_size > 100);
}

TEST(only_regular_files_are_sources)
{
	own(scratch) s = scratch_make();
	own_fd directory = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	own_fd device = open("/dev/null", O_RDONLY | O_CLOEXEC);
	own_fd fifo = -1;
	struct error err = {0};

	CHECK(mkfifoat(s.fd, "fifo", 0600) == 0);
	fifo = openat(s.fd, "fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	CHECK(put_file(s.fd, "a", directory, &err) < 0);
	CHECK(err.kind == ERR_CALLER && strstr(err.text, "'a' is a directory"));
	CHECK(put_file(s.fd, "a", device, &err) < 0 && strstr(err.text, "a device"));
	CHECK(put_file(s.fd, "a", fifo, &err) < 0 && strstr(err.text, "a FIFO"));
	CHECK(faccessat(s.fd, "a", F_OK, 0) < 0);
}

TEST(nothing_that_is_there_is_replaced_or_followed)
{
	own(scratch) s = scratch_make();
	struct error err = {0};

	CHECK(put_text(s.fd, "real", "old", &err) == 0);
	CHECK(symlinkat("real", s.fd, "link") == 0);
	CHECK(symlinkat("/tmp", s.fd, "way-out") == 0);
	CHECK(symlinkat("nowhere", s.fd, "dangling") == 0);
	CHECK(put_text(s.fd, "real", "new", &err) < 0);
	CHECK(err.kind == ERR_CALLER && strstr(err.text, "there already"));
	CHECK(put_text(s.fd, "link", "new", &err) < 0);
	CHECK(put_text(s.fd, "dangling", "new", &err) < 0);
	CHECK(put_text(s.fd, "way-out/belljar-copyin-test", "new", &err) < 0);
	CHECK(put_text(s.fd, "real/below", "new", &err) < 0);
	CHECK(holds(s.fd, "real", "old"));
	CHECK(access("/tmp/belljar-copyin-test", F_OK) < 0);
	CHECK(faccessat(s.fd, "nowhere", F_OK, 0) < 0);
}

/* A tmpfs of its own with these limits, or SKIP. */
static int small_tmpfs(struct scratch *s, const char *limits)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", s->path, "tmpfs", 0, limits) < 0) {
		scratch_end(s);
		SKIP("no mount namespace of our own here");
	}
	return open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

TEST(a_full_box_says_to_raise_disk)
{
	own(scratch) s = scratch_make();
	own_fd work = small_tmpfs(&s, "size=64k,nr_inodes=100");
	static char big[200000];
	struct copyin_text text = {.data = big, .len = sizeof(big), .mode = 0644};
	struct error err = {0};

	CHECK(copyin_bytes(work, "big", &text, geteuid(), getegid(), &err) < 0);
	CHECK(err.kind == ERR_CALLER && strstr(err.text, "--disk"));
	CHECK(faccessat(work, "big", F_OK, 0) < 0); /* no half file stays */
	(void)umount2(s.path, MNT_DETACH);
}

TEST(a_full_box_says_so_for_files_too)
{
	own(scratch) s = scratch_make();
	own_fd source = memfd_create("big", MFD_CLOEXEC), work = -1;
	struct error err = {0};

	CHECK(ftruncate(source, 1 << 20) == 0);
	work = small_tmpfs(&s, "size=64k,nr_inodes=100");
	CHECK(put_file(work, "big", source, &err) < 0);
	CHECK(err.kind == ERR_CALLER && strstr(err.text, "--disk"));
	CHECK(faccessat(work, "big", F_OK, 0) < 0);
	(void)umount2(s.path, MNT_DETACH);
}

TEST(a_box_without_inodes_says_to_raise_inodes)
{
	own(scratch) s = scratch_make();
	own_fd work = small_tmpfs(&s, "size=10m,nr_inodes=4");
	struct error err = {0};
	int result = 0;

	for (char name[] = "a"; name[0] < 'k' && result == 0; name[0]++)
		result = put_text(work, name, "x", &err);
	CHECK(result < 0 && err.kind == ERR_CALLER && strstr(err.text, "--inodes"));
	CHECK(put_text(work, "d/e", "x", &err) < 0 && strstr(err.text, "--inodes"));
	(void)umount2(s.path, MNT_DETACH);
}

TEST(another_mount_on_the_way_is_refused)
{
	own(scratch) s = scratch_make();
	own_fd work = small_tmpfs(&s, "size=1m");
	struct error err = {0};
	char below[sizeof(s.path) + 8];

	CHECK(mkdirat(work, "grant", 0755) == 0);
	(void)snprintf(below, sizeof(below), "%s/grant", s.path);
	CHECK(mount("tmpfs", below, "tmpfs", 0, "size=1m") == 0);
	CHECK(put_text(work, "grant/a", "x", &err) < 0 && strstr(err.text, "granted path"));
	(void)umount2(s.path, MNT_DETACH);
}

TEST(files_belong_to_the_user_of_the_box)
{
	own(scratch) s = scratch_make();
	struct copyin_text text = {.data = "x", .len = 1, .mode = 0600};
	struct stat st = {0};
	struct error err;

	if (geteuid() != 0) {
		scratch_end(&s);
		SKIP("only root can give files away");
	}
	CHECK(copyin_bytes(s.fd, "sub/a", &text, 2000000001, 2000000002, &err) == 0);
	CHECK(fstatat(s.fd, "sub/a", &st, 0) == 0);
	CHECK(st.st_uid == 2000000001 && st.st_gid == 2000000002 && (st.st_mode & 07777) == 0600);
	CHECK(fstatat(s.fd, "sub", &st, 0) == 0);
	CHECK(st.st_uid == 2000000001 && st.st_gid == 2000000002);
}
