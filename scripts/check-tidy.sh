#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-tidy.sh BUILD: clang-tidy over src/ as it was compiled in BUILD; rules in .clang-tidy.
#
# With TIDY_DEEP=1 (make lint) clang's analyzer looks at every path, too: that takes minutes, ten
# times as long as the rest.
build=$(realpath "$1")
. "$(dirname "$0")/lint.sh"
need clang-tidy
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT
# What is compiled for more than one program is looked at once, as the first of them has it.
python3 - "$build/compile_commands.json" >"$where/compile_commands.json" <<'END'
import json
import sys

first = {}
for row in json.load(open(sys.argv[1])):
    known = first.get(row["file"])
    if known is None or "-nostdinc" in known["command"]:
        first[row["file"]] = row
json.dump(list(first.values()), sys.stdout)
END
checks='-clang-analyzer-*'
if [ -n "${TIDY_DEEP:-}" ]; then checks=; fi
# gcc's own headers, which the programs with musl are compiled with, are not for clang.
resources=$(clang -print-resource-dir)
# One file per process, so that all cores are used; the count of hidden warnings is not news.
if ! sources '*.c' | grep '^src/' | xargs -P "$(nproc)" -n 1 \
	clang-tidy --quiet --checks="$checks" -p "$where" --extra-arg=-Wno-unknown-warning-option \
	--extra-arg="-isystem$resources/include" \
	>"$where/log" 2>/dev/null; then
	cat "$where/log" >&2
	exit 1
fi
