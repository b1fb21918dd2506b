# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# bash.sh - runs snippets one after another in one shell; what they leave is there for the next.
#
# The channel is descriptor 0: "ready\n" goes out first, then "NUMBER NONCE LENGTH\n" and the code come in, "NONCE STATUS -\n"
# goes out.  While a snippet runs the shell keeps the channel away from it, and from what it
# starts, and gives it an empty standard input instead.  Options that a snippet sets hold for
# snippets, not for the lines below.  An interrupt leaves every loop there is, ours too: so ours is
# a text that begins again behind its own end.
__bj_options=$- __bj_status=0 __bj_open=
__bj_set() {
	local option
	for option in a b e f k m u v x B C E H P T; do
		if [[ $1 == *"$option"* ]]; then builtin set "-$option"; else builtin set "+$option"; fi
	done 2>/dev/null
}
__bj_return() {
	builtin return "$1"
}
__bj_say() {
	[[ -z $__bj_open ]] || builtin printf '%s %d -\n' "$__bj_open" "$1" >&0 || builtin exit 1
	__bj_open=
}
__bj_loop='
while
	LC_ALL=C IFS=" " builtin read -r __bj_number __bj_nonce __bj_length || builtin exit 0
do
	__bj_code=
	if ((__bj_length > 0)); then
		LC_ALL=C IFS= builtin read -r -N "$__bj_length" __bj_code || builtin exit 1
	fi
	__bj_open=$__bj_nonce
	__bj_set "$__bj_options"
	{ [[ $- == *e* ]] || __bj_return "$__bj_status"; builtin eval "$__bj_code"; } </dev/null
	{ __bj_status=$? __bj_options=$-; builtin set +aefkuvxCET; } 2>/dev/null
	__bj_say "$__bj_status"
done
{ __bj_status=130 __bj_options=$-; builtin set +aefkuvxCET; } 2>/dev/null
__bj_say 130
builtin eval "$__bj_loop"
'
trap '[[ -z $__bj_open ]] || break 999' INT
builtin printf 'ready\n' >&0
builtin eval "$__bj_loop"
