// Commands that only read, each in its own process: nothing stays in memory between them.

import { execFileSync } from 'node:child_process'
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
/**
 * What an agent waits for at each of its tool calls. In plan mode its commands are judged, and of a command that may
 * write the policy is read too; without plan mode only the policy is read.
 */
const guardOf = (name, { tool, input, mode, expected }) =>
  command({
    key: `git plan guard, ${name}`,
    says: expected === 2 ? /^plan mode is on/ : /^$/,
    run(place, cwd) {
      // A work tree of its own: the mode of the other figures' stays off.
      const tree = place.once(`guard-${mode}`, (dir) => {
        execFileSync('git', ['worktree', 'add', '-q', '--detach', dir], { cwd, env: place.env })
        place.plan(['mode', mode], { cwd: dir })
        return dir
      })
      const payload = { session_id: 's1', cwd: tree, hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input }
      return place.plan(['guard', '--agent', 'claude'], { cwd: tree, input: JSON.stringify(payload), expected })
    },
  })
export const planGuard = guardOf('a command that reads, in plan mode', {
  tool: 'Bash',
  input: { command: 'git log --oneline | head -5' },
  mode: 'on',
  expected: 0,
})
export const planGuardOff = guardOf('a written file, without plan mode', {
  tool: 'Write',
  input: { file_path: 'a.txt', content: 'hello\n' },
  mode: 'off',
  expected: 0,
})
export const emptyNode = command({
  key: 'node -e 0',
  says: /^$/,
  run: (place, cwd) => place.time(process.execPath, ['-e', '0'], { cwd }),
})
