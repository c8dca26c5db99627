// G1 to G10: what arguments, configuration, environment and the look of a repository could make git do, it does not.

import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { allowed, Canary, picture, refusalOf } from '../helpers/canary.ts'
import { Snapshot } from '../helpers/crash.ts'
import { readingCommands } from '../helpers/reading-commands.ts'
import { planText, test, TestRepo } from '../helpers/repo.ts'
import { Traps } from '../helpers/traps.ts'
import { isWide, some } from '../helpers/wide.ts'

test('G1 a branch, a path, an id or a plan that begins with a dash: refused before anything is started', async ({
  repo,
}) => {
  const canary = new Canary(repo)
  // Every git that is started with such a word says so.
  const wrapper = join(repo.home, 'bin')
  mkdirSync(wrapper)
  writeFileSync(
    join(wrapper, 'git'),
    `#!/bin/sh\ncase " $* " in *" -x"*|*--upload-pack*|*" -b "*) ${canary.command};; esac\nexec ${execFileSync('which', ['git'], { encoding: 'utf8' }).trim()} "$@"\n`,
  )
  chmodSync(join(wrapper, 'git'), 0o755)
  const env = { PATH: `${wrapper}:${repo.env['PATH']}` }
  const before = picture(repo)
  const steps = [
    'id: -x, run: "true"',
    'create: -x, content: y',
    'move: a.txt, to: --upload-pack',
    'id: one, run: "true", needs: [-x]',
    'run: "true", files: [-x]',
    'delete: [-x]',
  ]
  const texts: [string, number[]][] = [
    [planText(steps.map((step) => `  - {${step}}`).join('\n')), steps.map((_, at) => at + 3)],
    [planText('  - {id: one, run: "true"}', 'base: -x\nplan: -x\n'), [2, 3]],
    [planText('  - {id: one, run: "true"}', 'base: --upload-pack=touch\n'), [2]],
  ]
  for (const [at, [text, lines]] of texts.entries()) {
    writeFileSync(join(repo.home, `p${at}.md`), text)
    const { code, findings } = refusalOf(
      await repo.plan(['start', join(repo.home, `p${at}.md`), '--approve', '--json'], { env }),
    )
    expect([code, ...new Set(findings?.map(({ line }) => line))]).toEqual(['invalid-plan', ...lines])
  }
  for (const args of [
    ['show', '--', '-x'],
    ['new', 'A title', '--id', '-x'],
    ['new', 'A title', '--id=-x'],
    ['new', 'A title', '--base=-x'],
    ['status', '--', '--upload-pack=x'],
    ['start', '--', '-x.md'],
  ]) {
    const ran = await repo.plan(args, { env })
    expect(ran, `${args.join(' ')}: ${ran.all}`).toMatchObject({ code: 2 })
  }
  expect(canary.sang).toBe(false)
  expect(picture(repo)).toEqual(before)
  repo.git(['config', 'plan.policyRef', '-x'])
  expect(refusalOf(await repo.plan(['list', '--json'], { env })).code).toBe('usage')
  repo.git(['config', 'plan.policyRef', 'main'])
  repo.git(['config', 'plan.dir', '-x'])
  expect(refusalOf(await repo.plan(['list', '--json'], { env })).code).toBe('usage')
  expect(canary.sang).toBe(false)
})

