// Files of every name and kind: what is committed, saved and restored is exactly what was there.

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, lstatSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { inCommit, onDisk, type Listing } from '../helpers/listing.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

interface Scripts {
  /** Before the plan, committed by the user. */
  readonly base?: string
  /** Two steps that succeed. */
  readonly make: string
  readonly change: string
  /** A third, which does this and fails. */
  readonly spoil: string
}

/**
 * Runs the scripts as steps, and beside it in a plain copy of the directory that nothing but the scripts touches.
 * Whatever a step did must then be in its commit, its attempt and the work tree, before and after a rollback and its
 * undo.
 */
async function sameAsPlain(repo: TestRepo, scripts: Scripts): Promise<void> {
  const env = { ...repo.env }
  const run = (script: string, cwd: string): void => void execFileSync('sh', ['-e', script], { cwd, env })
  for (const [name, text] of Object.entries({ base: ':', ...scripts })) writeFileSync(join(repo.home, name), text)
  run(join(repo.home, 'base'), repo.dir)
  repo.git(['add', '-A'])
  repo.git(['commit', '-q', '--allow-empty', '-m', 'Base'])
  const copy = join(dirname(repo.dir), 'copy')
  cpSync(repo.dir, copy, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('/.git') })
  const base = onDisk(repo.dir)
  // The copy by Node does not know bytes that are no UTF-8: the base has none.
  expect(onDisk(copy)).toEqual(base)
  const expected = ['make', 'change', 'spoil'].map((name): Listing => {
    run(join(repo.home, name), copy)
    return onDisk(copy)
  })
  const [made = {}, changed = {}, spoilt = {}] = expected
  // The scripts have to do something for the comparison to mean anything.
  expect(made).not.toEqual(base)
  expect(changed).not.toEqual(made)
  expect(spoilt).not.toEqual(changed)

  const step = (id: string, more = ''): string => `  - {id: ${id}, run: 'sh -e "$HOME/${id}"${more}'}`
  repo.write('.plans/names.md', planText([step('make'), step('change'), step('spoil', '; exit 1')].join('\n')))
  const ran = await repo.plan(['start', '.plans/names.md', '--approve'])
  expect(ran, ran.all).toMatchObject({ code: 1 })
  const clean = (where: string): void => {
    expect(repo.status(), where).toBe('')
    expect(repo.git(['clean', '-nd'], {}), where).toBe('')
  }
  expect(inCommit(repo, 'refs/plan/names/attempts/spoil/1')).toEqual(spoilt)
  expect(inCommit(repo, 'plan/names')).toEqual(changed)
  expect(inCommit(repo, 'plan/names~2')).toEqual(made)
  expect(onDisk(repo.dir)).toEqual(changed)
  clean('after the failure')

  expect(await repo.plan(['rollback', '--to', 'make'])).toMatchObject({ code: 0 })
  expect(onDisk(repo.dir)).toEqual(made)
  clean('after the rollback')
  expect(await repo.plan(['rollback', '--undo'])).toMatchObject({ code: 0 })
  expect(onDisk(repo.dir)).toEqual(changed)
  expect(await repo.plan(['rollback', '--all'])).toMatchObject({ code: 0 })
  expect(onDisk(repo.dir)).toEqual(base)
  clean('after going back to the beginning')
  expect(repo.fsck()).toBe('')
}

