// What an audit finds: each promise of a plan's branch, broken by hand in a branch that holds otherwise.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit, type AuditedData } from '../../src/commands/inspect/audit.ts'
import type { CommandContext } from '../../src/operation/context.ts'
import { readPlan } from '../../src/plan/file/read-plan.ts'
import { planText, TestRepo } from '../helpers/repo.ts'

let repo: TestRepo
/** Refs of a plan that went through everything, completed. */
let whole: string
let proposed: string

const steps = [
  '  - {id: one, create: one.txt, content: "1"}',
  '  - {id: two, run: test -e fixed.txt, changes: none}',
  '  - {id: pay, run: echo paid, effect: external, probe: "false"}',
  '  - {id: four, run: echo 4 > four.txt, files: [four.txt], verify: [{contains: {file: four.txt, pattern: "^4$"}}]}',
].join('\n')

const at = (commit: string, index: number): string => repo.git(['rev-parse', `${commit}~${index}`])

beforeAll(async () => {
  repo = new TestRepo()
  repo.write('.plans/config.yml', 'version: 1\napproval: { high: { from: [local], count: 1 } }\n')
  repo.commit('Policy')
  expect((await repo.plan(['new', '--from', '-', '--id', 'p'], { input: planText(steps) })).code).toBe(0)
  proposed = repo.git(['rev-parse', 'plan/p'])
  expect((await repo.plan(['start', 'p', '--approve'])).code).toBe(1)
  repo.write('fixed.txt', 'x\n')
  const ran = await repo.plan(['resume', 'p', '--fix', '-m', 'By hand'])
  expect(ran.code, ran.all).toBe(0)
  whole = repo.git(['rev-parse', 'plan/p'])
})
afterAll(() => repo.remove())

const context = (): CommandContext => ({
  cwd: repo.dir,
  env: repo.env,
  now: () => new Date(),
  isInteractive: false,
  confirm: () => Promise.resolve(false),
  choose: () => Promise.resolve(undefined),
  ask: () => Promise.resolve(undefined),
  readInput: () => Promise.resolve(new Uint8Array()),
  editFile: () => Promise.resolve(),
  serveMcp: () => Promise.resolve(),
  browse: () => Promise.resolve(),
  serveUi: () => Promise.resolve(),
  emit: () => undefined,
  signal: new AbortController().signal,
})

async function audited(
  target = 'p',
  options: { rerun?: boolean } = {},
): Promise<{ exitCode: number; data: AuditedData }> {
  return audit({ target, ...options }, context())
}

/** The plan's branch checked out at a commit, changed, and back again. */
async function forged(from: string, change: () => void): Promise<{ exitCode: number; data: AuditedData }> {
  repo.git(['checkout', '-q', '-f', 'plan/p'])
  repo.git(['reset', '-q', '--hard', from])
  try {
    change()
    return await audited()
  } finally {
    repo.git(['reset', '-q', '--hard', whole])
  }
}

/** A commit that says it is an event. */
function event(name: string, trailers: Readonly<Record<string, string>> = {}): void {
  const digest = trailers['Digest'] ?? digestAt('HEAD')
  const all = { Id: 'p', Event: name, Digest: digest, ...trailers }
  repo.git(['add', '-A'])
  repo.git([
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    [name, '', ...Object.entries(all).map(([key, value]) => `Plan-${key}: ${value}`)].join('\n'),
  ])
}

const digestAt = (commit: string): string =>
  repo.git(['log', '-1', '--format=%(trailers:key=Plan-Digest,valueonly)', commit]).trim()
const digestOfFile = (): string => {
  const read = readPlan(Buffer.from(repo.read('.plans/p.md')), { file: '.plans/p.md', id: 'p' })
  return read.ok ? read.plan.digest : ''
}
const state = (status: string, lines = ''): void =>
  repo.write(
    '.plans/p.md',
    repo
      .read('.plans/p.md')
      .replace(/^status: [^]*?(?=^---$)/m, `status: ${status}\n${lines === '' ? 'state: {}\n' : `state:\n${lines}`}`),
  )
const approve = (trailers: Readonly<Record<string, string>> = {}): void => {
  state('approved')
  event('approved', {
    'Approved-By': 'Ada <ada@example.com>',
    Approval: 'local',
    Base: repo.git(['rev-parse', 'main']),
    Policy: repo.git(['rev-parse', 'main:.plans/config.yml']),
    ...trailers,
  })
}
/** The first step, as the executor would commit it. */
const stepOne = (content = '1'): void => {
  repo.write('one.txt', content)
  state('active', '  one: done\n')
  event('step', { Step: 'one' })
}

