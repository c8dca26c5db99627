// The program, as a function: arguments, streams, environment and clock in, an exit code out. The only place that catches everything.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { CommandContext, CommandResult } from '../commands/context.ts'
import { PlanError } from '../errors.ts'
import { escapeForTerminal } from '../plan/display.ts'
import { globalsOfBroken, parseCommandLine, type Globals, type Invocation, type Request } from './command-line.ts'
import type { StoppedRun } from './go-on.ts'
import { helpText } from './help.ts'
import { watchSignals } from './interruption.ts'
import { eventAsJson, jsonLine, maskedAsJson, resultAsJson } from './json.ts'
import type { Sink } from './output.ts'
import { PlainProgress, type Progress } from './progress.ts'
import { promptsFor, readAll } from './prompts.ts'
import type { Environment } from '../process/environment.ts'
import { masked } from '../secrets/masked.ts'
import { maskTokens } from '../secrets/mask.ts'
import { reportError } from './report-error.ts'
import { progressFor } from './screen.ts'
import { styleFor } from './style.ts'
import { version } from '../version.ts'
import { wire } from './wire.ts'

export interface Surroundings {
  readonly cwd: string
  readonly env: Environment
  /** Asked for when it is needed: in a process of our own that opens a stream. */
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Sink
  readonly stderr: Sink
  now(): Date
  /** Instead of the signals of the process. */
  readonly signal?: AbortSignal | undefined
}

/** The whole command line, as it is typed after `git plan`. */
export function run(argv: readonly string[], around: Surroundings): Promise<number> {
  // A shell that completes a word is answered before anything is parsed: what it hands over is no command line yet.
  const [entry, ...asked] = argv
  return entry === '--complete' ? completeWord(asked, around) : entry === 'hook' ? callHook(asked, around) : main(argv, around)
}

const styleOf = (stream: Sink, globals: Globals, { env }: Surroundings) => styleFor(stream, { ...globals, env })

async function main(argv: readonly string[], around: Surroundings): Promise<number> {
  const { stdout: out, stderr: err } = around
  let globals = globalsOfBroken(argv)
  let interrupted: () => number | undefined = () => undefined
  try {
    const invocation = parseCommandLine(argv)
    globals = invocation.globals
    if (invocation.kind === 'help') out.write(helpText(invocation.command, styleOf(out, globals, around)))
    else if (invocation.kind === 'version') out.write(globals.json ? jsonLine({ schemaVersion: 1, kind: 'version', version }) : `git-plan ${version}\n`)
    else return await perform(invocation, around, (exitCode) => (interrupted = exitCode))
    return 0
  } catch (error) {
    const report = reportError(error, { json: globals.json, debug: globals.debug, style: styleOf(err, globals, around), version })
    out.write(report.stdout)
    err.write(report.stderr)
    return interrupted() ?? report.exitCode
  }
}

async function completeWord(asked: readonly string[], { cwd, env, stdout }: Surroundings): Promise<number> {
  const { answerShell } = await import('./answer-shell.ts')
  stdout.write(await answerShell(asked, { cwd, env }))
  return 0
}

/** Any code but 0 is a refusal to git. */
async function callHook(asked: readonly string[], around: Surroundings): Promise<number> {
  const { cwd, env, stderr } = around
  try {
    const { answerHook } = await import('./answer-hook.ts')
    const readInput = async (): Promise<string> => {
      const bytes = await readAll(around.stdin, { atMost: mostHookInput, signal: new AbortController().signal })
      if (bytes.length >= mostHookInput) throw new PlanError('not-allowed', 'more refs are pushed at once than can be judged', { hint: 'push them in parts' })
      return Buffer.from(bytes).toString()
    }
    await answerHook(asked, { cwd, env: { ...env }, readInput })
    return 0
  } catch (error) {
    const report = reportError(error, { json: false, debug: false, style: styleOf(stderr, globalsOfBroken([]), around), version })
    stderr.write(report.stderr)
    return report.exitCode
  }
}

const mostHookInput = 1 << 28

/** These print what a commit or a file holds, for programs that take it as it is. */
const verbatim: ReadonlySet<string> = new Set(['diff', 'attempts', 'schema', 'completion'])

