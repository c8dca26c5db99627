// `safety` in the configuration takes effect only if its own examples are classified as it claims.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import type { SafetySetting } from '../plan/config/config.ts'
import { correctionHint, type Settings } from './settings.ts'

export async function refuseWrongSafety(
  repo: Repository,
  { config: { safety }, dir, policyRef }: Settings,
): Promise<void> {
  const [first] = await wrongExamples(safety)
  if (first === undefined) return
  const file = `${dir}/config.yml`
  const line = await safetyLine((await repo.readBlob(`${policyRef}:${file}`)) ?? Buffer.alloc(0), first.index)
  throw new PlanError(
    'invalid-plan',
    `${file} on ${policyRef} is not valid: line ${line}: safety: the example ${first.problem}`,
    {
      hint: correctionHint(file, policyRef),
    },
  )
}

/** Returns the entries with an example that is not classified as claimed, each with its first such example. */
export async function wrongExamples(
  safety: readonly SafetySetting[],
): Promise<{ readonly index: number; readonly problem: string }[]> {
  if (safety.length === 0) return []
  const { safetyProblems } = await import('../judge/shell/classify.ts')
  return safety.flatMap((_, index) => {
    // The other entries apply too, but their own examples are left out.
    const [problem] = safetyProblems(
      safety.map(({ examples, ...entry }, at) =>
        at === index && examples !== undefined ? { ...entry, examples } : entry,
      ),
    )
    return problem === undefined ? [] : [{ index, problem }]
  })
}

export async function safetyLine(bytes: Uint8Array, index: number): Promise<number> {
  const { readYaml } = await import('../plan/file/yaml.ts')
  const read = readYaml(new TextDecoder().decode(bytes), { offset: 0, line: 0 })
  return read.ok ? read.yaml.position(['safety', index]).line : 1
}
