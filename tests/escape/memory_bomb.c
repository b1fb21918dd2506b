/* SPDX-License-Identifier: Apache-2.0 */
/* memory_bomb.c - attacks the memory limit: touch more than is allowed.
 *
 * plain MIB MS: private memory.  shared MIB MS: pages that belong to no process (memfd).
 * children MIB MS N: each of N children takes its part.  All hold it for MS milliseconds.
 */
#include <sys/mman.h>
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

static const struct way ways[] = {
	{"plain", by_plain},       /* our own */
	{"shared", by_shared},     /* nobody's */
	{"children", by_children}, /* each a little */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
