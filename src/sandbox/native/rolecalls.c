/* SPDX-License-Identifier: Apache-2.0 */
/* rolecalls.c - system calls that roles of belljar have in common, by what they are for. */
#include <sys/syscall.h>

#include "base/own.h"
#include "sandbox/native/rolecalls.h"

#define ROWS(name) const struct role_calls role_##name = {name##_calls, ARRAY_LEN(name##_calls)}

static const struct role_call always_calls[] = {
	{.nr = __NR_read, .why = "what is open"},
	{.nr = __NR_write, .why = "what is open"},
	{.nr = __NR_readv, .why = "what is open"},
	{.nr = __NR_writev, .why = "what is open"},
	{.nr = __NR_close, .why = "what is open"},
	{.nr = __NR_lseek, .why = "what is open"},
	{.nr = __NR_fstat, .why = "what is open"},
	{.nr = __NR_newfstatat, .why = "fstat, as libc calls it"},
	{.nr = __NR_fcntl, .why = "flags, locks, copies"},
	{.nr = __NR_ppoll, .why = "waiting"},
	{.nr = __NR_brk, .why = "memory"},
	{.nr = __NR_munmap, .why = "memory"},
	{.nr = __NR_mremap, .why = "memory"},
	{.nr = __NR_madvise, .why = "memory"},
	{.nr = __NR_futex, .why = "libc's locks"},
	{.nr = __NR_getrandom, .why = "chance"},
	{.nr = __NR_clock_gettime, .why = "time"},
	{.nr = __NR_clock_nanosleep, .why = "time"},
	{.nr = __NR_nanosleep, .why = "time"},
	{.nr = __NR_gettimeofday, .why = "time"},
	{.nr = __NR_restart_syscall, .why = "the kernel's own way on"},
	{.nr = __NR_getpid, .why = "who we are"},
	{.nr = __NR_gettid, .why = "who we are"},
	{.nr = __NR_getuid, .why = "who we are"},
	{.nr = __NR_geteuid, .why = "who we are"},
	{.nr = __NR_getgid, .why = "who we are"},
	{.nr = __NR_getegid, .why = "who we are"},
	{.nr = __NR_rt_sigaction, .why = "our own signals"},
	{.nr = __NR_rt_sigprocmask, .why = "our own signals"},
	{.nr = __NR_rt_sigreturn, .why = "our own signals"},
	{.nr = __NR_sigaltstack, .why = "our own signals"},
	{.nr = __NR_tgkill, .why = "abort; whom it may hit, Landlock and the uid say"},
	{.nr = __NR_exit, .why = "the end"},
	{.nr = __NR_exit_group, .why = "the end"},
#ifdef __x86_64__
	{.nr = __NR_poll, .why = "waiting"},
	{.nr = __NR_time, .why = "time"},
#endif
};
ROWS(always);

static const struct role_call messages_calls[] = {
	{.nr = __NR_sendto, .why = "sockets that exist"},
	{.nr = __NR_sendmsg, .why = "sockets that exist"},
	{.nr = __NR_recvfrom, .why = "sockets that exist"},
	{.nr = __NR_recvmsg, .why = "sockets that exist"},
	{.nr = __NR_getsockopt, .why = "who the peer is"},
	{.nr = __NR_shutdown, .why = "the end of a talk"},
};
ROWS(messages);

static const struct role_call loop_calls[] = {
	{.nr = __NR_epoll_create1, .why = "waiting for many"},
	{.nr = __NR_epoll_ctl, .why = "waiting for many"},
	{.nr = __NR_epoll_pwait, .why = "waiting for many"},
	{.nr = __NR_timerfd_create, .why = "deadlines"},
	{.nr = __NR_timerfd_settime, .why = "deadlines"},
	{.nr = __NR_signalfd4, .why = "our own signals"},
	{.nr = __NR_eventfd2, .why = "our own events"},
#ifdef __x86_64__
	{.nr = __NR_epoll_wait, .why = "waiting for many"},
#endif
};
ROWS(loop);

static const struct role_call reading_calls[] = {
	{.nr = __NR_openat, .why = "files"},
	{.nr = __NR_pread64, .why = "files"},
	{.nr = __NR_preadv, .why = "files"},
	{.nr = __NR_statx, .why = "files"},
	{.nr = __NR_getdents64, .why = "directories"},
	{.nr = __NR_fchdir, .why = "directories"},
	{.nr = __NR_faccessat, .why = "files"},
	{.nr = __NR_readlinkat, .why = "links"},
	{.nr = __NR_flock, .why = "beside a writer"},
#ifdef __x86_64__
	{.nr = __NR_open, .why = "files"},
	{.nr = __NR_stat, .why = "files"},
	{.nr = __NR_lstat, .why = "files"},
	{.nr = __NR_access, .why = "files"},
	{.nr = __NR_readlink, .why = "links"},
#endif
};
ROWS(reading);

static const struct role_call writing_calls[] = {
	{.nr = __NR_pwrite64, .why = "files"},
	{.nr = __NR_pwritev, .why = "files"},
	{.nr = __NR_fsync, .why = "that it is on disk"},
	{.nr = __NR_fdatasync, .why = "that it is on disk"},
	{.nr = __NR_syncfs, .why = "that it is on disk"},
	{.nr = __NR_sync_file_range, .why = "that it is on disk"},
	{.nr = __NR_ftruncate, .why = "files"},
	{.nr = __NR_fallocate, .why = "files"},
	{.nr = __NR_renameat, .why = "names"},
	{.nr = __NR_renameat2, .why = "names"},
	{.nr = __NR_unlinkat, .why = "names"},
	{.nr = __NR_mkdirat, .why = "names"},
	{.nr = __NR_linkat, .why = "names"},
	{.nr = __NR_fchmod, .why = "modes of our own files"},
	{.nr = __NR_utimensat, .why = "times of our own files"},
	{.nr = __NR_umask, .why = "modes of our own files"},
#ifdef __x86_64__
	{.nr = __NR_rename, .why = "names"},
	{.nr = __NR_unlink, .why = "names"},
	{.nr = __NR_mkdir, .why = "names"},
	{.nr = __NR_link, .why = "names"},
	{.nr = __NR_rmdir, .why = "names"},
	{.nr = __NR_chmod, .why = "modes of our own files"},
#endif
};
ROWS(writing);

static const struct role_call memory_calls[] = {
	{.nr = __NR_memfd_create, .why = "bodies that do not fit into a message"},
	{.nr = __NR_ftruncate, .why = "their size"},
	{.nr = __NR_pread64, .why = "those of others"},
	{.nr = __NR_pwrite64, .why = "our own"},
};
ROWS(memory);
