/* SPDX-License-Identifier: Apache-2.0 */
/* syscalls_test.c - the table against what we promise, and against the kernel's headers. */
#include "sandbox/native/syscalls.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/own.h"
#include "filter.h"
#include "tap.h"

TEST(rows_are_unique_and_have_reasons)
{
	bool seen[SYSCALLS_END] = {false};

	for (size_t i = 0; i < n_syscalls; i++) {
		const struct syscall_row *row = &syscalls[i];

		CHECK(row->nr < SYSCALLS_END && !seen[row->nr]);
		seen[row->nr % SYSCALLS_END] = true;
		CHECK(row->reason[0]);
		CHECK(!row->usual.rule || row->usual.verdict == VERDICT_ALLOW);
		CHECK(!row->then.rule || row->then.verdict == VERDICT_ALLOW);
		CHECK(row->occasion != OCCASION_NONE || !row->then.rule);
	}
}

/* Each name in the installed header has a row with its number; what is newer than the table is
 * ENOSYS until somebody has looked at it, and only worth a note. */
TEST(every_call_in_the_headers_has_a_row)
{
	static const char *const headers[] = {"/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
					      "/usr/include/asm/unistd_64.h"};
	char line[256], name[128];
	own_file file = NULL;
	unsigned nr, newest = 0, rows = 0;

	if (SYSCALLS_ARCH != AUDIT_ARCH_X86_64)
		SKIP("the list of calls is spread over several headers here");
	for (size_t i = 0; i < ARRAY_LEN(headers) && !file; i++)
		file = fopen(headers[i], "re");
	if (!file)
		SKIP("no kernel headers installed");
	for (size_t i = 0; i < n_syscalls; i++)
		newest = syscalls[i].nr > newest ? syscalls[i].nr : newest;
	while (fgets(line, sizeof(line), file)) {
		bool found = false;

		if (sscanf(line, "#define __NR_%127s %u", name, &nr) != 2 ||
		    strcmp(name, "syscalls") == 0)
			continue;
		for (size_t i = 0; i < n_syscalls && !found; i++)
			found = syscalls[i].nr == nr && strcmp(syscalls[i].name, name) == 0;
		if (!found)
			printf("# no row for %s (%u)\n", name, nr);
		CHECK(found || nr > newest);
		rows += found;
	}
	CHECK(rows > 300);
}

struct promise {
	const char *what;
	uint32_t nr;
	uint64_t args[4];
	enum verdict verdict;
};

#define BIT32 (1ull << 32)

