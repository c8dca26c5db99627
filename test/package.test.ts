// What would be published: packed from a copy of the project, unpacked where nothing else is installed, and used.

import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Metafile } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { grammarFiles, type GrammarName } from '../src/judge/syntax/grammar-files.ts'
import { isWide } from './helpers/wide.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const top = realpathSync(mkdtempSync(join(tmpdir(), 'git-plan-package-')))
/** With a space, as directories of people have it. */
const staged = join(top, 'a clone')
const user = join(top, 'user')
const installed = join(user, 'node_modules', 'git-plan')

const run = (program: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): string =>
  execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string; readonly size: number; readonly mode: number }[]
}

let packed: Packed
let files: string[] = []
const read = (path: string): string => readFileSync(join(installed, path), 'utf8')
const manifest = (): { bin: Record<string, string>; exports: { '.': Record<string, string> }; version: string } =>
  JSON.parse(read('package.json')) as never

beforeAll(() => {
  // A copy, because other tests use the bundle of this clone while it would be built.
  cpSync(root, staged, {
    recursive: true,
    filter: (path) => !['node_modules', '.git', 'dist'].includes(basename(path)),
  })
  const dist = { GIT_PLAN_DIST: join(staged, 'dist') }
  for (const script of ['build.mjs', 'types.mjs']) run(process.execPath, [join(root, '.ci', script)], root, dist)
  const answer = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', top], staged)) as
    | Packed[]
    | Record<string, Packed>
  packed = Object.values(answer)[0]!
  files = packed.files.map(({ path }) => path)
  mkdirSync(installed, { recursive: true })
  run('tar', ['-xzf', join(top, packed.filename), '--strip-components=1', '-C', installed], top)
}, 120_000)

afterAll(() => rmSync(top, { recursive: true, force: true }))

describe('what is in it', () => {
  test('the bundle, the declarations, templates, hooks and the pages, and nothing else', () => {
    const allowed =
      /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|templates\/[\w-]+\.md|templates\/(ci|agents(\/commands)?|grafana)\/[\w-]+\.(yml|md|toml|js|ts|json)|docs\/[\w/-]+\.(md|mjs|txt|svg)|hooks\/[\w-]+|dist\/(acp|cli|index|chunks\/[\w-]+)\.mjs|dist\/ui\/[\w-]+\.(js|css|html|svg)|dist\/grammars\/[\w-]+\.wasm\.br|dist\/THIRD-PARTY-NOTICES\.txt|dist\/man\/[\w-]+\.1|dist\/types\/[\w/-]+\.d\.ts)$/
    expect(files.filter((path) => !allowed.test(path))).toEqual([])
    for (const path of [
      'package.json',
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'dist/acp.mjs',
      'dist/cli.mjs',
      'dist/index.mjs',
      'dist/types/index.d.ts',
      'dist/THIRD-PARTY-NOTICES.txt',
    ])
      expect(files).toContain(path)
    for (const entry of readdirSync(join(root, 'templates'), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) expect(files).toContain(relative(root, join(entry.parentPath, entry.name)))
    for (const name of readdirSync(join(root, 'hooks')).filter((each) => !each.startsWith('.')))
      expect(files).toContain(`hooks/${name}`)
  })

  test('it is small', () => {
    expect(packed.size).toBeLessThan(3_000_000)
    // Compressed, and those that are used: as they come they are sixteen million bytes. Half a million is ast-grep.
    const grammars = packed.files.filter(({ path }) => path.startsWith('dist/grammars/'))
    expect(grammars.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(1_400_000)
  })

  test('no file names a place on the machine that built it', () => {
    const places = [root, staged, realpathSync(join(root, 'node_modules')), tmpdir()].map((path) =>
      path.replace(/\/$/, ''),
    )
    const naming = files
      .filter((path) => path.startsWith('dist/'))
      .filter((path) => places.some((place) => place.length > 4 && read(path).includes(place)))
    expect(naming).toEqual([])
    expect(files.filter((path) => /sourceMappingURL/.test(read(path)))).toEqual([])
  })

  test('nothing is installed with it', () => {
    expect(Object.keys(manifest()).filter((key) => /^(dependencies|optionalDependencies)$/.test(key))).toEqual([])
    const { peerDependencies = {}, peerDependenciesMeta = {} } = manifest() as {
      peerDependencies?: Record<string, string>
      peerDependenciesMeta?: Record<string, { optional?: boolean }>
    }
    expect(Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)).toEqual([])
  })
})

