// Searches a file for a pattern of the plan. Neither a pipe in the place of the file nor a pattern that backtracks
// forever may block the executor.

import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'

const maxBytes = 16 * 1024 * 1024
const patienceMs = 5000

/** A string: the reason why the search failed. */
export async function searchFile(path: string, pattern: string): Promise<boolean | string> {
  const text = await readRegular(path)
  if (typeof text === 'string') return text
  // Without repetition a pattern takes linear time; only one that can explode needs a thread.
  return /[*+{]/.test(pattern)
    ? searchInThread(text.toString(), pattern)
    : new RegExp(pattern, 'mu').test(text.toString())
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

const program = `
  const { parentPort, workerData } = require('node:worker_threads')
  parentPort.postMessage(new RegExp(workerData.pattern, 'mu').test(workerData.text))
`

async function searchInThread(text: string, pattern: string): Promise<boolean | string> {
  const worker = new Worker(program, { eval: true, workerData: { text, pattern } })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<boolean | string>((resolve, reject) => {
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
