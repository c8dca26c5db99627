// The same steps as a plan and as a shell loop. Users wait for the start-up too, so the cost of a step is the time of
// the whole run, divided by the steps.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Repository } from '../repository.mjs'
import { perStep } from '../units.mjs'
import { planText, shellText } from '../work.mjs'

/** Shared by all subjects of this size: each resets it before it runs. */
export const repositoryOf = (place, files) =>
  place.once(`files-${files}`, (dir) => new Repository(place, dir, { files }))

/** Puts a plan where `start` finds it; a plan file may be untracked in a clean work tree. */
export function writePlan(repository, text) {
  mkdirSync(join(repository.dir, '.plans'), { recursive: true })
  writeFileSync(join(repository.dir, '.plans/bench.md'), text)
}

export const startArguments = ['start', '.plans/bench.md', '--approve']

/** Refuses a run that did not do all of its steps, a commit each. */
export function expectDone(repository, { work, steps }) {
  repository.expectCommits(`${repository.base}..plan/bench`, steps, ['--grep=^Plan-Event: step$'])
  repository.expectCommits(`${repository.base}..plan/bench`, 1, ['--grep=^Plan-Event: completed$'])
  repository.expectChanges('plan/bench', work.changes(steps))
}

/** `git plan start` of a plan with so many steps. */
export const planOf = ({ work, steps, files }) => ({
  key: `plan ${work.name} ${steps} ${files}`,
  label: `git plan, ${steps} steps, ${files} files`,
  unit: perStep,
  open(place) {
    const repository = repositoryOf(place, files)
    return {
      reset() {
        repository.reset()
        writePlan(repository, planText(work, steps))
      },
      run() {
        const { ms } = place.plan(startArguments, { cwd: repository.dir })
        expectDone(repository, { work, steps })
        return ms / steps
      },
    }
  },
})

/** As durable as Git can be told to be: everything that it writes is synced. */
const durable = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.fsync', GIT_CONFIG_VALUE_0: 'all' }

/**
 * A shell that does the same work, with `git add -A` and `git commit` after each step; durable, as git plan is, or as
 * Git is by default.
 */
export const loopOf = ({ work, steps, files, isDurable = false }) => ({
  key: `${isDurable ? 'durable ' : ''}loop ${work.name} ${steps} ${files}`,
  label: `${isDurable ? 'durable ' : ''}shell loop, ${steps} steps, ${files} files`,
  unit: perStep,
  open(place) {
    const repository = repositoryOf(place, files)
    const script = join(place.top, `loop-${work.name}-${steps}.sh`)
    writeFileSync(script, shellText(work, steps))
    return {
      reset: () => repository.reset(),
      run() {
        const { ms } = place.time('sh', [script], { cwd: repository.dir, env: isDurable ? durable : {} })
        repository.expectCommits(`${repository.base}..main`, steps)
        repository.expectChanges('main', work.changes(steps))
        return ms / steps
      },
    }
  },
})
