/* SPDX-License-Identifier: Apache-2.0 */
/* disk_fill.c - attacks the disk limits: bytes and inodes.
 *
 * bytes KIB DIR...: so much in each directory, one after the other.  inodes N DIR...: so many
 * files in each.  sparse MIB DIR: a file of that length without content.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "escape.h"

static void fill_bytes(const char *dir, uint64_t kib)
{
	static char block[4096];
	char path[512];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/escape-fill", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		blocked("create %s: %m", path);
	for (uint64_t written = 0; written < kib; written += 4)
		if (write(fd, block, sizeof(block)) != (ssize_t)sizeof(block))
			blocked("%s after %llu KiB: %m", path, (unsigned long long)written);
	(void)close(fd);
}

static void fill_inodes(const char *dir, uint64_t n)
{
	char path[512];

	for (uint64_t i = 0; i < n; i++) {
		(void)snprintf(path, sizeof(path), "%s/escape-%llu", dir, (unsigned long long)i);
		/* Each kind costs an inode; one that were free would be the hole. */
		if ((i % 4 == 0 && mkdir(path, 0755) < 0) ||
		    (i % 4 == 1 && mkfifo(path, 0644) < 0) ||
		    (i % 4 == 2 && symlink(path, path) < 0) ||
		    (i % 4 == 3 && mknod(path, S_IFREG | 0644, 0) < 0))
			blocked("%s: %m", path);
	}
}

static void by_bytes(int argc, char **argv)
{
	uint64_t kib = number(need_arg(argc, argv, 2, "KiB"));

	/* Above RLIMIT_FSIZE comes a signal before the error. */
	(void)sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
	tried("%llu KiB in each of %d directories", (unsigned long long)kib, argc - 3);
	for (int i = 3; i < argc; i++)
		fill_bytes(argv[i], kib);
	escaped("written");
}

static void by_inodes(int argc, char **argv)
{
	uint64_t n = number(need_arg(argc, argv, 2, "how many"));

	tried("%llu files in each of %d directories", (unsigned long long)n, argc - 3);
	for (int i = 3; i < argc; i++)
		fill_inodes(argv[i], n);
	escaped("made");
}

static void by_sparse(int argc, char **argv)
{
	off_t length = (off_t)number(need_arg(argc, argv, 2, "MiB")) << 20;
	char path[512];
	int fd;

	(void)sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
	(void)snprintf(path, sizeof(path), "%s/escape-sparse", need_arg(argc, argv, 3, "dir"));
	tried("%lld bytes of nothing", (long long)length);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		cannot("create %s: %m", path);
	if (ftruncate(fd, length) == 0)
		escaped("ftruncate");
	if (pwrite(fd, "x", 1, length - 1) == 1)
		escaped("pwrite");
	end_by(posix_fallocate(fd, 0, length) == 0 ? 0 : -1, "fallocate");
}

static const struct way ways[] = {
	{"bytes", by_bytes},   /* content */
	{"inodes", by_inodes}, /* names */
	{"sparse", by_sparse}, /* length */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
