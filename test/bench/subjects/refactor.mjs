// `git plan check` of one refactoring: every file is a candidate, and few contain the words of the pattern.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commit, file, Repository } from '../repository.mjs'
import { milliseconds } from '../units.mjs'

const called = 'logPrice'

/** Sources of 60 lines. Every hundredth calls the function. */
const sourceOf = (at) =>
  Array.from({ length: 20 }, (_, line) =>
    at % 100 === 0 && line === 10
      ? `export function price${line}(list: number[]): number {\n  ${called}(list)\n}\n`
      : `export function price${line}(list: number[]): number {\n  return list.reduce((all, each) => all + each, ${at})\n}\n`,
  ).join('')

const plan = `---
title: Rename
steps:
  - refactor:
      pattern: ${called}($LIST)
      rewrite: notePrice($LIST)
      language: typescript
      over: [src/**]
---
`

const open = (place, files) =>
  place.once(`refactor-${files}`, (dir) => {
    const sources = Array.from({ length: files }, (_, at) => file(`src/d${at % 50}/f${at}.ts`, sourceOf(at)))
    const more = [commit({ message: 'Sources', files: sources })]
    return new Repository(place, dir, { files: 1, more })
  })

const command = ({ key, files, says, run }) => ({
  key: `${key} ${files}`,
  label: key,
  unit: milliseconds,
  open(place) {
    const { dir } = open(place, files)
    return {
      reset: () => undefined,
      run() {
        const { ms, output } = run(place, dir)
        if (!says.test(output())) throw new Error(`${key} says something else: ${output().slice(0, 400)}`)
        return ms
      },
    }
  },
})

export const planRefactor = (files) =>
  command({
    key: 'git plan check, a refactoring',
    files,
    says: new RegExp(`would change ${files / 100} places in ${files / 100} files`),
    run(place, cwd) {
      writeFileSync(join(cwd, '../refactor.md'), plan)
      return place.plan(['check', '../refactor.md'], { cwd })
    },
  })

export const gitGrep = (files) =>
  command({
    key: 'git grep',
    files,
    says: /^src\/d0\/f0\.ts$/m,
    run: (place, cwd) => place.time('git', ['grep', '-l', called], { cwd }),
  })