test('G2 remotes and submodules with URLs that run something, and a path that ends in a carriage return: nothing of them is used', async ({
  repo,
}) => {
  const canary = new Canary(repo)
  const program = canary.program()
  const urls = [
    `ext::${program}`,
    'fd::17',
    `ssh://-oProxyCommand=${program}/x`,
    `-u${program}`,
    `--upload-pack=${program}`,
  ]
  for (const [at, url] of urls.entries()) repo.git(['config', `remote.r${at}.url`, url])
  repo.git(['config', 'remote.origin.url', urls[0]!])
  repo.git(['config', 'plan.policyRef', 'main'])
  repo.git(['config', 'protocol.ext.allow', 'always'])
  const modules = [...urls.entries()]
    .map(([at, url]) => `[submodule "s${at}"]\n\tpath = s${at}\n\turl = ${url}\n\tupdate = !${program}\n`)
    .join('')
  repo.write('.gitmodules', `${modules}[submodule "cr"]\n\tpath = "cr\r"\n\turl = ./a\n`)
  repo.git(['add', '.'])
  for (const [at] of urls.entries())
    repo.git(['update-index', '--add', '--cacheinfo', `160000,${repo.git(['rev-parse', 'HEAD'])},s${at}`])
  repo.git(['update-index', '--add', '--cacheinfo', `160000,${repo.git(['rev-parse', 'HEAD'])},cr\r`])
  repo.git(['commit', '-q', '-m', 'Submodules'])
  repo.git(['config', 'submodule.recurse', 'true'])
  mkdirSync(repo.path('cr\r'))
  for (const [at] of urls.entries()) mkdirSync(repo.path(`s${at}`))
  repo.write(
    '.plans/p.md',
    planText('  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: echo 2 > two.txt; exit 1}'),
  )
  const main = repo.git(['rev-parse', 'main'])
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran, ran.all).toMatchObject({ code: 1 })
  for (const args of [['rollback', 'p', '--all'], ['list'], ['diff', 'p'], ['doctor'], ['cancel', 'p']])
    await repo.plan(args)
  expect(repo.git(['rev-parse', 'main'])).toBe(main)
  expect(canary.sang).toBe(false)
  // In a plan, a path with a carriage return is refused.
  writeFileSync(join(repo.home, 'cr.md'), planText('  - {create: "x\\r/y", content: z}'))
  expect(refusalOf(await repo.plan(['start', join(repo.home, 'cr.md'), '--approve', '--json'])).findings).toMatchObject(
    [{ rule: 'bad-value', line: 3 }],
  )
})

