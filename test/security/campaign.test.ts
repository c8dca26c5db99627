// A campaign approves for many repositories at once. In a repository that lets it, a forged proof, line, signature or
// campaign runs nothing; in one that does not, it approves nothing at all.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import {
  canonicalAddress,
  decodeProof,
  encodeProof,
  formatLine,
  manifestRoot,
  parseLine,
  pathTo,
  withoutPassword,
  type ManifestLine,
} from '../../src/approval/rules/campaign-proof.ts'
import { Fleet } from '../helpers/fleet.ts'
import { canary, refused } from '../helpers/gate.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'
import { onTerminal } from '../helpers/terminal.ts'

const levels = ['low', 'medium', 'high', 'critical']
const settings = (fleet: { readonly control: string }, more = ''): string =>
  [
    'version: 1',
    `approval: { ${levels.map((level) => `${level}: { from: [campaign], campaigns: [platform] }`).join(', ')} }`,
    `campaigns: { platform: { repository: ${fleet.control}, signers: .plans/campaign_signers, ${more} } }`,
    '',
  ].join('\n')

interface Opted {
  readonly fleet: Fleet
  /** The one that lets campaigns approve; the other has no policy. */
  readonly address: string
  readonly other: string
  readonly key: { readonly file: string; readonly signer: string }
  readonly plan: string
}

function opted(repo: TestRepo, more = 'bases: [main], expires: 14d'): Opted {
  const bare = new Fleet(repo, { count: 0 })
  const key = bare.key('kim')
  const files = (number: number): Record<string, string> =>
    number === 1 ? { '.plans/config.yml': settings(bare, more), '.plans/campaign_signers': key.signer } : {}
  rmSync(bare.control, { recursive: true })
  const fleet = new Fleet(repo, { count: 2, files })
  fleet.signWith(key.file)
  const plan = fleet.write(
    'p.md',
    planText(`  - {id: one, run: "echo 1 > one.txt; touch ${canary(repo)}"}`, 'title: P\n'),
  )
  const [address = '', other = ''] = fleet.addresses
  return { fleet, address, other, key, plan }
}

const home = (repo: TestRepo): string => join(repo.home, '.local/state/git-plan/fleet/p')

test('a signed campaign runs where the policy lets it, and the repository alone proves that; elsewhere the owners are asked', async ({
  repo,
}) => {
  const { fleet, address, other, plan } = opted(repo)
  expect(await fleet.fleet(['new', fleet.list, plan])).toMatchObject({ code: 0 })
  const approved = await fleet.fleet(['approve', 'p', '--sign'])
  expect(approved, approved.all).toMatchObject({ code: 0 })
  // As on another machine, where nobody approved anything in their own name.
  rmSync(join(home(repo), 'approved'))
  const ran = await fleet.json(['resume', 'p'])
  expect(ran, JSON.stringify(ran)).toMatchObject({ counts: { completed: 1, approval: 1 } })
  expect(repo.git(['log', '-1', '--format=%s', 'plan/p'], { cwd: other })).toBe('Plan: P')

  const clone = join(repo.home, 'clone')
  repo.git(['clone', '-q', address, clone])
  expect(await repo.plan(['fetch', 'p'], { cwd: clone })).toMatchObject({ code: 0 })
  // Offline.
  rmSync(fleet.control, { recursive: true })
  rmSync(home(repo), { recursive: true })
  const audit = await repo.json(['audit', 'p'], { cwd: clone })
  expect(audit, JSON.stringify(audit)).toMatchObject({
    holds: true,
    plans: [{ findings: [], approvals: [{ by: '<kim@example.com>', from: 'campaign' }] }],
  })
})

interface Forged {
  readonly line?: Partial<ManifestLine>
  /** Trailers of the commit that approves the campaign. */
  readonly trailers?: Readonly<Record<string, string>>
  readonly key?: 'none' | 'other'
  readonly date?: string
  /** The commit as it stands in the proof. */
  readonly tampered?: (commit: string) => string
  readonly named?: string
}

