// The metrics of a repository with many plans, compared with a `git log` over the same commits.

import { Repository, commit, file } from '../repository.mjs'
import { milliseconds } from '../units.mjs'
import { planText, works } from '../work.mjs'

const events = 8

/** One plan is run by the program; the others are copies of its commits under other names. Packed, as after `git gc`. */
const repositoryOf = (place, count) =>
  place.once(`metrics-${count}`, (dir) => {
    const repository = new Repository(place, dir, { files: 100 })
    place.plan(['start', '-', '--approve', '--worktree'], {
      cwd: dir,
      input: planText(works.nothing, events - 3).replace('steps:', 'plan: bench\nsteps:'),
    })
    const messages = repository
      .git(['log', '--reverse', '--format=%B%x00', `${repository.base}..plan/bench`])
      .split('\0')
      .map((message) => message.trim())
      .filter((message) => message !== '')
    if (messages.length !== events) throw new Error(`the plan has ${messages.length} commits instead of ${events}`)
    repository.import(
      Array.from({ length: count - 1 }, (_, plan) =>
        messages.map((message, at) =>
          commit({
            ref: `refs/heads/plan/copy-${plan}`,
            message: message.replaceAll('bench', `copy-${plan}`),
            ...(at === 0 ? { from: repository.base } : {}),
            files: [file(`.plans/copy-${plan}.md`, `${at}\n`)],
          }),
        ),
      ).flat(),
    )
    repository.git(['pack-refs', '--all'])
    return repository
  })

const subject = (count, { key, label, run }) => ({
  key,
  label,
  unit: milliseconds,
  open(place) {
    const { dir } = repositoryOf(place, count)
    return {
      reset() {},
      run() {
        const { ms, output } = run(place, dir)
        if (!output().includes(`completed${key.startsWith('git log') ? '' : '"'}`))
          throw new Error(`${key} says something else`)
        return ms
      },
    }
  },
})

export const planMetrics = (count) =>
  subject(count, {
    key: `git plan metrics ${count}`,
    label: `git plan metrics, ${count} plans`,
    run: (place, cwd) => place.plan(['metrics'], { cwd }),
  })

export const logOfPlans = (count) =>
  subject(count, {
    key: `git log ${count}`,
    label: `git log of ${count} plans`,
    run: (place, cwd) => place.time('git', ['log', '--branches=plan/*', '--format=%H%n%P%n%ct%n%B'], { cwd }),
  })
