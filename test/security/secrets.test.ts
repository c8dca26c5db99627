// O4: a secret that a step is about to commit is found before any object is written, and is where only its owner can
// read it.

import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'
import { isWide } from '../helpers/wide.ts'

/** Put together here, so that nobody who looks through this repository finds one. */
const token = ['gh', 'p_', 'x7Kq2Vb9', 'Lm4Rt8Yw', 'Zn3Hs6Jd', 'Pc5Fg1Qa', 'e0Bu'].join('')
const start = ['start', '.plans/demo.md', '--approve']
const plan = (repo: TestRepo, ...steps: string[]): void =>
  repo.write('.plans/demo.md', planText(steps.map((step) => `  - ${step}`).join('\n')))
/** A command that writes it without naming it. */
const writes = (file: string): string => `printf "key = %s%s\\n" "$ONE" "$TWO" > ${file}`
const env = { ONE: token.slice(0, 10), TWO: token.slice(10) }

/** Every object that there is, reachable or not. */
const isInObjects = (repo: TestRepo): boolean =>
  repo.git(['cat-file', '--batch-all-objects', '--batch', '--buffer']).includes(token)
const quarantined = (repo: TestRepo): string[] => {
  const aside = repo.path('.git/plan/demo/aside')
  return existsSync(aside)
    ? readdirSync(aside)
        .filter((name) => name.startsWith('quarantine-'))
        .map((name) => join(aside, name))
    : []
}

function expectKept(repo: TestRepo, file: string): void {
  const [place = '', ...more] = quarantined(repo)
  expect(more).toEqual([])
  expect(statSync(place).mode & 0o777).toBe(0o700)
  expect(readFileSync(join(place, file), 'utf8')).toContain(token)
  expect(isInObjects(repo)).toBe(false)
  expect(repo.status()).toBe('')
  expect(repo.fsck()).toBe('')
}

