/* SPDX-License-Identifier: Apache-2.0 */
/* filtered_argument.c - attacks the rules on arguments: calls that are allowed, but not like this.
 *
 * WAY [high]: "high" sets bit 32 of the argument in question.  Each asks for something harmless;
 * an answer other than a refusal means that the kernel was reached.
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "escape.h"

enum {
	HUGE_BYTES = 2 << 20,
	ULP_OPTION = 31 /* TCP_ULP */,
	PEER_OPTION = 77 /* SO_PEERPIDFD */,
	DISCIPLINE = 0x5423 /* TIOCSETD */
};

static struct sock_filter allow_all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
static struct sock_fprog program = {.len = 1, .filter = allow_all};

static long maybe_high(int argc, char **argv, long value)
{
	tried("%s%s", argv[1], argc > 2 ? " with bit 32" : "");
	return argc > 2 ? with_bit_32(value) : value;
}

/* The host's pool of huge pages is counted by no memory limit. */
static void by_huge_map(int argc, char **argv)
{
	long flags = maybe_high(argc, argv, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB);

	end_by_reach(syscall(SYS_mmap, 0, HUGE_BYTES, PROT_READ, flags, -1, 0), "mmap");
}

static void by_huge_memfd(int argc, char **argv)
{
	end_by_reach(syscall(SYS_memfd_create, "x", maybe_high(argc, argv, MFD_HUGETLB)),
		     "memfd_create");
}

static void by_huge_shm(int argc, char **argv)
{
	long flags = maybe_high(argc, argv, IPC_CREAT | SHM_HUGETLB | 0600);
	long id = syscall(SYS_shmget, IPC_PRIVATE, HUGE_BYTES, flags);
	int why = errno;

	if (id >= 0)
		(void)shmctl((int)id, IPC_RMID, NULL);
	errno = why;
	end_by_reach(id, "shmget");
}

static void by_merge(int argc, char **argv)
{
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	end_by_reach(syscall(SYS_madvise, page, 4096, maybe_high(argc, argv, MADV_MERGEABLE)),
		     "madvise");
}

static void by_socket_filter(int argc, char **argv)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	long option = maybe_high(argc, argv, SO_ATTACH_FILTER);

	end_by_reach(syscall(SYS_setsockopt, fd, SOL_SOCKET, option, &program, sizeof(program)),
		     "setsockopt");
}

/* Whoever closes it last waits as long as we say; it may be somebody outside, to whom we sent it.
 */
static void by_linger(int argc, char **argv)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	long option = maybe_high(argc, argv, SO_LINGER);
	struct linger wait = {.l_onoff = 1, .l_linger = 3600};

	end_by_reach(syscall(SYS_setsockopt, fd, SOL_SOCKET, option, &wait, sizeof(wait)),
		     "setsockopt");
}

/* A descriptor for whoever is at the other end; here it is us. */
static void by_peer(int argc, char **argv)
{
	long option = maybe_high(argc, argv, PEER_OPTION);
	int fds[2], pidfd = -1;
	socklen_t len = sizeof(pidfd);

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		cannot("socketpair: %m");
	end_by_reach(syscall(SYS_getsockopt, fds[0], SOL_SOCKET, option, &pidfd, &len),
		     "getsockopt");
}

static void by_tcp_ulp(int argc, char **argv)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	long option = maybe_high(argc, argv, ULP_OPTION);

	end_by_reach(syscall(SYS_setsockopt, fd, IPPROTO_TCP, option, "tls", 3), "setsockopt");
}

static void by_discipline(int argc, char **argv)
{
	int number_of = 0;

	end_by_reach(syscall(SYS_ioctl, 0, maybe_high(argc, argv, DISCIPLINE), &number_of),
		     "ioctl");
}

/* A listener could hold up its children's calls for ever and answer in the kernel's place. */
static void by_listener(int argc, char **argv)
{
	long flags = maybe_high(argc, argv, SECCOMP_FILTER_FLAG_NEW_LISTENER);

	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	end_by_reach(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program), "seccomp");
}

/* Such a child is not ours but our parent's, who may be outside. */
static void by_clone_parent(int argc, char **argv)
{
	long pid = syscall(SYS_clone, maybe_high(argc, argv, CLONE_PARENT | SIGCHLD), 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	end_by_reach(pid, "clone");
}

static void by_lease(int argc, char **argv)
{
	int fd = open("escape-lease", O_RDONLY | O_CREAT | O_CLOEXEC, 0644);

	(void)unlink("escape-lease");
	end_by_reach(syscall(SYS_fcntl, fd, maybe_high(argc, argv, F_SETLEASE), F_RDLCK), "fcntl");
}

static const struct way ways[] = {
	{"huge-map", by_huge_map},           /* memory nobody counts */
	{"huge-memfd", by_huge_memfd},       /* the same as a file */
	{"huge-shm", by_huge_shm},           /* the same as an object */
	{"merge", by_merge},                 /* learn what others have in memory */
	{"socket-filter", by_socket_filter}, /* BPF on a socket */
	{"linger", by_linger},               /* a close that waits */
	{"peer", by_peer},                   /* a hold on somebody outside */
	{"tcp-ulp", by_tcp_ulp},             /* another protocol on TCP */
	{"discipline", by_discipline},       /* loads modules */
	{"listener", by_listener},           /* answers for the kernel */
	{"clone-parent", by_clone_parent},   /* a child for somebody else */
	{"lease", by_lease},                 /* others wait for us */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
