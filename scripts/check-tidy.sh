#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-tidy.sh BUILD: clang-tidy over src/ as it was compiled in BUILD; rules in .clang-tidy.
build=$(realpath "$1")
. "$(dirname "$0")/lint.sh"
need clang-tidy
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# One file per process, so that all cores are used; the count of hidden warnings is not news.
if ! sources '*.c' | grep '^src/' | xargs -P "$(nproc)" -n 1 \
	clang-tidy --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option \
	>"$log" 2>/dev/null; then
	cat "$log" >&2
	exit 1
fi
