// Other programs that run a number of empty steps: git rebase and make.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Repository, commit, file } from '../repository.mjs'
import { NotMeasured } from '../stops.mjs'
import { perStep } from '../units.mjs'

const count = (steps) => Array.from({ length: steps }, (_, at) => at)

/** A branch with this many commits, each of which changes one file. */
const branchOf = (place, steps) =>
  place.once(`rebase-${steps}`, (dir) => {
    const more = count(steps).map((at) => commit({ message: `Step ${at}`, files: [file('log.txt', `${at}\n`)] }))
    return new Repository(place, dir, { files: 100, more })
  })

/** `git rebase --exec true`: by default it leaves the commits as they are, with `--no-ff` it makes each again. */
export const rebaseOf = ({ steps, options = [] }) => ({
  key: ['rebase', ...options, steps].join(' '),
  label: ['git rebase', ...options, '--exec true'].join(' '),
  unit: perStep,
  open(place) {
    const repository = branchOf(place, steps)
    return {
      reset: () => repository.reset(),
      run() {
        const { ms, output } = place.time('git', ['rebase', ...options, '--exec', 'true', `HEAD~${steps}`], {
          cwd: repository.dir,
        })
        const executed = output().match(/^Executing: true/gm)?.length
        if (executed !== steps) throw new Error(`git rebase ran ${executed} commands instead of ${steps}`)
        repository.expectCommits('main', steps + 1)
        return ms / steps
      },
    }
  },
})

/** GNU make with a target for each step, which touches its stamp. */
export const makeOf = ({ steps }) => ({
  key: `make ${steps}`,
  label: 'GNU make',
  unit: perStep,
  open(place) {
    const dir = join(place.top, 'make')
    const stamps = join(dir, 'stamps')
    const targets = count(steps).map((at) => `stamps/s${at}`)
    mkdirSync(dir)
    writeFileSync(join(dir, 'Makefile'), `all: ${targets.join(' ')}\n${targets.join(' ')}:\n\t@touch $@\n`)
    if (!isGnuMake(place)) throw new NotMeasured('GNU make is not installed')
    return {
      reset() {
        rmSync(stamps, { recursive: true, force: true })
        mkdirSync(stamps)
      },
      run() {
        const { ms } = place.time('make', [], { cwd: dir })
        const made = readdirSync(stamps).length
        if (made !== steps) throw new Error(`make made ${made} stamps instead of ${steps}`)
        return ms / steps
      },
    }
  },
})

function isGnuMake(place) {
  try {
    return place.time('make', ['--version']).output().startsWith('GNU Make')
  } catch {
    return false
  }
}
