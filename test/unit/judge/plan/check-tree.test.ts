// Rules that look at the repository, on one that is only thought of.

import { describe, expect, test } from 'vitest'
import { checkTree } from '../../../../src/judge/plan/check-tree.ts'
import { rehearse } from '../../../../src/judge/plan/rehearsal.ts'
import type { EntryKind, RepositoryFacts } from '../../../../src/judge/plan/repository-facts.ts'
import { defaultConfig, type PlanConfig } from '../../../../src/plan/config/config.ts'
import type { Finding } from '../../../../src/plan/model/finding.ts'
import { fenced, parsed } from '../../../helpers/plans.ts'

interface Repo {
  readonly files?: Readonly<Record<string, string>>
  readonly links?: readonly string[]
  readonly submodules?: readonly string[]
  readonly ignored?: readonly string[]
  readonly obstacles?: Readonly<Record<string, string>>
  readonly tools?: readonly string[]
  readonly free?: number
}

function looking({
  files = {},
  links = [],
  submodules = [],
  ignored = [],
  obstacles = {},
  tools = ['npm', 'node', 'bash', 'npx', 'git'],
  free,
}: Repo): RepositoryFacts {
  const below = (path: string): string[] =>
    Object.keys(files).filter((each) => each === path || each.startsWith(`${path}/`))
  const kind = (path: string): EntryKind => {
    if (links.includes(path)) return 'symlink'
    if (submodules.includes(path)) return 'submodule'
    if (files[path] !== undefined) return 'file'
    return below(path).length > 0 ? 'directory' : 'absent'
  }
  return {
    kind: async (path) => kind(path),
    read: async (path) => (files[path] === undefined ? undefined : Buffer.from(files[path])),
    size: async (path) => (files[path] === undefined ? undefined : Buffer.byteLength(files[path])),
    files: async () => Object.keys(files),
    tracked: async (path) => below(path),
    isIgnored: async (path) => ignored.includes(path),
    obstacle: async (path) => obstacles[path],
    hasTool: async (name) => tools.includes(name),
    freeBytes: async () => free,
  }
}

async function found(
  steps: string,
  repo: Repo = {},
  options: { config?: Partial<PlanConfig['validation']>; head?: string } = {},
): Promise<Finding[]> {
  const { plan, source } = parsed(fenced(`${options.head ?? ''}steps:\n${steps}`))
  const config = { ...defaultConfig, validation: { ...defaultConfig.validation, ...options.config } }
  return checkTree(plan, { file: '.plans/x.md', position: source.place, config, repository: looking(repo) })
}

const rules = async (...args: Parameters<typeof found>): Promise<string[]> =>
  (await found(...args)).map(({ rule, step }) => `${step ?? ''}: ${rule}`)