/** Writes the proof of a campaign that never was in a control repository. */
async function forge(
  { fleet, address, key, plan }: Opted,
  { line = {}, trailers = {}, key: by, date, tampered = (commit) => commit, named }: Forged,
): Promise<{ file: string; campaign: string; proof: string }> {
  const { repo } = fleet
  const clone = join(repo.home, 'clone')
  repo.git(['clone', '-q', address, clone])
  const { digest } = (await repo.json(['new', '--from', plan, '--id', 'p'], { cwd: clone })) as unknown as {
    digest: string
  }
  const own = formatLine({ address, base: 'main', digest, params: [], ...line })
  const lines = [own, formatLine({ address: '/other', base: 'main', digest, params: [] })]
  const message = Object.entries({
    'Plan-Campaign-Id': 'p',
    'Plan-Campaign-Event': 'approved',
    'Plan-Campaign-Epoch': '1',
    'Plan-Campaign-Root': manifestRoot(lines),
    'Plan-Campaign-Repository': fleet.control,
    ...trailers,
  }).map(([name, value]) => `${name}: ${value}\n`)
  if (by === 'other') fleet.signWith(fleet.key('mallory').file)
  const tree = repo.git(['write-tree'], { cwd: fleet.control })
  const commit = repo.git(
    ['commit-tree', ...(by === 'none' ? [] : ['-S']), '-m', `Approved: P\n\n${message.join('')}`, tree],
    {
      cwd: fleet.control,
      env: date === undefined ? {} : { GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date },
    },
  )
  fleet.signWith(key.file)
  const bytes = tampered(repo.git(['cat-file', 'commit', commit], { cwd: fleet.control }) + '\n')
  const proof = encodeProof({ commit: Buffer.from(bytes).toString('base64'), line: own, path: pathTo(lines, 0) })
  const campaign = named ?? `${fleet.control}@${commit}`
  const file = join(repo.home, 'proof.json')
  writeFileSync(file, JSON.stringify({ campaign, proof }))
  return { file, campaign, proof }
}

const oldDate = '2020-01-01T00:00:00Z'
const cases: readonly (readonly [string, Forged, RegExp])[] = [
  ['without a signature', { key: 'none' }, /it is not signed/],
  ['signed by a key that the policy does not list', { key: 'other' }, /its key is not among the allowed signers/],
  ['for another repository', { line: { address: '/elsewhere' } }, /the campaign approved it for \/elsewhere/],
  ['for another text', { line: { digest: 'a'.repeat(64) } }, /the campaign approved another text/],
  ['for another base', { line: { base: 'release' } }, /the campaign approved it for the base release/],
  ['of a manifest without this line', { trailers: { 'Plan-Campaign-Root': 'b'.repeat(64) } }, /is not in the manifest/],
  [
    'of another control repository',
    { trailers: { 'Plan-Campaign-Repository': '/evil' } },
    /knows no campaigns of \/evil/,
  ],
  ['of a proposal, which approves nothing', { trailers: { 'Plan-Campaign-Event': 'proposed' } }, /approves nothing/],
  ['signed long ago', { date: oldDate }, /has expired/],
  ['signed in the future', { date: '2090-01-01T00:00:00Z' }, /dated in the future/],
  [
    'whose commit was changed after it was signed',
    { tampered: (commit) => commit.replace('Plan-Campaign-Epoch: 1', 'Plan-Campaign-Epoch: 2') },
    /is not the one that it names/,
  ],
  ['that names another commit', { named: `/evil@${'c'.repeat(40)}` }, /knows no campaigns/],
]

