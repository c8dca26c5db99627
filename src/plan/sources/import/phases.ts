// Plans of phases (`.ai/plans/YYYY-MM-DD.name.md`) in their shapes: fields as lines, as tables, or two lines of an
// agent; and the record of an execution, a list of boxes.

import { refuseTooMany, UnreadableSource, type ImportFormat, type ImportedState, type ImportedStep } from './format.ts'
import { readFrontMatter, type FrontMatter } from './front-matter.ts'
import { keysAsList, restKeys, textIn } from './json.ts'
import { Markdown, plainText, splitMarks, type Heading } from './markdown.ts'
import { nameOf, Notes, quote } from './notes.ts'
import { reportGroups } from './phase-groups.ts'
import { executionSteps, isExecution } from './phase-execution.ts'
import { fieldsIn, phaseNumber, phasesIn, type Field } from './phase-fields.ts'
import { checkpointsIn, completedSections, planPhase, stateOfMarks, stateOfStatus, type Claim } from './phase-states.ts'

const phaseHeading = new RegExp(`^(?:\\W*)Phase (${phaseNumber}):\\s*(.*)$`, 'iu')
const likePhase = /^\W*Phases? \d/iu
const task = /^\s*[-*]\s+\[[ xX]\]\s+\W*T\d{3,}\b/

export interface Phase {
  readonly heading: Heading
  readonly number: string
  readonly name: string
  readonly end: number
  readonly fields: readonly Field[]
}

export const phases: ImportFormat = {
  name: 'phases',
  tool: 'a phase orchestrator',
  usual: '.ai/plans/YYYY-MM-DD.name.md',
  recognizes({ files, location }) {
    const file = files[0]
    if (files.length !== 1 || file === undefined || !/\.(md|markdown)$/i.test(file.path)) return undefined
    const source = new Markdown(file.text)
    if (source.visible.some((line) => task.test(line))) return undefined
    if (isExecution(source)) return 'certain'
    const found = phasesOf(source, new Notes())
    if (found.length === 0) return undefined
    const isKnown = found.some(({ fields }) => fields.some(({ name }) => known.test(name)))
    return isKnown || /\/\.ai\/plans\//.test(location) ? 'certain' : 'possible'
  },
  read({ files, location }) {
    const source = new Markdown(files[0]!.text)
    const notes = new Notes()
    if (source.openFence !== undefined)
      notes.unknown('the code block that begins here never ends; nothing below it was read', {
        line: source.openFence + 1,
      })
    const front = readFrontMatter(source, notes)
    const found = phasesOf(source, notes)
    refuseTooMany(found.length)
    const steps = found.length === 0 ? executionSteps(source, front, notes) : phaseSteps(source, found, front, notes)
    if (steps.length === 0) throw new UnreadableSource('it has no heading such as `### Phase 1: Name`', { line: 1 })
    const title = titleOf(source, front, found[0])
    return {
      title: title ?? nameOf(location),
      steps,
      notes: notes.all,
      prose: [keysAsList(front.value, restKeys(front.value, ['title'])), source.rest()].filter(Boolean).join('\n\n'),
    }
  },
}

const known =
  /^(principal owner|owner|agent|goal|dependencies|deps|blast radius|deliverables?|deliver|acceptance criteria|pass when|files to .*)$/

function titleOf(source: Markdown, { value }: FrontMatter, first: Phase | undefined): string | undefined {
  const heading = source
    .headings()
    .find(({ level, index }) => level === 1 && index < (first?.heading.index ?? Infinity))
  const text = heading === undefined ? '' : splitMarks(heading.text).title.replace(/^(implementation )?plan:\s*/i, '')
  // The third shape has no title, only the name of its process.
  if (text !== '' && !/^(planning process|plan|phases)$/i.test(text)) {
    source.take(heading!.index)
    return text
  }
  return textIn(value.title) ?? textIn(value.name)
}

