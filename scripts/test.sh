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

step() {
	number=$((number + 1))
	printf '== %d/%d %s (%ds)\n' $number $total "$1" $(($(date +%s) - started))
}

# Meson prints the tail of the log of each test that fails, but of TAP only what went to stderr:
# the lines that say what was not true are in its log.  A slow machine is not a failure.
run_tests() {
	build=$1
	shift
	if ! meson test -C "$build" --no-rebuild --print-errorlogs --timeout-multiplier 4 "$@"; then
		echo '== what the failing tests said:'
		grep -B 12 '^not ok' "$build/meson-logs/testlog.txt" | grep -E '^(not ok|#)' | tail -n 60
		exit 1
	fi
}

step 'gcc: build'
CC=gcc BUILD=build scripts/build.sh

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

printf '== all passed in %ds\n' $(($(date +%s) - started))