test('a plan that failed, was repaired and completed holds, commit by commit, and its checks hold again', async () => {
  const { exitCode, data } = await audited('p', { rerun: true })
  expect(data.plans[0]?.findings).toEqual([])
  expect(exitCode).toBe(0)
  expect(data.plans[0]).toMatchObject({
    id: 'p',
    status: 'completed',
    steps: 4,
    effects: 1,
    approvals: [{ by: 'Ada <ada@example.com>', from: 'local' }],
  })
  expect(repo.git(['worktree', 'list']).split('\n')).toHaveLength(1)
})

test('a forgery that does everything as the executor would is no forgery', async () => {
  const { data } = await forged(proposed, () => (approve(), stepOne()))
  expect(data.plans[0]?.findings).toEqual([])
})

describe('what does not hold is found, and the first commit of it is named', () => {
  test.each<[string, string, RegExp, () => void, (() => string)?]>([
    ['a step that nobody approved', 'approval', /nobody had approved/, stepOne],
    [
      'an approval of another text',
      'approval',
      /the text has changed/,
      () => (approve({ Digest: '0'.repeat(64) }), stepOne()),
    ],
    [
      'an approval on another base',
      'approval',
      /the base has changed/,
      () => (approve({ Base: '0'.repeat(40) }), stepOne()),
    ],
    [
      'an approval under a policy that never was',
      'approval',
      /was not in force then/,
      () => (approve({ Policy: '1'.repeat(40) }), stepOne()),
    ],
    [
      'an approval under a policy from before the base',
      'approval',
      /was not in force then/,
      () => (approve({ Policy: 'none' }), stepOne()),
    ],
    [
      'an approval from where the policy takes none',
      'approval',
      /the policy requires a local approval/,
      () => (approve({ Approval: 'review' }), stepOne()),
    ],
    [
      'an approval that says it is signed',
      'approval',
      /claims to be signed/,
      () => (approve({ Approval: 'signature' }), stepOne()),
    ],
    [
      'an approval that changes another file',
      'scope',
      /may change only the plan file/,
      () => (repo.write('do.sh', 'x\n'), approve()),
    ],
    [
      'a step that changes another file than its verb says',
      'scope',
      /more than one.txt: other.txt/,
      () => (approve(), repo.write('other.txt', 'x\n'), stepOne()),
    ],
    [
      'a step that changes the configuration',
      'scope',
      /belongs to the plan/,
      () => (approve(), repo.write('.plans/config.yml', 'version: 1\n'), stepOne()),
    ],
    [
      'a step that says of another that it is done',
      'plan-file',
      /the plan file should say "active, one done", not/,
      () => (
        approve(),
        repo.write('one.txt', '1'),
        state('active', '  one: done\n  two: done\n'),
        event('step', { Step: 'one' })
      ),
    ],
    [
      'a step that comes before what it needs',
      'order',
      /needs one, not done yet/,
      () => (approve(), state('active', '  two: done\n'), event('step', { Step: 'two' })),
    ],
    [
      'a step that is not in the plan',
      'plan-file',
      /not in the plan/,
      () => (approve(), state('active'), event('step', { Step: 'never' })),
    ],
    ['a step that is done twice', 'order', /already done/, () => (approve(), stepOne(), stepOne('2'))],
    [
      'an end that comes too soon',
      'order',
      /one is pending/,
      () => (approve(), state('completed'), event('completed')),
    ],
    [
      'an event that the plan cannot take',
      'plan-file',
      /cannot be/,
      () => (state('rejected'), event('rejected'), state('completed'), event('completed')),
    ],
    [
      'a text that changes what is done',
      'plan-file',
      /different in the new text/,
      () => {
        approve()
        stepOne()
        repo.write('.plans/p.md', repo.read('.plans/p.md').replace('content: "1"', 'content: "2"'))
        state('proposed', '  one: done\n')
        event('replanned', { Digest: digestOfFile() })
      },
    ],
    [
      'a digest that is not that of the file',
      'plan-file',
      /names the digest 0000/,
      () => (state('approved'), event('approved', { Digest: '0'.repeat(64) })),
    ],
    [
      'a plan file that is no plan',
      'plan-file',
      /is not a valid plan/,
      () => (repo.write('.plans/p.md', 'nothing\n'), event('approved')),
    ],
    [
      'a commit of somebody else on top',
      'foreign',
      /not made by git plan/,
      () => (repo.write('x.txt', 'x\n'), void repo.commit('By hand')),
    ],
    [
      'a commit of somebody else below a step',
      'approval',
      /no approval includes/,
      () => (approve(), repo.write('x.txt', 'x\n'), void repo.commit('By hand'), stepOne()),
    ],
    [
      'a state that somebody else wrote',
      'foreign',
      /changes .plans\/p.md/,
      () => {
        approve()
        state('active', '  one: done\n')
        repo.commit('By hand')
        state('active', '  one: done\n  two: done\n')
        event('step', { Step: 'two' })
      },
    ],
    [
      'a commit with two parents',
      'shape',
      /2 parents/,
      () => {
        approve()
        repo.write('one.txt', '1')
        state('active', '  one: done\n')
        repo.git(['add', '-A'])
        const tree = repo.git(['write-tree'])
        const message = `one\n\nPlan-Id: p\nPlan-Event: step\nPlan-Step: one\nPlan-Digest: ${digestAt('HEAD')}`
        repo.git(['reset', '-q', '--hard', repo.git(['commit-tree', tree, '-p', 'HEAD', '-p', 'main', '-m', message])])
      },
    ],
  ])('%s', async (_, rule, message, change) => {
    const { exitCode, data } = await forged(proposed, change)
    const found = data.plans[0]?.findings ?? []
    expect(exitCode, JSON.stringify(found)).toBe(1)
    const finding = found.find((each) => each.rule === rule)
    expect(finding?.message, JSON.stringify(found)).toMatch(message)
    expect(repo.git(['cat-file', '-t', finding?.commit ?? ''])).toBe('commit')
  })
})

