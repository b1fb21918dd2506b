#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-format.sh: the layout of the C source is what clang-format makes of it.
. "$(dirname "$0")/lint.sh"
need clang-format
sources '*.c' '*.h' | xargs clang-format --dry-run --Werror
