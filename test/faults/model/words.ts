// Types that the model, the real repository and the machine share: steps, commands, files.

export type Files = Readonly<Record<string, string>>
export interface Change {
  readonly base: Files
  readonly files: Files
}

/**
 * A run step (an external effect is one, too) fails until it has run more than `fails` times, or was marked outside the
 * repository.
 */
export interface Step {
  /** s1, s2, … */
  readonly id: string
  readonly kind: 'create' | 'run' | 'external' | 'manual' | 'gate'
  readonly needs: readonly string[]
  readonly text: string
  readonly fails: number
  /** exit, killed: half-way; late: with everything done; verify: by its check alone. */
  readonly failsBy: 'exit' | 'killed' | 'late' | 'verify'
  readonly retries: number
  readonly allowFailure: boolean
  readonly pause: boolean
  readonly idempotent: boolean
  readonly probe: boolean
  readonly undo: boolean
}

/**
 * Steps and commits are numbers, counted round: a sequence makes sense with any plan, and still does when it shrinks.
 */
export type Command =
  | { readonly kind: 'start' | 'race'; readonly approve: boolean }
  | Resume
  | Rollback
  | { readonly kind: 'replan'; readonly how: Revision }
  | { readonly kind: 'edit' | 'commit'; readonly file: string; readonly text: string | undefined }
  | { readonly kind: 'reset'; readonly back: number }
  | { readonly kind: 'mark'; readonly step: number }
  | { readonly kind: 'cancel' | 'clean' | 'switch' | 'clone' }

export interface Resume {
  readonly kind: 'resume'
  readonly how: 'plain' | 'retry' | 'from-attempt' | 'skip' | 'done' | 'fix'
  readonly step: number
  readonly attempt: number
  readonly approve: boolean
}
export interface Rollback {
  readonly kind: 'rollback'
  readonly how: 'last' | 'to' | 'all' | 'undo'
  readonly step: number
  readonly keep: boolean
}
export type Revision = 'append' | 'change' | 'drop' | 'same'

/** What the user's branch has. */
export const base: Files = { '.gitignore': '*.log\n', 'a.txt': 'hello\n' }

const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (isMap(each) ? Object.entries(each).toSorted() : each))
export const isSame = (a: unknown, b: unknown): boolean => sorted(a) === sorted(b)

export const changed = (from: Files, to: Files): string[] =>
  [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((name) => from[name] !== to[name])
export const only = <T>(
  map: Readonly<Record<string, T>>,
  isWanted: (name: string, value: T) => boolean,
): Record<string, T> => Object.fromEntries(Object.entries(map).filter(([name, value]) => isWanted(name, value)))
export const put = (files: Files, more: Readonly<Record<string, string | undefined>>): Files =>
  only({ ...files, ...more }, (_, text) => text !== undefined) as Files
/** What was changed somewhere else, changed here as well. */
export const patched = (files: Files, { base, files: saved }: Change): Files =>
  put(files, Object.fromEntries(changed(base, saved).map((name) => [name, saved[name]])))

/** Counted round. */
export const nth = <T>(all: readonly T[], index: number): T => all[index % all.length]!

/** One more step, or another text for the last one, or without it. */
export function revised(steps: readonly Step[], how: Revision): readonly Step[] {
  const last = steps.at(-1)!
  const added = { ...last, id: `s${Number(last.id.slice(1)) + 1}`, kind: 'create' as const, needs: [last.id] }
  const ways = {
    append: [...steps, added],
    change: [...steps.slice(0, -1), { ...last, text: `${last.text}more\n` }],
    drop: steps.slice(0, -1),
    same: steps,
  }
  return ways[how].length === 0 ? steps : ways[how]
}
