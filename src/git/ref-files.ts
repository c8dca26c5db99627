// Refs that are plain files, read without a process. Undefined where anything is not as git itself writes it: then git is asked.

import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import type { Oid } from '../plan/values.ts'

export interface Ref {
  readonly name: string
  readonly oid: Oid
}

/** Names that no file system and no rule of git's for names has an opinion on. */
const plainName = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/

/** `prefixes` are directories of refs, with a slash at their end, or refs. In order of their names, as git lists them. */
export function readRefFiles(commonDir: string, prefixes: readonly string[]): Ref[] | undefined {
  const found = new Map<string, Oid>()
  const budget = { files: maxFiles }
  try {
    // Loose ones first: git writes a ref into packed-refs before it removes its file, so that what goes on its way meanwhile is still met there.
    const loose = prefixes.flatMap((prefix) => (prefix.endsWith('/') ? below(commonDir, prefix.slice(0, -1), budget) : single(commonDir, prefix)))
    for (const { name, oid } of loose) found.set(name, oid)
    // What is in both has the value of its file.
    const others = prefixes.filter((prefix) => !found.has(prefix))
    for (const { name, oid } of others.length === 0 ? [] : packed(commonDir, others)) if (!found.has(name)) found.set(name, oid)
  } catch {
    return undefined
  }
  return [...found].map(([name, oid]) => ({ name, oid })).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const odd = new Error('not as git writes it')

/** Git is faster with many, by more than its start. */
const maxFiles = 100

function below(commonDir: string, directory: string, budget: { files: number }): Ref[] {
  return (unlessAbsent(`${commonDir}/${directory}`, (path) => readdirSync(path, { withFileTypes: true })) ?? []).flatMap((entry) => {
    const name = `${directory}/${entry.name}`
    // What git is about to make, and what it never lists.
    if (entry.name.endsWith('.lock') && entry.isFile()) return []
    if (!plainName.test(entry.name) || entry.name.includes('..') || entry.name.endsWith('.')) throw odd
    if (entry.isDirectory()) return below(commonDir, name, budget)
    if (!entry.isFile() || --budget.files < 0) throw odd
    return single(commonDir, name)
  })
}

function single(commonDir: string, name: string): Ref[] {
  const text = unlessAbsent(`${commonDir}/${name}`, (path) => readFileSync(path, 'latin1'))
  if (text === undefined) return []
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})\n$/.test(text) || /^0+$/.test(text.trimEnd())) throw odd
  return [{ name, oid: text.trimEnd() as Oid }]
}

function packed(commonDir: string, prefixes: readonly string[]): Ref[] {
  const text = unlessAbsent(`${commonDir}/packed-refs`, (path) => readFileSync(path, 'utf8')) ?? ''
  if (text !== '' && !text.endsWith('\n')) throw odd
  const refs: Ref[] = []
  for (let start = 0, end = text.indexOf('\n'); end >= 0; start = end + 1, end = text.indexOf('\n', start)) {
    const first = text[start]
    if (first === '#' || first === '^') continue
    const space = text.indexOf(' ', start)
    const name = text.slice(space + 1, end)
    if (space < 0 || space > end) throw odd
    if (prefixes.some((prefix) => (prefix.endsWith('/') ? name.startsWith(prefix) : name === prefix))) refs.push({ name, oid: text.slice(start, space) as Oid })
  }
  if (!refs.every(({ oid }) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(oid))) throw odd
  return refs
}

/** To look first costs less than an exception. */
function unlessAbsent<T>(path: string, read: (path: string) => T): T | undefined {
  try {
    const facts = lstatSync(path, { throwIfNoEntry: false })
    if (facts === undefined) return undefined
    // A link is an old way to write a symbolic ref; a pipe would never end.
    if (!facts.isFile() && !facts.isDirectory()) throw odd
    return read(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A directory where a ref would be holds other refs; a ref where a directory would be has none below it.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined
    throw error
  }
}
