# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Completion of nnloop's command line in bash. Commands and options are those that its --help says; what an option takes is told by the name that help gives it.

_nnloop() {
	local nnloop=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} help value
	COMPREPLY=()
	# --device=host is three words here.
	if [ "$word" = = ]; then
		word=
	elif [ "$before" = = ]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if [ "$COMP_CWORD" -eq 1 ]; then
		help=$("$nnloop" --help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p')
		mapfile -t COMPREPLY < <(compgen -W "$help --help --version" -- "$word")
		return
	fi
	# "-o --output FILE": letter, name and value, each if there is one.
	help=$("$nnloop" "${COMP_WORDS[1]}" --help 2>/dev/null | sed -nE 's/^ +((-.), )?(--[a-z-]+)( ([A-Z]+))? .*/\2 \3 \5/p')
	value=$(sed -nE "s/^(.* )?$before .*\<([A-Z]+)\$/\2/p" <<<"$help")
	case $value in
	DEVICE) mapfile -t COMPREPLY < <(compgen -W "hexagon host $(compgen -G "/dev/nnloop*")" -- "$word") ;;
	NODE) mapfile -t COMPREPLY < <(compgen -W "$(compgen -G "/dev/nnloop*")" -- "$word") ;;
	FORMAT)
		value="text json"
		[ "${COMP_WORDS[1]}" != plan ] || value+=" dot"
		mapfile -t COMPREPLY < <(compgen -W "$value" -- "$word")
		;;
	DIR)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
		;;
	N) ;;
	*)
		if [ -z "$value" ] && [[ $word == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(grep -oE -e '--[a-z-]+' <<<"$help")" -- "$word")
			return
		fi
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		;;
	esac
}
complete -F _nnloop nnloop
