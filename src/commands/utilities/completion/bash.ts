// Bash 3.2 and newer; `compopt` came with 4.0.

import { marker } from './marker.ts'

export const bashScript = `${marker}
# Completion of git plan and git-plan for bash. Git's own completion sets words, cword and cur, then calls _git_plan.

_git_plan ()
{
	local -a line=("\${words[@]}")
	line[cword]=$cur
	__git_plan_answer "$cword" "\${line[@]}"
}

# The same for git-plan. Bash splits --option=value at the equals sign.
__git_plan_line ()
{
	local -a line=()
	local i at=-1 cursor=0 glue=
	for ((i = 0; i < \${#COMP_WORDS[@]}; i++)); do
		if [[ -n $glue || ( $at -gt 0 && \${COMP_WORDS[i]} == = && \${line[at]} == --* ) ]]; then
			line[at]+=\${COMP_WORDS[i]}
		else
			((at += 1))
			line[at]=\${COMP_WORDS[i]}
		fi
		glue=
		[[ \${COMP_WORDS[i]} == = && \${line[at]} == --*= && $i -lt $COMP_CWORD ]] && glue=1
		[[ $i -eq $COMP_CWORD ]] && cursor=$at
	done
	__git_plan_answer "$cursor" "\${line[@]}"
}

__git_plan_answer ()
{
	local cursor=$1 cur prefix= tail= paths= answer
	shift
	cur=\${*:cursor + 1:1}
	# After --option= bash replaces the text behind the sign, unless the sign is not a word break.
	[[ $cur == --*=* && $COMP_WORDBREAKS != *=* ]] && prefix=\${cur%%=*}=
	# Git's completion appends no space; the candidates here are complete words.
	compopt +o nospace 2>/dev/null || tail=' '
	COMPREPLY=()
	while IFS= read -r answer; do
		case $answer in
		'') ;;
		:*) paths=$answer ;;
		*) COMPREPLY+=("$prefix\${answer%%$'\\t'*}$tail") ;;
		esac
	done <<<"$(command git-plan --complete bash "$cursor" -- "$@" 2>/dev/null </dev/null)"
	if [[ -z $paths ]]; then
		compopt +o default +o bashdefault 2>/dev/null
	elif [[ $paths == :directories ]]; then
		compopt +o default +o bashdefault -o dirnames 2>/dev/null
	elif [[ \${#COMPREPLY[@]} -gt 0 ]]; then
		# Without candidates, bash completes files by itself.
		compopt -o filenames 2>/dev/null
		cur=\${cur#--*=}
		while IFS= read -r answer; do
			[[ -n $answer ]] && COMPREPLY+=("$prefix$answer")
		done <<<"$(compgen -f -- "\${cur#[\\"\\']}")"
	fi
	return 0
}

complete -o bashdefault -o default -o nospace -F __git_plan_line git-plan
`
