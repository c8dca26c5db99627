// git: the options before the subcommand, and the forms of each subcommand that only read. The repository is the user's
// own, and so are its settings; another repository, or other settings, could run anything.

import type { Argument } from '../argument.ts'
import type { Given } from '../options.ts'
import { excerpt, type Problem, type Rule } from '../verdict.ts'
import { gitChecks } from './git-checks.ts'
import { gitPlan } from './git-plan.ts'
import { form, has } from './git-form.ts'
import { diffOptions, logOptions, revisionOptions } from './git-options.ts'
import { subcommands } from './tools.ts'

/**
 * Without --list an operand would be created. `-l` had another meaning in old versions, with which only a glob is safe.
 */
const listing =
  (patterns: RegExp) =>
  (given: Given): Problem => {
    const made = has(given, '--list')
      ? undefined
      : given.operands.find(({ literal }) => !has(given, '-l') || !patterns.test(literal ?? ''))
    return made === undefined ? undefined : `${excerpt(made.text)} may be made`
  }

/** At the end of a command these need no value: HEAD is the default. */
const bareEnd = /^--(no-)?(merged|contains)$|^--points-at$/

/** With --list as the first word, every operand is a pattern. */
const lists = (usage: string, patterns: RegExp): Rule => {
  const known = `${usage} ${refs}`
  const [any, asked] = [form(known, Infinity, listing(patterns)), form(known)]
  return (args, judge) => {
    const words = bareEnd.test(args.at(-1)?.literal ?? '') ? args.slice(0, -1) : args
    return args[0]?.literal === '--list' ? asked(words, judge) : any(words, judge)
  }
}

const refs = `--contains= --no-contains= --merged= --no-merged= --points-at= --sort= --format= --color[=] --no-color
    --column[=] --no-column --omit-empty`
const log = form(logOptions)
const diff = form(`${diffOptions} -0123 --cached --no-index --staged --merge-base --base --ours --theirs`)
const plumbing = form(
  `${diffOptions} -rt --cached --root --stdin --merge-base --no-commit-id --pretty[=] --always --first-parent`,
)

const reflog = form(
  `-gq -# --all --oneline --date[=] --format[=] --pretty[=] --max-count[=] --decorate[=] --no-decorate
    --no-abbrev-commit`,
  0,
)
/** `-n 5`: not a subcommand. */
const withoutCount = (args: readonly Argument[]): readonly Argument[] =>
  args[0]?.literal === '-n' && /^\d+$/.test(args[1]?.literal ?? '') ? args.slice(2) : args

