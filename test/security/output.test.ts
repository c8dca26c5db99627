// O1 to O3, O5, O6: what a step prints reaches neither the terminal nor CI as anything but text, without the secrets
// that are known, and not without end. O4, what is about to be committed, has its own tests.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { allowed } from '../helpers/canary.ts'
import { drawn } from '../helpers/drawn-secrets.ts'
import { isAlive, Outside, pidIn, runProcesses } from '../helpers/crash.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'
import { onTerminal } from '../helpers/terminal.ts'

/** A script beside the repository that prints these bytes. */
function prints(repo: TestRepo, text: string, more = ''): string {
  writeFileSync(join(repo.home, 'bytes'), text, 'latin1')
  writeFileSync(join(repo.home, 'print.sh'), `cat "$HOME/bytes"; cat "$HOME/bytes" >&2\n${more}\n`)
  return 'sh "$HOME/print.sh"'
}
/** What a terminal would obey, but for line feeds, tabs and, where `colours`, what we draw ourselves. */
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/

const escapes: Readonly<Record<string, string>> = {
  'screen clear': '\u001b[2J\u001b[H',
  'whole reset': '\u001bc',
  title: '\u001b]0;owned\u0007',
  'title with ST': '\u001b]2;owned\u001b\\',
  'OSC 8 link': '\u001b]8;;http://evil\u0007click\u001b]8;;\u0007',
  'OSC 52 clipboard': '\u001b]52;c;ZXZpbA==\u0007',
  DCS: '\u001bP$q"p\u001b\\',
  APC: '\u001b_evil\u001b\\',
  'cursor up': '\u001b[5A',
  'alternate screen': '\u001b[?1049h',
  report: '\u001b[6n\u001b[c\u0005',
  'C1 CSI': '\u009b2J',
  'C1 CSI in UTF-8': '\u00c2\u009b2J',
  'C1 OSC in UTF-8': '\u00c2\u009d52;c;eA==\u0007',
  'bell and backspace': '\u0007x\b\b\b',
  'vertical tab and form feed': '\u000b\u000c',
  'shift out': '\u000e',
  'right to left override in UTF-8': '\u00e2\u0080\u00ae',
  'bytes that are no UTF-8': '\u00ff\u00fe\u00c3',
  unfinished: '\u001b[',
}

