# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# lint.sh - what the check-*.sh scripts share: the top of the tree, its files, SKIP.
set -eu
cd "$(dirname "$0")/.."

# A check that cannot run here says so; meson knows 77 as SKIP.
need() {
	if ! command -v "$1" >/dev/null; then
		echo "SKIP: $1 is not installed"
		exit 77
	fi
}

# sources PATTERN...: files of ours with such a name, build directories left out.
sources() {
	for pattern in "$@"; do
		find . -name .git -prune -o -name node_modules -prune -o \
			-name 'build*' -type d -prune -o \
			-type f -name "$pattern" -print
	done | sed 's,^\./,,' | sort
}

# Reads the complaints from stdin: none is a pass.
verdict() {
	if grep . >&2; then
		exit 1
	fi
}
