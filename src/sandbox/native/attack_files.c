/* SPDX-License-Identifier: Apache-2.0 */
/* attack_files.c - attempts on the host's files and devices.
 *
 * Writing is tried with O_TMPFILE and with descriptors nobody writes to: if a
 * wall falls, the host's files are as they were.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/attack_parts.h"

static void try_open(struct attack_result *r, const char *path, int flags)
{
	own_fd fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);

	(void)judge(r, fd, "ENOENT EACCES EPERM EROFS");
}

ATTACK(read_shadow)
{
	(void)self, (void)bait;
	try_open(r, "/etc/shadow", O_RDONLY);
}

ATTACK(read_home)
{
	(void)self, (void)bait;
	try_open(r, "/root", O_RDONLY | O_DIRECTORY);
}

ATTACK(read_bait)
{
	(void)self;
	try_open(r, bait->file, O_RDONLY);
}

ATTACK(write_usr)
{
	(void)self, (void)bait;
	try_open(r, "/usr/bin", O_RDWR | O_TMPFILE);
}

ATTACK(write_root)
{
	(void)self, (void)bait;
	try_open(r, "/", O_RDWR | O_TMPFILE);
}

ATTACK(write_passwd)
{
	(void)self, (void)bait;
	try_open(r, "/etc/passwd", O_WRONLY);
}

/* The one file that was granted, read-only: ours.  The mode it has already is set again. */
ATTACK(change_program)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	struct stat st;

	(void)self, (void)bait;
	if (n <= 0 || (path[n] = '\0', stat(path, &st) < 0)) {
		held(r, "cannot even be found: %s", strerrorname_np(errno));
		return;
	}
	(void)judge(r, chmod(path, st.st_mode & 07777), "EROFS EPERM EACCES");
}

/* Inode 2, the root of most file systems, by number: how "shocker" left Docker. */
ATTACK(open_handle)
{
	struct {
		struct file_handle head;
		unsigned number[2];
	} handle = {.head = {.handle_bytes = 8, .handle_type = 1}, .number = {2, 0}};

	(void)self, (void)bait;
	(void)judge(r, open_by_handle_at(AT_FDCWD, &handle.head, O_PATH | O_CLOEXEC),
		    "EPERM ENOSYS");
}

ATTACK(make_device)
{
	static const char name[] = "belljar-attack-device";
	int ret = mknod(name, S_IFBLK | 0600, makedev(8, 0));

	(void)self, (void)bait;
	if (judge(r, ret, "EPERM EACCES EROFS"))
		return;
	(void)unlink(name);
}

ATTACK(open_devices)
{
	static const char *const devices[] = {
		"mem",           "kmem",
		"port",          "kmsg",
		"vda",           "sda",
		"nvme0n1",       "loop0",
		"kvm",           "fuse",
		"net/tun",       "tty",
		"console",       "ptmx",
		"pts/0",         "uinput",
		"vsock",         "hwrng",
		"tty0",          "userfaultfd",
		"loop-control",  "mapper/control",
		"btrfs-control", "vhost-net",
		"cpu/0/msr",
	};
	char path[64];

	(void)self, (void)bait;
	for (size_t i = 0; i < ARRAY_LEN(devices); i++) {
		(void)snprintf(path, sizeof(path), "/dev/%s", devices[i]);
		try_open(r, path, O_RDONLY);
		if (r->state != ATTACK_HELD) {
			fell(r, "%s can be opened", path);
			return;
		}
	}
	held(r, "none of %zu is there", ARRAY_LEN(devices));
}

ATTACK(write_sysctl)
{
	(void)self, (void)bait;
	try_open(r, "/proc/sys/kernel/core_pattern", O_WRONLY);
}

ATTACK(write_sysrq)
{
	(void)self, (void)bait;
	try_open(r, "/proc/sysrq-trigger", O_WRONLY);
}

ATTACK(see_sys)
{
	(void)self, (void)bait;
	try_open(r, "/sys/kernel", O_RDONLY | O_DIRECTORY);
}

ATTACK(set_uid_mounts)
{
	static const char *const places[] = {".", "/tmp", "/usr/bin"};
	struct statvfs v;

	(void)self, (void)bait;
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		if (statvfs(places[i], &v) < 0) {
			fell(r, "%s: %s", places[i], strerrorname_np(errno));
			return;
		}
		if (!(v.f_flag & ST_NOSUID) || !(v.f_flag & ST_NODEV)) {
			fell(r, "%s is mounted without nosuid,nodev", places[i]);
			return;
		}
	}
	held(r, "nosuid,nodev wherever there are files");
}

/* On /dev/null the kernel answers ENOTTY: then nothing but the lack of a terminal was in the
 * way. */
static void push(struct attack_result *r, unsigned long request)
{
	own_fd fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	char byte = 'x';

	(void)judge(r, syscall(SYS_ioctl, fd, request, &byte), "EPERM");
}

ATTACK(push_terminal)
{
	(void)self, (void)bait;
	push(r, TIOCSTI);
	if (r->state == ATTACK_HELD)
		push(r, TIOCLINUX);
}

ATTACK(push_terminal_high)
{
	(void)self, (void)bait;
	push(r, TIOCSTI | 1UL << 32);
}

/* Whoever opens a leased file waits for us: with a granted file that could be the host. */
ATTACK(take_lease)
{
	own_fd fd = open("belljar-attack-lease", O_RDONLY | O_CREAT | O_CLOEXEC, 0600);

	(void)self, (void)bait;
	(void)unlink("belljar-attack-lease");
	if (fd < 0)
		fell(r, "no file to try it on: %s", strerrorname_np(errno));
	else
		(void)judge(r, fcntl(fd, F_SETLEASE, F_RDLCK), "EPERM");
}

/* With no attribute set, nothing changes if it is let through. */
ATTACK(set_inode_flags)
{
	own_fd fd = open("belljar-attack-flags", O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
	int flags = 0;

	(void)self, (void)bait;
	(void)unlink("belljar-attack-flags");
	(void)judge(r, ioctl(fd, FS_IOC_SETFLAGS, &flags), "EPERM");
}
