#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-cppcheck.sh BUILD: cppcheck over src/ as it was compiled in BUILD.
build=$(realpath "$1")
. "$(dirname "$0")/lint.sh"
need cppcheck
mkdir -p "$build/cppcheck"
# Newer versions cannot parse a variable that is bound to a register, nor find the headers that have
# a macro for a format.
# uninitvar, ...Pointers and memleak misread arrays filled by their callee, linker symbols and
# own_str; both compilers and the sanitizers watch for the real thing.
# normalCheckLevelMaxBranches and missing headers are remarks about cppcheck, not about us.
cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 -j "$(nproc)" \
	--enable=warning,performance,portability --cppcheck-build-dir="$build/cppcheck" \
	--suppress=uninitvar --suppress=comparePointers --suppress=subtractPointers \
	--suppress=memleak --suppress=nullPointerOutOfMemory \
	--suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
	--suppress=unmatchedSuppression \
	'-D__asm__(x)=' '-DJSON_INTEGER_FORMAT="lld"' -D_GNU_SOURCE -D__linux__ -D__x86_64__ '-DBELLJAR_VERSION="0"' -Isrc -Iinclude src
