#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-banned.sh: functions that are not used here, because something better is at hand.
# Tests attack the box with whatever they like; the rule is for what is shipped.
. "$(dirname "$0")/lint.sh"

code=$(mktemp)
trap 'rm -f "$code"' EXIT

# FILE:LINE:CODE of everything shipped, without comments and strings.
sources '*.c' '*.h' | grep -E '^(src|include)/' | xargs awk '
	FNR == 1 { inside = 0 }
	{
		line = $0; out = ""
		gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
		while (line != "") {
			if (inside) {
				i = index(line, "*/")
				if (!i) break
				line = substr(line, i + 2); inside = 0
			} else {
				i = index(line, "/*")
				if (!i) { out = out line; break }
				out = out substr(line, 1, i - 1)
				line = substr(line, i + 2); inside = 1
			}
		}
		sub(/\/\/.*/, "", out)
		print FILENAME ":" FNR ":" out
	}' >"$code"

# refuse FUNCTIONS INSTEAD [EXCEPT]: calls of these, but not in files that match EXCEPT.
refuse() {
	grep -vE "^(${3:-nowhere}):" "$code" |
		grep -E ":[0-9]+:(.*[^A-Za-z0-9_.>])?($1)[[:space:]]*\(" | sed "s#\$#   <- $2#"
}

{
	refuse 'strcpy|strcat|v?sprintf|gets|strncpy|strtok|stpcpy' 'snprintf, struct buf'
	refuse 'atoi|atol|atoll|atof' 'text_parse_uint()'
	refuse 'strto(l|ul|ll|ull|d|f|imax|umax)' 'text_parse_uint()' 'src/base/.*'
	refuse 'getenv' 'secure_getenv()'
	refuse 'system|popen' 'no shell on our paths'
	refuse 'signal' 'signalfd or sigaction()'
	refuse 'rand|srand|random' 'getrandom()'
	refuse 'mktemp|tmpnam' 'memfd_create() or O_TMPFILE'
	refuse 'alloca' 'a fixed size or the heap'
	refuse 'exit' 'only main() exits; children use _exit()' 'src/main\.c'
} | verdict
