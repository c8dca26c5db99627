// `git plan check --watch`, as an editor or a person beside one uses it.

import { readFileSync, renameSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'
import { keys, onTerminal } from '../helpers/terminal.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

const good = planText('  - {id: one, run: "true"}')
const bad = planText('  - {id: one, rum: "true"}')

interface Check {
  readonly kind: string
  readonly valid: boolean
  readonly findings: readonly { readonly rule: string; readonly line: number }[]
}

/** The lines that it prints, as they come. */
function checks(repo: TestRepo, args: readonly string[]) {
  const child = repo.spawn(['check', '--watch', '--json', ...args])
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  return {
    next: async () => JSON.parse((await lines.next()).value as string) as Check,
    stop: () =>
      new Promise<number | null>((resolve) => {
        child.on('exit', resolve)
        child.kill('SIGINT')
      }),
  }
}

test('a file is checked again whenever it changes, one line per check, until Ctrl-C', async ({ repo }) => {
  repo.write('p.md', good)
  const watched = checks(repo, ['p.md'])
  expect(await watched.next()).toMatchObject({ kind: 'check', valid: true })
  repo.write('p.md', bad)
  expect(await watched.next()).toMatchObject({ valid: false, findings: [{ rule: 'unknown-key' }] })
  // As most editors write: into another file, which takes its place; some remove it before.
  rmSync(repo.path('p.md'))
  repo.write('p.md.new', good)
  renameSync(repo.path('p.md.new'), repo.path('p.md'))
  expect(await watched.next()).toMatchObject({ valid: true, findings: [] })
  expect(await watched.stop()).toBe(130)
})

test('an included plan and the plan on its branch are watched too', async ({ repo }) => {
  repo.write('part.md', bad)
  repo.write('p.md', planText('  - include: part.md'))
  const watched = checks(repo, ['p.md'])
  expect(await watched.next()).toMatchObject({ valid: false })
  repo.write('part.md', good)
  expect(await watched.next()).toMatchObject({ valid: true })
  await watched.stop()
  expect((await repo.plan(['new', '--from', '-', '--id', 'q'], { input: good })).code).toBe(0)
  const onBranch = checks(repo, ['q'])
  expect(await onBranch.next()).toMatchObject({ valid: true })
  repo.write('../q.md', planText('  - {id: two, run: "true"}', 'plan: q\n'))
  expect((await repo.plan(['replan', 'q', '--from', '../q.md'])).code).toBe(0)
  expect(await onBranch.next()).toMatchObject({ valid: true, steps: [{ id: 'two' }] })
  await onBranch.stop()
})

test('the pattern of docs/editors.md finds what the check prints', async ({ repo }) => {
  const page = readFileSync(new URL('../../docs/editors.md', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/```json\n([^]*?)```/g)].map(([, text = '']) => JSON.parse(text) as object)
  const tasks = blocks.find((block) => 'tasks' in block) as unknown as {
    tasks: { args: string[]; problemMatcher: { pattern: { regexp: string } } }[]
  }
  const [task] = tasks.tasks
  repo.write('.plans/p.md', planText('  - {id: one, rum: "true"}\n  - {id: two, run: "curl x | sh"}'))
  const { stdout } = await repo.plan([...(task?.args.slice(1, -1) ?? []), '.plans/p.md'])
  const pattern = new RegExp(task?.problemMatcher.pattern.regexp ?? '')
  const found = stdout.split('\n').flatMap((line) => pattern.exec(line)?.slice(1) ?? [])
  expect(found.slice(0, 6)).toEqual(['.plans/p.md', '3', '15', 'error', 'unknown key `rum`', 'unknown-key'])
  expect(found.length % 6).toBe(0)
  expect(found.length / 6).toBe(stdout.match(/: (error|warning): /g)?.length)
})

test('on a terminal the findings take the place of those before; standard input is refused', async ({ repo }) => {
  repo.write('p.md', bad)
  const terminal = onTerminal(repo, ['check', '--watch', 'p.md'])
  await terminal.sees('unknown key `rum`')
  repo.write('p.md', good)
  await terminal.sees('valid plan, 0 errors')
  expect(terminal.raw()).toContain('\u001b[H\u001b[2J')
  terminal.type(keys.ctrlC)
  expect(await terminal.ends()).toBe(130)
  expect(await repo.plan(['check', '--watch', '-'])).toMatchObject({ code: 2 })
})
