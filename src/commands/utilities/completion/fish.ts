// Fish 3.4 and newer. Fish loads completions by the name of the program, so `git plan` needs a line that is read at
// startup: git's own completion calls that of `git-plan` in some versions, not in 3.6.0, and drops `-C`.

import { marker } from './marker.ts'

const forGit = `if not set -q __git_plan_for_git
    set -g __git_plan_for_git
    complete -c git -f -k -n '__fish_git_using_command plan' -a '(__git_plan_answer)'
end
`

export const fishScript = `${marker}
# Completion of git-plan and git plan for fish.

function __git_plan_answer
    command -sq git-plan
    or return
    set -l token (commandline -ct | string collect)
    set -l words (commandline -opc)
    set -l prefix ''
    set -l typed "$token"
    if string match -qr -- '^--[a-z-]+=' "$token"
        set prefix (string replace -r -- '=(.|\\n)*' '=' "$token")
        set typed (string replace -r -- '^[^=]*=' '' "$token" | string collect)
    end
    for answer in (command git-plan --complete fish (count $words) -- $words "$token" 2>/dev/null </dev/null)
        switch $answer
            case :files
                __git_plan_paths "$prefix" "$typed"
            case :directories
                __git_plan_paths "$prefix" "$typed" | string match -r -- '^[^\\t]*/(?:\\t.*)?$'
            case '*'
                printf '%s\\n' "$prefix$answer"
        end
    end
end

# The default completion of fish: paths.
function __git_plan_paths -a prefix typed
    for path in (complete -C "'' $typed")
        printf '%s\\n' "$prefix$path"
    end
end

# Git's completion may call that of git-plan; if it knows git plan, it has the answer already.
function __git_plan_is_answered
    set -q __git_plan_for_git
    and __git_plan_is_asked_by_git
end

function __git_plan_is_asked_by_git
    string match -q -- '*__fish_git_complete_custom_command*' (status stack-trace)
end

complete -c git-plan -e
complete -c git-plan -f
complete -c git-plan -k -n 'not __git_plan_is_answered' -a '(__git_plan_answer)'
# If git's completion has loaded this file, it is too late to register for this Tab.
if not __git_plan_is_asked_by_git
    ${forGit.trimEnd().replaceAll('\n', '\n    ')}
end
`

/** For the directory that fish reads at startup. */
export const fishStart = `${marker}
# Completion of git plan for fish: the rest is loaded at the first Tab.

function __git_plan_answer
    source $__fish_config_dir/completions/git-plan.fish 2>/dev/null
    and __git_plan_answer
end
${forGit}`
