// The judgement of commands against real shells: what is READ is run, and nothing may have changed; what is called a
// canary is run, and must have sung.

import { spawnSync } from 'node:child_process'
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { classifyCommand } from '../../src/judge/shell/classify.ts'
import { canaries, judged, readers, sample } from '../helpers/shell-commands.ts'
import { isWide } from '../helpers/wide.ts'

const top = mkdtempSync(join(tmpdir(), 'git-plan-canary-'))
const template = join(top, 'template')
const place = join(top, 'place')
const env = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: join(top, 'home'),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.invalid',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.invalid',
  X: '!touch pwned',
}

const run = (shell: string, command: string, cwd: string) =>
  spawnSync(shell, ['-c', command], {
    cwd,
    env,
    input: 'pwned\n$(touch pwned)\n',
    encoding: 'utf8',
    timeout: 3000,
    killSignal: 'SIGKILL',
  })
/** Each in a shell of its own, without a process for each to be started from here. */
const runAll = (shell: string, commands: readonly string[], cwd: string) =>
  spawnSync(shell, ['-c', 'for command do echo pwned | (eval "$command"); done', shell, ...commands], {
    cwd,
    env,
    timeout: 300_000,
    maxBuffer: 1 << 28,
  })

beforeAll(() => {
  for (const folder of ['', 'sub', 'bin']) mkdirSync(join(template, folder), { recursive: true })
  mkdirSync(env.HOME)
  const files = {
    'a.txt': 'hello\nb $(touch pwned)\n',
    'b.txt': 'hello\nc\n',
    'prog.sed': 'w pwned\n',
    'prog.awk': 'BEGIN { print > "pwned" }\n',
    'package.json': '{"name": "x", "a": [{"b": 2}]}\n',
    'a.json': '{"a": [{"b": 2}]}\n',
    'sub/c.txt': 'c\n',
    'evil.sh': '#!/bin/sh\ntouch pwned\n',
    'bin/ls': '#!/bin/sh\ntouch pwned\n',
  }
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(template, name), text, {
      mode: name.includes('evil') || name.startsWith('bin/') ? 0o755 : 0o644,
    })
  const commands = [
    'touch pwned && tar cf a.tar pwned a.txt && rm pwned',
    'git init -q --template= -b main . && git add a.txt && git commit -qm one && git add -A && git commit -qm two && git status',
  ]
  for (const command of commands) expect(run('/bin/sh', command, template).stderr).toBe('')
})
afterAll(() => rmSync(top, { recursive: true, force: true }))

/** The repository is most of it, and few commands want one. */
function refresh({ isRepository = true } = {}): void {
  rmSync(place, { recursive: true, force: true })
  cpSync(template, place, {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    filter: (path) => isRepository || !path.endsWith('.git'),
  })
}

/**
 * Names and contents below the scratch directory and the home; not the index of git, in which `git status` keeps what
 * it has seen of the files.
 */
function look(): string {
  const entries = [place, env.HOME].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  return entries
    .filter((path) => !path.endsWith('.git/index'))
    .toSorted()
    .map((path) => {
      const facts = lstatSync(path)
      return `${path} ${facts.mode} ${facts.isFile() ? readFileSync(path, 'base64') : facts.isSymbolicLink() ? readlinkSync(path) : ''}`
    })
    .join('\n')
}

/** Programs that wait, or that need more than a scratch directory. */
const isLocal = (command: string): boolean =>
  !/\b(tail -f|docker|podman|kubectl|helm|systemctl|terraform|p?npm|npx|yarn|netstat|crontab|gcloud|brew|cargo|rustup|go|apt)\b/.test(
    command,
  )

test.each(['/bin/bash', '/bin/sh'])('what is READ changes nothing when %s runs it', { timeout: 600_000 }, (shell) => {
  refresh()
  const before = look()
  const more = isWide ? judged : []
  const commands = [
    ...readers,
    ...[...sample, ...more].filter(({ expected }) => expected === 'READ').map(({ command }) => command),
  ].filter(isLocal)
  expect(commands.length).toBeGreaterThan(300)
  runAll(shell, commands, place)
  if (look() === before) return
  // Which one was it?
  refresh()
  const changed = commands.filter((command) => {
    run(shell, command, place)
    if (look() === before) return false
    refresh()
    return true
  })
  expect(changed.length > 0 ? changed : 'none alone, but all together').toEqual([])
})

test('a canary makes its file when bash runs it, and was WRITE', { timeout: 120_000 }, () => {
  const silent: string[] = []
  // Each of them: npm run test:wide. What is said of them is asked of all in test/unit/shell.
  const tried = canaries.filter((_, at) => isWide || at % 9 === 0)
  for (const command of tried) {
    refresh({ isRepository: command.includes('git') })
    run('/bin/bash', command, place)
    if (!readdirSync(place).some((name) => name.startsWith('pwned'))) silent.push(command)
    expect(classifyCommand(command).class, command).toBe('WRITE')
  }
  // Some need a program, or a version of bash or git, that is not everywhere.
  expect(silent.length, silent.join('\n')).toBeLessThan(tried.length / 10)
})

