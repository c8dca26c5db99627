// The user's editor, found as git finds it. It needs the terminal itself, so it is started here and not in process/.

import { PlanError } from '../errors.ts'
import { GitRunner } from '../git/runner.ts'
import { gitEnvironment, type Environment } from '../process/environment.ts'

export async function editFile(path: string, options: { cwd: string; env: Environment }): Promise<void> {
  const editor = await editorOf(options)
  // Loaded here: most commands open no editor.
  const { execa } = await import('execa')
  // The editor is a shell command of the user's own configuration, as with git; the path is an argument and never part of it.
  const { exitCode: code = 1 } = await execa('/bin/sh', ['-c', `${editor} "$@"`, 'editor', path], {
    cwd: options.cwd,
    env: { ...options.env },
    extendEnv: false,
    stdio: 'inherit',
    reject: false,
  })
  if (code !== 0) throw new PlanError('usage', `the editor ${JSON.stringify(editor)} ended with ${code}`, { hint: "git config core.editor 'vim'" })
}

async function editorOf({ cwd, env }: { cwd: string; env: Environment }): Promise<string> {
  const fromGit = env['GIT_EDITOR'] || (await configured(cwd, env))
  const editor = fromGit || (env['TERM'] !== undefined && env['TERM'] !== 'dumb' ? env['VISUAL'] : undefined) || env['EDITOR']
  if (editor !== undefined && editor !== '') return editor
  // An editor for the terminal would wait for ever where there is none.
  if (process.stdin.isTTY && process.stdout.isTTY) return 'vi'
  throw new PlanError('usage', 'there is no terminal for an editor, and none is configured', {
    hint: 'set EDITOR, or hand the new text over: git plan replan PLAN --from FILE',
  })
}

// Our own git calls pin core.editor on the command line; what the user configured has another scope.
async function configured(cwd: string, env: Environment): Promise<string | undefined> {
  const git = new GitRunner({ cwd, env: gitEnvironment(env) })
  const answer = await git.run(['config', '--null', '--show-scope', '--get-all', 'core.editor'], { ok: [0, 1, 128] })
  const fields = answer.stdout.toString().split('\0')
  let editor: string | undefined
  for (let at = 0; at + 1 < fields.length; at += 2) if (fields[at] !== 'command') editor = fields[at + 1]
  return editor
}