/* clang-format off: one promise per line */
static const struct promise promises[] = {
	{"unix", __NR_socket, {AF_UNIX, SOCK_STREAM, 0}, VERDICT_ALLOW},
	{"unix seqpacket", __NR_socket, {AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0}, VERDICT_ALLOW},
	{"tcp",
	 __NR_socket,
	 {AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 6},
	 VERDICT_ALLOW},
	{"udp", __NR_socket, {AF_INET6, SOCK_DGRAM, 17}, VERDICT_ALLOW},
	{"tcp, high bits",
	 __NR_socket,
	 {AF_INET | BIT32, SOCK_STREAM | BIT32, BIT32},
	 VERDICT_ALLOW},
	{"raw", __NR_socket, {AF_INET, SOCK_RAW, 6}, VERDICT_EPERM},
	{"raw, high bit", __NR_socket, {AF_INET, SOCK_RAW | BIT32, 6}, VERDICT_EPERM},
	{"ping", __NR_socket, {AF_INET, SOCK_DGRAM, 1}, VERDICT_EPERM},
	{"mptcp", __NR_socket, {AF_INET, SOCK_STREAM, 262}, VERDICT_EPERM},
	{"mptcp, high bit", __NR_socket, {AF_INET, SOCK_STREAM, 262 | BIT32}, VERDICT_EPERM},
	{"sctp", __NR_socket, {AF_INET, SOCK_STREAM, 132}, VERDICT_EPERM},
	{"sctp by default", __NR_socket, {AF_INET, SOCK_SEQPACKET, 0}, VERDICT_EPERM},
	{"udp-lite", __NR_socket, {AF_INET6, SOCK_DGRAM, 136}, VERDICT_EPERM},
	{"dccp", __NR_socket, {AF_INET, 6, 33}, VERDICT_EPERM},
	{"unspec", __NR_socket, {AF_UNSPEC, SOCK_STREAM, 0}, VERDICT_EPERM},
	{"netlink", __NR_socket, {AF_NETLINK, SOCK_RAW, 0}, VERDICT_EPERM},
	{"packet", __NR_socket, {AF_PACKET, SOCK_DGRAM, 0}, VERDICT_EPERM},
	{"rxrpc", __NR_socket, {33, SOCK_DGRAM, 2}, VERDICT_EPERM},
	{"alg", __NR_socket, {38, SOCK_SEQPACKET, 0}, VERDICT_EPERM},
	{"alg, high bit", __NR_socket, {38 | BIT32, SOCK_SEQPACKET, 0}, VERDICT_EPERM},
	{"vsock", __NR_socket, {40, SOCK_STREAM, 0}, VERDICT_EPERM},
	{"vsock, high bit", __NR_socket, {40 | BIT32, SOCK_STREAM, 0}, VERDICT_EPERM},
	{"tipc", __NR_socket, {30, SOCK_SEQPACKET, 0}, VERDICT_EPERM},
	{"xdp", __NR_socket, {44, SOCK_RAW, 0}, VERDICT_EPERM},
	{"unix pair", __NR_socketpair, {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0}, VERDICT_ALLOW},
	{"tipc pair", __NR_socketpair, {30, SOCK_STREAM, 0}, VERDICT_EPERM},
	{"inet pair", __NR_socketpair, {AF_INET, SOCK_STREAM, 0}, VERDICT_EPERM},
	{"nodelay", __NR_setsockopt, {0, 6, 1}, VERDICT_ALLOW},
	{"reuseaddr", __NR_setsockopt, {0, SOL_SOCKET, SO_REUSEADDR}, VERDICT_ALLOW},
	{"v6only", __NR_setsockopt, {0, 41, 26}, VERDICT_ALLOW},
	{"tls or espintcp", __NR_setsockopt, {0, 6, 31}, VERDICT_EPERM},
	{"the same, high bits", __NR_setsockopt, {0, 6 | BIT32, 31 | BIT32}, VERDICT_EPERM},
	{"udp encap", __NR_setsockopt, {0, 17, 100}, VERDICT_EPERM},
	{"classic bpf", __NR_setsockopt, {0, SOL_SOCKET, SO_ATTACH_FILTER}, VERDICT_EPERM},
	{"who the peer is", __NR_getsockopt, {0, SOL_SOCKET, SO_PEERCRED}, VERDICT_ALLOW},
	{"a hold on the peer", __NR_getsockopt, {0, SOL_SOCKET, 77}, VERDICT_EPERM},
	{"the same of a message", __NR_setsockopt, {0, SOL_SOCKET, 76}, VERDICT_EPERM},
	{"77 of TCP", __NR_getsockopt, {0, 6, 77}, VERDICT_ALLOW},
	{"a close that waits", __NR_setsockopt, {0, SOL_SOCKET, SO_LINGER}, VERDICT_EPERM},
	{"netlink level", __NR_setsockopt, {0, 270, 1}, VERDICT_EPERM},
	{"a thread", __NR_clone, {0x3d0f00}, VERDICT_ALLOW},
	{"a child", __NR_clone, {0x1200011}, VERDICT_ALLOW},
	{"user namespace", __NR_clone, {CLONE_NEWUSER | SIGCHLD}, VERDICT_EPERM},
	{"user namespace, high bit", __NR_clone, {CLONE_NEWUSER | BIT32}, VERDICT_EPERM},
	{"mount namespace", __NR_clone, {CLONE_NEWNS}, VERDICT_EPERM},
	{"net namespace", __NR_clone, {CLONE_NEWNET}, VERDICT_EPERM},
	{"pid namespace", __NR_clone, {CLONE_NEWPID}, VERDICT_EPERM},
	{"cgroup namespace", __NR_clone, {CLONE_NEWCGROUP}, VERDICT_EPERM},
	{"ipc namespace", __NR_clone, {CLONE_NEWIPC}, VERDICT_EPERM},
	{"uts namespace", __NR_clone, {CLONE_NEWUTS}, VERDICT_EPERM},
	{"time namespace", __NR_clone, {0x80}, VERDICT_EPERM},
	{"a sibling", __NR_clone, {CLONE_PARENT | SIGCHLD}, VERDICT_EPERM},
	{"clone3", 435, {0}, VERDICT_ENOSYS},
	{"plain personality", __NR_personality, {0}, VERDICT_ALLOW},
	{"ask the personality", __NR_personality, {0xffffffff}, VERDICT_ALLOW},
	{"ask with all bits", __NR_personality, {~0ull}, VERDICT_ALLOW},
	{"no randomisation", __NR_personality, {0x0040000}, VERDICT_EPERM},
	{"read implies exec", __NR_personality, {0x0400000 | BIT32}, VERDICT_EPERM},
	{"own limits", __NR_prlimit64, {0, 7}, VERDICT_ALLOW},
	{"ask for the core limit", __NR_prlimit64, {0, 4, 0, 4096}, VERDICT_ALLOW},
	{"set another limit", __NR_prlimit64, {0, 7, 4096, 0}, VERDICT_ALLOW},
	{"set the core limit", __NR_prlimit64, {0, 4, 4096, 0}, VERDICT_EPERM},
	{"set it from a round address", __NR_prlimit64, {0, 4, BIT32, 0}, VERDICT_EPERM},
	{"set it from a high address", __NR_prlimit64, {0, 4, 0x7ffful << 32, 0}, VERDICT_EPERM},
	{"set it, high bits", __NR_prlimit64, {BIT32, 4 | BIT32, 4096, 0}, VERDICT_EPERM},
	{"another's core limit", __NR_prlimit64, {1, 4, 0, 4096}, VERDICT_EPERM},
	{"fewer files", __NR_setrlimit, {7, 4096}, VERDICT_ALLOW},
	{"core limit", __NR_setrlimit, {4, 4096}, VERDICT_EPERM},
	{"core limit, high bit", __NR_setrlimit, {4 | BIT32, 4096}, VERDICT_EPERM},
	{"limits of pid 1", __NR_prlimit64, {1, 7}, VERDICT_EPERM},
	{"limits of pid 1, high bit", __NR_prlimit64, {1 | BIT32, 7}, VERDICT_EPERM},
	{"isatty", __NR_ioctl, {0, TCGETS}, VERDICT_ALLOW},
	{"isatty, newer", __NR_ioctl, {0, 0x802c542a}, VERDICT_ALLOW},
	{"isatty, sign extended", __NR_ioctl, {0, 0xffffffff802c542a}, VERDICT_ALLOW},
	{"window size", __NR_ioctl, {0, TIOCGWINSZ}, VERDICT_ALLOW},
	{"bytes to read", __NR_ioctl, {0, FIONREAD}, VERDICT_ALLOW},
	{"nonblocking", __NR_ioctl, {0, FIONBIO}, VERDICT_ALLOW},
	{"close on exec", __NR_ioctl, {0, FIOCLEX}, VERDICT_ALLOW},
	{"clone a file", __NR_ioctl, {0, FICLONE}, VERDICT_ALLOW},
	{"type into a terminal", __NR_ioctl, {0, TIOCSTI}, VERDICT_EPERM},
	{"the same, high bit", __NR_ioctl, {0, TIOCSTI | BIT32}, VERDICT_EPERM},
	{"console", __NR_ioctl, {0, TIOCLINUX}, VERDICT_EPERM},
	{"console, high bit", __NR_ioctl, {0, TIOCLINUX | BIT32}, VERDICT_EPERM},
	{"console output", __NR_ioctl, {0, TIOCCONS}, VERDICT_EPERM},
	{"line discipline", __NR_ioctl, {0, TIOCSETD}, VERDICT_EPERM},
	{"deduplicate", __NR_ioctl, {0, FIDEDUPERANGE}, VERDICT_EPERM},
	{"inode flags", __NR_ioctl, {0, FS_IOC_SETFLAGS}, VERDICT_EPERM},
	{"watch queue", __NR_ioctl, {0, 0x5760}, VERDICT_EPERM},
	{"namespace parent", __NR_ioctl, {0, 0xb702}, VERDICT_EPERM},
	{"lock", __NR_fcntl, {0, F_SETLK}, VERDICT_ALLOW},
	{"dup", __NR_fcntl, {0, F_DUPFD_CLOEXEC}, VERDICT_ALLOW},
	{"seal", __NR_fcntl, {0, F_ADD_SEALS}, VERDICT_ALLOW},
	{"lease", __NR_fcntl, {0, F_SETLEASE}, VERDICT_EPERM},
	{"lease, high bit", __NR_fcntl, {0, F_SETLEASE | BIT32}, VERDICT_EPERM},
	{"dnotify", __NR_fcntl, {0, F_NOTIFY}, VERDICT_EPERM},
	{"name a thread", __NR_prctl, {PR_SET_NAME}, VERDICT_ALLOW},
	{"name memory", __NR_prctl, {0x53564d41}, VERDICT_ALLOW},
	{"die with the parent", __NR_prctl, {PR_SET_PDEATHSIG}, VERDICT_ALLOW},
	{"no new privileges", __NR_prctl, {PR_SET_NO_NEW_PRIVS}, VERDICT_ALLOW},
	{"own filter", __NR_prctl, {PR_SET_SECCOMP}, VERDICT_ALLOW},
	{"memory map", __NR_prctl, {PR_SET_MM}, VERDICT_EPERM},
	{"memory map, high bit", __NR_prctl, {PR_SET_MM | BIT32}, VERDICT_EPERM},
	{"core scheduling", __NR_prctl, {62}, VERDICT_EPERM},
	{"same-page merging", __NR_prctl, {67}, VERDICT_EPERM},
	{"own filter, flags", __NR_seccomp, {1, SECCOMP_FILTER_FLAG_TSYNC}, VERDICT_ALLOW},
	{"a listener", __NR_seccomp, {1, SECCOMP_FILTER_FLAG_NEW_LISTENER}, VERDICT_EPERM},
	{"a listener, high bit", __NR_seccomp, {1, 8 | BIT32}, VERDICT_EPERM},
	{"memory", __NR_mmap, {0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS}, VERDICT_ALLOW},
	{"compiled code", __NR_mmap, {0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS}, VERDICT_ALLOW},
	{"huge pages",
	 __NR_mmap,
	 {0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB},
	 VERDICT_EPERM},
	{"shared segment", __NR_shmget, {0, 4096, 01600}, VERDICT_ALLOW},
	{"huge shared memory", __NR_shmget, {0, 4096, 04000}, VERDICT_EPERM},
	{"free memory", __NR_madvise, {0, 0, MADV_DONTNEED}, VERDICT_ALLOW},
	{"guard pages", __NR_madvise, {0, 0, 102}, VERDICT_ALLOW},
	{"mergeable", __NR_madvise, {0, 0, MADV_MERGEABLE}, VERDICT_EPERM},
	{"mergeable, high bit", __NR_madvise, {0, 0, MADV_MERGEABLE | BIT32}, VERDICT_EPERM},
	{"a pipe by name", __NR_mknodat, {0, 0, S_IFIFO | 0600}, VERDICT_ALLOW},
	{"a device", __NR_mknodat, {0, 0, S_IFCHR | 0600}, VERDICT_EPERM},
	{"a device, high bits", __NR_mknodat, {0, 0, S_IFBLK | BIT32 | 1 << 16}, VERDICT_EPERM},
	{"memfd", __NR_memfd_create, {0, 1}, VERDICT_ALLOW},
	{"executable memfd", __NR_memfd_create, {0, 0x10}, VERDICT_ALLOW},
	{"huge memfd", __NR_memfd_create, {0, 4}, VERDICT_EPERM},
	{"execveat", __NR_execveat, {0}, VERDICT_ALLOW},
	{"kill", __NR_kill, {1}, VERDICT_ALLOW},
	{"flock", __NR_flock, {0}, VERDICT_ALLOW},
	{"inotify", __NR_inotify_add_watch, {0}, VERDICT_ALLOW},
	{"landlock", __NR_landlock_restrict_self, {0}, VERDICT_ALLOW},
};

