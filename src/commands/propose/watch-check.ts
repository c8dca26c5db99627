// `git plan check --watch`: checks again when something that the answer depends on has changed.

import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PlanError } from '../../errors.ts'
import { Repository } from '../../git/repository.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { gitEnvironment } from '../../process/environment.ts'
import { pauseBetweenLooks } from '../inspect/look-again.ts'
import type { CheckData } from './check.ts'

type Result = CommandResult<CheckData>

const pauseMs = 300

export async function watchCheck(
  target: string | undefined,
  checkNow: () => Promise<Result>,
  context: CommandContext,
): Promise<Result> {
  if (target === '-')
    throw new PlanError('usage', '--watch needs a file or a plan: standard input does not change', {
      hint: 'git plan check -h',
    })
  const looked = new Looked(context, await openRepository(context))
  if (target !== undefined) looked.add([target])
  // Taken before the check: a change during it is seen.
  await looked.hasChanged()
  const first = await checkNow()
  await looked.addFilesOf(first)
  return { ...first, updates: again(first, { looked, checkNow, context }) }
}

async function* again(
  first: Result,
  { looked, checkNow, context }: { looked: Looked; checkNow: () => Promise<Result>; context: CommandContext },
): AsyncGenerator<Result> {
  try {
    let result: Result | undefined = first
    for (;;) {
      if (result !== undefined && result !== first) {
        await looked.addFilesOf(result)
        yield result
      }
      do if (!(await pauseBetweenLooks(context.signal, pauseMs))) return
      while (!(await looked.hasChanged()))
      result = await checkNow().catch((error: unknown) => {
        // Some editors remove a file and write it again.
        if (error instanceof PlanError && error.code === 'usage') return undefined
        throw error
      })
    }
  } finally {
    looked.close()
  }
}

/** The files and branches that a check depends on. */
class Looked {
  readonly #context: CommandContext
  readonly #repo: Repository | undefined
  readonly #paths = new Set<string>()
  /** By path, and of the branches. */
  #marks = new Map<string, string>()

  constructor(context: CommandContext, repo: Repository | undefined) {
    this.#context = context
    this.#repo = repo
  }

  add(files: readonly string[]): void {
    const { cwd } = this.#context
    for (const file of files) this.#paths.add(resolve(cwd, file)).add(join(this.#repo?.root ?? cwd, file))
  }

  /** Included plans are known by the findings about them. */
  async addFilesOf({ data }: Result): Promise<void> {
    const known = new Set(this.#paths)
    this.add([data.file, ...data.findings.flatMap(({ file }) => file ?? [])])
    for (const path of this.#paths) if (!known.has(path)) this.#marks.set(path, await markOf(path))
  }

  /** Since it was asked the last time. */
  async hasChanged(): Promise<boolean> {
    const before = this.#marks
    const now = new Map<string, string>()
    for (const path of this.#paths) now.set(path, await markOf(path))
    // The plan, and the policy.
    const refs = (await this.#repo?.refs('refs/heads/', 'refs/remotes/')) ?? []
    now.set('refs', refs.map(({ name, oid }) => `${name} ${oid}`).join('\n'))
    this.#marks = now
    return [...now].some(([key, mark]) => before.get(key) !== mark)
  }

  close(): void {
    this.#repo?.close()
  }
}

async function markOf(path: string): Promise<string> {
  const facts = await stat(path).catch(() => undefined)
  return facts === undefined ? '' : `${facts.ino} ${facts.size} ${facts.mtimeMs}`
}

/** undefined: a file can be checked outside of one. */
const openRepository = ({ cwd, env }: CommandContext): Promise<Repository | undefined> =>
  Repository.openAny({ cwd, env: gitEnvironment(env) }).catch((error: unknown) => {
    if (error instanceof PlanError && error.code === 'not-a-repository') return undefined
    throw error
  })
