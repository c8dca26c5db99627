// The state after a power cut, computed from a recorded trace of all file system calls of a command. The bytes of a
// file survive after its fsync, its name after the fsync of its directory; everything else may be lost. Nothing here
// relies on what our own code or Git believe to have synced.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { bin, ended, type TestRepo } from '../helpers/repo.ts'
import { tool } from './causes.ts'

const calls = [
  'write',
  'pwrite64',
  'writev',
  'mkdir',
  'mkdirat',
  'fsync',
  'fdatasync',
  'rename',
  'renameat',
  'renameat2',
  'link',
  'linkat',
  'unlink',
  'unlinkat',
  'rmdir',
]

interface Act {
  readonly call: string
  /** Below the repository, in the order of the arguments. */
  readonly paths: readonly string[]
  /** What was written, where the trace shows it. */
  readonly text: string
}

/**
 * In the order in which they took effect at the latest: an fsync counts when it has come back, everything else when it
 * is asked for.
 */
export async function traceOf(repo: TestRepo, command: readonly string[]): Promise<Act[]> {
  const file = join(dirname(repo.dir), 'trace')
  const words = [
    '-f',
    '-y',
    '-s',
    '200000',
    '-o',
    file,
    '-e',
    `trace=${calls.join(',')}`,
    process.execPath,
    bin,
    ...command,
  ]
  const child = spawn(tool('strace', 'strace'), words, {
    cwd: repo.dir,
    env: repo.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ran = await ended(child)
  if (ran.code !== 0) throw new Error(ran.all)
  return actsIn(readFileSync(file, 'utf8'), repo.dir)
}

function actsIn(trace: string, root: string): Act[] {
  const acts: Act[] = []
  const begun = new Map<string, string>()
  for (const line of trace.split('\n')) {
    const [, pid = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(rest)?.[1]
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)?.[1]
    const isSync = /^(<\.\.\. )?f(data)?sync/.test(rest)
    if (unfinished !== undefined) {
      begun.set(pid, unfinished)
      if (!isSync) push(`${unfinished}) = ?`)
    } else if (resumed !== undefined) {
      if (isSync) push(`${begun.get(pid) ?? ''}${resumed}`)
    } else push(rest)
  }
  return acts

  function push(text: string): void {
    const [, call = '', args = '', result = ''] = /^(\w+)\((.*)\) += (.*)$/.exec(text) ?? []
    if (call === '' || result.startsWith('-1')) return
    const isByDescriptor = /write|sync/.test(call)
    const named = [...args.matchAll(isByDescriptor ? /<([^<>]*)>/g : /"((?:[^"\\]|\\.)*)"/g)].map(
      ([, path = '']) => path,
    )
    // Sockets and the like have no path; git names what is in the work tree from its top.
    const paths = named
      .filter((path) => !isByDescriptor || path.startsWith('/'))
      .map((path) => relative(root, resolve(root, path)))
      .filter((path) => path !== '' && !path.startsWith('..'))
    if (paths.length > 0) acts.push({ call, paths, text: /"((?:[^"\\]|\\.)*)"/.exec(args)?.[1] ?? '' })
  }
}

export interface Survey {
  /** Refs that were moved, and objects that were written in this run. */
  readonly moved: number
  readonly written: number
  readonly wrong: readonly string[]
}

const objectName = (path: string): string | undefined =>
  /^\.git\/objects\/([0-9a-f]{2})\/([0-9a-f]{38,62})$/.exec(path)?.slice(1).join('')
/** Packs are made elsewhere, and moved there. */
const mayBePack = (path: string): boolean => /^\.git\/(objects|plan\/objects\.\w+)\/(made|pack)\//.test(path)
const isRef = (path: string): boolean => path.startsWith('.git/refs/') && !path.endsWith('.lock')

/**
 * Before a ref is moved: every object of this run that it reaches, and its own new value. After it: its name, before
 * anything in the work tree changes.
 */
