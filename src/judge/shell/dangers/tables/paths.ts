// Files that a program deletes or writes, by location.

import { finding, readArguments, type Call, type Finding } from '../call.ts'
import { locationOf, type Location } from '../location.ts'
import { excerpt } from '../marks.ts'
import { isNarrow, rootsOf } from '../outputs.ts'
import type { DangerName } from '../rules.ts'

type Judgement = Readonly<Partial<Record<Location, readonly [rule: DangerName, says: string]>>>

const judgePath =
  (verb: string, locations: Judgement) =>
  (by: string, path: string, cwd: string): Finding | undefined => {
    const [rule, says] = locations[locationOf(path, cwd)] ?? []
    return rule === undefined ? undefined : finding(rule, `${by} ${verb} ${excerpt(path)}, ${says}`)
  }

export const judgeDeletion = judgePath('deletes', {
  open: ['shell-delete-outside', 'which is in the root directory if the variable is empty'],
  outside: ['shell-delete-outside', 'outside the repository'],
  device: ['shell-delete-outside', 'outside the repository'],
  repository: ['shell-delete-repository', 'which is the whole directory'],
  git: ['shell-delete-repository', 'which is the Git repository itself'],
})
export const judgeWrite = judgePath('writes', {
  device: ['shell-device', 'which is a device'],
  network: ['shell-send-data', 'which is a network connection'],
  git: ['shell-git-directory', 'which belongs to Git'],
  outside: ['shell-write-outside', 'outside the repository'],
})

type Does = 'deletes' | 'writes'
/** Which arguments are paths: all operands, all but the first, the last of several, or the values of options. */
type Which = 'all' | 'rest' | 'last' | `-${string}`

const table: readonly (readonly [programs: RegExp, does: Does, which: Which, usage?: string])[] = [
  [/^(rm|rmdir|unlink|trash|rimraf|del-cli)$/, 'deletes', 'all'],
  [/^shred$/, 'deletes', 'all', '-n= -s='],
  [/^(tee|touch|mkdir|truncate|mkfifo|sponge)$/, 'writes', 'all', '-s= -r= -m= -d= --mode= --size='],
  [/^(chmod|chown|chgrp)$/, 'writes', 'rest'],
  [/^(cp|install|ln)$/, 'writes', 'last', '-m= -o= -g= -S= --mode='],
  // Moving a file also removes its source.
  [/^mv$/, 'writes', 'all', '-S='],
  [/^rsync$/, 'writes', 'last', '-e= -f= --exclude= --include= --filter= --rsh='],
  [/^curl$/, 'writes', '-o --output --output-dir', '-d= -H= -X= -A= -u= -e= -F= -T= -b= -c= -w='],
  [/^wget2?$/, 'writes', '-O --output-document -P --directory-prefix'],
  [/^sort$/, 'writes', '-o --output', '-k= -t= -S= -T='],
  [/^(unzip|cpio)$/, 'writes', '-d -D --directory'],
  [/^patch$/, 'writes', 'all', '-p= -i='],
]

function pathsOf({ name, args }: Call, does: Does): readonly string[] {
  const [, , which, usage = ''] = table.find(([programs, each]) => each === does && programs.test(name)) ?? []
  if (which === undefined) return []
  const options = which.startsWith('-') ? which.split(' ') : ['-t', '--target-directory']
  const { operands, values } = readArguments(args, `${usage} ${options.map((option) => `${option}=`).join(' ')}`)
  const named = values(...options)
  const last = named.length === 0 && operands.length > 1 ? operands.slice(-1) : []
  const own = which === 'all' ? operands : which === 'rest' ? operands.slice(1) : which === 'last' ? last : []
  // `-` is stdout; `host:path` is on another machine.
  return [...own, ...named].filter((path) => path !== '-' && !/^[\w.@-]+:/.test(path))
}

/** Files that sed, perl and ruby edit in place. */
function editedPaths(args: readonly string[]): readonly string[] {
  if (!args.some((arg) => /^-(-in-place|[a-hj-zA-HJ-Z]*i)/.test(arg))) return []
  const { operands, has } = readArguments(args, '-e= -f= --expression= --file=')
  return has('-e', '-f', '--expression', '--file') ? operands : operands.slice(1)
}

export function writtenPaths(call: Call): readonly string[] {
  const { name, args } = call
  if (name === 'dd') return args.flatMap((arg) => (arg.startsWith('of=') ? [arg.slice(3)] : []))
  if (/^(sed|perl|ruby)$/.test(name)) return editedPaths(args)
  const isUnpacked = /^(bsd)?tar$/.test(name) && /^-?[a-zA-Z]*x|--extract/.test(args[0] ?? '')
  return isUnpacked ? readArguments(args, '-f= -C= --directory=').values('-C', '--directory') : pathsOf(call, 'writes')
}

function deletedPaths(call: Call): readonly string[] {
  const { name, args, cwd } = call
  const isWhole = (path: string): boolean => locationOf(path, cwd) === 'repository'
  if (name === 'find' && args.includes('-delete'))
    return rootsOf(args).filter((root) => !(isNarrow(args) && isWhole(root)))
  if (name === 'rsync' && args.some((arg) => arg.startsWith('--del'))) return writtenPaths(call)
  return name === 'mv' ? writtenPaths(call).slice(0, -1).filter(isWhole) : pathsOf(call, 'deletes')
}

export const judgePaths = (call: Call): readonly (Finding | undefined)[] => [
  ...deletedPaths(call).map((path) => judgeDeletion(call.name, path, call.cwd)),
  ...writtenPaths(call).map((path) => judgeWrite(call.name, path, call.cwd)),
]
