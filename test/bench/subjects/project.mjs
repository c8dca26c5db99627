// A plan as people write them, on a real project, this one: install, edit, types, edit, tests. And the same commands
// without a plan. The difference is the share of git plan in what a person waits for.

import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NotMeasured } from '../stops.mjs'
import { milliseconds } from '../units.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const install = 'npm ci --prefer-offline --no-audit --no-fund --ignore-scripts'
export const types = 'npx --no-install tsc -p .'
const tests = 'npx --no-install vitest run --config test/vitest.config.ts test/unit/plan test/unit/judge'

const plan = `---
base: main
steps:
  - id: install
    run: ${install}
  - id: rename
    edit: README.md
    lines: 1-1
    with: "# git plan (measured)"
  - id: types
    run: ${types}
  - id: note
    create: docs/measured.md
    content: |
      Measured.
  - id: test
    run: ${tests}
---
`

const script = `set -e
${install}
sed -i 's/^# git plan/# git plan (measured)/' README.md
${types}
echo Measured. > docs/measured.md
${tests}
`

/** npm finds its packages where the user has it look for them. */
const npm = () => ({
  npm_config_userconfig: join(homedir(), '.npmrc'),
  npm_config_cache: execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim(),
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('npm_config_'))),
})

/** A clone with its packages installed once, so that no side is the first to fetch them. */
export function projectOf(place) {
  return place.once('project', (dir) => {
    const env = npm()
    const git = (...args) => place.time('git', args, { cwd: dir })
    try {
      place.time('git', ['clone', '--quiet', '--no-hardlinks', root, dir])
      git('checkout', '--quiet', '-B', 'main')
      git('remote', 'remove', 'origin')
      place.time('sh', ['-c', install], { cwd: dir, env })
    } catch (error) {
      throw new NotMeasured(`a clone of this project with its packages: ${error.message}`)
    }
    const reset = () => {
      git('checkout', '--quiet', '--force', 'main')
      git('clean', '--quiet', '-ffdx', '--exclude=node_modules')
      for (const branch of ['plan/measured'])
        place.time('sh', ['-c', `git branch -q -D ${branch} || true`], { cwd: dir })
      place.time(
        'sh',
        [
          '-c',
          'git for-each-ref --format="delete %(refname)" refs/plan refs/plan-local refs/notes | git update-ref --stdin',
        ],
        { cwd: dir },
      )
      rmSync(join(dir, '.git/plan'), { recursive: true, force: true })
    }
    return { dir, env, reset }
  })
}

export const planProject = {
  key: 'plan of a project',
  label: 'git plan: install, edits, types, tests',
  unit: milliseconds,
  open(place) {
    const { dir, env, reset } = projectOf(place)
    const file = join(place.top, 'measured.md')
    writeFileSync(file, plan)
    return { reset, run: () => place.plan(['start', file, '--approve'], { cwd: dir, env }).ms }
  },
}

export const scriptOfProject = {
  key: 'script of a project',
  label: 'the same commands',
  unit: milliseconds,
  open(place) {
    const { dir, env, reset } = projectOf(place)
    const file = join(place.top, 'measured.sh')
    writeFileSync(file, script)
    return { reset, run: () => place.time('sh', [file], { cwd: dir, env }).ms }
  },
}
