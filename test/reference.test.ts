// Manual pages and docs/commands.md are made from the table of commands: they are complete, and they are not stale.

import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parseCommandLine } from '../src/adapters/cli/command-line.ts'
import { helpText } from '../src/adapters/cli/help.ts'
import { commands } from '../src/commands/table/index.ts'
import { globalOptions } from '../src/adapters/cli/global-options.ts'
import { commandsPage, manualPages } from '../src/adapters/cli/reference/index.ts'
import { stepEnvironmentRows } from '../src/adapters/cli/reference/topics.ts'
import { noStyle } from '../src/adapters/cli/style.ts'
import { runMarker } from '../src/process/kill-descendants.ts'
import { bin } from './helpers/repo.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const manual = join(dirname(bin), 'man')
const pages = manualPages().map(({ name }) => `${name}.1`)
const roff = (page: string): string => readFileSync(join(manual, page), 'utf8')
/** What a reader sees of it, without fonts and escapes. */
const words = (page: string): string =>
  roff(page)
    .replace(/\\f[BIRP]/g, '')
    .replaceAll('\\-', '-')
    .replaceAll('\\&', '')
    .replaceAll('\\~', ' ')
    .replaceAll('\\.', '.')
const headings = (page: string): string[] =>
  [...roff(page).matchAll(/^\.SH "?(.*?)"?$/gm)].map(([, title]) => title ?? '')

