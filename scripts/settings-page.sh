#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# settings-page.sh FRAME PROGRAM OUT: FRAME with what PROGRAM prints behind its line ".Sh SETTINGS".
set -eu
{
	sed '/^\.Sh SETTINGS$/q' "$1"
	"$2"
	sed '1,/^\.Sh SETTINGS$/d' "$1" | grep -v '^\.\\" The rest of this part'
} >"$3"
