// A plan in the repository of a user with uncommitted work, and the promises that must hold whatever happens to its
// run.

import { existsSync, readFileSync } from 'node:fs'
import { Outside } from '../helpers/crash.ts'
import { planText, type Ran, type TestRepo } from '../helpers/repo.ts'

/** The user's work: an autostashed change, a staged one, an untracked file, an ignored one. */
const mine: Readonly<Record<string, string>> = {
  'b.txt': 'the user changed this\n',
  'c.txt': 'staged\n',
  'mine/untracked.txt': 'mine\r\n',
  'keep.log': 'ignored\n',
}

const status = ' M b.txt\nM  c.txt\n?? mine/'

/** How a run may end that something came in the way of: never as a bug of ours. */
const saneCodes = [0, 1, 2, 3, 4, 5, 130, 143]

export class Story {
  readonly repo: TestRepo
  readonly ledger: Outside
  readonly start = ['start', '.plans/demo.md', '--approve', '--autostash', '--skip-check', 'disk']
  readonly resume = ['resume', 'demo', '--autostash', '--skip-check', 'disk']

  /** `steps`: more of them, after the first two and before the last. */
  constructor(repo: TestRepo, steps: readonly string[] = []) {
    this.repo = repo
    this.ledger = new Outside(repo, 'ledger')
    repo.write('.gitignore', '*.log\n')
    for (const name of ['b.txt', 'c.txt', 'd.txt']) repo.write(name, `${name}\n`)
    repo.commit('More')
    const all = [
      this.step('one', 'echo 1 > one.txt; rm a.txt'),
      '  - {id: two, create: dir/two.txt, content: "2\\n"}',
      ...steps,
      this.step('last', 'echo 3 > d.txt'),
    ]
    repo.write('.plans/demo.md', planText(all.join('\n')))
    for (const [path, text] of Object.entries(mine)) repo.write(path, text)
    repo.git(['add', 'c.txt'])
  }

  /** A step that says in the ledger that it ran. */
  step(id: string, command: string, more = ''): string {
    return `  - {id: ${id}, run: ${JSON.stringify(`echo ${id} >> ${this.ledger.path}; ${command}`)}${more}}`
  }

  /** Steps that are commits of the branch, oldest first. */
  done(): string[] {
    if (this.tip() === undefined) return []
    const text = this.repo.git([
      'log',
      '--reverse',
      '--format=%(trailers:key=Plan-Event,valueonly,separator=)/%(trailers:key=Plan-Step,valueonly,separator=)',
      'plan/demo',
    ])
    return text.split('\n').flatMap((line) => (line.startsWith('step/') ? [line.slice(5)] : []))
  }

  tip(): string | undefined {
    const found = this.repo.git(['for-each-ref', '--format=%(objectname)', 'refs/heads/plan/demo'])
    return found === '' ? undefined : found
  }

  /** What is wrong after something came in the way, before anybody did anything about it. */
  afterFault(ran: Ran): string[] {
    const found: string[] = []
    if (!saneCodes.includes(ran.code)) found.push(`exit code ${ran.code}: ${ran.all.trim().slice(-400)}`)
    if (/^\s+at .+:\d+:\d+\)?$/m.test(ran.all)) found.push(`a stack trace: ${ran.all.trim().slice(-400)}`)
    if (ran.code !== 0 && !/Hint:|Next:/.test(ran.all))
      found.push(`nothing says what to do: ${ran.all.trim().slice(-400)}`)
    return [...found, ...this.damage()]
  }

  /** The branch names something incomplete, or an object is broken. */
  damage(): string[] {
    try {
      if (this.tip() !== undefined) this.repo.git(['rev-list', '--objects', '--quiet', 'plan/demo'])
      const said = this.repo.fsck()
      return said === '' ? [] : [`fsck: ${said}`]
    } catch (error) {
      return [`damaged: ${String((error as { stderr?: unknown }).stderr ?? error).slice(0, 400)}`]
    }
  }

  /**
   * The cause is gone: goes on to the end, and back to where the user was. Answers with what is not as after an
   * undisturbed run.
   */
  async goOn(command: readonly string[] = this.resume): Promise<string[]> {
    const [done, before] = [this.done(), this.ledger.lines()]
    const found: string[] = []
    // Also where it came to its end before something failed: that is what the hint says.
    const expected = this.isCompleted() ? 2 : 0
    const ran = await this.repo.plan(
      this.tip() === undefined ? this.start : this.#isApproved() ? command : ['start', 'demo', ...this.start.slice(2)],
    )
    if (ran.code !== expected) return [`resume: exit code ${ran.code}: ${ran.all.trim().slice(-600)}`]
    const since = this.ledger.lines().slice(before.length)
    found.push(...done.filter((step) => since.includes(step)).map((step) => `${step} was done and ran again`))
    return [...found, ...(await this.finish())]
  }

  async finish(): Promise<string[]> {
    const found: string[] = []
    const names = this.repo.git(['ls-tree', '-r', '--name-only', 'plan/demo']).split('\n')
    const texts = ['one.txt', 'dir/two.txt', 'd.txt', 'b.txt'].map((path) =>
      this.repo.git(['show', `plan/demo:${path}`]),
    )
    if (names.includes('a.txt') || texts.join(' ') !== '1 2 3 b.txt')
      found.push(`the result is another one: ${names.join(' ')}: ${texts.join(' ')}`)
    if (this.repo.status() !== '') found.push(`the tree is not clean: ${this.repo.status()}`)
    const finished = await this.repo.plan(['finish', 'demo'])
    if (finished.code !== 0) found.push(`finish: exit code ${finished.code}: ${finished.all.trim().slice(-400)}`)
    return [...found, ...this.lost(), ...this.damage()]
  }

  /** What of the user's is not there as it was. */
  lost(): string[] {
    const { repo } = this
    const found = Object.entries(mine).flatMap(([path, text]) =>
      existsSync(repo.path(path)) && readFileSync(repo.path(path), 'utf8') === text
        ? []
        : [`${path} of the user is lost`],
    )
    const now = repo.git(['status', '--porcelain', '--', ':!.plans'])
    return now === status ? found : [...found, `the status of the user is ${JSON.stringify(now)}`]
  }

  isCompleted(): boolean {
    return this.tip() !== undefined && /^status: completed$/m.test(this.repo.git(['show', 'plan/demo:.plans/demo.md']))
  }

  #isApproved(): boolean {
    return !/^status: (proposed|approved)$/m.test(this.repo.git(['show', 'plan/demo:.plans/demo.md']))
  }
}
