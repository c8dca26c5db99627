// Flattens `include`: the steps of the included plan take the place of the step that includes it.

import type { Finding } from '../model/finding.ts'
import { isId } from '../model/ids.ts'
import { maxSteps } from '../model/plan.ts'
import { describeValue } from '../file/issues.ts'
import { encode, placeOf, readFrontMatter } from './front-matter.ts'
import type { LocatedText, Place } from './located-text.ts'
import { prefixPart, readPart, type Part } from './part.ts'
import { isInclude, readInclude } from './read-include.ts'
import { maxIncludeDepth, maxIncludes } from './source.ts'
import type { Expand, ExpandOptions, SourceText } from './source.ts'
import { spliceParts, type Flattened } from './splice-parts.ts'

export async function flattenIncludes(
  source: LocatedText,
  { file }: Pick<SourceText, 'file'>,
  options: ExpandOptions,
  expand: Expand,
): Promise<Flattened> {
  if (!/\binclude\b/.test(source.text)) return { ok: true, located: source }
  const matter = readFrontMatter(encode(source.text))
  const steps = matter?.root['steps']
  if (matter === undefined || !Array.isArray(steps) || !steps.some(isInclude)) return { ok: true, located: source }
  const budget = options.budget ?? { left: maxIncludes }
  const findings: Finding[] = []
  const parts = new Map<number, Part>()
  let total = 0
  for (const [index, entry] of steps.entries()) {
    if (!isInclude(entry)) continue
    const read = await includePart(entry, {
      options: { ...options, budget },
      expand,
      place: (key) => placeOf(source, matter.yaml, ['steps', index, key]),
      room: maxSteps - total,
    })
    if (read.ok) parts.set(index, read.part)
    else findings.push(...read.findings)
    // Anything more would only cost time.
    if (!read.ok && read.isLimit) break
    total += read.ok ? read.part.steps.length : 0
  }
  return findings.length > 0
    ? { ok: false, findings }
    : spliceParts({ source, matter, file }, steps as unknown[], parts)
}

interface Including {
  readonly options: ExpandOptions & { readonly budget: { left: number } }
  readonly expand: Expand
  /** The place of a key of the step. */
  readonly place: (key: string) => Place
  /** How many steps there may be. */
  readonly room: number
}

type Included =
  | { readonly ok: true; readonly part: Part }
  | { readonly ok: false; readonly findings: Finding[]; readonly isLimit?: boolean }

async function includePart(
  entry: Readonly<Record<string, unknown>>,
  { options, expand, place, room }: Including,
): Promise<Included> {
  const { chain = [], budget, load } = options
  const here = place('include')
  const refused = (message: string, advice?: string, more: { at?: Place; isLimit?: boolean } = {}): Included => ({
    ok: false,
    findings: [
      {
        rule: 'bad-include',
        severity: 'error',
        message,
        ...(more.at ?? here),
        ...(advice === undefined ? {} : { advice }),
      },
    ],
    isLimit: more.isLimit === true,
  })
  const read = readInclude(entry)
  if (!read.ok)
    return {
      ok: false,
      findings: read.problems.map(({ key, ...problem }) => ({
        rule: 'bad-include',
        severity: 'error',
        ...problem,
        ...place(key),
      })),
    }
  const { id, reference, given } = read.include
  const loaded = await load(reference)
  const labels = [...chain.map(({ label }) => label), `${here.file}:${here.line}`]
  if (!loaded.ok)
    return refused(chain.length === 0 ? loaded.message : `${loaded.message} (${labels.join(' → ')})`, loaded.advice)
  const path = [...labels, loaded.file].join(' → ')
  if (loaded.key === options.self || chain.some(({ key }) => key === loaded.key))
    return refused(`a cycle of includes: ${path}`, 'remove one of them')
  budget.left -= 1
  if (chain.length >= maxIncludeDepth)
    return refused(`more than ${maxIncludeDepth} levels of includes: ${path}`, undefined, { isLimit: true })
  if (budget.left < 0) return refused(`more than ${maxIncludes} includes: ${path}`, undefined, { isLimit: true })
  const givenAt = entry['with'] === undefined ? here : place('with')
  const inner = { load, given, givenAt, budget, chain: [...chain, { key: loaded.key, label: labels.at(-1)! }] }
  const result = await readPart(loaded, inner, expand)
  if (!result.ok) return { ...result, isLimit: budget.left < 0 }
  const part = prefixPart(result.part, id)
  if (part.steps.length > room)
    return refused(`a plan has at most ${maxSteps} steps, with those that it includes: ${path}`, 'split the plan', {
      isLimit: true,
    })
  const wrong = part.steps.find((step) => !isId(step.id))
  return wrong === undefined
    ? { ok: true, part }
    : refused(`${describeValue(wrong.id)} is not a valid id`, 'give the step with `include` a shorter `id`')
}
