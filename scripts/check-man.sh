#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-man.sh: mandoc accepts the manual pages, and every page that they name exists.
. "$(dirname "$0")/lint.sh"
need mandoc
pages=$(sources '*.[1-8]' | grep '^man/')
# shellcheck disable=SC2086  # a list of files
{
	# Pages of other projects need not be installed here.
	mandoc -Tlint -Wwarning $pages | grep -v 'referenced manual not found' || true
	grep -ohE '^\.Xr belljar[a-z-]* [0-9]' $pages | sort -u | while read -r _ name section; do
		[ -f "man/$name.$section" ] || echo "man/$name.$section is named but does not exist"
	done
} | verdict
