#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# embed.sh FILE SYMBOL OUT: assembler that carries FILE between SYMBOL_start and SYMBOL_end.
# A zero follows, which is not part of it: a text can be used as it lies there.
set -eu
file=$(realpath "$1")
cat >"$3" <<EOF
.section .rodata
.global $2_start, $2_end
.hidden $2_start, $2_end
.balign 16
$2_start:
.incbin "$file"
$2_end:
.byte 0
.section .note.GNU-stack,"",%progbits
EOF
