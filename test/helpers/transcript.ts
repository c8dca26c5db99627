// A session with the program as a text file: commands after `$ `, their continuation lines after `> `, and the output
// below. The text before the first `$ ` says what the file shows.

import { execFile } from 'node:child_process'
import { Readable } from 'node:stream'
import { dirname } from 'node:path'
import { run } from '../../src/adapters/cli/main.ts'
import { PipeSink, type TestRepo } from './repo.ts'
import { isChecked } from './suggestions.ts'

/**
 * The file as it would be recorded now: the same commands, with their output in this repository. `tries`: each suggested
 * command is tried.
 */
export async function replay(text: string, repo: TestRepo, { tries = isChecked } = {}): Promise<string> {
  const [opening = '', ...turns] = text.split(/^(?=\$ )/m)
  const names = new ObjectNames()
  const top = dirname(repo.dir)
  repo.env['TMPDIR'] = top
  let shown = opening
  for (const [at, turn] of turns.entries()) {
    const lines = turn.split('\n')
    const more = lines.slice(1).findIndex((line) => !/^>( |$)/.test(line))
    const typed = lines.slice(0, more + 1)
    const command = typed.map((line) => line.slice(2)).join('\n')
    // The clock stands still while a command runs, and every command is given a minute after the one before.
    const now = new Date(Date.UTC(2026, 0, 2, 3, 4 + at))
    repo.env['GIT_AUTHOR_DATE'] = repo.env['GIT_COMMITTER_DATE'] = now.toISOString()
    const { printed, code } = await answer(command, repo, now)
    if (tries) await repo.checkSuggestions({ typed: command, printed, cwd: repo.dir, env: repo.env })
    const output = names.replaceIn(withoutUsage(printed.replaceAll(top, '/tmp')))
    if (/^\$ /m.test(output) || /^>( |\n)/.test(output)) throw new Error(`would be read as something typed:\n${output}`)
    shown += `${typed.join('\n')}\n${output}`
    if (!shown.endsWith('\n')) shown += '\n'
    if (code !== 0) shown += `[exit ${code}]\n`
  }
  return shown
}

/** Measured, and so never the same; a short command is not measured at all. */
const withoutUsage = (text: string): string =>
  text
    .replaceAll(/(?<=\| )(?:[\d.]+ s CPU)?(?:, )?(?:[\d.]+ [KMG]?B memory)?(?= \|)/g, '')
    .replaceAll(/"cpuMs":(?:\d+|null),"peakBytes":(?:\d+|null)/g, '"cpuMs":null,"peakBytes":null')

interface Answer {
  readonly printed: string
  readonly code: number
}

/** `git plan` and words: in this process. All else is for the shell, which finds the built program as `git plan`. */
function answer(command: string, repo: TestRepo, now: Date): Promise<Answer> {
  const words = plainWords(command)
  const isPlan = words?.[0] === 'git' && words[1] === 'plan'
  return isPlan ? inProcess(words.slice(2), repo, now) : inShell(command, repo)
}

async function inProcess(args: readonly string[], repo: TestRepo, now: Date): Promise<Answer> {
  const both = new PipeSink()
  const code = await run(args, {
    cwd: repo.dir,
    env: repo.env,
    stdin: Readable.from([]),
    stdout: both,
    stderr: both,
    now: () => now,
    signal: new AbortController().signal,
  })
  return { printed: both.text, code }
}

const inShell = (command: string, repo: TestRepo): Promise<Answer> =>
  new Promise((resolve) => {
    const env = { ...repo.env, PATH: repo.pathForGit() }
    const child = execFile('sh', ['-c', `exec 2>&1\n${command}`], { cwd: repo.dir, env }, (_, printed) =>
      resolve({ printed, code: child.exitCode ?? -1 }),
    )
    child.stdin?.end()
  })

const word = /(?:'[^']*'|"[^"$`\\]*"|[\w./:=@,+^{}-])+/y

/** undefined where it takes a shell to say what is meant. */
function plainWords(command: string): string[] | undefined {
  const words: string[] = []
  for (let at = 0; at < command.length; at = word.lastIndex + 1) {
    word.lastIndex = at
    const [found] = word.exec(command) ?? []
    if (found === undefined || ![' ', undefined].includes(command[word.lastIndex])) return undefined
    words.push(found.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'))
  }
  return words
}

/** Names of objects vary from run to run. Each is shown as the number of its first appearance, as long as it was. */
class ObjectNames {
  readonly #seen: string[] = []

  replaceIn(text: string): string {
    return text.replaceAll(/\b[0-9a-f]{7,64}\b/g, (name) => {
      let at = this.#seen.findIndex((other) => other.startsWith(name) || name.startsWith(other))
      if (at === -1) at = this.#seen.push(name) - 1
      return String(at + 1).padStart(name.length, '0')
    })
  }
}
