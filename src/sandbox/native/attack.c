/* SPDX-License-Identifier: Apache-2.0 */
/* attack.c - the table of escape attempts.
 *
 * The order matters at the end only: pid 1 is attacked when all others have
 * reported, and "everyone" is killed last, by the process that ran the rest.
 */
#include "sandbox/native/attack.h"

#include <assert.h>
#include <linux/keyctl.h>
#include <sys/syscall.h>

#include "base/own.h"
#include "sandbox/native/attack_parts.h"

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif
#ifndef SYS_listmount
#define SYS_listmount 458
#endif

#define CALL(...)        refused_call, {__VA_ARGS__}, PLACE_SHARED, KILL_NONE
#define CODE(f)          f, {0}, PLACE_SHARED, KILL_NONE
#define ALONE(f, reason) f, {0}, PLACE_ALONE, reason

static const char no_file[] = "/belljar-no-such-file";
#define NO_FILE (long)no_file

/* clang-format off: one attempt per line */
const struct attack attacks[] = {
	{"read-shadow", "files", "read /etc/shadow", CODE(read_shadow)},
	{"read-root-home", "files", "list /root", CODE(read_home)},
	{"read-host-file", "files", "read a public file in the host's /tmp", CODE(read_bait)},
	{"write-usr", "files", "create a file in /usr/bin", CODE(write_usr)},
	{"write-root", "files", "create a file in /", CODE(write_root)},
	{"write-passwd", "files", "open /etc/passwd for writing", CODE(write_passwd)},
	{"change-granted", "files", "change a file granted read-only", CODE(change_program)},
	{"open-by-handle", "files", "open inode 2 by its number", CODE(open_handle)},
	{"set-uid-mounts", "files", "find a mount that honours set-uid", CODE(set_uid_mounts)},
	{"take-lease", "files", "hold up others with a file lease", CODE(take_lease)},
	{"inode-flags", "files", "set inode flags by ioctl", CODE(set_inode_flags)},
	{"see-sys", "files", "list /sys", CODE(see_sys)},
	{"write-sysctl", "files", "open core_pattern for writing", CODE(write_sysctl)},
	{"write-sysrq", "files", "open sysrq-trigger for writing", CODE(write_sysrq)},

	{"make-device", "devices", "mknod of a disk", CODE(make_device)},
	{"open-devices", "devices", "open memory, disks, consoles, kvm", CODE(open_devices)},
	{"push-terminal", "devices", "type into a terminal (TIOCSTI)", CODE(push_terminal)},
	{"push-terminal-high", "devices", "the same with bit 32 set", CODE(push_terminal_high)},

	{"mount-tmpfs", "mounts", "mount a tmpfs", CODE(mount_tmpfs)},
	{"mount-proc", "mounts", "mount another proc", CODE(mount_proc)},
	{"mount-cgroup", "mounts", "mount cgroups (release_agent)", CODE(mount_cgroup)},
	{"remount", "mounts", "remount writable", CODE(remount_writable)},
	{"unmount", "mounts", "unmount", CODE(unmount)},
	{"clone-tree", "mounts", "open_tree of /", CODE(clone_tree)},
	{"clear-readonly", "mounts", "mount_setattr", CODE(clear_readonly)},
	{"chroot", "mounts", "chroot", CODE(change_root)},
	{"pivot-root", "mounts", "pivot_root", CODE(pivot)},
	{"fsopen", "mounts", "fsopen", CALL(SYS_fsopen, NO_FILE, 0)},
	{"move-mount", "mounts", "move_mount", CALL(SYS_move_mount, -1, NO_FILE, -1, NO_FILE, 0)},
	{"fanotify", "mounts", "watch a whole file system", CALL(SYS_fanotify_init, 0, 0)},
	{"quotactl", "mounts", "quotactl", CALL(SYS_quotactl, 0, 0, 0, 0)},
	{"swapon", "mounts", "swapon", CALL(SYS_swapon, NO_FILE, 0)},
	{"swapoff", "mounts", "swapoff", CALL(SYS_swapoff, NO_FILE)},

	{"unshare", "namespaces", "unshare each of eight kinds", CODE(unshare_each)},
	{"clone-user", "namespaces", "clone with CLONE_NEWUSER", CODE(clone_user)},
	{"clone-user-high", "namespaces", "the same with bit 32 set", CODE(clone_user_high)},
	{"clone3-user", "namespaces", "clone3, flags behind a pointer", CODE(clone3_user)},
	{"clone-parent", "namespaces", "a child for our parent", CODE(clone_parent)},
	{"setns", "namespaces", "setns", CODE(join_namespace)},

	{"init-root", "pid 1", "look through /proc/1/root", CODE(read_init_root)},
	{"init-environ", "pid 1", "read /proc/1/environ", CODE(read_init_environ)},
	{"init-memory", "pid 1", "open /proc/1/mem", CODE(read_init_memory)},
	{"trace-init", "pid 1", "ptrace pid 1", CODE(trace_init)},

	{"trace-parent", "processes", "ptrace the parent", CODE(trace_parent)},
	{"limit-parent", "processes", "prlimit of another process", CODE(limit_parent)},
	{"read-parent", "processes", "process_vm_readv", CODE(read_parent_memory)},
	{"steal-descriptor", "processes", "pidfd_getfd", CODE(steal_descriptor)},
	{"see-processes", "processes", "find processes of the host", CODE(see_processes)},
	{"signal-outside", "processes", "signal a process outside", CODE(signal_outside)},
	{"kcmp", "processes", "compare processes", CODE(compare_parent)},

	{"setuid", "privileges", "become uid 0", CODE(become_root)},
	{"setgroups", "privileges", "join group 0", CODE(join_groups)},
	{"capset", "privileges", "raise CAP_SYS_ADMIN", CODE(raise_capabilities)},
	{"bounding-set", "privileges", "find a capability left over", CODE(keep_bounding_set)},
	{"gain-by-exec", "privileges", "exec without no_new_privs", CODE(gain_by_exec)},
	{"no-filter", "privileges", "run without a filter", CODE(without_filter)},
	{"filter-listener", "privileges", "answer others' system calls", CODE(filter_listener)},
	{"personality", "privileges", "no address randomisation", CALL(SYS_personality, 0x0040000)},
	{"set-mm", "privileges", "move the memory map (PR_SET_MM)", CODE(move_memory_map)},
	{"oom-shield", "privileges", "be spared by the OOM killer", CODE(shield_from_oom)},
	{"real-time", "privileges", "real-time scheduling", CODE(real_time)},

	{"reach-out", "network", "find a route outside", CODE(reach_out)},
	{"host-loopback", "network", "reach a listener on 127.0.0.1", CODE(reach_host_loopback)},
	{"abstract-socket", "network", "reach an abstract socket", CODE(reach_abstract_socket)},
	{"families", "network", "open sockets of 61 families", CODE(open_families)},
	{"families-high", "network", "the same with bit 32 set", CODE(open_families_high)},
	{"protocols", "network", "MPTCP, SCTP, UDP-Lite, ping", CODE(open_protocols)},
	{"netlink", "network", "open netlink", CODE(open_netlink)},
	{"raw", "network", "open raw and packet sockets", CODE(open_raw)},
	{"lo-up", "network", "bring lo up", CODE(bring_lo_up)},
	{"stack-protocol", "network", "kernel TLS on a TCP socket", CODE(stack_protocol)},

	{"i386", "kernel", "a 32-bit system call", CODE(call_i386)},
	{"x32", "kernel", "an x32 system call", CODE(call_x32)},
	{"bpf", "kernel", "create a BPF map", CODE(load_bpf)},
	{"perf", "kernel", "perf_event_open", CODE(open_perf)},
	{"io-uring", "kernel", "io_uring_setup", CODE(open_uring)},
	{"aio", "kernel", "io_setup", CODE(open_aio)},
	{"userfaultfd", "kernel", "userfaultfd", CALL(SYS_userfaultfd, 1)},
	{"memfd-secret", "kernel", "memfd_secret", CALL(SYS_memfd_secret, 0)},
	{"huge-pages", "kernel", "huge pages from the host's pool", CODE(huge_pages)},
	{"add-key", "kernel", "add_key", CODE(add_a_key)},
	{"keyctl", "kernel", "keyctl",
	 CALL(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_PROCESS_KEYRING, 1)},
	{"syslog", "kernel", "size of the kernel's log", CALL(SYS_syslog, 10, 0, 0)},
	{"listmount", "kernel", "listmount", CALL(SYS_listmount, 0, 0, 0, 0)},
	{"sethostname", "kernel", "change the host name", CALL(SYS_sethostname, NO_FILE, 999)},
	{"set-clock", "kernel", "clock_settime", CODE(set_clock)},
	{"tune-clock", "kernel", "adjtimex", CODE(tune_clock)},
	{"reboot", "kernel", "reboot", CALL(SYS_reboot, 0, 0, 0, 0)},
	{"kexec", "kernel", "kexec_load", CALL(SYS_kexec_load, 0, 0, 0, 0xffffffff)},
	{"init-module", "kernel", "init_module", CALL(SYS_init_module, 0, 0, NO_FILE)},
	{"finit-module", "kernel", "finit_module", CALL(SYS_finit_module, -1, NO_FILE, 0)},
	{"delete-module", "kernel", "delete_module", CALL(SYS_delete_module, NO_FILE, 2048)},
	{"acct", "kernel", "process accounting", CALL(SYS_acct, NO_FILE)},
#ifdef __x86_64__
	{"iopl", "kernel", "iopl", CALL(SYS_iopl, 3)},
	{"modify-ldt", "kernel", "modify_ldt", CALL(SYS_modify_ldt, 0, 0, 0)},
#endif

	{"environment", "leaks", "find variables of the host", CODE(see_environment)},
	{"descriptors", "leaks", "find inherited descriptors", CODE(see_descriptors)},
	{"host-name", "leaks", "learn the host's name", CODE(see_host_name)},
	{"cgroup-path", "leaks", "learn the path of our cgroup", CODE(see_cgroup_path)},
	{"shared-memory", "leaks", "attach the host's shared memory", CODE(reach_segment)},
	{"message-queue", "leaks", "open the host's message queue", CODE(reach_queue)},

	{"locks", "leaks", "meet the host's file locks", CODE(see_locks)},
	{"watches", "leaks", "watch files being opened outside", CODE(see_openings)},

	{"fork-bomb", "limits", "fork beyond the limit", CODE(fork_bomb)},
	{"fill-disk", "limits", "write beyond the limit", CODE(fill_disk)},
	{"fill-inodes", "limits", "create files beyond the limit", CODE(fill_inodes)},
	{"grow-file", "limits", "a sparse file beyond the limit", CODE(grow_file)},
	{"open-many", "limits", "open files beyond the limit", CODE(open_many)},
	{"lock-memory", "limits", "mlock of 16 MiB", CODE(lock_memory)},
	{"raise-limits", "limits", "raise a hard limit", CODE(raise_limits)},
	{"eat-memory", "limits", "use memory beyond the limit", ALONE(eat_memory, KILL_MEMORY)},
	{"spin", "limits", "compute without end", ALONE(spin, KILL_CPU)},
	{"sleep", "limits", "sleep without end", ALONE(sleep_on, KILL_WALL)},
	{"flood", "limits", "output without end", ALONE(flood, KILL_OUTPUT)},

	{"kill-init", "pid 1", "send pid 1 every signal", CODE(kill_init)},
	{"kill-everyone", "processes", "kill(-1)", kill_everyone, {0}, PLACE_RUNNER, KILL_NONE},
};
/* clang-format on */
const size_t attack_count = ARRAY_LEN(attacks);
static_assert(ARRAY_LEN(attacks) <= ATTACK_MAX, "results fit");
