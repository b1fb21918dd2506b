#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test.sh: everything that must hold, step by step; the first step that fails ends it.
#
# Many tests wait more than they work.  The other builds and the checks of the source text run in
# the time that they leave: in the kernel's idle class, so that a test never waits for a compiler.
set -eu
cd "$(dirname "$0")/.."

total=4
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
	if meson test -C "$build" --no-rebuild --print-errorlogs --num-processes "$at_once" \
		--timeout-multiplier 4 "$@"; then
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

# beside NAME CMD...: in the background, when nobody else wants a processor; afterwards() takes its $!.
beside() {
	name=$1
	shift
	if chrt --idle 0 true 2>/dev/null; then set -- chrt --idle 0 "$@"; fi
	setsid nice -n 19 "$@" >"$logs/$name" 2>&1 &
	lanes="$lanes $!"
}

afterwards() {
	if ! wait "$2"; then
		cat "$logs/$1"
		exit 1
	fi
}

leave() {
	for lane in $lanes; do kill -- "-$lane" 2>/dev/null || true; done
	rm -rf "$logs"
}

logs=$(mktemp -d)
lanes=
trap leave EXIT
trap 'exit 1' INT TERM HUP
at_once=$(($(nproc) + 1))

step 'gcc: build'
CC=gcc BUILD=build scripts/build.sh
scripts/client-packages.sh build

step 'gcc: tests; beside them the other builds and the checks of the source text'
# Nobody runs what clang makes: it need not be fast.
beside clang env CC=clang BUILD=build-clang scripts/build.sh -Doptimization=0
clang=$!
# Sanitizers and seals do not like each other: modules are tested sanitized, walls plain.
beside sanitized env CC=gcc BUILD=build-asan SUITES='unit fuzz' scripts/build.sh \
	-Db_sanitize=address,undefined -Doptimization=1
sanitized=$!
beside text meson test -C build --no-rebuild --print-errorlogs --logbase textlog --suite lint
text=$!
run_tests build --no-suite lint

step 'clang: build, warnings are errors; checks of the source text'
afterwards clang $clang
afterwards text $text

step 'gcc with address and undefined behaviour sanitizers: unit and fuzz tests'
afterwards sanitized $sanitized
UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 run_tests build-asan --suite unit --suite fuzz

[ -z "$unsteady" ] || echo "== passed only at the second try:$unsteady"
printf '== all passed in %ds\n' $(($(date +%s) - started))
