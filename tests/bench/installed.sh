#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# installed.sh BENCH BELLJAR BOX [ARG...]: measure copies of the programs, as an installation has them.
# A file as the linker wrote it lies in many small pieces of the page cache: it starts 2 to 3 % slower
# than the same bytes written in one go, and so do not those that it is held against.
set -eu
bench=$1 belljar=$2 box=$3
shift 3

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for program in "$belljar" "$belljar"-* "$box"; do
	if [ -f "$program" ]; then
		cp "$program" "$place"
	fi
done
"$bench" --belljar "$place/${belljar##*/}" --box "$place/${box##*/}" "$@"
