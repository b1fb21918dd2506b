#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-words.sh: no unfinished work, no boasting, no trace of one person's machine in the text.
. "$(dirname "$0")/lint.sh"

# refuse GREP-OPTION PATTERN WHY
refuse() {
	sources '*.c' '*.h' '*.md' '*.[1-8]' '*.sh' '*.py' '*.build' Makefile '*.txt' |
		grep -v '^scripts/check-words.sh$' |
		xargs grep -nIE "$1" "$2" /dev/null | sed "s#\$#   <- $3#"
}

{
	refuse -w 'TODO|FIXME|XXX|HACK|TBD|WIP' 'finish it, or leave it out'
	refuse -iw 'lorem|not implemented yet|coming soon' 'finish it, or leave it out'
	refuse -iw 'blazing(ly)?|world-class|cutting-edge|state-of-the-art|revolutionary' 'plain words'
	refuse -iw 'bulletproof|military-grade|unbreakable|unhackable|effortless(ly)?' 'plain words'
	refuse -i '/home/[a-z]+/' 'a path of one machine'
	refuse -iw 'issue #?[0-9]+|ticket #?[0-9]+|co-authored-by' 'say it in the text itself'
} | verdict
