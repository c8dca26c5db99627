// An autoloaded function: git's own completion finds `_git-plan` by its name, and takes the second line as the
// description in the list of commands.

import { marker } from './marker.ts'

export const zshScript = `#compdef git-plan
#description run multi-step changes as one commit per step
${marker}

_git-plan ()
{
  local -a given after answers described
  local answer paths value ret=1
  given=(git-plan)
  # Git's completion passes the words after its own options; of those only -C matters.
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
    # Keep the order: that of steps is meaningful.
    if [[ $described[1] == --* ]]; then
      _describe -V -o options described && ret=0
    else
      _describe -V 'git plan' described && ret=0
    fi
  fi
  # To complete a path with a command substitution, zsh would run the command.
  local word=$PREFIX$SUFFIX
  [[ $word == *'\`'* || $word == *'$('* || $word == *'$['* || $word == *'\${'* ]] && return ret
  case $paths in
    :files) _files && ret=0 ;;
    :directories) _directories && ret=0 ;;
  esac
  return ret
}

# When autoloaded, this is the first call of the function; when sourced, register it.
if [[ $funcstack[1] == _git-plan ]]; then
  _git-plan "$@"
elif (( $+functions[compdef] )); then
  compdef _git-plan git-plan
fi
`
