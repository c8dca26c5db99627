// Runs the fuzz in processes of its own, each with little memory and somebody who watches it: what hangs is ended, what
// dies is noticed, and the input is named.

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Of the heap of a process, and of what it takes above what it took when it was loaded. */
export const maxMegabytes = 256
/** As many inputs as one process judges. */
const shareOf = 20_000

/** The program of a process, in one file: Node 20 reads no TypeScript. */
function bundled(directory, entry) {
  const outfile = join(directory, 'fuzz.mjs')
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" }
  buildSync({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile,
    banner,
    logLevel: 'error',
  })
  return outfile
}

/**
 * `plans`: how many mutated plans; a fifth as many of each other kind come with them. `hangMs`: after so much processor
 * time at one input a process is ended; that no reader takes more than a second of processor time is measured inside.
 */
export async function fuzz({
  plans,
  seed,
  jobs = 2,
  entry = 'entry.ts',
  hangMs = 10_000,
  env = {},
  tries = 24,
  enough = 5,
  onShare = () => {},
}) {
  const directory = mkdtempSync(join(tmpdir(), 'git-plan-fuzz-'))
  try {
    const program = bundled(directory, entry)
    const end = plans + 2 * Math.ceil(plans / 5)
    const queue = []
    for (let from = 0; from < end; from += shareOf) queue.push({ from, to: Math.min(end, from + shareOf) })
    const shares = []
    const broken = []
    const watched = (job, name) =>
      watch({ program, job: { root, seed, progress: join(directory, name), ...job }, hangMs, env })
    const lane = async (_, number) => {
      for (let range = queue.shift(); range !== undefined && broken.length < enough; range = queue.shift()) {
        const { share, stopped } = await watched(range, `progress-${number}`)
        if (share !== undefined) {
          shares.push(share)
          broken.push(...share.broken)
          onShare(share)
          continue
        }
        // What it had judged before has gone with it: the figures are those of the processes that ended by themselves.
        broken.push(await explain({ program, seed, stopped, directory, number, watched, tries }))
        if (stopped.n + 1 < range.to) queue.unshift({ from: stopped.n + 1, to: range.to })
      }
    }
    await Promise.all(Array.from({ length: jobs }, lane))
    return { shares, broken }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * Processor time of a process in milliseconds, where the system tells; else the time of the clock. On a busy machine a
 * process waits for longer than it works.
 */
function spent(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Date.now()
  }
}

/** One process, to its end or until it has been at one input for too long. */
function watch({ program, job, hangMs, env }) {
  rmSync(job.progress, { force: true })
  const child = spawn(process.execPath, [`--max-old-space-size=${maxMegabytes}`, program, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr']) child[stream].on('data', (chunk) => (said[stream] += chunk))
  const at = () => (existsSync(job.progress) ? readFileSync(job.progress, 'utf8') : '')
  let seen = { at: '', since: spent(child.pid) }
  let isHanging = false
  const watchdog = setInterval(() => {
    if (at() !== seen.at) seen = { at: at(), since: spent(child.pid) }
    else if (seen.at !== '' && spent(child.pid) - seen.since > hangMs) isHanging = child.kill('SIGKILL')
  }, 100)
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearInterval(watchdog)
      if (code === 0) return resolve({ share: JSON.parse(said.stdout) })
      const isMemory = /heap out of memory|allocation failed/i.test(said.stderr)
      const promise = isHanging ? 'time' : isMemory ? 'memory' : 'alive'
      const message = isHanging
        ? `nothing came of it for ${hangMs} ms`
        : isMemory
          ? `more than ${maxMegabytes} MB of heap`
          : `${code ?? signal}: ${said.stderr.slice(-2000)}`
      resolve({ stopped: { n: Number.parseInt(at(), 10) || job.from, promise, message } })
    })
  })
}

/**
 * What a process hung at or died of, made smaller in other processes: a few tries, since each may have to be ended as
 * well.
 */
async function explain({ program, seed, stopped, directory, number, watched, tries }) {
  const { inputOf } = await import(pathToFileURL(program).href)
  const { kind, bytes } = inputOf(root, seed, stopped.n)
  const file = join(directory, `input-${number}`)
  const isStillBad = async (less) => {
    writeFileSync(file, less)
    const { stopped: again } = await watched(
      { from: stopped.n, to: stopped.n + 1, only: { kind, file } },
      `progress-${number}`,
    )
    return again?.promise === stopped.promise
  }
  let best = bytes
  for (let left = tries, size = Math.ceil(best.length / 2), at = 0; left > 0 && size > 0; left -= 1) {
    const less = Buffer.concat([best.subarray(0, at), best.subarray(at + size)])
    if (await isStillBad(less)) best = less
    else at += size
    if (at >= best.length) [at, size] = [0, Math.floor(size / 2)]
  }
  return { ...stopped, kind, base64: Buffer.from(best).toString('base64') }
}

/** The shares of all processes as one. */
export function summed(shares) {
  const judged = {}
  const rules = {}
  for (const share of shares) {
    for (const [kind, counts] of Object.entries(share.judged)) {
      const all = (judged[kind] ??= {})
      for (const [name, count] of Object.entries(counts)) all[name] = (all[name] ?? 0) + count
    }
    for (const [rule, count] of Object.entries(share.rules)) rules[rule] = (rules[rule] ?? 0) + count
  }
  const highest = (figure) => Math.max(0, ...shares.map(figure))
  return {
    judged,
    rules,
    slowest: shares.reduce((one, { slowest }) => (slowest.ms > one.ms ? slowest : one), { ms: 0, n: 0 }),
    grownMegabytes: highest(({ peak, baseline }) => (peak - baseline) / 1024 / 1024),
    peakMegabytes: highest(({ peak }) => peak / 1024 / 1024),
  }
}
