// A patch: verbatim to files and pipes, so that it applies; with colors and escaped on a terminal.

import type { CommandResult } from '../../../operation/context.ts'
import type { SpecDiffData } from '../../../commands/inspect/diff.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { Style } from '../style.ts'

export function printDiff({ data }: CommandResult<{ readonly diff: string } | SpecDiffData>, style: Style): string {
  return 'diff' in data ? patchText(data.diff, style) : specText(data, style)
}

function specText({ id, before, after, reasons, lines, ...changes }: SpecDiffData, style: Style): string {
  if (before === null) return `${id} has one text only, revision ${after.revision}\n`
  const { added, changed, removed, isPlanChanged, isProseChanged } = changes
  const list = (what: string, ids: readonly string[]): string[] =>
    ids.length === 0 ? [] : [`${what}: ${ids.join(', ')}`]
  return `${[
    `${id}: revision ${before.revision}${before.wasApproved ? ', the last one that was approved,' : ''} to ${after.revision}`,
    ...reasons.map((reason) => `why: ${escapeForTerminal(reason)}`),
    ...(isPlanChanged ? ['changed: keys of the whole plan'] : []),
    ...list('new', added),
    ...list('changed', changed),
    ...list('removed', removed),
    ...(isProseChanged ? ['changed: the prose'] : []),
    '',
    patchText(lines.join('\n'), style),
  ].join('\n')}\n`
}

export function patchText(patch: string, style: Style): string {
  if (!style.isTerminal) return patch
  return patch
    .split('\n')
    .map((line) => {
      const safe = escapeForTerminal(line, { multiline: true })
      if (/^(diff |index |--- |\+\+\+ |new file|deleted file|similarity|rename )/.test(line)) return style.bold(safe)
      if (line.startsWith('@@')) return style.cyan(safe)
      return line.startsWith('+') ? style.green(safe) : line.startsWith('-') ? style.red(safe) : safe
    })
    .join('\n')
}