static const struct promise promises_listed[] = {
	{"memfd", __NR_memfd_create, {0, 0}, VERDICT_ENOSYS},
	{"memfd, cloexec", __NR_memfd_create, {0, 1}, VERDICT_ENOSYS},
	{"sealed memfd", __NR_memfd_create, {0, 8}, VERDICT_ENOSYS},
	{"sealed memfd, flags", __NR_memfd_create, {0, 8 | 1 | 2}, VERDICT_ENOSYS},
	{"seal in the high word", __NR_memfd_create, {0, 8 * BIT32}, VERDICT_ENOSYS},
	{"both", __NR_memfd_create, {0, 0x18}, VERDICT_ENOSYS},
	{"executable", __NR_memfd_create, {0, 0x10}, VERDICT_ENOSYS},
	{"huge", __NR_memfd_create, {0, 0xc}, VERDICT_ENOSYS},
};

/* Where no group counts memory: none that lives without a process. */
static const struct promise promises_by_rlimit[] = {
	{"memfd", __NR_memfd_create, {0, 1}, VERDICT_ENOSYS},
	{"huge memfd", __NR_memfd_create, {0, 4}, VERDICT_ENOSYS},
	{"shared segment", __NR_shmget, {0, 4096, 01600}, VERDICT_EPERM},
	{"shared mapping", __NR_mmap, {0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS}, VERDICT_ALLOW},
};

