// Peak memory of the program, and of the reference. A file that Node preloads reports it at exit.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cli } from '../place.mjs'
import { megabytes } from '../units.mjs'
import { planText, works } from '../work.mjs'
import { expectDone, repositoryOf, startArguments, writePlan } from './steps.mjs'

const asks = fileURLToPath(new URL('peak.cjs', import.meta.url))

/** Peak memory of a Node process, in MB. */
function peakOf(place, args, cwd) {
  const answer = join(place.top, 'peak')
  place.time(process.execPath, ['--require', asks, ...args], { cwd, env: { GIT_PLAN_BENCH_PEAK: answer } })
  return Number(readFileSync(answer, 'utf8')) / 1024
}

/** `git plan start` of steps that print 100 kB each. */
export const planMemory = (steps) => ({
  key: `memory ${steps}`,
  label: `git plan, ${steps} steps that print`,
  unit: megabytes,
  open(place) {
    const repository = repositoryOf(place, 100)
    return {
      reset() {
        repository.reset()
        writePlan(repository, planText(works.output, steps))
      },
      run() {
        const peak = peakOf(place, [cli, ...startArguments], repository.dir)
        expectDone(repository, { work: works.output, steps })
        return peak
      },
    }
  },
})

export const nodeMemory = {
  key: 'memory node',
  label: 'node -e 0',
  unit: megabytes,
  open: (place) => ({ reset: () => undefined, run: () => peakOf(place, ['-e', '0'], place.top) }),
}