describe('the proof of a campaign', () => {
  test.each(cases)('%s: it is not recorded, and recorded by hand it runs nothing', async (_, forged, why) => {
    const { TestRepo: Made } = await import('../helpers/repo.ts')
    const repo = new Made()
    try {
      const target = opted(repo)
      const { file, campaign, proof } = await forge(target, forged)
      const clone = join(repo.home, 'clone')
      const tip = repo.git(['rev-parse', 'plan/p'], { cwd: clone })
      refused(repo, await repo.plan(['approve', 'p', '--campaign', file], { cwd: clone }), why)
      expect(repo.git(['rev-parse', 'plan/p'], { cwd: clone })).toBe(tip)

      byHand(repo, clone, { campaign, proof })
      refused(repo, await repo.plan(['start', 'p'], { cwd: clone }), why)
      expect(repo.git(['log', '-1', '--format=%an', 'plan/p'], { cwd: clone })).toBe('Mallory')
    } finally {
      repo.remove()
    }
  })

  test('the same proof, unforged, is recorded and runs', async ({ repo }) => {
    const target = opted(repo)
    const { file } = await forge(target, {})
    const clone = join(repo.home, 'clone')
    const approved = await repo.plan(['approve', 'p', '--campaign', file], { cwd: clone })
    expect(approved, approved.all).toMatchObject({ code: 0 })
    expect(await repo.plan(['start', 'p'], { cwd: clone })).toMatchObject({ code: 0 })
  })

  test('in a policy for other bases, for another risk or without a file of signers it is worth nothing', async ({
    repo,
  }) => {
    const target = opted(repo, 'bases: [release/*]')
    const { file } = await forge(target, {})
    const clone = join(repo.home, 'clone')
    refused(repo, await repo.plan(['approve', 'p', '--campaign', file], { cwd: clone }), /lets no campaign change main/)
    const write = (text: string): void => {
      writeFileSync(join(clone, '.plans/config.yml'), text)
      repo.git(['commit', '-q', '-am', 'Policy', '--no-gpg-sign'], { cwd: clone, env: as })
      repo.git(['push', '-q', 'origin', 'main'], { cwd: clone })
    }
    write(settings(target.fleet).replace(/high: \{[^}]*\}/, 'high: { from: [signature] }'))
    refused(
      repo,
      await repo.plan(['approve', 'p', '--campaign', file], { cwd: clone }),
      /the policy accepts no campaign/,
    )
    write(settings(target.fleet).replace('campaign_signers', 'nobody'))
    refused(repo, await repo.plan(['approve', 'p', '--campaign', file], { cwd: clone }), /is not on the policy branch/)
  })
})

const as = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'Mallory'],
    [`GIT_${role}_EMAIL`, 'mallory@example.com'],
  ]),
)

/** The commit that `git plan approve --campaign` would have made. */
function byHand(repo: TestRepo, clone: string, { campaign, proof }: { campaign: string; proof: string }): void {
  const git = (...args: string[]): string => repo.git(args, { cwd: clone, env: as })
  const text = git('show', 'plan/p:.plans/p.md').replace('status: proposed', 'status: approved')
  git('checkout', '-q', 'plan/p')
  writeFileSync(join(clone, '.plans/p.md'), `${text}\n`)
  const trailers = {
    'Plan-Id': 'p',
    'Plan-Event': 'approved',
    'Plan-Digest': git('log', '-1', '--format=%(trailers:key=Plan-Digest,valueonly)').trim(),
    'Plan-Approved-By': 'Kim <kim@example.com>',
    'Plan-Approval': 'campaign',
    'Plan-Base': git('rev-parse', 'main'),
    'Plan-Policy': git('rev-parse', 'main:.plans/config.yml'),
    'Plan-Campaign': campaign,
    'Plan-Campaign-Proof': proof,
  }
  const message = Object.entries(trailers).map(([name, value]) => `${name}: ${value}\n`)
  git('commit', '-q', '-am', `Approved: P\n\n${message.join('')}`)
  git('checkout', '-q', 'main')
}

