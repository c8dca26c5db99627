// core.editor of the user's Git configuration.

import { GitRunner } from '../git/command/runner.ts'
import { gitEnvironment, type Environment } from '../process/environment.ts'

// Our own Git calls override core.editor on the command line: entries of the command scope are not the user's.
export async function configuredEditor(cwd: string, env: Environment): Promise<string | undefined> {
  const git = new GitRunner({ cwd, env: gitEnvironment(env) })
  const answer = await git.run(['config', '--null', '--show-scope', '--get-all', 'core.editor'], { ok: [0, 1, 128] })
  const fields = answer.stdout.toString().split('\0')
  let editor: string | undefined
  for (let at = 0; at + 1 < fields.length; at += 2) if (fields[at] !== 'command') editor = fields[at + 1]
  return editor
}
