// All plans of a repository that has many, each a branch with a commit of its own.

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Repository, commit, file } from '../repository.mjs'
import { milliseconds } from '../units.mjs'
import { planText, works } from '../work.mjs'

/** One plan is made by the program; the others are its copies under other names. The refs are packed, as `git gc` leaves them. */
const repositoryOf = (place, plans) =>
  place.once(`plans-${plans}`, (dir) => {
    const repository = new Repository(place, dir, { files: 100 })
    place.plan(['new', 'Bench', '--from', '-', '--id', 'bench'], { cwd: dir, input: planText(works.nothing, 3) })
    const text = `${repository.git(['show', 'plan/bench:.plans/bench.md'])}\n`
    const message = repository.git(['log', '-1', '--format=%B', 'plan/bench'])
    const named = (id, given) => given.replaceAll('bench', id)
    const copies = Array.from({ length: plans - 1 }, (_, at) => `copy-${at}`)
    repository.import(
      copies.map((id) =>
        commit({ ref: `refs/heads/plan/${id}`, message: named(id, message), from: repository.base, files: [file(`.plans/${id}.md`, named(id, text))] }),
      ),
    )
    repository.git(['pack-refs', '--all'])
    return repository
  })

/** What `git plan list` keeps of the plans that it has read. */
const keptIn = (dir) => join(dir, '.git/plan/list.table')

/** A command that prints a line for each plan. `before` is done before each run. */
const listing = ({ name, plans, run, before = () => undefined }) => ({
  key: `${name} ${plans}`,
  label: `${name}, ${plans} plans`,
  unit: milliseconds,
  open(place) {
    const { dir } = repositoryOf(place, plans)
    return {
      reset: () => before(place, dir),
      run() {
        const { ms, output } = run(place, dir)
        const found = new Set(output().match(/\b(copy-\d+|bench)\b/g)).size
        if (found !== plans) throw new Error(`${name} shows ${found} plans instead of ${plans}`)
        return ms
      },
    }
  },
})

const list = (place, cwd) => place.plan(['list'], { cwd })

/** After a list of the same plans. */
export const planList = (plans) =>
  listing({
    name: 'git plan list',
    plans,
    run: list,
    before(place, dir) {
      if (!existsSync(keptIn(dir))) list(place, dir)
      if (!existsSync(keptIn(dir))) throw new Error('git plan list keeps nothing')
    },
  })

/** Where nothing is kept: all plans are read, and kept for the next one. */
export const firstPlanList = (plans) => listing({ name: 'first git plan list', plans, run: list, before: (_, dir) => rmSync(keptIn(dir), { force: true }) })

export const forEachRef = (plans) =>
  listing({ name: 'git for-each-ref', plans, run: (place, cwd) => place.time('git', ['for-each-ref', 'refs/heads/plan'], { cwd }) })
