// Independent steps at the same time: as a plan with `-j`, with make and with xargs.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { milliseconds, perStep } from '../units.mjs'
import { independentPlan, works } from '../work.mjs'
import { projectOf, types } from './project.mjs'
import { expectDone, repositoryOf, startArguments, writePlan } from './steps.mjs'

/**
 * A plan whose steps need nothing. `grace`: added to its time, to compare another one with it. `countsTrees`: the work
 * trees are counted, by a hook that takes time too.
 */
export const independentOf = ({ work, steps, files, jobs, unit = perStep, grace = 0, countsTrees = false }) => ({
  key: `independent ${work.name} ${steps} ${files} -j ${jobs} ${grace}`,
  label: `git plan -j ${jobs}, ${steps} steps, ${files} files`,
  unit,
  open(place) {
    const repository = repositoryOf(place, files)
    const hook = join(repository.dir, '.git/hooks/post-checkout')
    const made = join(place.top, 'made')
    return {
      reset() {
        repository.reset()
        if (countsTrees) {
          writeFileSync(made, '')
          mkdirSync(dirname(hook), { recursive: true })
          // The old commit of a new work tree has no name.
          writeFileSync(hook, `#!/bin/sh\ncase $1 in *[!0]*) ;; *) pwd >> ${made} ;; esac\n`, { mode: 0o755 })
        }
        writePlan(repository, independentPlan(work, steps))
      },
      run() {
        const args = [...startArguments, '-j', String(jobs)]
        const { ms } = place.plan(args, { cwd: repository.dir })
        rmSync(hook, { force: true })
        expectDone(repository, { work, steps })
        const trees = countsTrees ? readFileSync(made, 'utf8').split('\n').length - 1 : jobs
        if (trees !== jobs) throw new Error(`${trees} work trees were made for -j ${jobs}`)
        return (ms + grace) / (unit === perStep ? steps : 1)
      },
    }
  },
})

/** What makes the commits of steps that run at the same time: one at a time. */
const commitOf = (at) => `flock .git/bench.lock sh -c 'git add made/${at} && git commit --quiet -m ${at} -- made/${at}'`
const count = (steps) => Array.from({ length: steps }, (_, at) => at)

/** The steps of `works.second` by a program that runs commands at the same time, in one work tree. */
const othersOf = (name, { steps, files }, write) => ({
  key: `${name} ${steps}`,
  label: name,
  unit: milliseconds,
  open(place) {
    const repository = repositoryOf(place, files)
    const [program, args] = write(place, steps)
    return {
      reset() {
        repository.reset()
        mkdirSync(join(repository.dir, 'made'), { recursive: true })
      },
      run() {
        const { ms } = place.time(program, args, { cwd: repository.dir })
        repository.expectCommits(`${repository.base}..main`, steps)
        repository.expectChanges('main', works.second.changes(steps))
        return ms
      },
    }
  },
})

export const makeJobsOf = (size) =>
  othersOf(`make -j ${size.steps}, a commit each`, size, (place, steps) => {
    const file = join(place.top, 'parallel.mk')
    const names = count(steps).map((at) => `s${at}`)
    const rules = names.map((name, at) => `${name}:\n\t@sleep 1; echo ${at} > made/${at}; ${commitOf(at)}\n`)
    writeFileSync(file, `.PHONY: all ${names.join(' ')}\nall: ${names.join(' ')}\n${rules.join('')}`)
    return ['make', ['-s', '-f', file, '-j', String(steps)]]
  })

export const xargsOf = (size) =>
  othersOf(`xargs -P ${size.steps}, a commit each`, size, (place, steps) => {
    const file = join(place.top, 'parallel.sh')
    const one = join(place.top, 'commit.sh')
    writeFileSync(one, 'git add "made/$1" && git commit --quiet -m "$1" -- "made/$1"\n')
    writeFileSync(file, `sleep 1; echo "$1" > "made/$1"; flock .git/bench.lock sh ${one} "$1"\n`)
    return ['sh', ['-c', `seq 0 ${steps - 1} | xargs -P ${steps} -I{} sh ${file} {}`]]
  })

const checks = `---
base: main
steps:
  - {id: types, needs: [], run: ${types}}
  - {id: lint, needs: [], run: npx --no-install oxlint -c .oxlintrc.json src}
  - {id: tests, needs: [], run: npx --no-install vitest run --config test/vitest.config.ts test/unit/plan test/unit/judge}
  - {id: docs, needs: [], run: node .ci/docs.mjs}
---
`

/** Type check, lint, tests and docs of this project as one wave. */
export const checksOf = (jobs) => ({
  key: `checks of a project -j ${jobs}`,
  label: `git plan -j ${jobs}: types, lint, tests, docs`,
  unit: milliseconds,
  open(place) {
    const { dir, env, reset } = projectOf(place)
    const file = join(place.top, 'measured.md')
    return {
      reset() {
        reset()
        writeFileSync(file, checks)
        writeFileSync(join(dir, '.git/info/exclude'), 'node_modules\n.worktreelinks\n')
        writeFileSync(join(dir, '.worktreelinks'), 'node_modules\n')
      },
      run: () => place.plan(['start', file, '--approve', '-j', String(jobs)], { cwd: dir, env }).ms,
    }
  },
})