export function survey(repo: TestRepo, acts: readonly Act[]): Survey {
  /** Files whose bytes are on disk. */
  const synced = new Set<string>()
  /** Names made in this run that are not on disk yet: the names of files and of directories. */
  const unnamed = new Set<string>()
  const isNamed = (path: string): boolean => path === '.' || (!unnamed.has(path) && isNamed(dirname(path)))
  const objects = new Map<string, { isSynced: boolean; path: string }>()
  const values = new Map<string, string>()
  /** What was written into files of packs: some are gone at the end, with all that is in them in another one. */
  const indexes = new Map<string, string>()
  const moved: string[] = []
  const wrong: string[] = []
  const judgeNames = (when: string): void => {
    for (const ref of moved) if (!isNamed(ref)) wrong.push(`${when} before the name ${ref} was synced`)
  }
  for (const { call, paths, text } of acts) {
    const [from = '', to = from] = paths
    if (call.endsWith('sync')) {
      synced.add(from)
      for (const path of unnamed) if (dirname(path) === from) unnamed.delete(path)
    } else if (call.includes('write')) {
      synced.delete(from)
      if (mayBePack(from)) indexes.set(from, `${indexes.get(from) ?? ''}${text}`)
      const value = /^([0-9a-f]{40})/.exec(text)?.[1]
      if (from.endsWith('.lock') && value !== undefined) values.set(from, value)
    } else if (call.startsWith('mkdir')) unnamed.add(from)
    else if (call.startsWith('link') || call.startsWith('rename')) {
      unnamed.add(to)
      const name = objectName(to)
      if (name !== undefined) objects.set(name, { isSynced: synced.has(from), path: to })
      if (mayBePack(from)) {
        indexes.set(to, indexes.get(from) ?? '')
        if (synced.has(from)) synced.add(to)
      }
      // By its index git finds a pack: both have to be on disk.
      if (/^\.git\/objects\/pack\/.*\.idx$/.test(to)) {
        const isSynced = synced.has(from) && synced.has(to.replace(/idx$/, 'pack'))
        for (const packed of namesIn(indexes.get(from) ?? '')) objects.set(packed, { isSynced, path: to })
      }
      if (isRef(to)) {
        if (!synced.has(from)) wrong.push(`${to} was moved before its value was synced`)
        for (const [object, { isSynced, path }] of reached(repo, objects, values.get(from)))
          if (!isSynced || !isNamed(path))
            wrong.push(`${to} was moved to ${object} before ${isSynced ? 'its name was' : 'it was'} synced`)
        // A note is not worth a step, and is not waited for.
        if (!to.startsWith('.git/refs/notes/')) moved.push(to)
      }
    }
    const changed = paths.find((path) => path !== '' && path !== '.git' && !path.startsWith('.git/'))
    if (changed !== undefined && !call.endsWith('sync')) judgeNames(`${changed} was changed`)
  }
  judgeNames('the command ended')
  return { moved: moved.length, written: objects.size, wrong: [...new Set(wrong)] }
}

/**
 * The names in the index of a pack: they come after a table of 256 numbers, the last of which is how many there are.
 */
function namesIn(shown: string): string[] {
  const bytes = bytesOf(shown)
  if (bytes.length < 1032) throw new Error('the trace does not show the index of a pack')
  return Array.from({ length: bytes.readUInt32BE(1028) }, (_, at) =>
    bytes.toString('hex', 1032 + at * 20, 1052 + at * 20),
  )
}

const letters: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, v: 11, b: 8, a: 7 }

/** As strace shows them: in octal digits, by a letter, or as they are. */
const bytesOf = (shown: string): Buffer =>
  Buffer.from(
    Array.from(shown.matchAll(/\\([0-7]{1,3})|\\(.)|([^\\])/gs), ([, octal, escaped, plain]) =>
      octal !== undefined
        ? Number.parseInt(octal, 8)
        : escaped !== undefined
          ? (letters[escaped] ?? escaped.charCodeAt(0))
          : (plain ?? '').charCodeAt(0),
    ),
  )

function reached<T>(repo: TestRepo, objects: ReadonlyMap<string, T>, value: string | undefined): [string, T][] {
  if (value === undefined) return []
  const names = new Set(
    repo
      .git(['rev-list', '--objects', value])
      .split('\n')
      .map((line) => line.split(' ')[0] ?? ''),
  )
  return [...objects].filter(([name]) => names.has(name))
}
