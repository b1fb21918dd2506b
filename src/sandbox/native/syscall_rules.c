/* SPDX-License-Identifier: Apache-2.0 */
/* syscall_rules.c - which arguments a call may have, where that matters.
 *
 * Lists of what is allowed, wherever the list can be written down: what the
 * kernel learns next year is then refused until somebody has looked at it.
 * Two lists are the other way round (setsockopt, madvise), because their
 * callers probe for new options and the dangerous ones are few.
 *
 * Numbers stand where the headers of Debian 12 have no name for them.
 */
#include "sandbox/native/syscalls.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <linux/prctl.h>
#include <linux/random.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/own.h"

/* clang-format off: braces of initialisers, not of blocks */
#define ONE(value)               \
	{                        \
		(value), (value) \
	}
#define FROM_TO(low, high)    \
	{                     \
		(low), (high) \
	}
#define IN(arg, set)                                    \
	{                                               \
		(arg), UINT32_MAX, &(set), false, false \
	}
#define NOT_IN(arg, set)                               \
	{                                              \
		(arg), UINT32_MAX, &(set), true, false \
	}
#define MASKED(arg, mask, set)                                \
	{                                                     \
		(arg), (uint32_t)(mask), &(set), false, false \
	}
#define IS_NULL(arg)                                  \
	{                                             \
		(arg), UINT32_MAX, &zero, false, true \
	}
