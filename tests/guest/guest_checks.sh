#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs in the guest as pid 1: control groups of version 2 for real, as root and as a user to whom
# a part of the tree was delegated.  TAP on the console; a test program's own TAP is indented.
export PATH=/usr/bin:/usr/sbin
cg=/sys/fs/cgroup
n=0

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t cgroup2 -o nsdelegate cgroup2 $cg
for module in /guest/modules/*.ko; do
	[ -e "$module" ] && insmod "$module"
done

result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' /tmp/log
	fi
}

# NAME COMMAND...: is its exit status 0?
check() {
	name=$1
	shift
	"$@" >/tmp/log 2>&1
	result $? "$name"
}

# NAME COMMAND...: the same for a program that prints TAP.
check_tap() {
	name=$1
	shift
	"$@" >/tmp/log 2>&1
	status=$?
	sed 's/^/    /' /tmp/log
	: >/tmp/log
	result $status "$name"
}

has_controllers() {
	for controller in memory pids cpu; do
		grep -qw $controller $cg/cgroup.controllers || return 1
	done
}

# A controller can be taken from version 2 as long as no group there uses it.
mix_versions() {
	mkdir -p /tmp/pids /tmp/cpu,cpuacct
	mount -t cgroup -o pids pids /tmp/pids &&
		mount -t cgroup -o cpu,cpuacct cpu,cpuacct /tmp/cpu,cpuacct &&
		! has_controllers
}

unmix_versions() {
	umount /tmp/pids /tmp/cpu,cpuacct
	echo -memory >$cg/cgroup.subtree_control
	seconds=0
	until has_controllers; do # the old hierarchy goes when its last group is forgotten
		seconds=$((seconds + 1))
		[ $seconds -gt 10 ] && return 1
		sleep 1
	done
}

nothing_is_left() {
	! find $cg -name 'belljar-*' | grep .
}

as_user() { # COMMAND: from within the delegated group
	sh -c "echo 0 >$cg/user/supervisor/cgroup.procs && exec su user -c '$1'"
}

delegate_to_user() {
	mkdir -p $cg/user/supervisor
	chown user $cg/user $cg/user/cgroup.procs $cg/user/cgroup.subtree_control \
		$cg/user/supervisor $cg/user/supervisor/cgroup.procs
}

echo "# Linux $(uname -r)"
check "version 2 has memory, pids and cpu" has_controllers
check "pids, cpu and cpuacct go to version 1" mix_versions
check_tap "memory in version 2, the others in version 1" /guest/cgroup_test
check "they come back" unmix_versions
check_tap "groups beneath the root group" /guest/cgroup_test
mkdir $cg/jar
check_tap "groups beneath a given group" env BELLJAR_TEST_CGROUP=$cg/jar /guest/cgroup_test
check "a part of the tree is delegated" delegate_to_user
check_tap "groups of an ordinary user" \
	as_user "BELLJAR_TEST_CGROUP=$cg/user /guest/cgroup_test"
check "no group is left" nothing_is_left
echo "1..$n"
sync
poweroff -f
