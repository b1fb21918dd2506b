#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh: every fuzz target under clang's engine for FUZZ_SECONDS (30) each.
# What it learns goes to build-fuzz/learned/; a finding is left there and named.
set -eu
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-30}

# The library needs the coverage marks too, hence CFLAGS; b_lundef is meson's wish with clang.
CC=clang CFLAGS=-fsanitize=fuzzer-no-link BUILD=build-fuzz scripts/build.sh \
	-Dfuzzer=true -Db_sanitize=address,undefined -Db_lundef=false

for source in fuzz/*_fuzz.c; do
	name=$(basename "$source" _fuzz.c)
	mkdir -p "build-fuzz/learned/$name"
	echo "== $name: ${seconds}s"
	"build-fuzz/fuzz/${name}_fuzz" -max_total_time="$seconds" -max_len=65536 -print_final_stats=1 \
		-artifact_prefix="build-fuzz/learned/$name-" \
		"build-fuzz/learned/$name" "fuzz/corpus/$name" >"build-fuzz/learned/$name.log" 2>&1 || {
		tail -n 40 "build-fuzz/learned/$name.log"
		exit 1
	}
	sed -n 's/^stat::number_of_executed_units: */   inputs tried: /p' "build-fuzz/learned/$name.log"
done
