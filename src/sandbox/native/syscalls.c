/* SPDX-License-Identifier: Apache-2.0 */
/* syscalls.c - the table: what a program in the box may ask the kernel, and why.
 *
 * One row per system call of x86_64 and aarch64.  A number without a row is
 * unknown to us and does not exist inside (ENOSYS); a row may say the same, so
 * that programs use the older call they would use on an older kernel.
 *
 * "Allowed" is not "granted": the kernel still asks for permissions and
 * capabilities, and inside there are none of the latter.  What is refused here
 * is refused because it reaches beyond the box, or because it opens parts of
 * the kernel that the programs we run do not need.
 */
#include "sandbox/native/syscalls.h"

#include "base/own.h"
#include "sandbox/native/syscall_numbers.h"

#define ALLOW(name, why)                                                                \
	{                                                                               \
		__NR_##name, {VERDICT_ALLOW, RULE_NONE}, OCCASION_NONE, {0}, #name, why \
	}
#define REFUSE(name, why)                                                               \
	{                                                                               \
		__NR_##name, {VERDICT_EPERM, RULE_NONE}, OCCASION_NONE, {0}, #name, why \
	}
#define ABSENT(name, why)                                                                \
	{                                                                                \
		__NR_##name, {VERDICT_ENOSYS, RULE_NONE}, OCCASION_NONE, {0}, #name, why \
	}
/* Allowed if the rule holds, refused if not. */
#define JUDGE(name, rule, why)                                                     \
	{                                                                          \
		__NR_##name, {VERDICT_ALLOW, rule}, OCCASION_NONE, {0}, #name, why \
	}
/* The same, but on an occasion a stricter rule. */
#define JUDGE_BY(name, rule, occasion, strict, why)                                               \
	{                                                                                         \
		__NR_##name, {VERDICT_ALLOW, rule}, occasion, {VERDICT_ALLOW, strict}, #name, why \
	}
/* Gives a file its mode.  Where files of the host may be written, not set-uid and set-gid. */
#define MODE(name, rule, why)                                                    \
	{                                                                        \
		__NR_##name, {VERDICT_ALLOW, RULE_NONE}, OCCASION_HOST_WRITABLE, \
			{VERDICT_ALLOW, rule}, #name, why                        \
	}