test('the installed program finds its templates', () => {
  const answer = run(process.execPath, [join(installed, 'dist', 'cli.mjs'), 'template', 'list', '--json'], user)
  const { templates } = JSON.parse(answer) as { templates: { name: string; path: string }[] }
  expect(templates.find(({ name }) => name === 'release')?.path).toBe(join(installed, 'templates', 'release.md'))
})

test('a directory that is not an earlier build is not replaced by a new one', () => {
  writeFileSync(join(user, 'mine.txt'), 'mine')
  expect(() => run(process.execPath, [join(root, '.ci', 'build.mjs')], root, { GIT_PLAN_DIST: user })).toThrow(
    'not an earlier build',
  )
})

test.skipIf(!isWide)(
  'npm installs it from a clone, over the build of an earlier version, and a copy of the bundle works anywhere',
  () => {
    rmSync(join(staged, 'dist'), { recursive: true })
    mkdirSync(join(staged, 'dist'))
    writeFileSync(join(staged, 'dist', 'cli.cjs'), '')
    // As `npm ci` would leave them. Links to each package and not to the directory, which `npm ci` would empty.
    mkdirSync(join(staged, 'node_modules'))
    for (const name of readdirSync(join(root, 'node_modules')))
      symlinkSync(join(root, 'node_modules', name), join(staged, 'node_modules', name))
    rmSync(join(staged, 'node_modules/.package-lock.json'))
    cpSync(join(root, 'node_modules/.package-lock.json'), join(staged, 'node_modules/.package-lock.json'))
    const prefix = join(top, 'from a clone')
    run('npm', ['install', '--global', '--offline', '--prefix', prefix, '.'], staged, {
      npm_config_cache: join(top, 'cache'),
    })
    expect(run('git', ['plan', '--version'], top, { PATH: `${join(prefix, 'bin')}:${process.env['PATH']}` })).toContain(
      manifest().version,
    )
    expect(readdirSync(join(staged, 'dist'))).not.toContain('cli.cjs')
    const copy = join(top, 'a copy')
    cpSync(join(staged, 'dist'), copy, { recursive: true })
    expect(run(process.execPath, [join(copy, 'cli.mjs'), '--version'], top)).toContain(manifest().version)
  },
)

/** The chunks that esbuild makes, without the plugins of the build. */
const chunks = async (): Promise<Metafile['outputs']> => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/adapters/cli/entry.ts', 'src/index.ts', 'src/judge/syntax/syntax.ts'],
    outdir: top,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    external: ['@opentelemetry/sdk-node', 'bullmq', 'ioredis', 'pg'],
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  return metafile.outputs
}

/** The page of `git plan ui`, which Vite builds. */
const page = async (): Promise<Metafile['outputs']> => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/adapters/ui/page/main.tsx'],
    outdir: top,
    bundle: true,
    platform: 'browser',
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  return metafile.outputs
}

/**
 * The packages of which something is in these chunks. js-yaml belongs to gray-matter's engines, which the build leaves
 * out.
 */
const packagesIn = (outputs: readonly Metafile['outputs'][string][]): string[] => {
  const paths = outputs.flatMap(({ inputs }) => Object.keys(inputs).filter((path) => inputs[path]!.bytesInOutput > 0))
  const names = paths
    .flatMap((path) => (path.includes('node_modules/') ? [path.slice(path.lastIndexOf('node_modules/') + 13)] : []))
    .map(packageName)
  return [...new Set(names)].filter((name) => name !== 'js-yaml').toSorted()
}

