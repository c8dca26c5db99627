// The program. The only place that catches everything, and the only one that knows the terminal, the environment and the clock.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CommandContext, CommandResult } from '../commands/context.ts'
import { exitCodes, PlanError } from '../errors.ts'
import { escapeForTerminal } from '../plan/display.ts'
import { globalsOfBroken, parseCommandLine, type Globals, type Invocation, type Request } from './command-line.ts'
import type { StoppedRun } from './go-on.ts'
import { helpText } from './help.ts'
import { watchSignals } from './interruption.ts'
import { eventAsJson, jsonLine, maskedAsJson, resultAsJson } from './json.ts'
import { Output } from './output.ts'
import { PlainProgress, type Progress } from './progress.ts'
import { promptsFor, readAll } from './prompts.ts'
import { masked } from '../secrets/masked.ts'
import { maskTokens } from '../secrets/mask.ts'
import { reportError } from './report-error.ts'
import { progressFor } from './screen.ts'
import { styleFor } from './style.ts'
import { version } from '../version.ts'
import { wire } from './wire.ts'

const out = new Output(1, () => process.stdout)
const err = new Output(2, () => process.stderr)
const say = (text: string): void => err.write(text)
const put = (text: string): void => out.write(text)
const styleOf = (stream: Output, globals: Globals) => styleFor(stream, { ...globals, env: process.env })

async function main(argv: readonly string[]): Promise<number> {
  let globals = globalsOfBroken(argv)
  let interrupted: () => number | undefined = () => undefined
  try {
    const invocation = parseCommandLine(argv)
    globals = invocation.globals
    if (invocation.kind === 'help') put(helpText(invocation.command, styleOf(out, globals)))
    else if (invocation.kind === 'version') put(globals.json ? jsonLine({ schemaVersion: 1, kind: 'version', version }) : `git-plan ${version}\n`)
    else return await perform(invocation, (exitCode) => (interrupted = exitCode))
    return 0
  } catch (error) {
    const report = reportError(error, { json: globals.json, debug: globals.debug, style: styleOf(err, globals), version })
    put(report.stdout)
    say(report.stderr)
    return interrupted() ?? report.exitCode
  }
}

async function completeWord(asked: readonly string[]): Promise<number> {
  const { answerShell } = await import('./answer-shell.ts')
  put(await answerShell(asked, { cwd: process.cwd(), env: process.env }))
  return 0
}

/** Any code but 0 is a refusal to git. */
async function callHook(asked: readonly string[]): Promise<number> {
  try {
    const { answerHook } = await import('./answer-hook.ts')
    const readInput = async (): Promise<string> => {
      const bytes = await readAll(process.stdin, { atMost: mostHookInput, signal: new AbortController().signal })
      if (bytes.length >= mostHookInput) throw new PlanError('not-allowed', 'more refs are pushed at once than can be judged', { hint: 'push them in parts' })
      return Buffer.from(bytes).toString()
    }
    await answerHook(asked, { cwd: process.cwd(), env: { ...process.env }, readInput })
    return 0
  } catch (error) {
    const report = reportError(error, { json: false, debug: false, style: styleOf(err, globalsOfBroken([])), version })
    say(report.stderr)
    return report.exitCode
  }
}

const mostHookInput = 1 << 28

/** These print what a commit or a file holds, for programs that take it as it is. */
const verbatim: ReadonlySet<string> = new Set(['diff', 'attempts', 'schema', 'completion'])

