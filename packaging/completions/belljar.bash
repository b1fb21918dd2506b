# SPDX-License-Identifier: Apache-2.0
# belljar.bash - completes the words of belljar(1) in bash, by a table made from its --help.

# COMMAND or COMMAND/WORD, option, and what it takes: f a file, d a directory, p a program, =WORD
# that word, v something else; nothing: it takes no value.
_belljar_table='@TABLE@'

_belljar_add() {
	local word
	while IFS= read -r word; do
		COMPREPLY+=("$word")
	done < <(compgen "$@" -- "$cur")
}

# The values that an option of that kind takes.
_belljar_value() {
	case $1 in
	f) _belljar_add -f ;;
	d) _belljar_add -d ;;
	p) _belljar_add -c ;;
	=*) _belljar_add -W "${1#=}" ;;
	esac
	case $1 in f | d | p) compopt -o filenames 2>/dev/null ;; esac
}

_belljar() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command='' key option kinds kind words='' options='' i
	COMPREPLY=()
	# --option=value is three words to bash.
	if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi
	((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then # what is behind belongs to a program
			if ((i == COMP_CWORD - 1)); then _belljar_value p; else _belljar_value f; fi
			return
		fi
	done
	while read -r key option kinds; do
		if [[ -z $command ]]; then
			words+=" ${key%%/*}"
		elif ((COMP_CWORD == 2)) && [[ $key == "$command"/* ]]; then
			words+=" ${key#*/}"
		elif [[ $key == "$command" || $key == "$command/${COMP_WORDS[2]}" ]]; then
			options+=" $option"
			[[ $option == "$prev" && -n $kinds ]] || continue
			for kind in $kinds; do _belljar_value "$kind"; done
			return
		fi
	done <<<"$_belljar_table"
	if [[ -z $command ]]; then
		_belljar_add -W "$words --help --version"
	elif [[ $words ]]; then
		_belljar_add -W "$words --help"
	elif [[ $cur == -* ]]; then
		_belljar_add -W "$options"
	else
		_belljar_value f
	fi
	# Each once.
	[[ $words ]] && mapfile -t COMPREPLY < <(printf '%s\n' "${COMPREPLY[@]}" | sort -u)
}

complete -F _belljar belljar