test('a command loads no package that it does not need', async () => {
  const outputs = await chunks()
  /** With everything that is imported, but not by `import()`. */
  const loadedWith = (entry: string): Metafile['outputs'][string][] => {
    const paths = new Set(Object.keys(outputs).filter((path) => outputs[path]!.entryPoint === entry))
    expect(paths.size).toBe(1)
    for (const path of paths)
      for (const each of outputs[path]!.imports)
        if (each.kind === 'import-statement' && !each.external) paths.add(each.path)
    return [...paths].map((path) => outputs[path]!)
  }
  // Help, the version, a usage error: nothing of a repository is read.
  expect(packagesIn(loadedWith('src/adapters/cli/process.ts'))).toEqual([])
  const matter = ['extend-shallow', 'gray-matter', 'is-extendable', 'kind-of', 'section-matter', 'strip-bom-string']
  for (const name of ['list', 'status', 'show', 'log'])
    expect(packagesIn(loadedWith(`src/commands/inspect/${name}.ts`))).toEqual([...matter, 'yaml', 'zod'])
})

describe('the licences of what is bundled', () => {
  test('every package of which something is in the bundle has its notice', async () => {
    const names = new Set(packagesIn([...Object.values(await chunks()), ...Object.values(await page())]))
    // Beside the bundle, as they are.
    for (const file of Object.values(grammarFiles)) names.add(packageName(file))
    expect([...names]).toEqual(expect.arrayContaining(['zod', 'yaml', 'execa', 'gray-matter', 'simple-git']))
    const text = read('dist/THIRD-PARTY-NOTICES.txt')
    const headed = new Set(
      [...text.matchAll(/^-{80}\n(\S+) \d+\.\d+\.\d+\S* \(.+\)\n-{80}$/gm)].map(([, name]) => name),
    )
    expect([...headed].toSorted()).toEqual([...names].toSorted())
    expect(files.filter((path) => path.endsWith('.mjs') && read(path).includes('esprima'))).toEqual([])
  })

  test('the text of the licence is in it', () => {
    const text = read('dist/THIRD-PARTY-NOTICES.txt')
    for (const name of ['zod', 'yaml', 'web-tree-sitter', '@vscode/tree-sitter-wasm', 'tree-sitter-html']) {
      const licence = readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8').trim()
      expect(text).toContain(licence)
    }
    // That package compiles what others have written.
    for (const name of Object.keys(grammarFiles))
      if (grammarFiles[name as GrammarName].startsWith('@vscode/'))
        expect(text).toContain(`tree-sitter-${name}: Copyright (c) `)
    expect(text).not.toContain('undefined')
  })
})

const packageName = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/')

