// The pager settings of Git. A pager is a command, so it is never taken from the configuration of a repository, which
// may be hostile. Any configuration can turn it off.

import { GitRunner } from '../git/command/runner.ts'
import { gitEnvironment, type Environment } from '../process/environment.ts'
import { boolOf } from './settings.ts'

/** Our own Git calls override core.pager in the scope `command`. */
const scopesOfUser: ReadonlySet<string> = new Set(['system', 'global'])

export interface PagerSettings {
  readonly isOff: boolean
  /** core.pager */
  readonly command: string | undefined
}

export async function configuredPager(cwd: string, env: Environment): Promise<PagerSettings> {
  const git = new GitRunner({ cwd, env: gitEnvironment(env) })
  const answer = await git.run(
    ['config', '--null', '--show-scope', '--get-regexp', '^(core\\.pager|plan\\.pager|pager\\.plan)$'],
    { ok: [0, 1, 128] },
  )
  const fields = answer.stdout.toString().split('\0')
  const values = new Map<string, string>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [key = '', ...lines] = (fields[at + 1] ?? '').split('\n')
    // Without a value a setting is true.
    if (key !== 'core.pager' || scopesOfUser.has(fields[at] ?? ''))
      values.set(key, lines.length === 0 ? 'true' : lines.join('\n'))
  }
  const isOff = ['plan.pager', 'pager.plan'].some((key) => boolOf(values.get(key) ?? 'true') === false)
  return { isOff, command: values.get('core.pager') }
}
