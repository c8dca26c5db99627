// Plans that an agent writes, and the changes between the texts of a plan.

import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

/** The agent `writer`: in each round it answers with the next of these, and keeps what it was asked. */
function writer(repo: TestRepo, ...answers: string[]): void {
  const directory = join(repo.home, 'writer')
  mkdirSync(directory, { recursive: true })
  for (const [at, answer] of answers.entries()) writeFileSync(join(directory, `answer-${at + 1}`), answer)
  const script = join(directory, 'writer')
  writeFileSync(
    script,
    `#!/bin/sh
cd ${directory}
n=$(($(cat round 2>/dev/null || echo 0) + 1)); echo $n > round
cat > prompt-$n
ls -A "$OLDPWD" > files; ls -A "$OLDPWD/deep" > tree 2>/dev/null; echo "$OLDPWD" > where
cat answer-$n
`,
  )
  chmodSync(script, 0o755)
  repo.git(['config', 'plan.agent.writer.run', script])
}
const kept = (repo: TestRepo, name: string): string => readFileSync(join(repo.home, 'writer', name), 'utf8')

const answer = (steps: string, prose = 'Because.'): string =>
  `I read the repository.\n\n\`\`\`\`plan\n---\ntitle: Greet the world\nsteps:\n${steps}\n---\n\n${prose}\n\n\`\`\`js\ncode in prose\n\`\`\`\n\`\`\`\`\nDone.\n`

const good = '  - id: greet\n    create: hello.txt\n    content: hello'

describe('git plan new --agent', () => {
  test('proposes what the agent answers, with the request and the time that it took', async ({ repo }) => {
    writer(repo, answer(good))
    const before = repo.git(['for-each-ref'])
    const ran = await repo.plan(['new', '--agent', 'writer', 'Add a greeting: "hello"'])
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toContain('Proposed plan/greet-the-world: Greet the world')
    const text = repo.git(['show', 'plan/greet-the-world:.plans/greet-the-world.md'])
    expect(text).toMatch(/^request: .*Add a greeting: /m)
    expect(text).toContain('```js\ncode in prose\n```')
    const shown = (await repo.json(['status', 'greet-the-world'])) as unknown as Record<string, unknown>
    expect(shown).toMatchObject({
      status: 'proposed',
      request: 'Add a greeting: "hello"',
      generated: { by: 'writer', rounds: 1, durationMs: expect.any(Number) as number, turns: null, costUsd: null },
    })
    expect((await repo.plan(['status', 'greet-the-world'])).stdout).toMatch(/generated +by writer/)
    // The agent read a copy, without a repository, which is gone.
    expect(kept(repo, 'files').split('\n')).toEqual(['a.txt', ''])
    expect(existsSync(kept(repo, 'where').trim())).toBe(false)
    const prompt = kept(repo, 'prompt-1')
    for (const part of [
      'Add a greeting: "hello"',
      '- a.txt',
      'Keys of every step: ',
      '- `edit`: ',
      '# Each step has exactly',
    ])
      expect(prompt).toContain(part)
    expect(repo.status()).toBe('')
    expect(repo.git(['for-each-ref']).split('\n').length).toBe(before.split('\n').length + 1)
  })

  test('gives mistakes back with their findings, and takes the corrected plan', async ({ repo }) => {
    writer(
      repo,
      'I would rather talk about it.',
      answer('  - id: greet\n    craete: hello.txt'),
      answer('  - id: greet\n    edit: missing.txt\n    append: x'),
      answer(good),
    )
    const ran = await repo.plan(['new', '--agent', 'writer', 'Add a greeting'])
    expect(ran.code, ran.all).toBe(0)
    expect(kept(repo, 'prompt-2')).toContain('the answer has no block with a plan')
    expect(kept(repo, 'prompt-3')).toContain('unknown key `craete` (unknown-key); did you mean `create`?')
    expect(kept(repo, 'prompt-4')).toMatch(/missing\.txt.*\(would-fail\)/)
    expect(await repo.json(['status', 'greet-the-world'])).toMatchObject({ generated: { rounds: 4 } })
  })

  test('keeps what the agent could not correct, for a person', async ({ repo }) => {
    writer(repo, ...['1', '2', '3', '4'].map(() => answer('  - id: greet\n    craete: hello.txt')))
    const ran = await repo.plan(['new', '--agent', 'writer', 'Add a greeting', '--id', 'greeting'])
    expect(ran.code, ran.all).toBe(2)
    expect(ran.all).toContain('writer wrote no valid plan in 4 rounds')
    const [, file = ''] = /correct (\S+), then: git plan new --from \S+ --id greeting/.exec(ran.all) ?? []
    expect(readFileSync(file, 'utf8')).toContain('craete: hello.txt')
    expect(repo.git(['for-each-ref', 'refs/heads/plan'])).toBe('')
  })

  test('keeps the plan if only its id is taken', async ({ repo }) => {
    writer(repo, answer(good), answer(good))
    expect((await repo.plan(['new', '--agent', 'writer', 'Add a greeting'])).code).toBe(0)
    const ran = await repo.plan(['new', '--agent', 'writer', 'Add a greeting'])
    expect(ran.code, ran.all).toBe(2)
    expect(ran.all).toMatch(/use its plan: git plan new --from \S+plan\.md/)
  })

  test('an agent that fails, and one that is not known, propose nothing', async ({ repo }) => {
    repo.git(['config', 'plan.agent.broken.run', 'echo no; exit 4'])
    const broken = await repo.plan(['new', '--agent', 'broken', 'Add a greeting'])
    expect(broken.code, broken.all).toBe(1)
    expect(broken.all).toContain('broken exited with 4')
    const unknown = await repo.plan(['new', '--agent', 'nobody', 'Add a greeting'])
    expect(unknown.code, unknown.all).toBe(2)
    const contradiction = await repo.plan(['new', '--agent', 'broken', '--from', 'x.md'])
    expect(contradiction.code, contradiction.all).toBe(2)
    expect(repo.git(['for-each-ref', 'refs/heads/plan'])).toBe('')
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('git-plan-tree-'))).toEqual([])
  })
})