const reading = subcommands({
  ...gitChecks,
  log,
  show: log,
  whatchanged: log,
  diff,
  'diff-tree': plumbing,
  'diff-index': plumbing,
  'diff-files': plumbing,
  shortlog: form(`${logOptions} -ensc --numbered --summary --email --group=`),
  'rev-list': form(revisionOptions),
  'rev-parse': () => undefined,
  'merge-base': () => undefined,
  'check-ref-format': () => undefined,
  status: form(
    `-sbvz -u[=] --short --branch --show-stash --porcelain[=] --long --verbose --untracked-files[=] --ignored[=]
      --ignore-submodules[=] --column[=] --no-column --ahead-behind --no-ahead-behind --renames --no-renames`,
  ),
  blame: form(
    `-bcefltswnp -L= -M[=] -C[=] --root --show-stats --porcelain --line-porcelain --incremental --date=
      --score-debug --show-name --show-number --show-email --abbrev[=] --ignore-rev= --first-parent --color-lines
      --color-by-age --since=`,
  ),
  annotate: form('-bcefltswnp -L='),
  describe: form(
    `--all --tags --contains --abbrev[=] --candidates= --exact-match --debug --long --match= --exclude= --always
      --first-parent --dirty[=]`,
  ),
  'name-rev': form('--tags --refs= --exclude= --all --name-only --no-undefined --always'),
  'ls-files': form(
    `-cdmoiskutvfz -x= -X= --cached --deleted --modified --others --ignored --stage --killed --unmerged --directory
      --no-empty-directory --exclude= --exclude-from= --exclude-standard --error-unmatch --full-name --abbrev[=]
      --debug --eol --deduplicate --format=`,
  ),
  'ls-tree': form(
    '-drtlz --name-only --name-status --object-only --full-name --full-tree --abbrev[=] --long --format=',
  ),
  'cat-file': form(
    '-tspe --batch[=] --batch-check[=] --batch-all-objects --buffer --unordered --follow-symlinks --allow-unknown-type',
  ),
  'for-each-ref': form(`${refs} --count= --shell --perl --python --tcl --ignore-case --exclude=`),
  'show-ref': form(
    '-dqs[=] --head --heads --branches --tags --dereference --hash[=] --verify --abbrev[=] --quiet --exists',
  ),
  'show-branch': form(
    `-artg --all --remotes --topo-order --date-order --sparse --more= --list --merge-base --independent --current
      --sha1-name --no-name --topics --color[=] --no-color`,
  ),
  'count-objects': form('-vH --verbose --human-readable', 0),
  'check-ignore': form('-qvnz --quiet --verbose --stdin --non-matching --no-index'),
  'check-attr': form('-az --all --cached --stdin --source='),
  'check-mailmap': form('--stdin'),
  cherry: form('-v --abbrev[=]'),
  'range-diff': form(`${diffOptions} --creation-factor= --no-dual-color --left-only --right-only`),
  var: form('-l'),
  version: form('--build-options', 0),
  // -O opens the matches in a program.
  grep: form(
    `-aiIwvhHEGFPlLnzocpWq -A= -B= -C= -e= -m= --text --ignore-case --word-regexp --invert-match --full-name
      --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches
      --name-only --files-without-match --null --only-matching --count --color[=] --no-color --break --heading
      --show-function --context= --after-context= --before-context= --function-context --max-count= --threads= --and
      --or --not --all-match --quiet --cached --untracked --no-index --no-exclude-standard --exclude-standard
      --max-depth=`,
  ),
  branch: lists(
    '-arvqil --list --all --remotes --verbose --quiet --show-current --ignore-case --abbrev[=] --no-abbrev',
    /[*?[]/,
  ),
  tag: lists('-l -n[=] -i --list --ignore-case', /^/),
  remote: form('-v --verbose', 0),
  // Without -n it asks the remote.
  'remote show': form('-n', 1, (given) =>
    given.operands.length === 0 || has(given, '-n') ? undefined : 'only -n is known to only read',
  ),
  'remote get-url': form('--push --all', 1),
  'stash list': log,
  'stash show': form(`${diffOptions} --include-untracked --only-untracked`),
  'worktree list': form('-vz --verbose --porcelain', 0),
  notes: form('', 0),
  'notes list': form('', 1),
  'notes show': form('', 1),
  // Values must be joined here and for config: git reads the first word that is not an option as a subcommand, such as
  // `expire` or `edit`.
  reflog: (args, judge) => reflog(withoutCount(args), judge),
  'reflog show': log,
  'reflog list': form('', 0),
  'reflog exists': form('', 1),
  'bisect log': form('', 0),
  'bisect terms': form('', 0),
  'bundle verify': form('-q --quiet', 1),
  'bundle list-heads': form(''),
  'symbolic-ref': form('-q --quiet --short --no-recurse', 1),
  // -w stores the object.
  'hash-object': form('-t= --stdin --stdin-paths --path= --no-filters --literally'),
  config: form(
    `-lz --get --get-all --get-regexp --list --null --name-only --show-origin --show-scope --local --global --system
      --worktree --bool --int --bool-or-int --path --type[=] --includes --no-includes`,
    Infinity,
    (given) => {
      const most = has(given, '-l', '--list') ? 0 : has(given, '--get', '--get-all', '--get-regexp') ? 2 : 1
      const [first] = given.operands
      const isPattern = has(given, '--get-regexp') && first?.literal !== undefined && !/^[a-z-]*$/.test(first.literal)
      const isKey = first === undefined ? most !== 1 : isPattern || first.literal?.includes('.') === true
      return isKey && given.operands.length <= most && given.operands.every(({ fields }) => fields === 'one')
        ? undefined
        : 'it may set a value'
    },
  ),
  'config list': form('-z --null --name-only --show-origin --show-scope --local --global --system --worktree', 0),
  'config get': form(
    '--all --regexp --local --global --system --worktree --type= --show-origin --show-scope --show-names',
    1,
  ),
})

/** Options before the subcommand: no pager, no refresh of the index. */
const global = new Set([
  '--no-pager',
  '-P',
  '--no-optional-locks',
  '--no-replace-objects',
  '--literal-pathspecs',
  '--glob-pathspecs',
  '--noglob-pathspecs',
  '--icase-pathspecs',
  '--no-lazy-fetch',
])
/** These print something about git itself and exit. */
const asksOnly = new Set(['--help', 'help', '-h', '--exec-path', '--html-path', '--man-path', '--info-path'])
/** Settings for a single command that only change the display. */
const harmlessSettings = [
  /^(color\.(ui|diff|status|branch|grep)=(always|never|auto|true|false)|core\.quote[pP]ath=(on|off|true|false))$/,
  /^(core\.pager=cat|pager\.[a-z]+=false|log\.showSignature=false|diff\.noprefix=(true|false)|column\.ui=never)$/,
]

export const git: Rule = (args: readonly Argument[], judge) => {
  let at = 0
  for (; at < args.length; at += 1) {
    const word = args[at]?.literal ?? ''
    if (word === '-c' && harmlessSettings.some((setting) => setting.test(args[at + 1]?.literal ?? ''))) at += 1
    else if (!global.has(word)) break
  }
  const rest = args.slice(at)
  if (rest[0]?.literal === 'plan') return gitPlan(rest.slice(1), judge)
  if (rest.length === 0 || (rest.length === 1 && asksOnly.has(rest[0]?.literal ?? ''))) return undefined
  const problem = reading(rest, judge)
  const name = rest[0]?.literal
  return problem === undefined || name === undefined || problem.startsWith(`${name} `)
    ? problem
    : `git ${name}: ${problem}`
}