/** Phases have a colon after their number; of several headings with the same number the first is the phase. */
function phasesOf(source: Markdown, notes: Notes): Phase[] {
  const found: Omit<Phase, 'end' | 'fields'>[] = []
  for (const heading of source.headings()) {
    const [, number, name = ''] = phaseHeading.exec(plainText(heading.text)) ?? []
    const line = heading.index + 1
    if (number === undefined || heading.level < 2 || heading.level > 4) {
      if (likePhase.test(heading.text))
        notes.lost(`${quote(heading.text)} looks like a phase and is not one; kept as text`, { line })
      continue
    }
    const first = found.find((each) => each.number === number.toLowerCase())
    if (first === undefined) found.push({ heading, number: number.toLowerCase(), name })
    else
      notes.contradiction(
        `Phase ${number} is there twice; the first, in line ${first.heading.index + 1}, is the phase, this one is kept as text`,
        { line },
      )
  }
  return found.map((phase, at) => {
    const end = Math.min(source.endOf(phase.heading), found[at + 1]?.heading.index ?? source.lines.length)
    return { ...phase, end, fields: fieldsIn(source, phase.heading.index + 1, end) }
  })
}

function phaseSteps(source: Markdown, found: readonly Phase[], front: FrontMatter, notes: Notes): ImportedStep[] {
  const numbers = found.map(({ number }) => number)
  const states = statesOf(source, found, front, notes)
  const doneBoxes: CriterionText[] = []
  const steps = found.map((phase, at): ImportedStep & { readonly number: string } => {
    const line = phase.heading.index + 1
    const field = (...names: string[]): Field | undefined => phase.fields.find(({ name }) => names.includes(name))
    const [owner, goal, type, deps] = [
      field('principal owner', 'owner', 'agent'),
      goalOf(field('goal'), source),
      field('type', 'phase type'),
      field('dependencies', 'deps', 'depends on', 'dependency'),
    ]
    const criteria = field('acceptance criteria', 'pass when', 'criteria')
    const texts = criteria === undefined ? [] : criteriaOf(source, criteria)
    const needs = needsOf(phase, deps, { numbers, at }, notes)
    const kind = /design/i.test(type?.value ?? '')
      ? 'design'
      : /implement/i.test(type?.value ?? '')
        ? 'implementation'
        : undefined
    const read = [
      owner,
      goal,
      kind === undefined ? undefined : type,
      needs.isExact ? deps : undefined,
      texts.length > 0 ? criteria : undefined,
    ]
    const claim = states(phase)
    if (claim.state === 'done') doneBoxes.push(...texts.filter(({ isBox }) => isBox))
    source.take(phase.heading.index, phase.end)
    return {
      number: phase.number,
      id: `phase ${phase.number}`,
      title: splitMarks(phase.name).title || `Phase ${phase.number}`,
      line,
      text: sectionText(source, phase, read),
      needs: needs.numbers?.map((number) => `phase ${number}`),
      owner: owner === undefined ? undefined : plainText(owner.value).replaceAll('`', ''),
      goal: goal === undefined ? undefined : plainText(goal.value),
      phase: kind,
      criteria: texts.map(({ text }) => text),
      ...claim,
    }
  })
  const ticked = doneBoxes.filter(({ isTicked }) => isTicked).length
  if (ticked < doneBoxes.length)
    notes.contradiction(`only ${ticked} of the ${doneBoxes.length} criteria of the phases that are done are ticked`)
  reportGroups(source, found, steps, notes)
  return steps.map(({ number: _number, ...step }) => step)
}

/** A goal of several lines stays text. */
const goalOf = (goal: Field | undefined, source: Markdown): Field | undefined =>
  goal === undefined || goal.value === '' || goal.below.some((index) => /^\s*[^\s|-]/.test(source.visible[index] ?? ''))
    ? undefined
    : goal

