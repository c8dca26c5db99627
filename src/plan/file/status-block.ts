// The part of the file that git plan writes: from the line `status:` to the closing fence.

import type { Tail } from './digest.ts'
import type { Finding } from '../model/finding.ts'
import type { Split } from './split.ts'
import type { YamlValue } from './yaml.ts'

/**
 * Reports a status block that is not last, not in order or not at the start of its line: replacing it would change the
 * author's bytes.
 */
export function findTail(
  split: Split,
  yaml: YamlValue,
): { readonly tail: Tail | undefined; readonly findings: Finding[] } {
  const keys = Object.keys(yaml.value as object)
  const findings: Finding[] = []
  const report = (rule: string, key: string, message: string, advice: string): number =>
    findings.push({ rule, severity: 'error', message, ...yaml.position([key], { key: true }), advice })

  const root = yaml.span([])
  const first = keys[0]
  if (root?.flow)
    return {
      tail: undefined,
      findings: [
        {
          rule: 'bad-yaml',
          severity: 'error',
          message: 'the front matter is one map in braces',
          ...yaml.position([]),
          advice: 'write one key per line, without braces around them all',
        },
      ],
    }
  if (first !== undefined && !startsLine(split.text, yaml.span([first], { key: true })?.start)) {
    return {
      tail: undefined,
      findings: [
        {
          rule: 'bad-indent',
          severity: 'error',
          message: 'the keys of the front matter are indented',
          ...yaml.position([first], { key: true }),
          advice: 'write them at the start of the line',
        },
      ],
    }
  }

  const advice = '`status` and then `state` are the last keys; git plan writes them'
  const status = keys.indexOf('status')
  const state = keys.indexOf('state')
  if (state >= 0 && status < 0) report('tail-not-last', 'state', '`state` needs `status`', advice)
  else if (state >= 0 && state !== keys.length - 1)
    report('tail-not-last', 'state', '`state` is not the last key', advice)
  if (status < 0) return { tail: undefined, findings }
  if (status !== keys.length - (state >= 0 ? 2 : 1) || (state >= 0 && state < status))
    report('tail-not-last', 'status', '`status` is not the last key before `state`', advice)
  const start = yaml.span(['status'], { key: true })?.start
  if (
    start === undefined ||
    !startsLine(split.text, start) ||
    !/^status[ \t]*:/.test(split.text.slice(start, start + 100))
  )
    report('tail-not-last', 'status', '`status:` is not written plainly at the start of its line', advice)
  return { tail: start === undefined ? undefined : { start, end: split.matterEnd }, findings }
}

const startsLine = (text: string, offset: number | undefined): boolean =>
  offset !== undefined && (offset === 0 || text[offset - 1] === '\n')
