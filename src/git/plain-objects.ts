// What a name stands for, and the object of it, read without a process: ids, full refs and HEAD, their first parents, types and paths.
// `ask` where git might know better: what is found is what git would answer with, and what is not there is certainly not there.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { areRefsFiles } from './find-plainly.ts'
import { ObjectFiles } from './object-files.ts'
import { readRefFiles } from './ref-files.ts'
import type { StoredObject } from './stored-object.ts'
import { entryOf } from './tree-entry.ts'

export interface PlainObject extends StoredObject {
  readonly oid: string
}

/** Undefined: there is none. */
export type PlainAnswer = PlainObject | undefined | 'ask'

/** What our questions look like; all others are git's. */
const question = /^(?:([0-9a-f]{40})|(HEAD|refs\/[A-Za-z0-9._/-]+))(?:~(\d{1,4}))?(?:\^\{(commit|tree|blob)\}|:([^\0\n]+))?$/

/** The branch that is checked out, or the commit. */
const head = /^(?:ref: (refs\/heads\/\S+)|([0-9a-f]{40}))\n$/

/** It is read for every name: some thousand refs take as long as git itself, which need not look at all of them. */
const mostPackedRefs = 256 * 1024
/** The same for a directory of two thousand files. */
const mostOfTree = 64 * 1024

export class PlainObjects {
  readonly #gitDir: string
  readonly #commonDir: string
  readonly #files: ObjectFiles

  constructor({ gitDir, commonDir }: { gitDir: string; commonDir: string }) {
    this.#gitDir = gitDir
    this.#commonDir = commonDir
    this.#files = new ObjectFiles(`${commonDir}/objects`)
  }

  close(): void {
    this.#files.close()
  }

  find(name: string): PlainAnswer {
    if (this.#files.isSpent) return 'ask'
    try {
      return this.#find(name)
    } catch {
      return 'ask'
    }
  }

  #find(name: string): PlainAnswer {
    const [asked, id, ref, back, type, path] = question.exec(name) ?? []
    if (asked === undefined) return 'ask'
    const named = id ?? this.#oidOf(ref ?? '')
    if (named === undefined || named === 'ask') return named
    const start = this.#read(named)
    const at = back === undefined || start === 'ask' ? start : this.#parent(start, Number(back))
    if (at === undefined || at === 'ask') return at
    if (path !== undefined) return this.#below(at, path)
    return type === undefined ? at : this.#peeled(at, type)
  }

  /** Whether they are read here. Where some are cut off or made up, git gives commits other parents than they have. */
  haveOwnParents(): boolean {
    return !this.#files.isSpent && !existsSync(`${this.#commonDir}/shallow`) && !existsSync(`${this.#commonDir}/info/grafts`)
  }

  #read(oid: string): PlainObject | 'ask' {
    const object = this.#files.read(oid)
    return object === undefined ? 'ask' : { oid, ...object }
  }

  /** An id; `ask` is none. */
  #oidOf(ref: string): string | undefined {
    const [, branch, commit] = ref === 'HEAD' ? (head.exec(readFileSync(`${this.#gitDir}/HEAD`, 'latin1')) ?? []) : []
    if (commit !== undefined) return commit
    const name = ref === 'HEAD' ? (branch ?? '') : ref
    // Those of a work tree lie elsewhere, and names that git would not make are read by its rules.
    if (!/^refs\/(?!bisect\/|worktree\/|rewritten\/)/.test(name) || !name.split('/').every(isPlainPart)) return 'ask'
    if ((statSync(`${this.#commonDir}/packed-refs`, { throwIfNoEntry: false })?.size ?? 0) > mostPackedRefs) return 'ask'
    const [found] = readRefFiles(this.#commonDir, [name]) ?? ['ask' as const]
    if (found !== undefined) return found === 'ask' ? 'ask' : found.oid
    // A step may have moved all of them elsewhere.
    if (!areRefsFiles(this.#gitDir)) return 'ask'
    // A name that is none is also looked for as the short form of another, and as what `git describe` says.
    const others = ['refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/'].map((above) => above + name)
    const longer = readRefFiles(this.#commonDir, [...others, `refs/remotes/${name}/HEAD`])
    return ref === 'HEAD' || longer?.length !== 0 || /-g[0-9a-f]{4,}$/.test(name) ? 'ask' : undefined
  }

  #parent(start: PlainObject, back: number): PlainAnswer {
    if (!this.haveOwnParents()) return 'ask'
    let at: PlainAnswer = this.#peeled(start, 'commit')
    for (let left = back; left > 0 && at !== undefined && at !== 'ask'; left -= 1) {
      const commit = headOf(at)
      at = commit === undefined ? 'ask' : commit.parent === undefined ? undefined : this.#read(commit.parent)
      if (at !== undefined && at !== 'ask' && at.type !== 'commit') return 'ask'
    }
    return at
  }

  #peeled(from: PlainObject, type: string): PlainObject | 'ask' {
    let at: PlainObject | 'ask' = from
    for (let tags = 0; at !== 'ask' && at.type !== type && tags < 10; tags += 1) {
      const next: string | undefined = at.type === 'tag' ? taggedIn(at) : type === 'tree' ? headOf(at)?.tree : undefined
      at = next === undefined ? 'ask' : this.#read(next)
    }
    return at !== 'ask' && at.type === type ? at : 'ask'
  }

  #below(from: PlainObject, path: string): PlainAnswer {
    let at: PlainAnswer = this.#peeled(from, 'tree')
    const parts = path.split('/')
    // Git reads some of these from where one stands.
    if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'ask'
    for (const part of parts) {
      if (at === undefined || at === 'ask') return at
      // A file in the place of a directory has nothing below it.
      if (at.type !== 'tree') return undefined
      if (at.bytes.length > mostOfTree) return 'ask'
      const entry = entryOf(at.bytes, Buffer.from(part).toString('latin1'))
      if (entry === undefined || entry === 'odd') return entry === 'odd' ? 'ask' : undefined
      at = this.#read(entry.id)
      if (at !== 'ask' && (at.type === 'tree') !== entry.isTree) return 'ask'
    }
    return at
  }
}

const isPlainPart = (part: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(part) && !part.includes('..') && !/\.$|\.lock$/.test(part)

/** Strictly as git reads it: what comes later in a commit and looks like a parent is none. */
function headOf({ type, bytes }: PlainObject): { readonly tree: string; readonly parent: string | undefined } | undefined {
  const [, tree, parent] = /^tree ([0-9a-f]{40})\n(?:parent ([0-9a-f]{40})\n(?:parent [0-9a-f]{40}\n)*)?author /.exec(bytes.toString('latin1', 0, 4096)) ?? []
  return type !== 'commit' || tree === undefined ? undefined : { tree, parent }
}

const taggedIn = ({ bytes }: PlainObject): string | undefined => /^object ([0-9a-f]{40})\ntype [a-z]+\ntag /.exec(bytes.toString('latin1', 0, 200))?.[1]