describe('where it is installed', () => {
  test('the program has its first line, may be executed, and runs', () => {
    const { bin, version } = manifest()
    const program = join(installed, bin['git-plan']!)
    expect(readFileSync(program, 'utf8').split('\n')[0]).toBe('#!/usr/bin/env node')
    expect(statSync(program).mode & 0o111).toBe(0o111)
    expect(run(program, ['--version'], user)).toContain(version)
  })

  test('what package.json exports is there', () => {
    for (const target of Object.values(manifest().exports['.'])) expect(files).toContain(target.replace('./', ''))
  })

  test('the library can be imported, and parses a plan', () => {
    writeFileSync(
      join(user, 'use.mjs'),
      "import { parsePlan } from 'git-plan'\nconst parsed = parsePlan(Buffer.from('---\\nsteps:\\n  - run: npm test\\n---\\n'), { file: 'a.md' })\nconsole.log(parsed.ok && parsed.plan.steps[0].verb)\n",
    )
    expect(run(process.execPath, ['use.mjs'], user)).toBe('run\n')
  })

  test('it can tell of each kind of language whether a text parses', () => {
    writeFileSync(
      join(user, 'syntax.mjs'),
      `import { syntaxProblems } from './node_modules/git-plan/dist/chunks/syntax.mjs'
const texts = { 'a.py': 'x = (1', 'a.go': 'package a\\nfunc f() {', 'a.rs': 'fn f( {}', 'A.java': 'class A {', 'a.rb': 'def f', 'a.php': '<?php f(', 'a.yaml': 'a: [1', 'a.toml': 'a = [1', 'a.html': '<a b="c>', 'a.ts': 'let a: = 1', 'a.sh': 'if a', 'a.json': '{', 'a.css': 'a {', 'a.md': '(' }
const judged = Object.entries(texts).map(async ([path, text]) => (await syntaxProblems(path, text)).length > 0 ? path : '')
Promise.all(judged).then((found) => console.log(found.join(' ').trim()))
`,
    )
    expect(run(process.execPath, ['syntax.mjs'], user)).toBe(
      'a.py a.go a.rs A.java a.rb a.php a.yaml a.toml a.html a.ts a.sh a.json a.css\n',
    )
  })

  test('a strict program type-checks with it, with nothing else installed but the types of Node', () => {
    for (const name of ['@types/node', 'undici-types'])
      cpSync(join(root, 'node_modules', name), join(user, 'node_modules', name), { recursive: true, dereference: true })
    writeFileSync(join(user, 'package.json'), '{ "type": "module" }')
    writeFileSync(
      join(user, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          skipLibCheck: false,
          noEmit: true,
          target: 'es2023',
          module: 'nodenext',
          moduleResolution: 'nodenext',
          types: ['node'],
        },
        files: ['use.ts'],
      }),
    )
    writeFileSync(
      join(user, 'use.ts'),
      `import { openPlans, PlanError, exitCodes, parsePlan, planJsonSchema, type Finding, type ParseResult, type Plan, type PlansResult, type ReportData, type RunEvent, type Step, type StepStatus } from 'git-plan'
const parsed: ParseResult = parsePlan(Buffer.from('---'), { file: 'a.md' })
if (parsed.ok) {
  const plan: Plan = parsed.plan
  const steps: readonly Step[] = plan.steps
  const state: StepStatus | undefined = steps[0] && plan.state.get(steps[0].id)
  // @ts-expect-error: a status is one of the known words, so the types did arrive.
  const wrong: StepStatus = 'nonsense'
  // @ts-expect-error: a title is text.
  const title: number = plan.title
  console.log(steps[0]?.verify[0]?.kind, state, wrong, title, exitCodes.usage, planJsonSchema())
} else {
  const findings: Finding[] = parsed.findings
  throw new PlanError('invalid-plan', findings[0]?.message ?? '', { hint: 'git plan check' })
}
const events: RunEvent[] = []
const plans = openPlans({ directory: '.', onEvent: (event) => events.push(event) })
const run = await plans.start({ plan: 'a', approve: true })
const end: 'completed' | 'failed' | 'waiting' | 'interrupted' = run.data.end
const reported: PlansResult<ReportData> = await plans.report({ plan: 'a' })
const result: ReportData['checks'][number]['result'] | undefined = reported.data.checks[0]?.result
// @ts-expect-error: a plan has to be named.
await plans.status({})
// @ts-expect-error: a text or a file, not both.
await plans.new({ text: '---', file: 'a.md' })
console.log(end, result, run.data.steps[0]?.durationMs, run.nextCommands[0])
`,
    )
    const checked = run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', '.', '--pretty', 'false'], user)
    expect(checked).toBe('')
  })

  test('npm puts it into an empty prefix, where git finds the command and man its pages', () => {
    const prefix = join(top, 'prefix')
    run(
      'npm',
      ['install', '--global', '--offline', '--no-audit', '--no-fund', '--prefix', prefix, join(top, packed.filename)],
      top,
      {
        npm_config_cache: join(top, 'cache'),
      },
    )
    const elsewhere = join(top, 'elsewhere')
    mkdirSync(elsewhere)
    const path = { PATH: `${join(prefix, 'bin')}:${process.env['PATH']}`, HOME: elsewhere }
    run('git', ['init', '-q', '-b', 'main'], elsewhere, path)
    expect(run('git', ['plan', '--version'], elsewhere, path)).toContain(manifest().version)
    expect(run('git', ['plan', 'list'], elsewhere, path)).toContain('No plans')
    run('git', ['plan', 'hooks', 'install', 'pre-commit', 'pre-push', 'pre-receive'], elsewhere, path)
    for (const name of ['pre-commit', 'pre-push', 'pre-receive']) {
      expect(readFileSync(join(elsewhere, '.git/hooks', name), 'utf8')).toBe(read(`hooks/${name}`))
      expect(packed.files.find((file) => file.path === `hooks/${name}`)?.mode).toBe(0o755)
    }
    // What `git plan --help` and `man git-plan` open.
    for (const page of ['git-plan.1', 'git-plan-resume.1'])
      expect(readFileSync(join(prefix, 'share/man/man1', page), 'utf8')).toContain('.SH')
  })
})
