// The order of tasks in a list where some are marked as parallel: neighbours with the mark run together, all others in turn.

export interface ListedTask {
  readonly id: string
  readonly isParallel: boolean
  /** Tasks of different groups never run together. */
  readonly group: string
  /** Files that it names: tasks that name the same file run one after the other. */
  readonly files?: readonly string[]
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