test('whoever can write to the engine or to the control repository makes nothing run', async ({ repo }) => {
  const { fleet, plan, address } = opted(repo)
  await fleet.fleet(['new', fleet.list, plan])
  // An approval by somebody who can push to the control repository, but whose key no target lists.
  fleet.signWith(fleet.key('mallory').file)
  await fleet.fleet(['approve', 'p', '--sign'])
  rmSync(join(home(repo), 'approved'))
  const ran = await fleet.json(['resume', 'p'])
  expect(ran, JSON.stringify(ran)).toMatchObject({ counts: { approval: 2 } })
  expect(repo.git(['log', '-1', '--format=%s', 'plan/p'], { cwd: address })).toBe('Plan: P')

  // A text that is not the one of the manifest.
  const work = join(repo.home, 'control')
  repo.git(['clone', '-q', '-b', 'campaign/p', fleet.control, work])
  const [name = ''] = repo.git(['ls-files', '.campaigns/p'], { cwd: work }).split('\n')
  writeFileSync(join(work, name), planText(`  - {id: one, run: "touch ${canary(repo)}; true"}`, 'title: P\n'))
  repo.git(['commit', '-q', '-am', 'Changed', '--no-gpg-sign'], { cwd: work })
  repo.git(['push', '-q', 'origin', 'campaign/p'], { cwd: work })
  const changed = await fleet.fleet(['resume', 'p'])
  refused(repo, changed, /campaign p is not approved yet/)
})

test('a text that is not the one of its digest is not approved: the signature would stand for one that nobody read', async ({
  repo,
}) => {
  const { fleet, plan } = opted(repo)
  await fleet.fleet(['new', fleet.list, plan])
  const work = join(repo.home, 'control')
  repo.git(['clone', '-q', '-b', 'campaign/p', fleet.control, work])
  const [name = ''] = repo.git(['ls-files', '.campaigns/p'], { cwd: work }).split('\n')
  writeFileSync(join(work, name), planText('  - {id: one, run: "true"}', 'title: P\n'))
  repo.git(['commit', '-q', '-am', 'Changed', '--no-gpg-sign'], { cwd: work })
  repo.git(['push', '-q', 'origin', 'campaign/p'], { cwd: work })
  const tip = repo.git(['rev-parse', 'campaign/p'], { cwd: fleet.control })
  refused(repo, await fleet.fleet(['approve', 'p', '--sign']), /a text of campaign p is not the one in its manifest/)
  expect(repo.git(['rev-parse', 'campaign/p'], { cwd: fleet.control })).toBe(tip)
})

test('whoever approves a campaign sees each of its texts', async ({ repo }) => {
  const fleet = new Fleet(repo, { count: 2 })
  const plan = fleet.write(
    'p.md',
    planText(
      '  - {id: one, create: b.txt, content: "${{ params.word }}"}',
      'title: P\nparams: {word: {type: string}}\n',
    ),
  )
  writeFileSync(fleet.list, fleet.addresses.map((address, at) => `${address} word=word${at}\n`).join(''))
  const made = await fleet.fleet(['new', fleet.list, plan])
  expect(made, made.all).toMatchObject({ code: 0 })
  const terminal = onTerminal(repo, ['fleet', 'approve', 'p', '--control', fleet.control], { rows: 200 })
  await terminal.sees('Approve this plan for 2 repositories?')
  terminal.type('n')
  await terminal.ends()
  expect(terminal.text()).toContain('word0')
  expect(terminal.text()).toContain('word1')
})

