// Commands that only look, each in a process of its own: nothing stays in memory between two of them.

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

export const planStatus = command({ key: 'git plan status', says: /\bbench\b/, run: (place, cwd) => place.plan(['status'], { cwd }) })
export const planHelp = command({ key: 'git plan -h', says: /\bresume\b/, run: (place, cwd) => place.plan(['-h'], { cwd }) })
export const emptyNode = command({ key: 'node -e 0', says: /^$/, run: (place, cwd) => place.time(process.execPath, ['-e', '0'], { cwd }) })