/* Where a directory of the host is granted: it may hold a socket. */
static const struct promise promises_sockets[] = {
	{"Unix socket", __NR_socket, {AF_UNIX, SOCK_STREAM, 0}, VERDICT_EPERM},
	{"Unix socket, high bit", __NR_socket, {AF_UNIX | BIT32, SOCK_DGRAM, 0}, VERDICT_EPERM},
	{"Unix pair", __NR_socketpair, {AF_UNIX, SOCK_STREAM, 0}, VERDICT_ALLOW},
	{"TCP", __NR_socket, {AF_INET, SOCK_STREAM, 0}, VERDICT_ALLOW},
	{"TCP 6", __NR_socket, {AF_INET6, SOCK_STREAM, 6}, VERDICT_ALLOW},
	{"netlink", __NR_socket, {AF_NETLINK, SOCK_RAW, 0}, VERDICT_EPERM},
};

/* Without the option each of these is allowed. */
static const struct promise promises_writable[] = {
	{"set-uid", __NR_fchmodat, {0, 0, 04755}, VERDICT_EPERM},
	{"set-gid", __NR_fchmodat, {0, 0, 02755}, VERDICT_EPERM},
	{"both, high bit", __NR_fchmodat, {0, 0, 06755 | BIT32}, VERDICT_EPERM},
	{"set-uid of an open file", __NR_fchmod, {0, 04755}, VERDICT_EPERM},
	{"the same, high bit", __NR_fchmod, {0, 04755 | BIT32}, VERDICT_EPERM},
	{"set-uid, new call", 452, {0, 0, 04755}, VERDICT_EPERM},
	{"the same, high bit", 452, {0, 0, 04755 | BIT32}, VERDICT_EPERM},
	{"born set-uid", __NR_openat, {0, 0, O_CREAT | O_WRONLY, 04755}, VERDICT_EPERM},
	{"born set-gid", __NR_openat, {0, 0, O_CREAT | O_RDONLY, 02755}, VERDICT_EPERM},
	{"high bits", __NR_openat, {0, 0, O_CREAT | BIT32, 04755 | BIT32}, VERDICT_EPERM},
	{"born without a name", __NR_openat, {0, 0, O_TMPFILE | O_RDWR, 04755}, VERDICT_EPERM},
	{"a set-uid node", __NR_mknodat, {0, 0, S_IFREG | 04755}, VERDICT_EPERM},
	{"the same, high bit", __NR_mknodat, {0, 0, S_IFREG | 04755 | BIT32}, VERDICT_EPERM},
	{"a mode behind a pointer", 437, {0}, VERDICT_ENOSYS},
#ifdef __x86_64__
	{"set-uid", __NR_chmod, {0, 04755}, VERDICT_EPERM},
	{"set-uid, high bit", __NR_chmod, {0, 04755 | BIT32}, VERDICT_EPERM},
	{"born set-uid", __NR_open, {0, O_CREAT | O_TRUNC, 04755}, VERDICT_EPERM},
	{"born set-uid, high bit", __NR_open, {0, O_CREAT, 04755 | BIT32}, VERDICT_EPERM},
	{"born set-gid", __NR_creat, {0, 02755}, VERDICT_EPERM},
	{"born set-gid, high bit", __NR_creat, {0, 02755 | BIT32}, VERDICT_EPERM},
	{"a set-uid node", __NR_mknod, {0, S_IFREG | 04755}, VERDICT_EPERM},
	{"the same, high bit", __NR_mknod, {0, S_IFREG | 04755 | BIT32}, VERDICT_EPERM},
#endif
};