test.each(['/bin/bash', '/bin/sh'])(
  'pieces put together at random change nothing in %s where they are READ',
  { timeout: 120_000 },
  (shell) => {
    const reading = [
      'ls',
      'cat a.txt',
      'echo x',
      'sort a.txt',
      'grep h a.txt',
      'true',
      'false',
      'printf "%s" a',
      '[ -n "$x" ]',
      'x=1',
      'set -e',
      'cd sub',
      'uniq a.txt',
      'xargs echo',
      'sed -n 1p a.txt',
      'time ls',
    ]
    const writing = ['touch pwned', '> pwned', 'tee pwned', 'sort -o pwned a.txt', 'sed -n "w pwned" a.txt', '-o pwned']
    const joints = [
      '"',
      "'",
      '`',
      '$(',
      ')',
      '(',
      '{ ',
      '; }',
      '[[ ',
      ' ]]',
      ';',
      '&&',
      '||',
      '|',
      '&',
      '\n',
      '\\',
      '\\\n',
      ' # ',
      '$x',
      '"$x"',
      '${x:-',
      '}',
      '$((',
      '))',
      '<<E\n',
      '\nE\n',
      "<<'E'\n",
      '<<<',
      '<',
      '>',
      '>&',
      '2>&1',
      '>/dev/null',
      'if ',
      ' then ',
      ' fi',
      'for x in ',
      ' do ',
      ' done',
      'case x in ',
      'x) ',
      ' esac',
      'f()',
      '{a,b}',
      "$'",
      '!',
      '=',
      'sh -c ',
      'eval ',
      'xargs ',
      'env ',
      ' -v ',
      ' -eq ',
    ]
    const piece = fc.oneof(
      { arbitrary: fc.constantFrom(...reading), weight: 3 },
      { arbitrary: fc.constantFrom(...writing), weight: 2 },
      { arbitrary: fc.constantFrom(...joints), weight: 5 },
    )
    const line = fc
      .tuple(fc.array(piece, { minLength: 2, maxLength: 9 }), fc.constantFrom('', ' ', ' ', '; '))
      .map(([pieces, between]) => pieces.join(between))
    refresh()
    const before = look()
    let ran = 0
    fc.assert(
      fc.property(line, (command) => {
        if (classifyCommand(command).class === 'WRITE' || !/pwned|>/.test(command)) return
        ran += 1
        run(shell, command, place)
        expect(look(), command).toBe(before)
      }),
      { numRuns: 2000 },
    )
    expect(ran).toBeGreaterThan(10)
  },
)

test('options and operands put together at random change nothing where they are READ', { timeout: 120_000 }, () => {
  const git =
    'log,show,diff,branch,tag,remote,stash list,stash,config,worktree list,notes,reflog,symbolic-ref,hash-object,clean,grep,for-each-ref,rev-list,bundle,add,apply,format-patch,replace,bisect,archive,worktree prune'
  const programs = [
    ...'sort,uniq,shuf,sed,awk,find .,xargs,tar,date,file,printf,test,env,timeout 1,nice,sh,gzip,gunzip,base64,read,set,command,cat,ls,diff,od,column,tee,dd,ar,xz,mapfile,printf -v,exec,find . -exec sort'.split(
      ',',
    ),
    ...git.split(',').map((name) => `git ${name}`),
  ]
  const words =
    "pwned pwned a.txt b.txt sub . HEAD main - -- -o -opwned --output=pwned --output -w -e -i -n -f -c -l -t -x -d -r -v -D -m -a p 'wXpwned' 's/h/x/wXpwned' '{print}' '{print>\"pwned\"}' -exec touch {} + \\; -delete -fprint -name '*.txt' 'touchXpwned' $x \"$x\" * ./* {-o,pwned} a.tar tf -tf -xf --list --get a.b c.d value edit set --type=int expire --all --show-current --contains --abbrev -n1 -I{} -0 = -eq 1 LC_ALL=C add drop create -s -u --stdin -p -C -O --cached refs/heads/new v9 if=a.txt of=pwned of=/dev/null /dev/null -t -n --check --stdout <(touchXpwned) $(echoX-opwned)"
      .split(' ')
      .map((word) => word.replaceAll('X', ' '))
  const line = fc
    .tuple(fc.constantFrom(...programs), fc.array(fc.constantFrom(...words), { maxLength: 5 }))
    .map(([program, args]) => [program, ...args].join(' '))
  refresh()
  const before = look()
  let ran = 0
  fc.assert(
    fc.property(line, (command) => {
      if (classifyCommand(command).class === 'WRITE') return
      ran += 1
      run('/bin/bash', `x=-opwned; ${command}`, place)
      expect(look(), command).toBe(before)
    }),
    { numRuns: 1000 },
  )
  expect(ran).toBeGreaterThan(100)
})
