// Performs one step of a plan on a tree in memory.

import type { Performed, ShellResult, VerbContext } from '../../src/plan/model/verb.ts'
import { makeRewriter } from '../../src/judge/refactor/rewriter.ts'
import { globMatcher } from '../../src/plan/text/glob.ts'
import { verbOf } from '../../src/plan/verbs/index.ts'
import { bytesOf, fenced, parsed, textOf } from './plans.ts'

/** A tree in memory in which git tracks every file. */
export function world(
  files: Record<string, string | Uint8Array> = {},
  shell: ShellResult = { kind: 'exited', code: 0 },
  onShell?: (tree: Map<string, Uint8Array>) => void,
) {
  const tree = new Map(
    Object.entries(files).map(([path, content]) => [path, typeof content === 'string' ? bytesOf(content) : content]),
  )
  const below = (path: string): string[] =>
    [...tree.keys()].filter((file) => file === path || file.startsWith(`${path}/`))
  const commands: string[] = []
  const executable = new Set<string>()
  const context: VerbContext = {
    shell: async (command, words = []) => {
      commands.push([command, ...words].join(' '))
      onShell?.(tree)
      return shell
    },
    program: async (words, { directory } = {}) => {
      commands.push([...(directory === undefined ? [] : [`(${directory})`]), ...words].join(' '))
      return shell
    },
    agent: async () => ({ kind: 'performed' }),
    rewrite: makeRewriter({ totalMs: 60_000 }),
    tree: {
      kind: async (path) => (tree.has(path) ? 'file' : below(path).length > 0 ? 'directory' : 'absent'),
      read: async (path) => tree.get(path)!,
      readUpTo: async (path, bytes) => (tree.get(path)!.byteLength > bytes ? undefined : tree.get(path)!),
      matching: async (globs) => [...tree.keys()].filter(globMatcher(globs)).toSorted(),
      write: async (path, bytes, options) => {
        tree.set(path, bytes)
        if (options?.executable) executable.add(path)
      },
      tracked: async (path) => below(path),
      remove: async (path) => void tree.delete(path),
      rename: async (from, to) => {
        for (const file of below(from)) {
          tree.set(to + file.slice(from.length), tree.get(file)!)
          tree.delete(file)
        }
      },
    },
  }
  const content = (): Record<string, string> =>
    Object.fromEntries([...tree].map(([path, bytes]) => [path, textOf(bytes)]))
  return { context, commands, executable, content }
}

export async function perform(step: string, context: VerbContext): Promise<Performed> {
  const entry = parsed(fenced(`steps:\n  - ${step.trim().replaceAll('\n', '\n    ')}`)).plan.steps[0]!
  return verbOf(entry).perform(entry.spec, context)
}
