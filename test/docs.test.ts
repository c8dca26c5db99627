// The documentation is compared with the program.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { hasErrors } from '../src/plan/model/finding.ts'
import { checkWhole } from '../src/judge/plan/check-whole.ts'
import { commands, groups } from '../src/commands/table/index.ts'
import { globalOptions } from '../src/adapters/cli/global-options.ts'
import { exitCodes } from '../src/errors.ts'
import { readPlan } from '../src/plan/file/read-plan.ts'
import { commonStepKeys, planKeys, stepKeys } from '../src/plan/file/schema.ts'
import { verbs } from '../src/plan/verbs/index.ts'
import { dangerRules } from '../src/judge/shell/dangers/rules.ts'
import { effectStates } from '../src/engine/step/effects.ts'
import { preflightChecks } from '../src/plan/model/preflight-checks.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(md|mjs|txt)$/.test(name))
    .map((name) => `docs/${name}`),
]

/** Fenced blocks of a language. */
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, body]) => body ?? '')

/** The text under a heading, up to the next of its level. */
function section(text: string, heading: string): string {
  const from = text.indexOf(`\n## ${heading}\n`)
  expect(from, `there is a section ${heading}`).toBeGreaterThan(0)
  const to = text.indexOf('\n## ', from + 4)
  return text.slice(from, to < 0 ? undefined : to)
}

/** What is in backticks in the first column of the tables. */
const firstColumn = (text: string): string[] =>
  [...text.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell]) =>
    [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? ''),
  )

describe('plans in the documentation', () => {
  const examples = ['README.md', 'docs/plan-file.md'].flatMap((page) =>
    blocks(read(page), 'markdown')
      .filter((body) => body.startsWith('---\n'))
      .map((body, index) => ({ page, index, body })),
  )

  test('there are some', () => expect(examples.length).toBeGreaterThanOrEqual(4))

  test.each(examples)('example $index of $page is a valid plan', async ({ body }) => {
    const parsed = readPlan(Buffer.from(body), { file: 'example.md', base: 'main' })
    expect(parsed.ok ? [] : parsed.findings).toEqual([])
    if (parsed.ok) expect(hasErrors(await checkWhole(parsed.plan, { file: 'example.md' }))).toBe(false)
  })

  test.each(blocks(read('docs/plan-file.md'), 'yaml').map((body, index) => ({ index, body })))(
    'fragment $index of docs/plan-file.md is part of a valid plan',
    ({ body }) => {
      const text = body.startsWith('  - ')
        ? `---\ntest: npm test\nsteps:\n${body}---\n`
        : `---\n${body}${/^steps:/m.test(body) ? '' : 'steps:\n  - run: npm test\n'}---\n`
      const parsed = readPlan(Buffer.from(text), { file: 'example.md', base: 'main' })
      expect(parsed.ok ? [] : parsed.findings).toEqual([])
    },
  )
})

