// Codex ExecPlan: `## Progress` is the only section with boxes.

import { UnreadableSource, type ImportFormat, type ImportedStep } from './format.ts'
import { boxSteps } from './checklist.ts'
import { Markdown, splitMarks } from './markdown.ts'
import { nameOf, Notes, quote } from './notes.ts'

const others =
  /^(purpose|surprises|decision log|outcomes|plan of work|concrete steps|validation and acceptance|idempotence)/i

export const execPlan: ImportFormat = {
  name: 'exec-plan',
  tool: 'Codex',
  usual: 'an ExecPlan, as .agent/PLANS.md describes it',
  recognizes({ files }) {
    const file = files[0]
    if (files.length !== 1 || file === undefined || !/\.(md|markdown)$/i.test(file.path)) return undefined
    const source = new Markdown(file.text)
    if (isRuleBook(source)) return 'certain'
    const range = progressOf(source)
    if (range === undefined || source.boxes(range.from, range.to).length === 0) return undefined
    const isKnown = source.headings().some(({ text }) => others.test(text)) || /\bExecPlan\b/.test(file.text)
    return isKnown ? 'certain' : 'possible'
  },
  read({ files, location }) {
    const source = new Markdown(files[0]!.text)
    const notes = new Notes()
    const range = progressOf(source)
    const steps = range === undefined ? [] : boxSteps(source, range, notes).map((step) => readStep(step, notes))
    if (steps.length === 0)
      throw new UnreadableSource(
        'it has no section `## Progress` with boxes; PLANS.md itself is the rule book, not a plan',
        {
          line: range === undefined ? 1 : range.from + 1,
        },
      )
    const title = source.headings().find(({ level }) => level === 1)
    if (title !== undefined) source.take(title.index)
    return {
      title: title === undefined ? nameOf(location) : splitMarks(title.text).title,
      steps,
      notes: notes.all,
      prose: source.rest(),
    }
  },
}

/** PLANS.md, which says how to write an ExecPlan. */
const isRuleBook = (source: Markdown): boolean =>
  progressOf(source) === undefined && /\bExecPlans\b/.test(source.headings()[0]?.text ?? '')

function progressOf(source: Markdown): { from: number; to: number } | undefined {
  const heading = source.headings().find(({ text, level }) => level > 1 && /^progress\b/i.test(text))
  return heading === undefined ? undefined : { from: heading.index + 1, to: source.endOf(heading) }
}

/** A time in front of the text says when; "(completed: X; remaining: Y)" says that a part is done. */
function readStep(step: ImportedStep, notes: Notes): ImportedStep {
  const [time, inside, plain] =
    /^\(([^()]{0,30}\d{4}-\d\d-\d\d[^()]{0,30})\)\s*|^(\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?)[\s:\u2013\u2014-]+/.exec(
      step.title,
    ) ?? []
  const when = inside ?? plain
  const title = time === undefined ? step.title : step.title.slice(time.length)
  const part = /\(\s*completed:.*remaining:.*\)/is.exec(`${title}\n${step.text ?? ''}`)?.[0]
  const why = [step.why, when].filter((each) => each !== undefined).join(', ') || undefined
  if (part === undefined || step.state === 'done') return { ...step, title, why }
  notes.unknown(`${quote(title)} is done in part`, step)
  return { ...step, title, state: 'unknown', why: part }
}