function needsOf(
  phase: Phase,
  deps: Field | undefined,
  { numbers, at }: { numbers: readonly string[]; at: number },
  notes: Notes,
): { numbers: readonly string[] | undefined; isExact: boolean } {
  const text = deps === undefined ? '' : deps.value
  if (deps === undefined || text === '') return { numbers: undefined, isExact: true }
  const found = phasesIn(text, numbers, numbers.slice(0, at))
  if (found.isExact) return found
  notes.unknown(
    found.numbers.length === 0
      ? `the dependencies of phase ${phase.number} name no phase: ${quote(text)}; it needs the phase before it`
      : `the dependencies of phase ${phase.number} say more than phases: ${quote(text)}`,
    { line: deps.index + 1 },
  )
  return { numbers: found.numbers.length === 0 ? undefined : found.numbers, isExact: false }
}

interface CriterionText {
  readonly text: string
  readonly isBox: boolean
  readonly isTicked: boolean
}

function criteriaOf(source: Markdown, { value, below }: Field): CriterionText[] {
  const found: CriterionText[] = value === '' ? [] : [{ text: plainText(value), isBox: false, isTicked: false }]
  for (const index of below) {
    const [, box, text] = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/.exec(source.visible[index]!) ?? []
    if (text !== undefined)
      found.push({ text: plainText(text), isBox: box !== undefined, isTicked: /x/i.test(box ?? '') })
  }
  return found
}

/** The section without the fields that became keys of the step. */
function sectionText(source: Markdown, { heading, end }: Phase, read: readonly (Field | undefined)[]): string {
  const gone = new Set(
    read.flatMap((field) => {
      if (field === undefined || !field.isAlone) return []
      const items = field.below.filter((index) => /^\s*(?:[-*+]|\d+[.)])\s/.test(source.visible[index]!))
      return [field.index, ...(/criteria|pass when/.test(field.name) ? items : [])]
    }),
  )
  return source.lines
    .slice(heading.index + 1, end)
    .filter((line, offset) => !gone.has(heading.index + 1 + offset) && !/^---\s*$/.test(line))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function statesOf(
  source: Markdown,
  found: readonly Phase[],
  front: FrontMatter,
  notes: Notes,
): (phase: Phase) => Claim {
  const ofPlan = planStatus(source, found, front)
  const [checkpoints, completed] = [checkpointsIn(source), completedSections(source)]
  const after = ofPlan === undefined ? undefined : planPhase(ofPlan.text)
  if (ofPlan !== undefined && after === undefined)
    notes.unknown(`the status of the plan is ${quote(ofPlan.text)}, which is unknown`, { line: ofPlan.line })
  if (ofPlan !== undefined && /approved|reviewed/i.test(ofPlan.text))
    notes.approval(`the plan is ${quote(ofPlan.text)}; here it needs an approval of its own`, { line: ofPlan.line })
  const numbers = found.map(({ number }) => number)
  const working =
    after === 'at-work' ? phasesIn(ofPlan!.text.replace(/^[^:]*:/, '').replace(/[()]/g, ' '), numbers).numbers : []
  let onlyStatus = false
  const states = new Map(
    found.map((phase) => {
      const { number, heading } = phase
      const line = heading.index + 1
      const status = phase.fields.find(({ name }) => name === 'status')
      const marks = splitMarks(phase.name).marks
      const ofHeading = stateOfMarks(/^~~.*~~$/.test(phase.name.trim()) ? 'REMOVED' : marks)
      const ofStatus = status === undefined ? undefined : stateOfStatus(status.value)
      if (status !== undefined && ofStatus === undefined)
        notes.unknown(`the status of phase ${number} is ${quote(status.value)}, which is unknown`, {
          line: status.index + 1,
        })
      const claims: (Claim | undefined)[] = [
        ofHeading === undefined
          ? undefined
          : { state: ofHeading, why: `its heading says ${marks || 'that it is removed'}` },
        status === undefined ? undefined : { state: ofStatus ?? 'unknown', why: `its status is ${status.value}` },
        checkpoints.get(number),
        completed.get(number),
      ]
      const given = claims.filter((claim) => claim !== undefined)
      const [best] = given
      for (const other of given.slice(1))
        if (best !== undefined && other.state !== best.state)
          notes.contradiction(`phase ${number}: ${best.why} (${best.state}), but ${other.why} (${other.state})`, {
            line,
          })
      if (best !== undefined && ['pending', 'failed', 'unknown'].includes(best.state) && allTicked(source, phase))
        notes.contradiction(`phase ${number}: ${best.why} (${best.state}), but all its criteria are ticked`, { line })
      if (best !== undefined) return [phase, { state: best.state, why: best.why }] as const
      const claim = fromPlan(phase, source, { status: ofPlan?.text, after, working, numbers })
      if (after === 'after') onlyStatus = true
      const isTicked = allTicked(source, phase)
      if (isTicked && claim.state === 'pending')
        notes.contradiction(
          `all criteria of phase ${number} are ticked, but the plan is ${quote(ofPlan?.text ?? '')}`,
          { line },
        )
      return [phase, claim] as const
    }),
  )
  if (onlyStatus && ofPlan !== undefined)
    notes.unknown(`only the status of the plan (${ofPlan.text}) says that its phases are done`, { line: ofPlan.line })
  const isKept = (number: string): boolean =>
    found.some((phase) => phase.number === number && states.get(phase)?.state !== 'dropped')
  reportRemoved(source, found, isKept, notes)
  return (phase) => states.get(phase)!
}

