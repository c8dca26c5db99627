// Starts the user's editor, chosen as Git chooses it. It inherits the terminal, so it is started here and not in
// process/.

import { PlanError } from '../../errors.ts'
import { configuredEditor } from '../../operation/configured-editor.ts'
import type { Environment } from '../../process/environment.ts'

export async function editFile(path: string, options: { cwd: string; env: Environment }): Promise<void> {
  const editor = await editorOf(options)
  // Loaded on demand, because most commands open no editor.
  const { execa } = await import('execa')
  // As with Git, the editor is a shell command from the user's configuration. The path is an argument, never part of
  // the command.
  const { exitCode: code = 1 } = await execa('/bin/sh', ['-c', `${editor} "$@"`, 'editor', path], {
    cwd: options.cwd,
    env: { ...options.env },
    extendEnv: false,
    stdio: 'inherit',
    reject: false,
  })
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
