// Bare repositories on this disk, a home with an identity and a key, and the commands of `git plan fleet` on them.

import { execFileSync, type ChildProcess } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ended, type Ran, type RunOptions, type TestRepo } from './repo.ts'

export interface FleetOptions {
  /** Files on the default branch of each repository. */
  readonly files?: (number: number) => Readonly<Record<string, string>>
  readonly count?: number
}

export class Fleet {
  readonly repo: TestRepo
  readonly addresses: readonly string[]
  /** The file with the addresses. */
  readonly list: string
  readonly control: string

  constructor(repo: TestRepo, { files = () => ({}), count = 6 }: FleetOptions = {}) {
    this.repo = repo
    writeFileSync(join(repo.home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.com\n')
    this.control = join(repo.home, 'control.git')
    repo.git(['init', '-q', '--bare', this.control])
    this.addresses = Array.from({ length: count }, (_, at) => this.#make(`r${at + 1}`, files(at + 1)))
    this.list = join(repo.home, 'repositories.txt')
    writeFileSync(this.list, this.addresses.map((address) => `${address}\n`).join(''))
  }

  #make(name: string, files: Readonly<Record<string, string>>): string {
    const { repo } = this
    const address = join(repo.home, 'remotes', `${name}.git`)
    const work = join(repo.home, 'work', name)
    repo.git(['init', '-q', '--bare', '-b', 'main', address])
    repo.git(['clone', '-q', address, work])
    writeFileSync(join(work, 'a.txt'), 'hello\n')
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(work, path, '..'), { recursive: true })
      writeFileSync(join(work, path), text)
    }
    repo.git(['add', '-A'], { cwd: work })
    repo.git(['commit', '-q', '-m', 'First'], { cwd: work })
    repo.git(['push', '-q', 'origin', 'HEAD:main'], { cwd: work })
    return address
  }

  /** A plan file beside the repositories. */
  write(name: string, text: string): string {
    const file = join(this.repo.home, name)
    writeFileSync(file, text)
    return file
  }

  fleet(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return this.repo.plan(['fleet', ...args, ...this.#control(args)], { cwd: this.repo.home, ...options })
  }

  async json(args: readonly string[], options: RunOptions = {}): Promise<Record<string, never>> {
    const ran = await this.fleet([...args, '--json'], options)
    return JSON.parse(ran.stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, never>
  }

  #control = (args: readonly string[]): string[] => (args.includes('--control') ? [] : ['--control', this.control])

  /** The subjects of the plan in a target, from its proposal on. */
  history(address: string, plan: string): string[] {
    return this.repo.git(['log', '--reverse', '--format=%s', `main..plan/${plan}`], { cwd: address }).split('\n')
  }

  /** A key, and the line with which a file allows it. */
  key(name: string): { readonly file: string; readonly signer: string } {
    const file = join(this.repo.home, `key-${name}`)
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', `${name}@example.com`, '-f', file])
    const [kind, key] = execFileSync('cat', [`${file}.pub`], { encoding: 'utf8' }).split(' ')
    return { file, signer: `${name}@example.com ${kind} ${key}\n` }
  }

  /** From now on commits are signed with this key. */
  signWith(file: string): void {
    writeFileSync(
      join(this.repo.home, '.gitconfig'),
      `[user]\n\tname = Ada\n\temail = ada@example.com\n\tsigningkey = ${file}\n[gpg]\n\tformat = ssh\n`,
    )
  }
}

/** Lets signed campaigns of the control repository approve everything in a target. */
const byCampaign = '{ from: [campaign], campaigns: [platform] }'

const campaignPolicy = (control: string, { more = '', approval = byCampaign } = {}): string =>
  [
    'version: 1',
    `approval: { ${['low', 'medium', 'high', 'critical'].map((level) => `${level}: ${approval}`).join(', ')} }`,
    `campaigns: { platform: { repository: ${control}, signers: .plans/campaign_signers, bases: [main], expires: 14d } }`,
    more,
    '',
  ].join('\n')

/** A fleet whose targets accept its signed campaigns, so that any machine may work on it. */
export function signedFleet(
  repo: TestRepo,
  {
    count = 6,
    files = () => ({}),
    policy = '',
    approval = byCampaign,
  }: FleetOptions & { readonly policy?: string; readonly approval?: string } = {},
): Fleet {
  const control = join(repo.home, 'control.git')
  const file = join(repo.home, 'key-kim')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'kim@example.com', '-f', file])
  const [kind, key] = readFileSync(`${file}.pub`, 'utf8').split(' ')
  const fleet = new Fleet(repo, {
    count,
    files: (number) => ({
      '.plans/config.yml': campaignPolicy(control, { more: policy, approval }),
      '.plans/campaign_signers': `kim@example.com ${kind} ${key}\n`,
      ...files(number),
    }),
  })
  fleet.signWith(file)
  appendFileSync(join(repo.home, '.gitconfig'), '[plan]\n\tlease = 10s\n')
  return fleet
}

/** A machine of its own: what it keeps, it does not share with the others. */
export class Machine {
  readonly #fleet: Fleet
  readonly #env: Readonly<Record<string, string>>
  readonly #children = new Map<ChildProcess, Promise<Ran>>()

  constructor(fleet: Fleet, name: string) {
    this.#fleet = fleet
    this.#env = { XDG_STATE_HOME: join(fleet.repo.home, 'machines', name) }
  }

  start(args: readonly string[]): ChildProcess {
    const child = this.#fleet.repo.spawn(['fleet', ...args, '--control', this.#fleet.control], {
      cwd: this.#fleet.repo.home,
      env: this.#env,
    })
    this.#children.set(child, ended(child))
    return child
  }

  json(args: readonly string[]): Promise<Record<string, never>> {
    return this.#fleet.json(args, { env: this.#env })
  }

  /** What a process of it printed, when it has ended. */
  async ended(child: ChildProcess): Promise<Ran | undefined> {
    return this.#children.get(child)
  }

  /** With everything that its processes started. */
  signal(name: NodeJS.Signals): void {
    for (const child of this.#children.keys())
      for (const pid of treeOf(child.pid ?? 0))
        try {
          process.kill(pid, name)
        } catch {
          // It ended meanwhile.
        }
  }

  async off(): Promise<void> {
    this.signal('SIGKILL')
    await Promise.all(this.#children.values())
    this.#children.clear()
  }
}

/** A process and its descendants, those of other process groups too. */
function treeOf(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each)))
    try {
      const [, parent] = /\) \S (\d+) /.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
      parents.set(Number(name), Number(parent))
    } catch {
      // It ended meanwhile.
    }
  const tree = [root]
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child)
  return tree
}
