#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-includes.sh: a folder of src/ includes only the folders that its row names.
. "$(dirname "$0")/lint.sh"

# folder: what it may include
rules() {
	cat <<'TABLE'
base:    base
call:    base call
sandbox: base call sandbox
policy:  base call policy
screen:  base call screen
redact:  base call redact
audit:   base call audit
auditread: base call audit auditread
scribe:  base call audit sandbox scribe
oneshot: base call redact audit sandbox oneshot
reader:  base call audit auditread sandbox reader
gate:    base call policy screen redact audit sandbox lib gate
cli:     base call policy screen redact audit auditread oneshot gate sandbox cli lib keeper reader
api:     base call api
keeper:  base call api policy screen redact audit gate sandbox lib keeper
serve:   base call audit api keeper lib reader sandbox serve
lib:     base call sandbox cli lib
musl:    base musl
warm:    base call sandbox warm
TABLE
}

# Prints what FOLDER may include as "a|b|c"; nothing if the folder has no row.
allowed() {
	rules | sed -n "s/^$1: *//p" | tr ' ' '|'
}

check_folder() {
	folder=$1
	may=$(allowed "$folder")
	if [ -z "$may" ]; then
		echo "src/$folder has no row in scripts/check-includes.sh"
		return
	fi
	# Ours are quoted and begin with a folder; "belljar.h" is the installed header.
	grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "src/$folder" |
		grep -vE "\"($may)/" | grep -vE '"belljar\.h"' |
		sed "s#\$#   <- src/$folder may include only: $may#"
}

for dir in src/*/; do
	check_folder "$(basename "$dir")"
done | verdict
