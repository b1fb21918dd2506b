#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-options.sh BELLJAR: what "belljar run --help" offers is what belljar-run(1) describes.
belljar=$(realpath "$1")
. "$(dirname "$0")/lint.sh"

help=$(mktemp)
page=$(mktemp)
trap 'rm -f "$help" "$page"' EXIT
"$belljar" run --help | grep -oE -e '(^|[ ,[|])--[a-z][a-z-]*' | grep -oE -e '--[a-z-]+' |
	sort -u >"$help"
grep -oE '^\.It (Fl [a-z] , )?Fl -[a-z-]+' man/belljar-run.1 | grep -oE -e '-[a-z-]+$' |
	sed 's,^,-,' | sort -u >"$page"
if [ ! -s "$help" ] || [ ! -s "$page" ]; then
	echo "found no options to compare" >&2
	exit 1
fi
{
	comm -23 "$help" "$page" | sed 's,$, is in --help but not in man/belljar-run.1,'
	comm -13 "$help" "$page" | sed 's,$, is in man/belljar-run.1 but not in --help,'
} | verdict
