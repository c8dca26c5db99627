// The door to secretlint: its recommended rules, run in memory. No configuration is read, and no file.

import { lintSource } from '@secretlint/core'
import { rules } from '@secretlint/secretlint-rule-preset-recommend'

/**
 * Comments that turn rules off are a part of what is judged, and do not count. The rule for Google reads `.p12` files
 * from the disk; what else it finds is a private key, which has a rule.
 */
const leftOut = new Set(['@secretlint/secretlint-rule-filter-comments', '@secretlint/secretlint-rule-gcp'])
const chosen = rules.filter(({ meta }) => !leftOut.has(meta.id)).map((rule) => ({ id: rule.meta.id, rule }))

export interface Linted {
  readonly rule: string
  readonly says: string
  readonly value: string
  /** The value is here or behind. */
  readonly from: number
}

export async function lintText(text: string, path: string): Promise<readonly Linted[]> {
  const { messages } = await lintSource({
    source: { content: text, filePath: path === '' ? 'text' : path, ext: '', contentType: 'text' },
    options: { config: { rules: chosen }, noPhysicFilePath: true },
  })
  return messages.flatMap(({ ruleId, message, data, range }) => {
    // What a rule says is `found X: THE SECRET`, and the longest of its data is the secret.
    const [value = ''] = Object.values<string>(data ?? {}).toSorted((a, b) => b.length - a.length)
    const says = `a ${message.replace(/^found /, '').split(': ')[0] ?? ''}`.replace(/\b\(/, ' (')
    return value === ''
      ? []
      : [{ rule: ruleId.replace('@secretlint/secretlint-rule-', 'secretlint-'), says, value, from: range[0] }]
  })
}
