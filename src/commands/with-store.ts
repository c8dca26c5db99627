// Opens the repository for a command that reads history and refs, whatever the settings are.

import { Repository } from '../git/repository.ts'
import { gitEnvironment } from '../process/environment.ts'
import type { CommandContext } from '../operation/context.ts'

export async function withStore<T>(context: CommandContext, work: (repo: Repository) => Promise<T>): Promise<T> {
  const repo = await Repository.openAny({ cwd: context.cwd, env: gitEnvironment(context.env) })
  try {
    return await work(repo)
  } finally {
    repo.close()
  }
}
