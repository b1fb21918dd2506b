/* SPDX-License-Identifier: Apache-2.0 */
/* mount_call.c - attacks the mounts, by each call of the old and the new interface. */
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "escape.h"

static const char *place(char **argv)
{
	tried("%s", argv[1]);
	(void)mkdir("escape-mount", 0755);
	return "escape-mount";
}

static void by_tmpfs(int argc, char **argv)
{
	(void)argc;
	end_by(mount("none", place(argv), "tmpfs", 0, NULL), "mount tmpfs");
}

static void by_proc(int argc, char **argv)
{
	(void)argc;
	end_by(mount("none", place(argv), "proc", 0, NULL), "mount proc");
}

static void by_bind(int argc, char **argv)
{
	(void)argc;
	end_by(mount("/usr", place(argv), NULL, MS_BIND | MS_REC, NULL), "bind");
}

static void by_propagation(int argc, char **argv)
{
	(void)argc;
	(void)place(argv);
	end_by(mount(NULL, "/", NULL, MS_SHARED | MS_REC, NULL), "share /");
}

/* Something that is mounted in every box and in any other set-up. */
static void by_umount(int argc, char **argv)
{
	(void)argc;
	(void)place(argv);
	end_by(umount2("/proc", MNT_DETACH), "umount /proc");
}

static void by_fsopen(int argc, char **argv)
{
	(void)argc;
	(void)place(argv);
	end_by(syscall(SYS_fsopen, "tmpfs", 0), "fsopen");
}

static void by_fspick(int argc, char **argv)
{
	(void)argc;
	(void)place(argv);
	end_by(syscall(SYS_fspick, AT_FDCWD, "/proc", 0), "fspick");
}

static long clone_tree(void)
{
	return syscall(SYS_open_tree, AT_FDCWD, "/usr", 1 /* OPEN_TREE_CLONE */ | O_CLOEXEC);
}

static void by_open_tree(int argc, char **argv)
{
	(void)argc;
	(void)place(argv);
	end_by(clone_tree(), "open_tree");
}

static void by_move_mount(int argc, char **argv)
{
	const char *to = place(argv);
	long tree = clone_tree();

	(void)argc;
	if (tree < 0) /* then a plain descriptor: the call itself is what we ask about */
		tree = open("/usr", O_PATH | O_CLOEXEC);
	end_by(syscall(SYS_move_mount, tree, "", AT_FDCWD, to, 4 /* F_EMPTY_PATH */), "move_mount");
}

static void by_setattr(int argc, char **argv)
{
	struct {
		uint64_t set, clear, propagation, user_namespace;
	} change = {.clear = MS_RDONLY};

	(void)argc;
	(void)place(argv);
	end_by(syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &change, sizeof(change)),
	       "mount_setattr");
}

static void by_pivot_root(int argc, char **argv)
{
	const char *to = place(argv);

	(void)argc;
	(void)mount(to, to, NULL, MS_BIND, NULL);
	if (chdir(to) < 0)
		cannot("chdir: %m");
	end_by(syscall(SYS_pivot_root, ".", "."), "pivot_root");
}

static const struct way ways[] = {
	{"tmpfs", by_tmpfs},             /* space of our own */
	{"proc", by_proc},               /* a fuller /proc */
	{"bind", by_bind},               /* something twice */
	{"propagation", by_propagation}, /* let mounts travel */
	{"umount", by_umount},           /* uncover what lies beneath */
	{"fsopen", by_fsopen},           /* a new file system */
	{"fspick", by_fspick},           /* change one */
	{"open-tree", by_open_tree},     /* copy a tree */
	{"move-mount", by_move_mount},   /* put it somewhere */
	{"setattr", by_setattr},         /* make it writable */
	{"pivot-root", by_pivot_root},   /* another root */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