test('O1 each escape that a step prints: escaped on the terminal and in a pipe, raw bytes in the log alone', async ({
  repo,
}) => {
  const text = Object.entries(escapes).map(([name, bytes]) => `<${name}>${bytes}</${name}>\n`).join('') // prettier-ignore
  repo.write('.plans/p.md', planText(`  - {id: evil, run: '${prints(repo, text, 'exit 1')}'}`))
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran, ran.all).toMatchObject({ code: 1 })
  expect(ran.stderr).not.toMatch(obeyed)
  for (const name of Object.keys(escapes)) expect(ran.stderr).toContain(`evil | <${name}>`)
  expect(
    readFileSync(repo.path('.git/plan/p/logs/evil-1.log')).includes(
      Buffer.from(escapes['OSC 52 clipboard']!, 'latin1'),
    ),
  ).toBe(true)
  for (const args of [
    ['log', 'p', '--output', 'evil'],
    ['log', 'p'],
    ['attempts', 'p', '--show', 'evil'],
    ['status', 'p'],
  ]) {
    const shown = onTerminal(repo, args, { env: { GIT_PAGER: 'cat' } })
    await shown.ends()
    // Colours are ours; nothing else is.
    expect(shown.raw().replace(/\u001b\[[0-9;]*m/g, '').replaceAll('\r\n', '\n'), args.join(' ')).not.toMatch(obeyed) // prettier-ignore
  }
  const again = onTerminal(repo, ['resume', 'p', '--retry', 'evil', '--no-input'])
  expect(await again.ends()).toBe(1)
  expect(again.raw()).not.toMatch(/\u001b\]|\u001b[cP_]|\u009b|\u001b\[\?1049|\u001b\[6n|\u0007|\u202e|\u001b\[2J/)
})

test('O1 a line that a carriage return overwrites: no carriage return reaches the terminal, and our own mark stays', async ({
  repo,
}) => {
  repo.write(
    '.plans/p.md',
    planText(`  - {id: evil, run: '${prints(repo, 'half\rwhole\n\r\r  evil | ✓ done\nlast\r')}'}`),
  )
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(ran.all).not.toContain('\r')
  expect(ran.stderr).toContain('  evil | whole\n')
})

test('O2 lines that look like ours or like commands of CI, from a step, a gate, a check or the name of a file: each has our mark before it', async ({
  repo,
}) => {
  const lines = [
    '::set-env name=PATH::/evil',
    '::add-mask::x',
    '##vso[task.setvariable variable=x]y',
    '##[set-output name=x]y',
    '✓ done in 1ms 0000000',
    'Hint: rm -rf /',
    'git plan: all is well',
    'Completed evil: 9 of 9 steps done (0000000)',
  ]
  const text = lines.map((line) => `${line}\n`).join('')
  const message = JSON.stringify(`Look:\n${text}`)
  const name = 'a\n::error::x\n.txt'
  writeFileSync(join(repo.home, 'name.sh'), `echo x > '${name}'\n`)
  repo.write(
    '.plans/p.md',
    planText(
      [
        `  - {id: evil, run: '${prints(repo, Buffer.from(text).toString('latin1'))}'}`,
        '  - {id: scope, needs: [], files: [b.txt], run: sh "$HOME/name.sh"}',
        `  - {id: check, needs: [], run: "true", verify: [${JSON.stringify(`printf '%s\\n' '${lines[0]}'; exit 1\n${lines[0]}`)}]}`,
        `  - {id: ask, needs: [], gate: ${message}}`,
      ].join('\n'),
    ),
  )
  const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--keep-going'])
  expect(ran.code, ran.all).toBeGreaterThan(0)
  for (const line of ran.all.split('\n')) expect(line.trimStart(), ran.all).not.toMatch(/^(::|##)/)
  for (const line of lines) expect(ran.stderr).toContain(`  evil | ${line}\n`)
  const own = ran.all.split('\n').filter((line) => lines.slice(4).includes(line))
  expect(own).toEqual([])
})

test('O3 a known secret raw, in base64, in a URL and split over two writes: masked on the screen, in the log, the notes, the commits and the JSON', async ({
  repo,
}) => {
  const secret = 'hunter2/with+signs & more'
  const encoded = [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)]
  writeFileSync(
    join(repo.home, 'leak.sh'),
    [
      'echo "raw $TOKEN"; echo "err $TOKEN" >&2',
      'printf %s "$TOKEN" | base64',
      `echo 'https://x/?t=${encodeURIComponent(secret)}'`,
      `printf 'split hunter2/wi'; sleep 0.2; printf 'th+signs & more\\n'`,
      `for c in h u n t e r 2 / w i t h + s i g n s; do printf %s "$c"; done; printf ' & more\\n'`,
      'exit 1',
    ].join('\n'),
  )
  repo.write(
    '.plans/p.md',
    planText('  - {id: one, secrets: [TOKEN], run: sh "$HOME/leak.sh", verify: [echo "$TOKEN"]}'),
  )
  const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--json'], { env: { TOKEN: secret } })
  expect(ran.code).toBe(1)
  const texts = [
    ran.all,
    readFileSync(repo.path('.git/plan/p/logs/one-1.log'), 'utf8'),
    repo.git(['log', '--all', '-p', '--notes=refs/notes/plan/p']),
    (await repo.plan(['log', 'p', '--output', 'one'])).all,
    (await repo.plan(['report', 'p'])).all,
  ]
  for (const text of texts) for (const form of encoded) expect(text).not.toContain(form.slice(0, 20))
  expect(texts[1]?.match(/\[secret\]/g)?.length).toBeGreaterThanOrEqual(6)
})

test('O3 a token with colours in its middle, and a value that another step, the preflight or a title gives away: masked everywhere', async ({
  repo,
}) => {
  const secret = 'hunter2-with-signs'
  const [head, tail] = [`ghp_${drawn('word', 12)}`, drawn('word', 24, 3)]
  writeFileSync(
    join(repo.home, 'leak.sh'),
    `printf 'ok ${head}\\033[1;31m${tail}\\033[0m end\\n'; echo "value $TOKEN"\n`,
  )
  repo.write('.plans/config.yml', 'validation: { secrets: false }\n')
  repo.commit('Policy')
  const steps = [
    '  - {id: one, title: "One with hunter2-with-signs", secrets: [TOKEN], run: "true"}',
    `  - {id: two, title: "Two ${head}${tail}", run: sh "$HOME/leak.sh"}`,
  ].join('\n')
  repo.write(
    '.plans/p.md',
    planText(
      steps,
      `title: "All of hunter2-with-signs"\nrequest: "Use ${head}${tail}"\npreflight: sh "$HOME/leak.sh"\n`,
    ),
  )
  const env = { TOKEN: secret }
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'], { env })
  expect(ran.code, ran.all).toBe(0)
  const texts = [
    ran.all,
    readFileSync(repo.path('.git/plan/p/logs/two-1.log'), 'utf8'),
    readFileSync(repo.path('.git/plan/p/logs/preflight-1.log'), 'utf8'),
    repo.git(['log', '--all', '--format=%B%N', '--notes=refs/notes/plan/p']),
    (await repo.plan(['log', 'p', '--output', 'two'], { env })).all,
    (await repo.plan(['report', 'p'], { env })).all,
    (await repo.plan(['report', 'p', '--json'], { env })).all,
  ]
  for (const text of texts) {
    for (const part of [head, tail]) expect(text).not.toContain(part.slice(4))
    expect(text).not.toContain(secret)
    expect(text).toMatch(/\[secret\\?\]/)
  }
})

test('O5 a remote URL with a password: in nothing that is said', async ({ repo }) => {
  const password = 'correct-horse-battery'
  const url = `http://ada:${password}@127.0.0.1:1/x.git`
  repo.git(['config', 'remote.origin.url', url])
  repo.git(['config', 'plan.policyRef', 'main'])
  repo.git(['config', 'remote.origin.promisor', 'true'])
  repo.git(['config', 'remote.origin.partialclonefilter', 'blob:none'])
  repo.git(['config', 'extensions.partialClone', 'origin'])
  // A base with a file that is not here: whoever writes has to fetch it, and cannot.
  const tree = repo.git(['mktree', '--missing'], { input: `100644 blob ${'1'.repeat(40)}\tfar.txt\n` })
  repo.git(['update-ref', 'refs/heads/far', repo.git(['commit-tree', tree, '-m', 'Far'])])
  writeFileSync(join(repo.home, 'p.md'), planText('  - {id: one, run: "true"}', 'base: far\n'))
  const said: string[] = []
  for (const args of [
    ['start', join(repo.home, 'p.md'), '--approve'],
    ['start', 'p', '--approve', '--json', '--debug'],
    ['doctor'],
    ['report', 'p'],
    ['list', '--json'],
  ]) {
    const ran = await repo.plan(args)
    said.push(ran.all)
  }
  expect(said[0]).toMatch(/far|fetch|127\.0\.0\.1/)
  expect(said.join('\n')).not.toContain(password)
  expect(repo.git(['log', '--all', '--format=%B'])).not.toContain(password)
  expect(() => repo.git(['grep', '--no-index', '-q', password, '--', '.git/plan'])).toThrow()
})

test('O6 a command that prints without end: ended at its output limit, with all that it started', async ({ repo }) => {
  const pid = new Outside(repo, 'pid')
  repo.write(
    '.plans/p.md',
    planText(
      `  - {id: loud, ${allowed}, limits: {output: 64kb}, run: 'echo $$ > ${pid.path}; (setsid yes &); yes | cat'}`,
    ),
  )
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran.code).toBe(1)
  expect(repo.subjects('refs/plan/p/attempts/loud/1')[0]).toBe('Attempt 1 of loud: output-limit')
  expect(isAlive(await pidIn(pid.path))).toBe(false)
  expect(runProcesses(repo)).toEqual([])
  expect(readFileSync(repo.path('.git/plan/p/logs/loud-1.log')).length).toBeLessThan(1024 * 1024)
})
