// Starts the user's editor, chosen as Git chooses it.

import { PlanError } from '../../errors.ts'
import { configuredEditor } from '../../operation/configured-editor.ts'
import type { Environment } from '../../process/environment.ts'
import { runShellCommand } from './terminal-program.ts'

export async function editFile(path: string, options: { cwd: string; env: Environment }): Promise<void> {
  const editor = await editorOf(options)
  const code = await runShellCommand(editor, [path], options)
  if (code !== 0)
    throw new PlanError('usage', `the editor ${JSON.stringify(editor)} exited with code ${code}`, {
      hint: "git config core.editor 'vim'",
    })
}

async function editorOf({ cwd, env }: { cwd: string; env: Environment }): Promise<string> {
  const fromGit = env['GIT_EDITOR'] || (await configuredEditor(cwd, env))
  const editor =
    fromGit || (env['TERM'] !== undefined && env['TERM'] !== 'dumb' ? env['VISUAL'] : undefined) || env['EDITOR']
  if (editor !== undefined && editor !== '') return editor
  // Without a terminal, a terminal editor would wait forever.
  if (process.stdin.isTTY && process.stdout.isTTY) return 'vi'
  throw new PlanError('usage', 'there is no terminal, and no editor is configured', {
    hint: "git config core.editor 'vim'",
  })
}
