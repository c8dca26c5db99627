// Completion in real interactive shells, after `git plan` and after `git-plan`, with what `completion --install` wrote.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test as plain } from 'vitest'
import { bin, planText, test, TestRepo } from '../helpers/repo.ts'
import { Typist } from '../helpers/typist.ts'

const bashCompletion = [
  '/usr/share/bash-completion/bash_completion',
  '/usr/local/share/bash-completion/bash_completion',
].find((path) => existsSync(path))
const isThere = (shell: string): boolean =>
  spawnSync(shell, ['--version']).status === 0 && (shell !== 'bash' || bashCompletion !== undefined)

/** How each is started, and what its user has in the file that it reads first. */
const shells = {
  bash: {
    start: ['bash', '--rcfile', '.bashrc', '-i'],
    rc: '.bashrc',
    text: `. ${bashCompletion}\nPS1='ready> '\nbind 'set bell-style none'\n`,
  },
  zsh: {
    start: ['zsh', '-i'],
    rc: '.zshrc',
    // By itself Tab expands first, and zsh runs `$(…)` for that, whatever the program is.
    text: "fpath=(~/.local/share/zsh/site-functions $fpath)\nautoload -Uz compinit\ncompinit -u\nPS1='ready> '\nbindkey '^I' complete-word\nunsetopt beep\n",
  },
  fish: {
    start: ['fish', '-i'],
    rc: '.config/fish/config.fish',
    text: "function fish_prompt; echo -n 'ready> '; end\nfunction fish_greeting; end\n",
  },
} as const
type Shell = keyof typeof shells
const names = Object.keys(shells) as Shell[]

let repo: TestRepo
let other: string
beforeAll(async () => {
  repo = new TestRepo()
  repo.write('limits.md', planText('  - {id: first, run: "true"}', 'title: Limits\n'))
  repo.commit('Files')
  // Whatever a title says, it is only shown.
  const title = 'Greet $(touch canary) `touch canary` %F{red}'
  const steps = `  - {id: first, run: "true"}\n  - {id: second, title: 'Say $(touch canary)', run: "true"}`
  expect(
    await repo.plan(['new', '--id', 'greet', '--from', '-'], { input: planText(steps, `title: '${title}'\n`) }),
  ).toMatchObject({ code: 0 })
  other = join(dirname(repo.dir), 'the other')
  repo.git(['clone', '-q', repo.dir, other])
  repo.git(['branch', 'plan/elsewhere', 'HEAD'], { cwd: other })
  // Without it fish reads all manual pages of the machine when it is first started.
  mkdirSync(join(repo.home, '.local/share/fish/generated_completions'), { recursive: true })
  for (const name of names) {
    const { rc, text } = shells[name]
    mkdirSync(dirname(join(repo.home, rc)), { recursive: true })
    writeFileSync(join(repo.home, rc), text)
    expect(await repo.plan(['completion', name, '--install'])).toMatchObject({ code: 0 })
  }
})
afterAll(() => repo.remove())

const open = (shell: Shell): Typist => {
  const [program, ...args] = shells[shell].start
  return new Typist(repo, [program, ...args.map((each) => (each.startsWith('.') ? join(repo.home, each) : each))])
}

describe.concurrent('Tab', () => {
  for (const shell of names) {
    const skipped = isThere(shell) ? '' : ' (skipped: not installed here)'

    plain.skipIf(!isThere(shell))(
      `${shell} completes commands, options, plans, steps and files${skipped}`,
      async ({ expect }) => {
        const typist = open(shell)
        try {
          await typist.sees('ready> ')
          const typed: [string, string[]][] = [
            ['git plan sho\tgre\t', ['show', 'greet']],
            ['git-plan resume --retr\tsec\t', ['resume', '--retry', 'second']],
            [`git -C '${other}' plan sho\telse\t`, ['show', 'elsewhere']],
            ['git plan list --status=fai\t', ['list', '--status=failed']],
            ['git-plan list --status=fai\t', ['list', '--status=failed']],
            ['git plan check lim\t', ['check', 'limits.md']],
          ]
          for (const [keys, argv] of typed) expect(await typist.enter(keys), keys).toEqual(argv)
        } finally {
          typist.close()
        }
      },
    )

    plain.skipIf(!isThere(shell))(`${shell} runs nothing of what is typed or shown${skipped}`, async ({ expect }) => {
      const typist = open(shell)
      const canary = `canary-${shell}`
      try {
        await typist.sees('ready> ')
        // Ctrl-U takes the line back. Ctrl-C would take back what the shell has not read yet.
        const look = async (line: string): Promise<void> =>
          expect(await typist.enter(`${line}\u0015git plan done`)).toEqual(['done'])
        for (const word of [
          `$(touch ${canary})`,
          `\`touch ${canary}\``,
          `"$(touch ${canary})`,
          `--from=$(touch ${canary})/x`,
        ])
          await look(`git plan new ${word}\t`)
        for (const program of ['git plan', 'git-plan'])
          await look(`${program} log $(touch ${canary}) "\`touch ${canary}\`" --output \t`)
        await look(`git-plan check $(touch ${canary})\t`)
        await look(`git plan -C '$(touch ${canary})' show \t`)
        await look('git plan log --output \t\t')
        const asked = typist.questions.join('\n')
        for (const word of [`$(touch ${canary})`, `\`touch ${canary}\``, `--from=$(touch ${canary})`, '-C'])
          expect(asked).toContain(word)
        expect([canary, 'canary'].filter((name) => existsSync(repo.path(name)))).toEqual([])
      } finally {
        typist.close()
      }
    })
  }
})