describe('targets', () => {
  test.each<[string, string, Repo, string]>([
    ['through a link', '{id: a, create: d/x, content: x}', { links: ['d'] }, 'path-through-link'],
    ['onto a link', '{id: a, edit: l, append: x}', { links: ['l'] }, 'path-is-link'],
    ['into a submodule', '{id: a, create: m/x, content: x}', { submodules: ['m'] }, 'path-in-submodule'],
    ['a submodule itself', '{id: a, delete: m}', { submodules: ['m'] }, 'path-is-submodule'],
    ['below a file', '{id: a, create: f/x, content: x}', { files: { f: '1' } }, 'path-below-file'],
    [
      'a hard link',
      '{id: a, edit: f, append: x}',
      { files: { f: '1' }, obstacles: { f: 'it has other hard links' } },
      'path-not-replaceable',
    ],
    ['an ignored path', '{id: a, create: out/x, content: x}', { ignored: ['out/x'] }, 'path-ignored'],
  ])('%s is refused, once', async (_, step, repo, rule) => {
    expect(await rules(`  - ${step}`, repo)).toEqual([`a: ${rule}`])
  })

  test('what an earlier step makes is judged as it will be then', async () => {
    expect(await rules('  - {id: a, create: d/x, content: x}\n  - {id: b, create: d/x/y, content: x}')).toEqual([
      'b: path-below-file',
    ])
  })

  test('what the plan itself changes in .gitignore is not foreseen', async () => {
    const repo = { files: { '.gitignore': 'out/\n', 'out/.keep': '' }, ignored: ['out/x'] }
    const step = '{id: b, create: out/x, content: x}'
    expect(await rules(`  - {id: a, edit: .gitignore, replace: out/, with: tmp/}\n  - ${step}`, repo)).toEqual([])
    expect(await rules(`  - {id: a, create: out/.gitignore, content: '!x'}\n  - ${step}`, repo)).toEqual([])
    expect(await rules(`  - {id: a, run: 'npm ci', files: [.gitignore]}\n  - ${step}`, repo)).toEqual([])
    expect(await rules(`  - {id: a, create: other/.gitignore, content: '!x'}\n  - ${step}`, repo)).toEqual([
      'b: path-ignored',
    ])
  })

  test('what a command may have put there is a warning, or nothing where its step names it', async () => {
    expect(
      await found("  - {id: a, run: 'npm ci'}\n  - {id: b, create: d/x, content: x}", { links: ['d'] }),
    ).toMatchObject([
      {
        rule: 'path-through-link',
        severity: 'warning',
        message: 'as the repository is now, d/x is refused: d is a symlink',
      },
    ])
    expect(
      await rules("  - {id: a, run: 'npm ci', files: [d/**]}\n  - {id: b, create: d/x, content: x}", { links: ['d'] }),
    ).toEqual([])
    expect(
      await rules("  - {id: a, run: 'npm ci', changes: none}\n  - {id: b, create: d/x, content: x}", { links: ['d'] }),
    ).toEqual(['b: path-through-link'])
    expect(
      await rules("  - {id: a, run: 'npm ci', files: [node_modules/**]}\n  - {id: b, create: d/x, content: x}", {
        links: ['d'],
      }),
    ).toEqual(['b: path-through-link'])
  })
})

describe('a step that would fail', () => {
  const repo = { files: { 'a.txt': 'one\n', 'd/b.txt': 'b\n' } }

  test.each([
    ['an edit of what is not there', '{id: s, edit: no.txt, append: x}'],
    ['a replacement of text that is not there', '{id: s, edit: a.txt, replace: two, with: x}'],
    ['a new file where one is', '{id: s, create: a.txt, content: x}'],
    ['a deletion of nothing', '{id: s, delete: no.txt}'],
    ['a move onto something', '{id: s, move: a.txt, to: d/b.txt}'],
  ])('%s is told with its line', async (_, step) => {
    const [finding, ...more] = await found(`  - {id: before, create: new.txt, content: x}\n  - ${step}`, repo)
    expect(finding).toMatchObject({ rule: 'would-fail', severity: 'error', step: 's', line: 4 })
    expect(more).toEqual([])
  })

  test('one that may fail is only a warning', async () => {
    expect(await found('  - {id: s, delete: no.txt, allow_failure: true}', repo)).toMatchObject([
      { rule: 'would-fail', severity: 'warning' },
    ])
  })

  test('steps see what those before them did', async () => {
    const steps = [
      '{id: a, edit: a.txt, replace: one, with: two}',
      '{id: b, edit: a.txt, replace: two, with: three}',
      '{id: c, move: d, to: e}',
      '{id: d, edit: e/b.txt, append: x}',
      '{id: e, delete: e/b.txt}',
      '{id: f, create: d/b.txt, content: again}',
      '{id: g, create: e/b.txt, content: again}',
    ]
    expect(await rules(steps.map((step) => `  - ${step}`).join('\n'), repo)).toEqual([])
    expect(await rules('  - {id: a, delete: d}\n  - {id: b, edit: d/b.txt, append: x}', repo)).toEqual([
      'b: would-fail',
    ])
  })

  test('steps that are done are not judged', async () => {
    const { plan } = parsed(
      fenced(
        'steps:\n  - {id: a, create: a.txt, content: x}\n  - {id: b, delete: a.txt}\nstatus: active\nstate:\n  a: done\n',
      ),
    )
    expect(await checkTree(plan, { file: 'x', config: defaultConfig, repository: looking(repo) })).toEqual([])
  })
})

