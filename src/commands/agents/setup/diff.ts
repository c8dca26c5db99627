// A unified diff of one file with a single hunk, for `--dry-run`.

import type { FileChange } from './plan-changes.ts'

const context = 3

export function diffOf({ file, before = '', after = '' }: FileChange): string[] {
  const [old, now] = [linesOf(before), linesOf(after)]
  const shortest = Math.min(old.length, now.length)
  let start = 0
  while (start < shortest && old[start] === now[start]) start += 1
  let same = 0
  while (same < shortest - start && old[old.length - 1 - same] === now[now.length - 1 - same]) same += 1
  const from = Math.max(0, start - context)
  const tail = Math.min(same, context)
  const [oldEnd, newEnd] = [old.length - same, now.length - same]
  const range = (end: number): string => `${end + tail - from === 0 ? 0 : from + 1},${end + tail - from}`
  return [
    `--- ${old.length === 0 ? '/dev/null' : `a/${file}`}`,
    `+++ ${now.length === 0 ? '/dev/null' : `b/${file}`}`,
    `@@ -${range(oldEnd)} +${range(newEnd)} @@`,
    ...old.slice(from, start).flatMap(marked(' ')),
    ...old.slice(start, oldEnd).flatMap(marked('-')),
    ...now.slice(start, newEnd).flatMap(marked('+')),
    ...old.slice(oldEnd, oldEnd + tail).flatMap(marked(' ')),
  ]
}

/** With their line breaks: the last one may have none. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

const marked =
  (sign: string) =>
  (line: string): string[] =>
    line.endsWith('\n') ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, '\\ No newline at end of file']