async function perform(
  invocation: Extract<Invocation, { kind: 'command' }>,
  around: Surroundings,
  onWatch: (exitCode: () => number | undefined) => void,
): Promise<number> {
  const { command, request, globals } = invocation
  const { env, stdout: out, stderr: err } = around
  const [put, say] = [(text: string): void => out.write(text), (text: string): void => err.write(text)]
  const style = () => styleOf(err, globals, around)
  // Only what writes has something to show; with --json nobody looks.
  const progress = command.writes && !globals.json ? await progressFor(err, style) : new PlainProgress({ style: style(), write: say })
  const interruption = watchSignals({ isPatient: command.writes, say: (text) => progress.write(text), signal: around.signal })
  onWatch(interruption.exitCode)
  const prompts = promptsFor(interruption, { style, write: say })
  const cwd = resolve(around.cwd, globals.directory ?? '.')
  // Starting a program in a directory that is not there fails as if the program were missing.
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new PlanError('usage', `there is no directory ${JSON.stringify(cwd)}`, { hint: 'git plan -C DIR …' })
  const isStreaming = globals.json && command.streams === true
  const context: CommandContext = {
    cwd,
    env,
    now: () => around.now(),
    // In this order: to ask for stdin opens a stream on it.
    isInteractive: !globals.json && !globals.noInput && err.isTTY && around.stdin.isTTY === true,
    ...prompts,
    readInput: (atMost) => readAll(around.stdin, { atMost, signal: interruption.signal }),
    editFile: async (path) => (await import('./editor.ts')).editFile(path, { cwd, env }),
    emit: (event) => {
      // Output is masked where it comes from, across its chunks.
      const shown = event.kind === 'output' ? event : masked(event)
      if (isStreaming) put(eventAsJson(shown, around.now()))
      else if (!globals.json) progress.show(shown)
    },
    get signal() {
      return interruption.signal
    },
  }
  try {
    const wired = await wire(command.name)
    let result = await wired.run(request, context)
    progress.end()
    const isVerbatim = verbatim.has(command.name)
    if (globals.json) {
      put(isVerbatim ? resultAsJson(result) : maskedAsJson(result))
      return interruption.exitCode() ?? result.exitCode
    }
    const text = await wired.print(result, styleOf(out, globals, around))
    put(isVerbatim ? text : maskTokens(text))
    if (command.streams === true && context.isInteractive && interruption.exitCode() === undefined)
      result = await goOn(result, { request, context, globals, progress, around })
    if (result.next !== undefined && result.next.length > 0)
      say(`${style().bold('Next:')}\n${result.next.map((line) => `  ${escapeForTerminal(line)}\n`).join('')}`)
    return interruption.exitCode() ?? result.exitCode
  } finally {
    progress.end()
    interruption.stop()
  }
}

/** As long as a person at the terminal has an answer, the run goes on; a refusal is shown and asked about again. */
async function goOn(
  first: CommandResult,
  sitting: { request: Request; context: CommandContext; globals: Globals; progress: Progress; around: Surroundings },
): Promise<CommandResult> {
  const { request, context, globals, progress, around } = sitting
  const { stdout: out, stderr: err } = around
  const { askHowToGoOn } = await import('./go-on.ts')
  let result = first
  while (!context.signal.aborted) {
    const again = await askHowToGoOn(result.data as StoppedRun, request, context)
    if (again === undefined || context.signal.aborted) break
    try {
      const wired = await wire(again.command)
      result = await wired.run(again.request, context)
      progress.end()
      out.write(maskTokens(await wired.print(result, styleOf(out, globals, around))))
      if (again.command === 'cancel') break
    } catch (error) {
      progress.end()
      if (!(error instanceof PlanError) || context.signal.aborted) throw error
      err.write(reportError(error, { json: false, debug: globals.debug, style: styleOf(err, globals, around), version }).stderr)
      // Somebody else has ended it meanwhile: there is nothing left to ask about.
      if (error.code === 'wrong-state' || error.code === 'unknown-plan') return { ...result, next: [] }
    }
  }
  return result
}