test('an address has no password: the manifest, and the proof in each target, are public', async ({ repo }) => {
  const fleet = new Fleet(repo, { count: 1 })
  const clones = join(repo.home, 'clones')
  repo.git(['clone', '-q', fleet.addresses[0]!, join(clones, 'one')])
  const secret = 'https://ada:hunter2-secret@forge.example/r1'
  repo.git(['config', 'remote.origin.url', secret], { cwd: join(clones, 'one') })
  for (const address of [secret, 'https://forge.example/r1'])
    repo.git(['config', '--global', '--add', `url.${fleet.addresses[0]}.insteadOf`, address])
  const plan = fleet.write('p.md', planText('  - {id: one, run: "true"}', 'title: P\n'))
  const made = await fleet.fleet(['new', clones, plan])
  expect(made, made.all).toMatchObject({ code: 0 })
  expect(made.all).not.toContain('hunter2')
  const written = repo.git(['log', '--all', '-p'], { cwd: fleet.control })
  expect(written).not.toContain('hunter2')
  expect(withoutPassword('https://t0ken@github.com/a/b')).toBe('https://github.com/a/b')
  expect(withoutPassword('https://ada:a@b@example.com/a@b')).toBe('https://example.com/a@b')
  expect(withoutPassword('ssh://git:secret@example.com:22/a')).toBe('ssh://git@example.com:22/a')
  for (const address of ['git@example.com:a/b.git', 'ssh://git@example.com/a', '/a:b@c', 'https://example.com/a@b'])
    expect(withoutPassword(address)).toBe(address)
})

test('a line and its path lead to one root only, and a proof of another form is none', () => {
  const lines = ['a', 'b', 'c', 'd', 'e'].map((name) =>
    formatLine({ address: `/${name}`, base: 'main', digest: 'a'.repeat(64), params: [] }),
  )
  expect(new Set([...lines.keys()].map((at) => pathTo(lines, at).length))).toEqual(new Set([3, 1]))
  expect(decodeProof('x'.repeat(100_000))).toBeUndefined()
  expect(decodeProof(Buffer.from('null').toString('base64'))).toBeUndefined()
  for (const address of [
    '-x',
    'ext::sh -c x',
    '--upload-pack=x',
    '-oProxyCommand=x@h:p',
    'ssh://-oProxy/x',
    'a b:c',
    'ext::sh',
    'a::b',
    'ssh://ada@-oProxy/x',
    'https://ada:secret@example.com/x',
  ])
    expect(
      parseLine(formatLine({ address, base: 'main', digest: 'a'.repeat(64), params: [] })),
      address,
    ).toBeUndefined()
})

/** The proof that is in the control repository, for everybody to read. */
function publicProof({ fleet }: Opted): string {
  const { repo } = fleet
  const at = { cwd: fleet.control }
  const approved = repo.git(['log', '--format=%H', '--grep=Plan-Campaign-Event: approved', '-1', 'campaign/p'], at)
  const commit = Buffer.from(`${repo.git(['cat-file', 'commit', approved], at)}\n`).toString('base64')
  const [line = ''] = repo.git(['show', 'campaign/p:.campaigns/p.targets'], at).split('\n')
  const file = join(repo.home, 'public.json')
  const proof = encodeProof({ commit, line, path: [] })
  writeFileSync(file, JSON.stringify({ campaign: `${fleet.control}@${approved}`, proof }))
  return file
}

/** One target, over a protocol whose clones are shallow. */
async function approvedAt(repo: TestRepo, command?: string): Promise<Opted & { readonly url: string }> {
  const made = opted(repo)
  const { fleet, address } = made
  const url = `file://${address}`
  writeFileSync(fleet.list, `${url}\n`)
  writeFileSync(
    join(repo.home, '.gitconfig'),
    `${readFileSync(join(repo.home, '.gitconfig'), 'utf8')}[protocol "file"]\n\tallow = always\n`,
  )
  const plan =
    command === undefined
      ? made.plan
      : fleet.write('p.md', planText(`  - {id: one, run: ${JSON.stringify(command)}}`, 'title: P\n'))
  expect(await fleet.fleet(['new', fleet.list, plan])).toMatchObject({ code: 0 })
  expect(await fleet.fleet(['approve', 'p', '--sign'])).toMatchObject({ code: 0 })
  // As on another machine, where nobody approved anything in their own name.
  rmSync(join(home(repo), 'approved'))
  return { ...made, plan, url }
}

