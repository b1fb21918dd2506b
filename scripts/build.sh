#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh: configure $BUILD (build) if needed and compile; quiet unless something is wrong.
# Words given are passed on to "meson setup" when the directory is new.  With SUITES="NAME..." only
# what the tests of these suites need is compiled.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}

scripts/third-party.sh

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [ ! -f "$build/build.ninja" ]; then
	rm -rf "$build" # a configuration that failed leaves a directory that cannot be used
	if ! meson setup "$build" "$@" >"$log" 2>&1; then
		tail -n 30 "$log" >&2
		exit 1
	fi
fi
wanted=
if [ -n "${SUITES:-}" ]; then
	if ! ninja -C "$build" build.ninja >"$log" 2>&1; then # as the sources describe it now
		tail -n 30 "$log" >&2
		exit 1
	fi
	# shellcheck disable=SC2086 # names of suites, a word each
	wanted=$(python3 scripts/needed.py "$build" $SUITES)
fi
# shellcheck disable=SC2086 # names of targets, a word each
if ! ninja -C "$build" $wanted >"$log" 2>&1; then
	# From the first failure on; without one it was the configuration.
	{ sed -n '/^FAILED:/,$p' "$log" | grep . || tail -n 30 "$log"; } | head -n 60 >&2
	exit 1
fi