describe('references', () => {
  test.each<[string, string, Repo]>([
    ['what git ignores', '.venv/bin/pytest', { ignored: ['.venv/bin/pytest'] }],
    ['settings that git ignores', '. ./.env', { ignored: ['.env'] }],
    ['what lies behind a link', 'bash tools/x.sh', { links: ['tools'] }],
    ['what lies in a submodule', './sub/x.sh', { submodules: ['sub'] }],
    ['a script without its ending', 'node ./bin/cli', { files: { 'bin/cli.js': '1' } }],
    ['a program that yarn runs', 'yarn run eslint', { files: { 'package.json': '{}' }, tools: ['yarn'] }],
    ['a file that bun runs', 'bun run src/x.ts', { files: { 'package.json': '{}' }, tools: ['bun'] }],
    ['what npm has by itself', 'npm run env', { files: { 'package.json': '{}' } }],
  ])('nothing is said of %s', async (_, command, repo) => {
    expect(await rules(`  - {id: a, run: '${command}'}`, repo)).toEqual([])
  })

  test('what the same command may have made stops nothing', async () => {
    const files = { 'package.json': '{}' }
    for (const command of [
      'printf x > gen.sh; bash gen.sh',
      'if [ -x ./opt.sh ]; then ./opt.sh; fi',
      'npm pkg set scripts.a=b && npm run a',
    ])
      expect((await found(`  - {id: a, run: '${command}'}`, { files })).map(({ severity }) => severity)).toEqual([
        'warning',
      ])
  })

  test('a script that is not there when it is called', async () => {
    expect(await rules("  - {id: a, run: './scripts/x.sh one'}")).toEqual(['a: file-missing'])
    expect(await rules("  - {id: a, run: 'bash scripts/x.sh'}")).toEqual(['a: file-missing'])
    expect(await rules("  - {id: a, run: 'node -e 1; node tools/x.mjs'}")).toEqual(['a: file-missing'])
    expect(
      await rules("  - {id: a, create: scripts/x.sh, content: 'echo x'}\n  - {id: b, run: 'bash scripts/x.sh'}"),
    ).toEqual([])
    expect(await rules("  - {id: a, run: 'cd sub && bash scripts/x.sh'}")).toEqual([])
    expect(await rules("  - {id: a, run: 'node $X; node /opt/x.js; bash -c true; ./node_modules/.bin/x'}")).toEqual([])
    expect(await rules("  - {id: a, run: 'bash scripts/x.sh'}", {}, { config: { dependencies: false } })).toEqual([])
  })

  test('a script that package.json has not', async () => {
    const files = { 'package.json': '{"scripts": {"lint": "x"}}' }
    expect(await rules("  - {id: a, run: 'npm run lint && npm run build'}", { files })).toEqual(['a: script-missing'])
    expect(await rules("  - {id: a, run: 'npm test'}", { files })).toEqual(['a: script-missing'])
    expect(
      await rules("  - {id: a, run: 'npm run build --if-present; npm -w x run build; npm run -w x build'}", { files }),
    ).toEqual([])
  })

  test('a program that is not on PATH, once', async () => {
    const [finding, ...more] = await found(
      "  - {id: a, run: 'f() { true; }; f; frobnicate x; frobnicate y', changes: none}",
      {},
      { head: 'requires: [frobnicate]\n' },
    )
    expect(finding).toMatchObject({ rule: 'tool-missing', severity: 'warning', step: 'a' })
    expect(more).toEqual([])
    expect(await found('  - {id: a, run: "true"}', {}, { head: 'requires: [frobnicate]\n' })).toMatchObject([
      { rule: 'tool-missing', line: 2 },
    ])
  })

  test('a file to be read', async () => {
    expect(await found('  - {id: a, run: "true"}', {}, { head: 'context: [docs/x.md]\n' })).toMatchObject([
      { rule: 'file-missing', severity: 'warning', line: 2 },
    ])
  })
})

