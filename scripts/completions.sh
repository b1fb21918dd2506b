#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# completions.sh BELLJAR FRAME OUT: FRAME with a table of what "belljar ... --help" offers instead of
# its word @TABLE@.
set -eu
belljar=$1

# Lines "  --option VALUE   what it is" become "KEY --option KIND...".
rows_of() {
	awk -v key="$1" '
	function kinds_of(value,    n, i, part, kinds) {
		n = split(value, part, "|")
		for (i = 1; i <= n; i++)
			if (part[i] ~ /^[a-z]+$/) kinds = kinds " =" part[i]
			else if (part[i] ~ /^@?(FILE|PATH)/) kinds = kinds " f"
			else if (part[i] == "DIR") kinds = kinds " d"
			else if (part[i] == "PROGRAM") kinds = kinds " p"
		return kinds ? kinds : " v"
	}
	function languages_of(what,    n, i, name, kinds) {
		n = split("python node bash command", name)
		for (i = 1; i <= n; i++)
			if (what ~ name[i]) kinds = kinds " =" name[i]
		return kinds
	}
	/^ +--?[a-z]/ {
		# Its value stands one space behind it, what it is further away.
		takes = match($0, /^ +-[a-z-]+ [^ ]/)
		print key, $1 (!takes ? "" : $2 == "LANG" ? languages_of($0) : kinds_of($2))
	}'
}

table() {
	"$belljar" --help | sed -nE 's/^  ([a-z]+) .*/\1/p' | while read -r command; do
		words=$("$belljar" "$command" --help | grep -oE "belljar $command [a-z][a-z-]+" |
			awk '{ print $3 }' | sort -u)
		for word in $words; do
			"$belljar" "$command" "$word" --help | rows_of "$command/$word"
		done
		[ -n "$words" ] || "$belljar" "$command" --help | rows_of "$command"
	done
}

# Quotes hold it in both shells: no row has one.
table >"$3.table"
grep -q '^run --lang =python =node =bash$' "$3.table"
if grep -q "'" "$3.table"; then exit 1; fi
sed -e "/@TABLE@/{s/@TABLE@.*//;r $3.table" -e "a\\" -e "'" -e '}' "$2" >"$3"
rm "$3.table"
