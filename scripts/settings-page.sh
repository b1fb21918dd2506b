#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# settings-page.sh FRAME PROGRAM OUT [PART]: FRAME with what PROGRAM prints behind its line
# ".Sh PART" (SETTINGS).
set -eu
part=${4:-SETTINGS}
{
	sed "/^\.Sh $part\$/q" "$1"
	"$2"
	sed "1,/^\.Sh $part\$/d" "$1" | grep -v '^\.\\" The rest of this part'
} >"$3"
