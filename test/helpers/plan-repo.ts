// A real repository with a plan whose commits are made by Git alone, with author and clock frozen: for tests of code
// that reads plans.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CommandContext } from '../../src/operation/context.ts'
import { Repository } from '../../src/git/repository.ts'
import { readPlan } from '../../src/plan/file/read-plan.ts'
import { gitEnvironment } from '../../src/process/environment.ts'

export const planText = (
  options: { status?: string; state?: string; title?: string; extra?: string } = {},
): string => `---
plan: demo
title: ${options.title ?? 'Demo plan'}
base: main
steps:
  - id: one
    title: First
    run: echo one > one.txt
  - id: two
    title: Second
    run: echo two > two.txt
  - id: three
    title: Third
    needs: [two]
    run: echo three > three.txt
${options.extra ?? ''}status: ${options.status ?? 'proposed'}
state:${options.state === undefined ? ' {}' : `\n${options.state}`}
---

Why.
`

export const digestOfText = (text: string): string => {
  const parsed = readPlan(Buffer.from(text), { file: '.plans/demo.md', id: 'demo' })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.findings))
  return parsed.plan.digest
}

export class PlanRepo {
  readonly home: string
  readonly root: string
  #seconds = Date.parse('2025-01-01T10:00:00Z') / 1000

  constructor() {
    this.home = mkdtempSync(join(tmpdir(), 'git-plan-'))
    this.root = join(this.home, 'repo')
    mkdirSync(this.root)
    this.git('init', '-q', '-b', 'main')
    this.write('a.txt', 'a\n')
    this.commit('First commit')
  }

  get env(): Record<string, string> {
    const date = `${this.#seconds} +0000`
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.home,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.org',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.org',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    }
  }

  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.root,
      env: this.env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), text)
  }

  /** Everything in the tree, a minute later than the commit before. */
  commit(subject: string, trailers: Readonly<Record<string, string | number>> = {}): string {
    this.#seconds += 60
    const lines = Object.entries(trailers).map(([key, value]) => `Plan-${key}: ${value}`)
    this.git('add', '-A')
    this.git('commit', '-q', '--allow-empty', '-m', [subject, ...(lines.length === 0 ? [] : ['', ...lines])].join('\n'))
    return this.git('rev-parse', 'HEAD')
  }

  event(
    event: string,
    options: {
      status: string
      state?: string
      subject?: string
      trailers?: Readonly<Record<string, string | number>>
      title?: string
    },
  ): string {
    this.write('.plans/demo.md', planText(options))
    return this.commit(options.subject ?? event, { Id: 'demo', Event: event, ...options.trailers })
  }

  /** Proposed and approved, on its branch, which is checked out. */
  approved(): { proposed: string; approved: string } {
    this.git('checkout', '-q', '-b', 'plan/demo')
    const proposed = this.event('proposed', { status: 'proposed' })
    const bound = { Digest: digestOfText(planText()), Base: this.git('rev-parse', `${proposed}^`), Policy: 'none' }
    const approved = this.event('approved', {
      status: 'approved',
      trailers: { ...bound, 'Approved-By': 'Kim <kim@example.org>', Approval: 'local' },
    })
    return { proposed, approved }
  }

  oneDone(): string {
    this.write('one.txt', 'one\n')
    return this.event('step', {
      status: 'active',
      state: '  one: done',
      subject: 'First',
      trailers: { Step: 'one', Attempt: 1, 'Duration-Ms': 1500, Verified: 'exists one.txt' },
    })
  }

  tag(name: string, target: string, trailers: Readonly<Record<string, string | number>>): void {
    const body = Object.entries(trailers)
      .map(([key, value]) => `Plan-${key}: ${value}`)
      .join('\n')
    this.git('update-ref', `refs/plan/demo/${name}`, this.#mktag(name, target, body))
  }

  #mktag(name: string, target: string, body: string): string {
    const text = `object ${target}\ntype commit\ntag ${name}\ntagger Ada <ada@example.org> ${this.#seconds} +0000\n\nRoll back\n\n${body}\n`
    return execFileSync('git', ['mktag'], { cwd: this.root, env: this.env, input: text, encoding: 'utf8' }).trim()
  }

  open(): Promise<Repository> {
    return Repository.open({ cwd: this.root, env: gitEnvironment(this.env) })
  }

  context(options: Partial<CommandContext> = {}): CommandContext {
    return {
      cwd: this.root,
      env: this.env,
      now: () => new Date('2025-01-02T00:00:00Z'),
      isInteractive: false,
      confirm: () => Promise.resolve(false),
      choose: () => Promise.resolve(undefined),
      ask: () => Promise.resolve(undefined),
      readInput: () => Promise.resolve(new Uint8Array()),
      editFile: () => Promise.resolve(),
      serveMcp: () => Promise.resolve(),
      browse: () => Promise.resolve(),
      serveUi: () => Promise.resolve(),
      emit: () => {},
      signal: new AbortController().signal,
      ...options,
    }
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true })
  }
}
