// Fish 3.4 and newer. It loads completions by the name of the program, so `git plan` needs a line that is read at the start of the shell:
// git's own completion asks for those of `git-plan` in some versions, not in 3.6.0, and leaves `-C` out.

import { marker } from './marker.ts'

const forGit = `if not set -q __git_plan_for_git
    set -g __git_plan_for_git
    complete -c git -f -k -n '__fish_git_using_command plan' -a '(__git_plan_answer)'
end
`

export const fishScript = `${marker}
# Completion of git-plan and git plan for fish.

function __git_plan_answer
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

# What fish offers to a program that it knows nothing about.
function __git_plan_paths -a prefix typed
    for path in (complete -C "'' $typed")
        printf '%s\\n' "$prefix$path"
    end
end

# Git's completion asks for those of git-plan too; it has the answer already.
function __git_plan_is_asked_by_git
    string match -q -- '*__fish_git_complete_custom_command*' (status stack-trace)
end

complete -c git-plan -e
complete -c git-plan -f -k -n 'not __git_plan_is_asked_by_git' -a '(__git_plan_answer)'
${forGit}`

/** For the folder that fish reads at its start. */
export const fishStart = `${marker}
# Completion of git plan for fish: what it calls is loaded with the first Tab.

function __git_plan_answer
    source $__fish_config_dir/completions/git-plan.fish
    __git_plan_answer
end
${forGit}`
