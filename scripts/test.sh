#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test.sh: everything that must hold, step by step; the first step that fails ends it.
#
# The tests run before the checks of the source text and never beside them:
# some of them measure time, and clang-tidy takes every core it can get.
set -eu
cd "$(dirname "$0")/.."

total=5
number=0
started=$(date +%s)
unsteady=

step() {
	number=$((number + 1))
	printf '== %d/%d %s (%ds)\n' $number $total "$1" $(($(date +%s) - started))
}

# What a failing test said: meson prints the tail of its log, but of TAP only what went to stderr.
what_failed() {
	echo '== what the failing tests said:'
	grep -B 12 '^not ok' "$1/meson-logs/testlog.txt" | grep -E '^(not ok|#)' | tail -n 60
}

# The names of the tests that did not pass in the last run of BUILD, one on a line.
failed_tests() {
	python3 - "$1/meson-logs/testlog.json" <<'END'
import json, sys

for line in open(sys.argv[1]):
    test = json.loads(line)
    if test["result"] not in ("OK", "SKIP", "EXPECTEDFAIL"):
        print(test["name"].split(" / ")[-1])
END
}

# A slow machine is not a failure.  A test that fails beside others gets one more chance alone;
# whoever needed it is named at the end, because it wants mending.
run_tests() {
	build=$1
	shift
	if meson test -C "$build" --no-rebuild --print-errorlogs --timeout-multiplier 4 "$@"; then
		return
	fi
	what_failed "$build"
	again=$(failed_tests "$build")
	[ -n "$again" ] || exit 1
	echo "== once more, alone: $again"
	# shellcheck disable=SC2086 # names of tests, a word each
	if ! meson test -C "$build" --no-rebuild --print-errorlogs --num-processes 1 \
		--timeout-multiplier 4 $again; then
		what_failed "$build"
		exit 1
	fi
	unsteady="$unsteady $again"
}

step 'gcc: build'
CC=gcc BUILD=build scripts/build.sh
scripts/client-packages.sh build

step 'gcc: tests'
run_tests build --no-suite lint

step 'clang: build, warnings are errors'
CC=clang BUILD=build-clang scripts/build.sh

# Sanitizers and seals do not like each other: modules are tested sanitized, walls plain.
step 'gcc with address and undefined behaviour sanitizers: build, unit and fuzz tests'
CC=gcc BUILD=build-asan scripts/build.sh -Db_sanitize=address,undefined
UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 run_tests build-asan --suite unit --suite fuzz

step 'checks of the source text'
run_tests build --suite lint

[ -z "$unsteady" ] || echo "== passed only at the second try:$unsteady"
printf '== all passed in %ds\n' $(($(date +%s) - started))