describe('O4 a token among what a step made', () => {
  test.for(['new/made.txt', 'a.txt'])('%s: the step fails, and no object holds it', async (file, { repo }) => {
    plan(repo, '{id: one, run: echo 1 > one.txt}', `{id: two, run: 'mkdir -p new; echo 2 > two.txt; ${writes(file)}'}`)
    const ran = await repo.plan(start, { env })
    expect(ran.code, ran.all).toBe(1)
    expect(ran.all).toMatch(new RegExp(`it would commit a secret: ${file}:1 \\(.*GitHub`))
    expect(ran.all).not.toContain(token)
    expectKept(repo, file)
    expect(repo.git(['show', '--name-only', '--format=', 'refs/plan/demo/attempts/two/1'])).toContain('two.txt')
    expect((await repo.plan(['status', '--json'])).all).not.toContain(token)
  })

  test('the same where git stores the files, or a hook looks on', async ({ repo }) => {
    repo.write('.gitattributes', '*.txt text\n')
    repo.commit('Attributes')
    writeFileSync(repo.path('.git/hooks/pre-commit'), '#!/bin/sh\nexit 0\n')
    chmodSync(repo.path('.git/hooks/pre-commit'), 0o755)
    plan(repo, `{id: one, run: '${writes('made.txt')}'}`)
    const ran = await repo.plan(start, { env })
    expect(ran.code, ran.all).toBe(1)
    expectKept(repo, 'made.txt')
  })

  test('one that the hook itself makes', async ({ repo }) => {
    writeFileSync(repo.path('.git/hooks/pre-commit'), `#!/bin/sh\necho "key = ${token}" > hooked.txt\n`)
    chmodSync(repo.path('.git/hooks/pre-commit'), 0o755)
    plan(repo, '{id: one, run: echo 1 > one.txt}')
    const ran = await repo.plan(start)
    expect(ran.code, ran.all).toBe(1)
    expectKept(repo, 'hooked.txt')
  })

  test('a step that was killed: what it left is looked through before it is saved', async ({ repo }) => {
    repo.isBinary = true
    plan(repo, `{id: one, run: 'echo 1 > one.txt; ${writes('made.txt')}; kill -9 $PPID; sleep 5'}`)
    await repo.plan(start, { env })
    const ran = await repo.plan(['resume', 'demo', '--skip', 'one'])
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toContain('not saved with the attempt: made.txt:1')
    expectKept(repo, 'made.txt')
    expect(repo.git(['show', '--name-only', '--format=', 'refs/plan/demo/attempts/one/1'])).toContain('one.txt')
  })

  test('of a step with an effect outside: it has failed, the effect has happened, and the file is not taken for deleted', async ({
    repo,
  }) => {
    plan(
      repo,
      `{id: one, effect: external, undo: 'true', run: 'echo ran >> ${repo.path('.git/ran')}; echo 1 > one.txt; ${writes('a.txt')}'}`,
    )
    const before = repo.read('a.txt')
    const ran = await repo.plan(start, { env })
    expect(ran.code, ran.all).toBe(1)
    expect(ran.all).toContain('it would commit a secret: a.txt:1')
    expectKept(repo, 'a.txt')
    const again = await repo.plan(['resume', 'demo', '--retry', 'one'])
    expect(again.code, again.all).toBe(0)
    expect(repo.read('.git/ran')).toBe('ran\n')
    expect(repo.read('one.txt')).toBe('1\n')
    expect(repo.read('a.txt')).toBe(before)
  })

  test('a command that commits it by itself: the plan stops, and says so', async ({ repo }) => {
    plan(repo, `{id: one, run: '${writes('made.txt')}; git add made.txt; git commit -qm mine'}`)
    const ran = await repo.plan(start, { env })
    expect(ran.code, ran.all).toBe(4)
    expect(ran.all).toContain('new commits appeared on plan/demo while the step ran')
    expect((await repo.plan(['status', 'demo'])).code).toBe(0)
  })

  test('in the place of a link', async ({ repo }) => {
    plan(repo, `{id: one, run: 'ln -s "$ONE$TWO" link'}`)
    const ran = await repo.plan(start, { env })
    expect(ran.code, ran.all).toBe(1)
    expect(isInObjects(repo)).toBe(false)
  })

  test('in a tracked file with --keep-tree: the file is as it was, so that no fix takes it for deleted', async ({
    repo,
  }) => {
    plan(repo, `{id: one, run: 'echo 1 > one.txt; ${writes('a.txt')}'}`)
    const ran = await repo.plan([...start, '--keep-tree'], { env })
    expect(ran.code, ran.all).toBe(1)
    expect(repo.read('a.txt')).toBe('hello\n')
    expect(repo.status()).toBe('?? one.txt')
    expect(isInObjects(repo)).toBe(false)
  })

  test('killed after the file was taken and before that was told: the next command tells it, once, and the file is not taken for deleted', async ({
    repo,
  }) => {
    repo.isBinary = true
    repo.git(['config', 'filter.late.clean', 'cat'])
    // Runs when what the checkpoint has is put back, in the place of what was taken.
    repo.git(['config', 'filter.late.smudge', 'sh "$HOME/smudge.sh"'])
    repo.git(['config', 'filter.late.required', 'true'])
    writeFileSync(
      join(repo.home, 'smudge.sh'),
      'if [ -e "$HOME/executor" ] && [ ! -e sealed.txt ]; then kill -9 $(cat "$HOME/executor"); rm "$HOME/executor"; exit 1; fi; cat\n',
    )
    repo.write('.gitattributes', 'sealed.txt filter=late\n')
    repo.write('sealed.txt', 'nothing yet\n')
    repo.commit('Sealed')
    // The shell of the command is a child of the executor.
    writeFileSync(join(repo.home, 'parent.sh'), 'ps -o ppid= -p $PPID > "$HOME/executor"\n')
    plan(repo, `{id: one, run: 'sh "$HOME/parent.sh"; echo 1 > one.txt; ${writes('sealed.txt')}'}`)
    await repo.plan(start, { env })
    expect(existsSync(repo.path('sealed.txt'))).toBe(false)
    const ran = await repo.plan(['resume', 'demo', '--skip', 'one'])
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toMatch(
      /note: an interrupted run found a secret in the changes of a step: sealed\.txt:1 \(.*GitHub.*quarantine-one-1\n/,
    )
    expectKept(repo, 'sealed.txt')
    const saved = repo.git(['diff', '--name-status', 'refs/plan/demo/attempts/one/1~', 'refs/plan/demo/attempts/one/1'])
    expect(saved).toBe('A\tone.txt')
    expect((await repo.plan(['finish', 'demo'])).all).not.toContain('found a secret')
    const doctor = await repo.plan(['doctor'])
    expect(doctor.all).toMatch(
      /warn {2}quarantine: demo has a file with a secret in \S+quarantine-one-1\n\s+rm -r "\S+quarantine-one-1"/,
    )
    const deleted = await repo.plan(['delete', 'demo'])
    expect(deleted.code, deleted.all).toBe(2)
    expect(deleted.all).toContain('quarantine-one-1')
  })

  test('a failed step is saved without it', async ({ repo }) => {
    plan(repo, `{id: one, run: 'echo 1 > one.txt; ${writes('made.txt')}; false'}`)
    const ran = await repo.plan(start, { env })
    expect(ran.code, ran.all).toBe(1)
    expectKept(repo, 'made.txt')
  })
})

test('O4 in names, in encodings, in what a filter stores, and what was only masked before: all of it is taken', async ({
  repo,
}) => {
  const pem = `${'-'.repeat(5)}BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEA7f3Kq2Vb9Lm4Rt8YwZn3Hs6JdPc5Fg1Qae0BuXi2Wo9Tz5r\n'.repeat(3)}-----END RSA PRIVATE KEY-----\n`
  const made: Readonly<Record<string, string>> = {
    [`dir-${token}.txt`]: 'echo x',
    [`a/${token}/b.txt`]: 'echo x',
    'token.yml': 'printf "data:\\n  value: %s\\n" "$(printf %s "$T" | base64 -w0)"',
    'key.yml': 'printf "data:\\n  tls.key: %s\\n" "$(printf %s "$PEM" | base64 -w0)"',
    'wide.txt': 'printf "key %s\\n" "$T" | iconv -t UTF-16LE',
    'encoded.u32': 'printf "key %s\\n" "$T" | iconv -t UTF-32LE',
    'filtered.rot': 'printf "key %s\\n" "$T" | tr A-Za-z N-ZA-Mn-za-m',
    'id.txt': 'printf "id = AKIA%s\\n" "$ID"',
    'url.txt': 'printf "url: postgres://app:%s@db.acme.io/shop\\n" "$WORD"',
  }
  repo.write('.gitattributes', '*.u32 working-tree-encoding=UTF-32LE\n*.rot filter=rot\n')
  for (const way of ['clean', 'smudge']) repo.git(['config', `filter.rot.${way}`, 'tr A-Za-z N-ZA-Mn-za-m'])
  repo.commit('Attributes')
  const lines = Object.entries(made).map(([file, command]) => `${command} > "${file}"`)
  writeFileSync(join(repo.home, 'make.sh'), ['mkdir -p "a/$T"', ...lines, 'echo 1 > one.txt'].join('\n'))
  plan(repo, '{id: one, run: sh "$HOME/make.sh"}')
  const id = `${token
    .slice(4, 18)
    .toUpperCase()
    .replace(/[0189]/g, '5')}Q7`
  const ran = await repo.plan(start, { env: { T: token, PEM: pem, ID: id, WORD: token.slice(5, 14) } })
  expect(ran.code, ran.all).toBe(1)
  expect(ran.all).toMatch(
    /a\/\[secret\]\/b\.txt \(its name: it looks like a GitHub token\), dir-\[secret\]\.txt \(its name.* and 4 more; moved to/,
  )
  expect(ran.all).not.toContain(token.slice(4, 30))
  const [place = ''] = quarantined(repo)
  const taken = readdirSync(place, { recursive: true, withFileTypes: true }).flatMap((each) =>
    each.isFile() ? [relative(place, join(each.parentPath, each.name))] : [],
  )
  expect(taken.toSorted()).toEqual(Object.keys(made).toSorted())
  expect(repo.git(['show', '--name-only', '--format=', 'refs/plan/demo/attempts/one/1'])).toBe('one.txt')
  // No object in the repository, and no store beside it.
  expect(isInObjects(repo)).toBe(false)
  expect(
    readdirSync(repo.path('.git/plan/demo')).filter((name) => name.startsWith('stored.') || name === 'quarantine.json'),
  ).toEqual([])
  expect(repo.status()).toBe('')
})

describe('O4 the value of a declared secret', () => {
  const value = 'correct horse/battery'
  const forms = { PASS: value, BASE64: Buffer.from(`user:${value}`).toString('base64'), URL: encodeURIComponent(value) }
  const secrets = 'secrets: [PASS, SHORT]'

  test('in files and in names, as it is and encoded: none of it is committed or said', async ({ repo }) => {
    const makes =
      'printf "\\n%s\\n" "$PASS" > raw.txt; echo "$BASE64" > base64.txt; echo > "$URL"; ln -s "$PASS" link; echo 1 > one.txt'
    plan(
      repo,
      `{id: short, ${secrets}, run: 'echo "$SHORT" > short.txt'}`,
      `{id: one, ${secrets}, retries: 1, run: '${makes}'}`,
    )
    const ran = await repo.plan(start, { env: { ...forms, SHORT: 'abc' } })
    expect(ran.code, ran.all).toBe(1)
    expect(ran.all).toContain('raw.txt:2 (the value of a declared secret)')
    expect(ran.all).toContain('[secret] (its name: the value of a declared secret)')
    expect(repo.git(['ls-tree', '-r', '--name-only', 'refs/plan/demo/attempts/one/2'])).toBe(
      '.plans/demo.md\na.txt\none.txt\nshort.txt',
    )
    const objects = repo.git(['cat-file', '--batch-all-objects', '--batch', '--buffer'])
    for (const form of Object.values(forms)) for (const text of [ran.all, objects]) expect(text).not.toContain(form)
  })

  test('is committed where the step asks to accept it, and is not new from then on', async ({ repo }) => {
    const writes = `${secrets}, run: 'echo "$PLAN_STEP $PASS" > raw.txt'`
    plan(repo, `{id: one, allow: [secret], ${writes}}`, `{id: two, ${writes}}`)
    const ran = await repo.plan(start, { env: forms })
    expect(ran.code, ran.all).toBe(0)
    expect(repo.read('raw.txt')).toBe(`two ${value}\n`)
  })
})

test('O4 .env and keys among the new files', async ({ repo }) => {
  plan(repo, "{id: one, run: 'echo DEBUG=1 > .env'}")
  const ran = await repo.plan(start)
  expect(ran.code, ran.all).toBe(1)
  expect(ran.all).toContain('by its name it is an environment file')
  expect(existsSync(repo.path('.env'))).toBe(false)
  expect(readFileSync(join(quarantined(repo)[0] ?? '', '.env'), 'utf8')).toBe('DEBUG=1\n')
})

describe('nothing is said', () => {
  test('where it was stored through a filter before', async ({ repo }) => {
    repo.git(['config', 'filter.rot.clean', 'tr A-Za-z N-ZA-Mn-za-m'])
    repo.git(['config', 'filter.rot.smudge', 'tr A-Za-z N-ZA-Mn-za-m'])
    repo.write('.gitattributes', 'sealed.txt filter=rot\n')
    repo.write('sealed.txt', `key = ${token}\n`)
    repo.commit('Sealed')
    plan(repo, "{id: one, run: 'echo more >> sealed.txt'}")
    const ran = await repo.plan(start)
    expect(ran.code, ran.all).toBe(0)
    expect(isInObjects(repo)).toBe(false)
  })

  test('where the checkpoint held it already, or the step asks to accept it', async ({ repo }) => {
    repo.write('old.txt', `key = ${token}\n`)
    repo.commit('Long ago')
    plan(repo, "{id: one, run: 'echo more >> old.txt'}", `{id: two, allow: [secret], run: '${writes('fixture.txt')}'}`)
    const ran = await repo.plan(start, { env })
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['show', 'plan/demo:fixture.txt'])).toContain(token)
  })

  test('where a file that held it was moved', async ({ repo }) => {
    repo.write('test/old/case.txt', `key = ${token}\n`)
    repo.write('test/old/.env', 'DEBUG=1\n')
    repo.commit('Long ago')
    plan(repo, '{id: one, move: test/old, to: test/new}', "{id: two, run: 'git mv test/new/.env test/.env'}")
    const ran = await repo.plan(start)
    expect(repo.git(['show', 'plan/demo:test/new/case.txt'])).toContain(token)
    expect(ran.code, ran.all).toBe(0)
  })

  test('where the checkpoint has it in a name already', async ({ repo }) => {
    repo.write(`data/${token}/a.txt`, 'a\n')
    repo.commit('Long ago')
    plan(
      repo,
      `{id: one, run: 'echo b > "data/$ONE$TWO/b.txt"'}`,
      `{id: two, run: 'git mv "data/$ONE$TWO" "data/x-$ONE$TWO"'}`,
    )
    const ran = await repo.plan(start, { env })
    expect(ran.code, ran.all).toBe(0)
  })

  test('where a file with more of them than are compared was moved, but one that was changed is taken', async ({
    repo,
  }) => {
    repo.write('many.txt', Array.from({ length: 1200 }, (_, line) => `${token}${line}\n`).join(''))
    repo.commit('Long ago')
    plan(repo, '{id: one, move: many.txt, to: moved.txt}', "{id: two, run: 'echo more >> moved.txt'}")
    const ran = await repo.plan(start)
    expect(repo.git(['ls-tree', '--name-only', 'plan/demo'])).toContain('moved.txt')
    expect(ran.all).toContain('it would commit a secret: moved.txt (1000 secrets or more)')
  })

  test('where the configuration does not want it', async ({ repo }) => {
    repo.write('.plans/config.yml', 'validation: { secrets: false }\n')
    repo.commit('Policy')
    plan(repo, `{id: one, run: '${writes('made.txt')}'}`)
    expect((await repo.plan(start, { env })).code).toBe(0)
  })
})

