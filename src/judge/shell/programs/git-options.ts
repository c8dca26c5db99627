// Git options that only change what is shown. Left out on purpose: --output writes a file, --ext-diff and --textconv
// run configured programs, --show-signature runs gpg, -O names a file of patterns or, for grep, a program.

export const diffOptions = `
  -psuwbzaRWcm -U= -M[=] -C[=] -B[=] -D -S= -G= -l= --patch --no-patch --unified= --raw --patch-with-stat --stat[=]
  --numstat --shortstat --dirstat[=] --summary --compact-summary --name-only --name-status --color[=] --no-color
  --color-words[=] --word-diff[=] --word-diff-regex= --color-moved[=] --no-color-moved --find-renames[=]
  --find-copies[=] --find-copies-harder --no-renames --break-rewrites[=] --diff-filter= --pickaxe-all --pickaxe-regex
  --ignore-space-change --ignore-all-space --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines
  --ignore-submodules[=] --submodule[=] --relative[=] --no-relative --text --binary --full-index --abbrev[=]
  --no-abbrev --minimal --patience --histogram --anchored= --diff-algorithm= --indent-heuristic --no-indent-heuristic
  --inter-hunk-context= --function-context --exit-code --quiet --check --no-ext-diff --no-textconv --no-prefix
  --src-prefix= --dst-prefix= --cc --combined-all-paths --ita-invisible-in-index -I= --ignore-matching-lines=
  --skip-to= --rotate-to=`

export const logOptions = `
  ${diffOptions} -iEFPgq -n= -L= -# --oneline --graph --no-graph --decorate[=] --no-decorate --decorate-refs=
  --decorate-refs-exclude= --max-count= --skip= --all --branches[=] --tags[=] --remotes[=] --glob= --exclude= --since=
  --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep --regexp-ignore-case
  --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --min-parents= --max-parents= --first-parent
  --not --reverse --follow --format= --pretty[=] --abbrev-commit --no-abbrev-commit --date= --relative-date --parents
  --children --left-right --left-only --right-only --cherry --cherry-pick --cherry-mark --topo-order --date-order
  --author-date-order --boundary --simplify-by-decoration --simplify-merges --full-history --dense --sparse
  --show-pulls --ancestry-path[=] --walk-reflogs --source --notes[=] --no-notes --no-walk[=] --full-diff
  --no-expand-tabs --expand-tabs[=] --log-size --mailmap --no-mailmap --use-mailmap --diff-merges= --no-diff-merges
  --clear-decorations --encoding= --merge --bisect`

export const revisionOptions = `
  ${logOptions} --count --objects --objects-edge --timestamp --header --no-object-names --disk-usage[=]
  --no-commit-header --commit-header`
