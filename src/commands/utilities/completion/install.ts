// The files of each shell's completion, and the directories where the shell looks for them.

import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { PlanError } from '../../../errors.ts'
import type { Environment } from '../../../process/environment.ts'
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
  /** Lines to add to the shell's configuration, if any, and when they take effect. */
  readonly advice: readonly string[]
}

export function installationFor(shell: Shell, env: Environment): Installation {
  if (shell === 'bash') {
    const path = join(bashDirectory(env), 'completions', 'git-plan')
    return {
      files: [{ path, text: bashScript }],
      advice: [
        'It takes effect in new shells that load bash-completion.',
        `Without bash-completion, add this line to ~/.bashrc, after Git's completion: . ${quote(path)}`,
      ],
    }
  }
  if (shell === 'zsh') {
    const directory = join(xdgDirectory(env, 'XDG_DATA_HOME', '.local/share'), 'zsh', 'site-functions')
    return {
      files: [{ path: join(directory, '_git-plan'), text: zshScript }],
      advice: [
        `Unless that directory is in fpath, add this line to ~/.zshrc, before compinit: fpath=(${quote(directory)} $fpath)`,
        'It takes effect in new shells.',
      ],
    }
  }
  const directory = join(xdgDirectory(env, 'XDG_CONFIG_HOME', '.config'), 'fish')
  return {
    files: [
      { path: join(directory, 'completions', 'git-plan.fish'), text: fishScript },
      { path: join(directory, 'conf.d', 'git-plan.fish'), text: fishStart },
    ],
    advice: ['It takes effect in new shells.'],
  }
}

/** All or nothing: a file that git plan did not write is found before the first write. */
export async function install({ files }: Installation): Promise<InstalledFile[]> {
  const found = await Promise.all(files.map(async (file) => ({ ...file, there: await textAt(file.path) })))
  for (const { path, there } of found) {
    if (there !== undefined && !isOurs(there))
      throw new PlanError('path-refused', `${path} exists and was not written by git plan`, {
        hint: `mv ${quote(path)} ${quote(`${path}.old`)}`,
      })
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
    // Reading a pipe would never end.
    if (!(await stat(path)).isFile())
      throw new PlanError('path-refused', `${path} exists and is not a file`, {
        hint: `mv ${quote(path)} ${quote(`${path}.old`)}`,
      })
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error instanceof PlanError ? error : writeError(path, error as NodeJS.ErrnoException)
  }
}

async function write(path: string, text: string, flag: 'w' | 'wx'): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { flag })
  } catch (error) {
    throw writeError(path, error as NodeJS.ErrnoException)
  }
}

const writeError = (path: string, error: NodeJS.ErrnoException): PlanError =>
  new PlanError('path-refused', `${path} could not be written: ${error.message}`, {
    hint: `ls -ld ${quote(dirname(path))}`,
    cause: error,
  })

/** The variable is a list of directories; the first one is used. */
function bashDirectory(env: Environment): string {
  const [own = ''] = (env['BASH_COMPLETION_USER_DIR'] ?? '').split(':')
  return isAbsolute(own) ? own : join(xdgDirectory(env, 'XDG_DATA_HOME', '.local/share'), 'bash-completion')
}

/** The XDG specification ignores paths that are not absolute. */
function xdgDirectory(env: Environment, variable: string, fallback: string): string {
  const named = env[variable] ?? ''
  if (isAbsolute(named)) return named
  const home = env['HOME'] ?? ''
  if (isAbsolute(home)) return join(home, fallback)
  throw new PlanError('usage', `neither HOME nor ${variable} is an absolute path`, {
    hint: 'git plan completion bash > FILE',
  })
}

const quote = (path: string): string => (/^[\w./@%+,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)
