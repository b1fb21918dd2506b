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
chown user /home/user
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

# NAME PATTERN COMMAND...: does its output match?
check_says() {
	name=$1 pattern=$2
	shift 2
	"$@" >/tmp/log 2>&1 </dev/null
	grep -Eq -e "$pattern" /tmp/log
	result $? "$name"
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

nothing_is_left() {
	! find $cg /tmp -name 'belljar-*' | grep .
}

delegate_to_user() { # GROUP
	mkdir -p "$cg/$1"
	chown user "$cg/$1" "$cg/$1/cgroup.procs" "$cg/$1/cgroup.subtree_control"
}

# GROUP COMMAND...: as an ordinary user, from within the group.
as_user() {
	(
		echo 0 >"$cg/$1/cgroup.procs" || exit
		shift
		# shellcheck disable=SC2016 # su's shell expands it
		exec su -c 'exec "$@"' -- user sh "$@"
	)
}

check_groups() {
	check "version 2 has memory, pids and cpu" has_controllers
	check_tap "groups beneath the root group" /guest/cgroup_test
	mkdir $cg/jar
	check_tap "groups beneath a given group" env BELLJAR_TEST_CGROUP=$cg/jar /guest/cgroup_test
	check "a part of the tree is delegated" delegate_to_user mine
	check "with a leaf to be in" delegate_to_user mine/supervisor
	check_tap "groups of an ordinary user" \
		as_user mine/supervisor env BELLJAR_TEST_CGROUP=$cg/mine /guest/cgroup_test
	check "no group is left" nothing_is_left
}

# In a boot of its own: what version 1 has taken does not always come back.
check_mixed() {
	check "pids, cpu and cpuacct go to version 1" mix_versions
	check_tap "memory in version 2, the others in version 1" /guest/cgroup_test
	check "no group is left" nothing_is_left
}

# WHO COMMAND...: the same demands on every way to start a box.
# shellcheck disable=SC2016 # the shell in the box expands it
check_boxes() {
	who=$1
	shift
	check_says "$who: a box runs" hello "$@" belljar run -- /bin/echo hello
	for layer in memory processes cpu; do
		check_says "$who: the layer $layer is a group of version 2" \
			"\"$layer\":.\"state\":\"full\",\"detail\":\"cgroup v2" \
			"$@" belljar run --json -- /bin/true
	done
	check_says "$who: too much memory is a kill for memory" '"kill_reason":"memory"' \
		"$@" belljar run --json --memory 16m --disk 1m -- \
		/bin/sh -c 'a=0123456789abcdef; while :; do a=$a$a; done'
	check_says "$who: a full disk is no kill" '"kill_reason":null.*"disk_writes_refused":true' \
		"$@" belljar run --json --memory 16m --disk 32m -- /bin/sh -c \
		'for i in 1 2; do dd if=/dev/zero of=/work/$i bs=1M count=24; done'
	check_says "$who: a fork bomb meets its limit" '"processes_peak":16.*"forks_refused":[1-9]' \
		"$@" belljar run --json --processes 16 -- /bin/sh -c 'f() { f | f & f; }; f'
	check_says "$who: too much processor time is a kill for cpu" '"kill_reason":"cpu"' \
		"$@" belljar run --json --cpu 1s -- /bin/sh -c 'while :; do :; done'
	check_says "$who: a small share is throttled" '"cpu_throttled_ms":[1-9]' \
		"$@" belljar run --json --cpu-percent 20 --wall 3s -- \
		/bin/sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
	check "$who: no group is left" nothing_is_left
}

check_all_boxes() {
	check_boxes root env
	check_boxes "root, a given group" given_group
	[ ! -x /guest/kept_test ] || check_tap "root: the room that a kept box has left" \
		env BELLJAR_HELPER=/usr/bin/belljar /guest/kept_test may_still_take
	check_boxes "user in a leaf" as_user mine/supervisor
	check "a group like a scope of systemd" delegate_to_user scope
	check_says "user alone in a scope: a box runs" hello \
		as_user scope belljar run -- /bin/echo hello
	check_says "user without a group: refused, with a reason" 'layer memory.*cgroup' \
		su user -c 'belljar run -- /bin/echo hello'
	check_says "user without a group: degraded when allowed" hello \
		su user -c 'belljar run --allow-degraded memory,processes,cpu -- /bin/echo hello'
	check "no group is left" nothing_is_left
}

given_group() { # belljar run ARGS...
	shift 2
	belljar run --cgroup $cg/jar "$@"
}

echo "# Linux $(uname -r)"
if grep -qw belljar.mixed /proc/cmdline; then
	check_mixed
else
	check_groups
	command -v belljar >/dev/null && check_all_boxes
fi
echo "1..$n"
sync
poweroff -f