/* clang-format on */
#define SET(name, ...)                                             \
	static const struct range name##_ranges[] = {__VA_ARGS__}; \
	static const struct value_set name = {name##_ranges, ARRAY_LEN(name##_ranges)}
#define RULE(name, ...)                                        \
	static const struct way name##_ways[] = {__VA_ARGS__}; \
	static const struct argument_rule name = {name##_ways, ARRAY_LEN(name##_ways)}

SET(zero, ONE(0));

/* socket: exactly TCP, UDP and Unix sockets.  A pair of type and protocol that does not fit would
 * only make the kernel look for a module; INET with SEQPACKET and protocol 0 would be SCTP. */
#define SOCKET_TYPE (~(SOCK_NONBLOCK | SOCK_CLOEXEC))
SET(families_inet, ONE(AF_INET), ONE(AF_INET6));
SET(family_unix, ONE(AF_UNIX));
SET(type_stream, ONE(SOCK_STREAM));
SET(type_dgram, ONE(SOCK_DGRAM));
SET(types_unix, FROM_TO(SOCK_STREAM, SOCK_DGRAM), ONE(SOCK_SEQPACKET));
SET(protocols_stream, ONE(0), ONE(IPPROTO_TCP));
SET(protocols_dgram, ONE(0), ONE(IPPROTO_UDP));
RULE(rule_socket,
     {{IN(0, families_inet), MASKED(1, SOCKET_TYPE, type_stream), IN(2, protocols_stream)}},
     {{IN(0, families_inet), MASKED(1, SOCKET_TYPE, type_dgram), IN(2, protocols_dgram)}},
     {{IN(0, family_unix), MASKED(1, SOCKET_TYPE, types_unix), IN(2, zero)}});
RULE(rule_socket_inet,
     {{IN(0, families_inet), MASKED(1, SOCKET_TYPE, type_stream), IN(2, protocols_stream)}},
     {{IN(0, families_inet), MASKED(1, SOCKET_TYPE, type_dgram), IN(2, protocols_dgram)}});
RULE(rule_socketpair, {{IN(0, family_unix), MASKED(1, SOCKET_TYPE, types_unix), IN(2, zero)}});

/* setsockopt: not the options that put more kernel code on a plain socket: BPF programs, other
 * protocols on top of TCP (TCP_ULP: kernel TLS, ESP in TCP) or inside UDP (UDP_ENCAP: ESP, L2TP,
 * RxRPC), TCP signatures.  And no linger: who closes such a socket last waits for its peer, and
 * that may be somebody outside to whom it was sent. */
SET(levels_ip, ONE(IPPROTO_IP), ONE(IPPROTO_IPV6));
SET(level_socket, ONE(SOL_SOCKET));
SET(level_tcp, ONE(IPPROTO_TCP));
SET(level_udp, ONE(IPPROTO_UDP));
SET(socket_extra, ONE(SO_LINGER), ONE(76), /* SO_PASSPIDFD */
    ONE(SO_ATTACH_FILTER), ONE(SO_ATTACH_BPF),
    FROM_TO(SO_ATTACH_REUSEPORT_CBPF, SO_ATTACH_REUSEPORT_EBPF));
SET(tcp_extra, ONE(TCP_MD5SIG), ONE(TCP_REPAIR), FROM_TO(TCP_ULP, TCP_MD5SIG_EXT),
    FROM_TO(38, 42)); /* TCP_AO_* */
SET(udp_encap, ONE(100));
RULE(rule_setsockopt, {{IN(1, levels_ip)}}, {{IN(1, level_socket), NOT_IN(2, socket_extra)}},
     {{IN(1, level_tcp), NOT_IN(2, tcp_extra)}}, {{IN(1, level_udp), NOT_IN(2, udp_encap)}});

/* getsockopt: not a descriptor for the process at the other end (SO_PEERPIDFD), which may be
 * somebody outside who talks to the program. */
SET(socket_peer, ONE(77));
RULE(rule_getsockopt, {{NOT_IN(1, level_socket)}}, {{NOT_IN(2, socket_peer)}});

/* clone: no namespaces.  And no CLONE_PARENT: such a child would belong to the program's parent,
 * which is outside the box, and the box could not end before somebody out there reaps it. */
#define CLONE_NAMESPACES                                                               \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
	 CLONE_NEWPID | CLONE_NEWNET | 0x80 /* CLONE_NEWTIME */)
RULE(rule_clone, {{MASKED(0, CLONE_NAMESPACES | CLONE_PARENT, zero)}});

/* personality: Linux as it is, or asking.  Others turn off address randomisation, make readable
 * memory executable, or let the first page be mapped. */
SET(personalities, ONE(0), ONE(0xffffffff));
RULE(rule_personality, {{IN(0, personalities)}});

/* Limits of one's own, except RLIMIT_CORE: it is 1, which means no core file and, where the host
 * pipes cores to a program of root's, no such program either.  0 would mean the latter runs. */
SET(resource_core, ONE(RLIMIT_CORE));
RULE(rule_setrlimit, {{NOT_IN(0, resource_core)}});
RULE(rule_prlimit, {{IN(0, zero), NOT_IN(1, resource_core)}}, {{IN(0, zero), IS_NULL(2)}});

/* ioctl: what terminals, pipes, sockets and plain files are asked every day.  Not: typing into a
 * terminal (TIOCSTI), the console (TIOCLINUX, TIOCCONS, KD*, VT_*), line disciplines (TIOCSETD
 * loads modules), notification pipes (IOC_WATCH_QUEUE_*), namespaces (NS_GET_*), deduplication
 * (tells what others have on the disk), inode flags, extents, subvolumes, fs-verity. */
/* clang-format off: one line of requests, one line of reason */
SET(ioctls, FROM_TO(TCGETS, TCFLSH), /* terminal settings: isatty() */
    FROM_TO(TIOCSCTTY, TIOCOUTQ),    /* sessions, process groups, bytes on the way out */
    FROM_TO(TIOCGWINSZ, FIONREAD),   /* window size, modem lines, bytes to read */
    FROM_TO(TIOCPKT, TIOCNOTTY),     /* with FIONBIO between them */
    FROM_TO(TIOCGETD, TCSBRKP),      /* which discipline; wait until sent */
    ONE(TIOCGSID),                   /* tcgetsid() */
    ONE(TCGETS2),                    /* terminal settings, as newer C libraries ask */
    FROM_TO(TCSETS2, TCSETSF2),      /* and set */
    ONE(TIOCGPTN), ONE(TIOCSPTLCK), ONE(TIOCGPTPEER), /* pseudoterminals */
    FROM_TO(FIONCLEX, FIOASYNC),                      /* close-on-exec, signals */
    ONE(FIOQSIZE),                                    /* size of a file */
    FROM_TO(FIOSETOWN, SIOCATMARK),                   /* who gets SIGURG, urgent data */
    ONE(SIOCGIFNAME), ONE(SIOCGIFCONF), ONE(SIOCGIFFLAGS), ONE(SIOCGIFADDR), ONE(SIOCGIFDSTADDR),
    ONE(SIOCGIFBRDADDR), ONE(SIOCGIFNETMASK), ONE(SIOCGIFMTU), ONE(SIOCGIFHWADDR),
    ONE(SIOCGIFINDEX),              /* network interfaces, reading only */
    ONE(RNDGETENTCNT),              /* crypto libraries ask /dev/random */
    ONE(FS_IOC_GETFLAGS),           /* lsattr, archivers: reading only */
    ONE(FICLONE), ONE(FICLONERANGE) /* cp */
);
/* clang-format on */
RULE(rule_ioctl, {{IN(1, ioctls)}});

/* fcntl: not leases, delegations or dnotify: whoever opens a leased file waits for the holder, and
 * with --read in user mode that would be a program of the host. */
SET(fcntls, FROM_TO(F_DUPFD, 16), /* flags, locks, owners: up to F_GETOWN_EX */
    FROM_TO(36, 38),              /* F_OFD_GETLK and on: locks that belong to the open file */
    ONE(F_GETLEASE),              /* asking is harmless */
    FROM_TO(1027, 1038));         /* F_DUPFD_QUERY … F_DUPFD_CLOEXEC, pipe size, seals, hints */
RULE(rule_fcntl, {{IN(1, fcntls)}});

/* prctl: not PR_SET_MM (where the kernel believes our memory lies), PR_SCHED_CORE (leaves the other
 * half of a core idle), PR_SET_MEMORY_MERGE (as MADV_MERGEABLE), PR_SET_SPECULATION_CTRL,
 * PR_SET_SYSCALL_USER_DISPATCH, PR_SET_PTRACER, PR_SET_IO_FLUSHER, PR_SET_SECUREBITS. */
/* clang-format off: one line of options, one line of reason */
SET(prctls, FROM_TO(PR_SET_PDEATHSIG, PR_SET_DUMPABLE),   /* a signal when the parent dies; cores */
    FROM_TO(PR_GET_KEEPCAPS, PR_SET_KEEPCAPS),            /* there is nothing to keep */
    FROM_TO(PR_SET_NAME, PR_GET_NAME),                    /* names of threads */
    FROM_TO(PR_GET_SECCOMP, PR_CAPBSET_READ),             /* PR_SET_SECCOMP too: has no listener */
    ONE(PR_GET_SECUREBITS),                               /* asks */
    FROM_TO(PR_SET_TIMERSLACK, PR_GET_TIMERSLACK),        /* own timers */
    FROM_TO(PR_SET_CHILD_SUBREAPER, PR_GET_NO_NEW_PRIVS), /* own descendants; only tightens */
    FROM_TO(PR_SET_THP_DISABLE, PR_GET_THP_DISABLE),      /* own memory */
    ONE(PR_CAP_AMBIENT),                                  /* there is nothing to raise */
    FROM_TO(PR_SVE_SET_VL, PR_GET_SPECULATION_CTRL),      /* vector length (aarch64); asks */
    FROM_TO(PR_PAC_RESET_KEYS, PR_GET_TAGGED_ADDR_CTRL),  /* pointer keys and tags (aarch64) */
    FROM_TO(63, 66),                                      /* PR_SME_*, PR_*_MDWE */
    FROM_TO(74, 76),                                      /* PR_*_SHADOW_STACK_STATUS */
    ONE(0x53564d41),                                      /* PR_SET_VMA: names of memory */
    ONE(0x41555856)                                       /* PR_GET_AUXV */
);
/* clang-format on */
RULE(rule_prctl, {{IN(0, prctls)}});

/* seccomp: no listener (SECCOMP_FILTER_FLAG_NEW_LISTENER).  With one, a process could hold up calls
 * of its children for ever and answer in their place; who confines himself has no need of it. */
#define SECCOMP_FLAGS                                                                           \
	(SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG | SECCOMP_FILTER_FLAG_SPEC_ALLOW | \
	 SECCOMP_FILTER_FLAG_TSYNC_ESRCH)
RULE(rule_seccomp, {{MASKED(1, ~SECCOMP_FLAGS, zero)}});

/* Huge pages come from a pool of the host's that no memory limit counts. */
RULE(rule_memfd, {{MASKED(1, MFD_HUGETLB, zero)}});
RULE(rule_mmap, {{MASKED(3, MAP_HUGETLB, zero)}});
RULE(rule_shmget, {{MASKED(2, SHM_HUGETLB, zero)}});

/* madvise: not MADV_MERGEABLE (same-page merging tells what is in others' memory), nor the two that
 * take memory away from the host (MADV_HWPOISON, MADV_SOFT_OFFLINE). */
SET(advice, ONE(MADV_MERGEABLE), FROM_TO(MADV_HWPOISON, 101));
RULE(rule_madvise, {{NOT_IN(2, advice)}});

/* mknod: no devices, not even the one the kernel lets anybody make (0:0, an overlay's whiteout). */
SET(node_types, ONE(0), ONE(S_IFREG), ONE(S_IFIFO), ONE(S_IFSOCK));
RULE(rule_mknod, {{MASKED(1, S_IFMT, node_types)}});
RULE(rule_mknodat, {{MASKED(2, S_IFMT, node_types)}});

/* Where a directory of the host is granted for writing, what is made there stays when the box is
 * gone, and belongs to the directory's owner: a set-uid file would be a way to become that owner,
 * root among others, for everybody on the host.  Set-gid likewise, for its group.  open reads its
 * mode only if it may create; otherwise the register holds whatever was in it.  mkdir needs no
 * rule: the kernel drops both bits there. */
#define SET_ID  (S_ISUID | S_ISGID)
#define CREATES (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))
RULE(rule_chmod_plain, {{MASKED(1, SET_ID, zero)}});
RULE(rule_fchmodat_plain, {{MASKED(2, SET_ID, zero)}});
RULE(rule_open_plain, {{MASKED(1, CREATES, zero)}}, {{MASKED(2, SET_ID, zero)}});
RULE(rule_openat_plain, {{MASKED(2, CREATES, zero)}}, {{MASKED(3, SET_ID, zero)}});
RULE(rule_mknod_plain, {{MASKED(1, S_IFMT, node_types), MASKED(1, SET_ID, zero)}});
RULE(rule_mknodat_plain, {{MASKED(2, S_IFMT, node_types), MASKED(2, SET_ID, zero)}});

#ifdef __x86_64__
/* arch_prctl: thread-local storage, vector state (AMX), shadow stacks.  Not CPUID faulting, pointer
 * tagging (LAM), or mapping a second vDSO. */
SET(arch_prctls, FROM_TO(0x1001, 0x1004), FROM_TO(0x1021, 0x1025), ONE(0x3001),
    FROM_TO(0x5001, 0x5005));
RULE(rule_arch_prctl, {{IN(0, arch_prctls)}});
#endif

const struct argument_rule *const argument_rules[] = {
	[RULE_SOCKET] = &rule_socket,
	[RULE_SOCKETPAIR] = &rule_socketpair,
	[RULE_SETSOCKOPT] = &rule_setsockopt,
	[RULE_GETSOCKOPT] = &rule_getsockopt,
	[RULE_CLONE] = &rule_clone,
	[RULE_PERSONALITY] = &rule_personality,
	[RULE_PRLIMIT] = &rule_prlimit,
	[RULE_SETRLIMIT] = &rule_setrlimit,
	[RULE_IOCTL] = &rule_ioctl,
	[RULE_FCNTL] = &rule_fcntl,
	[RULE_PRCTL] = &rule_prctl,
	[RULE_SECCOMP] = &rule_seccomp,
	[RULE_MEMFD] = &rule_memfd,
	[RULE_SOCKET_INET] = &rule_socket_inet,
	[RULE_MMAP] = &rule_mmap,
	[RULE_SHMGET] = &rule_shmget,
	[RULE_MADVISE] = &rule_madvise,
	[RULE_MKNOD] = &rule_mknod,
	[RULE_MKNODAT] = &rule_mknodat,
	[RULE_MKNOD_PLAIN] = &rule_mknod_plain,
	[RULE_MKNODAT_PLAIN] = &rule_mknodat_plain,
	[RULE_CHMOD_PLAIN] = &rule_chmod_plain,
	[RULE_FCHMODAT_PLAIN] = &rule_fchmodat_plain,
	[RULE_OPEN_PLAIN] = &rule_open_plain,
	[RULE_OPENAT_PLAIN] = &rule_openat_plain,
#ifdef __x86_64__
	[RULE_ARCH_PRCTL] = &rule_arch_prctl,
#endif
};