/* clang-format off: one row per line */
const struct syscall_row syscalls[] = {
	/* Reading and writing what is open already. */
	ALLOW(read, "a descriptor the program holds"),
	ALLOW(write, "a descriptor the program holds"),
	ALLOW(readv, "read in pieces"),
	ALLOW(writev, "write in pieces"),
	ALLOW(pread64, "read at an offset"),
	ALLOW(pwrite64, "write at an offset"),
	ALLOW(preadv, "read in pieces at an offset"),
	ALLOW(pwritev, "write in pieces at an offset"),
	ALLOW(preadv2, "preadv with flags"),
	ALLOW(pwritev2, "pwritev with flags"),
	ALLOW(lseek, "own file position"),
	ALLOW(sendfile, "copy between own descriptors"),
	ALLOW(copy_file_range, "copy between own descriptors"),
	ALLOW(splice, "copy through a pipe"),
	ALLOW(tee, "copy between pipes"),
	REFUSE(vmsplice, "pins memory across fork: a child may read what its parent writes later"),
	ALLOW(fsync, "own files reach the disk"),
	ALLOW(fdatasync, "own files reach the disk"),
	ALLOW(sync_file_range, "own files reach the disk"),
	REFUSE(sync, "flushes every disk of the host"),
	REFUSE(syncfs, "flushes a whole file system of the host"),
	ALLOW(readahead, "a hint"),
	ALLOW(fadvise64, "a hint"),
	REFUSE(cachestat, "tells which file pages others have used"),
	ALLOW(fallocate, "within the disk limit"),
	ALLOW(ftruncate, "a file open for writing"),
	ALLOW(flock, "locks cross on granted files only: the root is an overlay of its own"),
	JUDGE(fcntl, RULE_FCNTL, "no leases, no dnotify"),
	JUDGE(ioctl, RULE_IOCTL, "the everyday requests only"),
	ALLOW(dup, "own descriptors"),
	ALLOW(dup3, "own descriptors"),
	ALLOW(close, "own descriptors"),
	ALLOW(close_range, "own descriptors"),
	ALLOW(pipe2, "own pipe"),

	/* Files by name: mounts, permissions and Landlock decide. */
	MODE(openat, RULE_OPENAT_PLAIN, "mounts and Landlock decide"),
	{__NR_openat2,
	 {VERDICT_ALLOW, RULE_NONE},
	 OCCASION_HOST_WRITABLE,
	 {VERDICT_ENOSYS, RULE_NONE},
	 "openat2",
	 "openat with more refusals; but its mode is behind a pointer"},
	ALLOW(getdents64, "lists an open directory"),
	ALLOW(getcwd, "own working directory"),
	ALLOW(chdir, "own working directory"),
	ALLOW(fchdir, "own working directory"),
	ALLOW(newfstatat, "about a file"),
	ALLOW(fstat, "about an open file"),
	ALLOW(statx, "about a file"),
	ALLOW(statfs, "about a mount in the box"),
	ALLOW(fstatfs, "about a mount in the box"),
	ALLOW(faccessat, "asks, changes nothing"),
	ALLOW(faccessat2, "asks, changes nothing"),
	ALLOW(readlinkat, "reads a link"),
	ALLOW(truncate, "mounts and Landlock decide"),
	ALLOW(mkdirat, "mounts and Landlock decide"),
	JUDGE_BY(mknodat, RULE_MKNODAT, OCCASION_HOST_WRITABLE, RULE_MKNODAT_PLAIN,
		 "files, pipes and sockets, no devices"),
	ALLOW(unlinkat, "mounts and Landlock decide"),
	ALLOW(renameat, "mounts and Landlock decide"),
	ALLOW(renameat2, "mounts and Landlock decide"),
	ALLOW(linkat, "mounts and Landlock decide"),
	ALLOW(symlinkat, "mounts and Landlock decide"),
	MODE(fchmod, RULE_CHMOD_PLAIN, "own files; writable mounts are nosuid"),
	MODE(fchmodat, RULE_FCHMODAT_PLAIN, "own files; writable mounts are nosuid"),
	MODE(fchmodat2, RULE_FCHMODAT_PLAIN, "own files; writable mounts are nosuid"),
	ALLOW(fchown, "own files, and there is one user id"),
	ALLOW(fchownat, "own files, and there is one user id"),
	ALLOW(utimensat, "times of own files"),
	ALLOW(umask, "own files"),
	ALLOW(setxattr, "attributes of own files"),
	ALLOW(lsetxattr, "attributes of own files"),
	ALLOW(fsetxattr, "attributes of own files"),
	ALLOW(setxattrat, "attributes of own files"),
	ALLOW(getxattr, "attributes of a file"),
	ALLOW(lgetxattr, "attributes of a file"),
	ALLOW(fgetxattr, "attributes of a file"),
	ALLOW(getxattrat, "attributes of a file"),
	ALLOW(listxattr, "attributes of a file"),
	ALLOW(llistxattr, "attributes of a file"),
	ALLOW(flistxattr, "attributes of a file"),
	ALLOW(listxattrat, "attributes of a file"),
	ALLOW(removexattr, "attributes of own files"),
	ALLOW(lremovexattr, "attributes of own files"),
	ALLOW(fremovexattr, "attributes of own files"),
	ALLOW(removexattrat, "attributes of own files"),
	ALLOW(file_getattr, "inode flags, reading only"),
	REFUSE(file_setattr, "inode flags, as FS_IOC_SETFLAGS"),
	ALLOW(inotify_init1, "watches do not cross boxes: the root is an overlay of its own"),
	ALLOW(inotify_add_watch, "counted against the box's user id"),
	ALLOW(inotify_rm_watch, "own watch"),
	REFUSE(fanotify_init, "watches whole file systems"),
	REFUSE(fanotify_mark, "watches whole file systems"),
	REFUSE(name_to_handle_at, "handles go around the mount tree"),
	REFUSE(open_by_handle_at, "handles go around the mount tree"),
	REFUSE(lookup_dcookie, "profiling; paths of the host"),
	REFUSE(quotactl, "quotas of the host's disks"),
	REFUSE(quotactl_fd, "quotas of the host's disks"),

	/* Mounts and roots: made before the program starts, and final. */
	REFUSE(mount, "the box's mounts are final"),
	REFUSE(umount2, "what is mounted over stays hidden"),
	REFUSE(pivot_root, "the box's root is final"),
	REFUSE(chroot, "the box's root is final"),
	REFUSE(open_tree, "mounts by descriptor"),
	REFUSE(open_tree_attr, "mounts by descriptor"),
	REFUSE(move_mount, "mounts by descriptor"),
	REFUSE(fsopen, "mounts by descriptor"),
	REFUSE(fsconfig, "mounts by descriptor"),
	REFUSE(fsmount, "mounts by descriptor"),
	REFUSE(fspick, "mounts by descriptor"),
	REFUSE(mount_setattr, "read-only stays read-only"),
	ABSENT(statmount, "programs then read /proc/self/mountinfo"),
	ABSENT(listmount, "programs then read /proc/self/mountinfo"),

	/* Memory. */
	ALLOW(brk, "own memory, counted"),
	JUDGE(mmap, RULE_MMAP, "own memory, counted; no huge pages of the host's"),
	ALLOW(munmap, "own memory"),
	ALLOW(mremap, "own memory, counted"),
	ALLOW(mprotect, "own memory; runtimes compile"),
	ALLOW(pkey_mprotect, "own memory; V8 guards its code with it"),
	ALLOW(pkey_alloc, "own memory"),
	ALLOW(pkey_free, "own memory"),
	ALLOW(mseal, "own memory, may only tighten"),
	ALLOW(map_shadow_stack, "hardware return stack of own threads"),
	JUDGE(madvise, RULE_MADVISE, "no merging with others' pages"),
	ALLOW(mincore, "own and writable pages; the kernel hides the rest"),
	ALLOW(msync, "own mapping"),
	ALLOW(mlock, "RLIMIT_MEMLOCK"),
	ALLOW(mlock2, "RLIMIT_MEMLOCK"),
	ALLOW(munlock, "own memory"),
	ALLOW(mlockall, "RLIMIT_MEMLOCK"),
	ALLOW(munlockall, "own memory"),
	ALLOW(membarrier, "own threads; runtimes need it"),
	REFUSE(remap_file_pages, "obsolete; mmap does it"),
	/* `ld.so /proc/self/fd/3` maps its code, whatever its mode and seals say. */
	{__NR_memfd_create,
	 {VERDICT_ALLOW, RULE_MEMFD},
	 OCCASION_NO_MEMFD,
	 {VERDICT_ENOSYS, RULE_NONE},
	 "memfd_create",
	 "no huge pages; not where programs are listed, nor where nothing counts its memory"},
	REFUSE(memfd_secret, "memory that leaves the kernel's own map; nobody needs it"),
	ALLOW(get_mempolicy, "asks where memory lies"),
	REFUSE(set_mempolicy, "placement on memory nodes is the host's"),
	REFUSE(set_mempolicy_home_node, "placement on memory nodes is the host's"),
	REFUSE(mbind, "placement on memory nodes is the host's"),
	REFUSE(migrate_pages, "placement on memory nodes is the host's"),
	REFUSE(move_pages, "placement on memory nodes is the host's"),
	REFUSE(userfaultfd, "stops the kernel in the middle of a copy: the lever of many exploits"),
	REFUSE(process_madvise, "another process's memory"),
	REFUSE(process_mrelease, "another process's memory"),
	REFUSE(process_vm_readv, "another process's memory"),
	REFUSE(process_vm_writev, "another process's memory"),

	/* Processes: the pid namespace and the process limit bound them. */
	JUDGE(clone, RULE_CLONE, "threads and children, no namespaces, no children for the parent"),
	ABSENT(clone3, "its flags are behind a pointer; libraries fall back to clone"),
	ALLOW(execve, "Landlock says what may be executed"),
	ALLOW(execveat, "Landlock says what may be executed"),
	ALLOW(exit, "ends the thread"),
	ALLOW(exit_group, "ends the process"),
	ALLOW(wait4, "own children"),
	ALLOW(waitid, "own children"),
	ALLOW(getpid, "own number in the box"),
	ALLOW(getppid, "0 or a number in the box"),
	ALLOW(gettid, "own number in the box"),
	ALLOW(getpgid, "numbers in the box"),
	ALLOW(getsid, "numbers in the box"),
	ALLOW(setpgid, "job control of shells"),
	ALLOW(setsid, "daemons; still in the box"),
	ALLOW(pidfd_open, "processes in the box"),
	REFUSE(pidfd_getfd, "takes descriptors out of another process"),
	REFUSE(kcmp, "compares kernel addresses of other processes"),
	REFUSE(ptrace, "steers another process; debuggers get a profile of their own"),
	JUDGE(prctl, RULE_PRCTL, "about oneself; see the rule"),
	ALLOW(set_tid_address, "start of a thread"),
	ALLOW(set_robust_list, "locks of a dying thread"),
	REFUSE(get_robust_list, "an address in another process; no library calls it"),
	ALLOW(rseq, "per-processor data of the C library"),
	ABSENT(rseq_slice_yield, "time-slice extension: not looked at yet"),
	ALLOW(futex, "locks"),
	ALLOW(futex_waitv, "locks"),
	ALLOW(futex_wake, "locks"),
	ALLOW(futex_wait, "locks"),
	ALLOW(futex_requeue, "locks"),
	ALLOW(restart_syscall, "the kernel's own, after a stop"),
	REFUSE(unshare, "no namespaces inside"),
	REFUSE(setns, "no other namespaces"),
	REFUSE(listns, "namespaces of the host"),
	JUDGE(personality, RULE_PERSONALITY, "Linux as it is"),
	REFUSE(acct, "process accounting of the host"),

	/* Signals: the pid namespace and Landlock's scope bound them. */
	ALLOW(kill, "processes in the box"),
	ALLOW(tkill, "processes in the box"),
	ALLOW(tgkill, "processes in the box"),
	ALLOW(pidfd_send_signal, "processes in the box"),
	ALLOW(rt_sigqueueinfo, "processes in the box"),
	ALLOW(rt_tgsigqueueinfo, "processes in the box"),
	ALLOW(rt_sigaction, "own handlers"),
	ALLOW(rt_sigprocmask, "own mask"),
	ALLOW(rt_sigpending, "own signals"),
	ALLOW(rt_sigsuspend, "own signals"),
	ALLOW(rt_sigtimedwait, "own signals"),
	ALLOW(rt_sigreturn, "end of a handler"),
	ALLOW(sigaltstack, "own stack for handlers"),
	ALLOW(signalfd4, "own signals"),

	/* Who one is: without capabilities these change nothing that matters. */
	ALLOW(getuid, "own id"),
	ALLOW(geteuid, "own id"),
	ALLOW(getgid, "own id"),
	ALLOW(getegid, "own id"),
	ALLOW(getresuid, "own id"),
	ALLOW(getresgid, "own id"),
	ALLOW(getgroups, "own groups"),
	ALLOW(setuid, "programs that drop privileges; only the own id works"),
	ALLOW(setgid, "programs that drop privileges; only the own id works"),
	ALLOW(setreuid, "programs that drop privileges; only the own id works"),
	ALLOW(setregid, "programs that drop privileges; only the own id works"),
	ALLOW(setresuid, "programs that drop privileges; only the own id works"),
	ALLOW(setresgid, "programs that drop privileges; only the own id works"),
	ALLOW(setfsuid, "only the own id works"),
	ALLOW(setfsgid, "only the own id works"),
	ALLOW(setgroups, "the kernel refuses; programs expect to be told so"),
	ALLOW(capget, "there are none"),
	ALLOW(capset, "may only drop, and there are none"),
	JUDGE(seccomp, RULE_SECCOMP, "a program may confine itself further, without a listener"),
	ALLOW(landlock_create_ruleset, "a program may confine itself further"),
	ALLOW(landlock_add_rule, "a program may confine itself further"),
	ALLOW(landlock_restrict_self, "a program may confine itself further"),
	REFUSE(lsm_get_self_attr, "security modules of the host"),
	REFUSE(lsm_set_self_attr, "security modules of the host"),
	REFUSE(lsm_list_modules, "security modules of the host"),
	REFUSE(add_key, "keyrings are shared by user id"),
	REFUSE(request_key, "keyrings are shared by user id"),
	REFUSE(keyctl, "keyrings are shared by user id"),

	/* Time. */
	ALLOW(gettimeofday, "asks the time"),
	ALLOW(clock_gettime, "asks the time"),
	ALLOW(clock_getres, "asks the time"),
	ALLOW(clock_nanosleep, "sleeps"),
	ALLOW(nanosleep, "sleeps"),
	ALLOW(times, "own processor time"),
	ALLOW(getitimer, "own timer"),
	ALLOW(setitimer, "own timer"),
	ALLOW(timer_create, "own timer; RLIMIT_SIGPENDING"),
	ALLOW(timer_settime, "own timer"),
	ALLOW(timer_gettime, "own timer"),
	ALLOW(timer_getoverrun, "own timer"),
	ALLOW(timer_delete, "own timer"),
	ALLOW(timerfd_create, "own timer"),
	ALLOW(timerfd_settime, "own timer"),
	ALLOW(timerfd_gettime, "own timer"),
	REFUSE(settimeofday, "the host's clock"),
	REFUSE(clock_settime, "the host's clock"),
	REFUSE(clock_adjtime, "the host's clock"),
	REFUSE(adjtimex, "the host's clock"),

	/* Waiting for several things. */
	ALLOW(pselect6, "waits"),
	ALLOW(ppoll, "waits"),
	ALLOW(epoll_create1, "waits"),
	ALLOW(epoll_ctl, "waits"),
	ALLOW(epoll_pwait, "waits"),
	ALLOW(epoll_pwait2, "waits"),
	ALLOW(eventfd2, "wakes up own threads"),

	/* Sockets: no interface but, if asked for, the box's own loopback. */
	JUDGE_BY(socket, RULE_SOCKET, OCCASION_HOST_SOCKETS, RULE_SOCKET_INET,
		 "Unix, TCP, UDP; every other family is kernel code to attack"),
	JUDGE(socketpair, RULE_SOCKETPAIR, "Unix only"),
	JUDGE(setsockopt, RULE_SETSOCKOPT,
	      "no BPF, no other protocols on top, no close that waits"),
	JUDGE(getsockopt, RULE_GETSOCKOPT, "asks; not for a process"),
	ALLOW(bind, "in the box's network namespace"),
	ALLOW(listen, "in the box's network namespace"),
	ALLOW(accept, "in the box's network namespace"),
	ALLOW(accept4, "in the box's network namespace"),
	ALLOW(connect, "in the box's network namespace"),
	ALLOW(shutdown, "own socket"),
	ALLOW(getsockname, "own socket"),
	ALLOW(getpeername, "own socket"),
	ALLOW(sendto, "own socket"),
	ALLOW(sendmsg, "own socket"),
	ALLOW(sendmmsg, "own socket"),
	ALLOW(recvfrom, "own socket"),
	ALLOW(recvmsg, "own socket"),
	ALLOW(recvmmsg, "own socket"),

	/* System V and POSIX queues: the box has an IPC namespace of its own. */
	{__NR_shmget,
	 {VERDICT_ALLOW, RULE_SHMGET},
	 OCCASION_MEMORY_BY_RLIMIT,
	 {VERDICT_EPERM, RULE_NONE},
	 "shmget",
	 "own IPC namespace; no huge pages; not where memory that no process has mapped is not "
	 "counted"},
	ALLOW(shmat, "own IPC namespace"),
	ALLOW(shmdt, "own IPC namespace"),
	ALLOW(shmctl, "own IPC namespace"),
	ALLOW(semget, "own IPC namespace"),
	ALLOW(semop, "own IPC namespace"),
	ALLOW(semtimedop, "own IPC namespace"),
	ALLOW(semctl, "own IPC namespace"),
	ALLOW(msgget, "own IPC namespace"),
	ALLOW(msgsnd, "own IPC namespace"),
	ALLOW(msgrcv, "own IPC namespace"),
	ALLOW(msgctl, "own IPC namespace"),
	ALLOW(mq_open, "own IPC namespace; RLIMIT_MSGQUEUE"),
	ALLOW(mq_unlink, "own IPC namespace"),
	ALLOW(mq_timedsend, "own IPC namespace"),
	ALLOW(mq_timedreceive, "own IPC namespace"),
	ALLOW(mq_notify, "own IPC namespace"),
	ALLOW(mq_getsetattr, "own IPC namespace"),

	/* Limits and scheduling: downwards only. */
	ALLOW(getrlimit, "own limits"),
	JUDGE(setrlimit, RULE_SETRLIMIT, "own limits, downwards; core dumps stay off"),
	JUDGE(prlimit64, RULE_PRLIMIT, "own limits only: pid 1 has some too; core dumps stay off"),
	ALLOW(getrusage, "own use"),
	ALLOW(getpriority, "asks"),
	ALLOW(setpriority, "may only become nicer"),
	ALLOW(sched_yield, "gives way"),
	ALLOW(sched_getaffinity, "how many processors: every runtime asks"),
	ALLOW(sched_setaffinity, "within the box's processors"),
	ALLOW(sched_getparam, "asks"),
	ALLOW(sched_getscheduler, "asks"),
	ALLOW(sched_getattr, "asks"),
	ALLOW(sched_get_priority_max, "asks"),
	ALLOW(sched_get_priority_min, "asks"),
	ALLOW(sched_rr_get_interval, "asks"),
	ALLOW(getcpu, "asks"),
	ALLOW(ioprio_get, "asks"),
	REFUSE(sched_setparam, "classes that starve others"),
	REFUSE(sched_setscheduler, "classes that starve others"),
	REFUSE(sched_setattr, "classes that starve others"),
	REFUSE(ioprio_set, "classes that starve others"),

	/* The machine. */
	ALLOW(uname, "the box's name, the kernel's version"),
	ALLOW(sysinfo, "memory and uptime: the C library asks"),
	ALLOW(getrandom, "random bytes"),
	REFUSE(sethostname, "the box's name is final"),
	REFUSE(setdomainname, "the box's name is final"),
	REFUSE(syslog, "the kernel's log"),
	REFUSE(reboot, "the host"),
	REFUSE(kexec_load, "the host's kernel"),
	REFUSE(kexec_file_load, "the host's kernel"),
	REFUSE(init_module, "the host's kernel"),
	REFUSE(finit_module, "the host's kernel"),
	REFUSE(delete_module, "the host's kernel"),
	REFUSE(swapon, "the host's memory"),
	REFUSE(swapoff, "the host's memory"),
	REFUSE(vhangup, "a terminal of the host's"),
	REFUSE(nfsservctl, "long gone"),

	/* Large parts of the kernel that no program here needs. */
	REFUSE(bpf, "programs in the kernel"),
	REFUSE(perf_event_open, "a large interface with many holes; and it observes others"),
	REFUSE(io_uring_setup, "calls that no filter sees"),
	REFUSE(io_uring_enter, "calls that no filter sees"),
	REFUSE(io_uring_register, "calls that no filter sees"),
	REFUSE(io_setup, "kernel AIO: its quota is shared by the whole host"),
	REFUSE(io_destroy, "kernel AIO"),
	REFUSE(io_submit, "kernel AIO"),
	REFUSE(io_cancel, "kernel AIO"),
	REFUSE(io_getevents, "kernel AIO"),
	REFUSE(io_pgetevents, "kernel AIO"),

#ifdef __x86_64__
	/* Older forms that aarch64 never had: each as its successor above. */
	MODE(open, RULE_OPEN_PLAIN, "as openat"),
	MODE(creat, RULE_CHMOD_PLAIN, "as openat"),
	ALLOW(stat, "as newfstatat"),
	ALLOW(lstat, "as newfstatat"),
	ALLOW(access, "as faccessat"),
	ALLOW(readlink, "as readlinkat"),
	ALLOW(getdents, "as getdents64"),
	ALLOW(mkdir, "as mkdirat"),
	ALLOW(rmdir, "as unlinkat"),
	JUDGE_BY(mknod, RULE_MKNOD, OCCASION_HOST_WRITABLE, RULE_MKNOD_PLAIN, "as mknodat"),
	ALLOW(rename, "as renameat"),
	ALLOW(link, "as linkat"),
	ALLOW(unlink, "as unlinkat"),
	ALLOW(symlink, "as symlinkat"),
	MODE(chmod, RULE_CHMOD_PLAIN, "as fchmodat"),
	ALLOW(chown, "as fchownat"),
	ALLOW(lchown, "as fchownat"),
	ALLOW(utime, "as utimensat"),
	ALLOW(utimes, "as utimensat"),
	ALLOW(futimesat, "as utimensat"),
	ALLOW(dup2, "as dup3"),
	ALLOW(pipe, "as pipe2"),
	ALLOW(poll, "as ppoll"),
	ALLOW(select, "as pselect6"),
	ALLOW(epoll_create, "as epoll_create1"),
	ALLOW(epoll_wait, "as epoll_pwait"),
	ALLOW(eventfd, "as eventfd2"),
	ALLOW(signalfd, "as signalfd4"),
	ALLOW(inotify_init, "as inotify_init1"),
	ALLOW(pause, "as ppoll without an end"),
	ALLOW(alarm, "as setitimer"),
	ALLOW(time, "as clock_gettime"),
	ALLOW(fork, "as clone without flags"),
	ALLOW(vfork, "as clone; what posix_spawn is made of"),
	ALLOW(getpgrp, "as getpgid"),
	JUDGE(arch_prctl, RULE_ARCH_PRCTL, "thread-local storage, vector state, shadow stacks"),
	ALLOW(uretprobe, "the kernel's own, where the host traces; else the caller dies"),
	ALLOW(uprobe, "the kernel's own, where the host traces; else the caller dies"),
	REFUSE(modify_ldt, "segments: old kernel code, needed by 16-bit programs"),
	REFUSE(set_thread_area, "segments of 32-bit programs"),
	REFUSE(get_thread_area, "segments of 32-bit programs"),
	REFUSE(iopl, "the host's devices"),
	REFUSE(ioperm, "the host's devices"),
	REFUSE(ustat, "file systems of the host by device number"),
	REFUSE(sysfs, "file systems of the kernel"),
	REFUSE(uselib, "libraries of the a.out age"),
	ABSENT(_sysctl, "the kernel has it no more"),
	ABSENT(create_module, "the kernel has it no more"),
	ABSENT(get_kernel_syms, "the kernel has it no more"),
	ABSENT(query_module, "the kernel has it no more"),
	ABSENT(epoll_ctl_old, "the kernel never had it"),
	ABSENT(epoll_wait_old, "the kernel never had it"),
	ABSENT(getpmsg, "the kernel never had it"),
	ABSENT(putpmsg, "the kernel never had it"),
	ABSENT(afs_syscall, "the kernel never had it"),
	ABSENT(tuxcall, "the kernel never had it"),
	ABSENT(security, "the kernel never had it"),
	ABSENT(vserver, "the kernel never had it"),
#endif
};
/* clang-format on */

