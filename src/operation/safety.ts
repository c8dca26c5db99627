// `safety` in the configuration is used only where its own examples are what it says they are.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import type { SafetySetting } from '../plan/config/config.ts'
import { readYaml } from '../plan/file/yaml.ts'
import { correctionOf, type Settings } from './settings.ts'

export async function refuseUntrueSafety(
  repo: Repository,
  { config: { safety }, dir, policyRef }: Settings,
): Promise<void> {
  const [first] = await untrueExamples(safety)
  if (first === undefined) return
  const file = `${dir}/config.yml`
  const line = safetyLine((await repo.readBlob(`${policyRef}:${file}`)) ?? Buffer.alloc(0), first.index)
  throw new PlanError(
    'invalid-plan',
    `${file} on ${policyRef} is not valid: line ${line}: safety: the example ${first.problem}`,
    {
      hint: correctionOf(file, policyRef),
    },
  )
}

/** Entries with an example that is not what it is said to be, each with the first. */
export async function untrueExamples(
  safety: readonly SafetySetting[],
): Promise<{ readonly index: number; readonly problem: string }[]> {
  if (safety.length === 0) return []
  const { safetyProblems } = await import('../judge/shell/classify.ts')
  return safety.flatMap((_, index) => {
    // The others count as well, but for what they say about themselves.
    const [problem] = safetyProblems(
      safety.map(({ examples, ...entry }, at) =>
        at === index && examples !== undefined ? { ...entry, examples } : entry,
      ),
    )
    return problem === undefined ? [] : [{ index, problem }]
  })
}

export function safetyLine(bytes: Uint8Array, index: number): number {
  const read = readYaml(new TextDecoder().decode(bytes), { offset: 0, line: 0 })
  return read.ok ? read.yaml.position(['safety', index]).line : 1
}