test('a step that changed what it must leave alone, in a history that was rewritten', async () => {
  const { data } = await forged(whole, () => {
    const two =
      repo
        .git(['log', '--format=%H', '--grep', 'Plan-Step: two', '--grep', 'Plan-Event: step', '--all-match', whole])
        .split('\n')[0] ?? ''
    repo.git(['checkout', '-q', '-B', 'plan/p', two])
    repo.write('sneaked.txt', 'x\n')
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', '--amend', '--no-edit'])
  })
  expect(data.plans[0]?.findings[0]).toMatchObject({
    rule: 'scope',
    step: 'two',
    message: 'it must not change files, but changed sneaked.txt',
  })
})

describe('what happened outside', () => {
  const ref = 'refs/plan/p/effects/pay/1'
  const without = async (change: () => void): Promise<AuditedData> => {
    const before = repo.git(['rev-parse', ref])
    try {
      change()
      return (await audited()).data
    } finally {
      repo.git(['update-ref', ref, before])
    }
  }

  test('a step that is done without a record of its effect', async () => {
    const { plans } = await without(() => repo.git(['update-ref', '-d', ref]))
    expect(plans[0]?.findings).toMatchObject([
      { rule: 'effect', step: 'pay', message: expect.stringContaining('no record of its effect') as string },
    ])
  })

  test('an effect of which nobody knows what came', async () => {
    const { plans } = await without(() => repo.git(['update-ref', ref, at(ref, 1)]))
    expect(plans[0]?.findings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('the outcome of effect 1 of pay is unknown'),
    )
  })
})

test('a check that no longer holds on what was recorded', async () => {
  const { data } = await forged(at(whole, 1), () => {
    repo.write('four.txt', '5\n')
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', '--amend', '--no-edit'])
  })
  expect(data.plans[0]?.findings).toEqual([])
  repo.git(['checkout', '-q', '-f', 'plan/p'])
  repo.git(['reset', '-q', '--hard', at(whole, 1)])
  repo.write('four.txt', '5\n')
  repo.git(['commit', '-q', '-a', '--amend', '--no-edit'])
  const again = await audited('p', { rerun: true })
  repo.git(['reset', '-q', '--hard', whole])
  expect(again.data.plans[0]?.findings).toMatchObject([
    { rule: 'check', step: 'four', message: 'four.txt does not contain /^4$/' },
  ])
})

