#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh - tests that need a kernel with control groups of version 2, in an emulated machine.
#
# usage: run.sh [BUILD]          runs them; SKIP if there is no emulator or kernel
#        run.sh --fetch [BUILD]  first gets both from Debian's archive; installs nothing
#
# The guest is a Debian kernel and an initramfs made of this host's own files.  QEMU may come from
# PATH or from BUILD/guest.  Without KVM: one run takes about a minute.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
fetch=
[ "${1:-}" = --fetch ] && fetch=yes && shift
build=$(cd "${1:-$here/../../build}" 2>/dev/null && pwd) || build=
guest=$build/guest
kernel_package=linux-image-cloud-amd64

skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

fetch_packages() {
	mkdir -p "$guest/packages" "$guest/root"
	cd "$guest/packages"
	kernel=$(apt-cache depends $kernel_package | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p')
	tools=$(apt-get install -s --no-install-recommends qemu-system-x86 busybox-static |
		sed -n 's/^Inst \([^ ]*\).*/\1/p')
	# shellcheck disable=SC2086 # a list of words
	apt-get download -qq $kernel $tools
	for package in ./*.deb; do
		dpkg -x "$package" "$guest/root"
	done
	touch "$guest/fetched"
	cd "$here"
}

first() { # FILE...: the first that exists
	for file; do
		[ -e "$file" ] && echo "$file" && return
	done
	return 1
}

find_tools() {
	archive=$guest/root
	kernel=$(first "$archive"/boot/vmlinuz-*) || skip "no guest kernel; run $0 --fetch"
	busybox=$(first "$archive/bin/busybox" "$archive/usr/bin/busybox" /bin/busybox) ||
		skip "no busybox; run $0 --fetch"
	qemu=$(command -v qemu-system-x86_64 || first "$archive/usr/bin/qemu-system-x86_64") ||
		skip "no qemu-system-x86_64; run $0 --fetch"
	overlay=$(find "$archive/lib/modules" "$archive/usr/lib/modules" -name overlay.ko 2>/dev/null |
		head -n 1)
}

make_archive() {
	set -- "$build/tests/unit/cgroup_test=guest/cgroup_test" "$here/guest_init.sh=init" \
		"$here/guest_checks.sh=guest/checks"
	# Whoever runs something writes it down: belljar needs its scribe.
	[ -x "$build/src/belljar" ] && set -- "$@" "$build/src/belljar=usr/bin/belljar" \
		"$build/src/belljar-scribe=usr/libexec/belljar/belljar-scribe"
	[ -x "$build/tests/sessions/kept_test" ] &&
		set -- "$@" "$build/tests/sessions/kept_test=guest/kept_test"
	[ -n "$overlay" ] && set -- "$@" "$overlay=guest/modules/overlay.ko"
	/usr/bin/python3 "$here/guest_archive.py" "$guest/initramfs" "$busybox" "$@"
}

boot() { # WORD: for the guest to read in its command line
	word=$1
	case $qemu in
	"$guest"/*)
		libraries=$guest/root/usr/lib/x86_64-linux-gnu:$guest/root/lib/x86_64-linux-gnu
		set -- -L "$guest/root/usr/share/qemu" -L "$guest/root/usr/share/seabios"
		;;
	*)
		libraries=${LD_LIBRARY_PATH:-}
		set --
		;;
	esac
	LD_LIBRARY_PATH=$libraries timeout 300 "$qemu" "$@" -nodefaults -no-user-config -no-reboot \
		-display none -accel tcg,thread=multi -cpu max -smp 2 -m 768 -serial stdio \
		-kernel "$kernel" -initrd "$guest/initramfs" \
		-append "console=ttyS0 quiet loglevel=1 panic=-1 mitigations=off $word" </dev/null
}

# Two boots, one TAP stream: numbered anew, one plan at the end.
join_tap() {
	awk '/^1\.\./ { next }
		/^(not )?ok / { sub(/ok [0-9]+/, "ok " ++n) }
		/^( {4}|#|(not )?ok )/ { print; fflush() }
		END { print "1.." n }'
}

[ -x "$build/tests/unit/cgroup_test" ] || skip "nothing is built yet"
[ -z "$fetch" ] || [ -e "$guest/fetched" ] || fetch_packages
find_tools
make_archive
{
	boot belljar.boxes
	boot belljar.mixed
} | tr -d '\r' | tee "$guest/console" | join_tap
if [ "$(grep -c '^1\.\.' "$guest/console")" -ne 2 ]; then
	echo "Bail out! a guest did not reach its end; see $guest/console"
	exit 1
fi
! grep -q '^not ok' "$guest/console"