describe('imports', () => {
  const create = (path: string, content: string): string =>
    `{id: a, create: ${path}, content: ${JSON.stringify(content)}}`

  test.each([
    ['src/a.ts', "import { b } from './b.js'\n"],
    ['src/a.ts', "export * from '../b'\n"],
    ['src/a.js', "const b = require('./lib/b')\n"],
    ['a.py', 'from .b import c\n'],
    ['a.c', '#include "./b.h"\n'],
    ['a.rb', "require_relative 'b'\n"],
  ])('%s: %s is not there', async (path, content) => {
    expect(await found(`  - ${create(path, content)}`)).toMatchObject([
      { rule: 'import-unresolved', severity: 'warning', step: 'a' },
    ])
  })

  test.each([
    ['src/a.ts', "import { b } from './b.js'\n", 'src/b.ts'],
    ['src/a.ts', "import { b } from './b'\n", 'src/b/index.ts'],
    ['src/a.js', "const top = require('../')\nconst same = require('..')\n", 'index.js'],
    ['a.js', "const top = require('./')\nconst same = require('.')\n", 'index.js'],
    ['src/a.ts', "// import { b } from './b'\nimport fs from 'node:fs'\nimport { x } from 'fs/promises'\n", 'x'],
    ['a.py', 'from .b import c\nimport os\n', 'b.py'],
    ['a.c', '#include "./b.h"\n#include "elsewhere.h"\n#include <stdio.h>\n', 'b.h'],
  ])('%s: %s is there, or cannot be told', async (path, content, there) => {
    expect(await found(`  - ${create(path, content)}`, { files: { [there]: '' } })).toEqual([])
  })

  const shop = {
    'src/shop/__init__.py': 'from .cart import Cart\n',
    'src/shop/cart.py': '',
    'src/shop/plugins/tax.py': '',
    'tools/release.py': '',
    'docker/Dockerfile': '',
    'alembic/env.py': '',
    'examples/celery/tasks.py': '',
    'requirements.txt': 'Alembic>=1\n',
    'email/__init__.py': '',
  }

  test.each([
    ['src/shop/a.py', 'from .basket import Basket', '.basket'],
    ['src/shop/a.py', 'from . import basket, cart', '.basket'],
    ['src/shop/plugins/a.py', 'from ..pay import card\nfrom ..cart import Cart', '..pay'],
    ['src/shop/a.py', 'import shop.pay', 'shop.pay'],
    ['tests/test_a.py', 'from shop.pay.card import x', 'shop.pay.card.x'],
    ['tests/test_a.py', 'from shop import (\n  Cart,  # there\n  Basket,\n)', 'shop.Basket'],
    ['tests/test_a.py', 'from shop.plugins import vat', 'shop.plugins.vat'],
    ['tools/a.py', 'import os, release, tools.upload as u', 'tools.upload'],
  ])('Python: %s: %s', async (path, content, name) => {
    const messages = (await found(`  - ${create(path, `${content}\n`)}`, { files: shop })).map((each) => each.message)
    expect(messages).toEqual([expect.stringContaining(JSON.stringify(name).slice(0, -1))])
  })

  test.each([
    ['src/shop/a.py', 'from .cart import Cart\nfrom . import cart\nfrom .plugins.tax import x'],
    ['src/shop/a.py', 'from shop import cart, Cart\nimport shop.cart as c, shop.plugins.tax'],
    [
      'tests/test_a.py',
      'import shop\nfrom shop.cart import anything\nfrom shop.plugins import tax\nfrom shop import *',
    ],
    ['tests/test_a.py', 'import os.path, requests, docker.errors\nfrom email.mime import text\nfrom yaml import load'],
    ['tests/test_a.py', 'try:\n    import shop.speedups\nexcept ImportError:\n    from shop.slow import x'],
    ['tests/test_a.py', '"""\nimport shop.pay\n"""\n# import shop.pay\nfrom shop._version import version'],
    ['tests/test_a.py', 'from shop import orders_pb2'],
    ['a.py', 'from tools.release import main\nfrom .... import x'],
    ['alembic/a.py', 'from alembic import context'],
    ['examples/celery/a.py', 'from celery import Celery'],
  ])('Python: what %s imports is there, installed, or cannot be told: %s', async (path, content) => {
    expect(await found(`  - ${create(path, `${content}\n`)}`, { files: shop })).toEqual([])
  })

  test('Python: a module that the plan makes, and one that it moves', async () => {
    const use = create('tests/test_a.py', 'from shop.pay import card\n')
    const files = shop
    expect(await rules(`  - ${use}\n  - {id: b, create: src/shop/pay.py, content: ''}`, { files })).toEqual([])
    const moved = `  - {id: b, move: tools/release.py, to: tools/ship.py}`
    expect(await rules(`  - ${create('a.py', 'import tools.release\n')}\n${moved}`, { files })).toEqual([
      'a: import-unresolved',
    ])
  })

  test('a later step may make it', async () => {
    expect(await rules(`  - ${create('a.ts', "import './b.ts'\n")}\n  - {id: b, create: b.ts, content: ''}`)).toEqual(
      [],
    )
  })

  test('a package that package.json does not name', async () => {
    const files = { 'package.json': '{"dependencies": {"zod": "4", "@a/b": "1"}}' }
    const step = `  - ${create('a.ts', "import z from 'zod'\nimport c from '@a/b/c'\nimport e from 'express'\n")}`
    expect((await found(step, { files })).map(({ message }) => message)).toEqual([
      'a.ts imports "express", which does not exist when the plan is done',
    ])
    expect(await rules(step, { files: { ...files, 'tsconfig.json': '{"compilerOptions": {"paths": {}}}' } })).toEqual(
      [],
    )
  })
})

