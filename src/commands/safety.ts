// `safety` in the configuration is used only where its own examples are what it says they are.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import type { Settings } from './settings.ts'

export async function refuseUntrueSafety(repo: Repository, { config: { safety }, dir, policyRef }: Settings): Promise<void> {
  if (safety.length === 0) return
  const { safetyProblems } = await import('../shell/classify.ts')
  for (const index of safety.keys()) {
    // The others count as well, but for what they say about themselves.
    const [problem] = safetyProblems(safety.map(({ examples, ...entry }, at) => (at === index && examples !== undefined ? { ...entry, examples } : entry)))
    if (problem === undefined) continue
    const file = `${dir}/config.yml`
    const line = await lineOf(repo, `${policyRef}:${file}`, index)
    throw new PlanError('invalid-plan', `${file} on ${policyRef} is not valid: line ${line}: safety: the example ${problem}`, {
      hint: `correct ${file} on ${policyRef}`,
    })
  }
}

async function lineOf(repo: Repository, blob: string, index: number): Promise<number> {
  const bytes = await repo.readBlob(blob)
  const { readYaml } = await import('../plan/yaml.ts')
  const read = readYaml(new TextDecoder().decode(bytes), { offset: 0, line: 0 })
  return read.ok ? read.yaml.place(['safety', index]).line : 1
}
