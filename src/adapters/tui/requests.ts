// What a key asks for, as the command line that a person would type. Questions that a command asks by itself are left to
// it; here is what has to be known before it can be typed, and what a single key should not do by accident.

import type { StatusData } from '../../commands/inspect/status.ts'

export interface Request {
  /** The words after `git plan`. */
  readonly words: readonly string[]
  /** A command line that shows what would happen. If it is refused, nothing else is done. */
  readonly preview?: readonly string[]
  /** Asked first; only yes performs it. */
  readonly confirm?: string
  /** A line of text that is asked for. Empty: without it. */
  readonly ask?: { readonly question: string; readonly words: (answer: string) => readonly string[] }
}

/** What a request may be about. */
export interface Subject {
  readonly plan: string
  /** In the list, not all of it is known. */
  readonly known: Partial<Pick<StatusData, 'status' | 'digest' | 'progress'>>
  /** Where a step is selected. */
  readonly step: { readonly id: string; readonly isDone: boolean } | undefined
}

export type RequestName = keyof typeof requests

const reason = (question: string): NonNullable<Request['ask']> => ({ question, words: (why) => [`--message=${why}`] })
const begun: ReadonlySet<string | undefined> = new Set(['active', 'waiting', 'failed', 'completed'])

export const requests = {
  output: ({ plan, step }: Subject) => (step === undefined ? undefined : { words: ['log', plan, '--output', step.id] }),
  // A step that is not done has no commit, but its attempts may have left changes.
  diff: ({ plan, step }: Subject) => ({
    words:
      step === undefined
        ? ['diff', plan]
        : step.isDone
          ? ['diff', plan, step.id]
          : ['attempts', plan, '--show', step.id],
  }),
  'whole-diff': ({ plan }: Subject) => ({ words: ['diff', plan] }),
  attempts: ({ plan, step }: Subject) => ({
    words: ['attempts', plan, ...(step === undefined ? [] : ['--show', step.id])],
  }),
  text: ({ plan }: Subject) => ({ words: ['show', plan] }),
  log: ({ plan }: Subject) => ({ words: ['log', plan] }),
  report: ({ plan }: Subject) => ({ words: ['report', plan] }),
  approve: ({ plan }: Subject) => ({ words: ['approve', plan] }),
  reject: ({ plan, known }: Subject) => ({
    words: ['reject', plan, ...(known.digest === undefined ? [] : ['--digest', known.digest])],
    ask: reason('Why not? (Enter: no reason)'),
  }),
  run: ({ plan, known }: Subject) => ({ words: [begun.has(known.status) ? 'resume' : 'start', plan] }),
  retry: ({ plan, step }: Subject) =>
    step === undefined ? undefined : { words: ['resume', plan, '--retry', step.id] },
  skip: ({ plan, step }: Subject) =>
    step === undefined
      ? undefined
      : {
          words: ['resume', plan, '--skip', step.id],
          ask: reason(`Why is ${step.id} skipped? (Enter: no reason)`),
        },
  edit: ({ plan }: Subject) => ({ words: ['edit', plan] }),
  clone: ({ plan }: Subject) => ({
    words: ['clone', plan],
    ask: { question: 'Which id? (Enter: the old one with a number)', words: (id: string) => [id] },
  }),
  rollback: ({ plan, step }: Subject) =>
    step === undefined ? rollback(plan, []) : step.isDone ? rollback(plan, ['--to', step.id]) : undefined,
  'rollback-all': ({ plan }: Subject) => rollback(plan, ['--all']),
  undo: ({ plan }: Subject) => rollback(plan, ['--undo']),
  finish: ({ plan }: Subject) => ({ words: ['finish', plan], confirm: `Finish ${plan}?` }),
  cancel: ({ plan }: Subject) => ({
    words: ['cancel', plan],
    confirm: `Cancel ${plan}? A cancelled plan cannot be resumed unless the cancellation is undone.`,
    ask: reason('Why? (Enter: no reason)'),
  }),
  delete: ({ plan }: Subject) => ({
    words: ['delete', plan],
    confirm: `Delete ${plan}, its branch and its records?`,
  }),
} satisfies Readonly<Record<string, (subject: Subject) => Request | undefined>>

const rollback = (plan: string, to: readonly string[]): Request => ({
  words: ['rollback', plan, ...to],
  preview: ['rollback', plan, ...to, '--dry-run'],
  confirm: to.includes('--undo') ? 'Undo it?' : 'Roll back?',
})
