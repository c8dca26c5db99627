// The rules of the house, read off the import statements. A rule that the code has a reason to break has its exception
// here, with the reason.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { groups } from '../src/commands/table/index.ts'

const src = fileURLToPath(new URL('../src', import.meta.url))

interface Import {
  /** Relative to src, such as `plan/model/ids.ts`; the bare name for a package. */
  readonly target: string
  readonly isTypeOnly: boolean
}

interface Source {
  /** Relative to src. */
  readonly path: string
  readonly folder: string
  readonly text: string
  /** Without comments, and with the contents of plain strings and templates left out. */
  readonly code: string
  readonly imports: readonly Import[]
}

const importPattern =
  /^\s*(?:import|export)\s+(?:(type)\s+)?(?:[^'"`;]*?\s+from\s+)?['"]([^'"]+)['"]|(?<![\w.])import\(\s*['"]([^'"]+)['"]\s*\)/gm

function importsOf(path: string, text: string): Import[] {
  return [...text.matchAll(importPattern)].map(([whole, type, named, dynamic]) => {
    const name = named ?? dynamic ?? ''
    const target = name.startsWith('.') ? relative(src, join(src, dirname(path), name)) : name
    // `import { type A, type B }` brings no code along either.
    const names =
      /\{([^}]*)\}/
        .exec(whole)?.[1]
        ?.split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '') ?? []
    return {
      target,
      isTypeOnly: type !== undefined || (names.length > 0 && names.every((each) => each.startsWith('type '))),
    }
  })
}

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
const withoutStrings = (text: string): string => text.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")

const sources: readonly Source[] = readdirSync(src, { recursive: true, encoding: 'utf8' })
  // What declares the types of a package that has none is no code of ours.
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
  .toSorted()
  .map((path) => {
    const text = readFileSync(join(src, path), 'utf8')
    return {
      path,
      folder: path.includes('/') ? path.slice(0, path.indexOf('/')) : '',
      text,
      code: withoutStrings(withoutComments(text)),
      imports: importsOf(path, withoutComments(text)),
    }
  })

const folderOf = (target: string): string => (target.includes('/') ? target.slice(0, target.indexOf('/')) : '')

/** Imports that a rule forbids, as `file → target`, for a readable failure. */
const offences = (files: readonly Source[], isForbidden: (each: Import, file: Source) => boolean): string[] =>
  files.flatMap((file) =>
    file.imports.filter((each) => isForbidden(each, file)).map(({ target }) => `${file.path} → ${target}`),
  )

/** Files that bring a module along, and not only its types. */
const importersOf = (module: string): string[] =>
  sources
    .filter(({ imports }) => imports.some(({ target, isTypeOnly }) => target === module && !isTypeOnly))
    .map(({ path }) => path)

const usesOf = (pattern: RegExp, files: readonly Source[]): string[] =>
  files.filter(({ code }) => pattern.test(code)).map(({ path }) => path)

test('the reader of imports sees every form of them', () => {
  const text =
    "import a from 'node:fs'\nimport type { B } from '../plan/model/plan.ts'\nimport { type C, type D } from './c.ts'\nimport { e, type F } from './e.ts'\nexport * from './g.ts'\nimport {\n  h,\n} from './h.ts'\nconst i = await import('./i.ts')\n"
  expect(importsOf('engine/x.ts', text)).toEqual([
    { target: 'node:fs', isTypeOnly: false },
    { target: 'plan/model/plan.ts', isTypeOnly: true },
    { target: 'engine/c.ts', isTypeOnly: true },
    { target: 'engine/e.ts', isTypeOnly: false },
    { target: 'engine/g.ts', isTypeOnly: false },
    { target: 'engine/h.ts', isTypeOnly: false },
    { target: 'engine/i.ts', isTypeOnly: false },
  ])
  expect(sources.length).toBeGreaterThan(100)
  expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(400)
})

interface Layer {
  readonly folder: string
  readonly imports?: readonly string[]
  readonly types?: readonly string[]
  readonly packages?: readonly string[]
}

