// Every command that is suggested under `Next:` or `Hint:` is run in a copy of the repository, and must be accepted.
// `npm run test:suggestions` does so after each command of test/e2e and test/scripts.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve as resolvePath } from 'node:path'
import { agentMarks } from '../../src/approval/rules/agent-shell.ts'
import type { Ran, TestRepo } from './repo.ts'

export interface Situation {
  readonly repo: TestRepo
  /** The command that printed the suggestions. */
  readonly typed: string
  readonly printed: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Whether the suggestions of test/e2e are checked too. */
export const isChecked = process.env['GIT_PLAN_TESTS'] === 'suggestions'

type Outcome = Pick<Ran, 'code' | 'all'>

interface Suggestion {
  readonly command: string
  /** A person has to do something first, so that only its form can be checked. */
  readonly isConditional: boolean
  /** For a terminal that is no agent's. */
  readonly isForPerson: boolean
}

/** The suggested commands, in text or in the last line of JSON. */
function suggestionsIn(printed: string): Suggestion[] {
  // Which of them is meant, only the person knows.
  if (printed.includes(': name one')) return []
  const lines = printed.split('\n').flatMap((line) => (line.startsWith('{"') ? linesOfJson(line) : [line]))
  const found: string[] = []
  let indent: number | undefined
  for (const line of lines) {
    const hint = /^ *Hint: /.exec(line)?.[0]
    const depth = /^ */.exec(line)?.[0].length ?? 0
    if (hint !== undefined) {
      indent = hint.length
      found.push(line.slice(indent))
    } else if (line === 'Next:') indent = 2
    else if (indent !== undefined && depth >= indent) found.push(line.slice(indent))
    else indent = undefined
  }
  return found.flatMap(suggestionIn)
}

function linesOfJson(line: string): string[] {
  const { hint, nextCommands: next } = parsed(line)
  return [
    ...(typeof hint === 'string'
      ? `Hint: ${hint}`.split('\n').map((each, at) => (at === 0 ? each : `      ${each}`))
      : []),
    ...(Array.isArray(next) ? ['Next:', ...next.map((each) => `  ${each}`), ''] : []),
  ]
}

interface Printed {
  readonly kind?: string
  readonly code?: string
  readonly hint?: unknown
  readonly nextCommands?: unknown
}

function parsed(line: string): Printed {
  try {
    return JSON.parse(line)
  } catch {
    return {}
  }
}

/** The label before a command, and a command that changes only what is in the copy. */
const form = /^(.*?: +|)((?:git|mv|chmod) .*)$/

function suggestionIn(line: string): Suggestion[] {
  const [, label = '', command] = form.exec(line) ?? []
  // Other processes are left alone, and what a transcript has masked cannot be found.
  if (command === undefined || /\bkill\b|XXXXXX/.test(command)) return []
  return [
    {
      command,
      isConditional: /^(?:once|if|after|when|check|test)\b|\bthen: $/i.test(label),
      isForPerson: label.startsWith('in a terminal of your own'),
    },
  ]
}

/** Words that somebody has to replace. Only a person knows a reason or a title. */
const placeholder = /(?<![\w./-])(?:PLAN|COMMIT|FILE|STEP|ID|N|DIR|DIRECTORY|BRANCH|OTHER|…)(?![\w./-])/

const changesForge = /git plan (?:submit|cancel|reject|delete)|--(?:push|ready|remote|wait)/

const tried = new Set<string>()

/** What was said about each refused suggestion. */
export async function refusedSuggestions(situation: Situation): Promise<string[]> {
  const { repo, typed, printed } = situation
  const top = dirname(repo.dir)
  // `git plan -C DIRECTORY` is typed again by whoever typed it.
  const cwd = resolvePath(situation.cwd, /(?:^|&& )cd (\S+) && | -C (\S+)/.exec(typed)?.slice(1).find(Boolean) ?? '.')
  const refused: string[] = []
  // Only the repository is copied: elsewhere `git init` would stay.
  if ((cwd !== top && !cwd.startsWith(`${top}/`)) || !existsSync(cwd)) return refused
  const gitDir = spawnSync('git', ['rev-parse', '--absolute-git-dir'], { cwd, encoding: 'utf8' }).stdout.trim()
  if (gitDir !== '' && !gitDir.startsWith(`${top}/`)) return refused
  for (const suggestion of suggestionsIn(printed)) {
    const { command } = suggestion
    const key = `${command}\n${printed}`.replaceAll(top, '').replaceAll(/\b[0-9a-f]{7,}\b|\b[\d.]+m?s\b/g, '')
    if (tried.has(key) || (repo.hasForge && changesForge.test(command))) continue
    tried.add(key)
    const complain = (why: string): void => {
      refused.push(`$ ${typed}\n${printed.trimEnd()}\n  suggests: ${command}\n  refused: ${why.trim()}\n`)
    }
    if (placeholder.test(command)) complain('it has a placeholder')
    else {
      // The files of the copy have other times than the index knows, which some commands of git take for changes.
      const line = isLone(command) ? `${command} --json` : `git update-index -q --refresh 2>&-; ${command}`
      const ran = await inCopy(top, () =>
        tryOut(line, suggestion.isForPerson ? { ...situation, env: ofPerson(situation.env) } : situation, cwd),
      )
      if (isRefusal(suggestion, ran, printed)) complain(`exit ${ran.code}: ${ran.all}`)
    }
  }
  return refused
}

/** Paths are absolute in many files of a repository, so the copy takes its place meanwhile. */
async function inCopy(top: string, task: () => Promise<Outcome>): Promise<Outcome> {
  const original = `${top}.original`
  renameSync(top, original)
  try {
    mkdirSync(top)
    spawnSync('cp', ['-a', `${original}/.`, top])
    return await task()
  } finally {
    spawnSync('chmod', ['-R', 'u+rwX', top])
    rmSync(top, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    renameSync(original, top)
  }
}

/** Without the variables that say that a shell is an agent's, or a step's. */
const ofPerson = (env: Situation['env']): Situation['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !Object.hasOwn(agentMarks, name)))

/** A process of its own, since a step may kill its parent. What still waits after a while was accepted. */
const tryOut = (command: string, { repo, env }: Situation, cwd: string): Promise<Outcome> =>
  new Promise((resolve) => {
    const child = spawn('timeout', ['-k', '1', '15', 'sh', '-c', command], {
      cwd,
      env: { ...env, PATH: repo.pathForGit(env['PATH']), GIT_EDITOR: 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let all = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (all += chunk.toString()))
    child.on('close', (code) => resolve({ code: code ?? 256, all }))
  })

/** Wrong usage or state, missing approval, held by others; not a failing step, check or machine. */
function isRefusal({ command, isConditional }: Suggestion, { code, all }: Outcome, printed: string): boolean {
  const error = errorIn(all)
  if (isConditional) return ['usage', 'unknown-plan', 'unknown-step'].includes(error ?? '')
  // The clock of a transcript is not that of a process of its own.
  if (all.includes(': expired')) return false
  // A person edits a file first, or the text, or resolves the conflict.
  if (/ --fix\b/.test(command) && all.includes('nothing to commit as a fix')) return false
  if (command.startsWith('git plan edit ') && error === 'invalid-plan') return false
  if (all.includes('fix conflicts and then commit the result')) return false
  // It was accepted; whatever stopped the run later is not about the suggestion.
  if (all.includes('"kind":"run-started"')) return false
  if (!/git plan [^&;]*$/.test(command)) return code !== 0
  if (!isLone(command)) return code >= 2 && code <= 4
  return error !== undefined && code >= 2 && code <= 4 && !isUnforeseeable(command, error, printed)
}

/** What the command that printed the suggestion did not know, or asks about on a terminal. */
const isUnforeseeable = (command: string, error: string, printed: string): boolean =>
  ['preflight', 'forge', 'no-identity'].includes(error) ||
  (error === 'dirty-tree' && !printed.includes('uncommitted changes')) ||
  (error === 'not-approved' && /^git plan rebase\b(?!.*--approve)/.test(command)) ||
  // Only the remote knows what others have pushed or deleted.
  (['branch-moved', 'held'].includes(error) && command.includes(' --push')) ||
  (error === 'unknown-plan' && command.startsWith('git plan fetch '))

const errorIn = (printed: string): string | undefined =>
  printed
    .split('\n')
    .map((line) => parsed(line))
    .find(({ kind }) => kind === 'error')?.code

/** Its output can be JSON, which has the error's code. */
const isLone = (command: string): boolean => /^git plan [^&;|<>]*$/.test(command) && !command.endsWith(' -h')