describe('words in the documentation', () => {
  test('the README lists the commands by group, as the help does', () => {
    const listed = [...section(read('README.md'), 'Commands').matchAll(/^- (\w+): (.*)$/gm)].map(
      ([, title, names]) => `${title}: ${names}`,
    )
    expect(listed).toEqual(
      groups.map(({ title, commands: members }) => `${title}: ${members.map(({ name }) => `\`${name}\``).join(', ')}`),
    )
  })

  test('every `git plan` command that is shown exists, with its options', () => {
    const wrong: string[] = []
    for (const page of pages) {
      for (const [, line = ''] of read(page).matchAll(/git plan ([a-z](?:(?!git plan| && )[^`\n;|)])*)/g)) {
        const [name = '', ...rest] = line.split(/\s+/)
        const command = commands.find((each) => each.name === name)
        // A sentence may begin with the name of the program.
        if (command === undefined) {
          if (rest.some((word) => word.startsWith('--'))) wrong.push(`${page}: git plan ${line}`)
          continue
        }
        const known = new Set(
          [...command.options, ...globalOptions].flatMap((option) => [
            `--${option.name}`,
            ...(option.short === undefined ? [] : [`-${option.short}`]),
          ]),
        )
        const options =
          rest
            // What follows `--` is for another program.
            .slice(0, rest.includes('--') ? rest.indexOf('--') : undefined)
            .join(' ')
            .replace(/'[^']*'/g, '')
            .match(/(?<=\s|^)--?[a-z][a-z-]*/g) ?? []
        for (const option of options) if (!known.has(option)) wrong.push(`${page}: git plan ${line}: ${option}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('every error code is in docs/troubleshooting.md with its exit code', () => {
    const rows = [...read('docs/troubleshooting.md').matchAll(/^### `([a-z-]+)` \(exit code (\d+)\)$/gm)].map(
      ([, code, exit]) => [code, Number(exit)],
    )
    expect(rows.toSorted()).toEqual(Object.entries(exitCodes).toSorted())
  })

  test('the README has every verb, and no other', () => {
    const table = section(read('README.md'), 'The plan file').split('\n\n')[2] ?? ''
    expect(firstColumn(table).toSorted()).toEqual(Object.keys(verbs).toSorted())
  })

  test('docs/plan-file.md has every key, and no other', () => {
    const text = read('docs/plan-file.md')
    const own = (verb: (typeof verbs)[string]): string[] =>
      stepKeys(verb).filter((key) => !commonStepKeys.includes(key))
    expect(firstColumn(section(text, 'Keys of the plan')).toSorted()).toEqual(planKeys.toSorted())
    expect(firstColumn(section(text, 'Keys of every step')).toSorted()).toEqual(commonStepKeys.toSorted())
    // The first table of each section; others list package managers and the like.
    const documented = section(text, 'Verbs')
      .split('\n### ')
      .slice(1)
      .map((part) => [
        part.split('\n', 1)[0],
        firstColumn(part.split('\n\n').find((each) => each.startsWith('| key')) ?? '').toSorted(),
      ])
    expect(Object.fromEntries(documented)).toEqual(
      Object.fromEntries(Object.values(verbs).map((verb) => [verb.name, own(verb).toSorted()])),
    )
  })

  test('docs/checks.md has every rule of check, and what is said there about commands is what the rules say', () => {
    const text = read('docs/checks.md')
    const listed = section(text, 'Commands')
      .replace(/\n {2}/g, ' ')
      .match(/^- `shell-.*$/gm)
    expect(listed).toEqual(
      Object.entries(dangerRules).map(([name, { finds, instead }]) => `- \`${name}\`: ${finds}. Instead: ${instead}.`),
    )
    // What the other rules call themselves, in their sources.
    const sources = [
      'check-plan.ts',
      'check-whole.ts',
      'check-tree.ts',
      ...readdirSync(join(root, 'src/judge/plan/rules')).map((name) => `rules/${name}`),
    ].map((name) => read(`src/judge/plan/${name}`))
    const names = [...sources, read('src/commands/propose/check.ts')].flatMap((source) =>
      [...source.matchAll(/\brule: '([a-z-]+)'/g)].map(([, name]) => name ?? ''),
    )
    expect(
      [...firstColumn(section(text, 'The plan')), ...firstColumn(section(text, 'The repository'))].toSorted(),
    ).toEqual([...new Set(names)].toSorted())
  })

  test('the names of preflight checks and of the states of an effect are those of the program', () => {
    for (const name of preflightChecks) expect(read('docs/troubleshooting.md')).toContain(`\`${name}\``)
    for (const name of effectStates) expect(read('docs/design.md')).toContain(`\`${name}\``)
  })

  test('no page names a path or a host of the machine that it was written on', () => {
    for (const page of pages)
      expect(read(page), page).not.toMatch(/\/work\/|\/tmp\/|\/root\/|localhost|127\.0\.0\.1|registry\.[a-z]/)
  })

  test('lines are at most 120 characters long', () => {
    // The bench writes a wide table.
    const narrow = pages.filter((page) => page !== 'docs/performance.md')
    expect(
      narrow.flatMap((page) =>
        [...read(page).split('\n').entries()]
          .filter(([, line]) => line.length > 120)
          .map(([at]) => `${page}:${at + 1}`),
      ),
    ).toEqual([])
  })

  test('links between pages lead somewhere, headings included', () => {
    const anchors = (page: string): string[] =>
      [...read(page).matchAll(/^#+ (.*)$/gm)].map(
        ([, title = '']) =>
          `#${title
            .toLowerCase()
            .replace(/[^\w -]/g, '')
            .replaceAll(' ', '-')}`,
      )
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g)]
        .map(([, target = '', anchor]) => ({ target: target === '' ? page : join(dirname(page), target), anchor }))
        .filter(
          ({ target, anchor }) =>
            !existsSync(join(root, target)) || (anchor !== undefined && !anchors(target).includes(anchor)),
        )
        .map(({ target, anchor = '' }) => `${page} → ${target}${anchor}`),
    )
    expect(broken).toEqual([])
  })
})
