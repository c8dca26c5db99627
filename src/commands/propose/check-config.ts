// Checks a configuration before it is in force: its format and its own examples.

import { PlanError } from '../../errors.ts'
import { Repository } from '../../git/repository.ts'
import type { PlanConfig } from '../../plan/config/config.ts'
import type { Finding } from '../../plan/model/finding.ts'
import { readConfig } from '../../plan/config/read-config.ts'
import { gitEnvironment } from '../../process/environment.ts'
import type { CheckData } from './check.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { findPlanInput, type PlanInput } from '../../operation/read-plan-input.ts'
import { safetyLine, wrongEntries } from '../../operation/safety.ts'

/**
 * Returns the input if it is a configuration: YAML without front matter. A file with fences is a plan, whatever its
 * name.
 */
export async function findConfig(name: string | undefined, context: CommandContext): Promise<PlanInput | undefined> {
  if (name === undefined || !/\.ya?ml$/i.test(name)) return undefined
  const found = await findPlanInput(name, context)
  return found === undefined || isFenced(found.bytes) ? undefined : found
}

const isFenced = (bytes: Uint8Array): boolean =>
  /^---\r?\n[^]*?\n---[ \t]*(\r?\n|$)/.test(Buffer.from(bytes).toString())

export async function judgeConfig({ bytes, file }: PlanInput): Promise<CommandResult<CheckData>> {
  const read = readConfig(bytes, file)
  const findings = read.ok ? await safetyFindings(read.config, { bytes, file }) : read.findings
  const isValid = findings.length === 0
  const data = {
    file,
    what: 'configuration',
    valid: isValid,
    findings,
    id: null,
    digest: null,
    risk: null,
    reasons: [],
    steps: [],
  } as const
  return { kind: 'check', exitCode: isValid ? 0 : 2, data }
}

const safetyFindings = async (
  { safety }: PlanConfig,
  { bytes, file }: Pick<PlanInput, 'bytes' | 'file'>,
): Promise<Finding[]> =>
  Promise.all(
    (await wrongEntries(safety)).map(async ({ index, problem }) => ({
      rule: 'untrue-example',
      severity: 'error' as const,
      message: `safety: ${problem}`,
      file,
      line: await safetyLine(bytes, index),
    })),
  )

/**
 * Returns the top of the repository, if there is one. Its settings are not read: the ones in force may be what is being
 * repaired.
 */
export async function repositoryTop(context: CommandContext): Promise<string | undefined> {
  try {
    const repo = await Repository.openAny({ cwd: context.cwd, env: gitEnvironment(context.env) })
    repo.close()
    return repo.root
  } catch (error) {
    if (error instanceof PlanError && error.code === 'not-a-repository') return undefined
    throw error
  }
}
