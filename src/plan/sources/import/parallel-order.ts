// The order of tasks in a list where some are marked as parallel: neighbours with the mark run together, all others in turn.

import type { ImportedStep } from './format.ts'
import type { Notes } from './notes.ts'

export interface ListedTask {
  readonly id: string
  readonly isParallel: boolean
  /** Tasks of different groups never run together. */
  readonly group: string
  /** Files that it names: tasks that name the same file run one after the other. */
  readonly files?: readonly string[]
}

/** Later tasks of the same id get another, or the order would name the first one. */
export function withUniqueIds<T extends ListedTask & { readonly step: ImportedStep }>(
  tasks: readonly T[],
  notes: Notes,
): T[] {
  const first = new Map<string, ImportedStep>()
  return tasks.map((task) => {
    const { id, step } = task
    const before = first.get(id)
    if (before === undefined) {
      first.set(id, step)
      return task
    }
    notes.contradiction(`the id ${id} is used twice (first in line ${before.line}); needs refer to the first`, step)
    let number = 2
    while (first.has(`${id} (${number})`)) number++
    const own = { ...step, id: `${id} (${number})` }
    first.set(own.id, own)
    return { ...task, id: own.id, step: own }
  })
}

/** The tasks that come before each one. */
export function orderOf<T extends ListedTask>(tasks: readonly T[]): ReadonlyMap<T, readonly string[]> {
  const result = new Map<T, readonly string[]>()
  let before: T[] = []
  let together: T[] = []
  for (const task of tasks) {
    const [last] = together
    const joins = task.isParallel && last?.isParallel === true && last.group === task.group
    if (!joins) {
      if (together.length > 0) before = together
      together = []
    }
    const rivals = together.filter(({ files = [] }) => files.some((file) => task.files?.includes(file)))
    result.set(
      task,
      [...before, ...rivals].map(({ id }) => id),
    )
    together.push(task)
  }
  return result
}
