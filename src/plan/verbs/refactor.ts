import * as z from 'zod/mini'
import { command, listOf, repoGlob, repoPath, required } from '../model/schema-types.ts'
import { readText } from '../model/text-edit.ts'
import type { Performed, SpecOf, SpecProblem, Verb } from '../model/verb.ts'
import { runCodemod } from '../refactor/codemod.ts'
import { expectedSchema, isEmptyRange } from '../refactor/expected.ts'
import { refactorLanguages } from '../refactor/languages.ts'
import { metavariablesIn } from '../refactor/literals.ts'
import { patternRule, readRule } from '../refactor/rewrite-rule.ts'
import { searchFiles } from '../refactor/search-files.ts'
import { singleLine } from '../text/display.ts'

const text = () => z.string().check(z.minLength(1))

const shape = {
  refactor: () =>
    required(
      z.strictObject({
        pattern: z.optional(text()),
        rewrite: z.optional(z.string()),
        language: z.optional(z.enum(refactorLanguages)),
        rule: z.optional(repoPath),
        codemod: z.optional(command),
        over: listOf(repoGlob, { least: 1, most: 100 }),
        expect: z.optional(expectedSchema()),
      }),
      'What to find and to write instead: `pattern`, `rewrite` and `language`, or `rule`, or `codemod`; `over` is a list of globs',
    ),
}
type Spec = SpecOf<typeof shape>

const forms = ['pattern', 'rule', 'codemod'] as const

export const refactor: Verb<Spec> = {
  name: 'refactor',
  summary: 'Finds a structure in the code of many files and rewrites it, or runs a codemod over them.',
  shape,
  risk: 'MEDIUM',
  changes: 'some',
  raises: ({ refactor }) => (refactor.codemod === undefined ? undefined : { risk: 'HIGH', reason: 'runs a codemod' }),
  refine,
  derive({ refactor: { pattern, rewrite, rule, codemod } }) {
    if (codemod !== undefined) return { id: `codemod-${codemod}`, title: `Run the codemod ${singleLine(codemod)}` }
    if (rule !== undefined) return { id: `apply-${rule}`, title: `Apply the rule ${rule}` }
    const [from, to] = [singleLine(pattern ?? ''), singleLine(rewrite ?? '')]
    return { id: `refactor-${from}`, title: to === '' ? `Remove ${from}` : `Rewrite ${from} to ${to}` }
  },
  paths: ({ refactor: { rule } }) => ({ reads: rule === undefined ? [] : [rule], writes: [], deletes: [] }),
  scope: ({ refactor }) => refactor.over,
  isRehearsed: ({ refactor }) => refactor.codemod === undefined,
  command: ({ refactor: { codemod } }) =>
    codemod === undefined ? undefined : { command: codemod, path: ['refactor', 'codemod'], takesFiles: true },
  writesText: true,
  async perform({ refactor: { pattern, rewrite, language, rule, codemod, over, expect } }, context) {
    if (codemod !== undefined) return runCodemod(codemod, { over, expect }, context)
    if (pattern !== undefined && language !== undefined)
      return searchFiles(
        patternRule(language, pattern, rewrite ?? ''),
        { over, expect, place: ['refactor', 'pattern'] },
        context,
      )
    const place = ['refactor', 'rule']
    const failed = (message: string): Performed => ({
      kind: 'failed',
      reason: 'verb',
      message: `cannot use the rule ${rule}: ${message}`,
      place: { path: place },
    })
    const file = await readText(context.tree, rule ?? '')
    if (!file.ok) return failed(file.message)
    const read = readRule(file.text)
    return typeof read === 'string' ? failed(read) : searchFiles(read, { over, expect, place }, context)
  },
}

function refine({ refactor }: Spec): SpecProblem | undefined {
  const { pattern, rewrite, language, codemod, expect } = refactor
  const problem = (key: string, message: string): SpecProblem => ({ key: 'refactor', below: [key], message })
  const used = forms.filter((form) => refactor[form] !== undefined)
  const [form] = used
  if (form === undefined || used.length > 1)
    return problem(
      used[1] ?? 'over',
      `a refactoring has exactly one of ${forms.join(', ')}${used.length > 1 ? `, not ${used.join(' and ')}` : ''}`,
    )
  for (const key of ['rewrite', 'language'] as const) {
    if (form === 'pattern' && refactor[key] === undefined) return problem('pattern', `\`pattern\` needs \`${key}\``)
    if (form !== 'pattern' && refactor[key] !== undefined)
      return problem(key, `\`${key}\` goes with \`pattern\`, not with \`${form}\``)
  }
  if (isEmptyRange(expect)) return problem('expect', 'the first number is not larger than the second')
  if (codemod?.trim().includes('\n') === true)
    return problem('codemod', 'a codemod is one line: the names of the files are added at its end')
  if (pattern === undefined || rewrite === undefined || language === undefined) return undefined
  const known = new Set(metavariablesIn(pattern).map(({ name }) => name))
  const unknown = metavariablesIn(rewrite).find(({ name }) => !known.has(name))
  return unknown === undefined
    ? undefined
    : problem('rewrite', `\`rewrite\` has $${unknown.name}, which \`pattern\` does not have`)
}
