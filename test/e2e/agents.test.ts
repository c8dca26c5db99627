// Steps that an agent does. The agents are scripts: some replay what the real programs printed, all of them lie.

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { isAlive } from '../helpers/crash.ts'
import { claimFromText } from '../../src/plan/model/claim.ts'
import { bin, planText, test, type TestRepo } from '../helpers/repo.ts'

const fixtures = fileURLToPath(new URL('../fixtures/agents/', import.meta.url))

/** A program of this name on PATH; `$T` is a directory for what it wants to keep. */
function install(repo: TestRepo, name: string, script: string): void {
  const directory = join(repo.home, 'agents')
  mkdirSync(directory, { recursive: true })
  const path = join(directory, name)
  writeFileSync(path, `#!/bin/sh\nT=${directory}\n${script}\n`)
  chmodSync(path, 0o755)
  if (repo.env['PATH']?.startsWith(directory) !== true) repo.env['PATH'] = `${directory}:${repo.env['PATH']}`
}

const kept = (repo: TestRepo, name: string): string => readFileSync(join(repo.home, 'agents', name), 'utf8')

/** The agent `worker`, a command from git config. */
function worker(repo: TestRepo, script: string): void {
  install(repo, 'worker', script)
  repo.git(['config', 'plan.agent.worker.run', 'worker'])
}

const propose = (repo: TestRepo, ...steps: string[]): void => repo.write('../p.md', planText(steps.join('\n')))

const start = (repo: TestRepo, ...more: string[]) => repo.plan(['start', '../p.md', '--approve', ...more])

interface StepFacts {
  readonly status: string
  readonly error: string | null
  readonly claim: Readonly<Record<string, unknown>> | null
}
const stepsOf = async (repo: TestRepo): Promise<StepFacts[]> =>
  ((await repo.json(['status', 'p'])) as unknown as { steps: StepFacts[] }).steps

const hello = `  - id: hello
    agent: worker
    prompt: Write hello.txt.
    files: [hello.txt]
    verify: ["grep -q hello hello.txt"]`

