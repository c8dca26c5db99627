// A small real project for each template, and what must hold before and after its plan.

import { spawnSync } from 'node:child_process'
import type { TestRepo } from './repo.ts'

export interface TemplateProject {
  readonly files: Readonly<Record<string, string>>
  readonly params: readonly string[]
  /** A command that fails before the plan has run, and passes after it. */
  readonly proof: string
  /** A gate that has to be answered. */
  readonly gate?: string
  readonly settings?: Readonly<Record<string, string>>
}

const manifest = (test: string): string =>
  `${JSON.stringify({ name: 'shop', version: '1.0.0', private: true, type: 'module', scripts: { test } }, undefined, 2)}\n`

const module = 'export const cart = []\nexport const addToCart = (item) => cart.push(item)\n'

export const templateProjects: Readonly<Record<string, TemplateProject>> = {
  'add-crud-endpoints': {
    files: { 'package.json': manifest('node --test') },
    params: ['resource=orders'],
    proof: 'node --test test/orders.test.mjs',
  },
  'add-testing-suite': {
    files: { 'package.json': manifest('exit 1'), 'src/cart.js': module },
    params: ['module=src/cart.js', 'exports=addToCart'],
    proof: 'npm test',
  },
  'refactor-to-pattern': {
    files: {
      'package.json': manifest('node src/main.js'),
      'src/file.js': "export const save = () => 'saved'\n",
      'src/main.js': "import { save } from './file.js'\nif (save() !== 'saved') throw new Error('not saved')\n",
    },
    params: [
      'source=src/file.js',
      'interface=src/storage.js',
      'callers=src/main.js',
      "old=from './file.js'",
      "new=from './storage.js'",
      "content=export { save } from './file.js'",
    ],
    proof: 'grep -q "from \'./storage.js\'" src/main.js && npm test',
  },
  'rename-symbol': {
    files: {
      'package.json': manifest('node test/shop.test.js'),
      'src/shop.js': module,
      'test/shop.test.js':
        "import { addToCart, cart } from '../src/shop.js'\naddToCart(1)\nif (cart.length !== 1) throw new Error('not added')\n",
    },
    params: ['from=cart', 'to=basket'],
    proof: "grep -q 'addToCart, basket' test/shop.test.js && npm test",
  },
  'migrate-config': {
    files: {
      'package.json': manifest('node src/main.js'),
      'settings.json': '{"port":80}\n',
      'src/main.js':
        "import { readFileSync } from 'node:fs'\nif (JSON.parse(readFileSync('settings.json', 'utf8')).port !== 80) throw new Error()\n",
    },
    params: ['from=settings.json', 'to=config/settings.json', 'users=src/main.js'],
    proof: 'test -s config/settings.json && test ! -e settings.json && npm test',
  },
  release: {
    files: { 'package.json': manifest('exit 0'), 'CHANGELOG.md': '# Changes\n\n## 1.0.0\n\n- first\n' },
    params: ['version=1.1.0', 'notes=- a "quoted" $HOME `word`'],
    proof: 'grep -qF -e \'- a "quoted" $HOME `word`\' CHANGELOG.md && grep -q \'"version": "1.1.0"\' package.json',
    gate: 'go',
  },
  codemod: {
    files: {
      'package.json': manifest('node src/main.js'),
      'src/main.js': 'var x = 1\n',
      'codemods/no-var.mjs': `import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
const [directory] = process.argv.slice(2)
for (const name of readdirSync(directory)) {
  const file = directory + '/' + name
  writeFileSync(file, readFileSync(file, 'utf8').replace(/\\bvar\\b/g, 'const'))
}
`,
    },
    params: ['script=codemods/no-var.mjs'],
    proof: "grep -q 'const x' src/main.js",
  },
  'agent-pipeline': {
    files: {
      'package.json': manifest('node --test test'),
      'src/index.js': 'export const old = 1\n',
      'test/old.test.js': "import '../src/index.js'\n",
      // Does what the step asks for, as an agent would; the tests that it writes fail at first.
      'agent.sh': `case $PLAN_STEP in
  research | plan | review | security) mkdir -p docs/changes/greet; echo "about $PLAN_STEP" > docs/changes/greet/$PLAN_STEP.md ;;
  test) echo "import { greet } from '../src/index.js'; if (greet() !== 'hello') throw new Error('no')" > test/greet.test.js ;;
  implement) echo "export const greet = () => 'hello'" >> src/index.js ;;
  docs) echo "greet() says hello." >> README.md ;;
esac
`,
    },
    params: ['name=greet', 'task=Say hello', 'agent=worker'],
    proof: 'npm test && test -s docs/changes/greet/review.md && grep -q greet README.md src/index.js',
    gate: 'agree',
    settings: { 'plan.agent.worker.run': 'sh agent.sh' },
  },
  'upgrade-dependency': {
    files: {
      '.gitignore': 'node_modules/\n',
      'package.json': `${JSON.stringify({ name: 'shop', version: '1.0.0', private: true, scripts: { test: 'exit 0' }, dependencies: { limiter: '^6.0.0' } })}\n`,
    },
    params: ['package=limiter', 'version=^7'],
    proof: `grep -Eq '"limiter": ?"[\\^]7' package.json`,
  },
}

/** Runs the plan of a template to its end; the proof must fail before and pass after. */
export async function runTemplate(
  repo: TestRepo,
  name: string,
): Promise<{ before: number; after: number; all: string }> {
  const { files, params, proof, gate, settings = {} } = templateProjects[name]!
  for (const [key, value] of Object.entries(settings)) repo.git(['config', key, value])
  for (const [path, text] of Object.entries(files)) repo.write(path, text)
  repo.commit('A project')
  const before = sh(repo, proof)
  const given = params.flatMap((param) => ['-p', param])
  const made = await repo.plan(['new', '--template', name, '--id', 'made', ...given])
  const ran = await repo.plan(['start', 'made', '--approve'])
  const answered = gate === undefined ? undefined : await repo.plan(['resume', '--done', gate])
  return { before, after: sh(repo, proof), all: `${made.all}${ran.all}${answered?.all ?? ''}` }
}

/** Without the variables by which `node --test` recognizes that it is run by a test. */
const sh = (repo: TestRepo, command: string): number =>
  spawnSync('sh', ['-c', command], { cwd: repo.dir, env: repo.env }).status ?? -1