const size_t n_syscalls = ARRAY_LEN(syscalls);

/* What the steps of sealing.c ask for and a program may not.  A warm interpreter has the first half
 * from its start: its children need all of it. */
static const uint32_t held[] = {
	__NR_setns,   /* the box's namespaces, the network */
	__NR_unshare, /* a cgroup namespace, descriptors of its own */
	__NR_chroot,  /* the box's root */
	__NR_keyctl,  /* a keyring of its own */
	__NR_clone3,  /* a birth in a group of version 2 */
};

bool syscall_is_held(uint32_t nr)
{
	for (size_t i = 0; i < ARRAY_LEN(held); i++)
		if (held[i] == nr)
			return true;
	return false;
}

const struct answer *syscall_answer(const struct syscall_row *row,
				    const struct seccomp_options *options)
{
	switch (row->occasion) {
	case OCCASION_NONE:
		return &row->usual;
	case OCCASION_NO_MEMFD:
		return options->programs_listed || options->memory_by_rlimit ? &row->then
									     : &row->usual;
	case OCCASION_MEMORY_BY_RLIMIT:
		return options->memory_by_rlimit ? &row->then : &row->usual;
	case OCCASION_HOST_WRITABLE:
		return options->host_writable ? &row->then : &row->usual;
	case OCCASION_HOST_SOCKETS:
		return options->host_sockets ? &row->then : &row->usual;
	}
	return &row->then;
}
