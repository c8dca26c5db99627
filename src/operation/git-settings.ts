// The keys of git config and a description of their defaults. Separate from the code that reads them, so that the
// reference documentation can be generated from them.

export interface GitSetting {
  readonly key: string
  /** A description, for the reference documentation. */
  readonly fallback: string
  readonly meaning: string
}

export const gitSettings = {
  dir: {
    key: 'plan.dir',
    fallback: '`.plans`',
    meaning: 'the directory of the plan files and of `config.yml`, relative to the top of the repository',
  },
  policyRef: {
    key: 'plan.policyRef',
    fallback:
      'the default branch of the remote `origin`; without a remote, the current branch unless it is that of a plan, then `main` or `master`; in a bare repository, the branch of HEAD',
    meaning: 'the policy branch or commit, from which `config.yml` is read',
  },
  protected: {
    key: 'plan.protected',
    fallback: 'the policy branch, on a server also that of HEAD, and `bases` of `config.yml`',
    meaning: 'a glob for branches that the hooks allow only finished plans to enter; repeatable',
  },
  remote: {
    key: 'plan.remote',
    fallback: '`origin`',
    meaning: 'the remote that `git plan submit` pushes to and whose forge has the reviews',
  },
  worktree: {
    key: 'plan.worktree',
    fallback: '`false`',
    meaning: 'run plans in a separate work tree, as with `git plan start --worktree`',
  },
  worktreeDir: {
    key: 'plan.worktreeDir',
    fallback: '`REPO.plans` beside the repository',
    meaning: 'the directory of those work trees, one per plan, named after its id',
  },
  jobs: {
    key: 'plan.jobs',
    fallback: '`1`',
    meaning: 'the number of steps that run at the same time, as with `-j`; `0`: one per core',
  },
  lease: {
    key: 'plan.lease',
    fallback: '`15m`',
    meaning: 'how long a run with `--push` holds the plan before other clones may take it; it is renewed',
  },
  agent: {
    key: 'plan.agent.NAME.run',
    fallback: 'none',
    meaning: 'the command of the agent NAME; it gets the prompt on standard input',
  },
  notify: {
    key: 'plan.notify.KEY',
    fallback: 'none',
    meaning: 'notifications for yourself, with the keys of `notify` in `config.yml`, beside those of the policy',
  },
  pager: {
    key: 'plan.pager',
    fallback: '`true`',
    meaning: 'show output that is longer than the screen in a pager',
  },
} as const satisfies Readonly<Record<string, GitSetting>>
