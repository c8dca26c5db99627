// Commands that only read, each in its own process: nothing stays in memory between them.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Repository } from '../repository.mjs'
import { milliseconds } from '../units.mjs'
import { planText, works } from '../work.mjs'
import { startArguments, writePlan } from './steps.mjs'

const nothing = () => undefined

/** A repository in which a plan of three steps is done and checked out. */
const planRepository = (place) =>
  place.once('status', (dir) => {
    const repository = new Repository(place, dir, { files: 100 })
    writePlan(repository, planText(works.nothing, 3))
    place.plan(startArguments, { cwd: dir })
    return repository
  })

/** A hundred steps of every kind that the rules have something to look at: commands, new files, edits. */
const checkedPlan = () => {
  const commands = [
    'npx prettier -w src',
    'git log --oneline | head',
    'sed -i s/a/b/ f0.txt',
    'for f in *.txt; do wc -l "$f"; done',
    "find . -name '*.orig' -delete",
  ]
  const steps = Array.from({ length: 100 }, (_, at) => {
    const n = Math.floor(at / 4)
    return [
      `  - id: run-${n}\n    run: ${JSON.stringify(commands[n % commands.length])}\n    changes: none\n`,
      `  - id: again-${n}\n    run: npm ci --prefix packages/p${n} && npm test --prefix packages/p${n}\n    changes: none\n`,
      `  - id: create-${n}\n    create: src/n${n}.ts\n    content: |\n      export const a${n} = ${n}\n      export const b = () => a${n} + 1\n`,
      `  - id: edit-${n}\n    edit: src/n${n}.ts\n    replace: + 1\n    with: + 2\n`,
    ][at % 4]
  })
  return `---\nplan: checked\nsteps:\n${steps.join('')}---\n`
}

/** A command that leaves everything as it was; its output must be what it should be. */
const command = ({ key, says, run }) => ({
  key,
  label: key,
  unit: milliseconds,
  open(place) {
    const { dir } = planRepository(place)
    return {
      reset: nothing,
      run() {
        const { ms, output } = run(place, dir)
        if (!says.test(output())) throw new Error(`${key} says something else: ${output().slice(0, 400)}`)
        return ms
      },
    }
  },
})

export const planStatus = command({
  key: 'git plan status',
  says: /\bbench\b/,
  run: (place, cwd) => place.plan(['status'], { cwd }),
})
export const planHelp = command({
  key: 'git plan -h',
  says: /\bresume\b/,
  run: (place, cwd) => place.plan(['-h'], { cwd }),
})
export const planCheck = command({
  key: 'git plan check',
  says: /valid plan, 0 errors, 0 warnings/,
  run(place, cwd) {
    writeFileSync(join(cwd, '../checked.md'), checkedPlan())
    return place.plan(['check', '../checked.md'], { cwd })
  },
})
export const emptyNode = command({
  key: 'node -e 0',
  says: /^$/,
  run: (place, cwd) => place.time(process.execPath, ['-e', '0'], { cwd }),
})
