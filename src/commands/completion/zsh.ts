// A function that zsh loads when it is first needed: git's own completion finds `_git-plan` by its name, and its second line as the
// description in the list of commands.

import { marker } from './marker.ts'

export const zshScript = `#compdef git-plan
#description carry out changes in steps
${marker}

_git-plan ()
{
  local -a given after answers described
  local answer paths value ret=1
  given=(git-plan)
  # Git's completion hands over the words that follow its own options; of those -C counts.
  [[ $service == git && -n \${opt_args[-C]-} ]] && given+=(-C "\${(Q)opt_args[-C]}")
  (( CURRENT > 2 )) && given+=("\${(@Q)words[2,CURRENT-1]}")
  (( CURRENT < $#words )) && after=("\${(@Q)words[CURRENT+1,-1]}")
  answers=("\${(@f)$(command git-plan --complete zsh $#given -- "$given[@]" "\${(Q)PREFIX}" "$after[@]" 2>/dev/null </dev/null)}")
  [[ $PREFIX == --*=* ]] && compset -P 1 '*='
  for answer in "$answers[@]"; do
    if [[ $answer == :* ]]; then
      paths=$answer
    elif [[ -n $answer ]]; then
      value=\${answer%%$'\\t'*}
      described+=("\${value//:/\\\\:}\${\${answer#$value}/$'\\t'/:}")
    fi
  done
  if (( $#described )); then
    # In the order that they come in: the steps of a plan have one.
    if [[ $described[1] == --* ]]; then
      _describe -V -o options described && ret=0
    else
      _describe -V 'git plan' described && ret=0
    fi
  fi
  # To look into a directory that a command names, zsh would run the command.
  local word=$PREFIX$SUFFIX
  [[ $word == *'\`'* || $word == *'$('* || $word == *'$['* || $word == *'\${'* ]] && return ret
  case $paths in
    :files) _files && ret=0 ;;
    :directories) _directories && ret=0 ;;
  esac
  return ret
}

# Loaded by name, it is the function's first call; sourced, it has to be made known.
if [[ $funcstack[1] == _git-plan ]]; then
  _git-plan "$@"
elif (( $+functions[compdef] )); then
  compdef _git-plan git-plan
fi
`
