// Findings in the format of compilers, so that editors can jump to them.

import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { Finding } from '../../../plan/model/finding.ts'
import type { Style } from '../style.ts'

export function findingLines(findings: readonly Finding[], style: Style): string[] {
  return findings.flatMap((finding) => {
    const position = positionOf(finding)
    const severity =
      finding.severity === 'error'
        ? style.red('error')
        : finding.severity === 'warning'
          ? style.yellow('warning')
          : 'info'
    const line = `${position === '' ? '' : `${style.bold(position)}: `}${severity}: ${escapeForTerminal(finding.message)} ${style.dim(`(${escapeForTerminal(finding.rule)})`)}`
    return finding.advice === undefined ? [line] : [line, `  ${escapeForTerminal(finding.advice)}`]
  })
}

function positionOf({ file, line, column, step }: Finding): string {
  const where = [
    file === undefined ? undefined : escapeForTerminal(file),
    line,
    line === undefined ? undefined : column,
  ]
    .filter((part) => part !== undefined)
    .join(':')
  return where !== '' ? where : step === undefined ? '' : `step ${escapeForTerminal(step)}`
}
