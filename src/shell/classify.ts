// A command → whether it only reads. It is READ only where all of it is known to; whatever is unknown, unusual or broken is WRITE.

import { TreeJudge } from './judge.ts'
import { registryOf, type SafetyEntry } from './registry.ts'
import { excerpt } from './verdict.ts'

export interface Classification {
  readonly class: 'READ' | 'WRITE'
  /** One line: what it runs, or what speaks against it. */
  readonly reason: string
}

/** Programs of our tables that take settings from the directory that they run in. The user's own repository is trusted with them; another one may be entered. */
const readsDirectory = new Set(['git', 'npm', 'ack'])

export function classifyCommand(text: string, safety: readonly SafetyEntry[] = []): Classification {
  const registry = registryOf(safety)
  const judge = new TreeJudge(registry)
  const problem = judged(() => judge.script(text))
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

/** An exception here is a bug of ours or of the parser, and a command that provokes one is no reader. */
function judged(judge: () => string | undefined): string | undefined {
  try {
    return judge()
  } catch {
    return 'it cannot be judged'
  }
}

/** Examples that are not what they are said to be: each as a sentence. An entry with one must not be used. */
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