async function perform(invocation: Extract<Invocation, { kind: 'command' }>, onWatch: (exitCode: () => number | undefined) => void): Promise<number> {
  const { command, request, globals } = invocation
  // A copy: what is said to the prompts below is not for the steps.
  const env = { ...process.env }
  if (globals.noColor) process.env['NO_COLOR'] = '1'
  const style = () => styleOf(err, globals)
  // Only what writes has something to show; with --json nobody looks.
  const progress = command.writes && !globals.json ? await progressFor(err, style) : new PlainProgress({ style: style(), write: say })
  const interruption = watchSignals({ isPatient: command.writes, say: (text) => progress.write(text) })
  onWatch(interruption.exitCode)
  const prompts = promptsFor(interruption, { style, write: say })
  const cwd = resolve(globals.directory ?? '.')
  // Starting a program in a directory that is not there fails as if the program were missing.
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new PlanError('usage', `there is no directory ${JSON.stringify(cwd)}`, { hint: 'git plan -C DIR …' })
  const isStreaming = globals.json && command.streams === true
  const context: CommandContext = {
    cwd,
    env,
    now: () => new Date(),
    // In this order: to ask for stdin opens a stream on it.
    isInteractive: !globals.json && !globals.noInput && err.isTTY && process.stdin.isTTY,
    ...prompts,
    readInput: (atMost) => readAll(process.stdin, { atMost, signal: interruption.signal }),
    editFile: async (path) => (await import('./editor.ts')).editFile(path, { cwd, env }),
    emit: (event) => {
      // Output is masked where it comes from, across its chunks.
      const shown = event.kind === 'output' ? event : masked(event)
      if (isStreaming) put(eventAsJson(shown, new Date()))
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
    const text = await wired.print(result, styleOf(out, globals))
    put(isVerbatim ? text : maskTokens(text))
    if (command.streams === true && context.isInteractive && interruption.exitCode() === undefined)
      result = await goOn(result, { request, context, globals, progress })
    if (result.next !== undefined && result.next.length > 0)
      say(`${styleOf(err, globals).bold('Next:')}\n${result.next.map((line) => `  ${escapeForTerminal(line)}\n`).join('')}`)
    return interruption.exitCode() ?? result.exitCode
  } finally {
    progress.end()
    interruption.stop()
  }
}

/** As long as a person at the terminal has an answer, the run goes on; a refusal is shown and asked about again. */
async function goOn(
  first: CommandResult,
  sitting: { request: Request; context: CommandContext; globals: Globals; progress: Progress },
): Promise<CommandResult> {
  const { request, context, globals, progress } = sitting
  const { askHowToGoOn } = await import('./go-on.ts')
  let result = first
  while (!context.signal.aborted) {
    const again = await askHowToGoOn(result.data as StoppedRun, request, context)
    if (again === undefined || context.signal.aborted) break
    try {
      const wired = await wire(again.command)
      result = await wired.run(again.request, context)
      progress.end()
      put(maskTokens(await wired.print(result, styleOf(out, globals))))
      if (again.command === 'cancel') break
    } catch (error) {
      progress.end()
      if (!(error instanceof PlanError) || context.signal.aborted) throw error
      say(reportError(error, { json: false, debug: globals.debug, style: styleOf(err, globals), version }).stderr)
      // Somebody else has ended it meanwhile: there is nothing left to ask about.
      if (error.code === 'wrong-state' || error.code === 'unknown-plan') return { ...result, next: [] }
    }
  }
  return result
}

async function start(): Promise<void> {
  // A shell that completes a word is answered before anything is parsed: what it hands over is no command line yet.
  const [entry, ...asked] = process.argv.slice(2)
  process.exitCode = entry === '--complete' ? await completeWord(asked) : entry === 'hook' ? await callHook(asked) : await main(process.argv.slice(2))
  // Helpers of git may still hold the loop open; what was written goes out first. Where nothing does, there is nothing to be waited for, nor to be put away.
  out.afterwards(() => err.afterwards(leave))
}

/** The command is over, and its output is lost: to a script, exit code 0 would say that it has read everything. A hook has answered git already. */
function noteLostOutput(): void {
  const lost = out.failure ?? err.failure
  if (lost === undefined || process.exitCode !== 0 || process.argv[2] === 'hook') return
  say(`git plan: the output could not be written: ${lost.message}\nHint: git plan status\n`)
  process.exitCode = exitCodes.system
}

function leave(): void {
  noteLostOutput()
  if (process.getActiveResourcesInfo().length === 0) process.exit()
  setTimeout(() => process.exit(), 100).unref()
}

void start()
