// Groups of phases that may run at the same time, compared with the dependencies, which decide.

import type { ImportedStep } from './format.ts'
import { plainText, type Markdown } from './markdown.ts'
import type { Notes } from './notes.ts'
import type { Phase } from './phases.ts'
import { phasesIn } from './phase-fields.ts'

interface Group {
  readonly name: string
  readonly line: number
  readonly numbers: readonly string[]
}

export function reportGroups(
  source: Markdown,
  phases: readonly Phase[],
  steps: readonly (ImportedStep & { readonly number: string })[],
  notes: Notes,
): void {
  const numbers = phases.map(({ number }) => number)
  const needs = new Map(steps.map(({ number, needs: own = [] }) => [number, own.map((id) => id.replace('phase ', ''))]))
  const sections = groupsIn(source, numbers)
  if (sections.length > 1)
    notes.contradiction(`there are ${sections.length} lists of parallel groups; the dependencies decide`, {
      line: sections[1]![0]!.line,
    })
  for (const groups of sections)
    for (const [at, group] of groups.entries()) {
      const later = new Set(groups.slice(at + 1).flatMap((each) => each.numbers))
      for (const number of group.numbers) {
        const all = neededBy(number, needs)
        for (const need of group.numbers.filter((each) => all.has(each)))
          notes.contradiction(
            `${group.name} has phases ${need} and ${number} side by side, but ${number} needs ${need}`,
            group,
          )
        for (const need of (needs.get(number) ?? []).filter((each) => later.has(each)))
          notes.contradiction(`phase ${number} of ${group.name} needs phase ${need}, which is in a later group`, group)
      }
    }
  for (const { number, fields } of phases) {
    const field = fields.find(({ name }) => name === 'parallel')
    const beside =
      field === undefined
        ? []
        : phasesIn(field.value.replace(/[()]/g, ' ').replace(/^\W*(yes|no)\b/i, ''), numbers).numbers
    if (field === undefined || /^no\b/i.test(field.value)) continue
    for (const other of beside)
      if (neededBy(number, needs).has(other) || neededBy(other, needs).has(number))
        notes.contradiction(`phase ${number} is parallel with phase ${other}, but one of them needs the other`, {
          line: field.index + 1,
        })
  }
}

/** The groups of each section about parallel phases: rows of a table, or bullets. */
function groupsIn(source: Markdown, numbers: readonly string[]): Group[][] {
  const sections: Group[][] = []
  for (const heading of source.headings()) {
    if (!/paralleli[sz]|parallel (groups?|execution|opportunit)/i.test(heading.text)) continue
    const end = source.headings(heading.index + 1)[0]?.index ?? source.lines.length
    const lines = source.visible.slice(heading.index + 1, end).map(plainText)
    // Bullets below a table explain it.
    const read = lines.some((line) => line.startsWith('|')) ? groupInRow : groupInBullet
    const groups = lines.flatMap((line, offset): Group[] => {
      const [name, list] = read(line) ?? []
      if (name === undefined || list === undefined || list.includes('\u2192')) return []
      const found = phasesIn(list, numbers).numbers.filter((number) => numbers.includes(number))
      const label = /group/i.test(name) ? name : `group ${name}`
      return found.length === 0 ? [] : [{ name: label, line: heading.index + 2 + offset, numbers: found }]
    })
    if (groups.length > 0) sections.push(groups)
  }
  return sections
}

function groupInRow(line: string): readonly [string, string] | undefined {
  const [, name = '', list = ''] = line.startsWith('|') ? line.split('|').map((cell) => cell.trim()) : []
  return name === '' || /^(sequential|group|parallel group|:?-+:?)$/i.test(name) ? undefined : [name, list]
}

/** Only the phases at the beginning: the rest is the reason. */
function groupInBullet(line: string): readonly [string, string] | undefined {
  const [, name, list] = /^\s*[-*+]\s+(Group \w+)\W*:\s*(Phases?\s[\d\s,.a-zA-Z&+-]*?)(?:\(|$)/i.exec(line) ?? []
  return name === undefined || list === undefined ? undefined : [name, list]
}

function neededBy(
  number: string,
  needs: ReadonlyMap<string, readonly string[]>,
  found = new Set<string>(),
): Set<string> {
  for (const need of needs.get(number) ?? []) {
    if (found.has(need)) continue
    found.add(need)
    neededBy(need, needs, found)
  }
  return found
}
