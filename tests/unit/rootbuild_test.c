/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/native/rootbuild.h"

#include <dirent.h>
#include <fcntl.h>

#include "base/own.h"
#include "sandbox/native/dpkg.h"
#include "sandbox/native/manifest.h"
#include "sandbox/native/programs.h"
#include "sandbox/native/treewalk.h"
#include "tap.h"
#include "tiny_tree.h"

/* The tree has /from, which is copied, and /to, which is the new root. */
static int open_to(void)
{
	(void)tree_path("/from/x");
	(void)tree_path("/to/x");
	return open(tree_path("/to"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	return lstat(tree_path(path), &st) < 0 ? 0 : st.st_mode;
}

static bool link_is(const char *path, const char *target)
{
	char text[PATH_MAX] = "";

	return readlink(tree_path(path), text, sizeof(text) - 1) > 0 && strcmp(text, target) == 0;
}

TEST(copies_have_plain_modes_and_keep_their_time)
{
	struct treecopy t;
	struct error err;
	struct stat st;

	tree_begin();
	t = (struct treecopy){.to = open_to()};
	tree_text("/from/tool", "#!/bin/sh\n", 0755);
	tree_text("/from/data", "secret of nobody", 0644);
	CHECK(chmod(tree_path("/from/tool"), 06775) == 0);
	CHECK(chmod(tree_path("/from/data"), 0666) == 0);
	CHECK(utimensat(AT_FDCWD, tree_path("/from/data"),
			(struct timespec[]){{.tv_sec = 1000}, {.tv_sec = 1000}}, 0) == 0);
	(void)umask(077);
	CHECK(treecopy_tree(&t, tree_path("/from"), "/usr/lib/it", &err) == 0);
	CHECK(mode_of("/to/usr/lib/it/tool") == (S_IFREG | 0755));
	CHECK(mode_of("/to/usr/lib/it/data") == (S_IFREG | 0644));
	CHECK(mode_of("/to/usr/lib/it") == (S_IFDIR | 0755));
	CHECK(stat(tree_path("/to/usr/lib/it/data"), &st) == 0 && st.st_mtime == 1000);
	CHECK(t.files == 2 && t.skipped == 0 && t.bytes == 26);
	tree_end();
}

TEST(links_within_usr_stay_and_links_out_of_it_become_files)
{
	struct treecopy t;
	struct error err;

	tree_begin();
	t = (struct treecopy){.to = open_to()};
	tree_text("/from/sub/file", "x", 0644);
	tree_text("/outside", "settings", 0600);
	tree_link("/from/near", "sub/file");
	tree_link("/from/far", "/usr/share/nothing");
	tree_link("/from/settings", tree_path("/outside"));
	tree_link("/from/nowhere", "/etc/there/is/no/such/file");
	CHECK(mkfifo(tree_path("/from/pipe"), 0666) == 0);
	CHECK(treecopy_tree(&t, tree_path("/from"), "/usr/lib/it", &err) == 0);
	CHECK(link_is("/to/usr/lib/it/near", "sub/file"));
	CHECK(link_is("/to/usr/lib/it/far", "/usr/share/nothing"));
	CHECK(mode_of("/to/usr/lib/it/settings") == (S_IFREG | 0644));
	CHECK(mode_of("/to/usr/lib/it/nowhere") == 0);
	CHECK(mode_of("/to/usr/lib/it/pipe") == 0);
	CHECK(t.skipped == 2 && t.links == 2);
	tree_end();
}

TEST(nothing_is_written_through_a_link_in_the_new_root)
{
	struct treecopy t;
	struct error err;

	tree_begin();
	t = (struct treecopy){.to = open_to()};
	tree_text("/from/file", "x", 0644);
	(void)tree_path("/victim/x");
	tree_link("/to/usr/lib", tree_path("/victim"));
	CHECK(treecopy_file(&t, tree_path("/from/file"), "/usr/lib/file", &err) == 0);
	CHECK(treecopy_tree(&t, tree_path("/from"), "/usr/lib/deep", &err) == 0);
	CHECK(treecopy_link(&t, "/usr/bin/x", "/usr/lib/link", &err) == 0);
	CHECK(mode_of("/victim/file") == 0 && mode_of("/victim/deep") == 0);
	CHECK(mode_of("/victim/link") == 0);
	tree_end();
}

TEST(links_to_real_places_are_relative)
{
	struct treecopy t;
	struct error err;

	tree_begin();
	t = (struct treecopy){.to = open_to()};
	CHECK(treecopy_link(&t, "/usr/bin/mawk", "/usr/bin/awk", &err) == 0);
	CHECK(treecopy_link(&t, "/usr/lib/x/ld.so", "/usr/lib64/ld.so", &err) == 0);
	CHECK(treecopy_link(&t, "/opt/it/bin/tool", "/usr/local/bin/tool", &err) == 0);
	CHECK(link_is("/to/usr/bin/awk", "mawk"));
	CHECK(link_is("/to/usr/lib64/ld.so", "../lib/x/ld.so"));
	CHECK(link_is("/to/usr/local/bin/tool", "../../../opt/it/bin/tool"));
	tree_end();
}

TEST(a_root_made_inside_its_own_source_ends)
{
	struct treecopy t;
	struct error err;

	tree_begin();
	tree_text("/from/file", "x", 0644);
	(void)tree_path("/from/deep/root/x");
	t = (struct treecopy){.to = open(tree_path("/from/deep/root"), O_RDONLY | O_DIRECTORY)};
	CHECK(treecopy_tree(&t, tree_path("/from"), "/usr/lib/it", &err) == 0);
	CHECK(t.files == 1);
	tree_end();
}

static int count_path(void *context, const char *path, struct error *err)
{
	(void)err;
	printf("# %s\n", path);
	++*(int *)context;
	return 0;
}

TEST(a_package_is_found_by_any_of_its_files)
{
	struct error err;
	int n = 0;

	tree_begin();
	tree_text("/info/one.list", "/.\n/usr\n/usr/bin\n/usr/bin/one\n/usr/lib/one/data\n", 0644);
	tree_text("/info/two.list", "/bin/two\n/usr/share/two", 0644);
	tree_text("/info/two.md5sums", "/usr/bin/three\n", 0644);
	CHECK(dpkg_siblings(tree_path("/info"), "/usr/bin/one", count_path, &n, &err) == 1);
	CHECK(n == 5);
	n = 0;
	CHECK(dpkg_siblings(tree_path("/info"), "/usr/bin/two", count_path, &n, &err) == 1);
	CHECK(n == 2);
	CHECK(dpkg_siblings(tree_path("/info"), "/usr/share/two", count_path, &n, &err) == 1);
	n = 0;
	CHECK(dpkg_siblings(tree_path("/info"), "/usr/bin/three", count_path, &n, &err) == 0);
	CHECK(dpkg_siblings(tree_path("/info"), "/usr/bin/on", count_path, &n, &err) == 0);
	CHECK(dpkg_siblings(tree_path("/absent"), "/usr/bin/one", count_path, &n, &err) == 0);
	CHECK(n == 0);
	tree_end();
}

static void print_sentence(void *context, const char *sentence)
{
	char *last = context;

	printf("# %s\n", sentence);
	(void)snprintf(last, 256, "%.255s", sentence);
}

TEST(a_manifest_finds_every_kind_of_change)
{
	static const char *const programs[] = {"tool"};
	struct error err = {0};
	char last[256] = "";
	int fd;

	tree_begin();
	fd = open_to();
	tree_text("/to/usr/bin/tool", "tool", 0755);
	tree_text("/to/usr/lib/data", "data", 0644);
	tree_link("/to/bin", "usr/bin");
	CHECK(manifest_check(fd, print_sentence, last, &err) < 0 && err.kind == ERR_CALLER);
	CHECK(manifest_write(fd, programs, 1, &err) == 0);
	CHECK(manifest_check(fd, print_sentence, last, &err) == 0);
	tree_text("/to/usr/lib/data", "DATA", 0644); /* the same size */
	CHECK(manifest_check(fd, print_sentence, last, &err) == 2);
	tree_text("/to/usr/lib/data", "data", 0644);
	CHECK(manifest_check(fd, print_sentence, last, &err) == 0);
	tree_text("/to/usr/bin/more", "", 0644);
	CHECK(manifest_check(fd, print_sentence, last, &err) == 1 && strstr(last, "more"));
	CHECK(unlink(tree_path("/to/usr/bin/more")) == 0 && unlink(tree_path("/to/bin")) == 0);
	CHECK(manifest_check(fd, print_sentence, last, &err) == 1 && strstr(last, "gone"));
	tree_link("/to/bin", "usr/bin");
	CHECK(chmod(tree_path("/to/usr/bin/tool"), 04755) == 0);
	CHECK(manifest_check(fd, print_sentence, last, &err) == 3);
	CHECK(chmod(tree_path("/to/usr/bin/tool"), 0775) == 0);
	CHECK(manifest_check(fd, print_sentence, last, &err) == 3);
	tree_end();
}

struct seen {
	char dir[PATH_MAX];
	int verified;
	bool refuse;
};

static int note_verify(const char *dir, void *context, struct error *err)
{
	struct seen *seen = context;

	(void)snprintf(seen->dir, sizeof(seen->dir), "%s", dir);
	seen->verified++;
	return seen->refuse ? fail(err, ERR_CONFIG, "no box here") : 0;
}

static int stop_at_once(const struct treecopy *t, void *context, struct error *err)
{
	(void)t;
	(void)context;
	return fail(err, ERR_CALLER, "stopped");
}

static size_t entries_in_tree(void)
{
	struct dirent **names = NULL;
	int n = scandir(tree_root, &names, NULL, NULL);

	return n < 2 ? 0 : (size_t)n - 2;
}

static int refuse_special(void *context, const struct treewalk_entry *entry, struct error *err)
{
	mode_t mode = entry->st.st_mode;

	(void)context;
	if (S_ISLNK(mode))
		return 0;
	if ((!S_ISREG(mode) && !S_ISDIR(mode)) || (mode & 07022) || (mode & 0444) != 0444)
		return fail(err, ERR_INTERNAL, "%s has mode %o", entry->path, mode);
	return 0;
}

TEST(a_root_is_complete_verified_and_plain)
{
	static const char *const wanted[] = {"sh", "ls", "cat", "grep", "sed", "find", "tar"};
	struct rootbuild_result result = {0};
	own(needed_list) list = {0};
	struct seen seen = {0};
	struct error err = {0};
	struct rootbuild b = {.verify = note_verify, .context = &seen};
	own_fd fd = -1;

	tree_begin();
	(void)umask(077);
	CHECK(mkdir(tree_path("/root"), 0700) == 0); /* empty is as good as absent */
	b.dir = tree_path("/root/");
	CHECK(rootbuild_run(&b, &result, &err) == 0);
	printf("# %s\n", err.text);
	CHECK(seen.verified == 1 && strncmp(seen.dir, tree_root, strlen(tree_root)) == 0);
	CHECK(entries_in_tree() == 1);
	CHECK(result.files > 50 && result.n_programs > 50);
	CHECK(mode_of("/root") == (S_IFDIR | 0755));
	CHECK(link_is("/root/bin", "usr/bin") && link_is("/root/lib64", "usr/lib64"));
	CHECK(programs_needed(tree_path("/root"), wanted, ARRAY_LEN(wanted), NULL, &list, &err) ==
	      0);
	fd = open(tree_path("/root"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(treewalk_visit(fd, refuse_special, NULL, &err) == 0);
	CHECK(manifest_check(fd, print_sentence, seen.dir, &err) == 0);
	tree_end();
}

TEST(a_root_that_fails_leaves_nothing)
{
	static const char *const absent[] = {"no-such-program-anywhere"}, *const few[] = {"ls"};
	struct rootbuild_result result;
	struct seen seen = {.refuse = true};
	struct error err = {0};
	struct rootbuild b = {
		.with = few,
		.n_with = ARRAY_LEN(few),
		.bare = true,
		.verify = note_verify,
		.context = &seen,
	};

	tree_begin();
	b.dir = tree_path("/root");
	CHECK(rootbuild_run(&b, &result, &err) < 0 && strstr(err.text, "no box here"));
	CHECK(seen.verified == 1 && entries_in_tree() == 0);
	b.look = stop_at_once;
	CHECK(rootbuild_run(&b, &result, &err) < 0 && strstr(err.text, "stopped"));
	CHECK(entries_in_tree() == 0);
	b.with = absent;
	CHECK(rootbuild_run(&b, &result, &err) < 0 && err.kind == ERR_NOT_FOUND);
	CHECK(strstr(err.text, "--with") && strstr(err.text, absent[0]));
	CHECK(entries_in_tree() == 0);
	tree_end();
}

TEST(a_root_does_not_replace_anything)
{
	struct rootbuild_result result;
	struct error err = {0};
	struct rootbuild b = {.look = stop_at_once};

	tree_begin();
	tree_text("/full/file", "x", 0644);
	tree_link("/link", "full");
	b.dir = tree_path("/full");
	CHECK(rootbuild_run(&b, &result, &err) < 0 && strstr(err.text, "not empty"));
	b.dir = tree_path("/full/file");
	CHECK(rootbuild_run(&b, &result, &err) < 0 && strstr(err.text, "not a directory"));
	b.dir = tree_path("/link");
	CHECK(rootbuild_run(&b, &result, &err) < 0 && strstr(err.text, "not a directory"));
	b.dir = "/";
	CHECK(rootbuild_run(&b, &result, &err) < 0 && err.kind == ERR_CALLER);
	b.dir = "..";
	CHECK(rootbuild_run(&b, &result, &err) < 0 && err.kind == ERR_CALLER);
	b.dir = "";
	CHECK(rootbuild_run(&b, &result, &err) < 0 && err.kind == ERR_CALLER);
	CHECK(entries_in_tree() == 2);
	tree_end();
}
