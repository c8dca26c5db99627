// Classifies a command as READ or WRITE. READ only if every part of it is known to read; anything unknown, unusual or
// broken is WRITE.

import { declarationProblem } from './declarable.ts'
import { TreeJudge } from './judge.ts'
import { registryOf, type SafetyEntry } from './registry.ts'
import { excerpt, type Rule } from './verdict.ts'

export interface Classification {
  readonly class: 'READ' | 'WRITE'
  /** One line: the programs that it runs, or why it may write. */
  readonly reason: string
}

/**
 * Programs in the tables that read settings from their working directory. The user's own repository is trusted with
 * them, but `cd` may enter another one.
 */
const readsDirectory = new Set(['git', 'git-plan', 'npm', 'ack'])

/** `rules`: for programs that may do more than read in some circumstances; they replace the rules of the tables. */
export function classifyCommand(
  text: string,
  safety: readonly SafetyEntry[] = [],
  rules: Readonly<Record<string, Rule>> = {},
): Classification {
  const registry = registryOf(safety)
  const judge = new TreeJudge(registry, rules)
  const problem = judgeSafely(() => judge.script(text))
  const bound = [...judge.programs].find(
    (name) => readsDirectory.has(name) || registry.some(({ tool }) => tool[0] === name),
  )
  if (problem !== undefined) return { class: 'WRITE', reason: excerpt(problem, 120) }
  const entered = ['cd', 'pushd', 'popd'].find((name) => judge.programs.has(name))
  if (entered !== undefined && bound !== undefined)
    return { class: 'WRITE', reason: `${entered}: the settings that ${bound} finds there may run programs` }
  const programs = [...judge.programs]
  const list = excerpt(programs.join(', '))
  return {
    class: 'READ',
    reason: programs.length === 0 ? 'nothing is run' : `${list} ${programs.length === 1 ? 'only reads' : 'only read'}`,
  }
}

/** An exception is a bug here or in the parser. A command that provokes one must not be READ. */
function judgeSafely(judge: () => string | undefined): string | undefined {
  try {
    return judge()
  } catch {
    return 'the command cannot be judged'
  }
}

/**
 * One sentence per entry for a program that the tables know, and per example that is classified differently. Such an
 * entry must not be used. `all`: the entries that apply.
 */
export function safetyProblems(safety: readonly SafetyEntry[], all: readonly SafetyEntry[] = safety): string[] {
  const undeclarable = safety.flatMap((entry) => declarationProblem(entry) ?? [])
  if (undeclarable.length > 0) return undeclarable
  const expected = safety.flatMap(({ examples }) => [
    ...(examples?.read ?? []).map((command) => ({ command, class: 'READ' as const })),
    ...(examples?.write ?? []).map((command) => ({ command, class: 'WRITE' as const })),
  ])
  return expected.flatMap((each) => {
    const { class: found, reason } = classifyCommand(each.command, all)
    const example = `the example ${JSON.stringify(each.command)}`
    return found === each.class ? [] : [`${example} is ${found}, not ${each.class}: ${reason}`]
  })
}
