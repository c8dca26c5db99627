// The keys of git config that are read, with what holds without them. Kept apart from their reading, so that the reference can be made from it.

export interface GitSetting {
  readonly key: string
  /** Words for the reference. */
  readonly fallback: string
  readonly meaning: string
}

export const gitSettings = {
  dir: {
    key: 'plan.dir',
    fallback: '`.plans`',
    meaning: 'the directory of plan files and of `config.yml`, relative to the top of the repository',
  },
  policyRef: {
    key: 'plan.policyRef',
    fallback:
      'the default branch of the remote `origin`; without one the branch that is checked out, unless it is the branch of a plan; then `main` or `master`',
    meaning: 'the branch or commit from which `config.yml` is read, and which says whether a plan is merged',
  },
  protected: {
    key: 'plan.protected',
    fallback: 'the branch of `plan.policyRef`, on a server also that of HEAD, and `bases` of `config.yml`',
    meaning:
      'the branches into which the hooks let only finished plans go, with `*` for any text without a slash and `**` for any number of parts; can be given several times',
  },
  remote: {
    key: 'plan.remote',
    fallback: '`origin`',
    meaning: 'the remote that `git plan submit` pushes to, and on whose forge reviews are read',
  },
  worktree: {
    key: 'plan.worktree',
    fallback: '`false`',
    meaning: 'whether plans run in a work tree of their own, as with `git plan start --worktree`',
  },
  worktreeDir: {
    key: 'plan.worktreeDir',
    fallback: '`REPO.plans` beside the repository',
    meaning: 'the directory in which those work trees are made, one a plan, named after its id',
  },
} as const satisfies Readonly<Record<string, GitSetting>>