describe('names', () => {
  test('spaces, quotes, newlines, dashes, glob characters, colons and backslashes', async ({ repo }) => {
    const names = [
      ' lead and trail ',
      `it's "quoted"`,
      '-rf',
      '--',
      '*',
      '[a-z]?',
      ':(top)x',
      '!not',
      '#c',
      'back\\slash',
      '$(touch oops)',
      '`x`',
      '~',
      'a;b&c|d',
      '%s',
      '.hidden',
      'new\nline',
      'tab\there',
      'cr\r',
      '\u001b[31mred',
    ]
    const quoted = names.map((name) => `'./${name.replaceAll("'", `'\\''`)}'`)
    const inside = names.map((name) => `'./d i r/${name.replaceAll("'", `'\\''`)}'`)
    await sameAsPlain(repo, {
      base: `mkdir 'd i r'; for f in ${quoted.slice(0, 4).join(' ')}; do echo base >"$f"; done`,
      make: `for f in ${[...quoted, ...inside].join(' ')}; do mkdir -p 'd i r'; printf '%s' "$f" >"$f"; done`,
      change: `for f in ${quoted.join(' ')}; do echo more >>"$f"; done; for f in ${inside.slice(0, 8).join(' ')}; do rm -- "$f"; done; mv './*' './**'; mv './-rf' 'd i r/--rf'`,
      spoil: `for f in ${inside.slice(8).join(' ')}; do echo spoilt >"$f"; done; rm './**'; mkdir -p './*'; for f in ${inside.slice(0, 4).join(' ')}; do echo back >"$f"; done; echo x >'./*/new
line'`,
    })
    expect(existsSync(repo.path('oops'))).toBe(false)
  })

  test('bytes that are no UTF-8, and both forms of the same accented letter', async ({ repo }) => {
    await sameAsPlain(repo, {
      make: `mkdir d; printf 1 >"$(printf 'bad\\377\\376')"; printf 2 >"$(printf 'd/\\200')"; printf nfc >"$(printf 'e\\303\\251')"; printf nfd >"$(printf 'ee\\314\\201')"; printf emoji >"$(printf '\\360\\237\\232\\200')"`,
      change: `mv "$(printf 'bad\\377\\376')" "$(printf 'bad\\376\\377')"; printf more >>"$(printf 'd/\\200')"; rm "$(printf 'e\\303\\251')"`,
      spoil: `printf x >"$(printf 'd/\\377')"; rm "$(printf 'bad\\376\\377')"; printf y >>"$(printf 'ee\\314\\201')"; printf z >"$(printf 'e\\303\\251')"; mkdir "$(printf 'dir\\377')"; printf w >"$(printf 'dir\\377/\\377')"`,
    })
  })
})

describe('kinds', () => {
  test('executable bits, empty files and deep directories', async ({ repo }) => {
    await sameAsPlain(repo, {
      base: 'mkdir -p a/b/c; echo x >a/b/c/d; : >empty; echo run >tool; chmod +x tool',
      make: ': >void; mkdir -p e/f/g; : >e/f/g/h; chmod -x tool; chmod +x empty',
      change: 'chmod +x void tool; chmod -x empty; rm -r a; rm e/f/g/h; rmdir e/f/g e/f e',
      spoil: 'chmod -x void tool; echo now >empty; mkdir -p a/b; echo y >a/b/c; printf "a\\000b\\r\\n" >binary',
    })
  })

  test('symbolic links: dangling, to directories, replaced by files and back', async ({ repo }) => {
    await sameAsPlain(repo, {
      base: 'mkdir d; echo x >d/x; ln -s d tod; ln -s nowhere dangling; echo file >f; ln -s ../../outside up',
      make: 'rm f; ln -s d/x f; rm dangling; echo now a file >dangling; ln -s "a b" "l n"; ln -s . self',
      change: 'rm f; echo file again >f; rm dangling; ln -s elsewhere dangling; rm tod; mkdir tod; echo y >tod/y',
      spoil: 'rm -r tod; ln -s d tod; rm -r d; ln -s /nonexistent d; rm f; ln -s f f; chmod 755 "$(dirname .)"',
    })
    expect(existsSync(join(dirname(repo.dir), 'outside'))).toBe(false)
  })

  test('files become directories and directories files', async ({ repo }) => {
    await sameAsPlain(repo, {
      base: 'echo f >swap; mkdir -p dir/sub; echo 1 >dir/one; echo 2 >dir/sub/two',
      make: 'rm swap; mkdir swap; echo in >swap/in; echo two >swap/two',
      change: 'rm -r dir; echo file >dir; rm -r swap; mkdir -p swap/in; echo deeper >swap/in/deep',
      spoil: 'rm dir; mkdir -p dir/one; echo deep >dir/one/deep; rm -r swap; echo flat >swap',
    })
  })

  test('a restore writes through no link that a failed step put in the place of a directory', async ({ repo }) => {
    const outside = join(repo.home, 'outside')
    execFileSync('mkdir', [outside])
    writeFileSync(join(outside, 'x'), 'canary')
    await sameAsPlain(repo, {
      base: 'mkdir d; echo x >d/x; echo y >d/y',
      make: 'echo z >d/z',
      change: 'echo more >>d/z',
      spoil: `rm -r d; ln -s '${outside}' d`,
    })
    expect(onDisk(outside)).toEqual({ x: 'file canary' })
  })
})

test('the file verbs take names with spaces, quotes, dashes and glob characters, and touch no neighbour', async ({
  repo,
}) => {
  for (const name of ['*.txt', 'b.txt', '[ab].txt', 'd/-n', `it's "q"`]) repo.write(name, `${name}\n`)
  symlinkSync('a.txt', repo.path('link'))
  repo.commit('Names')
  repo.write(
    '.plans/v.md',
    planText(
      [
        '  - {id: star, delete: "*.txt"}',
        `  - {id: quote, edit: "it's \\"q\\"", append: "more\\n"}`,
        '  - {id: dash, move: d/-n, to: d/--dir/-n}',
        '  - {id: class, edit: "[ab].txt", replace: ab, with: xy}',
        '  - {id: made, create: "new dir/:(glob)**", content: "x\\n", executable: true}',
        '  - {id: moved, move: link, to: "new dir/link"}',
      ].join('\n'),
    ),
  )
  const ran = await repo.plan(['start', '.plans/v.md', '--approve', '--skip-check', 'plan'])
  // A link is not followed, nor moved: what it points to depends on where it is.
  expect(ran, ran.all).toMatchObject({ code: 1 })
  expect(ran.all).toContain('symlink')
  expect(inCommit(repo, 'plan/v')).toEqual({
    'd/--dir/-n': 'file d/-n\n',
    '[ab].txt': 'file [xy].txt\n',
    'a.txt': 'file hello\n',
    'b.txt': 'file b.txt\n',
    [`it's "q"`]: `file it's "q"\nmore\n`,
    link: 'link a.txt',
    'new dir/:(glob)**': 'program x\n',
  })
  expect(onDisk(repo.dir)).toEqual(inCommit(repo, 'plan/v'))
  expect(lstatSync(repo.path('link')).isSymbolicLink() && readlinkSync(repo.path('link'))).toBe('a.txt')
})

test('--autostash brings back files that were replaced by directories and links, and looks through no link', async ({
  repo,
}) => {
  const outside = join(repo.home, 'outside')
  execFileSync('mkdir', [outside])
  writeFileSync(join(outside, 'x'), 'canary')
  for (const name of ['d/x', 'd/y', 'f', 'gone', 'changed']) repo.write(name, `${name}\n`)
  repo.commit('Files')
  execFileSync(
    'sh',
    [
      '-ec',
      `rm -r d; ln -s '${outside}' d; rm f gone; mkdir f; echo in >f/in; echo more >>changed; printf raw >"$(printf 'b\\377')"`,
    ],
    {
      cwd: repo.dir,
    },
  )
  const before = onDisk(repo.dir)
  const status = repo.git(['status', '--porcelain', '-z'])
  repo.write('.plans/p.md', planText('  - {id: one, run: cat d/x f > sum}'))
  const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--autostash'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(inCommit(repo, 'plan/p')).toMatchObject({ sum: 'file d/x\nf\n', 'd/x': 'file d/x\n', gone: 'file gone\n' })
  const finished = await repo.plan(['finish'])
  expect(finished, finished.all).toMatchObject({ code: 0 })
  const { sum, ...rest } = onDisk(repo.dir)
  expect([sum, rest]).toEqual(['file d/x\nf\n', before])
  expect(repo.git(['status', '--porcelain', '-z'])).toBe(status)
  expect(onDisk(outside)).toEqual({ x: 'file canary' })
})

test('an attempt with a link in the place of a directory is put back without touching what the link leads to', async ({
  repo,
}) => {
  const outside = join(repo.home, 'outside')
  execFileSync('mkdir', [outside])
  writeFileSync(join(outside, 'x'), 'canary')
  repo.write('d/x', 'x\n')
  repo.commit('A directory')
  repo.write(
    '.plans/p.md',
    planText(`  - {id: one, run: 'test -e "$HOME/go" && exit; rm -r d; ln -s "$HOME/outside" d; exit 1'}`),
  )
  expect(await repo.plan(['start', '.plans/p.md', '--approve'])).toMatchObject({ code: 1 })
  writeFileSync(join(repo.home, 'go'), '')
  const ran = await repo.plan(['resume', '--retry', 'one', '--from-attempt', '1'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(inCommit(repo, 'plan/p')).toMatchObject({ d: `link ${outside}` })
  expect(await repo.plan(['rollback'])).toMatchObject({ code: 0 })
  expect(repo.read('d/x')).toBe('x\n')
  expect(onDisk(outside)).toEqual({ x: 'file canary' })
})
