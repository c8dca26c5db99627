// The whole life of a plan: a step that fails, a fix, resume, rollback, undo, finish. Callers prepare a special
// repository around it.

import { expect } from 'vitest'
import { planText, type TestRepo } from './repo.ts'

export type Stage = 'failed' | 'completed' | 'rolled back' | 'undone' | 'finished'

export interface LifeOptions {
  /** The top of the work tree; default: the repository's. */
  readonly root?: string
  /** Where the commands are given; default: the top. */
  readonly cwd?: string
  /** Where the plan file is put, relative to the top, and how `start` is told about it, relative to `cwd`. */
  readonly file?: { readonly path: string; readonly given: string }
  /** More that step one and step two do, in shell. */
  readonly one?: string
  readonly two?: string
  /** More keys of the plan, as lines. */
  readonly more?: string
  /** Called after each stage, with the tree clean. */
  readonly after?: (stage: Stage) => unknown
  readonly finish?: readonly string[]
}

export async function wholeLife(repo: TestRepo, options: LifeOptions = {}): Promise<void> {
  const root = options.root ?? repo.dir
  const cwd = options.cwd ?? root
  const { path, given } = options.file ?? { path: '.plans/life.md', given: '.plans/life.md' }
  const text = planText(
    [
      `  - {id: one, title: The first, run: 'echo 1 > one.txt; echo more >> a.txt; ${options.one ?? ':'}'}`,
      `  - {id: two, title: The second, run: 'test -e fixed.txt || { echo half > half.txt; echo x >> a.txt; exit 3; }; echo 2 > two.txt; ${options.two ?? ':'}'}`,
    ].join('\n'),
    options.more,
  )
  // Through git's own eyes, so that `root` may be any work tree of the repository.
  const at = (args: readonly string[]): string => repo.git(args, { cwd: root })
  const put = (name: string, content: string): string =>
    repo.git(['-c', `alias.put=!mkdir -p .plans && cat >"${name}"`, 'put'], { cwd: root, input: content })
  const reached = (stage: Stage, ran: { code: number; all: string }, code: number): void => {
    expect(ran, `${stage}: ${ran.all}`).toMatchObject({ code })
    // The plan file that lay there was the user's: where the branch that they come back to does not track it, it comes
    // back too.
    const comesBack = stage === 'finished' && at(['ls-tree', '--name-only', 'HEAD', path]) === ''
    expect(at(['status', '--porcelain', '--untracked-files=all']), stage).toBe(comesBack ? `?? ${path}` : '')
    options.after?.(stage)
  }
  const inTree = (ref: string): string[] => at(['ls-tree', '-r', '--name-only', ref]).split('\n')

  put(path, text)
  reached('failed', await repo.plan(['start', given, '--approve'], { cwd }), 1)
  expect(inTree('refs/plan/life/attempts/two/1')).toContain('half.txt')
  expect(inTree('plan/life')).toContain('one.txt')
  expect(inTree('plan/life')).not.toContain('half.txt')

  put('fixed.txt', 'fixed\n')
  reached('completed', await repo.plan(['resume', '--fix'], { cwd }), 0)
  const tip = at(['rev-parse', 'plan/life'])
  const state = at(['ls-tree', '-r', tip])
  expect(inTree(tip)).toEqual(expect.arrayContaining(['one.txt', 'two.txt', 'fixed.txt', '.plans/life.md']))

  reached('rolled back', await repo.plan(['rollback'], { cwd }), 0)
  expect(inTree('HEAD')).not.toContain('two.txt')

  reached('undone', await repo.plan(['rollback', '--undo'], { cwd }), 0)
  expect(at(['rev-parse', 'HEAD'])).toBe(tip)

  reached('finished', await repo.plan(options.finish ?? ['finish'], { cwd }), 0)
  expect(at(['rev-parse', 'refs/plan/life/final'])).toBe(tip)
  expect(at(['ls-tree', '-r', 'main'])).toBe(state)

  const audited = await repo.plan(['audit', 'life'], { cwd })
  expect(audited, audited.all).toMatchObject({ code: 0 })
  expect(audited.all).toContain('merged as')
}
