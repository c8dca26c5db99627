// git: what overwrites, rewrites, cleans and switches off.

import { found, type Call, type Check, type Checks, type Found } from '../call.ts'
import { gitCallOf, type GitCall } from '../git-call.ts'
import { shown } from '../marks.ts'
import { given, type Given } from '../options.ts'
import { placeOf } from '../places.ts'
import { deleted } from './delete.ts'

type Git = Given & GitCall

const taken = (call: Call): Git => {
  const taking = gitCallOf(call)
  return {
    ...taking,
    ...given(
      taking.args,
      '-m -F -C -c --message --author --date -b -B -e --exclude --onto -s -X -o --prune --expire --sort --format',
    ),
  }
}

type GitCheck = (git: Git) => readonly (Found | undefined)[] | Found | undefined

const rewrites = (what: string): Found =>
  found('shell-rewrite-history', `${what}, which disturbs the branch that the executor works on`)
const unverified = (git: Git): Found | undefined =>
  git.has('--no-verify') ? found('shell-checks-off', `git ${git.sub} --no-verify leaves the hooks out`) : undefined

const isRehearsal = ({ has }: Git): boolean => has('-n', '--dry-run') && !has('--no-dry-run')

const push: GitCheck = (git) => {
  const { args, has, options, operands } = git
  const forced =
    has('-f', '--force', '--mirror', '--delete', '-d', '--prune') ||
    [...options.keys()].some((name) => name.startsWith('--force-')) ||
    operands.slice(1).some((refspec) => /^[+:]./.test(refspec)) ||
    args.some((arg) => /^\+\w/.test(arg))
  if (isRehearsal(git)) return undefined
  return [
    forced
      ? found('shell-force-push', `git ${git.sub} ${shown(args.join(' '))} overwrites or deletes what others have`)
      : found('shell-external-effect', 'git push publishes commits'),
    unverified(git),
  ]
}

/** -x removes ignored files, -X nothing else. */
const clean: GitCheck = (git) => {
  const { has, operands, cwd } = git
  if (isRehearsal(git)) return undefined
  return [
    has('-x', '-X')
      ? found(
          'shell-clean-ignored',
          'git clean -x removes ignored files (.env, caches, work of others), which nothing brings back',
        )
      : undefined,
    ...(operands.length === 0 && cwd !== '' ? [cwd] : operands).map((path) => {
      const found = deleted('git clean', path, path === cwd ? '' : cwd)
      return found?.rule === 'shell-delete-outside' ? found : undefined
    }),
  ]
}

const always =
  (what: string): GitCheck =>
  () =>
    rewrites(what)

const where =
  (what: string, isSo: (git: Git) => boolean): GitCheck =>
  (git) =>
    isSo(git) ? rewrites(what) : undefined

const commit: GitCheck = (git) => [
  git.has('--amend') ? rewrites('git commit --amend replaces a commit') : undefined,
  unverified(git),
  git.has('-n') ? found('shell-checks-off', 'git commit -n leaves the hooks out') : undefined,
]

const config: GitCheck = ({ args, has, operands }) => {
  const isRead =
    has('--get', '--get-all', '--list', '-l', '--get-regexp', '--show-origin') ||
    ['get', 'list'].includes(operands[0] ?? '') ||
    (operands.length < 2 && !has('--unset', '--unset-all', '--edit', '-e'))
  if (isRead) return undefined
  return [
    has('--global', '--system')
      ? found('shell-machine', 'git config --global changes the settings of all repositories')
      : undefined,
    settingOff(args.join('=').replace(/^(--?[\w-]+=)*(set=)?/, '')),
  ]
}

/** `key=value`: a setting that switches a check off. */
function settingOff(setting: string): Found | undefined {
  if (/^core\.hookspath=/i.test(setting))
    return found(
      'shell-checks-off',
      'core.hooksPath puts other hooks, or none, in the place of those of the repository',
    )
  if (/^http\.(.*\.)?sslverify=(false|0|no|off)$/i.test(setting))
    return found('shell-checks-off', 'http.sslVerify=false lets anybody answer for the remote')
  if (/^remote\..+\.(push=\+|mirror=true$)/i.test(setting))
    return found('shell-force-push', 'a setting of the remote overwrites branches with every push')
  return undefined
}

const stash = where('git stash drop loses what was put aside', ({ operands }) =>
  ['clear', 'drop'].includes(operands[0] ?? ''),
)

/** These change the files of a work tree, which need not be ours: `-C`, `--work-tree`. */
const changing = new Set(
  'add am apply checkout cherry-pick commit merge mv pull restore revert rm stash switch reset init read-tree checkout-index'.split(
    ' ',
  ),
)
const elsewhere = ({ sub, cwd }: Git): Found | undefined =>
  changing.has(sub) && cwd !== '' && placeOf(cwd, '') === 'outside'
    ? found('shell-write-outside', `git ${sub} changes ${shown(cwd)}, outside the repository`)
    : undefined

