// git commands that overwrite, rewrite history, clean or turn checks off.

import { finding, readArguments, type Call, type Finding } from '../call.ts'
import { gitCallOf } from '../git-call.ts'
import { locationOf } from '../location.ts'
import { excerpt } from '../marks.ts'
import type { Rows } from '../rows.ts'
import { judgeDeletion } from './paths.ts'

const dry = '!-n !--dry-run'
const forced = `-f --force --force-with-lease --force-if-includes --mirror -d --delete --prune ${dry}`
const replaces = 'replaces commits of the branch that git plan works on'
const moves = 'moves or deletes a branch or a tag'
const noHooks = 'skips the hooks'
const loses = 'deletes data that git plan may need to restore'

export const gitRows: Rows = {
  'shell-force-push': [
    ['git push, git send-pack', forced, 'overwrites or deletes branches of the remote'],
    ['git push, git send-pack', /^(?!.*--dry-run).* [+:]\S/, 'overwrites or deletes a branch of the remote'],
    ['git config', /remote\.\S+\.(push \+|mirror true)/, 'overwrites branches of the remote with every push'],
    ['gh', /^repo sync .*--force/, 'overwrites a branch'],
  ],
  'shell-external-effect': [['git push', dry, 'publishes commits']],
  'shell-clean-ignored': [['git clean', `-x -X ${dry}`, 'deletes ignored files, which cannot be restored']],
  'shell-rewrite-history': [
    ['git filter-branch, git filter-repo, git-filter-repo, bfg, git fast-import', '', replaces],
    ['git commit', '--amend', replaces],
    ['git rebase', '!--show-current-patch', replaces],
    ['git pull', '--rebase', replaces],
    ['git replace', /^(?!.*(-l|--list)\b)(.* )?[^-\s]/, replaces],
    ['git reset', '--hard --soft --keep --merge --mixed', 'moves the branch'],
    ['git reset', /(^| )(HEAD|ORIG_HEAD)?[~^@]/, 'moves the branch'],
    ['git update-ref', '', moves],
    ['git symbolic-ref', /^(?!-)\S+ [^-\s]|(^| )(-d|--delete)\b/, 'changes what is checked out'],
    ['git branch', '-D -d --delete -f --force -m -M --move', moves],
    ['git tag', '-d --delete -f --force', moves],
    ['git checkout', '-f --force -B', 'discards changes or moves a branch'],
    ['git switch', '-f --force --discard-changes -C --force-create', 'discards changes or moves a branch'],
    ['git reflog', 'expire delete drop', loses],
    ['git gc', /--prune=(now|all)/, loses],
    ['git prune', dry, loses],
    ['git stash', 'clear drop', 'deletes stashed changes'],
    ['git worktree', 'remove -f --force', 'deletes a work tree with its changes'],
  ],
  'shell-checks-off': [
    ['git commit, git push, git merge, git am, git cherry-pick, git rebase', '--no-verify !--dry-run', noHooks],
    ['git commit', '-n', noHooks],
    ['git update-index', '--assume-unchanged --skip-worktree', 'hides changes from git'],
    ['git config', /^(?!.*--get)(\S+ )*core\.hookspath \S/i, 'replaces the hooks of the repository'],
    ['git config', /http\.(\S*\.)?sslverify (false|0|no|off)/i, 'accepts any certificate of the remote'],
  ],
  'shell-credentials': [['git credential', 'fill approve reject get', 'prints or changes a password']],
  'shell-machine': [
    ['git config', /^(?=.*--(global|system)\b)(?!.*--(get|list)).*\S \S+ \S/, 'is for all repositories'],
  ],
}

/**
 * Subcommands that move the branch of the plan or leave it. `if`: only with one of these options. `unless`: not with one
 * of these, or another rule reports it.
 */
const moving: Readonly<Record<string, { readonly if?: readonly string[]; readonly unless?: readonly string[] }>> = {
  commit: { unless: ['--dry-run', '--amend'] },
  merge: { unless: ['--no-commit', '--abort', '--quit'] },
  'cherry-pick': { unless: ['-n', '--no-commit', '--abort', '--quit'] },
  revert: { unless: ['-n', '--no-commit', '--abort', '--quit'] },
  am: { unless: ['--abort', '--quit'] },
  pull: { unless: ['--rebase', '--dry-run', '--no-commit'] },
  switch: { unless: ['--discard-changes', '-C', '--force-create'] },
  checkout: { if: ['-b', '--orphan', '--detach', '-d', '-t', '--track'] },
}

const changing =
  /^(add|am|apply|checkout|cherry-pick|commit|merge|mv|pull|restore|revert|rm|stash|switch|reset|init|read-tree)$/

/** Rules about settings of a single call, and about the work tree of git. */
export function judgeGit(call: Call): readonly (Finding | undefined)[] {
  if (call.name !== 'git') return []
  const { sub, args, cwd, settings } = gitCallOf(call)
  const { operands, values, has } = readArguments(args, '-b= --branch= --depth= -o= --output= -c= -e= --exclude=')
  const off = settings.find((setting) => /^(core\.hookspath=|http\.(.*\.)?sslverify=(false|0|no|off)$)/i.test(setting))
  const made = { clone: operands.slice(1, 2), init: operands, archive: values('-o', '--output') }[sub] ?? []
  const changed = [...made, ...(changing.test(sub) && cwd !== '' ? ['.'] : [])]
  const isCleaned = sub === 'rm' || (sub === 'clean' && !has('-n', '--dry-run'))
  const deletions = (operands.length === 0 ? ['.'] : operands).map((path) => judgeDeletion(`git ${sub}`, path, cwd))
  return [
    off === undefined ? undefined : finding('shell-checks-off', `git -c ${excerpt(off)} turns a check off`),
    changed.some((path) => locationOf(path, cwd) === 'outside')
      ? finding('shell-write-outside', `git ${sub} changes ${excerpt(made[0] ?? cwd)}, outside the repository`)
      : undefined,
    cwd === '' && isMoving(sub, has)
      ? finding(
          'shell-moves-branch',
          `${excerpt(['git', sub, ...args].join(' '))} moves the branch of the plan or leaves it`,
        )
      : undefined,
    ...(isCleaned ? deletions.filter((each) => each?.rule === 'shell-delete-outside') : []),
  ]
}

function isMoving(sub: string, has: (...names: readonly string[]) => boolean): boolean {
  const row = Object.hasOwn(moving, sub) ? moving[sub] : undefined
  return row !== undefined && !has('-h', ...(row.unless ?? [])) && (row.if === undefined || has(...row.if))
}
