// `safety` in the configuration takes effect only for programs that the tables do not know, and only if its own examples
// are classified as it claims.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import type { SafetySetting } from '../plan/config/config.ts'
import { correctionHint, type Settings } from './settings.ts'

export async function refuseWrongSafety(
  repo: Repository,
  { config: { safety }, dir, policyRef }: Settings,
): Promise<void> {
  const [first] = await wrongEntries(safety)
  if (first === undefined) return
  const file = `${dir}/config.yml`
  const line = await safetyLine((await repo.readBlob(`${policyRef}:${file}`)) ?? Buffer.alloc(0), first.index)
  throw new PlanError('invalid-plan', `${file} on ${policyRef} is not valid: line ${line}: safety: ${first.problem}`, {
    hint: correctionHint(file, policyRef),
  })
}

/** Returns the entries that must not be used, each with its first problem. */
export async function wrongEntries(
  safety: readonly SafetySetting[],
): Promise<{ readonly index: number; readonly problem: string }[]> {
  if (safety.length === 0) return []
  const { safetyProblems } = await import('../judge/shell/classify.ts')
  return safety.flatMap((entry, index) => {
    const [problem] = safetyProblems([entry], safety)
    return problem === undefined ? [] : [{ index, problem }]
  })
}

export async function safetyLine(bytes: Uint8Array, index: number): Promise<number> {
  const { readYaml } = await import('../plan/file/yaml.ts')
  const read = readYaml(new TextDecoder().decode(bytes), { offset: 0, line: 0 })
  return read.ok ? read.yaml.position(['safety', index]).line : 1
}