test('a plan whose base is not on the base branch runs nothing, though the clone is shallow', async ({ repo }) => {
  const made = await approvedAt(repo)
  const { fleet, url } = made
  const control = { cwd: fleet.control }
  const [path = ''] = repo.git(['ls-tree', '--name-only', 'campaign/p:.campaigns/p/'], control).split('\n')
  const plan = fleet.write('public.md', `${repo.git(['show', `campaign/p:.campaigns/p/${path}`], control)}\n`)
  const clone = join(repo.home, 'mallory')
  repo.git(['clone', '-q', url, clone])
  writeFileSync(join(clone, 'evil.txt'), 'evil\n')
  repo.git(['add', '-A'], { cwd: clone })
  repo.git(['commit', '-qm', 'Evil'], { cwd: clone })
  // A lie that only this clone believes.
  repo.git(['update-ref', 'refs/remotes/origin/main', 'HEAD'], { cwd: clone })
  expect(await repo.plan(['new', '--from', plan, '--id', 'p'], { cwd: clone })).toMatchObject({ code: 0 })
  const approved = await repo.plan(['approve', 'p', '--campaign', publicProof(made)], { cwd: clone })
  expect(approved, approved.all).toMatchObject({ code: 0 })
  repo.git(['push', '-q', 'origin', 'plan/p'], { cwd: clone })
  const ran = await fleet.json(['resume', 'p'])
  expect(ran, JSON.stringify(ran)).toMatchObject({ counts: { refused: 1 } })
  expect(existsSync(canary(repo))).toBe(false)
})

test('a policy that trusts the campaign no more is in force where a clone is there already', async ({ repo }) => {
  const { fleet, address, url } = await approvedAt(repo, `test -e ${repo.home}/go && touch ${canary(repo)}`)
  expect(await fleet.json(['resume', 'p'])).toMatchObject({ counts: { failed: 1 } })
  const owners = join(repo.home, 'owners')
  repo.git(['clone', '-q', address, owners])
  writeFileSync(
    join(owners, '.plans/config.yml'),
    'version: 1\napproval: { high: { from: [signature] }, medium: { from: [signature] } }\n',
  )
  writeFileSync(join(owners, '.plans/campaign_signers'), '')
  repo.git(['commit', '-qam', 'No campaigns'], { cwd: owners })
  repo.git(['push', '-q', 'origin', 'main'], { cwd: owners })
  writeFileSync(join(repo.home, 'go'), '')
  expect(await fleet.fleet(['retry', '--failed', '--campaign', 'p'])).toMatchObject({ code: 0 })
  const ran = await fleet.json(['resume', 'p'])
  expect(ran, JSON.stringify(ran)).not.toMatchObject({ counts: { completed: 1 } })
  expect(existsSync(canary(repo))).toBe(false)
  expect(repo.git(['log', '-1', '--format=%s', 'main'], { cwd: url.replace('file://', '') })).toBe('No campaigns')
})

test('an approval that was superseded here approves nothing when the campaign is set back to it', async ({ repo }) => {
  const fleet = new Fleet(repo, { count: 1 })
  const text = (command: string): string => planText(`  - {id: one, run: ${JSON.stringify(command)}}`, 'title: P\n')
  const propose = async (command: string): Promise<void> => {
    expect(await fleet.fleet(['new', fleet.list, fleet.write('p.md', text(command))])).toMatchObject({ code: 0 })
  }
  await propose(`touch ${canary(repo)}`)
  expect(await fleet.fleet(['approve', 'p'])).toMatchObject({ code: 0 })
  const first = repo.git(['rev-parse', 'campaign/p'], { cwd: fleet.control })
  await propose('echo 1 > one.txt')
  // By whoever may write to the control repository.
  repo.git(['update-ref', 'refs/heads/campaign/p', first], { cwd: fleet.control })
  const ran = await fleet.json(['resume', 'p'])
  expect(ran, JSON.stringify(ran)).not.toMatchObject({ counts: { completed: 1 } })
  expect(existsSync(canary(repo))).toBe(false)
})

