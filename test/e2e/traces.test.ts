// Traces of runs, as the SDK prints them to the console.

import { cpSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'vitest'
import { bin, ended, planText, test } from '../helpers/repo.ts'
import { spawn } from 'node:child_process'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const incoming = `00-${traceId}-b7ad6b7169203331-01`

interface Span {
  readonly name: string
  readonly trace: string
  readonly id: string
  readonly parent: string | undefined
  readonly isError: boolean
  readonly text: string
}

/** The console exporter prints objects as Node does. */
const spansIn = (text: string): Span[] =>
  text
    .split(/^\{$/m)
    .slice(1)
    .map((block) => {
      const field = (pattern: RegExp): string | undefined => pattern.exec(block)?.[1]
      return {
        name: field(/^ {2}name: '(.*)'/m) ?? '',
        trace: field(/^ {2}traceId: '(.*)'/m) ?? '',
        id: field(/^ {2}id: '(.*)'/m) ?? '',
        parent: field(/^ {2}parentSpanContext: \{[^}]*spanId: '(\w+)'/m),
        isError: /status: \{ code: 2/.test(block),
        text: block,
      }
    })

const traced = (more: Record<string, string> = {}) => ({
  isBinary: true,
  env: { OTEL_TRACES_EXPORTER: 'console', ...more },
})

test('a run is a trace, parallel steps are siblings in it, and they get its context', async ({ repo }) => {
  repo.write(
    '../p.md',
    planText(
      [
        '  - {id: one, needs: [], run: "echo $TRACEPARENT > one.txt"}',
        '  - {id: two, needs: [], run: "echo $TRACEPARENT > two.txt"}',
        '  - {id: three, needs: [one, two], run: "echo very secret words; exit 3"}',
      ].join('\n'),
    ),
  )
  const ran = await repo.plan(['start', '../p.md', '--approve', '-j', '2'], traced({ TRACEPARENT: incoming }))
  expect(ran.code).toBe(1)
  const spans = spansIn(ran.stdout)
  const named = (name: string): Span => spans.find((span) => span.name === name)!
  const run = named('plan p')
  expect(spans.map(({ name }) => name).toSorted()).toEqual(['plan p', 'step one', 'step three', 'step two'])
  expect(new Set(spans.map(({ trace }) => trace))).toEqual(new Set([traceId]))
  expect(run.parent).toBe('b7ad6b7169203331')
  for (const step of ['one', 'two', 'three']) expect(named(`step ${step}`).parent, step).toBe(run.id)
  for (const step of ['one', 'two']) {
    const { id, isError } = named(`step ${step}`)
    expect(repo.git(['show', `plan/p:${step}.txt`])).toBe(`00-${traceId}-${id}-01`)
    expect(isError).toBe(false)
  }
  expect([run.isError, named('step three').isError]).toEqual([true, true])
  expect(named('step three').text).toMatch(/'git_plan.step.verb': 'run'[\s\S]*'git_plan.step.outcome': 'failed'/)
  // Attributes are ids and words of ours: no output, no command, no message, no arguments.
  for (const { text } of spans) expect(text).not.toMatch(/secret|echo|exit code|p\.md/)
})

test('a step that is tried again is a span per attempt', async ({ repo }) => {
  repo.write('../p.md', planText('  - {id: one, retries: 1, run: "test $PLAN_ATTEMPT = 2"}'))
  const ran = await repo.plan(['start', '../p.md', '--approve'], traced())
  const steps = spansIn(ran.stdout).filter(({ name }) => name === 'step one')
  expect(steps.map(({ isError }) => isError)).toEqual([true, false])
  expect(steps[0]?.text).toContain("'git_plan.step.outcome': 'retried'")
})

test('without the SDK a note says what to install, and the plan runs', async ({ repo }) => {
  const alone = repo.path('../alone')
  cpSync(dirname(bin), alone, { recursive: true })
  repo.write('../p.md', planText('  - {id: one, run: "test -z $TRACEPARENT"}'))
  const ran = await ended(
    spawn(process.execPath, [`${alone}/cli.mjs`, 'start', '../p.md', '--approve'], {
      cwd: repo.dir,
      env: { ...repo.env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
    }),
  )
  expect(ran.code, ran.all).toBe(0)
  expect(ran.all).toContain('npm install -g @opentelemetry/sdk-node')
})