test('more than there is room for', async () => {
  expect(await rules('  - {id: a, create: a.txt, content: "0123456789"}', { free: 19 })).toEqual([': no-room'])
  expect(await rules('  - {id: a, create: a.txt, content: "0123456789"}', { free: 20 })).toEqual([])
})

describe('syntax', () => {
  test('of what file steps would write', async () => {
    expect(await found('  - {id: a, create: a.json, content: "{"}')).toMatchObject([
      { rule: 'syntax', severity: 'error', step: 'a' },
    ])
    const files = { 'a.ts': 'export const a = 1\n', 'broken.ts': 'export const = 1\n' }
    expect(await rules("  - {id: a, edit: a.ts, replace: '= 1', with: '= ('}", { files })).toEqual(['a: syntax'])
    expect(await rules("  - {id: a, edit: a.ts, replace: '= 1', with: '= 2'}", { files })).toEqual([])
    expect(await rules("  - {id: a, edit: broken.ts, append: '// more'}", { files }), 'it was broken before').toEqual(
      [],
    )
    expect(await rules('  - {id: a, create: a.json, content: "{"}', {}, { config: { syntax: false } })).toEqual([])
  })
})

test('what a thousand steps would make is known', async () => {
  const steps = Array.from(
    { length: 1000 },
    (_, index) => `  - {id: s${index}, create: d${index % 20}/f${index}, content: x}`,
  )
  const { end } = await rehearse(parsed(fenced(`steps:\n${steps.join('\n')}`)).plan, looking({}))
  expect([await end.kind('d1'), await end.kind('d1/f1'), await end.kind('d1/f2')]).toEqual([
    'directory',
    'file',
    'absent',
  ])
})