test('megabytes of beginnings of tokens are searched, and block neither the step nor resume nor cancel', async ({
  repo,
}) => {
  repo.isBinary = true
  const writes = (file: string): string => `yes ghp_ | tr -d "\\n" | head -c ${(isWide ? 8 : 2) * 1024 ** 2} > ${file}`
  plan(repo, `{id: one, run: '${writes('one.txt')}'}`, `{id: two, run: '${writes('two.txt')}; kill -9 $PPID; sleep 5'}`)
  await repo.plan(start)
  expect(repo.git(['show', '--name-only', '--format=', 'plan/demo'])).toContain('one.txt')
  const resumed = await repo.plan(['resume', 'demo', '--retry', 'two'])
  expect(resumed.all).not.toContain('internal')
  const cancelled = await repo.plan(['cancel', 'demo'])
  expect(cancelled.code, cancelled.all).toBe(0)
  expect(repo.git(['show', '--name-only', '--format=', 'refs/plan/demo/attempts/two/1'])).toContain('two.txt')
})

test('what a person made is refused, and stays where it is', async ({ repo }) => {
  plan(repo, '{id: one, run: "false"}')
  await repo.plan(start)
  repo.write('mine.txt', `key = ${token}\n`)
  for (const flag of [['--fix'], ['--done', 'one']]) {
    const ran = await repo.plan(['resume', 'demo', ...flag])
    expect(ran.code, ran.all).toBe(3)
    expect(ran.all).toContain('your changes contain a secret: mine.txt:1')
    expect(ran.all).not.toContain(token)
  }
  expect(repo.read('mine.txt')).toContain(token)
  expect(isInObjects(repo)).toBe(false)
})

