// A tree as one value, byte for byte: name, kind, executable bit, content. From disk, or from a commit.

import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { TestRepo } from './repo.ts'

/** Names in latin1, so that names that are not UTF-8 can be told apart. */
export type Listing = Record<string, string>

const skipped = (name: string): boolean => /^\.(git|plans)(\/|$)/.test(name)
const sorted = (entries: [string, string][]): Listing =>
  Object.fromEntries(entries.filter(([name]) => !skipped(name)).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Everything below a directory except `.git` and `.plans`; as for Git, empty directories are ignored. */
export function onDisk(root: string): Listing {
  const entries: [string, string][] = []
  const walk = (directory: Buffer, prefix: string): void => {
    for (const name of readdirSync(directory, { encoding: 'buffer' })) {
      const path = Buffer.concat([directory, Buffer.from('/'), name])
      const shown = `${prefix}${name.toString('latin1')}`
      const facts = lstatSync(path)
      if (skipped(shown)) continue
      if (facts.isDirectory()) walk(path, `${shown}/`)
      else if (facts.isSymbolicLink())
        entries.push([shown, `link ${readlinkSync(path, { encoding: 'buffer' }).toString('latin1')}`])
      else entries.push([shown, `${facts.mode & 0o100 ? 'program' : 'file'} ${readFileSync(path).toString('latin1')}`])
    }
  }
  walk(Buffer.from(root), '')
  return sorted(entries)
}

export function inCommit(repo: TestRepo, name: string): Listing {
  const git = (args: string[]): string =>
    execFileSync('git', args, { cwd: repo.dir, env: repo.env, encoding: 'latin1' })
  const kinds: Readonly<Record<string, string>> = { '100644': 'file', '100755': 'program', '120000': 'link' }
  return sorted(
    git(['ls-tree', '-r', '-z', name])
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => {
        const [mode = '', , id = ''] = line.slice(0, line.indexOf('\t')).split(' ')
        return [line.slice(line.indexOf('\t') + 1), `${kinds[mode] ?? mode} ${git(['cat-file', 'blob', id])}`]
      }),
  )
}