describe('packages', () => {
  const node: Repo = { files: { 'package.json': '{}', 'package-lock.json': '' }, ignored: ['node_modules/package'] }

  test.each<[string, string, Repo, string[]]>([
    ['as they should be', 'install: x@^1', node, []],
    ['with a manager that is not here', 'install: x, manager: bun', node, ['a: tool-missing']],
    ['where nothing says for what', 'install: x', {}, ['a: manager-unclear']],
    [
      'where two things are said',
      'install: x',
      { files: { 'package.json': '{}', 'package-lock.json': '', 'yarn.lock': '' } },
      ['a: manager-unclear'],
    ],
    ['by the name of another registry', 'install: a/b', node, ['a: install-refused']],
    [
      'that build when they are installed',
      'install: rack',
      { files: { Gemfile: '' }, tools: ['bundle'] },
      ['a: install-refused'],
    ],
    ['that may build', 'install: rack, scripts: true', { files: { Gemfile: '' }, tools: ['bundle'] }, []],
    ['that would be committed', 'install: x', { ...node, ignored: [] }, ['a: packages-not-ignored']],
    ['that are committed anyway', 'install: x', { files: { ...node.files, 'node_modules/y/index.js': '' } }, []],
    ['in no directory', 'install: x, in: packages/api', node, ['a: would-fail']],
    ['behind a link', 'install: x, in: packages/api', { ...node, links: ['packages'] }, ['a: would-fail']],
    ['in another repository', 'install: x, in: m', { ...node, submodules: ['m'] }, ['a: would-fail']],
    [
      'in a workspace',
      'install: x, in: packages/api',
      {
        files: { 'packages/api/package.json': '{}', 'pnpm-lock.yaml': '' },
        ignored: ['packages/api/node_modules/package'],
        tools: ['pnpm'],
      },
      [],
    ],
  ])('%s', async (_, step, repo, expected) => {
    expect(await rules(`  - {id: a, ${step}}`, repo)).toEqual(expected)
  })

  test('are looked for where the key stands, with what to do', async () => {
    expect(await found('  - id: a\n    install: x\n    in: none', node)).toMatchObject([
      {
        rule: 'would-fail',
        severity: 'error',
        step: 'a',
        line: 5,
        column: 5,
        message: 'cannot install in none: none does not exist',
      },
    ])
    expect(await found('  - id: a\n    install: x')).toMatchObject([
      {
        rule: 'manager-unclear',
        severity: 'error',
        advice: expect.stringContaining('set `manager` to one of npm,') as string,
      },
    ])
    expect(await found('  - {id: a, install: rack}', { files: { Gemfile: '' }, tools: ['bundle'] })).toMatchObject([
      { severity: 'error', message: expect.stringContaining('`scripts: true`') as string },
    ])
  })

  test('a step before may settle it', async () => {
    const repo: Repo = { ignored: ['node_modules/package'] }
    expect(await rules('  - {id: m, create: package.json, content: "{}"}\n  - {id: a, install: x}', repo)).toEqual([])
    expect(await rules('  - {id: m, run: npm init -y, files: [package.json]}\n  - {id: a, install: x}', repo)).toEqual(
      [],
    )
    const [finding] = await found('  - {id: m, run: npm init -y}\n  - {id: a, install: x}', repo)
    expect(finding).toMatchObject({
      rule: 'manager-unclear',
      severity: 'warning',
      message: expect.stringContaining('as the repository is now') as string,
    })
  })

  test('a step before may have them ignored', async () => {
    expect(
      await rules('  - {id: m, create: .gitignore, content: "node_modules/"}\n  - {id: a, install: x}', {
        files: node.files ?? {},
      }),
    ).toEqual([])
  })

  test('that a step installs can be imported by what another one writes', async () => {
    const code = "  - {id: c, create: a.js, content: \"import x from '@s/x/deep'\\nimport y from 'y'\\n\"}"
    expect(await rules(`  - {id: a, install: ["@s/x@1"]}\n${code}`, node)).toEqual(['c: import-unresolved'])
    expect(await rules(`  - {id: a, install: ["@s/x@1", y]}\n${code}`, node)).toEqual([])
  })

  test("tools are nobody's concern where dependencies are switched off", async () => {
    expect(await rules('  - {id: a, install: x, manager: bun}', node, { config: { dependencies: false } })).toEqual([])
  })
})
