#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hashline.sh FILE SYMBOL OUT: C that says what FILE's SHA-256 is.
set -eu
hash=$(sha256sum <"$1")
printf 'extern const char %s[];\nconst char %s[] = "%s";\n' "$2" "$2" "${hash%% *}" >"$3"
