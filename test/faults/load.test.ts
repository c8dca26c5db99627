// Large inputs. Only the result is asserted; durations are figures, since machines differ.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Outside } from '../helpers/crash.ts'
import { ended, planText, test, type TestRepo } from '../helpers/repo.ts'
import { figure, isWhole } from './figures.ts'

const heavy = test.skipIf(!isWhole)
const timeout = 3_600_000
const start = ['start', '.plans/demo.md', '--approve']
const demo = (repo: TestRepo, steps: string): void => repo.write('.plans/demo.md', planText(steps))
const ms = (began: number): number => Math.round(performance.now() - began)

heavy('20 plans in 20 work trees of one repository at once', { timeout }, async ({ repo }) => {
  const plans = Array.from({ length: 20 }, (_, at) => `p${at}`)
  const ledger = new Outside(repo, 'ledger')
  for (const id of plans) {
    const steps = ['one', 'two', 'three'].map(
      (step) => `  - {id: ${step}, run: "echo ${id}/${step} >> ${ledger.path}; echo ${step} > ${id}-${step}.txt"}`,
    )
    const made = await repo.plan(['new', id, '--from', '-', '--id', id], { input: planText(steps.join('\n')) })
    expect(made.code, made.all).toBe(0)
  }
  const began = performance.now()
  const runs = await Promise.all(plans.map((id) => ended(repo.spawn(['start', id, '--approve', '--worktree']))))
  const took = ms(began)
  expect(runs.filter(({ code }) => code !== 0).map(({ code, all }) => `${code}: ${all.slice(-400)}`)).toEqual([])
  for (const id of plans)
    expect(repo.git(['ls-tree', '-r', '--name-only', `plan/${id}`]).split('\n')).toEqual([
      `.plans/${id}.md`,
      'a.txt',
      `${id}-one.txt`,
      `${id}-three.txt`,
      `${id}-two.txt`,
    ])
  expect(ledger.lines().toSorted()).toEqual(
    plans.flatMap((id) => ['one', 'two', 'three'].map((step) => `${id}/${step}`)).toSorted(),
  )
  expect(repo.fsck()).toBe('')
  figure('load', '20 plans of 3 steps in 20 work trees', { ms: took, against: 'ms a step', is: Math.round(took / 60) })
})

heavy('a plan of 1,000 steps', { timeout }, async ({ repo }) => {
  repo.write('.plans/config.yml', 'version: 1\nlimits: { steps: 1000 }\n')
  repo.commit('Allow 1,000 steps')
  demo(
    repo,
    Array.from(
      { length: 1000 },
      (_, at) => `  - {id: s${at}, create: d${at % 10}/f${at}.txt, content: "${at}\\n"}`,
    ).join('\n'),
  )
  const child = repo.spawn([...start, '--json'])
  const times: number[] = []
  let line = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    const lines = `${line}${chunk.toString()}`.split('\n')
    line = lines.pop() ?? ''
    for (const each of lines) if (each.includes('"step-done"')) times.push(performance.now())
  })
  const { code, all } = await ended(child)
  expect(code, all.slice(-400)).toBe(0)
  expect(times).toHaveLength(1000)
  expect(repo.git(['rev-list', '--count', 'main..plan/demo'])).toBe('1003')
  expect(repo.git(['ls-tree', '-r', '--name-only', 'plan/demo']).split('\n')).toHaveLength(1003)
  expect(repo.fsck()).toBe('')
  const each = (from: number, to: number): number => Math.round(((times[to] ?? 0) - (times[from] ?? 0)) / (to - from))
  const [first, last] = [each(0, 100), each(899, 999)]
  figure('load', 'a plan of 1,000 steps', {
    ms: Math.round((times.at(-1) ?? 0) - (times[0] ?? 0)),
    against: `ms a step: first 100: ${first}, last 100: ${last}`,
    is: (last / first).toFixed(2),
  })
})

