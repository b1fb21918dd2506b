#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-options.sh BELLJAR COMMAND...: what "belljar COMMAND --help" offers is what its page describes.
belljar=$(realpath "$1")
shift
. "$(dirname "$0")/lint.sh"

help=$(mktemp)
page=$(mktemp)
trap 'rm -f "$help" "$page"' EXIT

# --help itself may go without saying.
compare() {
	"$belljar" "$1" --help | grep -oE '^  +--[a-z-]+' | grep -oE -e '--[a-z-]+' |
		grep -vxe --help | sort -u >"$help"
	sed -nE 's/^\.It Fl -([a-z-]+).*/--\1/p' "man/belljar-$1.1" | grep -vxe --help | sort -u >"$page"
	if [ ! -s "$help" ] || [ ! -s "$page" ]; then
		echo "$1: found no options to compare"
	fi
	comm -23 "$help" "$page" | sed "s,\$, is in --help but not in man/belljar-$1.1,"
	comm -13 "$help" "$page" | sed "s,\$, is in man/belljar-$1.1 but not in --help,"
}

for command in "$@"; do
	compare "$command"
done | verdict
