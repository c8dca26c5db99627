// Reports errors as text or JSON. Every refusal ends with the command to type next; a stack trace needs --debug.

import { PlanError, toMachineError } from '../../errors.ts'
import { escapeForTerminal } from '../../plan/text/display.ts'
import type { Finding } from '../../plan/model/finding.ts'
import { maskValues } from '../../secrets/masked.ts'
import { maskTokens } from '../../secrets/mask.ts'
import { jsonLine } from './json.ts'
import { findingLines } from './print/findings.ts'
import type { Style } from './style.ts'

export interface ErrorReport {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Masks tokens and passwords in the message, wherever they come from. */
export function reportError(
  error: unknown,
  options: { json: boolean; debug: boolean; style: Style; version: string },
): ErrorReport {
  const report = describeError(error, options)
  return { ...report, stderr: maskTokens(report.stderr) }
}

function describeError(
  error: unknown,
  options: { json: boolean; debug: boolean; style: Style; version: string },
): ErrorReport {
  const refusal = toMachineError(error)
  const known = refusal instanceof PlanError ? refusal : undefined
  const exitCode = known?.exitCode ?? 70
  const stack = options.debug && error instanceof Error ? `${safe(error.stack ?? '')}\n` : ''
  const findings = maskValues(known === undefined ? [] : findingsOf(known))
  if (options.json) {
    const message = error instanceof Error ? error.message : String(error)
    const report = {
      schemaVersion: 1,
      kind: 'error',
      code: known?.code ?? 'bug',
      message,
      hint: known?.hint ?? null,
      exitCode,
      ...(findings.length === 0 ? {} : { findings }),
      facts: known === undefined ? {} : factsFor(known),
    }
    return { exitCode, stdout: jsonLine(maskValues(report)), stderr: stack }
  }
  const lines =
    known === undefined
      ? bugLines(error, options)
      : [
          `${options.style.red('git plan:')} ${safe(known.message)}`,
          ...unsaidLines(findings, known.message, options.style),
        ]
  if (known?.hint !== undefined)
    lines.push(`${options.style.bold('Hint:')} ${safe(known.hint).replaceAll('\n', '\n      ')}`)
  return { exitCode, stdout: '', stderr: `${lines.join('\n')}\n${stack}` }
}

/** Of a finding that the message quotes, only the advice is new. */
const unsaidLines = (findings: readonly Finding[], said: string, style: Style): string[] =>
  findings.flatMap((finding) =>
    findingLines([finding], style).slice(finding.message !== '' && said.includes(finding.message) ? 1 : 0),
  )

/** Masks before escaping: a color code inside a token, once escaped, would split it and hide it from masking. */
const safe = (text: string): string => escapeForTerminal(maskTokens(text), { multiline: true })

/** For programs: until when to wait, who holds the plan, what the forge answered. */
function factsFor({ facts }: PlanError): Record<string, unknown> {
  const { findings: _findings, uselessOption: _option, ...rest } = facts
  return rest
}

function findingsOf(error: PlanError): Finding[] {
  const { findings } = error.facts
  return Array.isArray(findings)
    ? findings.filter(
        (each): each is Finding =>
          typeof each === 'object' && each !== null && typeof (each as Finding).message === 'string',
      )
    : []
}

function bugLines(error: unknown, options: { debug: boolean; style: Style; version: string }): string[] {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return [
    `${options.style.red('git plan:')} this is a bug in git plan: ${escapeForTerminal(maskTokens(message).slice(0, 500))}`,
    `git-plan ${options.version}, node ${process.version}, ${process.platform}. To see the state of your plan: git plan status`,
    ...(options.debug
      ? []
      : [`${options.style.bold('Hint:')} run the command again with --debug and report its output`]),
  ]
}