heavy('10,000 plans in a list', { timeout }, async ({ repo }) => {
  expect(
    (await repo.plan(['new', 'Demo', '--from', '-', '--id', 'demo'], { input: planText('  - {id: one, run: "true"}') }))
      .code,
  ).toBe(0)
  const [text, message] = [
    repo.git(['show', 'plan/demo:.plans/demo.md']),
    repo.git(['log', '-1', '--format=%B', 'plan/demo']),
  ]
  const data = (bytes: string): string => `data ${Buffer.byteLength(bytes)}\n${bytes}\n`
  const commits = Array.from({ length: 10_000 }, (_, at) => {
    const [file, said] = [text, message].map((each) => each.replaceAll('demo', `n${at}`)) as [string, string]
    const who = `author Ada <ada@example.com> ${1_760_000_000 + at} +0000\ncommitter Ada <ada@example.com> ${1_760_000_000 + at} +0000`
    return `commit refs/heads/plan/n${at}\n${who}\n${data(said)}from refs/heads/main^0\nM 100644 inline .plans/n${at}.md\n${data(`${file}\n`)}`
  })
  repo.git(['fast-import', '--quiet'], { input: commits.join('\n') })
  let began = performance.now()
  const refs = repo.git(['for-each-ref', 'refs/heads/plan'])
  const plain = ms(began)
  expect(refs.split('\n')).toHaveLength(10_001)
  began = performance.now()
  const ran = await repo.plan(['list', '--json'])
  const took = ms(began)
  expect(ran.code, ran.all.slice(-400)).toBe(0)
  const { plans } = JSON.parse(ran.stdout) as { plans: { id: string; status: string }[] }
  expect(new Set(plans.map(({ id }) => id)).size).toBe(10_001)
  expect(new Set(plans.map(({ status }) => status))).toEqual(new Set(['proposed']))
  figure('load', '10,000 plans in a list', {
    ms: took,
    against: `git for-each-ref: ${plain} ms`,
    is: (took / plain).toFixed(1),
  })
})

/** 1 GB of lines, from a program that is faster than anything that reads it. */
const gigabyte = `yes ${'0123456789'.repeat(20)} | head -c 1000000000`

heavy.for([
  ['at the usual limit', '', 1],
  ['within a limit of 2 GB', ', limits: {output: 2gb}', 0],
] as const)('a step that prints 1 GB, %s', { timeout }, async ([name, limit, expected], { repo }) => {
  demo(repo, `  - {id: loud, run: "${gigabyte}"${limit}}`)
  const began = performance.now()
  const child = repo.spawn(start)
  child.stdout?.resume()
  child.stderr?.resume()
  let peak = 0
  const watch = setInterval(() => {
    const file = `/proc/${child.pid}/status`
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(existsSync(file) ? readFileSync(file, 'utf8') : '')?.[1] ?? 0))
  }, 50)
  const code = await new Promise((resolve) => child.on('close', resolve))
  clearInterval(watch)
  expect(code).toBe(expected)
  expect(peak).toBeGreaterThan(30_000)
  expect(peak).toBeLessThan(400_000)
  const log = statSync(join(repo.dir, '.git/plan/demo/logs/loud-1.log')).size
  if (expected === 0) expect(log).toBe(1_000_000_000)
  else expect(log).toBeLessThanOrEqual(10 * 1024 * 1024)
  expect(repo.fsck()).toBe('')
  figure('load', `a step that prints 1 GB, ${name}`, {
    ms: ms(began),
    against: 'MB of memory at most',
    is: Math.round(peak / 1024),
  })
})

heavy(
  'a step that leaves 20,000 files: saved and restored where it fails, committed where it does not',
  { timeout },
  async ({ repo }) => {
    const ok = new Outside(repo, 'ok')
    demo(repo, `  - {id: many, run: "mkdir many; cd many; seq 20000 | split -l 1 -a 5 -d; test -e ${ok.path}"}`)
    let began = performance.now()
    const failed = await repo.plan(start)
    const saving = ms(began)
    expect(failed.code, failed.all).toBe(1)
    expect(repo.status()).toBe('')
    expect(existsSync(repo.path('many'))).toBe(false)
    expect(
      repo.git(['ls-tree', '-r', '--name-only', 'refs/plan/demo/attempts/many/1', 'many/']).split('\n'),
    ).toHaveLength(20_000)
    ok.write()
    began = performance.now()
    const ran = await repo.plan(['resume', 'demo'])
    const committing = ms(began)
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['ls-tree', '-r', '--name-only', 'plan/demo', 'many/']).split('\n')).toHaveLength(20_000)
    expect(repo.git(['show', 'plan/demo:many/x12344'])).toBe('12345')
    expect(repo.status()).toBe('')
    figure('load', '20,000 files of a step', { ms: committing, against: 'ms to save and restore them', is: saving })
    expect(repo.fsck()).toBe('')
  },
)
