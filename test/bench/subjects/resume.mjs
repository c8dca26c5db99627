// The time from the start of `git plan resume` until the first command of a step runs; and the commands that a person
// would type to inspect the state before continuing by hand.

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Repository } from '../repository.mjs'
import { milliseconds } from '../units.mjs'
import { writePlan } from './steps.mjs'

/** Exit code of `start` when it waits for a person, here at a pause. */
const waits = 5

/** A plan that stops after its first step; the second one records when it runs, in nanoseconds. */
const pausing = (stamp) =>
  `---\nsteps:\n  - id: first\n    run: "true"\n    pause: true\n  - id: second\n    run: date +%s%N > ${stamp}\n---\n`

const repositoryOf = (place) => place.once('resume', (dir) => new Repository(place, dir, { files: 100 }))

export const planResume = {
  key: 'git plan resume',
  label: 'git plan resume, until the step runs',
  unit: milliseconds,
  open(place) {
    const repository = repositoryOf(place)
    const stamp = join(place.top, 'stamp')
    return {
      reset() {
        repository.reset()
        rmSync(stamp, { force: true })
        writePlan(repository, pausing(stamp))
        place.plan(['start', '.plans/bench.md', '--approve'], { cwd: repository.dir, expected: waits })
      },
      run() {
        const { began } = place.plan(['resume'], { cwd: repository.dir })
        repository.expectCommits(`${repository.base}..plan/bench`, 2, ['--grep=^Plan-Event: step$'])
        return Number(readFileSync(stamp, 'utf8')) / 1e6 - began
      },
    }
  },
}

export const statusAndNode = {
  key: 'git status, node -e 0',
  label: 'git status and node -e 0',
  unit: milliseconds,
  open(place) {
    const { dir } = repositoryOf(place)
    return {
      reset: () => undefined,
      run: () =>
        place.time('git', ['status'], { cwd: dir }).ms + place.time(process.execPath, ['-e', '0'], { cwd: dir }).ms,
    }
  },
}