/** A new repository is made where the last operand says. */
const made: GitCheck = ({ sub, args, cwd }) => {
  const { operands } = given(
    args,
    '-b --branch --depth -o --origin -c --config --reference -j --jobs --filter --template --initial-branch -u',
  )
  const [target] = operands.slice(sub === 'clone' ? 1 : 0)
  return target !== undefined && placeOf(target, cwd) === 'outside'
    ? found('shell-write-outside', `git ${sub} writes ${shown(target)}, outside the repository`)
    : undefined
}

const subs: Readonly<Record<string, GitCheck>> = {
  push,
  'send-pack': push,
  clone: made,
  init: made,
  archive: ({ args, cwd }) =>
    given(args, '-o --output --format --prefix')
      .values('-o', '--output')
      .map((path) =>
        placeOf(path, cwd) === 'outside'
          ? found('shell-write-outside', `git archive writes ${shown(path)}, outside the repository`)
          : undefined,
      ),
  clean,
  commit,
  config,
  stash,
  'filter-branch': always('git filter-branch rewrites history'),
  'filter-repo': always('git filter-repo rewrites history'),
  'fast-import': always('git fast-import writes history'),
  replace: where(
    'git replace puts one commit in the place of another',
    ({ operands, has }) => operands.length > 0 && !has('-l', '--list'),
  ),
  reset: where(
    'git reset moves the branch',
    ({ has, operands }) =>
      has('--hard', '--soft', '--keep', '--merge', '--mixed') ||
      operands.some((each) => /^(HEAD|ORIG_HEAD)?[~^@]/.test(each) || /^HEAD[~^@]/.test(each)),
  ),
  rebase: (git) => [
    git.has('--show-current-patch') ? undefined : rewrites('git rebase replaces commits'),
    unverified(git),
  ],
  pull: where(
    'git pull --rebase replaces commits',
    ({ options }) => options.has('--rebase') && options.get('--rebase') !== 'false',
  ),
  'update-ref': where('git update-ref moves or deletes a ref', () => true),
  'symbolic-ref': where(
    'git symbolic-ref changes what is checked out',
    ({ operands, has }) => operands.length > 1 || has('-d', '--delete'),
  ),
  reflog: where('git reflog expire forgets where branches were', ({ operands }) =>
    ['expire', 'delete', 'drop'].includes(operands[0] ?? ''),
  ),
  gc: where('git gc --prune removes what nothing names any more, saved attempts with it', ({ options }) =>
    ['now', 'all'].includes(options.get('--prune') ?? ''),
  ),
  prune: where('git prune removes what nothing names any more', ({ has }) => !has('-n', '--dry-run')),
  branch: where('git branch -D deletes or moves a branch', ({ has }) =>
    has('-D', '-d', '--delete', '-f', '--force', '-m', '-M', '--move'),
  ),
  tag: where('git tag -d deletes or moves a tag', ({ has }) => has('-d', '--delete', '-f', '--force')),
  checkout: where('git checkout -f throws changes away', ({ has }) => has('-f', '--force', '-B')),
  switch: where('git switch -f throws changes away', ({ has }) =>
    has('-f', '--force', '--discard-changes', '-C', '--force-create'),
  ),
  worktree: where(
    'git worktree remove --force throws a work tree away',
    ({ operands, has }) => operands[0] === 'remove' && has('-f', '--force'),
  ),
  'update-index': ({ has }) =>
    has('--assume-unchanged', '--skip-worktree')
      ? found('shell-checks-off', 'git update-index hides changes from git')
      : undefined,
  credential: ({ operands }) =>
    ['fill', 'approve', 'reject', 'get'].includes(operands[0] ?? '')
      ? found('shell-credentials', 'git credential prints or changes a password')
      : undefined,
  merge: unverified,
  am: unverified,
  'cherry-pick': unverified,
  rm: ({ operands, cwd }) => operands.map((path) => deletedOutside(path, cwd)),
}

const deletedOutside = (path: string, cwd: string): Found | undefined => {
  const found = deleted('git rm', path, cwd)
  return found?.rule === 'shell-delete-outside' ? found : undefined
}

const git: Check = (call) => {
  const taking = taken(call)
  const judge = Object.hasOwn(subs, taking.sub) ? subs[taking.sub] : undefined
  const own = judge?.(taking)
  return [
    elsewhere(taking),
    ...taking.settings.map(settingOff),
    ...(Array.isArray(own) ? (own as readonly (Found | undefined)[]) : [own as Found | undefined]),
  ]
}

export const versionControl: Checks = {
  git,
  gh: ({ args }) =>
    args[0] === 'repo' && args[1] === 'sync' && args.includes('--force')
      ? found('shell-force-push', 'gh repo sync --force overwrites a branch')
      : undefined,
  'git-filter-repo bfg': ({ name }) => rewrites(`${name} rewrites history`),
}
