#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# decide.sh DECIDE: how long a decision takes, and how many instructions it is (callgrind's count does
# not depend on what else the machine is doing).
set -eu
decide=$1

count() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$decide" "$1" 2>&1 |
		sed -n 's/.*Collected : *//p'
}

"$decide"
if command -v valgrind >/dev/null; then
	echo "instructions for one decision (callgrind): $((($(count 300) - $(count 100)) / 200))"
else
	echo "instructions: SKIP, valgrind is not installed"
fi