describe('what a base took over', () => {
  const merged = async (change: () => void): Promise<AuditedData> => {
    repo.git(['checkout', '-q', '-f', 'main'])
    const before = repo.git(['rev-parse', 'main'])
    try {
      change()
      return (await audited(`${before}..main`)).data
    } finally {
      repo.git(['reset', '-q', '--hard', before])
      repo.git(['checkout', '-q', 'plan/p'])
    }
  }
  const squash = (): void => void repo.git(['merge', '-q', '--squash', 'plan/p'])

  test('a squash, a merge and the commits themselves', async () => {
    for (const take of [
      () => (squash(), void repo.commit('All of it')),
      () => void repo.git(['merge', '-q', '--no-ff', '-m', 'Merge', 'plan/p']),
      () => void repo.git(['merge', '-q', '--ff-only', 'plan/p']),
    ]) {
      const data = await merged(take)
      expect(data.plans).toMatchObject([{ id: 'p', findings: [] }])
      expect(data.plans[0]?.mergedAs).not.toBeNull()
    }
  })

  test('more than the plan made, something else than it made, and less', async () => {
    const findings = async (change: () => void): Promise<unknown> =>
      (await merged(() => (squash(), change(), void repo.commit('All of it')))).plans[0]?.findings.map(
        ({ message }) => message,
      )
    expect(await findings(() => repo.write('more.txt', 'x\n'))).toEqual([
      'it changes more.txt, which the plan does not change',
    ])
    expect(await findings(() => repo.write('one.txt', '2'))).toEqual(['its one.txt differs from that of the plan'])
    expect(await findings(() => repo.git(['rm', '-q', '-f', 'one.txt']))).toEqual([
      "it lacks the plan's changes to one.txt",
    ])
  })

  test('a plan that was put on a commit of nobody brings that along', async () => {
    const data = await merged(() => {
      repo.git(['checkout', '-q', '-b', 'aside'])
      repo.write('aside.txt', 'x\n')
      const aside = repo.commit('Aside')
      repo.git(['checkout', '-q', 'main'])
      const [base, commits] = [
        repo.git(['rev-parse', `${proposed}~1`]),
        repo.git(['rev-list', '--reverse', `${proposed}~1..${whole}`]).split('\n'),
      ]
      let tip = aside
      for (const commit of commits) {
        const index = { env: { GIT_INDEX_FILE: repo.path('.git/other-index') } }
        repo.git(['read-tree', commit], index)
        repo.git(
          ['update-index', '--add', '--cacheinfo', `100644,${repo.git(['rev-parse', `${aside}:aside.txt`])},aside.txt`],
          index,
        )
        const message = repo
          .git(['log', '-1', '--format=%B', commit])
          .replace(`Plan-Base: ${base}`, `Plan-Base: ${aside}`)
        tip = repo.git(['commit-tree', '-p', tip, '-F', '-', repo.git(['write-tree'], index)], { input: message })
      }
      repo.git(['update-ref', 'refs/heads/plan/p', tip])
      repo.git(['merge', '-q', '--no-ff', '-m', 'Merge', tip])
    })
    repo.git(['reset', '-q', '--hard', whole])
    expect(data.plans[0]?.findings.map(({ message }) => message)).toEqual([
      'it changes aside.txt, which the plan does not change',
    ])
  })

  test('where plans lie in a directory of another name', async () => {
    const other = new TestRepo()
    other.git(['config', 'plan.dir', 'pläne'])
    other.write(
      'pläne/q.md',
      '---\nplan: q\nsteps:\n  - {id: a, run: "true", title: A}\nstatus: completed\nstate:\n  a: done\n---\n',
    )
    other.commit('By hand')
    const ran = await other.plan(['audit', 'main~1..main'])
    other.remove()
    expect(ran.code, ran.all).toBe(1)
    expect(ran.all).toContain('it cannot be verified')
  })

  test('a plan that has not ended, and one of which nothing else is here', async () => {
    const open = await merged(() => void repo.git(['merge', '-q', '--no-ff', '-m', 'Too soon', at(whole, 1)]))
    expect(open.plans[0]?.findings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('says that the plan is active'),
    )
    const unknown = await merged(() => {
      repo.write('.plans/q.md', repo.git(['show', 'plan/p:.plans/p.md']).replace('plan: p', 'plan: q') + '\n')
      repo.commit('Another')
    })
    expect(unknown.plans).toMatchObject([{ id: 'q', findings: [{ rule: 'incomplete' }] }])
  })
})
