// Where each shell looks for completions of the user's own, and what goes there.

import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { PlanError } from '../../errors.ts'
import type { Environment } from '../../process/environment.ts'
import { bashScript } from './bash.ts'
import { fishScript, fishStart } from './fish.ts'
import { isOurs } from './marker.ts'
import { zshScript } from './zsh.ts'

export const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }
export type Shell = keyof typeof scripts

export interface InstalledFile {
  readonly path: string
  readonly state: 'written' | 'replaced' | 'unchanged'
}

interface Installation {
  readonly files: readonly { readonly path: string; readonly text: string }[]
  /** What has to be done by hand, if anything, and when it counts. */
  readonly advice: readonly string[]
}

export function installationFor(shell: Shell, env: Environment): Installation {
  if (shell === 'bash') {
    const path = join(bashDirectory(env), 'completions', 'git-plan')
    return {
      files: [{ path, text: bashScript }],
      advice: [
        'It counts in every new shell that loads the package bash-completion, and with it the completion of git.',
        `Without that package, add this to ~/.bashrc, after the completion of git: . ${quoted(path)}`,
      ],
    }
  }
  if (shell === 'zsh') {
    const directory = join(base(env, 'XDG_DATA_HOME', '.local/share'), 'zsh', 'site-functions')
    return {
      files: [{ path: join(directory, '_git-plan'), text: zshScript }],
      advice: [
        `Zsh has to look there. Unless it does, add this to ~/.zshrc, before compinit: fpath=(${quoted(directory)} $fpath)`,
        'It counts in every new shell.',
      ],
    }
  }
  const directory = join(base(env, 'XDG_CONFIG_HOME', '.config'), 'fish')
  return {
    files: [
      { path: join(directory, 'completions', 'git-plan.fish'), text: fishScript },
      { path: join(directory, 'conf.d', 'git-plan.fish'), text: fishStart },
    ],
    advice: ['It counts in every new shell; nothing has to be added.'],
  }
}

/** All or nothing: a file that is not ours is found before the first one is written. */
export async function install({ files }: Installation): Promise<InstalledFile[]> {
  const found = await Promise.all(files.map(async (file) => ({ ...file, there: await textAt(file.path) })))
  for (const { path, there } of found) {
    if (there !== undefined && !isOurs(there))
      throw new PlanError('path-refused', `${path} is there already, and was not written by git plan`, { hint: `mv ${quoted(path)} ${quoted(`${path}.old`)}` })
  }
  const installed: InstalledFile[] = []
  for (const { path, text, there } of found) {
    if (there !== text) await write(path, text, there === undefined ? 'wx' : 'w')
    installed.push({ path, state: there === undefined ? 'written' : there === text ? 'unchanged' : 'replaced' })
  }
  return installed
}

async function textAt(path: string): Promise<string | undefined> {
  try {
    // A pipe would never end.
    if (!(await stat(path)).isFile())
      throw new PlanError('path-refused', `${path} is there already, and is no file`, { hint: `mv ${quoted(path)} ${quoted(`${path}.old`)}` })
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error instanceof PlanError ? error : refused(path, error as NodeJS.ErrnoException)
  }
}

async function write(path: string, text: string, flag: 'w' | 'wx'): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { flag })
  } catch (error) {
    throw refused(path, error as NodeJS.ErrnoException)
  }
}

const refused = (path: string, error: NodeJS.ErrnoException): PlanError =>
  new PlanError('path-refused', `${path} could not be written: ${error.message}`, { hint: `ls -ld ${quoted(dirname(path))}`, cause: error })

/** A list of directories, of which the first is taken. */
function bashDirectory(env: Environment): string {
  const [own = ''] = (env['BASH_COMPLETION_USER_DIR'] ?? '').split(':')
  return isAbsolute(own) ? own : join(base(env, 'XDG_DATA_HOME', '.local/share'), 'bash-completion')
}

/** What is not absolute does not count, says the rule about these variables. */
function base(env: Environment, variable: string, fallback: string): string {
  const named = env[variable] ?? ''
  if (isAbsolute(named)) return named
  const home = env['HOME'] ?? ''
  if (isAbsolute(home)) return join(home, fallback)
  throw new PlanError('usage', `neither HOME nor ${variable} says where the files of the shell are`, {
    hint: 'git plan completion bash prints the script: put it where your shell looks',
  })
}

const quoted = (path: string): string => (/^[\w./@%+,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)
