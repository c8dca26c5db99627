// The program as a function: arguments, streams, environment and clock in, an exit code out. Only here are all errors
// caught.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { PlanError } from '../../errors.ts'
import { escapeForTerminal } from '../../plan/text/display.ts'
import { callGuard, isAgentHook } from './call-guard.ts'
import { globalsOfInvalid, parseCommandLine, type Globals, type Invocation } from './command-line.ts'
import { helpText } from './help.ts'
import { keepOptions } from './keep-options.ts'
import { watchSignals } from './interruption.ts'
import { eventAsJson, jsonLine, resultAsMaskedJson, resultAsJson } from './json.ts'
import type { Sink } from './output.ts'
import type { Surroundings } from './surroundings.ts'
import { PlainProgress } from './progress.ts'
import { promptsFor, readAll } from './prompts.ts'
import { maskValues } from '../../secrets/masked.ts'
import { maskTokens } from '../../secrets/mask.ts'
import { reportError } from './report-error.ts'
import { progressFor } from './screen.ts'
import { styleFor } from './style.ts'
import { terminalSignals, type TerminalNotification } from './terminal-signals.ts'
import { tracesFor } from './traces.ts'
import { version } from '../../version.ts'
import { loadCommand } from './load-command.ts'

/** `argv`: the words after `git plan`. */
export function run(argv: readonly string[], around: Surroundings): Promise<number> {
  // Completion gets an unfinished command line, which must not be parsed as a whole one.
  const [entry, ...rest] = argv
  return entry === '--complete'
    ? completeWord(rest, around)
    : entry === 'hook'
      ? callHook(rest, around)
      : isAgentHook(argv)
        ? callGuard(rest, around)
        : main(argv, around)
}

const styleOf = (stream: Sink, globals: Globals, { env }: Surroundings) => styleFor(stream, { ...globals, env })

async function main(argv: readonly string[], around: Surroundings): Promise<number> {
  const { stdout: out, stderr: err } = around
  let globals = globalsOfInvalid(argv)
  let interrupted: () => number | undefined = () => undefined
  try {
    const invocation = parseCommandLine(argv)
    globals = invocation.globals
    if (invocation.kind === 'help') out.write(helpText(invocation.command, styleOf(out, globals, around)))
    else if (invocation.kind === 'version')
      out.write(globals.json ? jsonLine({ schemaVersion: 1, kind: 'version', version }) : `git-plan ${version}\n`)
    else return await perform(invocation, around, (exitCode) => (interrupted = exitCode))
    return 0
  } catch (error) {
    const report = reportError(keepOptions(error, argv), {
      json: globals.json,
      debug: globals.debug,
      style: styleOf(err, globals, around),
      version,
    })
    out.write(report.stdout)
    err.write(report.stderr)
    return interrupted() ?? report.exitCode
  }
}

async function completeWord(args: readonly string[], { cwd, env, stdout }: Surroundings): Promise<number> {
  const { answerShell } = await import('./answer-shell.ts')
  stdout.write(await answerShell(args, { cwd, env }))
  return 0
}

/** For Git, any exit code other than 0 is a refusal. */
async function callHook(words: readonly string[], around: Surroundings): Promise<number> {
  const { cwd, env, stderr } = around
  try {
    const { answerHook } = await import('../git-hooks/answer-hook.ts')
    const readInput = async (): Promise<string> => {
      const bytes = await readAll(around.stdin, { atMost: mostHookInput, signal: new AbortController().signal })
      if (bytes.length >= mostHookInput)
        throw new PlanError('not-allowed', 'too many refs in one push', { hint: 'push fewer refs at a time' })
      return Buffer.from(bytes).toString()
    }
    await answerHook(words, { cwd, env: { ...env }, readInput })
    return 0
  } catch (error) {
    const report = reportError(error, {
      json: false,
      debug: false,
      style: styleOf(stderr, globalsOfInvalid([]), around),
      version,
    })
    stderr.write(report.stderr)
    return report.exitCode
  }
}

const mostHookInput = 1 << 28

/** These print the content of a commit or a file for other programs, so their output is not masked. */
const verbatim: ReadonlySet<string> = new Set(['diff', 'attempts', 'schema', 'completion', 'compose'])

/** They run steps, which are traced. */
const running: ReadonlySet<string> = new Set(['start', 'resume', 'next', 'rebase'])

/** Their output may be long, and is read by a person. */
const paged: ReadonlySet<string> = new Set(['show', 'diff', 'log', 'report', 'attempts'])

