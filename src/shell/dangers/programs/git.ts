// git: what overwrites, rewrites, cleans and switches off.

import { found, type Call, type Check, type Checks, type Found } from '../call.ts'
import { shown } from '../marks.ts'
import { given, type Given } from '../options.ts'
import { deleted } from './delete.ts'

interface Git extends Given {
  readonly sub: string
  readonly args: readonly string[]
  readonly cwd: string
}

const globalOptions = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--super-prefix', '--config-env', '--exec-path'])

/** The options before the subcommand, the subcommand, and its own. */
function taken({ args, cwd }: Call): Git & { readonly settings: readonly string[] } {
  const settings: string[] = []
  let at = 0
  let directory = cwd
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (!arg.startsWith('-')) break
    if (!globalOptions.has(arg)) continue
    at += 1
    const value = args[at] ?? ''
    if (arg === '-c') settings.push(value)
    if (arg === '-C') directory = value.startsWith('/') || directory === '' ? value : `${directory}/${value}`
  }
  const own = args.slice(at + 1)
  return {
    sub: args[at] ?? '',
    args: own,
    cwd: directory,
    settings,
    ...given(own, '-m -F -C -c --message --author --date -b -B -e --exclude --onto -s -X -o --prune --expire --sort --format'),
  }
}

type GitCheck = (git: Git) => readonly (Found | undefined)[] | Found | undefined

const rewrites = (what: string): Found => found('shell-rewrite-history', `${what}, which disturbs the branch that the executor works on`)
const unverified = (git: Git): Found | undefined =>
  git.has('--no-verify') ? found('shell-checks-off', `git ${git.sub} --no-verify leaves the hooks out`) : undefined

const push: GitCheck = (git) => {
  const { args, has, options, operands } = git
  const forced =
    has('-f', '--force', '--mirror', '--delete', '-d', '--prune') ||
    [...options.keys()].some((name) => name.startsWith('--force-')) ||
    operands.slice(1).some((refspec) => /^[+:]./.test(refspec)) ||
    args.some((arg) => /^\+\w/.test(arg))
  if (has('-n', '--dry-run')) return undefined
  return [
    forced
      ? found('shell-force-push', `git push ${shown(args.join(' '))} overwrites or deletes what others have`)
      : found('shell-external-effect', 'git push publishes commits'),
    unverified(git),
  ]
}

/** -x removes ignored files, -X nothing else. */
const clean: GitCheck = ({ has, operands, cwd }) => {
  if (has('-n', '--dry-run')) return undefined
  return [
    has('-x', '-X') ? found('shell-clean-ignored', 'git clean -x removes ignored files (.env, caches, work of others), which nothing brings back') : undefined,
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
    has('--global', '--system') ? found('shell-machine', 'git config --global changes the settings of all repositories') : undefined,
    settingOff(args.join('=').replace(/^(--?[\w-]+=)*(set=)?/, '')),
  ]
}

/** `key=value`: a setting that switches a check off. */
function settingOff(setting: string): Found | undefined {
  if (/^core\.hookspath=/i.test(setting)) return found('shell-checks-off', 'core.hooksPath puts other hooks, or none, in the place of those of the repository')
  if (/^http\.(.*\.)?sslverify=(false|0|no|off)$/i.test(setting)) return found('shell-checks-off', 'http.sslVerify=false lets anybody answer for the remote')
  return undefined
}

const stash = where('git stash drop loses what was put aside', ({ operands }) => ['clear', 'drop'].includes(operands[0] ?? ''))

const subs: Readonly<Record<string, GitCheck>> = {
  push,
  clean,
  commit,
  config,
  stash,
  'filter-branch': always('git filter-branch rewrites history'),
  'filter-repo': always('git filter-repo rewrites history'),
  'fast-import': always('git fast-import writes history'),
  replace: where('git replace puts one commit in the place of another', ({ operands, has }) => operands.length > 0 && !has('-l', '--list')),
  reset: where(
    'git reset moves the branch',
    ({ has, operands }) =>
      has('--hard', '--soft', '--keep', '--merge', '--mixed') || operands.some((each) => /^(HEAD|ORIG_HEAD)?[~^@]/.test(each) || /^HEAD[~^@]/.test(each)),
  ),
  rebase: (git) => [git.has('--show-current-patch') ? undefined : rewrites('git rebase replaces commits'), unverified(git)],
  pull: where('git pull --rebase replaces commits', ({ options }) => options.has('--rebase') && options.get('--rebase') !== 'false'),
  'update-ref': where('git update-ref moves or deletes a ref', () => true),
  'symbolic-ref': where('git symbolic-ref changes what is checked out', ({ operands, has }) => operands.length > 1 || has('-d', '--delete')),
  reflog: where('git reflog expire forgets where branches were', ({ operands }) => ['expire', 'delete', 'drop'].includes(operands[0] ?? '')),
  gc: where('git gc --prune removes what nothing names any more, saved attempts with it', ({ options }) =>
    ['now', 'all'].includes(options.get('--prune') ?? ''),
  ),
  prune: where('git prune removes what nothing names any more', ({ has }) => !has('-n', '--dry-run')),
  branch: where('git branch -D deletes or moves a branch', ({ has }) => has('-D', '-d', '--delete', '-f', '--force', '-m', '-M', '--move')),
  tag: where('git tag -d deletes or moves a tag', ({ has }) => has('-d', '--delete', '-f', '--force')),
  checkout: where('git checkout -f throws changes away', ({ has }) => has('-f', '--force', '-B')),
  switch: where('git switch -f throws changes away', ({ has }) => has('-f', '--force', '--discard-changes', '-C', '--force-create')),
  worktree: where('git worktree remove --force throws a work tree away', ({ operands, has }) => operands[0] === 'remove' && has('-f', '--force')),
  'update-index': ({ has }) =>
    has('--assume-unchanged', '--skip-worktree') ? found('shell-checks-off', 'git update-index hides changes from git') : undefined,
  credential: ({ operands }) =>
    ['fill', 'approve', 'reject', 'get'].includes(operands[0] ?? '') ? found('shell-credentials', 'git credential prints or changes a password') : undefined,
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
  return [...taking.settings.map(settingOff), ...(Array.isArray(own) ? (own as readonly (Found | undefined)[]) : [own as Found | undefined])]
}

export const versionControl: Checks = {
  git,
  'git-filter-repo bfg': ({ name }) => rewrites(`${name} rewrites history`),
}
