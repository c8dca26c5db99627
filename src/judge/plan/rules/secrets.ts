// Secrets in the plan file, which is committed, pushed and reviewed by many.

import type { Finding } from '../../../plan/model/finding.ts'
import type { Plan, Step } from '../../../plan/model/plan.ts'
import { findSecrets } from '../../../secrets/find-secrets.ts'
import { verbOf } from '../../../plan/verbs/index.ts'
import type { PlanFacts } from '../check-plan.ts'
import { stepPosition } from '../source-position.ts'

const advice = 'name an environment variable in `secrets` instead, and rotate the secret if it was committed or shown'

export async function secrets(plan: Plan, facts: PlanFacts): Promise<Finding[]> {
  const { text } = facts
  if (text === undefined) return []
  const secretFinding = (message: string): Pick<Finding, 'rule' | 'severity' | 'message' | 'advice'> => ({
    rule: 'secret',
    severity: 'error',
    message: `the plan contains a secret: ${message}`,
    advice,
  })
  const found = (await findSecrets(text, facts.file)).map(({ message, line, column }): Finding => {
    const step = stepAt(plan, facts, line)
    return {
      ...secretFinding(message),
      file: facts.file,
      line,
      column,
      ...(step === undefined ? {} : { step: step.id }),
    }
  })
  // The values of each step without the indentation of the plan file, and as the file that they become.
  for (const step of plan.steps) {
    const verb = verbOf(step)
    // The name of an existing file does not make its edits secret, so paths apply to new files only.
    const [path = facts.file] = verb.content === undefined ? [] : verb.paths(step.spec).writes
    for (const [key, written] of textsIn(step.spec)) {
      if (found.some((finding) => finding.step === step.id)) continue
      const [first] = await findSecrets(written, path)
      if (first !== undefined) found.push({ ...secretFinding(first.message), ...stepPosition(plan, facts, step, key) })
    }
  }
  return found
}

/** Every text in the keys of a verb, with its key. */
const textsIn = (spec: unknown, key = ''): (readonly [string, string])[] =>
  typeof spec === 'string'
    ? [[key, spec]]
    : typeof spec === 'object' && spec !== null
      ? Object.entries(spec).flatMap(([name, value]) => textsIn(value, key || name))
      : []

/** The step that a line of the file belongs to; undefined after the front matter. */
function stepAt(plan: Plan, { position, text = '' }: PlanFacts, line: number): Step | undefined {
  const proseLines = plan.prose === '' ? 0 : plan.prose.split('\n').length
  if (line > text.split('\n').length - proseLines) return undefined
  return plan.steps.findLast((_, index) => (position?.(['steps', index]).line ?? Number.POSITIVE_INFINITY) <= line)
}