function fromPlan(
  phase: Phase,
  source: Markdown,
  plan: {
    status: string | undefined
    after: ReturnType<typeof planPhase>
    working: readonly string[]
    numbers: readonly string[]
  },
): Claim {
  const why = plan.status === undefined ? 'nothing' : `the status of the plan is ${plan.status}`
  const claim = (state: ImportedState): Claim => ({ state, why })
  if (plan.after === 'after') return claim('done')
  if (plan.after === 'before') return { state: 'pending', why: '' }
  const last = Math.max(-1, ...plan.working.map((number) => plan.numbers.indexOf(number)))
  if (plan.after === 'at-work' && last >= 0 && plan.numbers.indexOf(phase.number) > last)
    return { state: 'pending', why: '' }
  if (allTicked(source, phase)) return { state: 'done', why: 'all its criteria are ticked' }
  return plan.status === undefined ? { state: 'pending', why: '' } : claim('unknown')
}

function allTicked(source: Markdown, { fields }: Phase): boolean {
  const field = fields.find(({ name }) => /criteria|pass when/.test(name))
  const boxes = field === undefined ? [] : criteriaOf(source, field).filter(({ isBox }) => isBox)
  return boxes.length > 0 && boxes.every(({ isTicked }) => isTicked)
}

function planStatus(
  source: Markdown,
  found: readonly Phase[],
  front: FrontMatter,
): { text: string; line: number | undefined } | undefined {
  const given = textIn(front.value.status)
  const field = fieldsIn(source, source.start, found[0]?.heading.index ?? 0).find(({ name }) => name === 'status')
  if (field !== undefined && field.value !== '') return { text: plainText(field.value), line: field.index + 1 }
  return given === undefined ? undefined : { text: given, line: front.line(['status']) }
}

/** A review may remove or defer a phase and leave its section whole. */
function reportRemoved(
  source: Markdown,
  found: readonly Phase[],
  isKept: (number: string) => boolean,
  notes: Notes,
): void {
  const isInPhase = (index: number): boolean => found.some(({ heading, end }) => index > heading.index && index < end)
  const pattern = new RegExp(
    `\\bphase (${phaseNumber})\\b[^.|]{0,80}\\b(removed|deferred|dropped|postponed|descoped|cut from)\\b`,
    'i',
  )
  for (const [index, text] of source.visible.entries()) {
    const [, number, word] = pattern.exec(text) ?? []
    if (number === undefined || isInPhase(index) || !isKept(number.toLowerCase())) continue
    notes.contradiction(`phase ${number} is said to be ${word}, but its section is there; it is carried over`, {
      line: index + 1,
    })
  }
}
