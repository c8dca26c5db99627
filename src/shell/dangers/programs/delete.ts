// What deletes, and where.

import { found, type Call, type Check, type Checks, type Found } from '../call.ts'
import { shown } from '../marks.ts'
import { given } from '../options.ts'
import { placeOf } from '../places.ts'

/** About one path that would go. */
export function deleted(by: string, path: string, cwd: string): Found | undefined {
  const place = placeOf(path, cwd)
  if (place === 'open')
    return found('shell-delete-outside', `${by} deletes ${shown(path)}: where that variable is empty, it is at the root of the disk or all of the repository`)
  if (place === 'outside' || place === 'device') return found('shell-delete-outside', `${by} deletes ${shown(path)}, outside the repository`)
  if (place === 'repository') return found('shell-delete-repository', `${by} deletes ${shown(path)}: that is all of the directory, the work of others with it`)
  if (place === 'git') return found('shell-delete-repository', `${by} deletes ${shown(path)}, which is the repository itself`)
  return undefined
}

const operands =
  (valued = ''): Check =>
  ({ name, args, cwd }) =>
    given(args, valued).operands.map((path) => deleted(name, path, cwd))

/** Tests that leave something out. */
const narrowing = /^-(i?name|i?path|i?wholename|i?regex|empty|size|[acm](time|min)|newer.*|perm|user|group|inum|links|samefile)$/

const find: Check = ({ args, cwd }) => {
  if (!args.includes('-delete')) return undefined
  const first = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLP]$/.test(arg))
  const roots = args.slice(0, first).filter((arg) => !/^-[HLP]$/.test(arg))
  const isNarrow = args.some((arg) => narrowing.test(arg))
  return (roots.length === 0 ? ['.'] : roots).map((root) => {
    const found = deleted('find -delete', root, cwd)
    return found?.rule === 'shell-delete-repository' && isNarrow && placeOf(root, cwd) === 'repository' ? undefined : found
  })
}

const rsync: Check = ({ args, cwd }) => {
  const { operands: paths, options } = given(args, '-e -f --exclude --include --filter --rsh')
  const target = paths.at(-1)
  if (![...options.keys()].some((name) => /^--(del|delete.*|remove-source-files)$/.test(name)) || target === undefined || /^[\w.@-]+:/.test(target))
    return undefined
  return deleted('rsync --delete', target, cwd)
}

const scripts = /rmtree|rmSync|rm_rf|remove_tree|unlinkSync|rimraf/
/** A deletion in the language of an interpreter: only where the path is written in it. */
const code: Check = ({ name, args }: Call) => {
  const text = args.join(' ')
  const path = /(?:rmtree|rmSync|rmdirSync|rm_rf|remove_tree|unlinkSync|rimraf)\s*\(?\s*\(?\s*['"]([^'"]+)['"]/.exec(text)?.[1]
  return scripts.test(text) && path !== undefined ? deleted(name, path, '') : undefined
}

export const deleting: Checks = {
  'rm rmdir unlink srm trash rimraf del-cli wipe': operands(),
  shred: operands('-n -s --iterations --size --random-source'),
  find,
  rsync,
  'python python3 node perl ruby deno bun': code,
}
