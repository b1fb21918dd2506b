/* SPDX-License-Identifier: Apache-2.0 */
/* i386_call.c - attacks the filter through the other system call tables of an x86-64 kernel.
 *
 * getpid, socketcall: int 0x80; socketcall hides the family behind a pointer that no filter can
 * read.  x32: the numbers with bit 30 set.  Done in a child: the right answer is death.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "escape.h"

#if defined(__x86_64__)
enum { I386_GETPID = 20, I386_SOCKETCALL = 102, DO_SOCKET = 1, X32_BIT = 0x40000000 };

static int int_80(int nr, int a, int b)
{
	int ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(nr), "b"(a), "c"(b)
			 : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

static int do_getpid(void)
{
	return int_80(I386_GETPID, 0, 0);
}

static int do_socketcall(void)
{
	int *args = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (args == MAP_FAILED)
		return -errno;
	args[0] = AF_NETLINK;
	args[1] = SOCK_RAW;
	args[2] = 0;
	return int_80(I386_SOCKETCALL, DO_SOCKET, (int)(intptr_t)args);
}

static int do_x32(void)
{
	long ret = syscall(X32_BIT | SYS_getpid);

	return ret < 0 ? -errno : (int)ret;
}

/* The child's answer: 0 worked, 2 the kernel has no such table, 1 refused. */
static void in_child(int (*attack)(void))
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		int ret = attack();

		_exit(ret >= 0 ? ESCAPED : ret == -ENOSYS ? CANNOT : BLOCKED);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		cannot("fork: %m");
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		blocked("killed by SIGSYS");
	if (WIFSIGNALED(status))
		cannot("died of signal %d: no such table here", WTERMSIG(status));
	if (WEXITSTATUS(status) == ESCAPED)
		escaped("the call went through");
	if (WEXITSTATUS(status) == CANNOT)
		cannot("the kernel does not know the call");
	blocked("refused");
}

static void by_getpid(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	tried("int 0x80 getpid");
	in_child(do_getpid);
}

static void by_socketcall(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	tried("int 0x80 socketcall netlink");
	in_child(do_socketcall);
}

static void by_x32(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	tried("x32 getpid");
	in_child(do_x32);
}

/* Not in a child: the runner looks at the account. */
static void by_plain(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	tried("int 0x80 getpid without a child");
	end_by(do_getpid(), "getpid");
}

static const struct way ways[] = {
	{"getpid", by_getpid},         /* the table itself */
	{"socketcall", by_socketcall}, /* around the socket rule */
	{"x32", by_x32},               /* the third table */
	{"plain", by_plain},           /* the program's own death */
};
#endif

int main(int argc, char **argv)
{
#if defined(__x86_64__)
	TAKE_WAY(ways, argc, argv);
#else
	(void)argc;
	(void)argv;
	cannot("this machine has one table of system calls");
#endif
}
