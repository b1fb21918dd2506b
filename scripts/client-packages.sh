#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# client-packages.sh BUILD: fetch the TypeScript compiler that clients/typescript pins into BUILD.
#
# npm checks each package against its hash in the lock file; no script of a package is run.
set -eu
cd "$(dirname "$0")/.."
into=${1:-build}/client-packages

if [ -f "$into/.lock" ] && cmp -s clients/typescript/package-lock.json "$into/.lock"; then
	exit 0
fi
mkdir -p "$into"
cp clients/typescript/package.json clients/typescript/package-lock.json "$into/"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "client-packages: fetching the TypeScript compiler that package-lock.json pins, from npm"
if ! (cd "$into" && npm ci --ignore-scripts --no-audit --no-fund) >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	exit 1
fi
cp clients/typescript/package-lock.json "$into/.lock"
