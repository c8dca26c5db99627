// The program. The only place that catches everything, and the only one that knows the terminal, the environment and the clock.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CommandContext } from '../commands/context.ts'
import { PlanError } from '../errors.ts'
import { escapeForTerminal } from '../plan/display.ts'
import { globalsOfBroken, parseCommandLine, type Globals, type Invocation } from './command-line.ts'
import { helpText } from './help.ts'
import { watchSignals } from './interruption.ts'
import { eventAsJson, jsonLine, resultAsJson } from './json.ts'
import { confirm, readAll } from './prompts.ts'
import { Progress } from './progress.ts'
import { reportError } from './report-error.ts'
import { styleFor } from './style.ts'
import { version } from './version.ts'
import { wiring } from './wire.ts'

const say = (text: string): void => void process.stderr.write(text)
const put = (text: string): void => void process.stdout.write(text)
const styleOf = (stream: NodeJS.WriteStream, globals: Globals) => styleFor(stream, { noColor: globals.noColor, env: process.env })

async function main(argv: readonly string[]): Promise<number> {
  let globals = globalsOfBroken(argv)
  let interrupted: () => number | undefined = () => undefined
  try {
    const invocation = parseCommandLine(argv)
    globals = invocation.globals
    if (invocation.kind === 'help') put(helpText(invocation.command, styleOf(process.stdout, globals)))
    else if (invocation.kind === 'version') put(globals.json ? jsonLine({ schemaVersion: 1, kind: 'version', version }) : `git-plan ${version}\n`)
    else return await perform(invocation, (exitCode) => (interrupted = exitCode))
    return 0
  } catch (error) {
    const report = reportError(error, { json: globals.json, debug: globals.debug, style: styleOf(process.stderr, globals), version })
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

async function perform(
  { command, request, globals }: Extract<Invocation, { kind: 'command' }>,
  onWatch: (exitCode: () => number | undefined) => void,
): Promise<number> {
  const interruption = watchSignals({ isPatient: command.writes, say })
  onWatch(interruption.exitCode)
  const style = styleOf(process.stderr, globals)
  const progress = new Progress({ style, write: say })
  const cwd = resolve(globals.directory ?? '.')
  // Starting a program in a directory that is not there fails as if the program were missing.
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new PlanError('usage', `there is no directory ${JSON.stringify(cwd)}`, { hint: 'git plan -C DIR …' })
  const isStreaming = globals.json && command.streams === true
  const context: CommandContext = {
    cwd,
    env: process.env,
    now: () => new Date(),
    isInteractive: process.stdin.isTTY && process.stderr.isTTY && !globals.json && !globals.noInput,
    confirm,
    readInput: () => readAll(process.stdin),
    editFile: async (path) => (await import('./editor.ts')).editFile(path, { cwd, env: process.env }),
    emit: (event) => (isStreaming ? put(eventAsJson(event, new Date())) : globals.json ? undefined : progress.show(event)),
    signal: interruption.signal,
  }
  const wired = await wiring[command.name]?.()
  if (wired === undefined) throw new Error(`${command.name} is not wired`)
  try {
    const result = await wired.run(request, context)
    progress.end()
    if (globals.json) {
      put(resultAsJson(result))
    } else {
      put(wired.print(result, styleOf(process.stdout, globals)))
      if (result.next !== undefined && result.next.length > 0)
        say(`${style.bold('Next:')}\n${result.next.map((line) => `  ${escapeForTerminal(line)}\n`).join('')}`)
    }
    return interruption.exitCode() ?? result.exitCode
  } finally {
    progress.end()
    interruption.stop()
  }
}

// `git plan log | head` ends the pipe early: that is no error, and no reason to leave a step half done.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

// A shell that completes a word is answered before anything is parsed: what it hands over is no command line yet.
const isCompleting = process.argv[2] === '--complete'
process.exitCode = isCompleting ? await completeWord(process.argv.slice(3)) : await main(process.argv.slice(2))
// Helpers of git may still hold the loop open; what was written goes out first.
process.stdout.write('', () => setTimeout(() => process.exit(), 100).unref())