test('a plan of the owners with the id of the campaign is neither merged nor closed', async ({ repo }) => {
  const fleet = new Fleet(repo, { count: 2 })
  const [address = ''] = fleet.addresses
  const clone = join(repo.home, 'owners')
  repo.git(['clone', '-q', address, clone])
  const own = planText('  - {id: own, run: "echo own > own.txt"}', 'plan: p\ntitle: Own\n')
  const started = await repo.plan(['start', '-', '--approve', '--push'], { cwd: clone, input: own })
  expect(started, started.all).toMatchObject({ code: 0 })
  const tip = repo.git(['rev-parse', 'plan/p'], { cwd: address })
  const plan = fleet.write('p.md', planText('  - {id: one, run: "echo 1 > one.txt"}', 'title: P\n'))
  await fleet.json(['run', fleet.list, plan, '--approve'])
  for (const action of ['finish', 'close']) {
    const ended = await fleet.json([action, 'p'])
    expect(ended, JSON.stringify(ended)).toMatchObject({ counts: { refused: 1 } })
    expect(repo.git(['rev-parse', 'plan/p'], { cwd: address })).toBe(tip)
    expect(repo.git(['log', '--format=%s', 'main'], { cwd: address })).toBe('First')
  }
})

test('what a revert takes back is the merge of the plan, whatever other commits say of themselves', async ({
  repo,
}) => {
  const fleet = new Fleet(repo, { count: 1 })
  const [address = ''] = fleet.addresses
  const plan = fleet.write('p.md', planText('  - {id: one, run: "echo 1 > one.txt"}', 'title: P\n'))
  expect(await fleet.json(['run', fleet.list, plan, '--approve'])).toMatchObject({ counts: { completed: 1 } })
  expect(await fleet.json(['finish', 'p'])).toMatchObject({ counts: { merged: 1 } })
  const merge = repo.git(['rev-parse', 'main'], { cwd: address })
  const clone = join(repo.home, 'contributor')
  repo.git(['clone', '-q', address, clone])
  writeFileSync(join(clone, 'fix.txt'), 'fix\n')
  repo.git(['add', '-A'], { cwd: clone })
  repo.git(['commit', '-qm', 'Harmless\n\nPlan-Id: p\nPlan-Event: completed'], { cwd: clone })
  repo.git(['commit', '-q', '--allow-empty', '--allow-empty-message', '-m', ''], { cwd: clone })
  repo.git(['push', '-q', 'origin', 'main'], { cwd: clone })
  expect(await fleet.fleet(['revert', 'p'])).toMatchObject({ code: 0 })
  const texts = repo.git(['log', '-1', '-p', '--format=', 'campaign/p-revert'], { cwd: fleet.control })
  expect(texts).toContain(`git revert --no-commit -m 1 ${merge}`)
})

test('repositories of different people and different directories of one host are not the same', () => {
  const same = [
    ['git@example.com:a/b.git', 'https://example.com/a/b', 'ssh://git@example.com/a/b', 'https://ada@EXAMPLE.com/a/b/'],
    ['/srv/a.git', 'file:///srv/a'],
  ]
  for (const [first = '', ...others] of same)
    for (const other of others) expect(canonicalAddress(other), other).toBe(canonicalAddress(first))
  const different = [
    'ada@example.com:b',
    'ada@example.com:/b',
    'bob@example.com:b',
    'ssh://root@example.com/b',
    'https://example.com/b',
    'file://example.com/b',
    '/b',
  ]
  // An absolute path is the same with and without a scheme.
  expect(new Set(different.map(canonicalAddress)).size).toBe(different.length)
  expect(canonicalAddress('ssh://ada@example.com/b')).toBe(canonicalAddress('ada@example.com:/b'))
})