async function perform(
  invocation: Extract<Invocation, { kind: 'command' }>,
  around: Surroundings,
  onWatch: (exitCode: () => number | undefined) => void,
): Promise<number> {
  const { command, request, globals } = invocation
  const { env, stdout: out, stderr: err } = around
  const [put, say] = [(text: string): void => out.write(text), (text: string): void => err.write(text)]
  const style = () => styleOf(err, globals, around)
  // Only commands that write report progress.
  const progress =
    command.writes && !globals.json ? await progressFor(err, style) : new PlainProgress({ style: style(), write: say })
  const interruption = watchSignals({
    isPatient: command.writes,
    say: (text) => progress.write(text),
    signal: around.signal,
  })
  onWatch(interruption.exitCode)
  const cwd = resolve(around.cwd, globals.directory ?? '.')
  /** Text that may be longer than the screen. */
  const page = async (text: string, descriptor: 1 | 2): Promise<void> => {
    const output = descriptor === 1 ? out : err
    if (globals.noInput || !styleOf(output, globals, around).canDraw) return output.write(text)
    const { writePaged } = await import('./pager.ts')
    const { lendTerminal } = interruption
    if (await writePaged(text, output, descriptor, { cwd, env, lendTerminal })) around.onPaged?.()
  }
  const prompts = promptsFor(interruption, { style, show: (text) => page(text, 2) })
  // Starting a program in a missing directory fails as if the program were missing.
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new PlanError('usage', `${JSON.stringify(cwd)} is not a directory`)
  const showSignals = (event: TerminalNotification): void => {
    if (err.isTTY && !globals.json) say(terminalSignals(event))
  }
  const isStreaming = globals.json && command.streams === true
  const traces = running.has(command.name) ? await tracesFor(env, () => around.now()) : undefined
  const { traceOf } = traces ?? {}
  const context: CommandContext = {
    cwd,
    env,
    now: () => around.now(),
    // In this order: reading `stdin` opens a stream.
    isInteractive: !globals.json && !globals.noInput && err.isTTY && around.stdin.isTTY === true,
    ...prompts,
    readInput: (atMost) => readAll(around.stdin, { atMost, signal: interruption.signal }),
    editFile: async (path) => {
      const { editFile } = await import('./editor.ts')
      await interruption.lendTerminal(() => editFile(path, { cwd, env }))
    },
    serveMcp: async () => {
      const { serveMcp } = await import('./serve-mcp.ts')
      await serveMcp({ ...around, directory: cwd, now: () => around.now(), signal: interruption.signal })
    },
    traceOf,
    serveUi: async (options) => {
      const { serveUi } = await import('./serve-ui.ts')
      const { signal } = interruption
      await serveUi({ ...around, directory: cwd, isJson: globals.json, now: () => around.now(), signal }, options)
    },
    browse: async (plan) => {
      const { runBrowser } = await import('./run-browser.ts')
      const ownOptions = globals.noColor ? ['--no-color'] : []
      await runBrowser(
        {
          directory: cwd,
          env,
          stdout: out,
          style: () => styleOf(out, globals, around),
          interruption,
          now: () => around.now(),
          run: async (words) => {
            let wasPaged = false
            const inside = { ...around, stdin: around.stdin, cwd, onPaged: () => void (wasPaged = true) }
            return { exitCode: await run([...ownOptions, ...words], inside), wasPaged }
          },
        },
        plan,
      )
    },
    emit: (event) => {
      traces?.see(event)
      // Output of steps is already masked, across chunk boundaries.
      const shown = event.kind === 'output' ? event : maskValues(event)
      if (isStreaming) put(eventAsJson(shown, around.now()))
      else if (shown.kind === 'notification') showSignals(shown)
      else if (!globals.json) progress.show(shown)
    },
    get signal() {
      return interruption.signal
    },
  }
  try {
    if (traces?.problem !== undefined) context.emit(traces.problem)
    const loaded = await loadCommand(command.name)
    let result = await loaded.run(request, context)
    progress.end()
    const isVerbatim = verbatim.has(command.name)
    if (globals.json) {
      const putJson = (each: CommandResult): void => put(isVerbatim ? resultAsJson(each) : resultAsMaskedJson(each))
      putJson(result)
      for await (const update of result.updates ?? []) putJson(update)
      return interruption.exitCode() ?? result.exitCode
    }
    const print = async (name: string, done: CommandResult): Promise<void> => {
      progress.end()
      const text = await (await loadCommand(name)).print(done, styleOf(out, globals, around))
      const shown = verbatim.has(name) ? text : maskTokens(text)
      if (paged.has(name) && done.updates === undefined && result.updates === undefined) await page(shown, 1)
      else put(shown)
    }
    await print(command.name, result)
    for await (const update of result.updates ?? []) {
      // A status or a check takes the place of the one before; events follow each other.
      if (['status', 'check'].includes(update.kind) && styleOf(out, globals, around).canDraw) put('\x1b[H\x1b[2J')
      await print(command.name, update)
      result = update
    }
    if (command.streams === true && context.isInteractive && interruption.exitCode() === undefined) {
      const { continueAfterStop } = await import('./continue-after-stop.ts')
      result = await continueAfterStop(result, {
        request,
        context,
        prompts,
        print,
        reportRefusal: (error) => {
          progress.end()
          say(reportError(error, { json: false, debug: globals.debug, style: style(), version }).stderr)
        },
        openShell: async (directory) => {
          const { openShell } = await import('./shell.ts')
          await interruption.lendTerminal(() => openShell(directory, { env, say }))
        },
      })
    }
    if (result.next !== undefined && result.next.length > 0)
      say(`${style().bold('Next:')}\n${result.next.map((line) => `  ${escapeForTerminal(line)}\n`).join('')}`)
    return interruption.exitCode() ?? result.exitCode
  } finally {
    progress.end()
    await traces?.end()
    interruption.stop()
  }
}