describe('git plan replan --agent', () => {
  const steps = (second: string): string =>
    `  - id: one\n    create: one.txt\n    content: one\n  - id: two\n    run: ${second}`

  test('writes the remaining steps anew, from the failure; it needs a new approval', async ({ repo }) => {
    repo.write('../p.md', planText(steps('echo the disk is full; exit 3')))
    expect((await repo.plan(['start', '../p.md', '--approve'])).code).toBe(1)
    const text = repo.git(['show', 'plan/p:.plans/p.md'])
    const next = `${text.replaceAll('echo the disk is full; exit 3', 'echo two > two.txt')}\n`
    writer(
      repo,
      `\`\`\`\`plan\n${next.replace('content: one', 'content: other')}\`\`\`\`\n`,
      `\`\`\`\`plan\n${next}\`\`\`\``,
    )
    const ran = await repo.plan(['replan', 'p', '--agent', 'writer', '-m', 'Do not use the disk'])
    expect(ran.code, ran.all).toBe(0)
    // A step that is done cannot be changed, whoever asks.
    expect(kept(repo, 'prompt-2')).toContain('error: step one is done and cannot be changed (step-settled)')
    const prompt = kept(repo, 'prompt-2')
    expect(prompt).toMatch(/must stay as they are, to the letter: one\./)
    expect(prompt).toMatch(/Step two failed: .*\n\n {4}the disk is full/)
    const refused = await repo.plan(['resume', 'p'])
    expect(refused.code, refused.all).toBe(3)
    const resumed = await repo.plan(['resume', 'p', '--approve'])
    expect(resumed.code, resumed.all).toBe(0)
    expect(repo.git(['show', 'plan/p:two.txt'])).toBe('two')
  })

  test('the agent gets no configuration of agents: nobody has approved what is on the branch', async ({ repo }) => {
    writer(repo, 'I would rather not.')
    repo.write('../p.md', planText(steps('echo two')))
    expect((await repo.plan(['new', '--from', '../p.md'])).code).toBe(0)
    repo.git(['checkout', '-q', 'plan/p'])
    const evil = ['.gemini/settings.json', '.opencode/plugins/x.js', 'deep/.cursor/hooks.json', '.Claude/settings.json']
    for (const path of [...evil, 'opencode.json', '.mcp.json', '.env', 'CLAUDE.md', 'deep/b.txt']) repo.write(path, 'x')
    repo.commit('Evil')
    repo.git(['checkout', '-q', 'main'])
    await repo.plan(['replan', 'p', '--agent', 'writer', '-m', 'Try'])
    expect(kept(repo, 'files').trim().split('\n').toSorted()).toEqual(['.plans', 'CLAUDE.md', 'a.txt', 'deep'])
    expect(kept(repo, 'tree').trim().split('\n')).toEqual(['b.txt'])
  })
})

describe('git plan diff --spec', () => {
  test('shows what changed between two texts, step by step, and why', async ({ repo }) => {
    repo.write('../p.md', planText('  - {id: one, run: echo 1}\n  - {id: two, run: echo 2}'))
    expect((await repo.plan(['new', '--from', '../p.md'])).code).toBe(0)
    expect((await repo.plan(['diff', 'p', '--spec'])).stdout).toBe('p has one text only, revision 0\n')
    await repo.plan(['approve', 'p'])
    repo.write(
      '../p.md',
      planText('  - {id: one, run: echo 1}\n  - {id: two, run: echo 22}\n  - {id: three, run: echo 3}'),
    )
    expect((await repo.plan(['replan', 'p', '--from', '../p.md', '-m', 'two was wrong'])).code).toBe(0)
    repo.write('../p.md', planText('  - {id: one, run: echo 1}\n  - {id: three, run: echo 3}'))
    expect((await repo.plan(['replan', 'p', '--from', '../p.md', '-m', 'two is not needed'])).code).toBe(0)

    const sinceApproval = (await repo.plan(['diff', 'p', '--spec'])).stdout
    expect(sinceApproval).toContain('p: revision 0, the last one that was approved, to 2\n')
    expect(sinceApproval).toContain('why: two was wrong\nwhy: two is not needed\nnew: three\nremoved: two\n')
    expect(sinceApproval).toContain('- run: echo 2\n')
    const sinceLast = (await repo.plan(['diff', 'p', '--spec', '--since', '1'])).stdout
    expect(sinceLast).toContain('p: revision 1 to 2\nwhy: two is not needed\nchanged: three\nremoved: two\n')
    expect(await repo.json(['diff', 'p', '--spec'])).toMatchObject({
      before: { revision: 0, wasApproved: true },
      after: { revision: 2 },
      added: ['three'],
      removed: ['two'],
    })
    const unknown = await repo.plan(['diff', 'p', '--spec', '--since', '7'])
    expect(unknown.code, unknown.all).toBe(2)
    expect(unknown.all).toContain('it has 0 to 2')
  })
})