/* Whatever the options are. */
static const struct promise promises_always[] = {
	{"chmod", __NR_fchmodat, {0, 0, 0755}, VERDICT_ALLOW},
	{"sticky", __NR_fchmodat, {0, 0, 01777}, VERDICT_ALLOW},
	{"chmod, bits beyond the mode", __NR_fchmod, {0, 0755 | 6ull << 42}, VERDICT_ALLOW},
	{"open, anything for a mode", __NR_openat, {0, 0, O_RDWR, ~0ull}, VERDICT_ALLOW},
	{"a directory", __NR_openat, {0, 0, O_DIRECTORY, 04755}, VERDICT_ALLOW},
	{"create", __NR_openat, {0, 0, O_CREAT | O_EXCL | O_RDWR, 0666}, VERDICT_ALLOW},
	{"no name", __NR_openat, {0, 0, O_TMPFILE | O_RDWR, 0600}, VERDICT_ALLOW},
	{"a new directory", __NR_mkdirat, {0, 0, 02755}, VERDICT_ALLOW}, /* the kernel drops it */
	{"a pipe by name", __NR_mknodat, {0, 0, S_IFIFO | 0600}, VERDICT_ALLOW},
	{"a device", __NR_mknodat, {0, 0, S_IFCHR | 0600}, VERDICT_EPERM},
};
/* clang-format on */

