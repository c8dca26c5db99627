// Writes the objects of a checkpoint with three kinds of writers. Nothing else of a step is included: no command, no
// index, no ref.

import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { perStep } from '../units.mjs'
import { repositoryOf } from './steps.mjs'

const at = (name) => fileURLToPath(new URL(`../writers/${name}`, import.meta.url))

/** `start` returns the command that prints the last of this many commits. */
const writers =
  ({ name, label, start }) =>
  ({ steps, files }) => ({
    key: `${name} ${steps} ${files}`,
    label,
    unit: perStep,
    open(place) {
      const repository = repositoryOf(place, files)
      const { program, args, env } = start(place, repository.dir, steps)
      return {
        reset: () => repository.reset(),
        run() {
          const { ms, output } = place.time(program, args, { cwd: repository.dir, env })
          const tip = output().trimEnd()
          repository.expectCommits(`${repository.base}..${tip}`, steps)
          repository.git(['fsck', '--no-dangling', '--no-reflogs', tip])
          return ms / steps
        },
      }
    },
  })

export const ownWriters = writers({
  name: 'own writers',
  label: 'our writers, one file a checkpoint',
  start(place, dir, steps) {
    const script = place.once('own-writers.mjs', (outfile) => {
      buildSync({
        entryPoints: [at('own.ts')],
        bundle: true,
        platform: 'node',
        format: 'esm',
        target: 'node20',
        outfile,
        logLevel: 'error',
      })
      return outfile
    })
    return { program: process.execPath, args: [script, dir, String(steps)] }
  },
})

export const isomorphicWriters = writers({
  name: 'isomorphic-git',
  label: 'isomorphic-git over a durable file system',
  start: (_, dir, steps) => ({ program: process.execPath, args: [at('isomorphic.mjs'), dir, String(steps)] }),
})

export const plumbingWriters = writers({
  name: 'plumbing',
  label: 'git hash-object, write-tree and commit-tree',
  start: (place, _, steps) => ({
    program: 'sh',
    args: [at('plumbing.sh'), String(steps), join(place.top, 'plumbing.index')],
    env: { LINES_OF_FILE: 'A line of the file that says nothing new.\n'.repeat(40) },
  }),
})
