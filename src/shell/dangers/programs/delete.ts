// What deletes, and where.

import { isNarrow, rootsOf } from '../answers.ts'
import { found, type Check, type Checks, type Found } from '../call.ts'
import { interpreters } from '../executed.ts'
import { codeOf } from '../inner/code.ts'
import { marks, shown } from '../marks.ts'
import { given } from '../options.ts'
import { placeOf } from '../places.ts'

/** About one path that would go. */
export function deleted(by: string, path: string, cwd: string): Found | undefined {
  const place = placeOf(path, cwd)
  if (place === 'open')
    return found(
      'shell-delete-outside',
      `${by} deletes ${shown(path)}: where that variable is empty, it is at the root of the disk or all of the repository`,
    )
  if (place === 'outside' || place === 'device')
    return found('shell-delete-outside', `${by} deletes ${shown(path)}, outside the repository`)
  if (place === 'repository')
    return found(
      'shell-delete-repository',
      `${by} deletes ${shown(path)}: that is all of the directory, the work of others with it`,
    )
  if (place === 'git')
    return found('shell-delete-repository', `${by} deletes ${shown(path)}, which is the repository itself`)
  return undefined
}

const operands =
  (valued = ''): Check =>
  ({ name, args, cwd }) =>
    given(args, valued).operands.map((path) => deleted(name, path, cwd))

const find: Check = ({ args, cwd }) => {
  if (!args.includes('-delete')) return undefined
  return rootsOf(args).map((root) => {
    const found = deleted('find -delete', root, cwd)
    return found?.rule === 'shell-delete-repository' && isNarrow(args) && placeOf(root, cwd) === 'repository'
      ? undefined
      : found
  })
}

const rsync: Check = ({ args, cwd }) => {
  const { operands: paths, options } = given(args, '-e -f --exclude --include --filter --rsh')
  const target = paths.at(-1)
  if (
    ![...options.keys()].some((name) => /^--(del|delete.*|remove-source-files)$/.test(name)) ||
    target === undefined ||
    /^[\w.@-]+:/.test(target)
  )
    return undefined
  return deleted('rsync --delete', target, cwd)
}

/** A deletion in the language of an interpreter: only where the path is written in it. */
const call =
  /\b(?:rmtree|rmSync|rmdirSync|rm_rf?|remove_tree|removedirs|remove_dir|unlinkSync|unlink|rimraf|rmdir|os\.remove|os\.rmdir|fs\.rm|promises\.rm|removeSync|emptyDirSync|File\.delete|Dir\.rmdir|remove_entry(?:_secure)?|Deno\.remove(?:Sync)?)\b\s*\(?\s*\(?\s*(?:(?:glob|Dir\.glob|Dir\[|qw|<)\s*[({/]?\s*)?(?:['"]([^'"\n]+)['"]|([/~][^\s'")>}]*))/g
const method = /\bPath\s*\(\s*['"]([^'"]+)['"]\s*\)\s*\.\s*(?:unlink|rmdir)\b/g
const code: Check = (given) => {
  const text = codeOf(given)
  const paths = [...text.matchAll(call), ...text.matchAll(method)].map(([, quoted, bare]) => quoted ?? bare ?? '')
  return paths.map((path) =>
    deleted(given.name, path.replace(/^~/, marks.home).replace(/[*?]/g, marks.glob), given.cwd),
  )
}

export const deleting: Checks = {
  'rm rmdir unlink srm trash rimraf del-cli wipe': operands(),
  shred: operands('-n -s --iterations --size --random-source'),
  find,
  rsync,
  [interpreters]: code,
}
