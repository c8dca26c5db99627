// A crash at any moment of any command that writes. It takes samples; with GIT_PLAN_SWEEP=1 it goes
// through all moments, with a larger number through every n-th.

import { describe, expect } from 'vitest'
import { crash, crashModes, disorder, failure, movesOf, Outside, Snapshot } from '../helpers/crash.ts'
import { planText, test, type Ran, type TestRepo } from '../helpers/repo.ts'

const every = process.env['GIT_PLAN_SWEEP'] === undefined ? undefined : Number(process.env['GIT_PLAN_SWEEP'])

interface Scenario {
  readonly name: string
  /** About how many moments of it the suite tries. */
  readonly samples: number
  readonly prepare: (repo: TestRepo) => Promise<void>
  readonly command: readonly string[]
  /** What a user would do about it, to the end. */
  readonly goOn: (repo: TestRepo) => Promise<Ran>
  /** What must be true at the end. */
  readonly judge: (repo: TestRepo) => string[]
}

const ledger = (repo: TestRepo): Outside => new Outside(repo, 'ledger')
const steps = (repo: TestRepo): string =>
  [
    `  - {id: one, run: echo one >> ${ledger(repo).path}; echo 1 > one.txt; rm gone.txt; echo x > scratch.log}`,
    '  - {id: two, create: dir/two.txt, content: "2\\n"}',
    // Fails in its first attempt: its files are saved, the tree is restored, and it runs again.
    `  - {id: three, retries: 1, run: 'echo three >> ${ledger(repo).path}; echo 3 > three.txt; echo 3 >> a.txt; test -e ${repo.dir}/../second || { touch ${repo.dir}/../second; exit 1; }'}`,
  ].join('\n')

async function dirtyRepo(repo: TestRepo): Promise<void> {
  repo.write('.gitignore', '*.log\n')
  for (const name of ['b.txt', 'c.txt', 'gone.txt']) repo.write(name, `${name}\n`)
  repo.commit('More')
  repo.write('.plans/demo.md', planText(steps(repo)))
  repo.write('b.txt', 'the user changed this\n')
  repo.write('c.txt', 'staged\n')
  repo.git(['add', 'c.txt'])
  repo.write('mine/untracked.txt', 'mine\r\n')
  repo.write('keep.log', 'ignored\n')
}

const isMine = (repo: TestRepo): string[] => {
  const found: string[] = []
  const says = (what: string, actual: string, expected: string): void => void (actual !== expected && found.push(`${what}: ${JSON.stringify(actual)}`))
  says('HEAD', repo.git(['rev-parse', '--abbrev-ref', 'HEAD']), 'main')
  says('status', repo.git(['status', '--porcelain', '--', ':!.plans']), ' M b.txt\nM  c.txt\n?? mine/')
  says('b.txt', repo.read('b.txt'), 'the user changed this\n')
  says('c.txt', repo.read('c.txt'), 'staged\n')
  says('untracked', repo.read('mine/untracked.txt'), 'mine\r\n')
  says('ignored', repo.read('keep.log'), 'ignored\n')
  return found
}

const treeIs = (repo: TestRepo, ref: string, expected: string): string[] => {
  const tree = repo.git(['ls-tree', '-r', '--name-only', ref]).split('\n').join(' ')
  return tree === expected && repo.git(['show', `${ref}:a.txt`]).startsWith('hello') ? [] : [`${ref} holds ${tree}`]
}
const whole = '.gitignore .plans/demo.md a.txt b.txt c.txt dir/two.txt one.txt three.txt'
const before = '.gitignore a.txt b.txt c.txt gone.txt'

const run = ['start', '.plans/demo.md', '--approve', '--autostash']
/** As a user would: the same command again, or resume where it says so (the plan has been started, or its file is on the branch by now). */
async function runToEnd(repo: TestRepo): Promise<Ran> {
  const again = await repo.plan(run)
  return again.code === 2 ? repo.plan(['resume', 'demo', '--approve', '--autostash']) : again
}

