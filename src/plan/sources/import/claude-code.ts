// Claude Code: free Markdown in `~/.claude/plans/<three-words>.md`, without state.

import { UnreadableSource, type ImportFormat } from './format.ts'
import { freeSteps, isStepHeading } from './heading-steps.ts'
import { Markdown, splitMarks } from './markdown.ts'
import { nameOf, Notes } from './notes.ts'

export const claudeCode: ImportFormat = {
  name: 'claude-code',
  tool: 'Claude Code',
  usual: '~/.claude/plans/<name>.md',
  recognizes({ files, location }) {
    const file = files[0]
    if (files.length !== 1 || file === undefined || !/\.(md|markdown)$/i.test(file.path)) return undefined
    if (/\/\.claude\/plans\//.test(location)) return 'certain'
    const headings = new Markdown(file.text).headings()
    const isPlan = headings.some(({ level, text }) => level === 1 && /^(implementation )?plan\b/i.test(text))
    const sections = headings.filter(({ text }) =>
      /^(context|overview|files to modify|critical files|verification)\b/i.test(text),
    )
    return isPlan || sections.length > 1 || headings.filter(isStepHeading).length > 1 ? 'possible' : undefined
  },
  read({ files, location }) {
    const source = new Markdown(files[0]!.text)
    const notes = new Notes()
    const title = source.headings().find(({ level }) => level === 1)
    const steps = freeSteps(source, notes)
    if (steps.length === 0)
      throw new UnreadableSource('it has no numbered headings, no boxes and no numbered list', { line: 1 })
    if (title !== undefined) source.take(title.index)
    notes.unknown('a plan of Claude Code has no state: what is done is not known to it')
    const name =
      title === undefined
        ? ''
        : splitMarks(title.text).title.replace(/^(implementation )?plan\s*[:\u2013\u2014-]\s*/i, '')
    return { title: name || nameOf(location), steps, notes: notes.all, prose: source.rest() }
  },
}
