#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# third-party.sh: fetch the C sources that third-party/package-lock.json pins, once per lock file.
#
# npm checks each package against its hash in the lock file; no script of a package is run.
set -eu
cd "$(dirname "$0")/../third-party"

stamp=node_modules/.belljar-lock
if [ -f $stamp ] && cmp -s package-lock.json $stamp; then
	exit 0
fi
if ! command -v npm >/dev/null; then
	echo "third-party: npm is missing; install it (Debian: apt-get install npm)" >&2
	exit 1
fi
echo "third-party: fetching the syntax parsers that package-lock.json pins, from npm"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! npm ci --ignore-scripts --no-audit --no-fund --legacy-peer-deps >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	exit 1
fi
cp package-lock.json $stamp
