#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-banned.sh: functions that are not used here, because something better is at hand.
. "$(dirname "$0")/lint.sh"

# Comments and strings removed, line numbers kept.
code_of() {
	sed -E -e 's,//.*,,' -e 's,"([^"\\]|\\.)*","",g' "$1" |
		awk '{
			line = $0; out = ""
			while (line != "") {
				if (inside) {
					i = index(line, "*/")
					if (!i) { line = ""; break }
					line = substr(line, i + 2); inside = 0
				} else {
					i = index(line, "/*")
					if (!i) { out = out line; line = ""; break }
					out = out substr(line, 1, i - 1)
					line = substr(line, i + 2); inside = 1
				}
			}
			print out
		}'
}

# refuse FILE WORDS WHY
refuse() {
	code_of "$1" | grep -nE "(^|[^A-Za-z0-9_.>])($2)[[:space:]]*\(" |
		sed "s#^#$1:#; s#\$#   <- $3#"
}

check_file() {
	refuse "$1" 'strcpy|strcat|sprintf|vsprintf|gets|strncpy|strtok|stpcpy' \
		'no bound: snprintf, struct buf'
	refuse "$1" 'system|popen|alloca|mktemp|tmpnam|rand|srand|random|signal|getenv' \
		'see CONTRIBUTING.md, functions that are not used'
	refuse "$1" 'atoi|atol|atoll|atof' 'no errors: text_parse_uint()'
	case $1 in
	src/base/*) ;;
	*) refuse "$1" 'strto(l|ul|ll|ull|d|f|imax|umax)' 'text_parse_uint() and its neighbours' ;;
	esac
	case $1 in
	src/main.c | tests/* | fuzz/*) ;;
	*) refuse "$1" 'exit' 'only main() exits; children use _exit()' ;;
	esac
}

# Tests attack the box with whatever they like; the rule is for what is shipped.
sources '*.c' '*.h' | grep -E '^(src|include)/' | while read -r file; do
	check_file "$file"
done | verdict