const scenarios: Scenario[] = [
  {
    name: 'start with autostash',
    samples: 4,
    prepare: dirtyRepo,
    command: run,
    async goOn(repo) {
      const subjects = repo.git(['branch', '--list', 'plan/demo']) === '' ? [] : repo.subjects('plan/demo')
      const isOneDone = subjects.some((subject) => subject.startsWith('Run echo one'))
      const timesBefore = ledger(repo).count('one')
      if (subjects[0] !== 'Completed: demo') {
        const ran = await runToEnd(repo)
        if (ran.code !== 0) return ran
      }
      const finished = await repo.plan(['finish', 'demo'])
      return isOneDone && ledger(repo).count('one') !== timesBefore ? { ...finished, code: 99, all: 'step one was committed, and ran again' } : finished
    },
    judge: (repo) => [...isMine(repo), ...treeIs(repo, 'main', whole)],
  },
  {
    name: 'rollback',
    samples: 2,
    async prepare(repo) {
      await dirtyRepo(repo)
      await repo.plan(run)
    },
    command: ['rollback', 'demo', '--to', 'one'],
    async goOn(repo) {
      const rolled = await repo.plan(['rollback', 'demo', '--to', 'one'])
      if (rolled.code !== 0) return rolled
      if (repo.status() !== '' || repo.read('a.txt') !== 'hello\n') return { ...rolled, code: 98, all: `not back: ${repo.status()}` }
      const ran = await repo.plan(['resume', 'demo'])
      return ran.code === 0 ? repo.plan(['finish', 'demo', '--squash']) : ran
    },
    judge: (repo) => [...isMine(repo), ...treeIs(repo, 'main', whole), ...(ledger(repo).count('one') === 0 ? [] : ['step one ran again'])],
  },
  {
    name: 'finish',
    samples: 2,
    async prepare(repo) {
      await dirtyRepo(repo)
      await repo.plan(run)
    },
    command: ['finish', 'demo'],
    // With the branch gone it is finished: the last move was the last thing to do.
    goOn: async (repo) => (repo.git(['branch', '--list', 'plan/demo']) === '' ? { code: 0, stdout: '', stderr: '', all: '' } : repo.plan(['finish', 'demo'])),
    judge: (repo) => [...isMine(repo), ...treeIs(repo, 'main', whole), ...(repo.git(['branch', '--list', 'plan/*']) === '' ? [] : ['the branch is left'])],
  },
  {
    name: 'cancel',
    samples: 2,
    async prepare(repo) {
      await dirtyRepo(repo)
      repo.write('.plans/demo.md', planText(`${steps(repo)}\n  - {id: four, run: echo half > half.txt; false}`))
      await repo.plan([...run, '--keep-tree'])
      repo.write('half.txt', 'and more\n')
    },
    command: ['cancel', 'demo'],
    goOn: (repo) => repo.plan(['cancel', 'demo']),
    judge: (repo) => [
      ...isMine(repo),
      ...treeIs(repo, 'main', before),
      ...treeIs(repo, 'plan/demo', whole),
      ...(repo
        .git(['for-each-ref', '--format=%(refname)', 'refs/plan/demo/attempts/'])
        .split('\n')
        .some((ref) => repo.git(['ls-tree', '-r', '--name-only', ref]).includes('half.txt'))
        ? []
        : ['half.txt was not saved']),
    ],
  },
]

describe.each(scenarios)('$name', ({ samples, prepare, command, goOn, judge }) => {
  for (const mode of crashModes) {
    test(`killed at any moment (${mode}), the same command again leads to the end`, { timeout: 3_600_000 }, async ({ repo }) => {
      await prepare(repo)
      const begin = new Snapshot(repo)
      const side = ['second', 'ledger'].map((name) => new Outside(repo, name)) as [Outside, Outside]
      const hasFailed = side[0].lines().length > 0
      const reset = (): void => {
        begin.restore()
        side[1].remove()
        if (!hasFailed) side[0].remove()
      }
      reset()
      const moves = await movesOf(repo, command)
      const numbers = moves.map((_, index) => index + 1).filter((at) => mode === 'before' || /^\d+ (spawn|transaction)/.test(moves[at - 1] ?? ''))
      const stride = every ?? Math.max(1, Math.floor((numbers.length / samples) * 3))
      const wrong: string[] = []
      let tried = 0
      for (const at of numbers.filter((_, index) => index % stride === stride >> 1)) {
        reset()
        if (!(await crash(repo, command, at, mode))) continue
        tried += 1
        const ran = await goOn(repo)
        const problems = ran.code === 0 ? [...judge(repo), ...disorder(repo)] : [failure(ran), ...disorder(repo)]
        if (problems.length > 0) wrong.push(`${moves[at - 1]}: ${problems.join('; ')}`)
      }
      if (every !== undefined) console.log(`${command[0]} ${mode}: ${tried} of ${numbers.length} moments, ${wrong.length} wrong\n${wrong.join('\n')}`)
      expect(wrong).toEqual([])
      expect(tried).toBeGreaterThan(0)
    })
  }
})