describe('what an agent says and what it did', () => {
  test('its task names scope, criteria and the reports of the steps before; its report is a claim', async ({
    repo,
  }) => {
    worker(
      repo,
      [
        'cat > "$T/prompt-$PLAN_STEP"',
        'echo hello > "$PLAN_STEP.txt"',
        'echo Working.',
        `printf '%s\\n' '\`\`\`plan-report' '{"summary": "Wrote it", "decisions": ["a file"], "questions": ["why?"], "notes": "see hello.txt"}' '\`\`\`'`,
      ].join('\n'),
    )
    repo.write(
      '../p.md',
      planText(
        `${hello}\n  - id: again\n    agent: worker\n    prompt: Write again.txt.\n    files: [again.txt]\n    context: [a.txt]\n    goal: Two files\n    changes: some\n    test: test -s again.txt\n`,
      ).replace(/\n$/, '\nBecause two are better.\n'),
    )
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(0)
    const prompt = kept(repo, 'prompt-again')
    for (const part of [
      '# Step again of plan p: Write again.txt',
      '## Goal\n\nTwo files',
      '## Read first\n\n- a.txt',
      '## Change only these files\n\n- again.txt',
      '## It is done when\n\n- again.txt exists and is not empty\n- `test -s again.txt` passes',
      '## Reported by step hello\n\nWrote it\n- decided: a file\n- open question: why?\n- note: see hello.txt',
      'Because two are better.',
      'plan-report',
    ])
      expect(prompt).toContain(part)
    const [first] = await stepsOf(repo)
    expect(first).toMatchObject({ status: 'done', claim: { by: 'worker', summary: 'Wrote it', questions: ['why?'] } })
    const report = (await repo.plan(['report', 'p'])).stdout
    expect(report).toContain('| hello | worker | Wrote it | done: grep -q hello hello.txt; files |')
    expect(report).toContain('- to be answered: `hello` why?')
    expect(repo.git(['log', '-1', '--format=%an', 'plan/p'])).toBe('Ada')
  })

  test('a success without a change has failed, unless none was wanted', async ({ repo }) => {
    worker(repo, 'echo I changed everything.')
    propose(
      repo,
      '  - {id: look, agent: worker, prompt: Look, changes: none}',
      '  - {id: lie, agent: worker, prompt: Change, verify: ["true"]}',
    )
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(1)
    const [look, lie] = await stepsOf(repo)
    expect(look?.status).toBe('done')
    expect(lie).toMatchObject({ status: 'failed', error: 'it must change files, but changed none' })
    expect(lie?.claim).toMatchObject({ summary: 'I changed everything.' })
    const report = (await repo.plan(['report', 'p'])).stdout
    expect(report).toContain('| lie | worker | I changed everything. | attempt 1 refused: it must change files')
  })

  test('work that the checks do not accept is given back to it as often as `repair` says', async ({ repo }) => {
    worker(repo, ['cat > "$T/prompt-$PLAN_ATTEMPT"', 'echo line >> hello.txt'].join('\n'))
    propose(
      repo,
      '  - id: hello',
      '    agent: worker',
      '    prompt: Write three lines.',
      '    repair: 2',
      '    verify: ["echo counting; test $(wc -l < hello.txt) -ge 3"]',
    )
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(0)
    // It continued with its own file.
    expect(repo.read('hello.txt')).toBe('line\nline\nline\n')
    expect(kept(repo, 'prompt-2')).toMatch(/## Attempt 1 failed\n\n.*exit code 1[\s\S]*counting/)
    expect(await stepsOf(repo)).toMatchObject([{ status: 'done' }])
    expect((await repo.plan(['attempts', 'p'])).stdout.trim().split('\n')).toHaveLength(2)
  })

  test('a secret in its report is masked in the history', async ({ repo }) => {
    repo.env['TOKEN'] = 'pa"ss\\word'
    worker(repo, `echo hello > hello.txt; printf 'It is %s.\\n' "$TOKEN"`)
    propose(repo, hello.replace('files:', 'secrets: [TOKEN]\n    files:'))
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(0)
    expect((await stepsOf(repo))[0]?.claim).toMatchObject({ summary: 'It is [secret].' })
    expect(repo.git(['log', '--all', '--format=%B'])).not.toContain('word')
  })

  test('a secret in the report of a driver is masked too', async ({ repo }) => {
    repo.env['TOKEN'] = 'pa"ss\\word'
    propose(repo, hello.replace('agent: worker', 'agent: driver').replace('files:', 'secrets: [TOKEN]\n    files:'))
    expect((await start(repo)).code).toBe(5)
    expect((await repo.plan(['next', 'p'])).code).toBe(0)
    const ran = await repo.plan(['next', 'p', '--failed', 'hello', '-m', `I tried ${repo.env['TOKEN']}`])
    expect(ran.code, ran.all).toBe(1)
    expect(repo.git(['log', '--all', '--format=%B'])).not.toContain('word')
  })

  test('after too many repairs it stops, and nothing is lost', async ({ repo }) => {
    worker(repo, 'echo line >> hello.txt')
    propose(repo, '  - {id: hello, agent: worker, prompt: Write, repair: 1, verify: ["false"]}')
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(1)
    expect(repo.git(['show', 'refs/plan/p/attempts/hello/2:hello.txt'])).toBe('line\nline')
    expect(repo.status()).toBe('')
  })
})

describe('what an agent must not touch', () => {
  test.for([
    ['a file outside its scope', 'echo x > other.txt', 'it changed files outside its `files`: other.txt'],
    ['its own hooks', 'mkdir .claude; echo x > .claude/settings.json', 'how agents work: .claude/settings.json'],
    [
      'hooks of another name',
      'mkdir -p sub/.Codex; echo x > sub/.Codex/hooks.json',
      'how agents work: sub/.Codex/hooks',
    ],
    ['the plan', 'echo x >> .plans/p.md', 'changed .plans/p.md, which belongs to the plan'],
    ['the policy', 'echo x > .plans/config.yml', 'changed .plans/config.yml, which belongs to the plan'],
  ] as const)('%s', async ([, command, message], { repo }) => {
    worker(repo, `echo hello > hello.txt; ${command}; echo Done.`)
    const files = message.includes('agents work') ? '["**", hello.txt]' : '[hello.txt]'
    propose(repo, `  - {id: hello, agent: worker, prompt: Write, files: ${files}, verify: ["true"]}`)
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(1)
    expect((await stepsOf(repo))[0]?.error).toContain(message)
    expect(repo.status()).toBe('')
  })

  test('the servers of agents in a directory below, unless its files name them', async ({ repo }) => {
    worker(repo, 'mkdir -p pkg; echo {} > pkg/.mcp.json')
    propose(repo, '  - {id: hello, agent: worker, prompt: Write, files: ["**"], verify: ["true"]}')
    expect((await start(repo)).code).toBe(1)
    expect((await stepsOf(repo))[0]?.error).toContain('how agents work: pkg/.mcp.json')
    repo.write(
      '../q.md',
      planText(
        '  - {id: hello, agent: worker, prompt: Write, files: [pkg/.mcp.json], verify: ["true"]}',
        'base: main\n',
      ),
    )
    const ran = await repo.plan(['start', '../q.md', '--approve', '--worktree'])
    expect(ran.code, ran.all).toBe(0)
  })

  test('a plan, even if its files name it', async ({ repo }) => {
    repo.write('../p.md', planText('  - {id: hello, agent: worker, prompt: Write, files: [".plans/**"], test: "true"}'))
    const checked = await repo.plan(['check', '../p.md'])
    expect(checked.code, checked.all).toBe(1)
    expect(checked.all).toContain('hello may not change .plans/**')
    worker(repo, 'echo hello > hello.txt; cp "$PWD/.plans/p.md" .plans/other.md')
    propose(repo, '  - {id: hello, agent: worker, prompt: Write, files: ["**", hello.txt], verify: ["true"]}')
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(1)
    expect((await stepsOf(repo))[0]?.error).toContain('changed .plans/other.md, which belongs to the plan')
  })

  test('its hooks are in scope if the plan names them', async ({ repo }) => {
    worker(repo, 'mkdir .claude; echo {} > .claude/settings.json')
    propose(repo, '  - {id: hooks, agent: worker, prompt: Write, files: [.claude/settings.json]}')
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(0)
  })

  test('a hook of Git stops the plan', async ({ repo }) => {
    worker(repo, 'echo hello > hello.txt; echo "touch /tmp/x" > .git/hooks/pre-commit; echo I am honest.')
    propose(repo, hello)
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(3)
    expect(ran.all).toContain('the step changed files that Git executes: hooks/pre-commit')
    // Again and again, until a person accepts it or it is gone.
    for (const words of [
      ['start', 'p'],
      ['start', 'p', '--no-input'],
      ['next', 'p'],
      ['rollback', 'p', '--all'],
    ]) {
      const again = await repo.plan(words)
      expect(again.code, again.all).toBe(3)
      expect(again.all).toContain('the step changed files that Git executes: hooks/pre-commit')
      expect(again.all).toContain('git plan resume p')
    }
    const agent = await repo.plan(['resume', 'p'], { env: { ...repo.env, CLAUDECODE: '1' } })
    expect(agent.code, agent.all).toBe(3)
    worker(repo, 'echo hello > hello.txt')
    const accepted = await repo.plan(['resume', 'p'])
    expect(accepted.code, accepted.all).toBe(0)
    expect(accepted.all).toContain('accepted what a step changed: hooks/pre-commit')
    // The claim of the attempt next to its verdict.
    expect((await repo.plan(['report', 'p'])).stdout).toMatch(
      /\| hello \| worker \| I am honest\. \| attempt 1 refused: the step changed files that Git executes: hooks\/pre-commit/,
    )
  })

  test('a hook of Git that is removed again does not', async ({ repo }) => {
    worker(repo, 'echo hello > hello.txt; echo "touch /tmp/x" > .git/hooks/pre-commit')
    propose(repo, hello)
    expect((await start(repo)).code).toBe(3)
    rmSync(repo.path('.git/hooks/pre-commit'))
    worker(repo, 'echo hello > hello.txt')
    const ran = await repo.plan(['start', 'p'])
    expect(ran.code, ran.all).toBe(0)
  })

  test('a command of the plan may install hooks, once a person accepts them', async ({ repo }) => {
    propose(
      repo,
      '  - {id: hooks, allow: [shell-checks-off], run: "git config core.hooksPath .husky; mkdir .husky; echo exit > .husky/commit-msg"}',
    )
    const refused = await start(repo)
    expect(refused.code, refused.all).toBe(3)
    const ran = await repo.plan(['resume', 'p'])
    expect(ran.code, ran.all).toBe(0)
    expect(repo.git(['show', 'plan/p:.husky/commit-msg'])).toBe('exit')
  })

  test('the base, moved to commits of the plan, fails the step for good', async ({ repo }) => {
    worker(repo, 'echo hello > hello.txt; git update-ref refs/heads/main HEAD')
    propose(repo, hello.replace('files:', 'retries: 2\n    repair: 1\n    files:'))
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(1)
    const [step] = await stepsOf(repo)
    expect(step?.error).toMatch(
      /^main was moved while it ran, to commits of plan\/p; to look at them: git log \w{12}\.\.main$/,
    )
    expect(repo.git(['for-each-ref', 'refs/plan/p/attempts/'])).toContain('/1')
    expect(repo.git(['for-each-ref', 'refs/plan/p/attempts/'])).not.toContain('/2')
  })

  test('other branches and tags are reported, and recorded with the step: a person may have made them', async ({
    repo,
  }) => {
    repo.git(['branch', 'side'])
    worker(
      repo,
      'echo hello > hello.txt; git tag evil; git branch -qD side; git update-ref refs/heads/main "$(git commit-tree -p main -m x main^{tree})"',
    )
    propose(repo, hello)
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(0)
    for (const text of [ran.all, repo.git(['notes', '--ref=plan/p', 'show', 'plan/p~1'])]) {
      expect(text).toMatch(/refs\/heads\/main \(\w{12}\.\.\w{12}\)/)
      expect(text).toContain('refs/heads/side (deleted')
      expect(text).toContain('refs/tags/evil (new')
    }
  })

  test('a commit of its own stops the plan', async ({ repo }) => {
    worker(repo, 'echo hello > hello.txt; git add . && git commit -qm mine')
    propose(repo, hello)
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(4)
    expect(ran.all).toContain('new commits appeared on plan/p while the step ran')
  })
})

describe('an agent that does not end well', () => {
  test('is ended when it prints nothing, with the processes that it left', async ({ repo }) => {
    worker(repo, 'echo hello > hello.txt; sleep 300 & echo $! > "$T/child"; wait')
    propose(repo, hello.replace('files:', 'idle: 1s\n    files:'))
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(1)
    expect((await stepsOf(repo))[0]?.error).toBe('worker printed nothing for too long')
    expect(ran.all).toContain('raise its `idle`')
    expect(isAlive(Number(kept(repo, 'child')))).toBe(false)
  })

  test('leaves no process behind when it succeeds', async ({ repo }) => {
    worker(repo, 'echo hello > hello.txt; setsid sleep 300 > /dev/null 2>&1 & echo $! > "$T/child"; echo Done.')
    propose(repo, hello)
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(0)
    expect(isAlive(Number(kept(repo, 'child')))).toBe(false)
  })

  test('is ended when it prints without end', async ({ repo }) => {
    worker(repo, 'yes "I am working on it"')
    propose(repo, hello.replace('files:', 'limits: {output: 100kb}\n    files:'))
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(1)
    expect((await stepsOf(repo))[0]?.error).toBe('worker exceeded its output limit')
  })

  test('that prints more than its log takes in one go is waited for', async ({ repo }) => {
    install(
      repo,
      'claude',
      `echo hello > hello.txt; head -c 4000000 /dev/zero | tr '\\0' x; echo '{"type":"result","result":"Done."}'`,
    )
    propose(repo, agentStep('claude'))
    const ran = await repo.plan(['start', '../p.md', '--approve'], { isBinary: true })
    expect(ran.stderr).not.toContain('MaxListenersExceededWarning')
    expect(statSync(repo.path('.git/plan/p/logs/hello-1.jsonl')).size).toBeGreaterThan(4_000_000)
  })

  test('with an exit code has failed, whatever it did', async ({ repo }) => {
    worker(repo, 'echo hello > hello.txt; exit 3')
    propose(repo, hello)
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(1)
    expect((await stepsOf(repo))[0]?.error).toBe('worker exited with 3')
    expect(repo.git(['show', 'refs/plan/p/attempts/hello/1:hello.txt'])).toBe('hello')
  })
})

/** A program that prints what the real one did, and does what it claimed. */
const replaying = (recording: string, work: string): string =>
  [
    'cat > "$T/prompt"',
    'printf "%s\\n" "$@" > "$T/words"',
    work,
    `cat ${fixtures}${recording}.jsonl`,
    `exit $(sed "s/exit //" ${fixtures}${recording}.exit)`,
  ].join('\n')

const agentStep = (agent: string, more = ''): string =>
  `  - {id: hello, agent: ${agent}, prompt: Write hello.txt, files: [hello.txt], verify: ["true"]${more}}`

describe('presets', () => {
  test.for([
    ['claude', 'claude-2.1.325/success', { turns: 2, costUsd: 0.0016 }],
    ['codex', 'codex-0.166.0/success', { turns: 2 }],
    ['gemini', 'gemini-0.61.0/success', { turns: 1 }],
    ['opencode', 'opencode-1.18.33/success', { turns: 2, costUsd: 0.00028 }],
    ['copilot', 'copilot-1.0.102/success', { turns: 2 }],
    ['goose', 'goose-1.52.0/success', { turns: 2, costUsd: 0.0009 }],
    ['pi', 'pi-1.5.0/success', { turns: 2, costUsd: 0.00028 }],
  ] as const)('%s does its work', async ([agent, recording, facts], { repo }) => {
    install(repo, agent, replaying(recording, 'echo hello > hello.txt'))
    propose(repo, agentStep(agent, ', model: some-model'))
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(0)
    expect((await stepsOf(repo))[0]).toMatchObject({
      status: 'done',
      claim: { by: agent, summary: 'All done.', denied: [], ...facts },
    })
    expect(kept(repo, 'prompt')).toContain('# Step hello of plan p')
    expect(kept(repo, 'words')).toContain('some-model\n')
    // What it said is the output of the step; everything it printed is kept beside it.
    expect((await repo.plan(['log', 'p', '--output', 'hello'])).stdout).toContain('All done.')
    expect(readFileSync(repo.path('.git/plan/p/logs/hello-1.jsonl'), 'utf8')).toContain('"type"')
  })

  test.for([
    ['claude', 'claude-2.1.325/denied-exit0', 'it must change files, but changed none; it was denied Write'],
    ['copilot', 'copilot-1.0.102/hook-denied-exit0', 'it must change files, but changed none; it was denied bash'],
    ['gemini', 'gemini-0.61.0/hook-denied-exit0', 'it must change files, but changed none; it was denied write_file'],
    ['opencode', 'opencode-1.18.33/denied-exit0', 'it must change files, but changed none; it was denied write'],
    ['goose', 'goose-1.52.0/hook-denied-exit0', 'it must change files, but changed none; it was denied write'],
    ['pi', 'pi-1.5.0/extension-denied-exit0', 'it must change files, but changed none; it was denied write'],
    ['claude', 'claude-2.1.325/liar-no-change', 'it must change files, but changed none'],
    ['claude', 'claude-2.1.325/max-turns', 'claude: Reached maximum number of turns (1)'],
    ['claude', 'claude-2.1.325/not-logged-in', 'claude: Not logged in · Please run /login'],
    ['goose', 'goose-1.52.0/api-down-exit0', 'goose: it did not reach its model'],
    ['opencode', 'opencode-1.18.33/error', 'opencode: Unexpected server error. Check server logs for details.'],
    ['gemini', 'gemini-0.61.0/max-turns', 'gemini: Reached max session turns for this session.'],
  ] as const)('%s: %s', async ([agent, recording, message], { repo }) => {
    install(repo, agent, replaying(recording, 'true'))
    propose(repo, agentStep(agent).replace('files: [hello.txt], ', ''))
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(1)
    expect((await stepsOf(repo))[0]?.error).toContain(message)
  })

  test.for(['Command blocked by PreToolUse hook: no', 'error=approval policy is Never; reject command'])(
    'codex says on standard error alone that a tool was denied: %s',
    async (line, { repo }) => {
      install(repo, 'codex', replaying('codex-0.166.0/success', `echo '${line}' >&2`))
      propose(repo, agentStep('codex').replace('files: [hello.txt], ', ''))
      expect((await start(repo)).code).toBe(1)
      expect((await stepsOf(repo))[0]?.error).toBe('it must change files, but changed none; it was denied a tool')
    },
  )

  test('what a launcher prints instead of events is the output of the step', async ({ repo }) => {
    install(repo, 'claude', 'echo "Error: native binary not installed." >&2; echo usage; exit 1')
    propose(repo, agentStep('claude'))
    expect((await start(repo)).code).toBe(1)
    const output = (await repo.plan(['log', 'p', '--output', 'hello'])).stdout
    expect(output).toContain('Error: native binary not installed.')
    expect(output).toContain('usage')
  })

  test('turns are counted here, whatever the agent does about its limit', async ({ repo }) => {
    install(
      repo,
      'claude',
      `n=0; while [ $n -lt 500 ]; do n=$((n+1)); echo '{"type":"assistant","message":{"id":"m'$n'"}}'; sleep 0.02; done`,
    )
    propose(repo, agentStep('claude', ', turns: 3'))
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(1)
    expect((await stepsOf(repo))[0]?.error).toMatch(/^claude was ended.*it took more than 3 turns/)
    expect(ran.all).toContain('`turns` or `cost`')
  })

  test('`resume --continue-session` continues the recorded session with its files, and nothing else', async ({
    repo,
  }) => {
    install(repo, 'claude', replaying('claude-2.1.325/success', 'echo wrong > hello.txt'))
    propose(repo, agentStep('claude').replace('"true"', '"grep -q hello hello.txt"'))
    expect((await start(repo)).code).toBe(1)
    install(repo, 'claude', replaying('claude-2.1.325/success', 'cat hello.txt > "$T/before"; echo hello > hello.txt'))
    const refused = await repo.plan(['resume', 'p', '--continue-session'])
    expect(refused.code, refused.all).toBe(2)
    const ran = await repo.plan(['resume', 'p', '--retry', 'hello', '--continue-session'])
    expect(ran.code, ran.all).toBe(0)
    expect(kept(repo, 'words')).toContain('--resume\ncaa6519e-5b3f-45ce-96ea-dc6587561a14\n')
    expect(kept(repo, 'before')).toBe('wrong\n')
  })

  test('an agent gets the tools of the plan, if its step names none', async ({ repo }) => {
    install(repo, 'claude', replaying('claude-2.1.325/success', 'echo hello > hello.txt'))
    repo.write('../p.md', planText(agentStep('claude'), 'tools: [Edit, "Bash(npm test)"]\n'))
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(0)
    expect(kept(repo, 'words')).toContain('--allowedTools\nEdit,Bash(npm test)\n--tools\nEdit,Bash\n')
  })

  test.for([
    ['codex', 'codex-0.166.0/success', ['-s', 'workspace-write', 'resume', expect.any(String), '-']],
    ['opencode', 'opencode-1.18.33/success', ['--auto', '-s', expect.any(String)]],
    ['copilot', 'copilot-1.0.102/success', ['--allow-all-tools', '--resume', expect.any(String)]],
  ] as const)('%s gets the options for its session where it takes them', async ([agent, recording, end], { repo }) => {
    install(repo, agent, replaying(recording, 'true'))
    propose(repo, agentStep(agent))
    expect((await start(repo)).code).toBe(1)
    install(repo, agent, replaying(recording, 'echo hello > hello.txt'))
    const ran = await repo.plan(['resume', 'p', '--retry', 'hello', '--continue-session'])
    expect(ran.code, ran.all).toBe(0)
    expect(kept(repo, 'words').trimEnd().split('\n').slice(-end.length)).toEqual(end)
  })

  test('a session that is an option is none', async ({ repo }) => {
    install(repo, 'claude', `echo '{"type":"result","result":"Done.","session_id":"--dangerously-skip-permissions"}'`)
    propose(repo, agentStep('claude'))
    expect((await start(repo)).code).toBe(1)
    const ran = await repo.plan(['resume', 'p', '--retry', 'hello', '--continue-session'])
    expect(ran.code, ran.all).toBe(2)
    expect(ran.all).toContain('no session of an agent is recorded for the last attempt of hello')
    expect(claimFromText('{"by":"claude","session":"--yolo"}')).toEqual(
      expect.not.objectContaining({ session: '--yolo' }),
    )
  })

  test('a session of another agent is not continued', async ({ repo }) => {
    install(repo, 'claude', replaying('claude-2.1.325/success', 'true'))
    install(repo, 'codex', 'echo started > "$T/started"')
    propose(repo, agentStep('claude'))
    expect((await start(repo)).code).toBe(1)
    repo.write('../q.md', repo.git(['show', 'plan/p:.plans/p.md']).replace('agent: claude', 'agent: codex'))
    const replanned = await repo.plan(['replan', 'p', '--from', '../q.md'])
    expect(replanned.code, replanned.all).toBe(0)
    const ran = await repo.plan(['resume', 'p', '--approve', '--retry', 'hello', '--continue-session'])
    expect(ran.code, ran.all).toBe(2)
    expect(existsSync(join(repo.home, 'agents/started'))).toBe(false)
  })

  test('an agent that cannot continue a session is not started', async ({ repo }) => {
    install(repo, 'pi', replaying('pi-1.5.0/success', 'true'))
    propose(repo, agentStep('pi'))
    expect((await start(repo)).code).toBe(1)
    const ran = await repo.plan(['resume', 'p', '--retry', 'hello', '--continue-session'])
    expect(ran.code, ran.all).toBe(2)
    expect(ran.all).toContain('pi cannot continue a session')
    const plain = await repo.plan(['resume', 'p', '--retry', 'hello'])
    expect(plain.code, plain.all).toBe(1)
  })
})

describe('before the first step', () => {
  test('an agent must be known and installed, and its role defined', async ({ repo }) => {
    repo.env['PATH'] = repo.pathForGit()
    propose(repo, agentStep('nobody'))
    const unknown = await start(repo)
    expect(unknown.code, unknown.all).toBe(2)
    expect(unknown.all).toContain('step hello wants the agent nobody, which is not known here')
    expect(unknown.all).toContain('git config plan.agent.nobody.run COMMAND')

    repo.git(['config', 'plan.agent.nobody.run', 'echo hello > hello.txt'])
    const known = await repo.plan(['start', 'p'])
    expect(known.code, known.all).toBe(0)
  })

  test('a program that is missing is named', async ({ repo }) => {
    repo.env['PATH'] = repo.pathForGit()
    propose(repo, agentStep('goose'))
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(2)
    expect(ran.all).toContain('wants the agent goose, but goose is not on PATH')
  })

  test('a role is a file of the repository, and the text of its definition is part of the task', async ({ repo }) => {
    worker(repo, 'cat > "$T/prompt"; echo "$PLAN_AGENT_ROLE $PLAN_AGENT_MODEL" > hello.txt')
    propose(repo, agentStep('worker', ', as: tester, model: small'))
    const missing = await start(repo)
    expect(missing.code, missing.all).toBe(2)
    expect(missing.all).toContain('there is none of .claude/agents/tester.md, .agents/agents/tester.md')
    await repo.plan(['delete', 'p', '--force'])
    repo.git(['checkout', '-q', 'main'])
    repo.write('.claude/agents/tester.md', '---\nname: tester\ntools: Read\n---\n\nYou test everything twice.\n')
    repo.commit('A tester')
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(0)
    expect(kept(repo, 'prompt')).toContain('## Your role: tester\n\nYou test everything twice.\n\nWrite hello.txt')
    expect(repo.read('hello.txt')).toBe('tester small\n')
  })

  test('a role that leads out of the repository is none: its text would reach the agent', async ({ repo }) => {
    worker(repo, 'cat > "$T/prompt"; echo hello > hello.txt')
    writeFileSync(join(repo.home, 'private.md'), 'private\n')
    mkdirSync(join(repo.home, 'roles'))
    writeFileSync(join(repo.home, 'roles/other.md'), 'private\n')
    mkdirSync(repo.path('.claude/agents'), { recursive: true })
    mkdirSync(repo.path('.agents'), { recursive: true })
    symlinkSync(join(repo.home, 'private.md'), repo.path('.claude/agents/tester.md'))
    symlinkSync(join(repo.home, 'roles'), repo.path('.agents/agents'))
    repo.commit('Roles')
    for (const role of ['tester', 'other']) {
      propose(repo, agentStep('worker', `, as: ${role}`))
      const ran = await start(repo)
      expect(ran.code, ran.all).toBe(2)
      expect(ran.all).toContain(`wants the role ${role}, but there is none of`)
      await repo.plan(['delete', 'p', '--force'])
      repo.git(['checkout', '-q', 'main'])
    }
    expect(existsSync(join(repo.home, 'agents/prompt'))).toBe(false)
  })

  test('a key that the agent has no option for is an error, and nothing but a claim a warning', async ({ repo }) => {
    propose(repo, '  - {id: hello, agent: codex, prompt: Write, cost: 2, tools: [Read]}')
    const ran = await repo.plan(['check', '../p.md'])
    expect(ran.code).toBe(1)
    expect(ran.all).toContain('codex has no option for `cost`, so it would have no effect (agent-option)')
    expect(ran.all).toContain('codex has no option for `tools`')
    expect(ran.all).toContain('nothing but the agent itself says that hello is done (agent-unchecked)')
  })

  test('an agent whose command git config names is known', async ({ repo }) => {
    propose(repo, hello)
    expect((await repo.plan(['check', '../p.md'])).all).toContain('agent-unknown')
    repo.git(['config', 'plan.agent.worker.run', 'worker'])
    expect((await repo.plan(['check', '../p.md'])).all).not.toContain('agent-unknown')
  })

  test('an agent that is not known is a warning, once for all its steps', async ({ repo }) => {
    const step = (id: string, agent: string): string => agentStep(agent).replace('id: hello', `id: ${id}`)
    propose(repo, step('one', 'nobody'), step('two', 'nobody'), step('three', 'someone'))
    const { all } = await repo.plan(['check', '../p.md'])
    expect(all.match(/nobody is not an agent that git plan knows/g)).toHaveLength(1)
    expect(all.match(/someone is not an agent that git plan knows/g)).toHaveLength(1)
  })

  test('a command for an agent is taken from the policy, and never from the branch of the plan', async ({ repo }) => {
    repo.git(['config', 'plan.policyRef', 'main'])
    repo.write('.plans/config.yml', 'agents:\n  good: echo hello > hello.txt\n')
    repo.commit('An agent')
    propose(repo, agentStep('good'))
    repo.git(['checkout', '-q', '-b', 'evil'])
    repo.write('.plans/config.yml', `agents:\n  good: touch ${repo.path('../canary')}\n`)
    repo.commit('Another agent')
    repo.write('../p.md', planText(agentStep('good')).replace('base: main', 'base: evil'))
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(0)
    expect(existsSync(repo.path('../canary'))).toBe(false)
    expect(repo.read('hello.txt')).toBe('hello\n')
  })
})

test('several agents work at the same time, each in a work tree of its own', async ({ repo }) => {
  worker(repo, 'pwd > "$T/where-$PLAN_STEP"; sleep 0.3; echo hello > "$PLAN_STEP.txt"; echo "Wrote $PLAN_STEP"')
  propose(
    repo,
    ...['one', 'two', 'three'].map(
      (id) => `  - {id: ${id}, needs: [], agent: worker, prompt: Write, files: [${id}.txt], verify: ["true"]}`,
    ),
  )
  const ran = await start(repo, '-j', '3')
  expect(ran.code, ran.all).toBe(0)
  expect(new Set(['one', 'two', 'three'].map((id) => kept(repo, `where-${id}`))).size).toBe(3)
  expect((await stepsOf(repo)).map(({ claim }) => claim?.['summary'])).toEqual([
    'Wrote one',
    'Wrote two',
    'Wrote three',
  ])
  expect(repo.status()).toBe('')
})

test('a result that is checked again on top of another keeps its claim', async ({ repo }) => {
  worker(repo, 'sleep 0.2; echo $PLAN_STEP > $PLAN_STEP.txt; echo "Wrote $PLAN_STEP"')
  propose(
    repo,
    '  - {id: one, needs: [], agent: worker, prompt: Write, files: ["*.txt"], verify: ["true"]}',
    '  - {id: two, needs: [], agent: worker, prompt: Write, files: ["*.txt"], verify: ["true"]}',
  )
  const ran = await start(repo, '-j', '2')
  expect(ran.code, ran.all).toBe(0)
  expect(ran.all).toContain('two is checked again')
  expect((await stepsOf(repo)).map(({ claim }) => claim?.['summary'])).toEqual(['Wrote one', 'Wrote two'])
})

describe('the Agent Client Protocol', () => {
  const agent = fileURLToPath(new URL('../fixtures/acp-agent.mjs', import.meta.url))
  const acp = (repo: TestRepo): void =>
    void repo.git(['config', 'plan.agent.zed.run', `acp: ${process.execPath} ${agent}`])
  const step = (prompt: string, more = ''): string =>
    `  - {id: hello, agent: zed, prompt: "${prompt}", files: [hello.txt], verify: ["true"]${more}}`

  test('permission is given in the scope of the step, and refused elsewhere', async ({ repo }) => {
    acp(repo)
    propose(repo, step('ask: hello.txt\\nask: other.txt\\nrun: touch ran.txt'))
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(0)
    expect((await stepsOf(repo))[0]).toMatchObject({
      status: 'done',
      claim: {
        summary: 'All done.',
        turns: 3,
        costUsd: 0.5,
        session: 's-1',
        denied: ['ask other.txt', 'run touch ran.txt'],
      },
    })
    expect(repo.git(['show', '--format=', '--name-only', 'plan/p~1'])).toBe('.plans/p.md\nhello.txt')
    expect(ran.all).toContain('hello | All done.')
  })

  test('a command runs only if the step allows it', async ({ repo }) => {
    acp(repo)
    propose(repo, step('run: echo 1 > hello.txt', ', tools: [execute]'))
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(0)
  })

  test.for([
    ['stop: refusal', 'zed: it stopped: refusal'],
    ['ask: other.txt', 'it was denied ask other.txt'],
  ] as const)('%s', async ([prompt, message], { repo }) => {
    acp(repo)
    propose(repo, step(prompt).replace('files: [hello.txt], ', 'files: ["hello*"], '))
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(1)
    expect((await stepsOf(repo))[0]?.error).toContain(message)
  })

  test('an agent that is not there, or does not speak it, has failed', async ({ repo }) => {
    repo.git(['config', 'plan.agent.zed.run', 'acp: echo hello'])
    propose(repo, step('ask: hello.txt'))
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(1)
    expect((await stepsOf(repo))[0]?.error).toContain('the agent ended before it answered')
  })
})

describe('an agent that wants to approve', () => {
  test.for(['CLAUDECODE', 'GEMINI_CLI', 'COPILOT_CLI', 'CODEX_THREAD_ID', 'OPENCODE', 'PI_CODING_AGENT'])(
    'is refused where %s says that it is one',
    async (variable, { repo }) => {
      repo.write('../p.md', planText('  - {id: one, run: echo 1 > one.txt}'))
      await repo.plan(['new', '--from', '../p.md'])
      const env = { [variable]: '1' }
      for (const words of [
        ['approve', 'p'],
        ['start', 'p', '--approve'],
        ['approve', 'p', '--sign'],
      ]) {
        const ran = await repo.plan(words, { env })
        expect(ran.code, ran.all).toBe(3)
        expect(ran.all).toContain('only a person can approve p, and this shell belongs to')
      }
      expect(repo.git(['show', 'plan/p:.plans/p.md'])).toContain('status: proposed')
    },
  )

  test('answers no gate, and declares no step done or skipped', async ({ repo }) => {
    propose(repo, '  - {id: ask, gate: Is it announced?}', '  - {id: one, run: echo 1 > one.txt}')
    expect((await start(repo)).code).toBe(5)
    for (const words of [
      ['--done', 'ask'],
      ['--skip', 'one'],
    ]) {
      const ran = await repo.plan(['resume', 'p', ...words], { env: { CLAUDECODE: '1' } })
      expect(ran.code, ran.all).toBe(3)
      expect(ran.all).toContain('only a person declares the outcome of a step')
    }
    expect(await stepsOf(repo)).toMatchObject([{ status: 'waiting' }, { status: 'pending' }])
  })

  test('is not told to end the run of its own step', async ({ repo }) => {
    worker(repo, `echo hello > hello.txt; ${process.execPath} ${bin} rollback p --all 2>&1; echo "exit $?"`)
    propose(repo, hello)
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toContain('plan p is locked by process')
    expect(ran.all).toContain('git plan status p')
    expect(ran.all).not.toMatch(/kill -INT|git plan cancel/)
    expect(ran.all).toContain('exit 4')
  })

  test('cannot approve another plan from inside its step', async ({ repo }) => {
    repo.write('../other.md', planText('  - {id: one, run: echo 1 > one.txt}').replace('plan: p', 'plan: other'))
    await repo.plan(['new', '--from', '../other.md', '--id', 'other'])
    worker(repo, `echo hello > hello.txt; ${process.execPath} ${bin} approve other; echo "exit $?"`)
    propose(repo, hello)
    const ran = await start(repo)
    expect(ran.code, ran.all).toBe(0)
    expect(ran.all).toContain('this shell belongs to a step of a plan')
    expect(ran.all).toContain('exit 3')
  })
})
