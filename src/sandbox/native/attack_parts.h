/* SPDX-License-Identifier: Apache-2.0 */
/* attack_parts.h - between the table of attacks and the files that carry them out. */
#ifndef NATIVE_ATTACK_PARTS_H
#define NATIVE_ATTACK_PARTS_H

#include "sandbox/native/attack.h"

void held(struct attack_result *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void fell(struct attack_result *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void skipped(struct attack_result *r, const char *why);

/* A call came back with ret (and errno).  It was held off only by one of the errors listed, e.g.
 * "EPERM ENOSYS"; any other error means that it was let through to where its arguments mattered.
 * Returns whether it was. */
bool judge(struct attack_result *r, long ret, const char *refusals);

#define ATTACK(name) \
	void name(const struct attack *self, const struct bait *bait, struct attack_result *r)

/* Any system call, from the row's args; refused with EPERM or ENOSYS. */
ATTACK(refused_call);

/* files */
ATTACK(read_shadow);
ATTACK(read_home);
ATTACK(read_bait);
ATTACK(write_usr);
ATTACK(write_root);
ATTACK(write_passwd);
ATTACK(change_program);
ATTACK(open_handle);
ATTACK(make_device);
ATTACK(open_devices);
ATTACK(write_sysctl);
ATTACK(write_sysrq);
ATTACK(see_sys);
ATTACK(set_uid_mounts);
ATTACK(push_terminal);
ATTACK(push_terminal_high);
ATTACK(take_lease);
ATTACK(set_inode_flags);
/* mounts and namespaces */
ATTACK(mount_tmpfs);
ATTACK(mount_cgroup);
ATTACK(mount_proc);
ATTACK(remount_writable);
ATTACK(unmount);
ATTACK(clone_tree);
ATTACK(clear_readonly);
ATTACK(change_root);
ATTACK(pivot);
ATTACK(unshare_each);
ATTACK(clone_user);
ATTACK(clone_user_high);
ATTACK(clone3_user);
ATTACK(clone_parent);
ATTACK(join_namespace);
/* processes and privileges */
ATTACK(read_init_root);
ATTACK(read_init_environ);
ATTACK(read_init_memory);
ATTACK(trace_init);
ATTACK(trace_parent);
ATTACK(limit_parent);
ATTACK(read_parent_memory);
ATTACK(steal_descriptor);
ATTACK(compare_parent);
ATTACK(see_processes);
ATTACK(signal_outside);
ATTACK(kill_init);
ATTACK(kill_everyone);
ATTACK(become_root);
ATTACK(join_groups);
ATTACK(raise_capabilities);
ATTACK(keep_bounding_set);
ATTACK(gain_by_exec);
ATTACK(without_filter);
ATTACK(shield_from_oom);
ATTACK(real_time);
ATTACK(move_memory_map);
/* network */
ATTACK(reach_out);
ATTACK(reach_host_loopback);
ATTACK(reach_abstract_socket);
ATTACK(open_families);
ATTACK(open_families_high);
ATTACK(open_protocols);
ATTACK(open_netlink);
ATTACK(open_raw);
ATTACK(bring_lo_up);
ATTACK(stack_protocol);
/* the kernel */
ATTACK(load_bpf);
ATTACK(open_perf);
ATTACK(open_uring);
ATTACK(add_a_key);
ATTACK(tune_clock);
ATTACK(set_clock);
ATTACK(open_aio);
ATTACK(filter_listener);
ATTACK(huge_pages);
ATTACK(call_i386);
ATTACK(call_x32);
/* what leaks in */
ATTACK(see_environment);
ATTACK(see_descriptors);
ATTACK(see_host_name);
ATTACK(see_cgroup_path);
ATTACK(reach_segment);
ATTACK(reach_queue);
ATTACK(see_locks);
ATTACK(see_openings);
/* limits */
ATTACK(fork_bomb);
ATTACK(fill_disk);
ATTACK(fill_inodes);
ATTACK(grow_file);
ATTACK(open_many);
ATTACK(lock_memory);
ATTACK(raise_limits);
ATTACK(eat_memory);
ATTACK(spin);
ATTACK(sleep_on);
ATTACK(flood);

#endif
