// The whole screen of a terminal: the other screen that terminals have, which leaves the first one as it was. However
// the program ends, the terminal is given back.

import { writeSync } from 'node:fs'
import { emitKeypressEvents } from 'node:readline'
import type { ReadStream, WriteStream } from 'node:tty'
import type { Screen } from '../tui/browse.ts'
import type { Key } from '../tui/model.ts'
import type { Style } from './style.ts'

const enter = '\u001b[?1049h\u001b[?25l\u001b[H\u001b[2J'
const leave = '\u001b[?25h\u001b[?1049l'

interface Keypress {
  readonly name?: string | undefined
  readonly ctrl?: boolean
  readonly meta?: boolean
  readonly shift?: boolean
  readonly sequence?: string
}

export function fullScreen(input: ReadStream, output: WriteStream, style: () => Style): Screen {
  let listener: Parameters<Screen['open']>[0] | undefined
  let isTaken = false
  let drawn: readonly string[] = []
  const onKeypress = (text: string | undefined, key: Keypress): void => listener?.onKey(keyOf(text, key))
  const onResize = (): void => listener?.onResize()
  const take = (): void => {
    if (isTaken) return
    isTaken = true
    drawn = []
    emitKeypressEvents(input)
    input.on('keypress', onKeypress)
    input.setRawMode(true)
    input.resume()
    output.write(enter)
  }
  const giveBack = (): void => {
    if (!isTaken) return
    isTaken = false
    input.off('keypress', onKeypress)
    input.setRawMode(false)
    input.pause()
    // Nothing is written after the end of the program, unless it is written at once.
    writeSync(1, leave)
  }
  const takeAgain = (): void => {
    giveBack()
    take()
    onResize()
  }
  const onContinued = (): void => {
    // While a command has the terminal, that is its affair.
    if (isTaken) takeAgain()
  }
  return {
    open: (given) => {
      listener = given
      output.on('resize', onResize)
      process.on('exit', giveBack)
      // Before the stack trace of a bug is printed.
      process.on('uncaughtExceptionMonitor', giveBack)
      process.on('SIGCONT', onContinued)
      take()
    },
    close: () => {
      giveBack()
      listener = undefined
      output.off('resize', onResize)
      process.off('exit', giveBack)
      process.off('uncaughtExceptionMonitor', giveBack)
      process.off('SIGCONT', onContinued)
    },
    get size() {
      return { rows: output.rows || 24, columns: output.columns || 80 }
    },
    get style() {
      return style()
    },
    draw: (lines) => {
      if (!isTaken) return
      // Only the lines that differ, for a slow connection.
      const changed = lines.flatMap((line, at) => (line === drawn[at] ? [] : [`\u001b[${at + 1};1H${line}\u001b[K`]))
      if (changed.length > 0) output.write(changed.join(''))
      drawn = lines
    },
    refresh: () => {
      drawn = []
      output.write('\u001b[H\u001b[2J')
    },
    lend: async (work) => {
      giveBack()
      try {
        await work()
      } finally {
        if (listener !== undefined) takeAgain()
      }
    },
    suspend: () => {
      giveBack()
      // The processes that started this one too, as the terminal does. Where nobody can continue them, none is stopped.
      process.kill(0, 'SIGTSTP')
      setTimeout(() => listener !== undefined && takeAgain(), 50)
    },
  }
}

const keyOf = (text: string | undefined, { name, ctrl, meta, shift, sequence = '' }: Keypress): Key => {
  const typed = text ?? (sequence.startsWith('\u001b') ? '' : sequence)
  // Letters are named in lower case, and signs not at all.
  const plain = name === undefined || (name.length === 1 && shift === true) ? typed : name
  return {
    name: `${ctrl === true ? 'ctrl-' : ''}${meta === true && name !== 'escape' ? 'alt-' : ''}${plain}`,
    text: typed,
  }
}

/** Resolves at the next key; undefined: it was aborted. */
export function nextKey(input: ReadStream, signal: AbortSignal): Promise<Key | undefined> {
  return new Promise((resolve) => {
    const end = (key: Key | undefined): void => {
      input.off('keypress', onKeypress)
      signal.removeEventListener('abort', onAbort)
      input.setRawMode(false)
      input.pause()
      resolve(key)
    }
    const onKeypress = (text: string | undefined, key: Keypress): void => end(keyOf(text, key))
    const onAbort = (): void => end(undefined)
    emitKeypressEvents(input)
    input.on('keypress', onKeypress)
    input.setRawMode(true)
    input.resume()
    if (signal.aborted) end(undefined)
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}