describe('G3 a repository whose configuration is full of programs', () => {
  /** A plan with a step that is done, one that failed, and files that git would have to look at again. */
  async function withPlan(repo: TestRepo): Promise<void> {
    repo.write(
      '.plans/p.md',
      planText('  - {id: one, run: echo 1 >> a.txt}\n  - {id: two, run: echo printed; echo half > half.txt; exit 1}'),
    )
    repo.write('new.md', planText('  - {id: one, run: "true"}'))
    repo.commit('Plan files')
    expect(await repo.plan(['start', '.plans/p.md', '--approve'])).toMatchObject({ code: 1 })
  }
  const words: Readonly<Record<string, string[][]>> = {
    list: [[]],
    status: [[]],
    show: [['p'], ['p', '--graph']],
    log: [['p', '--output', 'two'], ['p']],
    wait: [['p', '--for', 'failed']],
    diff: [['one'], ['p']],
    attempts: [['p', '--show', 'two'], ['p']],
    report: [['p']],
    audit: [['p']],
    check: [['new.md'], ['p']],
    guard: [['--agent', 'claude']],
    context: [[], ['--hook', 'claude']],
    metrics: [[]],
    stats: [[]],
    classify: [['--', 'cat', 'a.txt']],
    config: [[]],
    schema: [[]],
    doctor: [[]],
  }
  const completions = [
    ['--complete', 'zsh', '2', '--', 'git-plan', 'show', ''],
    ['--complete', 'zsh', '3', '--', 'git-plan', 'log', '--output', ''],
  ]
  const first = Object.fromEntries(Object.entries(words).map(([name, samples]) => [name, samples.slice(0, 1)]))
  const readers = [...readingCommands(isWide ? words : first), ...some(completions, [0])]

  // Those that others hide: npm run test:wide.
  const sets: [string, string[]][] = [
    ['all at once', []],
    [
      'those that others hide',
      ['diff.trap.command', 'diff.trap.textconv', 'filter.trap.process', 'core.hooksPath', 'remote.origin.vcs'],
    ],
  ]
  test.for(sets.slice(0, isWide ? 2 : 1))(
    'commands that only read run no canary: %s',
    async ([, without], { repo }) => {
      await withPlan(repo)
      const traps = new Traps(repo, { without })
      repo.write('a.txt', 'edited\n')
      const state = (): string[] => [
        execFileSync('sha256sum', [repo.path('.git/index'), repo.path('.git/HEAD')], { encoding: 'utf8' }),
        readdirSync(repo.path('.git/objects')).join(' '),
        readFileSync(repo.path('.git/refs/heads/plan/p'), 'utf8'),
      ]
      const before = state()
      const env = {
        GIT_PAGER: traps.program('env-pager'),
        PAGER: traps.program('env-pager'),
        EDITOR: traps.program('env-editor'),
        VISUAL: traps.program('env-editor'),
        GIT_EXTERNAL_DIFF: traps.program('env-diff'),
        GIT_SSH_COMMAND: traps.program('env-ssh'),
      }
      // The second time only what reads files and patches.
      const commands =
        without.length === 0
          ? readers
          : readers.filter(([name]) => /^(diff|status|attempts|report|doctor)$/.test(name ?? ''))
      for (let at = 0; at < commands.length; at += 3) {
        const few = commands.slice(at, at + 3)
        for (const [n, ran] of (await Promise.all(few.map((args) => repo.plan(args, { env })))).entries())
          expect(ran, `${few[n]?.join(' ')}: ${ran.all}`).toMatchObject({ code: 0 })
        expect(traps.sprung(), few.join('; ')).toEqual([])
      }
      expect(state()).toEqual(before)
      // The traps do work: git itself steps into them.
      for (const args of [
        ['diff'],
        ['log', '-p', '-1'],
        ['-p', 'log', '-1'],
        ['show', '--ext-diff', 'plan/p'],
        ['fetch', 'origin'],
        ['fetch', 'https://example.org/x'],
        ['commit', '--amend', '-S', '--no-edit', '--allow-empty'],
        ['checkout', '-q', '--', 'a.txt'],
        ['merge', '--no-ff', '--edit', 'main'],
      ])
        try {
          execFileSync('git', ['-c', 'core.fsmonitor=', ...args], {
            cwd: repo.dir,
            env: { ...repo.env, GIT_TERMINAL_PROMPT: '0' },
            stdio: 'ignore',
            timeout: 2000,
          })
        } catch {
          // A trap is no program that does what git expects of it.
        }
      execFileSync('git', ['status'], { cwd: repo.dir, env: repo.env, stdio: 'ignore' })
      const hidden =
        without.length === 0 ? ['diff-command', 'textconv', 'process'] : ['diff-external', 'clean', 'ext', 'instead']
      expect(traps.sprung()).toEqual(expect.arrayContaining(['fsmonitor', 'gpg', 'hook-pre-commit', ...hidden]))
    },
  )

  test('start, resume and rollback run what git commit and git checkout would run there, and nothing else', async ({
    repo,
  }) => {
    // The first commands fetch nothing: there is no partial clone here, and gc has its own hook.
    const without = [
      'extensions.partialClone',
      'remote.origin.promisor',
      'remote.origin.partialclonefilter',
      'filter.trap.process',
    ]
    const traps = new Traps(repo, { without })
    repo.git(['config', 'commit.gpgSign', 'false'])
    repo.git(['config', 'plan.policyRef', 'main'])
    const kept = new Snapshot(repo)
    const git = (args: readonly string[]): void => void repo.git(args)
    git(['checkout', '-q', '-b', 'elsewhere'])
    repo.write('one.txt', '1\n')
    git(['add', '.'])
    git(['commit', '-q', '-m', 'One'])
    git(['checkout', '-q', 'main'])
    git(['checkout', '-q', 'elsewhere'])
    const usual = new Set(traps.sprung())
    expect([...usual]).toEqual(
      expect.arrayContaining(['clean', 'hook-pre-commit', 'hook-commit-msg', 'hook-post-commit', 'hook-post-checkout']),
    )
    for (const name of usual) rmSync(join(traps.traces, name))
    kept.restore()

    writeFileSync(
      join(repo.home, 'p.md'),
      planText('  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: test -e "$HOME/go" && echo 2 > two.txt}'),
    )
    const ran = await repo.plan(['start', join(repo.home, 'p.md'), '--approve'])
    expect(ran, ran.all).toMatchObject({ code: 1 })
    writeFileSync(join(repo.home, 'go'), '')
    const resumed = await repo.plan(['resume', 'p'])
    expect(resumed, resumed.all).toMatchObject({ code: 0 })
    for (const args of [
      ['rollback', 'p', '--to', 'one'],
      ['rollback', 'p', '--undo'],
      ['rollback', 'p', '--all'],
      ['cancel', 'p'],
    ]) {
      const back = await repo.plan(args)
      expect(back, back.all).toMatchObject({ code: 0 })
    }
    expect(traps.sprung().filter((name) => !usual.has(name))).toEqual([])
    expect(traps.sprung()).toContain('hook-pre-commit')
  })

  test.for([
    [
      'a hook',
      `printf '#!/bin/sh\\nCANARY\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
      'hooks/pre-commit',
    ],
    [
      'another directory of hooks',
      `mkdir h; printf '#!/bin/sh\\nCANARY\\n' > h/pre-commit; chmod +x h/pre-commit; git config core.hooksPath h`,
      'config',
    ],
    ['a filter for all files', `git config filter.x.clean 'CANARY; cat'; echo '* filter=x' > .gitattributes`, 'config'],
    [
      'attributes of the repository',
      `mkdir -p .git/info; echo '* filter=known' > .git/info/attributes`,
      'info/attributes',
    ],
    [
      'attributes of the user',
      `mkdir -p "$XDG_CONFIG_HOME/git"; echo '* filter=known' > "$XDG_CONFIG_HOME/git/attributes"`,
      'git/attributes',
    ],
    [
      'the configuration of the user',
      `git config --global filter.x.clean 'CANARY; cat'; echo '* filter=x' > .gitattributes`,
      '.gitconfig',
    ],
    [
      'an include',
      `printf '[core]\\n\\tfsmonitor = "CANARY"\\n' > "$HOME/inc"; git config include.path "$HOME/inc"`,
      'config',
    ],
    ['a program to sign with', `git config commit.gpgSign true; git config gpg.program PROGRAM`, 'config'],
    ['a merge driver', `git config merge.x.driver CANARY; echo '* merge=x' > .gitattributes`, 'config'],
  ] as const)('a step that sets up %s stops the plan before git runs it', async ([, command, part], { repo }) => {
    const canary = new Canary(repo)
    repo.git(['config', 'filter.known.clean', `${canary.command}; cat`])
    writeFileSync(
      join(repo.home, 'sly.sh'),
      `${command.replaceAll('CANARY', canary.command.replaceAll("'", '')).replaceAll('PROGRAM', canary.program())}\necho new > new.txt\n`,
    )
    repo.write('.plans/p.md', planText('  - {id: sly, run: sh "$HOME/sly.sh"}\n  - {id: after, run: echo > after.txt}'))
    const main = repo.git(['rev-parse', 'main'])
    const refusal = refusalOf(await repo.plan(['start', '.plans/p.md', '--approve', '--json']))
    expect(refusal).toMatchObject({
      code: 'not-allowed',
      exitCode: 3,
      message: expect.stringContaining(part) as string,
    })
    expect(canary.sang).toBe(false)
    // The plan's branch was made by start; no step is on it.
    expect(repo.git(['ls-tree', '-r', '--name-only', 'plan/p'], { env: { GIT_CONFIG_GLOBAL: '/dev/null' } })).toBe(
      '.plans/p.md\na.txt',
    )
    expect(repo.git(['rev-parse', 'main'])).toBe(main)
  })

  test('a submodule with programs in its own configuration: looking and running step over them', async ({ repo }) => {
    const canary = new Canary(repo)
    const library = join(repo.home, 'library')
    repo.git(['clone', '-q', repo.dir, library])
    repo.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib'])
    repo.commit('A submodule')
    repo.git(['config', '--file', '.git/modules/lib/config', 'core.fsmonitor', canary.program()])
    repo.git(['config', '--file', '.git/modules/lib/config', 'core.pager', canary.program()])
    repo.write('.plans/p.md', planText('  - {id: one, run: echo 1 > one.txt}'))
    for (const args of [
      ['start', '.plans/p.md', '--approve'],
      ['status'],
      ['diff', 'p'],
      ['doctor'],
      ['rollback', 'p', '--all'],
      ['cancel', 'p'],
    ]) {
      const ran = await repo.plan(args)
      expect(ran, ran.all).toMatchObject({ code: 0 })
    }
    expect(canary.sang).toBe(false)
  })
})

test.for([
  ['fails', '; exit 1', ''],
  ['has an external effect', '', ', effect: external'],
])('G3 a filter that a step sets up does not run when the step %s', async ([, end, more], { repo }) => {
  const canary = new Canary(repo)
  const set = `git config filter.x.clean "${canary.command}; cat"; echo '* filter=x' > .gitattributes; echo new > new.txt${end}`
  repo.write('.plans/p.md', planText(`  - {id: sly, run: ${JSON.stringify(set)}${more}}`))
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran.code, ran.all).toBe(3)
  expect(canary.sang).toBe(false)
  repo.git(['config', '--unset', 'filter.x.clean'])
  // Taken back, so that nothing is in the way.
  expect((await repo.plan(['cancel', 'p'])).code).toBe(0)
  expect(canary.sang).toBe(false)
})

test('G3 a step that changes an included configuration file stops the plan', async ({ repo }) => {
  repo.write('.gc', '')
  repo.commit('Shared configuration')
  repo.git(['config', 'include.path', '../.gc'])
  repo.write('.plans/p.md', planText(`  - {id: sly, run: "git config -f .gc filter.x.clean cat"}`))
  expect(refusalOf(await repo.plan(['start', '.plans/p.md', '--approve', '--json']))).toMatchObject({
    code: 'not-allowed',
    exitCode: 3,
  })
})

test('G4 hostile variables in the environment: not passed on to git, its hooks or steps, and another repository is left alone', async ({
  repo,
}) => {
  const other = new TestRepo()
  try {
    const canary = new Canary(repo)
    const program = canary.program()
    const before = picture(other)
    const preload = join(repo.home, 'preload.cjs')
    // It is loaded into our own process, which is started with it: into no other.
    writeFileSync(
      preload,
      `require('fs').appendFileSync(${JSON.stringify(join(repo.home, 'loaded'))}, process.argv.slice(1, 3).join(' ') + '\\n')\n`,
    )
    const env = {
      GIT_DIR: other.path('.git'),
      GIT_WORK_TREE: other.dir,
      GIT_INDEX_FILE: other.path('.git/index'),
      GIT_PREFIX: 'sub/',
      GIT_COMMON_DIR: other.path('.git'),
      GIT_OBJECT_DIRECTORY: other.path('.git/objects'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: other.path('.git/objects'),
      GIT_NAMESPACE: 'x',
      GIT_CEILING_DIRECTORIES: dirname(repo.dir),
      GIT_CONFIG: join(repo.home, 'config'),
      GIT_CONFIG_GLOBAL: join(repo.home, 'config'),
      GIT_CONFIG_SYSTEM: join(repo.home, 'config'),
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'user.name',
      GIT_CONFIG_VALUE_0: 'Mallory',
      GIT_CONFIG_KEY_1: 'core.fsmonitor',
      GIT_CONFIG_VALUE_1: program,
      GIT_CONFIG_PARAMETERS: `'user.name=Mallory' 'core.hooksPath=${repo.home}'`,
      GIT_SSH: program,
      GIT_SSH_COMMAND: program,
      GIT_PROXY_COMMAND: program,
      GIT_ASKPASS: program,
      GIT_EDITOR: program,
      GIT_SEQUENCE_EDITOR: program,
      GIT_PAGER: program,
      GIT_EXTERNAL_DIFF: program,
      GIT_EXEC_PATH: '/nonexistent',
      GIT_TEMPLATE_DIR: repo.home,
      GIT_REPLACE_REF_BASE: 'refs/evil',
      GIT_TRACE: canary.path,
      GIT_TRACE2: canary.path,
      GIT_TRACE2_EVENT: canary.path,
      GIT_TRACE_PACKET: canary.path,
      GIT_REDIRECT_STDERR: canary.path,
      GIT_ALLOW_PROTOCOL: 'ext',
      NODE_OPTIONS: `--require ${preload}`,
      NODE_PATH: '/nonexistent',
      BASH_ENV: program,
      ENV: program,
      PERL5OPT: '-Mnone',
      RUBYOPT: '-rnone',
      PYTHONSTARTUP: program,
      LD_AUDIT: '/nonexistent.so',
    }
    writeFileSync(join(repo.home, 'config'), `[user]\n\tname = Mallory\n[core]\n\tfsmonitor = ${program}\n`)
    const names = 'env | sed "s/=.*//" | grep -E "^(GIT_|NODE_|BASH_ENV|ENV$|PERL5OPT|RUBYOPT|PYTHONSTARTUP|LD_)"'
    writeFileSync(repo.path('.git/hooks/pre-commit'), `#!/bin/sh\n${names} > '${repo.home}/hook-env'\ntrue\n`)
    chmodSync(repo.path('.git/hooks/pre-commit'), 0o755)
    repo.write(
      '.plans/p.md',
      planText(
        `  - {id: one, run: ${JSON.stringify(`${names} > env.txt; git rev-parse --absolute-git-dir > dir.txt; node -e 0`)}}`,
      ),
    )
    const ran = await repo.plan(['start', '.plans/p.md', '--approve'], { env })
    expect(ran, ran.all).toMatchObject({ code: 0 })
    expect([repo.read('dir.txt').trim(), repo.read('env.txt')]).toEqual([repo.path('.git'), ''])
    expect(repo.git(['log', '-1', '--format=%cn', 'plan/p'])).toBe('Ada')
    expect(await repo.json(['status', 'p'], { env })).toMatchObject({ status: 'completed' })
    // What git itself gives to a hook is not from the caller.
    const ofHook = readFileSync(join(repo.home, 'hook-env'), 'utf8').split('\n')
    expect(
      ofHook.filter(
        (name) =>
          Object.hasOwn(env, name) && !['GIT_INDEX_FILE', 'GIT_EDITOR', 'GIT_EXEC_PATH', 'GIT_PREFIX'].includes(name),
      ),
    ).toEqual([])
    const loaded = readFileSync(join(repo.home, 'loaded'), 'utf8').trimEnd().split('\n')
    expect(
      loaded.every((line) => / (start|status)$/.test(line)),
      loaded.join('\n'),
    ).toBe(true)
    expect(canary.sang).toBe(false)
    expect(picture(other)).toEqual(before)
  } finally {
    other.remove()
  }
})

test('G5 a bare repository hidden in the tree: files like others from above, only read from inside, and nothing of it runs', async ({
  repo,
}) => {
  const canary = new Canary(repo)
  const hidden = repo.path('sub/hidden')
  repo.git(['init', '-q', '--bare', hidden])
  for (const key of ['core.fsmonitor', 'core.pager', 'core.sshCommand'])
    repo.git(['config', '--file', join(hidden, 'config'), key, canary.program()])
  writeFileSync(join(hidden, 'hooks/pre-commit'), `#!/bin/sh\n${canary.command}\n`)
  chmodSync(join(hidden, 'hooks/pre-commit'), 0o755)
  repo.commit('A repository like any files')
  const before = picture(repo)
  writeFileSync(
    join(repo.home, 'p.md'),
    planText('  - {id: one, create: sub/hidden/x, content: y}\n  - {id: two, run: cd sub/hidden && echo z > z}'),
  )
  for (const args of [['list'], ['config'], ['doctor']])
    expect(await repo.plan(args, { cwd: hidden }), args[0]).toMatchObject({ code: 0 })
  const inside = await repo.plan(['start', join(repo.home, 'p.md'), '--approve', '--json'], { cwd: hidden })
  expect(refusalOf(inside).code).toBe('bare-repository')
  expect(canary.sang).toBe(false)
  expect(picture(repo)).toEqual(before)
  const ran = await repo.plan(['start', join(repo.home, 'p.md'), '--approve'], { cwd: repo.path('sub') })
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(repo.git(['show', 'plan/p:sub/hidden/x'])).toBe('y')
  expect(canary.sang).toBe(false)
})

test("G6 a repository of another owner: git's own message with its remedy, and no exception is made for the user", async ({
  repo,
}) => {
  const wrapper = join(repo.home, 'bin')
  mkdirSync(wrapper)
  // As git's own tests do it; a real owner takes root.
  writeFileSync(
    join(wrapper, 'git'),
    `#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec ${execFileSync('which', ['git'], { encoding: 'utf8' }).trim()} "$@"\n`,
  )
  chmodSync(join(wrapper, 'git'), 0o755)
  const canary = new Canary(repo)
  repo.write('p.md', planText(`  - {id: one, run: ${canary.command}}`))
  const before = picture(repo)
  for (const args of [['list'], ['start', 'p.md', '--approve'], ['doctor']]) {
    const ran = await repo.plan(args, { env: { PATH: `${wrapper}:${repo.env['PATH']}` } })
    expect(ran.code, args[0]).toBeGreaterThan(0)
    expect(ran.all).toMatch(/dubious ownership[^]*git config --global --add safe\.directory/)
  }
  expect(picture(repo)).toEqual(before)
  expect(existsSync(join(repo.home, '.gitconfig'))).toBe(false)
  expect(existsSync(join(repo.home, '.config/git/config'))).toBe(false)
  expect(canary.sang).toBe(false)
})

test('G7 a file `.git` that names the git directory of another work tree, or one in the tree: refused', async ({
  repo,
}) => {
  const other = new TestRepo()
  try {
    const canary = new Canary(repo)
    writeFileSync(other.path('.git/hooks/pre-commit'), `#!/bin/sh\n${canary.command}\n`)
    chmodSync(other.path('.git/hooks/pre-commit'), 0o755)
    other.git(['worktree', 'add', '-q', join(other.home, 'linked')])
    repo.git(['worktree', 'add', '-q', join(repo.home, 'own')])
    repo.git(['init', '-q', '--bare', repo.path('sub/hidden')])
    repo.git(['config', '--file', repo.path('sub/hidden/config'), 'core.bare', 'false'])
    mkdirSync(repo.path('sub/place'))
    const before = [picture(repo), picture(other)]
    writeFileSync(join(repo.home, 'p.md'), planText('  - {id: one, run: echo 1 > one.txt}'))
    const pointers: [cwd: string, target: string][] = [
      [repo.path('sub/place'), other.path('.git')],
      [repo.path('sub/place'), other.path('.git/worktrees/linked')],
      [repo.path('sub/place'), repo.path('.git/worktrees/own')],
      [repo.path('sub'), repo.path('sub/hidden')],
      [join(repo.home, 'own'), other.path('.git/worktrees/linked')],
    ]
    for (const [cwd, target] of pointers) {
      writeFileSync(join(cwd, '.git'), `gitdir: ${target}\n`)
      for (const args of [['list'], ['start', join(repo.home, 'p.md'), '--approve', '--autostash']])
        expect(refusalOf(await repo.plan([...args, '--json'], { cwd })), `${cwd} → ${target}`).toMatchObject({
          code: 'not-a-repository',
          message: expect.stringContaining(' names ') as string,
        })
      rmSync(join(cwd, '.git'))
    }
    expect([picture(repo), picture(other)]).toEqual(before)
    expect(canary.sang).toBe(false)
    // Where the two belong together nothing is refused.
    writeFileSync(join(repo.home, 'own/.git'), `gitdir: ${repo.path('.git/worktrees/own')}\n`)
    expect(await repo.plan(['list'], { cwd: join(repo.home, 'own') })).toMatchObject({ code: 0 })
  } finally {
    other.remove()
  }
})

test('G7 a step that makes such a file in its own work tree: git goes on where it was', async ({ repo }) => {
  const other = new TestRepo()
  try {
    const before = picture(other)
    repo.write(
      '.plans/p.md',
      planText(
        `  - {id: sly, ${allowed}, run: 'echo "gitdir: ${other.path('.git')}" > .git; echo 1 > one.txt'}\n  - {id: more, run: echo 2 > two.txt}`,
      ),
    )
    const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--worktree'])
    expect(picture(other)).toEqual(before)
    expect(repo.git(['for-each-ref', '--format=%(refname)', 'refs/heads/plan/'])).toBe('refs/heads/plan/p')
    expect(ran.code === 0 ? repo.git(['show', 'plan/p:one.txt']) : 'refused').toMatch(/^(1|refused)$/)
  } finally {
    other.remove()
  }
})

test('G8 a name, an address, a title and a branch that look like commands of a shell: literals', async ({ repo }) => {
  const canary = new Canary(repo)
  const bait = `$(touch ${canary.path})`
  repo.git(['config', 'user.email', bait])
  repo.git(['config', 'user.name', `\`touch ${canary.path}\``])
  repo.write(`${bait.replaceAll('/', '_')}.txt`, 'x\n')
  repo.commit('A name')
  repo.git(['checkout', '-q', '-b', "x';touch${IFS}y;'"])
  repo.write(
    '.plans/p.md',
    planText(`  - {id: one, title: ${JSON.stringify(bait)}, run: echo 1 > one.txt}\n  - {id: two, run: exit 1}`),
  )
  expect(await repo.plan(['start', '.plans/p.md', '--approve'])).toMatchObject({ code: 1 })
  expect(await repo.plan(['rollback', 'p', '--all'])).toMatchObject({ code: 0 })
  expect(await repo.plan(['cancel', 'p'])).toMatchObject({ code: 0 })
  expect(repo.git(['log', '-1', '--format=%ae', 'plan/p'])).toBe(bait)
  expect(canary.sang).toBe(false)
  expect(existsSync(repo.path('y'))).toBe(false)
})

test('G9 export-subst, ident, pointers of LFS and odd line ends: byte for byte in commits, attempts and after a rollback', async ({
  repo,
}) => {
  const pointer =
    'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n'
  const files: Record<string, string> = {
    'version.txt': '$Format:%H %an$\n',
    'big.bin': pointer,
    'dos.txt': 'a\r\nb\n\r',
    'none.txt': '$Id$ no end',
  }
  repo.write('.gitattributes', 'version.txt export-subst\n*.bin filter=lfs diff=lfs merge=lfs -text\n*.txt -text\n')
  for (const [path, text] of Object.entries(files)) repo.write(path, text)
  repo.commit('Files')
  const change = Object.keys(files).map((path) => `cp ${path} new-${path}`).join('; ') // prettier-ignore
  repo.write('.plans/p.md', planText(`  - {id: one, run: ${change}}\n  - {id: two, run: ${Object.keys(files).map((path) => `rm ${path}`).join('; ')}; exit 1}`)) // prettier-ignore
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran, ran.all).toMatchObject({ code: 1 })
  for (const [path, text] of Object.entries(files)) {
    expect(repo.read(path), path).toBe(text)
    expect(repo.git(['rev-parse', `plan/p:new-${path}`])).toBe(repo.git(['rev-parse', `main:${path}`]))
  }
  expect(await repo.plan(['rollback', 'p', '--all'])).toMatchObject({ code: 0 })
  for (const [path, text] of Object.entries(files)) expect(repo.read(path), path).toBe(text)
})

test('G10 a partial clone whose remote runs a program, sparse and with a repository inside: looking fetches nothing and runs nothing', async ({
  repo,
}) => {
  const origin = new TestRepo()
  try {
    origin.git(['config', 'uploadpack.allowFilter', 'true'])
    origin.git(['config', 'uploadpack.allowAnySHA1InWant', 'true'])
    origin.write('deep/far.txt', 'far\n')
    origin.commit('Far')
    origin.git(['checkout', '-q', '-b', 'plan/far'])
    origin.write('.plans/far.md', planText('  - {id: one, run: "true"}'))
    origin.commit('Plan: far')
    origin.git(['checkout', '-q', 'main'])
    const clone = join(repo.home, 'clone')
    repo.git([
      '-c',
      'protocol.file.allow=always',
      'clone',
      '-q',
      '--filter=blob:none',
      '--sparse',
      `file://${origin.dir}`,
      clone,
    ])
    const git = (args: string[]): string => repo.git(args, { cwd: clone })
    git(['branch', 'plan/far', 'origin/plan/far'])
    git(['init', '-q', 'nested'])
    const canary = new Canary(repo)
    git(['config', 'remote.origin.uploadpack', `${canary.command}; git-upload-pack`])
    git(['config', '--file', 'nested/.git/config', 'core.fsmonitor', canary.program()])
    git(['config', 'core.sshCommand', canary.program()])
    const before = [git(['for-each-ref']), git(['count-objects', '-v'])]
    for (const args of [
      ['list'],
      ['status', 'far'],
      ['show', 'far'],
      ['log', 'far'],
      ['diff', 'far'],
      ['check', 'far'],
      ['attempts', 'far'],
      ['report', 'far'],
      ['doctor'],
      ['config'],
      ['classify', '--', 'ls'],
    ]) {
      const ran = await repo.plan(args, { cwd: clone })
      expect(ran.code, `${args.join(' ')}: ${ran.all}`).not.toBe(70)
    }
    expect(canary.sang).toBe(false)
    expect([git(['for-each-ref']), git(['count-objects', '-v'])]).toEqual(before)
    // It would have: git fetches what it misses.
    repo.git(['cat-file', '-p', 'plan/far:.plans/far.md'], { cwd: clone })
    expect(canary.sang).toBe(true)
    rmSync(clone, { recursive: true })
  } finally {
    origin.remove()
  }
})
