// The outcome as Markdown. Text of the plan is escaped: a title must not become a link or a heading of the pull request it lands in.

import type { CommandResult } from '../../commands/context.ts'
import type { ReportData } from '../../commands/report.ts'
import { plainLine } from '../../plan/display.ts'
import type { FileChange } from '../../report/changes.ts'
import { duration, moment, short } from './duration.ts'
import { seenText } from './paint.ts'

export function printReport({ data }: CommandResult<ReportData>): string {
  const { plan, files, totals } = data
  const lines = [
    `# ${escaped(plan.title)}`,
    '',
    `- plan: \`${plan.id}\`, ${seenText(plan)}`,
    `- progress: ${plan.progress.done} of ${plan.progress.total} steps done`,
    `- outcome: ${plan.outcome ?? 'open'}`,
    `- tip: \`${plan.tip}\`${plan.base === null ? '' : `, base: ${escaped(plan.base)}`}`,
    `- digest: \`${plan.digest}\``,
    `- risk: ${plan.risk}; approval: ${plan.approval.state}${plan.approval.by === null ? '' : ` by ${escaped(plan.approval.by)}`}`,
    `- created ${moment(plan.createdAt)}${plan.startedAt === null ? '' : `, started ${moment(plan.startedAt)}`}${plan.endedAt === null ? '' : `, ended ${moment(plan.endedAt)}`}; steps took ${duration(data.workedMs)}`,
    '',
    '## Steps',
    '',
    '| step | status | took | commit | what |',
    '| --- | --- | --- | --- | --- |',
    ...plan.steps.map(
      (step) =>
        `| ${step.id} | ${step.seen} | ${step.durationMs === null ? '' : duration(step.durationMs)} | ${short(step.commit)} | ${escaped(step.title)}${step.error === null ? '' : `: ${escaped(step.error)}`} |`,
    ),
    '',
    '## Files',
    '',
    `${totals.created} created, ${totals.modified} modified, ${totals.deleted} deleted; ${totals.added} lines added, ${totals.removed} removed`,
    ...(files.length === 0 ? [] : ['', '| file | change | added | removed |', '| --- | --- | --- | --- |', ...files.map(fileRow)]),
  ]
  if (data.checks.length > 0) lines.push('', '## Checks', '', ...data.checks.map((check) => `- ${check.step}: ${escaped(check.verified)}`))
  if (plan.attempts.length > 0)
    lines.push(
      '',
      '## Attempts',
      '',
      ...plan.attempts.map(
        (attempt) => `- ${attempt.step}, attempt ${attempt.number}, ${moment(attempt.at)}: ${escaped(attempt.reason ?? 'no reason recorded')}`,
      ),
    )
  if (plan.rollbacks.length > 0)
    lines.push(
      '',
      '## Rollbacks',
      '',
      ...plan.rollbacks.map(
        (each) =>
          `- ${each.event}, ${moment(each.at)}, by ${escaped(each.by)}: from \`${short(each.from)}\` to \`${short(each.to)}\`${each.reason === null ? '' : `: ${escaped(each.reason)}`}`,
      ),
    )
  if (plan.effects.length > 0)
    lines.push('', '## External effects', '', ...plan.effects.map((effect) => `- ${effect.step}, ${effect.number}: ${effect.state} (${moment(effect.at)})`))
  return `${lines.join('\n')}\n`
}

const fileRow = (file: FileChange): string => `| ${escaped(file.path)} | ${file.change} | ${file.added ?? 'binary'} | ${file.removed ?? 'binary'} |`

const escaped = (text: string): string =>
  plainLine(text).replace(/[\\`*_{}[\]<>|#~@]/g, (character) => (character === '<' ? '&lt;' : character === '>' ? '&gt;' : `\\${character}`))