describe('docs/commands.md', () => {
  test('is what the table of commands gives; if not: npm run docs', () => {
    expect(read('docs/commands.md') === commandsPage(), 'docs/commands.md is stale: npm run docs').toBe(true)
  })

  test('links to sections that are there', () => {
    const anchors = new Set(
      [...commandsPage().matchAll(/^#+ (.*)$/gm)].map(([, title]) => (title ?? '').toLowerCase().replaceAll(' ', '-')),
    )
    const links = [...commandsPage().matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor ?? '')
    expect(links.length).toBeGreaterThan(commands.length)
    expect(links.filter((anchor) => !anchors.has(anchor))).toEqual([])
  })

  test('has lines of at most 120 characters', () => {
    expect(
      commandsPage()
        .split('\n')
        .filter((line) => line.length > 120),
    ).toEqual([])
  })

  test('names every variable that a step is given', () => {
    const given = new Set(
      [runMarker, 'PLAN_PARAM_<NAME>', ...(read('src/engine/step/step-shell.ts').match(/\bPLAN_[A-Z_]+\b/g) ?? [])].map(
        (name) => `\`${name}\``,
      ),
    )
    expect(stepEnvironmentRows.map(([name]) => name).toSorted()).toEqual([...given].toSorted())
  })
})

describe('the table of commands', () => {
  test.each(commands)(
    '$name has a description of two sentences or more, and an example that parses',
    ({ name, description, examples, positionals }) => {
      expect(description.match(/[.:](\s|$)/g)?.length ?? 0).toBeGreaterThanOrEqual(2)
      expect(description).toContain('`--json`')
      expect(examples.length).toBeGreaterThan(0)
      for (const positional of positionals) expect(positional.description).not.toBe('')
      for (const example of examples) {
        const given = [...example.replace(/ > .*/, '').matchAll(/'([^']*)'|(\S+)/g)].map(
          (match) => match[1] ?? match[2] ?? '',
        )
        expect(parseCommandLine(given.slice(2))).toMatchObject({ kind: 'command', command: { name } })
      }
    },
  )

  test.each(commands)('the help of $name is narrow, and names its manual page', (command) => {
    const lines = helpText(command, noStyle).trimEnd().split('\n')
    expect(lines.filter((line) => line.length > 100)).toEqual([])
    expect(lines.at(-1)).toContain(`man git-plan-${command.name}`)
  })

  test('the help of all of it names the manual page', () => {
    expect(helpText(undefined, noStyle)).toContain('man git-plan')
  })

  test('every option that a description speaks of is one of its command, or one that it names with the command', () => {
    const known = (name: string): string[] =>
      [...(commands.find((each) => each.name === name)?.options ?? []), ...globalOptions].map(
        (option) => `--${option.name}`,
      )
    const wrong = commands.flatMap(({ name, description }) =>
      [...description.matchAll(/`(?:git plan ([a-z]+) )?(--[a-z-]+)/g)]
        // Other commands restore what `start --autostash` stashed.
        .filter(([, other, option = '']) => !known(other ?? name).includes(option) && option !== '--autostash')
        .map(([text]) => `${name}: ${text}`),
    )
    expect(wrong).toEqual([])
  })
})

describe('manual pages', () => {
  test('there is one for each command, and package.json names them all', () => {
    expect(pages).toEqual(['git-plan.1', ...commands.map(({ name }) => `git-plan-${name}.1`)])
    expect((JSON.parse(read('package.json')) as { man: string[] }).man).toEqual(
      pages.map((page) => `./dist/man/${page}`),
    )
    expect(readdirSync(manual).toSorted()).toEqual(pages.toSorted())
  })

  test('the page of the program has its sections, every command and every option of all', () => {
    const sections = [
      'SYNOPSIS',
      'DESCRIPTION',
      'A TOUR',
      'COMMANDS',
      'OPTIONS',
      'EXIT STATUS',
      'CONFIGURATION',
      'FILES',
      'ENVIRONMENT',
      'EXAMPLES',
      'SEE ALSO',
    ]
    expect(headings('git-plan.1')).toEqual(['NAME', ...sections])
    for (const { name } of commands) expect(words('git-plan.1')).toContain(`git-plan-${name}(1)`)
    for (const { name } of globalOptions) expect(words('git-plan.1')).toContain(`--${name}`)
  })

  test.each(commands)(
    'git-plan-$name.1 has its sections, and every option with what it does',
    ({ name, summary, options, examples }) => {
      const page = `git-plan-${name}.1`
      const example = examples.length === 1 ? 'EXAMPLE' : 'EXAMPLES'
      expect(headings(page)).toEqual(['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', example, 'EXIT STATUS', 'SEE ALSO'])
      const text = words(page)
      // `whatis` and `apropos` read this line.
      expect(text).toContain(`\n.SH NAME\ngit-plan-${name} - ${summary}\n`)
      for (const option of [...options, ...globalOptions]) {
        const short = option.short === undefined ? '' : `-${option.short}, `
        expect(text).toContain(
          `\n.TP\n${short}--${option.name}${option.value === undefined ? '' : ` ${option.value}`}\n${option.description.replaceAll('`', '')}\n`,
        )
      }
      for (const line of examples) expect(text).toContain(`\n${line}\n`)
    },
  )

  test('hold nothing of the day or the machine, and are plain ASCII', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string }
    for (const page of pages) {
      expect(roff(page)).toMatch(/^[\n -~]*$/)
      expect(roff(page).split('\n')[0]).toBe(
        `.TH ${page.slice(0, -2).toUpperCase().replaceAll('-', '\\-')} 1 "" "git\\-plan ${version}" "Git Plan Manual"`,
      )
      expect(roff(page)).not.toMatch(/\/tmp\/|\/home\/|&[a-z#0-9]+;/)
    }
  })

  const hasMan = spawnSync('man', ['--warnings', '--version']).status === 0
  test.skipIf(!hasMan).each(pages)(
    `%s is shown without a warning${hasMan ? '' : ' (skipped: no man-db here)'}`,
    (page) => {
      const env = { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8', MANPAGER: 'cat', PAGER: 'cat' }
      // `w`: all of them; `all` leaves out macros that are not there.
      const shown = spawnSync('man', ['--warnings=w', '-l', join(manual, page)], { env, encoding: 'utf8' })
      expect({ status: shown.status, stderr: shown.stderr }).toEqual({ status: 0, stderr: '' })
      expect(shown.stdout).toContain('SEE ALSO')
      expect(shown.stdout.split('\n').filter((line) => line.length > 100)).toEqual([])
    },
  )
})

test('the program does not load what the manual is made of', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.startsWith('cli/reference/'),
  )
  expect(files.filter((path) => /from '[^']*reference\//.test(read(`src/${path}`)))).toEqual([])
  expect(
    execFileSync('grep', ['-rlF', 'A TOUR', dirname(bin)], { encoding: 'utf8' })
      .split('\n')
      .filter((file) => file.endsWith('.js')),
  ).toEqual([])
})
