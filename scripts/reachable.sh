#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# reachable.sh CMD...: runs CMD where every user can enter this tree.
#
# Many tests of root's drop to an ordinary user, who cannot enter root's home.  So for a tree that
# lies there CMD gets a mount namespace of its own, in which the directories above the tree are open
# and have in them what they always have.  Nobody else sees that, and nothing is changed.
set -eu
cd "$(dirname "$0")/.."
tree=$(pwd)

is_closed() { # DIR
	case $(stat -c %A "$1") in *[xt]) return 1 ;; esac
}

topmost_closed() {
	above=$tree found=
	while above=$(dirname "$above") && [ "$above" != / ]; do
		if is_closed "$above"; then found=$above; fi
	done
	printf '%s' "$found"
}

show_open() { # DIR
	hold=$(mktemp -d)
	mount --rbind "$1" "$hold"
	mount -t tmpfs -o mode=755 tmpfs "$1"
	for entry in "$hold"/* "$hold"/.[!.]*; do
		name=$1/${entry##*/}
		if [ -L "$entry" ]; then
			cp -P "$entry" "$name"
		elif [ -d "$entry" ]; then
			mkdir "$name"
			mount --rbind "$entry" "$name"
		elif [ -e "$entry" ]; then
			: >"$name"
			mount --bind "$entry" "$name"
		fi
	done
	umount -l "$hold"
	rmdir "$hold"
}

if [ "$(id -u)" -ne 0 ]; then
	exec "$@"
fi
if is_closed "$tree"; then
	echo "$tree was checked out for root alone, and many tests run as an ordinary user: chmod -R go+rX it" >&2
	exit 1
fi
if [ -z "$(topmost_closed)" ]; then
	exec "$@"
fi
if [ -z "${REACHABLE_INSIDE:-}" ]; then
	if ! unshare --mount true 2>/dev/null; then
		echo "many tests run as an ordinary user, who may not enter $(topmost_closed): move the tree, or chmod o+x that" >&2
		exit 1
	fi
	REACHABLE_INSIDE=yes exec unshare --mount --propagation private "$tree/scripts/reachable.sh" "$@"
fi
unset REACHABLE_INSIDE
while closed=$(topmost_closed) && [ -n "$closed" ]; do
	show_open "$closed"
done
cd "$tree" # what is there now
exec "$@"
