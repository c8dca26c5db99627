// Searches a file for a pattern of the plan. Neither a pipe in the place of the file nor a pattern that backtracks
// forever may block the executor.

import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'

const maxBytes = 16 * 1024 * 1024
const patienceMs = 5000

export interface Found {
  /** The number of lines in which a match begins. */
  readonly count: number
  /** The first of them, counted from 1; 0 if there is none. */
  readonly line: number
  readonly text: string
}

/** A string: the reason why the search failed. */
export async function searchFile(path: string, pattern: string): Promise<Found | string> {
  const bytes = await readRegular(path)
  if (typeof bytes === 'string') return bytes
  const text = bytes.toString()
  // Without repetition a pattern takes linear time; only one that can explode needs a thread.
  if (/[*+{]/.test(pattern)) return searchInThread(text, pattern)
  return search(text, pattern)
}

export async function readRegular(path: string, most = maxBytes): Promise<Buffer | string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
  if (handle === undefined) return 'cannot be read'
  try {
    const facts = await handle.stat()
    if (!facts.isFile()) return 'is not a regular file'
    return facts.size > most ? 'is too large to be read' : await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Its source also runs in a thread, so it uses nothing from outside. */
function search(text: string, pattern: string): Found {
  let [count, line, first] = [0, 0, '']
  let [at, number, last] = [0, 1, 0]
  for (const { index } of text.matchAll(new RegExp(pattern, 'gmu'))) {
    for (let next = text.indexOf('\n', at); next >= 0 && next < index; next = text.indexOf('\n', at)) {
      number += 1
      at = next + 1
    }
    if (number === last) continue
    last = number
    count += 1
    if (count > 1) continue
    const end = text.indexOf('\n', index)
    line = number
    first = text.slice(at, end < 0 ? text.length : end)
  }
  return { count, line, text: first }
}

const program = `
  const { parentPort, workerData } = require('node:worker_threads')
  const search = ${search.toString()}
  parentPort.postMessage(search(workerData.text, workerData.pattern))
`

async function searchInThread(text: string, pattern: string): Promise<Found | string> {
  const worker = new Worker(program, { eval: true, workerData: { text, pattern } })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<Found | string>((resolve, reject) => {
      timer = setTimeout(
        () => resolve(`takes longer than ${patienceMs / 1000}s to be searched for /${pattern}/`),
        patienceMs,
      )
      worker.once('message', resolve)
      worker.once('error', reject)
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
