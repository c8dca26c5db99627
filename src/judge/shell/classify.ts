// Classifies a command as READ or WRITE. READ only if every part of it is known to read; anything unknown, unusual or
// broken is WRITE.

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

/** One sentence per example that is classified differently. An entry with such an example must not be used. */
export function safetyProblems(safety: readonly SafetyEntry[]): string[] {
  const expected = safety.flatMap(({ examples }) => [
    ...(examples?.read ?? []).map((command) => ({ command, class: 'READ' as const })),
    ...(examples?.write ?? []).map((command) => ({ command, class: 'WRITE' as const })),
  ])
  return expected.flatMap((each) => {
    const { class: found, reason } = classifyCommand(each.command, safety)
    return found === each.class ? [] : [`${JSON.stringify(each.command)} is ${found}, not ${each.class}: ${reason}`]
  })
}