plain.skipIf(!isThere('fish'))(
  'fish answers `complete -C` for both, and reading the script twice changes nothing',
  async () => {
    const programs = join(repo.home, 'bin')
    mkdirSync(programs)
    symlinkSync(bin, join(programs, 'git-plan'))
    const env = { ...repo.env, PATH: `${programs}:${repo.env['PATH']}` }
    const ask = (script: string): string[] =>
      spawnSync('fish', ['-c', script], { cwd: repo.dir, env, encoding: 'utf8' }).stdout.split('\n').filter(Boolean)
    const twice = 'git-plan completion fish | source; git-plan completion fish | source;'
    expect(ask(`${twice} complete -C 'git plan sh'`)).toEqual(['show\twhat a plan says: risk, steps in waves'])
    expect(ask("complete -C 'git-plan diff greet '")).toEqual([
      'first\tpending: Run true',
      'second\tpending: Say $(touch canary)',
    ])
  },
)

describe.concurrent('the hidden entry', () => {
  const ask = (repo: TestRepo, ...args: string[]) => repo.plan(['--complete', ...args])

  test('prints nothing where nothing can be said', async ({ repo }) => {
    const silent = { code: 0, stdout: '', stderr: '' }
    for (const args of [[], ['bash', 'x', '--', 'git', 'plan', 'show'], ['bash', '9', '--', 'git', 'plan']])
      expect(await ask(repo, ...args)).toMatchObject(silent)
    expect(await ask(repo, 'zsh', '4', '--', 'git-plan', '-C', '/nowhere', 'show', '')).toMatchObject(silent)
    expect(await repo.plan(['--complete', 'zsh', '2', '--', 'git-plan', 'show', ''], { cwd: repo.home })).toMatchObject(
      silent,
    )
  })

  test('does not open thousands of plans, and offers no branch that is no plan', async ({ repo }) => {
    const tip = repo.git(['rev-parse', 'HEAD'])
    const ids = Array.from({ length: 3000 }, (_, index) => `p${index}`)
    const refs = [...ids, 'Not-An-Id', 'wei\u202erd'].map((id) => `refs/heads/plan/${id}`).toSorted()
    repo.write(
      '.git/packed-refs',
      `# pack-refs with: peeled fully-peeled sorted \n${refs.map((ref) => `${tip} ${ref}\n`).join('')}`,
    )
    const answer = await ask(repo, 'zsh', '2', '--', 'git-plan', 'show', '')
    expect(answer.stdout.split('\n').filter(Boolean).toSorted()).toEqual(ids.toSorted())
    expect((await ask(repo, 'bash', '2', '--', 'git-plan', 'show', "'p299")).stdout).toBe(
      `${['p299', ...Array.from({ length: 10 }, (_, n) => `p299${n}`)].join('\n')}\n`,
    )
    expect(await ask(repo, 'zsh', '3', '--', 'git-plan', 'resume', '--retry', '')).toMatchObject({
      code: 0,
      stdout: '',
    })
  })
})

describe.concurrent('completion --install', () => {
  test('a second time changes nothing, an old script is replaced, what is not ours stays', async ({ repo }) => {
    const paths = ['completions', 'conf.d'].map((folder) => join(repo.home, '.config/fish', folder, 'git-plan.fish'))
    const states = async (): Promise<unknown> => {
      const files: { path: string; state: string }[] =
        (await repo.json(['completion', 'fish', '--install']))['files'] ?? []
      expect(files.map(({ path }) => path)).toEqual(paths)
      return files.map(({ state }) => state)
    }
    expect(await states()).toEqual(['written', 'written'])
    expect(await states()).toEqual(['unchanged', 'unchanged'])
    const [first = '', second = ''] = paths
    writeFileSync(second, `${readFileSync(second, 'utf8')}# older\n`)
    expect(await states()).toEqual(['unchanged', 'replaced'])
    rmSync(first)
    writeFileSync(second, '# mine\n')
    expect(await repo.plan(['completion', 'fish', '--install'])).toMatchObject({ code: 2 })
    expect([existsSync(first), readFileSync(second, 'utf8')]).toEqual([false, '# mine\n'])
  })

  plain('what is printed is what is installed, and is where the shell looks', async () => {
    const places = {
      bash: '.local/share/bash-completion/completions/git-plan',
      zsh: '.local/share/zsh/site-functions/_git-plan',
      fish: '.config/fish/completions/git-plan.fish',
    }
    for (const shell of names)
      expect((await repo.plan(['completion', shell])).stdout).toBe(readFileSync(join(repo.home, places[shell]), 'utf8'))
  })

  test('the variables that name these places count, and without any home it says so', async ({ repo }) => {
    const env = { BASH_COMPLETION_USER_DIR: join(repo.home, 'own') }
    expect((await repo.plan(['completion', 'bash', '--install'], { env })).stdout).toContain(
      join(repo.home, 'own/completions/git-plan'),
    )
    expect(
      (await repo.plan(['completion', 'zsh', '--install'], { env: { XDG_DATA_HOME: join(repo.home, 'a b') } })).stdout,
    ).toContain(`fpath=('${join(repo.home, 'a b')}/zsh`)
    expect(await repo.plan(['completion', 'zsh', '--install'], { env: { HOME: undefined } })).toMatchObject({ code: 2 })
  })

  test('a shell has to be named', async ({ repo }) => {
    for (const args of [['completion'], ['completion', 'tcsh'], ['completion', '--install']]) {
      const ran = await repo.plan(args)
      expect(ran.code).toBe(2)
      expect(ran.stderr).toContain('Hint: git plan completion bash --install')
    }
  })
})
