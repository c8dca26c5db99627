// What to do about a step that was ended because it took too much.

import type { FailReason } from './fail-reason.ts'

/** undefined: the failure is of another kind. */
export function limitAdvice(reason: FailReason, plan: string, step: string): string | undefined {
  const key = {
    timeout: '`timeout`',
    'plan-timeout': '`limits.plan_timeout` in .plans/config.yml',
    'cpu-limit': '`limits.cpu`',
    'memory-limit': '`limits.memory`',
    'output-limit': '`limits.output`',
    idle: '`idle`',
    'agent-limit': '`turns` or `cost`',
  }[reason as string]
  if (key === undefined) return undefined
  const where = `git plan log ${plan} --output ${step}`
  return reason === 'plan-timeout'
    ? `raise ${key}, or continue with \`git plan resume ${plan}\`; its output: ${where}`
    : `split the step, or raise its ${key} with \`git plan edit ${plan}\`; its output: ${where}`
}