describe('imports go one way', () => {
  const { layers } = JSON.parse(readFileSync(join(src, 'layers.json'), 'utf8')) as { layers: readonly Layer[] }
  const isWithin = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`)
  const covers = (places: readonly string[] = [], path: string): boolean =>
    places.some((place) => (place.endsWith('*') ? path.startsWith(place.slice(0, -1)) : isWithin(path, place)))
  /** The longest folder that a path is in. */
  const layerOf = (path: string): Layer | undefined =>
    layers.filter(({ folder }) => isWithin(path, folder)).toSorted((a, b) => b.folder.length - a.folder.length)[0]

  const isAllowed = ({ target, isTypeOnly }: Import, layer: Layer): boolean => {
    // Styles are for the browser.
    if (target.endsWith('.css')) return true
    if (!/\.tsx?$/.test(target)) return covers(layer.packages, target)
    return (
      target === 'errors.ts' ||
      layerOf(target) === layer ||
      covers(layer.imports, target) ||
      (isTypeOnly && covers(layer.types, target))
    )
  }

  test('every file is in a layer', () => {
    expect(sources.filter(({ path }) => layerOf(path) === undefined).map(({ path }) => path)).toEqual([])
  })

  test('the table names what there is', () => {
    const places = layers.flatMap(({ folder, imports = [], types = [] }) => [
      folder,
      ...imports,
      ...types.filter((each) => each !== '*'),
    ])
    expect(places.filter((place) => !existsSync(join(src, place)))).toEqual([])
  })

  test.each(layers)('$folder imports what its row in layers.json lets it import', (layer) => {
    const files = sources.filter(({ path }) => layerOf(path) === layer)
    expect(offences(files, (each) => !isAllowed(each, layer))).toEqual([])
  })

  test('a layer imports no layer above it', () => {
    const rank = (path: string): number => layers.findIndex((layer) => layer === layerOf(path))
    expect(
      offences(
        sources,
        ({ target, isTypeOnly }, { path }) => /\.tsx?$/.test(target) && !isTypeOnly && rank(target) > rank(path),
      ),
    ).toEqual([])
  })

  test('the rules that bring a parser along are never loaded with what reads a plan: where they are used, they come by import()', () => {
    const loaded = ['patterns', 'references', 'syntax', 'secrets'].map((name) => `judge/plan/rules/${name}.ts`)
    const readers = sources.filter(
      ({ path }) => /^(judge\/plan|store|view)\//.test(path) && ![...loaded, 'judge/plan/check-tree.ts'].includes(path),
    )
    for (const { path, text } of readers)
      expect(text, path).not.toMatch(
        /^import (?!type).*from '(\.\.\/)+(shell|syntax|secrets)\/|^import .*(rules\/(patterns|references|syntax|secrets)|check-tree)/m,
      )
  })

  test('who looks for secrets comes by find-secrets.ts, who masks them by mask.ts or masked.ts', () => {
    const doors = ['secrets/find-secrets.ts', 'secrets/mask.ts', 'secrets/masked.ts']
    const outside = sources.filter(({ folder }) => folder !== 'secrets')
    expect(offences(outside, ({ target }) => folderOf(target) === 'secrets' && !doors.includes(target))).toEqual([])
  })

  test('the client of a forge comes by import()', () => {
    const port = sources.find(({ path }) => path === 'remote/forge/forge.ts')
    expect(port?.text).not.toMatch(/^import .*(github|gitlab|gitea)/m)
  })
})

describe('one place for each door to the outside', () => {
  const importers = (name: RegExp): string[] =>
    sources.filter(({ imports }) => imports.some(({ target }) => name.test(target))).map(({ path }) => path)

  test('programs are started in process, in git and, with the terminal, by one file', () => {
    const found = importers(/^(node:)?child_process$|^execa$/).filter((path) => !/^(git|process)\//.test(path))
    expect(found).toEqual(['adapters/acp/client.ts', 'adapters/cli/terminal-program.ts'])
  })

  test('gray-matter is behind split.ts, yaml behind yaml.ts, and behind a second one that reads files which are not plans', () => {
    expect(importers(/^gray-matter$/)).toEqual(['plan/file/split.ts'])
    expect(importers(/^yaml$/).toSorted()).toEqual(['plan/file/yaml.ts', 'remote/forge/stored-tokens.ts'])
  })

  test('octokit is behind github-api.ts, and requests are sent by http.ts, by webhook.ts to an address of the settings, and in the browser by api.ts', () => {
    expect(importers(/^@octokit\//)).toEqual(['remote/forge/github-api.ts'])
    expect(
      usesOf(/\bglobalThis\.fetch|(?<![\w.]|function )fetch\(/, sources).filter(
        (path) => path !== 'remote/forge/forge.ts',
      ),
    ).toEqual(['adapters/ui/page/api.ts', 'notify/webhook.ts', 'remote/forge/http.ts'])
  })

  test('smol-toml is behind toml.ts, and loaded where there is any TOML', () => {
    expect(importers(/^smol-toml$/)).toEqual(['plan/text/toml.ts'])
    expect(sources.find(({ path }) => path === 'plan/text/toml.ts')?.text).toContain("await import('smol-toml')")
  })

  test('each parser of programs is behind one file, and unbash behind a second one that judges whole scripts', () => {
    expect(importers(/^unbash$/).toSorted()).toEqual(['judge/shell/parse.ts', 'judge/syntax/shell.ts'])
    expect(importers(/^web-tree-sitter$/)).toEqual(['judge/syntax/grammars.ts'])
    expect(importers(/^@babel\/parser$/)).toEqual(['judge/syntax/script.ts'])
    expect(importers(/^css-tree\/parser$/)).toEqual(['judge/syntax/css.ts'])
  })

  test('secretlint is behind secretlint.ts, and that is loaded where there may be a secret', () => {
    expect(importers(/^@secretlint\//)).toEqual(['secrets/secretlint.ts'])
    expect(importers(/^secrets\/secretlint\.ts$/)).toEqual(['secrets/find-secrets.ts'])
    expect(sources.find(({ path }) => path === 'secrets/find-secrets.ts')?.text).toContain(
      "await import('./secretlint.ts')",
    )
  })

  test('simple-git is behind porcelain.ts', () => {
    expect(importers(/^simple-git$/)).toEqual(['git/command/porcelain.ts'])
  })

  test('packages that the tests alone may use are in no source', () => {
    expect(importers(/^(fast-check|vitest)/)).toEqual([])
    // Only the refs of a server.
    expect(importers(/^isomorphic-git/)).toEqual(['fleet/server-refs.ts'])
  })

  // The client of agents is a program of its own.
  const outsideCli = sources.filter(
    ({ path }) => !path.startsWith('adapters/cli/') && path !== 'adapters/acp/client.ts',
  )
  // The library takes directory, environment and clock of the process where its caller gives none.
  // The page has the clock of the browser.
  const belowAdapters = outsideCli.filter(
    ({ path }) => path !== 'adapters/library/open-plans.ts' && !path.startsWith('adapters/ui/page/'),
  )

  test('the terminal belongs to cli: no console, no standard streams elsewhere', () => {
    expect(usesOf(/\bconsole\s*\./, outsideCli)).toEqual([])
    expect(usesOf(/\bprocess\s*\.\s*(stdout|stderr|stdin)\b/, outsideCli)).toEqual([])
  })

  test('the process belongs to cli: no exit, no environment, no arguments, no directory elsewhere', () => {
    expect(usesOf(/\bprocess\s*\.\s*(exit|exitCode|env|argv|cwd|chdir|on|once)\b/, belowAdapters)).toEqual([])
  })

  test('what is used of the process elsewhere is who it is and whom it may signal', () => {
    const used = new Set(
      belowAdapters.flatMap(({ code }) => [...code.matchAll(/(?<![\w./'])process\.(\w+)/g)].map(([, name]) => name)),
    )
    // `versions` is what doctor looks at; `getuid` tells whose processes can be judged, `geteuid` whose repositories
    // git trusts; `uptime` is how long something took; `memoryUsage` tells the size of a page; `execPath` starts the
    // client of agents.
    expect(
      [...used].filter(
        (name) =>
          !`pid kill platform versions getuid geteuid uptime memoryUsage execPath`.split(' ').includes(name ?? ''),
      ),
    ).toEqual([])
  })

  test('the clock arrives as an argument, but for how long something took', () => {
    expect(usesOf(/\bnew Date\(\)/, belowAdapters)).toEqual([])
    // Durations, deadlines, the age of what was just written and the time of a commit, all within one run of the
    // program. No other file reads a clock.
    const durations = [
      'engine/workspace/clean-file-cache.ts',
      'git/write/object-store.ts',
      'engine/step/step-shell.ts',
      'engine/schedule/run-plan.ts',
      'process/kill-descendants.ts',
      'process/run-shell.ts',
      'git/trust/identity.ts',
      'git/command/git-config.ts',
      'judge/syntax/grammars.ts',
      'judge/refactor/rewriter.ts',
      // How long until a forge takes requests again, where its caller gives no clock.
      'remote/forge/http.ts',
    ]
    expect(
      usesOf(/\bDate\.now\(\)|\bperformance\.now\(\)|\bprocess\.uptime\(\)/, belowAdapters).filter(
        (path) => !durations.includes(path),
      ),
    ).toEqual([])
  })
})

describe('one gate', () => {
  const withPermit = (paths: readonly string[]): string[] =>
    usesOf(/\brequirePermit\(/, sources).filter((path) => paths.includes(path))

  test('makes the permits, and nobody else does', () => {
    expect(usesOf(/\bnew Permit\(/, sources)).toEqual(['approval/flow/gate.ts'])
    expect(usesOf(/\.permit\s*=[^=]/, sources)).toEqual(['approval/flow/gate.ts', 'engine/rollback/rollback.ts'])
  })

  test('no command of a plan is started without one', () => {
    const starters = importersOf('process/run-shell.ts')
    // The last one starts no command of a plan, but an agent that a person named, to write a plan.
    expect(starters).toEqual(['engine/preflight/rerun.ts', 'engine/step/step-shell.ts', 'protocol/ask-agent.ts'])
    expect(withPermit(starters)).toEqual(starters.slice(0, 2))
    const performers = ['engine/schedule/run-plan.ts', 'engine/step/perform-step.ts']
    expect(withPermit(performers)).toEqual(performers)
  })

  test('no base is moved and no pull request merged without one', () => {
    const mergers = usesOf(/\bmoveBase\(|\bforge\.merge\(/, sources)
    expect(mergers).toEqual(['commands/finish/finish.ts', 'remote/finish-on-forge.ts'])
    expect(withPermit(mergers)).toEqual(mergers)
    // Whoever names a branch that is not a plan's, and moves refs: the others read the base, fetch it, or push what was
    // merged.
    const movers = sources
      .filter(({ code, text }) => /\bmove(Refs|Base)\(/.test(code) && /refs\/heads\/\$\{/.test(text))
      .map(({ path }) => path)
    expect(movers).toEqual([
      'commands/finish/finish.ts',
      'engine/switch/origin.ts',
      'protocol/propose.ts',
      'remote/fetch-plan.ts',
      'remote/publish-finished.ts',
    ])
  })

  test('the hook on the server asks what `finish` asks', () => {
    expect(usesOf(/\bisTakenOver: (true|!)/, sources)).toEqual(['approval/flow/gate.ts', 'guards/audited.ts'])
  })
})

describe('files', () => {
  test('there are no default exports', () => {
    expect(usesOf(/^\s*export\s+default\b|\bas\s+default\b/m, sources)).toEqual([])
  })

  test('each folder says in a README what it is for, and what the folders in it are for', () => {
    const foldersIn = (folder: string): string[] =>
      readdirSync(join(src, folder)).filter((name) => statSync(join(src, folder, name)).isDirectory())
    for (const folder of foldersIn('.')) {
      const readme = readFileSync(join(src, folder, 'README.md'), 'utf8')
      for (const inner of foldersIn(folder)) expect(readme, folder).toContain(`${inner}/`)
    }
  })

  test('no file is longer than 400 lines', () => {
    expect(
      sources
        .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
        .filter(({ lines }) => lines > 400),
    ).toEqual([])
  })

  test('names are kebab-case and say what is in the file', () => {
    const names = sources.map(
      ({ path }) =>
        path
          .split('/')
          .at(-1)
          ?.replace(/\.tsx?$/, '') ?? '',
    )
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([])
    expect(names.filter((name) => /^(utils?|helpers?|managers?|data|misc)$/.test(name))).toEqual([])
  })

  test('each command has a file, in the folder of its group in the help', () => {
    for (const { title, commands } of groups)
      for (const { name } of commands)
        expect(readdirSync(join(src, 'commands', title.toLowerCase())), title).toContain(`${name}.ts`)
  })
})

test('no test asserts how long something takes: the machine may be busy', () => {
  const tests = fileURLToPath(new URL('.', import.meta.url))
  const measures = /performance\.now|cpuUsage|hrtime/
  // The fuzz, the load and the browser are commands of their own, and what they measure is a figure or a limit of theirs.
  const allowed = ['faults/load.test.ts', 'fuzz/judge.ts', 'browser/size.test.ts', 'architecture.test.ts']
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !allowed.includes(path),
  )
  expect(files.filter((path) => measures.test(readFileSync(join(tests, path), 'utf8')))).toEqual([])
})
