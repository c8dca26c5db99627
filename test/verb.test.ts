// One more verb is one file and one line: the program is built with a verb that its sources do not have, and uses it.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { expect } from 'vitest'
import { stepSchema } from '../src/plan/file/schema.ts'
import { registerVerbs, verbs } from '../src/plan/verbs/index.ts'
import { ended, planText, test } from './helpers/repo.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'src/plan/verbs')
const registry = join(folder, 'index.ts')

/** The one file. */
const shout = `
import { repoPath, required } from '../model/schema-types.ts'
import type { SpecOf, Verb } from '../model/verb.ts'

const shape = { shout: () => required(repoPath, 'The file to write in capitals') }
type Spec = SpecOf<typeof shape>

export const shout: Verb<Spec> = {
  name: 'shout',
  summary: 'Writes a text file in capitals.',
  shape,
  risk: 'MEDIUM',
  derive: ({ shout }) => ({ id: \`shout-\${shout}\`, title: \`Shout \${shout}\` }),
  paths: ({ shout }) => ({ reads: [shout], writes: [shout], deletes: [] }),
  async perform({ shout }, { tree }) {
    if ((await tree.kind(shout)) !== 'file') return { kind: 'failed', reason: 'verb', message: \`cannot shout \${shout}: there is no such file\` }
    const text = new TextDecoder().decode(await tree.read(shout))
    await tree.write(shout, new TextEncoder().encode(text.toUpperCase()))
    return { kind: 'performed' }
  },
}
`

/** The one line in the registry, with its import. No other file is changed. */
const registered = (text: string): string =>
  text
    .replace('import { run }', "import { shout } from './shout.ts'\nimport { run }")
    .replace(/^ {2}run,$/m, '  run,\n  shout,')

const withShout: Plugin = {
  name: 'one more verb',
  setup(build) {
    build.onResolve({ filter: /^\.\/shout\.ts$/ }, () => ({ path: join(folder, 'shout.ts') }))
    build.onLoad({ filter: /shout\.ts$/ }, () => ({ contents: shout, loader: 'ts', resolveDir: folder }))
    build.onLoad({ filter: /verbs\/index\.ts$/ }, () => ({
      contents: registered(readFileSync(registry, 'utf8')),
      loader: 'ts',
      resolveDir: folder,
    }))
  },
}

test('a verb that is one file and one line is parsed, checked, run, committed and in the schema', async ({ repo }) => {
  const cli = join(dirname(repo.dir), 'cli.cjs')
  await build({
    absWorkingDir: root,
    entryPoints: ['src/adapters/cli/process.ts'],
    outfile: cli,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    define: { GIT_PLAN_VERSION: '"test"' },
    logLevel: 'error',
    plugins: [withShout],
  })
  const plan = (...args: string[]) =>
    ended(spawn(process.execPath, [cli, ...args], { cwd: repo.dir, env: repo.env, stdio: ['ignore', 'pipe', 'pipe'] }))

  repo.write('.plans/loud.md', planText('  - shout: a.txt'))
  const checked = await plan('check', '.plans/loud.md')
  expect(checked.all).toContain('MEDIUM, shout step')
  const ran = await plan('start', '.plans/loud.md', '--approve')
  expect(ran.all).toContain('Completed loud')
  expect(repo.read('a.txt')).toBe('HELLO\n')
  expect(repo.subjects('HEAD').slice(0, 2)).toEqual(['Completed: loud', 'Shout a.txt'])
  expect(repo.git(['show', 'HEAD~1', '--format=', '--name-only'])).toBe('.plans/loud.md\na.txt')

  repo.write('bad.md', planText('  - shout: a.txt\n    content: x'))
  expect((await plan('check', 'bad.md')).all).toContain('unknown key `content`')
  expect((await plan('schema')).stdout).toContain('The file to write in capitals')
})

test('the registry has one import and one entry a verb, and every file is in it', () => {
  const text = readFileSync(registry, 'utf8')
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && name !== 'index.ts')
  const imported = [...text.matchAll(/^import \{ \w+ \} from '\.\/([\w-]+\.ts)'$/gm)].map(([, name]) => name)
  expect(imported.toSorted()).toEqual(files.toSorted())
  expect(Object.keys(verbs)).toHaveLength(files.length)
  for (const [name, verb] of Object.entries(verbs)) {
    expect(verb.name).toBe(name)
    expect(Object.keys(verb.shape)).toContain(name)
    expect(stepSchema(verb, {}).safeParse({ [name]: 7 }).success).toBe(false)
  }
})

test('a name that is a key of another verb or of every step is refused at registration', () => {
  const { run, edit } = verbs as Record<'run' | 'edit', (typeof verbs)[string]>
  const named = (name: string) => ({ ...run, name, shape: { [name]: run.shape['run']! } })
  expect(() => registerVerbs([edit, named('with')])).toThrow('the verb `with` has the name of a key of the verb `edit`')
  expect(() => registerVerbs([named('with'), edit])).toThrow('the verb `with` has the name of a key of the verb `edit`')
  expect(() => registerVerbs([named('title')])).toThrow('the verb `title` has the name of a key of every step')
  expect(() => registerVerbs([run, named('run')])).toThrow('the verb `run` is registered twice')
})

test('no file beside the registry and its own names a verb', () => {
  // What is common to several verbs is asked of the descriptor. Three places still look at a name: a step that deletes
  // or decides makes no file that could be missing afterwards.
  const naming = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('plan/verbs/'))
    .filter((path) => /\.verb\s*[!=]==\s*'/.test(readFileSync(join(root, 'src', path), 'utf8')))
  expect(naming.toSorted()).toEqual([
    'engine/preflight/lost-files.ts',
    'engine/step/verify.ts',
    'judge/plan/rules/graph.ts',
  ])
})
