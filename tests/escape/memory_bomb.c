/* SPDX-License-Identifier: Apache-2.0 */
/* memory_bomb.c - attacks the memory limit: touch more than is allowed.
 *
 * plain MIB MS: private memory.  shared MIB MS: pages that belong to no process (memfd).
 * children MIB MS N: each of N children takes its part.  sockets MIB MS: bytes that nobody has read
 * yet, of TCP connections to ourselves.  All hold it for MS milliseconds.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "escape.h"

static size_t bytes_asked(int argc, char **argv)
{
	size_t mib = (size_t)number(need_arg(argc, argv, 2, "MiB"));

	tried("%s: touch %zu MiB", argv[1], mib);
	return mib << 20;
}

static bool touch(int fd, size_t bytes)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (pages == MAP_FAILED)
		return false;
	for (size_t i = 0; i < bytes; i += 4096)
		pages[i] = 1;
	return true;
}

/* Who has it only for a blink has not got around the limit, and on a busy machine a blink is long
 * for whoever looks. */
static int keep(int argc, char **argv)
{
	return usleep((useconds_t)number(need_arg(argc, argv, 3, "milliseconds")) * 1000);
}

static void by_plain(int argc, char **argv)
{
	end_by(touch(-1, bytes_asked(argc, argv)) ? keep(argc, argv) : -1, "touch");
}

static void by_shared(int argc, char **argv)
{
	size_t bytes = bytes_asked(argc, argv);
	int fd = memfd_create("bomb", MFD_CLOEXEC);

	if (fd < 0)
		blocked("memfd_create: %m");
	if (ftruncate(fd, (off_t)bytes) < 0)
		blocked("ftruncate: %m");
	end_by(touch(fd, bytes) ? keep(argc, argv) : -1, "touch");
}

static void by_children(int argc, char **argv)
{
	size_t bytes = bytes_asked(argc, argv);
	uint64_t n = number(need_arg(argc, argv, 4, "children"));
	uint64_t happy = 0;
	int ready[2];
	char byte = 'x';

	if (pipe(ready) < 0)
		cannot("pipe: %m");
	for (uint64_t i = 0; i < n; i++) {
		if (fork() != 0)
			continue;
		/* Everybody holds its part until everybody has it. */
		if (!touch(-1, bytes / n))
			_exit(1);
		(void)!write(ready[1], &byte, 1);
		(void)pause();
	}
	for (uint64_t i = 0; i < n; i++)
		happy += read(ready[0], &byte, 1) == 1;
	if (happy == n && keep(argc, argv) == 0)
		escaped("%llu children hold it together", (unsigned long long)n);
	blocked("only %llu children", (unsigned long long)happy);
}

static int to_ourselves(int listener, const struct sockaddr_in *there)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)there, sizeof(*there)) < 0 ||
	    accept(listener, NULL, NULL) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return -1;
	return fd;
}

/* We keep what we have until it ends. */
static void in_a_child(void)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		blocked("fork: %m");
	if (pid > 0 && waitpid(pid, &status, 0) == pid)
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* As many connections as it takes; whoever has too few descriptors goes on in a child. */
static void fill_sockets(int listener, const struct sockaddr_in *there, size_t bytes)
{
	static char zeros[65536];
	size_t held = 0;

	while (held < bytes) {
		int fd = to_ourselves(listener, there);
		ssize_t n;

		if (fd < 0 && errno == EMFILE) {
			in_a_child();
			(void)close_range((unsigned)listener + 1, ~0u, 0);
			continue;
		}
		if (fd < 0)
			blocked("after %zu MiB: %m", held >> 20);
		while (held < bytes && (n = write(fd, zeros, sizeof(zeros))) > 0)
			held += (size_t)n;
	}
}

static void by_sockets(int argc, char **argv)
{
	size_t bytes = bytes_asked(argc, argv);
	struct sockaddr_in there = {.sin_family = AF_INET,
				    .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(there);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (listener < 0 || bind(listener, (struct sockaddr *)&there, len) < 0 ||
	    listen(listener, 16) < 0 || getsockname(listener, (struct sockaddr *)&there, &len) < 0)
		blocked("no loopback: %m");
	fill_sockets(listener, &there, bytes);
	end_by(keep(argc, argv), "hold");
}

static const struct way ways[] = {
	{"plain", by_plain},       /* our own */
	{"shared", by_shared},     /* nobody's */
	{"children", by_children}, /* each a little */
	{"sockets", by_sockets},   /* the kernel's, for us */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
