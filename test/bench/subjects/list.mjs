// The open plans of a repository that has many.

import { Repository, commit, file } from '../repository.mjs'
import { milliseconds } from '../units.mjs'
import { planText, works } from '../work.mjs'

/**
 * One plan is made by the program; the others are copies under other names: open ones have a branch, finished ones a
 * final ref. Packed, as `git gc` leaves them.
 */
const repositoryOf = (place, { open, finished }) =>
  place.once(`plans-${open}-${finished}`, (dir) => {
    const repository = new Repository(place, dir, { files: 100 })
    place.plan(['new', 'Bench', '--from', '-', '--id', 'bench'], { cwd: dir, input: planText(works.nothing, 3) })
    const text = `${repository.git(['show', 'plan/bench:.plans/bench.md'])}\n`
    const message = repository.git(['log', '-1', '--format=%B', 'plan/bench'])
    const named = (id, given) => given.replaceAll('bench', id)
    const copy = (ref, id) =>
      commit({
        ref,
        message: named(id, message),
        from: repository.base,
        files: [file(`.plans/${id}.md`, named(id, text))],
      })
    repository.import([
      ...Array.from({ length: open - 1 }, (_, at) => copy(`refs/heads/plan/open-${at}`, `open-${at}`)),
      ...Array.from({ length: finished }, (_, at) => copy(`refs/plan/old-${at}/final`, `old-${at}`)),
    ])
    repository.git(['pack-refs', '--all'])
    return repository
  })

export const planList = (plans) => ({
  key: `git plan list ${plans.open} ${plans.finished}`,
  label: `git plan list, ${plans.open} open plans among ${plans.finished} finished`,
  unit: milliseconds,
  open(place) {
    const { dir } = repositoryOf(place, plans)
    return {
      reset() {},
      run() {
        const { ms, output } = place.plan(['list'], { cwd: dir })
        const found = new Set(output().match(/\b(open-\d+|bench)\b/g)).size
        if (found !== plans.open) throw new Error(`git plan list shows ${found} plans instead of ${plans.open}`)
        return ms
      },
    }
  },
})