static const uint32_t refused[] = {
	__NR_ptrace,
	__NR_process_vm_readv,
	__NR_process_vm_writev,
	__NR_kcmp,
	438 /* pidfd_getfd */,
	425 /* io_uring_* */,
	426,
	427,
	__NR_userfaultfd,
	__NR_bpf,
	__NR_perf_event_open,
	__NR_keyctl,
	__NR_add_key,
	__NR_request_key,
	__NR_mount,
	__NR_umount2,
	__NR_pivot_root,
	__NR_chroot,
	428 /* open_tree and its family */,
	429,
	430,
	431,
	432,
	433,
	442,
	467,
	__NR_unshare,
	__NR_setns,
	__NR_name_to_handle_at,
	__NR_open_by_handle_at,
	__NR_fanotify_init,
	__NR_fanotify_mark,
	__NR_quotactl,
	__NR_io_setup,
	__NR_io_submit,
	447 /* memfd_secret */,
	451 /* cachestat */,
	__NR_clock_adjtime,
	__NR_adjtimex,
	__NR_settimeofday,
	__NR_clock_settime,
	__NR_sched_setscheduler,
	__NR_sched_setattr,
	__NR_ioprio_set,
	__NR_swapon,
	__NR_reboot,
	__NR_kexec_load,
	__NR_init_module,
	__NR_finit_module,
	__NR_acct,
	__NR_syslog,
	__NR_vhangup,
	__NR_move_pages,
	__NR_migrate_pages,
#ifdef __x86_64__
	__NR_modify_ldt,
	__NR_iopl,
	__NR_ioperm,
#endif
};

static void keep(const struct seccomp_options *options, const struct promise *list, size_t n)
{
	compile(options);
	for (size_t i = 0; i < n; i++) {
		uint64_t args[6] = {0};

		memcpy(args, list[i].args, sizeof(list[i].args));
		if (seccomp_judge(options, SYSCALLS_ARCH, list[i].nr, args) != list[i].verdict) {
			printf("# not as promised: %s\n", list[i].what);
			tap_failures++;
		}
		CHECK(agree(options, SYSCALLS_ARCH, list[i].nr, args));
	}
}

TEST(the_table_keeps_its_promises)
{
	keep(&plain, promises, ARRAY_LEN(promises));
	keep(&listed, promises_listed, ARRAY_LEN(promises_listed));
	keep(&strictest, promises_listed, ARRAY_LEN(promises_listed));
	keep(&by_rlimit, promises_by_rlimit, ARRAY_LEN(promises_by_rlimit));
	keep(&strictest, promises_by_rlimit, ARRAY_LEN(promises_by_rlimit));
	keep(&sockets, promises_sockets, ARRAY_LEN(promises_sockets));
	keep(&strictest, promises_sockets, ARRAY_LEN(promises_sockets));
	keep(&writable, promises_writable, ARRAY_LEN(promises_writable));
	keep(&strictest, promises_writable, ARRAY_LEN(promises_writable));
	for (size_t i = 0; i < ARRAY_LEN(filters); i++)
		keep(filters[i], promises_always, ARRAY_LEN(promises_always));
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		CHECK(seccomp_judge(&plain, SYSCALLS_ARCH, refused[i], no_args) == VERDICT_EPERM);
}

TEST(set_uid_is_refused_only_where_the_host_is_writable)
{
	for (size_t i = 0; i < ARRAY_LEN(promises_writable); i++) {
		uint64_t args[6] = {0};

		memcpy(args, promises_writable[i].args, sizeof(promises_writable[i].args));
		CHECK(seccomp_judge(&plain, SYSCALLS_ARCH, promises_writable[i].nr, args) ==
		      VERDICT_ALLOW);
		CHECK(seccomp_judge(&listed, SYSCALLS_ARCH, promises_writable[i].nr, args) ==
		      VERDICT_ALLOW);
	}
}
