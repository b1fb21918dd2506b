#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-names.sh: every basename once (a stack trace says where you are), the licence in the
# first lines, no file of C longer than 600 lines.
. "$(dirname "$0")/lint.sh"

{
	sources '*.c' '*.h' '*.S' '*.sh' '*.py' | sed 's,.*/,,' | sort | uniq -d |
		sed 's,$,: two files have this name,'
	sources '*.c' '*.h' '*.sh' '*.py' 'meson.build' Makefile | while read -r file; do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' ||
			echo "$file: no SPDX line in its first lines"
	done
	sources '*.c' '*.h' | xargs wc -l |
		awk '$2 != "total" && $1 > 600 {print $2 ": " $1 " lines; what is its second subject?"}'
} | verdict
