#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-format.sh: the layout of the C source is what clang-format 14 (Debian 12) makes of it.
# Other versions lay out macros and casts differently: they cannot judge.
. "$(dirname "$0")/lint.sh"
reference=14
tool=clang-format
if command -v clang-format-$reference >/dev/null; then tool=clang-format-$reference; fi
need $tool
version=$($tool --version | sed -nE 's/.*version ([0-9]+).*/\1/p')
if [ "$version" != $reference ]; then
	echo "SKIP: the layout is that of clang-format $reference, this is $version"
	exit 77
fi
sources '*.c' '*.h' | xargs $tool --dry-run --Werror
