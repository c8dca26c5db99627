// Findings as SARIF 2.1.0, which forges and editors read; only the parts that they need.

import type { Finding } from '../../plan/model/finding.ts'

const levels = { error: 'error', warning: 'warning', info: 'note' } as const

export interface Checked {
  readonly findings: readonly Finding[]
  readonly digest: string | null
  readonly risk: string | null
  readonly reasons: readonly string[]
}

/** `file`: the path as forges know it. */
export function sarifOf({ findings, digest, risk, reasons }: Checked, file: string): object {
  const rules = [...new Set(findings.map(({ rule }) => rule))].toSorted()
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'git-plan', rules: rules.map((id) => ({ id })) } },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: rules.indexOf(finding.rule),
          level: levels[finding.severity],
          message: { text: finding.advice === undefined ? finding.message : `${finding.message}. ${finding.advice}` },
          locations: [locationOf(file, finding)],
          ...(finding.step === undefined ? {} : { properties: { step: finding.step } }),
        })),
        properties: { digest, risk, reasons },
      },
    ],
  }
}

const locationOf = (file: string, { line, column }: Finding): object => ({
  physicalLocation: {
    artifactLocation: { uri: uriOf(file) },
    // A finding about the whole file is at its beginning: forges do not show one without a line.
    region: { startLine: line ?? 1, ...(column === undefined ? {} : { startColumn: column }) },
  },
})

const uriOf = (file: string): string =>
  `${file.startsWith('/') ? 'file://' : ''}${file.split('/').map(encodeURIComponent).join('/')}`
