// Runs the commit hooks as `git commit` would.

import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import type { GitAnswer } from '../command/runner.ts'
import type { Repository } from '../repository.ts'

const commitHooks = ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit'] as const
export type CommitHook = (typeof commitHooks)[number]

export class Hooks {
  readonly #repo: Repository
  readonly #directory: string

  private constructor(repo: Repository, directory: string) {
    this.#repo = repo
    this.#directory = directory
  }

  static async of(repo: Repository): Promise<Hooks> {
    return new Hooks(repo, await repo.hooksPath())
  }

  async has(hook: CommitHook): Promise<boolean> {
    try {
      accessSync(join(this.#directory, hook), constants.X_OK)
      return true
    } catch {
      return false
    }
  }

  async hasAny(): Promise<boolean> {
    for (const hook of commitHooks) if (await this.has(hook)) return true
    return false
  }

  /** Code 0: the hook does not exist or it passed. */
  async run(hook: CommitHook, args: readonly string[], index: string): Promise<GitAnswer> {
    if (!(await this.has(hook))) return { code: 0, stdout: Buffer.alloc(0), stderr: '' }
    const any = Array.from({ length: 256 }, (_, code) => code)
    // As in `git commit`, hooks get the Git directory only in a linked work tree, and never the work tree.
    const isLinked = this.#repo.gitDir !== this.#repo.commonDir
    const env = { GIT_EDITOR: ':', GIT_WORK_TREE: undefined, ...(isLinked ? {} : { GIT_DIR: undefined }) }
    return this.#repo.git.run(['hook', 'run', '--ignore-missing', hook, '--', ...args], {
      hooks: true,
      index,
      ok: any,
      env,
    })
  }
}