test('a reason that quotes one is recorded without it', async ({ repo }) => {
  plan(repo, '{id: one, run: "false"}')
  await repo.plan(start)
  expect((await repo.plan(['cancel', 'demo', '-m', `because of ${token}`])).code).toBe(0)
  expect(repo.git(['log', '-1', '--format=%B', 'plan/demo'])).toContain('because of [secret]')
})

test('a secret in the plan is refused before there is a branch', async ({ repo }) => {
  plan(repo, `{id: one, create: one.txt, content: "key = ${token}"}`)
  const ran = await repo.plan(start)
  expect(ran.code, ran.all).toBe(2)
  expect(ran.all).toMatch(/demo\.md:\d+:\d+: error: the plan contains a secret: .*\(secret\)/)
  expect(ran.all).not.toContain(token)
  expect(repo.git(['for-each-ref', 'refs/heads/plan'])).toBe('')
  expect(isInObjects(repo)).toBe(false)
  // Nor is it in small letters in the id that a step gets from its command.
  plan(repo, `{run: "curl -H Token:${token} https://acme.io"}`)
  const named = await repo.plan([...start, '--json'])
  expect(named.code, named.all).toBe(2)
  expect(named.all.toLowerCase()).not.toContain(token.slice(5, 20).toLowerCase())
  plan(repo, `{id: one, allow: [secret], create: one.txt, content: "key = ${token}"}`)
  expect((await repo.plan(start)).code).toBe(0)
})
