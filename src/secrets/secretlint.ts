// The only importer of secretlint: runs its recommended rules in memory, without configuration or files.

import { lintSource } from '@secretlint/core'
import { rules } from '@secretlint/secretlint-rule-preset-recommend'

/**
 * Comments that turn rules off are part of the judged text and must not take effect. The Google rule reads `.p12` files
 * from disk; its other findings are private keys, which another rule covers.
 */
const excludedRules = new Set(['@secretlint/secretlint-rule-filter-comments', '@secretlint/secretlint-rule-gcp'])
const enabledRules = rules.filter(({ meta }) => !excludedRules.has(meta.id)).map((rule) => ({ id: rule.meta.id, rule }))

export interface Linted {
  readonly rule: string
  readonly says: string
  readonly value: string
  /** The value starts here or later. */
  readonly from: number
}

export async function lintText(text: string, path: string): Promise<readonly Linted[]> {
  const { messages } = await lintSource({
    source: { content: text, filePath: path === '' ? 'text' : path, ext: '', contentType: 'text' },
    options: { config: { rules: enabledRules }, noPhysicFilePath: true },
  })
  return messages.flatMap(({ ruleId, message, data, range }) => {
    // The message is `found X: THE SECRET`, and the longest of its data is the secret.
    const [value = ''] = Object.values<string>(data ?? {}).toSorted((a, b) => b.length - a.length)
    const says = `a ${message.replace(/^found /, '').split(': ')[0] ?? ''}`.replace(/\b\(/, ' (')
    return value === ''
      ? []
      : [{ rule: ruleId.replace('@secretlint/secretlint-rule-', 'secretlint-'), says, value, from: range[0] }]
  })
}
