/* SPDX-License-Identifier: Apache-2.0 */
/* make_artifacts.c - attacks whoever copies files out: everything that looks like a file.
 *
 * SECRET: a path on the host that the links point to.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "escape.h"

static void write_file(const char *name, const char *text, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		cannot("write %s: %m", name);
	if (fchmod(fd, mode) < 0)
		cannot("chmod %s: %m", name);
	(void)close(fd);
}

static void make_length(const char *name, off_t length)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0 || ftruncate(fd, length) < 0)
		cannot("%s: %m", name);
	(void)close(fd);
}

static void make_links(const char *secret)
{
	if (symlink(secret, "out/link-absolute") < 0 ||
	    symlink("../../../../../../../../etc/passwd", "out/link-dots") < 0 ||
	    symlink("plain", "out/link-inside") < 0 || symlink("/", "out/link-root") < 0 ||
	    symlink("/proc/self/environ", "out/link-proc") < 0)
		cannot("symlink: %m");
	write_file("out/twice-a", "two names\n", 0644);
	if (link("out/twice-a", "out/twice-b") < 0)
		cannot("link: %m");
}

static void make_others(void)
{
	if (mkfifo("out/fifo", 0666) < 0)
		cannot("mkfifo: %m");
	/* Not by bind: this program comes from a granted directory, and such boxes have no Unix
	 * sockets. */
	if (mknod("out/socket", S_IFSOCK | 0666, 0) < 0)
		cannot("mknod: %m");
}

int main(int argc, char **argv)
{
	const char *secret = need_arg(argc, argv, 1, "secret");

	tried("links, pipes, lengths and names");
	if (mkdir("out", 0755) < 0 || mkdir("out/deep", 0755) < 0)
		cannot("mkdir: %m");
	write_file("out/plain", "plain\n", 0644);
	write_file("out/deep/er", "deeper\n", 0644);
	write_file("out/new\nline", "newline\n", 0644);
	write_file("out/\x1b[31mred", "escape\n", 0644);
	write_file("out/\xff\xfe", "not UTF-8\n", 0644);
	write_file("out/-rf", "option\n", 0644);
	write_file("out/set-uid", "set-uid\n", 06755);
	write_file("out/mode-0", "unreadable\n", 0);
	make_length("out/sparse", 8 << 20);
	make_links(secret);
	make_others();
	return 0;
}
